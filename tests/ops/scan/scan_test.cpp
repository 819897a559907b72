// SPDX-License-Identifier: MIT
// Scans: inclusive and exclusive, of integers by look-back and of floating-point numbers by a tree.
#include <array>
#include <cmath>
#include <numeric>

#include <lanesort/cpu.hpp>

#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

constexpr Operation all_scans[] = {Operation::inclusive_scan, Operation::exclusive_scan};

/// The nearest half of a number, of two as near the even one: found among all of them.
half nearest_half(float number) {
    if (std::isnan(number)) return std::bit_cast<half>(std::uint16_t{0x7e00});
    const bool is_negative = std::signbit(number);
    std::uint16_t low = 0, high = 0x7c00;  // of the absolute value: at or below, above
    const float size = std::fabs(number);
    // The next half would be 65536, were it not infinite.
    const auto value = [](std::uint16_t bits) {
        return bits == 0x7c00 ? 65536.0 : static_cast<double>(number_of(std::bit_cast<half>(bits)));
    };
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (value(middle) <= static_cast<double>(size) ? low : high) = middle;
    }
    const double below = static_cast<double>(size) - value(low), above = value(high) - static_cast<double>(size);
    const std::uint16_t bits = below < above || (below == above && low % 2 == 0) ? low : high;
    return std::bit_cast<half>(static_cast<std::uint16_t>(bits | (is_negative ? 0x8000 : 0)));
}

/// What some elements are combined to, from the last run on that begins among them, if one does.
template <class Number>
struct Part {
    Number number;
    bool begins = false;
};

/// The tree that scan/scan.h states, in plain loops.
template <class Number, class Combine>
class Tree {
public:
    using Parts = std::vector<Part<Number>>;

    Tree(Number identity, Combine combine) : identity_(identity), combine_(combine) {}

    /// What is in front of each part, with it or without it, by so many for each leaf. Where `resets`, a run begins
    /// with the part that it begins in, else behind it.
    std::vector<Number> scan(const Parts& parts, std::size_t leaf, std::size_t share, bool inclusive,
                             bool resets = true) const {
        std::vector<Number> results, in_front{identity_};
        Parts blocks;
        for (std::size_t begin = 0; begin < parts.size(); begin += share)
            blocks.push_back(block(slice(parts, begin, share), leaf, identity_, false, false, nullptr));
        if (blocks.size() > 1) in_front = scan(blocks, leaf, blocks.size(), false, false);
        for (std::size_t b = 0; b < blocks.size(); ++b)
            block(slice(parts, b * share, share), leaf, in_front[b], inclusive, resets, &results);
        return results;
    }

private:
    static Parts slice(const Parts& parts, std::size_t begin, std::size_t size) {
        const auto at = [&](std::size_t i) {
            return parts.begin() + static_cast<std::ptrdiff_t>(std::min(i, parts.size()));
        };
        return {at(begin), at(begin + size)};
    }

    Part<Number> combined(const Part<Number>& a, const Part<Number>& b) const {
        return {b.begins ? b.number : combine_(a.number, b.number), a.begins || b.begins};
    }

    Part<Number> block(const Parts& parts, std::size_t leaf, Number in_front, bool inclusive, bool resets,
                       std::vector<Number>* results) const {
        const Part<Number> none{identity_};
        Part<Number> bundles = none;
        for (std::size_t first = 0; first < parts.size(); first += 32 * leaf) {
            Parts sums(32, none);
            std::vector<Parts> in_leaf(32, Parts(leaf, none));
            for (std::size_t l = 0; l < 32; ++l) {
                for (std::size_t k = 0; k < leaf; ++k) {
                    const std::size_t i = first + l * leaf + k;
                    const Part<Number> own = i < parts.size() ? parts[i] : none;
                    in_leaf[l][k] = k == 0 ? own : combined(in_leaf[l][k - 1], own);
                }
                sums[l] = in_leaf[l][leaf - 1];
            }
            for (std::size_t apart = 1; apart < 32; apart *= 2)
                for (std::size_t l = 31; l >= apart; --l) sums[l] = combined(sums[l - apart], sums[l]);
            for (std::size_t i = first; results && i < std::min(first + 32 * leaf, parts.size()); ++i) {
                const std::size_t l = (i - first) / leaf, k = (i - first) % leaf;
                const Part<Number> before = l > 0 ? sums[l - 1] : none;
                const Part<Number> own = inclusive ? in_leaf[l][k] : k > 0 ? in_leaf[l][k - 1] : none;
                const Part<Number> all = combined(combined({in_front}, bundles), combined(before, own));
                results->push_back(!inclusive && resets && parts[i].begins ? identity_ : all.number);
            }
            bundles = combined(bundles, sums[31]);
        }
        return bundles;
    }

    Number identity_;
    Combine combine_;
};

struct Scan {
    Operation operation = Operation::inclusive_scan;
    bool in_place = false;
    Reduction reduction = Reduction::sum;
    std::size_t row_length = 0;
    Offsets segments = {};

    bool is_inclusive() const {
        return operation == Operation::inclusive_scan || operation == Operation::inclusive_scan_by_key;
    }
};

/// The NaN of that sign next to infinity: the last of all keys for a minimum if it is negative, else for a maximum.
template <Key T>
T last_nan(bool is_negative) {
    constexpr int fraction_bits = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52, sign_bit = sizeof(T) * 8 - 1;
    const std::uint64_t sign = std::uint64_t{1} << sign_bit;
    return key_of<T>((sign - (std::uint64_t{1} << fraction_bits) + 1) | (is_negative ? sign : 0));
}

/// Floating-point numbers, of which runs, or rows of one length, begin there.
template <Key T>
std::vector<T> scanned(const std::vector<T>& keys, const std::vector<bool>& begins, const Scan& scan) {
    std::vector<T> all;
    if (scan.reduction != Reduction::sum) {
        const bool largest = scan.reduction == Reduction::max;
        const T identity = last_nan<T>(!largest);
        T so_far = identity;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const T before_it = begins[i] ? identity : so_far;
            const bool is_nearer = is_nan(keys[i]) != is_nan(before_it) ? is_nan(before_it)
                                   : largest                            ? before(before_it, keys[i])
                                                                        : before(keys[i], before_it);
            so_far = is_nearer ? keys[i] : before_it;
            all.push_back(scan.is_inclusive() ? so_far : before_it);
        }
        return all;
    }
    using Number = std::conditional_t<sizeof(T) == 8, double, float>;
    const std::size_t length = scan.row_length > 0 ? scan.row_length : keys.size(), tile = 4096 / sizeof(T);
    const std::size_t share = std::max<std::size_t>(((length + tile - 1) / tile + 4095) / 4096, 4) * tile;
    const Tree tree(Number{0}, std::plus<Number>());
    for (std::size_t row = 0; row < keys.size(); row += length) {
        std::vector<Part<Number>> parts;
        for (std::size_t i = row; i < row + length; ++i)
            parts.push_back({static_cast<Number>(number_of(keys[i])), scan.row_length == 0 && begins[i]});
        for (const Number sum : tree.scan(parts, 16 / sizeof(T), share, scan.is_inclusive()))
            if constexpr (std::same_as<T, half>) all.push_back(nearest_half(sum + 0));
            else all.push_back(std::isnan(sum) ? std::numeric_limits<T>::quiet_NaN() : sum + 0);
    }
    return all;
}

std::vector<bool> begins_of(const Scan& scan, std::size_t count) {
    std::vector<bool> begins(count);
    for (std::size_t i = 0; i < count; ++i)
        begins[i] = scan.row_length > 0 ? i % scan.row_length == 0 : i == 0 && scan.segments.empty();
    for (std::size_t i = 0; i + 1 < scan.segments.size(); ++i)
        if (scan.segments[i] < scan.segments[i + 1]) begins[scan.segments[i]] = true;
    return begins;
}

/// The scan of numbers of a type, or of its rows or segments. Of integers the suite's solver knows the results.
template <Key T>
Problem scan_of(const Scan& scan, const std::vector<T>& keys, std::size_t offset_bytes = 8) {
    Problem problem = problem_of({.operation = scan.operation,
                                  .in_place = scan.in_place,
                                  .row_length = scan.row_length,
                                  .offset_bytes = scan.segments.empty() ? 0 : offset_bytes,
                                  .reduction = scan.reduction},
                                 keys, scan.segments);
    if constexpr (is_floating<T>) {
        const std::size_t from = scan.segments.empty() ? 0 : scan.segments.front() * sizeof(T);
        const std::size_t to = scan.segments.empty() ? keys.size() * sizeof(T) : scan.segments.back() * sizeof(T);
        const Bytes all = bytes_of(scanned(keys, begins_of(scan, keys.size()), scan));
        Bytes& results = scan.in_place ? problem.after.keys : problem.after.results;
        std::copy(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to),
                  results.begin() + static_cast<std::ptrdiff_t>(from));
    }
    return problem;
}

template <Key T>
Problem scan_of(Operation operation, const std::vector<T>& keys, std::size_t row_length = 0, bool in_place = false) {
    return scan_of(Scan{.operation = operation, .in_place = in_place, .row_length = row_length}, keys);
}

/// The scan of values of equal keys.
template <Key K, Key V>
Problem scan_by_key_of(const Scan& scan, const std::vector<K>& keys, const std::vector<V>& values) {
    Problem problem = problem_of({.operation = scan.operation,
                                  .in_place = scan.in_place,
                                  .value_bytes = sizeof(V),
                                  .reduction = scan.reduction,
                                  .value_type = key_type_v<V>},
                                 keys, {}, bytes_of(values));
    if constexpr (is_floating<V>) {
        std::vector<bool> begins(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i)
            begins[i] = i == 0 || std::memcmp(&keys[i - 1], &keys[i], sizeof(K)) != 0;
        (scan.in_place ? problem.after.values : problem.after.result_values) = bytes_of(scanned(values, begins, scan));
    }
    return problem;
}

/// Keys of runs of so many on average, in no order.
template <Key K>
std::vector<K> keys_in_runs(std::size_t count, std::size_t average, Random& random) {
    std::vector<K> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<K> next = ordinary_keys<K>(1, random);
        keys[i] = i > 0 && random() % average > 0 ? keys[i - 1] : next[0];
    }
    return keys;
}

/// Segments that begin at borders of leaves, tiles and blocks, and beside them, some of them empty, with keys in front
/// and behind.
Offsets segments_of(std::size_t count, Random& random) {
    Offsets offsets;
    for (const std::size_t place : {1,    1,    2,    15,   16,   17,   31,   128,  511,    512,    513,    1023,
                                    1024, 2048, 4095, 4096, 4096, 4097, 8191, 8192, 16'383, 16'384, 16'385, 32'768})
        if (place < count) offsets.push_back(place);
    for (int i = 0; i < 20; ++i) offsets.push_back(1 + random() % count);
    std::ranges::sort(offsets);
    return offsets;
}

bool can(const DeviceInfo& device, KeyType type) { return type != KeyType::f64 || device.has_doubles; }

/// A graphics card of so many work-items, which every device can stand for.
DeviceInfo card_of(unsigned work_items) {
    DeviceInfo card = graphics_card();
    card.max_work_items = work_items;
    return card;
}

/// Whether a device can stand for a graphics card of so many work-items. For some kernels PoCL's compiler, which takes
/// what a processor is given, ends on an assertion of its own then, from 5.0 on.
bool stands_for_card(const DeviceInfo& device, unsigned work_items) {
    return work_items <= device.max_work_items &&
           (device.platform != "Portable Computing Language" || device.driver.starts_with("3."));
}

struct Named {
    std::uint32_t number, other, padding;
};
const Comparator by_number{.type = "named",
                           .bytes = sizeof(Named),
                           .before = "a.number < b.number",
                           .declarations = "typedef struct { uint number, other, padding; } named;"};

/// Matrices with ones on the diagonal and zeros below it, whose product is not commutative.
template <class T>
struct Triangle {
    T x, y, z;

    static Triangle identity() { return {0, 0, 0}; }
    friend Triangle combined(const Triangle& a, const Triangle& b) {
        return {static_cast<T>(a.x + b.x), static_cast<T>(a.y + b.y), static_cast<T>(a.z + b.z + a.x * b.y)};
    }
};
template <class T>
BinaryOperator product_of(const char* type) {
    return {.type = "triangle",
            .bytes = sizeof(Triangle<T>),
            .combine = "product(a, b)",
            .identity = "triangle_of(0, 0, 0)",
            .declarations =
                std::string("typedef ") + type +
                " part;\ntypedef struct { part x, y, z; } triangle;\n"
                "inline triangle triangle_of(part x, part y, part z) {\n"
                "    triangle t; t.x = x; t.y = y; t.z = z; return t;\n}\n"
                "inline triangle product(triangle a, triangle b) {\n"
                "    return triangle_of((part)(a.x + b.x), (part)(a.y + b.y), (part)(a.z + b.z + a.x * b.y));\n}"};
}
const BinaryOperator numbers_of_3_bytes = product_of<std::uint8_t>("uchar");
const BinaryOperator numbers_of_12_bytes = product_of<std::uint32_t>("uint");
const BinaryOperator numbers_of_24_bytes = product_of<std::uint64_t>("ulong");

struct Permutation {
    std::array<std::uint32_t, 16> to;

    static Permutation identity() {
        Permutation none;
        std::iota(none.to.begin(), none.to.end(), 0u);
        return none;
    }
    friend Permutation combined(const Permutation& a, const Permutation& b) {
        Permutation both;
        for (std::size_t i = 0; i < 16; ++i) both.to[i] = b.to[a.to[i]];
        return both;
    }
};
const BinaryOperator permutations{.type = "permutation",
                                  .bytes = sizeof(Permutation),
                                  .combine = "after(a, b)",
                                  .identity = "unmoved()",
                                  .declarations = R"(
typedef struct { uint to[16]; } permutation;
inline permutation unmoved(void) {
    permutation p;
    for (uint i = 0; i < 16; ++i) p.to[i] = i;
    return p;
}
inline permutation after(permutation a, permutation b) {
    permutation p;
    for (uint i = 0; i < 16; ++i) p.to[i] = b.to[a.to[i]];
    return p;
})"};

template <class T>
std::vector<T> random_elements(std::size_t count, Random& random) {
    std::vector<T> elements(count, T::identity());
    for (T& element : elements)
        if constexpr (std::same_as<T, Permutation>) std::ranges::shuffle(element.to, random);
        else
            element = {static_cast<decltype(element.x)>(random()), static_cast<decltype(element.x)>(random()),
                       static_cast<decltype(element.x)>(random())};
    return elements;
}

/// What each element and all in front of it are combined to, or all in front, one after the other: the operators here
/// give the same whatever the tree is.
template <class T>
std::vector<T> scanned_in_order(const std::vector<T>& elements, const std::vector<bool>& begins, bool inclusive) {
    std::vector<T> all;
    T so_far = T::identity();
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (begins[i]) so_far = T::identity();
        const T with_it = combined(so_far, elements[i]);
        all.push_back(inclusive ? with_it : so_far);
        so_far = with_it;
    }
    return all;
}

template <class T>
Problem scan_of(const Scan& scan, const BinaryOperator& combining, const std::vector<T>& elements) {
    const auto none_before = [](const T&, const T&) { return false; };
    const std::size_t count = elements.size();
    Problem problem =
        problem_of({.operation = scan.operation, .in_place = scan.in_place, .row_length = scan.row_length}, combining,
                   elements, none_before, scan.segments);
    const Bytes all = bytes_of(scanned_in_order(elements, begins_of(scan, count), scan.is_inclusive()));
    const bool has_segments = !scan.segments.empty();
    const auto from = static_cast<std::ptrdiff_t>((has_segments ? scan.segments.front() : 0) * sizeof(T));
    const auto to = static_cast<std::ptrdiff_t>((has_segments ? scan.segments.back() : count) * sizeof(T));
    Bytes& results = scan.in_place ? problem.after.keys : problem.after.results;
    std::copy(all.begin() + from, all.begin() + to, results.begin() + from);
    return problem;
}

/// Scans of elements, of rows and segments of them, and of those of equal keys.
template <class T>
void check_operator(Target& target, const BinaryOperator& combining, const std::vector<T>& elements) {
    Random random(seed());
    const std::size_t count = elements.size();
    for (const bool in_place : {false, true})
        for (const bool inclusive : {false, true}) {
            const Operation operation = inclusive ? Operation::inclusive_scan : Operation::exclusive_scan;
            std::vector<Scan> scans{{.operation = operation, .in_place = in_place}};
            if (count > 0)
                scans.push_back({.operation = operation, .in_place = in_place, .segments = segments_of(count, random)});
            if (count % 3 == 0)
                scans.push_back({.operation = operation, .in_place = in_place, .row_length = count / 3});
            for (const Scan& scan : scans)
                run_everywhere(target, target.sorter(), scan_of(scan, combining, elements), count % 4);
            const auto keys = keys_in_runs<std::uint16_t>(count, 70, random);
            std::vector<bool> begins(count);
            for (std::size_t i = 0; i < count; ++i) begins[i] = i == 0 || keys[i] != keys[i - 1];
            Problem problem = problem_of(
                {.operation = inclusive ? Operation::inclusive_scan_by_key : Operation::exclusive_scan_by_key,
                 .in_place = in_place,
                 .value_bytes = sizeof(T),
                 .value_type = combining},
                keys, {}, bytes_of(elements));
            (in_place ? problem.after.values : problem.after.result_values) =
                bytes_of(scanned_in_order(elements, begins, inclusive));
            run_everywhere(target, target.sorter(), problem, count % 3);
        }
}

TEST_SUITE("scan") {
    TEST_CASE("scan: keys of every type, among special values, of any number, in place and not") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                if (!can(target.info, key_type_v<T>)) return;
                for (const Operation operation : all_scans)
                    for (const std::size_t count : {1, 2, 129, 4097, 20'011}) {
                        run_everywhere(target, target.sorter(), scan_of(operation, ordinary_keys<T>(count, random)),
                                       count % 5);
                        run_everywhere(
                            target, target.sorter(),
                            scan_of(operation, make_keys<T>(Pattern::special_values, count, random), 0, true), 16);
                    }
            });
    }

    TEST_CASE("scan: the built-in device gives the same bits") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const Operation operation : all_scans)
                for (const bool in_place : {false, true}) {
                    for (const std::size_t count : {0, 1, 2, 129, 4097, 60'011})
                        run_on_host(sorter, scan_of(operation, ordinary_keys<T>(count, random), 0, in_place),
                                    count % 5);
                    for (const std::size_t length : {1, 7, 20'000})
                        run_on_host(sorter, scan_of(operation, ordinary_keys<T>(3 * length, random), length, in_place));
                }
        });
        run_on_host(sorter, scan_of(Operation::inclusive_scan, ordinary_keys<float>(1'100'003, random)));
    }

    TEST_CASE("scan: rows, of one block and of several") {
        Random random(seed());
        for (Target& target : targets())
            for (const Operation operation : all_scans)
                for (const std::size_t length : {1, 7, 64, 5001, 40'000}) {
                    const std::size_t rows = length < 100 ? 131 : 3;
                    run_everywhere(target, target.sorter(),
                                   scan_of(operation, ordinary_keys<float>(rows * length, random), length));
                    run_everywhere(
                        target, target.sorter(),
                        scan_of(operation, ordinary_keys<std::int64_t>(rows * length, random), length, true));
                }
    }

    TEST_CASE("scan: many keys, of more blocks than a tile has, from any address") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t offset : {0, 3}) {
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::exclusive_scan, ordinary_keys<float>(1'100'003, random)), offset);
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::inclusive_scan, ordinary_keys<std::uint32_t>(1'100'003, random)),
                               offset);
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::inclusive_scan, ordinary_keys<std::uint64_t>(300'003, random)),
                               offset);
            }
    }

    TEST_CASE("scan: more keys than stay in caches, past which processors store results that lie elsewhere" *
              doctest::test_suite("long")) {
        Random random(seed());
        const auto check = [&](Sorter& sorter) {
            // A little more than STREAMED_BYTES of kernels/scan/scan.h.
            const auto keys = ordinary_keys<std::uint32_t>((1 << 23) + 7, random);
            const auto wide_keys = ordinary_keys<std::int64_t>((1 << 22) + 7, random);
            const Scan of_segments{.operation = Operation::exclusive_scan,
                                   .reduction = Reduction::max,
                                   .segments = segments_of(keys.size(), random)};
            // With some of these offsets results are at a multiple of 16 bytes, with the others not.
            for (const std::size_t offset : {0, 1, 2, 3}) {
                run_on_host(sorter, scan_of(Operation::inclusive_scan, keys), offset);
                run_on_host(sorter, scan_of(of_segments, keys), offset);
                if (offset < 2) run_on_host(sorter, scan_of(Operation::exclusive_scan, wide_keys), offset);
            }
            run_on_host(sorter, scan_of({.in_place = true}, keys));
        };
        Sorter built_in(built_in_device());
        check(built_in);
        for (Target& target : targets())
            if (target.info.kind == DeviceKind::cpu) check(target.sorter());
    }

    TEST_CASE("scan: in work-groups of every size, whatever the device, with positions of either width" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide] : {std::pair{1u, true}, {8u, false}, {64u, true}, {256u, false}}) {
                if (!stands_for_card(target.info, work_items)) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                Sorter disguised = sorter_as(target.sorter(), card_of(work_items), wide);
                const std::vector<std::uint32_t> keys = ordinary_keys<std::uint32_t>(50'003, random);
                run_on_host(disguised, scan_of(Operation::inclusive_scan, keys), 1);
                run_on_host(disguised, scan_of(Operation::exclusive_scan, keys, 0, true));
                run_on_host(disguised, scan_of(Operation::exclusive_scan, ordinary_keys<float>(50'003, random)));
                const Offsets segments = segments_of(keys.size(), random);
                run_on_host(disguised, scan_of({.segments = segments}, keys), 1);
                run_on_host(disguised, scan_of({.in_place = true, .reduction = Reduction::min, .segments = segments},
                                               ordinary_keys<float>(keys.size(), random)));
                run_on_host(disguised, scan_of({.operation = Operation::exclusive_scan, .segments = segments},
                                               ordinary_keys<float>(keys.size(), random)));
                run_on_host(disguised, scan_by_key_of({.operation = Operation::inclusive_scan_by_key},
                                                      keys_in_runs<std::uint8_t>(keys.size(), 900, random),
                                                      ordinary_keys<half>(keys.size(), random)));
            }
    }

    TEST_CASE("scan: few blocks, of which each group combines those in front of its own, and one more" *
              doctest::test_suite("long")) {
        Random random(seed());
        const auto check = [&](Sorter& sorter, unsigned work_items, bool compiles) {
            CAPTURE(work_items);
            Sorter disguised = sorter_as(sorter, card_of(work_items));
            // A leaf has two blocks' sums, a bundle 64, and groups combine up to four bundles.
            const std::size_t share = 2048, most = 256;
            const auto check_launches = [&](const Problem& problem, std::size_t expected) {
                CHECK(run_on_host(disguised, problem, problem.request.count % 4).launches == expected);
            };
            for (const std::size_t blocks : {std::size_t{2}, std::size_t{3}, std::size_t{64}, std::size_t{65},
                                             std::size_t{131}, most - 1, most, most + 1}) {
                CAPTURE(blocks);
                const std::size_t count = blocks * share - (blocks % 2 == 0 ? 0 : 777), launches = 2 + (blocks > most);
                const auto keys = ordinary_keys<double>(count, random);
                const bool in_place = blocks % 3 == 0;
                for (const Operation operation : all_scans) {
                    check_launches(scan_of(operation, keys, 0, in_place), launches);
                    check_launches(
                        scan_of({.operation = operation, .in_place = in_place, .segments = segments_of(count, random)},
                                keys),
                        launches + 1);
                    check_launches(scan_of(operation, ordinary_keys<std::int64_t>(count, random), 0, true), launches);
                }
            }
            check_launches(scan_of(Operation::inclusive_scan, std::vector<double>(65 * share, -0.0)), 2);
            for (const std::size_t rows : {4, 5})
                for (const Operation operation : all_scans)
                    check_launches(scan_of(operation, ordinary_keys<double>(rows * (64 * share - 3), random),
                                           64 * share - 3, operation == Operation::exclusive_scan),
                                   rows == 4 ? 2 : 3);
            // Of 12 bytes a leaf is one block's.
            for (const std::size_t blocks : {2, 32, 33, 127, 128, 129}) {
                if (!compiles) break;
                CAPTURE(blocks);
                const std::size_t count = blocks * 1024 - (blocks % 2 == 0 ? 0 : 77), launches = 2 + (blocks > 128);
                const auto elements = random_elements<Triangle<std::uint32_t>>(count, random);
                const Operation operation = all_scans[blocks % 2];
                check_launches(scan_of({.operation = operation}, numbers_of_12_bytes, elements), launches);
                check_launches(scan_of({.operation = operation, .segments = segments_of(count, random)},
                                       numbers_of_12_bytes, elements),
                               launches + 1);
            }
        };
        Sorter built_in(built_in_device());
        check(built_in, 1, false);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            for (const unsigned work_items : {1u, 16u, 128u})
                if (stands_for_card(target.info, work_items) && can(target.info, KeyType::f64))
                    check(target.sorter(), work_items, true);
        }
    }

    TEST_CASE("scan: a group that sees nothing of those in front of it sums their keys itself" *
              doctest::test_suite("long")) {
        Random random(seed());
        const auto check = [&](Sorter& sorter, unsigned work_items) {
            Sorter disguised = sorter_as(sorter, card_of(work_items), false);
            for (const std::uint32_t tries : {0u, 1u, 1000u})
                for (const Operation operation : all_scans) {
                    const auto keys = ordinary_keys<std::uint32_t>(50'003, random);
                    run_with_tries(disguised, scan_of(operation, keys), tries);
                    run_with_tries(disguised, scan_of(operation, ordinary_keys<std::uint64_t>(20'011, random)), tries);
                    run_with_tries(disguised, scan_of(operation, ordinary_keys<std::uint8_t>(100'003, random)), tries);
                    run_with_tries(disguised, scan_of({.operation = operation, .reduction = Reduction::max}, keys),
                                   tries);
                    run_with_tries(
                        disguised,
                        scan_of({.operation = operation, .segments = segments_of(keys.size(), random)}, keys), tries);
                    run_with_tries(disguised, scan_of({.operation = operation, .segments = {0, keys.size()}}, keys),
                                   tries);
                }
        };
        Sorter built_in(built_in_device());
        check(built_in, 1);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            for (const unsigned work_items : {8u, 64u})
                if (work_items <= target.info.max_work_items) check(target.sorter(), work_items);
        }
    }

    TEST_CASE("scan: minima and maxima of every type, among special values") {
        Random random(seed());
        const auto for_each_scan = [&](auto check) {
            for_each_key_type([&]<class T>() {
                for (const Operation operation : all_scans)
                    for (const Reduction reduction : {Reduction::min, Reduction::max}) {
                        const Scan apart{.operation = operation, .reduction = reduction};
                        const Scan in_place{.operation = operation, .in_place = true, .reduction = reduction};
                        for (const std::size_t count : {1, 2, 129, 20'011}) {
                            check(scan_of(apart, make_keys<T>(Pattern::special_values, count, random)), count % 5);
                            check(scan_of(in_place, ordinary_keys<T>(count, random)), 16);
                        }
                        Scan rows = apart;
                        rows.row_length = 333;
                        check(scan_of(rows, make_keys<T>(Pattern::special_values, 3 * 333, random)), 1);
                    }
            });
        };
        const auto check_first = [](Sorter& sorter, KeyType type, auto of_minima, auto of_maxima) {
            auto key = of_minima;
            for (const auto& [reduction, wanted] :
                 {std::pair(Reduction::min, of_minima), {Reduction::max, of_maxima}}) {
                key = 0;
                sorter.exclusive_scan(Keys(&key, 1, type), {.reduction = reduction});
                CHECK(key == wanted);
            }
        };
        const auto check_every_first = [&](Sorter& sorter) {
            check_first(sorter, KeyType::f16, std::uint16_t{0xfc01}, std::uint16_t{0x7c01});
            check_first(sorter, KeyType::f32, 0xff800001u, 0x7f800001u);
            check_first(sorter, KeyType::f64, std::uint64_t{0xfff0000000000001}, std::uint64_t{0x7ff0000000000001});
        };
        Sorter built_in(built_in_device());
        check_every_first(built_in);
        for_each_scan([&](const Problem& problem, std::size_t offset) { run_on_host(built_in, problem, offset); });
        for (Target& target : targets()) {
            check_every_first(target.sorter());
            for_each_scan([&](const Problem& problem, std::size_t offset) {
                run_everywhere(target, target.sorter(), problem, offset);
            });
        }
    }

    TEST_CASE("scan: segments, which begin at every border" * doctest::test_suite("long")) {
        Random random(seed());
        const auto for_each_scan = [&](const DeviceInfo& device, auto check) {
            for_each_key_type([&]<class T>() {
                for (const Operation operation : all_scans)
                    for (const Reduction reduction : {Reduction::sum, Reduction::min, Reduction::max})
                        for (const std::size_t count : {1, 2, 40'003}) {
                            if (reduction == Reduction::sum && !can(device, key_type_v<T>)) continue;
                            const auto keys = count > 2 ? ordinary_keys<T>(count, random)
                                                        : make_keys<T>(Pattern::special_values, count, random);
                            const Scan scan{.operation = operation,
                                            .in_place = random() % 2 == 0,
                                            .reduction = reduction,
                                            .segments = segments_of(count, random)};
                            check(scan_of(scan, keys, count % 2 == 0 ? 4 : 8), count % 5);
                        }
                // One segment, and one of each key.
                const auto keys = make_keys<T>(Pattern::special_values, 9001, random);
                Offsets of_each(keys.size() + 1);
                std::iota(of_each.begin(), of_each.end(), std::uint64_t{0});
                if (!can(device, key_type_v<T>)) return;
                check(scan_of({.segments = {0, keys.size()}}, keys), 3);
                check(scan_of({.segments = of_each}, keys), 0);
                check(scan_of({.operation = Operation::exclusive_scan, .in_place = true, .segments = of_each}, keys),
                      0);
                check(scan_of({.segments = {17}}, keys), 0);
                check(scan_of({.segments = {17, 17, 17}}, keys), 0);
            });
        };
        Sorter built_in(built_in_device());
        for_each_scan(built_in.device(),
                      [&](const Problem& problem, std::size_t offset) { run_on_host(built_in, problem, offset); });
        for (Target& target : targets())
            for_each_scan(target.info, [&](const Problem& problem, std::size_t offset) {
                run_everywhere(target, target.sorter(), problem, offset);
            });
    }

    TEST_CASE("scan: values of equal keys") {
        Random random(seed());
        const auto for_each_scan = [&](const DeviceInfo& device, auto check) {
            const auto with_keys = [&]<class K>(const std::vector<K>& keys) {
                for_each_key_type([&]<class V>() {
                    for (const Operation operation :
                         {Operation::inclusive_scan_by_key, Operation::exclusive_scan_by_key})
                        for (const Reduction reduction : {Reduction::sum, Reduction::min, Reduction::max}) {
                            if (reduction == Reduction::sum && !can(device, key_type_v<V>)) continue;
                            const Scan scan{
                                .operation = operation, .in_place = random() % 2 == 0, .reduction = reduction};
                            check(scan_by_key_of(scan, keys, ordinary_keys<V>(keys.size(), random)), keys.size() % 5);
                        }
                });
            };
            with_keys(std::vector<std::uint32_t>());
            with_keys(std::vector<std::uint32_t>(1));
            with_keys(std::vector<std::uint64_t>(20'011, 7));          // one run
            with_keys(keys_in_runs<std::uint8_t>(20'002, 1, random));  // as many as there are keys, nearly
            with_keys(keys_in_runs<std::uint16_t>(33'003, 100, random));
            with_keys(keys_in_runs<double>(9004, 3000, random));  // keys are compared, not added
            with_keys(make_keys<float>(Pattern::special_values, 4097, random));
        };
        Sorter built_in(built_in_device());
        for_each_scan(built_in.device(),
                      [&](const Problem& problem, std::size_t offset) { run_on_host(built_in, problem, offset); });
        for (Target& target : targets())
            for_each_scan(target.info, [&](const Problem& problem, std::size_t offset) {
                run_everywhere(target, target.sorter(), problem, offset);
            });
    }

    TEST_CASE("scan: values of equal records") {
        Random random(seed());
        std::vector<Named> records(9001);
        for (std::size_t i = 0; i < records.size(); ++i)
            records[i] = {static_cast<std::uint32_t>(i > 0 && random() % 9 > 0 ? records[i - 1].number : random() % 50),
                          static_cast<std::uint32_t>(random()), 0};
        const auto before = [](const Named& a, const Named& b) { return a.number < b.number; };
        const auto values = bytes_of(ordinary_keys<std::int16_t>(records.size(), random));
        const Request request{
            .operation = Operation::exclusive_scan_by_key, .value_bytes = 2, .value_type = KeyType::i16};
        for (Target& target : targets())
            run_everywhere(target, target.sorter(), problem_of(request, by_number, records, before, {}, values), 1);
        std::vector<std::int16_t> found(records.size());
        const Problem problem = problem_of(request, by_number, records, before, {}, values);
        Sorter(built_in_device())
            .exclusive_scan_by_key({records, before}, {values.data(), found.size(), KeyType::i16}, found);
        CHECK(bytes_of(found) == problem.after.result_values);
    }

    TEST_CASE("scan: elements that an operator combines, in their order" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets()) {
            for (const std::size_t count : {0, 1, 33, 1025, 9001}) {
                check_operator(target, numbers_of_3_bytes, random_elements<Triangle<std::uint8_t>>(count, random));
                check_operator(target, numbers_of_24_bytes, random_elements<Triangle<std::uint64_t>>(count, random));
            }
            check_operator(target, numbers_of_12_bytes, random_elements<Triangle<std::uint32_t>>(70'001, random));
            check_operator(target, permutations, random_elements<Permutation>(3001, random));
        }
    }

    TEST_CASE("scan: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            run_everywhere(target, sorter, scan_of(Operation::exclusive_scan, std::vector<std::int32_t>()));
            std::vector<float> keys(10), sums(10);
            std::vector<double> wide(10);
            check_refused(ErrorCode::invalid_argument, "room for 9 results, but there are 10",
                          [&] { sorter.inclusive_scan(keys, std::span(sums).first(9)); });
            check_refused(ErrorCode::invalid_argument, "results have 8 bytes, but the keys have 4",
                          [&] { sorter.inclusive_scan(keys, Results(wide)); });
            check_refused(ErrorCode::invalid_argument, "no whole number of rows",
                          [&] { sorter.exclusive_scan(keys, {.row_length = 3}); });
            check_refused(ErrorCode::invalid_argument, "the keys and the results overlap",
                          [&] { sorter.inclusive_scan(std::span(keys).first(9), std::span(keys).last(9)); });
            check_refused(ErrorCode::invalid_argument, "sums, minima or maxima alone",
                          [&] { sorter.inclusive_scan(keys, {.reduction = Reduction::arg_max}); });
            const std::vector<std::uint64_t> beyond{0, 11}, backwards{5, 4};
            check_refused(ErrorCode::out_of_range, "ends at key 11, but there are 10",
                          [&] { sorter.inclusive_scan(keys, {.segments = beyond}); });
            check_refused(ErrorCode::invalid_argument, "begins at key 5 but ends at key 4",
                          [&] { sorter.inclusive_scan(keys, sums, {.segments = backwards}); });
            const std::vector<std::uint64_t> all{0, 10};
            check_refused(ErrorCode::invalid_argument, "rows and segments at once",
                          [&] { sorter.inclusive_scan(keys, {.row_length = 5, .segments = all}); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9 values",
                          [&] { sorter.inclusive_scan_by_key(keys, std::span(sums).first(9)); });
            check_refused(ErrorCode::invalid_argument, "room for 9 results",
                          [&] { sorter.inclusive_scan_by_key(keys, sums, std::span(sums).first(9)); });
            check_refused(ErrorCode::invalid_argument, "results have 8 bytes, but the values have 4",
                          [&] { sorter.exclusive_scan_by_key(keys, sums, wide); });
            check_refused(ErrorCode::invalid_argument, "the values and the results overlap",
                          [&] { sorter.exclusive_scan_by_key(keys, sums, sums); });
            std::vector<Named> records(10);
            check_refused(ErrorCode::invalid_argument, "without an operator", [&] {
                sorter.inclusive_scan({records, by_number});
            });
            std::vector<Triangle<std::uint32_t>> elements(10);
            check_refused(ErrorCode::invalid_argument, "so there is no `reduction`", [&] {
                sorter.inclusive_scan({elements, numbers_of_12_bytes}, {.reduction = Reduction::min});
            });
            check_refused(ErrorCode::invalid_argument, "does not use `binary_operator`", [&] {
                sorter.inclusive_scan_by_key({elements, numbers_of_12_bytes}, keys);
            });
            Request request{.operation = Operation::inclusive_scan, .count = 10, .order = Order::descending};
            check_refused(ErrorCode::invalid_argument, "has no order", [&] { sorter.prepare(request); });
            request = {.operation = Operation::exclusive_scan, .count = 10, .value_bytes = 4};
            check_refused(ErrorCode::invalid_argument, "does not use `values`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
