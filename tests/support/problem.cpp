// SPDX-License-Identifier: MIT
#include "problem.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>

namespace lanesort::test {
namespace {

std::uint64_t integer(const Bytes& bytes, std::size_t width, std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + i * width, width);
    return value;
}

void put_integer(Bytes& bytes, std::size_t width, std::size_t i, std::uint64_t value) {
    if (width == 0) return;  // nobody asked for it
    if ((i + 1) * width > bytes.size()) FAIL("there is no room for that in the array");
    std::memcpy(bytes.data() + i * width, &value, width);
}

/// Answers with the standard library.
class Solver {
public:
    Solver(Request request, IsBefore is_before)
        : request_(std::move(request)), key_bytes_(request_.key.bytes()), is_before_(std::move(is_before)) {}

    Contents solution(const Contents& before) const {
        Contents after = before;
        std::size_t results = 0, answers = 0;
        const auto find = [&](std::size_t i) {
            const auto copy = [&](const Bytes& all, Bytes& found, std::size_t width) {
                if ((results + 1) * width > found.size()) FAIL("there is no room for the result");
                if (width > 0) std::memcpy(found.data() + results * width, all.data() + i * width, width);
            };
            copy(before.keys, request_.in_place ? after.keys : after.results, key_bytes_);
            copy(before.values, request_.in_place ? after.values : after.result_values, request_.value_bytes);
            ++results;
        };
        for (const auto& [begin, end] : ranges_of(request_, before.segments)) {
            Places places(end - begin);
            std::iota(places.begin(), places.end(), begin);
            const auto is_before = [&](std::size_t i, std::size_t j) {
                return is_before_(key(before, i), key(before, j));
            };
            switch (request_.operation) {
                case Operation::sort:
                case Operation::merge: arrange(after, begin, order(before, begin, end, request_.stable)); break;
                case Operation::argsort: {
                    std::size_t to = begin;
                    for (const std::size_t i : order(before, begin, end, true))
                        put_integer(after.indices, request_.index_bytes, to++, i - begin);
                    break;
                }
                case Operation::top_k: {
                    const Places in_order = order(before, begin, end, true);
                    const std::uint64_t limit = request_.limited ? integer(before.limit, 8, 0) : request_.first;
                    const std::size_t first = results;
                    for (std::size_t i = 0; i < std::min({limit, request_.first, in_order.size()}); ++i) {
                        put_integer(after.indices, request_.index_bytes, results, in_order[i] - begin);
                        find(in_order[i]);
                    }
                    results = first + request_.first;
                    break;
                }
                case Operation::is_sorted:
                    put_integer(after.answers, 8, answers++, std::ranges::is_sorted(places, is_before));
                    break;
                case Operation::is_sorted_until:
                    put_integer(
                        after.answers, 8, answers++,
                        static_cast<std::uint64_t>(std::ranges::is_sorted_until(places, is_before) - places.begin()));
                    break;
                case Operation::unique:
                case Operation::run_lengths:
                    for (auto run = places.begin(), next = run; run != places.end(); run = next) {
                        const auto differs = [&](std::size_t i) { return is_before(*run, i) || is_before(i, *run); };
                        next = std::ranges::find_if(run, places.end(), differs);
                        put_integer(after.lengths, request_.length_bytes, results,
                                    static_cast<std::uint64_t>(next - run));
                        find(*run);
                    }
                    put_integer(after.answers, 8, 0, results);
                    break;
                case Operation::reduce_by_key:
                case Operation::group_by: {
                    std::vector<std::uint64_t> lengths;
                    if (request_.operation == Operation::group_by)
                        arrange(after, begin, order(before, begin, end, request_.stable));
                    for (std::size_t i = begin; i < end; ++i) {
                        const auto differs = [&](std::size_t j) {
                            return is_before_(key(after, j), key(after, i)) || is_before_(key(after, i), key(after, j));
                        };
                        if (i == begin || differs(i - 1)) {
                            std::memcpy(after.results.data() + results * key_bytes_, key(after, i), key_bytes_);
                            put_integer(after.result_values, request_.reduced_bytes(), results++, 0);
                            lengths.push_back(0);
                        }
                        put_reduced(after, results - 1, i, i == begin || differs(i - 1));
                        ++lengths.back();
                    }
                    for (std::size_t run = 0; run < results && request_.reduction == Reduction::mean; ++run)
                        put_mean(after, run, lengths[run]);
                    put_integer(after.answers, 8, 0, results);
                    break;
                }
                case Operation::transform_reduce: {
                    if (request_.key.binary_operator()) break;
                    std::uint64_t sum = 0;
                    for (const std::size_t i : places)
                        sum += extended(before.keys, i) * extended(before.second_keys, i);
                    put_integer(after.results, request_.result_bytes(), answers++, sum);
                    break;
                }
                case Operation::reduce: {
                    if (request_.key.binary_operator()) break;  // reduction_by solves this
                    std::uint64_t result = 0;
                    const std::size_t best = places.empty() ? begin : *std::ranges::min_element(places, is_before);
                    if (request_.reduction == Reduction::sum)
                        for (const std::size_t i : places) result += extended(before.keys, i);
                    else if (places.empty()) result = of_no_keys();
                    else if (request_.reduction == Reduction::min || request_.reduction == Reduction::max)
                        result = integer(before.keys, key_bytes_, best);
                    else result = best - begin;
                    put_integer(after.results, request_.result_bytes(), answers++, result);
                    break;
                }
                case Operation::select:
                case Operation::partition: {
                    const auto is_selected = [&](std::size_t i) {
                        return (before.flags[i] != std::byte{0}) != request_.inverted;
                    };
                    std::stable_partition(places.begin(), places.end(), is_selected);
                    const auto selected = static_cast<std::size_t>(std::ranges::count_if(places, is_selected));
                    places.resize(request_.operation == Operation::select ? selected : places.size());
                    std::ranges::for_each(places, find);
                    put_integer(after.answers, 8, 0, selected);
                    break;
                }
                case Operation::inclusive_scan:
                case Operation::exclusive_scan:
                    scan(before.keys, request_.in_place ? after.keys : after.results, request_.key.type(), begin, end);
                    break;
                case Operation::inclusive_scan_by_key:
                case Operation::exclusive_scan_by_key:
                    for (auto run = places.begin(), next = run; run != places.end(); run = next) {
                        // Each is compared with the one in front of it, as keys need not be in order.
                        next = std::ranges::adjacent_find(run, places.end(), [&](std::size_t i, std::size_t j) {
                            return is_before(i, j) || is_before(j, i);
                        });
                        if (next != places.end()) ++next;
                        scan(before.values, request_.in_place ? after.values : after.result_values,
                             request_.value_type.type(), *run, *run + static_cast<std::size_t>(next - run));
                    }
                    break;
                case Operation::lower_bound:
                case Operation::upper_bound:
                case Operation::equal_range:
                    for (std::size_t n = 0; n < request_.second_count; ++n) {
                        const std::byte* const needle = before.second_keys.data() + n * key_bytes_;
                        const auto lower = std::ranges::partition_point(
                            places, [&](std::size_t i) { return is_before_(key(before, i), needle); });
                        const auto upper = std::ranges::partition_point(
                            places, [&](std::size_t i) { return !is_before_(needle, key(before, i)); });
                        const auto put = [&](auto bound) {
                            put_integer(after.indices, request_.index_bytes, answers++,
                                        static_cast<std::uint64_t>(bound - places.begin()));
                        };
                        if (request_.operation != Operation::upper_bound) put(lower);
                        if (request_.operation != Operation::lower_bound) put(upper);
                    }
                    break;
                case Operation::histogram: {
                    std::vector<std::uint64_t> counts(request_.bins);
                    for (const std::size_t i : places)
                        if (const std::uint64_t bin = bin_of(before, i); bin < request_.bins) ++counts[bin];
                    for (std::size_t bin = 0; bin < counts.size(); ++bin)
                        put_integer(after.lengths, request_.length_bytes, bin, counts[bin]);
                    break;
                }
                case Operation::gather:
                case Operation::scatter:
                case Operation::permute: FAIL("problem_of_indices solves this");
            }
        }
        return after;
    }

    /// Whatever follows the first keys comes in some order.
    void settle(Contents& contents) const {
        for (const auto& [begin, end] : ranges_of(request_, contents.segments)) {
            const std::size_t rest = begin + std::min<std::uint64_t>(request_.first, end - begin);
            if (request_.operation == Operation::sort) arrange(contents, rest, order(contents, rest, end, false));
            if (request_.operation != Operation::argsort) continue;
            std::vector<std::uint64_t> found;
            for (std::size_t i = begin; i < end; ++i)
                found.push_back(integer(contents.indices, request_.index_bytes, i));
            std::sort(found.begin() + static_cast<std::ptrdiff_t>(rest - begin), found.end());
            for (std::size_t i = begin; i < end; ++i)
                put_integer(contents.indices, request_.index_bytes, i, found[i - begin]);
        }
    }
    bool needs_settling() const {
        return request_.first != all_keys &&
               (request_.operation == Operation::sort || request_.operation == Operation::argsort);
    }

private:
    using Places = std::vector<std::size_t>;

    const std::byte* key(const Contents& contents, std::size_t i) const {
        return contents.keys.data() + i * key_bytes_;
    }

    static std::uint64_t extended(std::uint64_t bits, KeyType type) {
        const std::uint64_t sign = std::uint64_t{1} << (key_bytes(type) * 8 - 1);
        using enum KeyType;
        return type == i8 || type == i16 || type == i32 || type == i64 ? (bits ^ sign) - sign : bits;
    }

    /// Scans elements begin .. end - 1. Of integers alone: of others the caller knows the results.
    void scan(const Bytes& from, Bytes& to, KeyType type, std::size_t begin, std::size_t end) const {
        const bool is_inclusive =
            request_.operation == Operation::inclusive_scan || request_.operation == Operation::inclusive_scan_by_key;
        if (request_.key.binary_operator() || request_.value_type.binary_operator()) return;
        const bool is_signed = extended(~std::uint64_t{0} >> (64 - key_bytes(type) * 8), type) == ~std::uint64_t{0} &&
                               type != KeyType::u64;
        const std::uint64_t half = std::uint64_t{1} << (key_bytes(type) * 8 - 1);
        const std::uint64_t largest = is_signed ? half - 1 : half - 1 + half, least = is_signed ? half : 0;
        std::uint64_t so_far = request_.reduction == Reduction::min   ? extended(largest, type)
                               : request_.reduction == Reduction::max ? extended(least, type)
                                                                      : 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t value = extended(integer(from, key_bytes(type), i), type), before_it = so_far;
            const bool is_less =
                is_signed ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(so_far) : value < so_far;
            if (request_.reduction == Reduction::sum) so_far += value;
            else if (is_less == (request_.reduction == Reduction::min)) so_far = value;
            put_integer(to, key_bytes(type), i, is_inclusive ? so_far : before_it);
        }
    }

    /// An integer in 64 bits.
    std::uint64_t extended(const Bytes& keys, std::size_t i) const {
        return extended(integer(keys, key_bytes_, i), request_.key.type());
    }

    /// The smallest and the largest key of none, and where they are.
    std::uint64_t of_no_keys() const {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * key_bytes_), sign = all ^ (all >> 1);
        using enum KeyType;
        const KeyType type = request_.key.type();
        const bool is_min = request_.reduction == Reduction::min;
        if (request_.reduction != Reduction::max && !is_min) return ~std::uint64_t{0};
        if (type == f16 || type == f32 || type == f64) {
            const std::uint64_t infinity = type == f16 ? 0x7c00 : type == f32 ? 0x7f800000 : 0x7ff0000000000000;
            return (is_min ? sign : 0) | (infinity + 1);
        }
        const bool is_signed = type == i8 || type == i16 || type == i32 || type == i64;
        return (is_min ? all : 0) ^ (is_signed ? sign : 0);
    }

    /// Combines the value of an element with those of a run that was reduced so far. Of integers alone.
    void put_reduced(Contents& contents, std::size_t run, std::size_t i, bool is_first) const {
        const std::size_t width = request_.value_bytes, reduced = request_.reduced_bytes();
        using enum KeyType;
        const KeyType type = request_.value_type.type();
        const bool is_signed = type == i8 || type == i16 || type == i32 || type == i64;
        const auto extend = [&](std::uint64_t bits, std::size_t bytes) {
            const std::uint64_t sign = std::uint64_t{1} << (bytes * 8 - 1);
            return is_signed ? (bits ^ sign) - sign : bits;
        };
        const std::uint64_t value = extend(integer(contents.values, width, i), width);
        const std::uint64_t so_far = extend(integer(contents.result_values, reduced, run), reduced);
        const bool is_less =
            is_signed ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(so_far) : value < so_far;
        const bool takes = is_first || (request_.reduction == Reduction::min ? is_less : !is_less);
        put_integer(contents.result_values, reduced, run,
                    request_.reduction == Reduction::count  ? so_far + 1
                    : request_.reduction == Reduction::sum  ? so_far + value
                    : request_.reduction == Reduction::mean ? so_far + value
                    : takes                                 ? value
                                                            : so_far);
    }

    /// Makes a mean of a sum of integers: the nearest f64.
    void put_mean(Contents& contents, std::size_t run, std::uint64_t count) const {
        const std::uint64_t bits = integer(contents.result_values, request_.reduced_bytes(), run);
        using enum KeyType;
        const KeyType type = request_.value_type.type();
        if (request_.reduced_bytes() != 8 || type == f64) return;  // of those the caller knows the tree
        const bool is_signed = type == i8 || type == i16 || type == i32 || type == i64;
        // Sums of 64 bits have more than an f64 has: of it and its neighbours the one whose product is nearest.
        const long double sum =
            is_signed ? static_cast<long double>(static_cast<std::int64_t>(bits)) : static_cast<long double>(bits);
        const auto distance = [&](double mean) {
            return std::fabs(std::fma(static_cast<long double>(mean), static_cast<long double>(count), -sum));
        };
        double mean = static_cast<double>(sum / static_cast<long double>(count));
        for (const double other : {std::nextafter(mean, -HUGE_VAL), std::nextafter(mean, HUGE_VAL)})
            if (distance(other) < distance(mean) ||
                (distance(other) == distance(mean) && (std::bit_cast<std::uint64_t>(other) & 1) == 0))
                mean = other;
        put_integer(contents.result_values, 8, run, std::bit_cast<std::uint64_t>(mean));
    }

    /// The bin of a key, or a larger number if it is in none.
    std::uint64_t bin_of(const Contents& contents, std::size_t i) const {
        if (request_.bounded) {
            std::uint64_t starts = 0;
            for (std::uint64_t step = std::bit_floor(request_.bins + 1); step > 0; step /= 2)
                if (starts + step <= request_.bins + 1 &&
                    !is_before_(key(contents, i), contents.second_keys.data() + (starts + step - 1) * key_bytes_))
                    starts += step;
            return starts - 1;
        }
        const auto evenly = [&]<class T>(T) -> std::uint64_t {
            T of_key, lower, upper;
            std::memcpy(static_cast<void*>(&of_key), key(contents, i), sizeof(T));
            std::memcpy(static_cast<void*>(&lower), &request_.lower, sizeof(T));
            std::memcpy(static_cast<void*>(&upper), &request_.upper, sizeof(T));
            if constexpr (is_floating<T>) {
                using Number = std::conditional_t<sizeof(T) == 8, double, float>;
                const auto x = static_cast<Number>(number_of(of_key)), first = static_cast<Number>(number_of(lower)),
                           last = static_cast<Number>(number_of(upper));
                if (!(first <= x && x <= last)) return request_.bins;
                const Number width = last - first, factor = static_cast<Number>(request_.bins) / width,
                             distance = x - first, place = distance * factor;
                return std::min(static_cast<std::uint64_t>(place), request_.bins - 1);
            } else {
                __extension__ typedef __int128 Integer;
                if (of_key < lower || of_key > upper) return request_.bins;
                const Integer width = Integer{upper} - lower + 1;
                // With a distance of 64 bits, and bins of 30, the product has 94.
                return static_cast<std::uint64_t>((Integer{of_key} - lower) * static_cast<Integer>(request_.bins) /
                                                  width);
            }
        };
        std::uint64_t bin = request_.bins;
        for_each_key_type([&]<class T>() {
            if (request_.key.type() == key_type_v<T>) bin = evenly(T{});
        });
        return bin;
    }

    /// The places of a range in the order of their elements.
    Places order(const Contents& contents, std::size_t begin, std::size_t end, bool stable) const {
        Places places(end - begin);
        std::iota(places.begin(), places.end(), begin);
        std::ranges::stable_sort(places, [&](std::size_t i, std::size_t j) {
            const std::byte *a = key(contents, i), *b = key(contents, j);
            if (is_before_(a, b)) return true;
            if (stable || is_before_(b, a)) return false;
            if (const int by_bits = compare_bits(a, b)) return by_bits < 0;
            return value_before(contents, i, j);
        });
        return places;
    }

    /// The words by which records are compared when their order does not decide (Comparator).
    int compare_bits(const std::byte* a, const std::byte* b) const {
        const std::size_t word = std::min<std::size_t>(key_bytes_ & (~key_bytes_ + 1), 8);
        for (std::size_t i = 0; i < key_bytes_; i += word) {
            std::uint64_t x = 0, y = 0;
            std::memcpy(&x, a + i, word);
            std::memcpy(&y, b + i, word);
            if (x != y) return x < y ? -1 : 1;
        }
        return 0;
    }

    /// As little-endian integers.
    bool value_before(const Contents& contents, std::size_t i, std::size_t j) const {
        const std::size_t width = request_.value_bytes;
        const auto last = [&](std::size_t k) {
            return std::reverse_iterator(contents.values.data() + (k + 1) * width);
        };
        const auto bytes = static_cast<std::ptrdiff_t>(width);
        return std::lexicographical_compare(last(i), last(i) + bytes, last(j), last(j) + bytes);
    }

    /// Puts the keys and values of these places at that one and behind it.
    void arrange(Contents& contents, std::size_t begin, const Places& places) const {
        const auto arrange_array = [&](Bytes& array, std::size_t width) {
            const Bytes old = array;
            for (std::size_t i = 0; i < places.size(); ++i)
                std::memcpy(array.data() + (begin + i) * width, old.data() + places[i] * width, width);
        };
        arrange_array(contents.keys, key_bytes_);
        if (request_.value_bytes > 0) arrange_array(contents.values, request_.value_bytes);
    }

    Request request_;
    std::size_t key_bytes_;
    IsBefore is_before_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> ranges_of(const Request& request, const Bytes& segments) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    if (request.has_segments())
        for (std::size_t i = 0; i < request.segments; ++i)
            all.emplace_back(integer(segments, request.offset_bytes, i),
                             integer(segments, request.offset_bytes, i + 1));
    else if (request.row_length > 0)
        for (std::size_t begin = 0; begin < request.count; begin += request.row_length)
            all.emplace_back(begin, begin + request.row_length);
    else all.emplace_back(0, request.count);
    return all;
}

const BinaryOperator composition{.type = "affine",
                                 .bytes = sizeof(Affine),
                                 .combine = "composed(a, b)",
                                 .identity = "affine_of(1, 0)",
                                 .declarations = R"(
typedef struct { uint factor, term; } affine;
inline affine affine_of(uint factor, uint term) { affine x; x.factor = factor; x.term = term; return x; }
inline affine composed(affine a, affine b) { return affine_of(a.factor * b.factor, a.term * b.factor + b.term); }
)"};
const BinaryOperator composition_of_pairs{.type = composition.type,
                                          .bytes = composition.bytes,
                                          .combine = composition.combine,
                                          .identity = composition.identity,
                                          .declarations = composition.declarations,
                                          .transform = "composed(a, b)"};

std::vector<Affine> random_maps(std::size_t count, Random& random) {
    std::vector<Affine> maps(count);
    // Odd factors, or nothing would be left of the first maps.
    for (Affine& map : maps) map = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
    return maps;
}

Bytes other_bytes(std::size_t count) {
    Bytes bytes(count);
    constexpr std::size_t period = 251;
    for (std::size_t i = 0; i < std::min(count, period); ++i) bytes[i] = static_cast<std::byte>(i + 3);
    for (std::size_t i = period; i < count; i += period)
        std::copy_n(bytes.begin(), std::min(count - i, period), bytes.begin() + static_cast<std::ptrdiff_t>(i));
    return bytes;
}

Problem problem_of_bytes(Request request, Bytes keys, IsBefore is_before, const Offsets& segments, Bytes values,
                         std::uint64_t limit, Bytes second) {
    const std::size_t count = request.count = keys.size() / request.key.bytes();
    Contents before;
    before.keys = std::move(keys);
    const bool searches = request.operation >= Operation::lower_bound && request.operation <= Operation::equal_range;
    const bool bins = request.operation == Operation::histogram;
    if (searches) request.second_count = second.size() / request.key.bytes();
    before.second_keys = std::move(second);
    before.values = std::move(values);
    if (!segments.empty()) {
        if (request.offset_bytes == 0) request.offset_bytes = 8;
        request.segments = segments.size() - 1;
        for (std::size_t i = 1; i < segments.size(); ++i)
            request.longest = std::max(request.longest, segments[i] - segments[i - 1]);
        before.segments.resize(segments.size() * request.offset_bytes);
        for (std::size_t i = 0; i < segments.size(); ++i)
            put_integer(before.segments, request.offset_bytes, i, segments[i]);
    }
    if (before.values.empty()) {
        Random random(seed());
        before.values.resize(count * request.value_bytes);
        for (std::byte& byte : before.values) byte = static_cast<std::byte>(random() % 3);
    }
    const bool selects = request.operation == Operation::top_k;
    const bool reduces_runs = request.operation == Operation::reduce_by_key || request.operation == Operation::group_by;
    const bool finds =
        request.operation == Operation::unique || request.operation == Operation::run_lengths || reduces_runs;
    const bool tests = request.operation == Operation::is_sorted || request.operation == Operation::is_sorted_until;
    const bool multiplies = request.operation == Operation::transform_reduce;
    const bool reduces = request.operation == Operation::reduce || multiplies;
    if (multiplies && before.second_keys.empty()) before.second_keys = before.keys;
    const bool parts = request.operation == Operation::select || request.operation == Operation::partition;
    const bool scans = request.operation == Operation::inclusive_scan || request.operation == Operation::exclusive_scan;
    const std::size_t results = reduces                                          ? request.ranges()
                                : selects                                        ? request.ranges() * request.first
                                : (finds || scans || parts) && !request.in_place ? count
                                                                                 : 0;
    const bool scans_values =
        request.operation == Operation::inclusive_scan_by_key || request.operation == Operation::exclusive_scan_by_key;
    before.results = other_bytes(results * request.result_bytes());
    before.result_values = other_bytes(scans_values   ? (request.in_place ? 0 : count * request.value_bytes)
                                       : reduces_runs ? results * request.reduced_bytes()
                                                      : results * request.value_bytes);
    const std::size_t places = request.operation == Operation::equal_range ? 2 : 1;
    before.indices = other_bytes((selects    ? results
                                  : searches ? request.second_count * places
                                             : count) *
                                 request.index_bytes);
    before.lengths = other_bytes((bins ? request.bins : count) * request.length_bytes);
    if (request.limited) {
        before.limit.resize(8);
        put_integer(before.limit, 8, 0, limit);
    }
    before.answers = other_bytes(tests ? request.row_count() * 8 : finds || parts ? 8 : 0);
    if (parts) {
        Random random(seed());
        before.flags.resize(count);
        for (std::byte& flag : before.flags) flag = static_cast<std::byte>(random() % 2 * random());
    }

    const Solver solver(request, std::move(is_before));
    Problem problem{request, before, solver.solution(before)};
    if (solver.needs_settling()) problem.settle = [solver](Contents& contents) { solver.settle(contents); };
    return problem;
}

Problem problem_of_indices(Request request, std::uint64_t count, Bytes values,
                           const std::vector<std::uint64_t>& indices) {
    const std::size_t width = request.value_bytes;
    request.count = count;
    Contents before;
    before.values = std::move(values);
    before.indices.resize(indices.size() * request.index_bytes);
    for (std::size_t i = 0; i < indices.size(); ++i) put_integer(before.indices, request.index_bytes, i, indices[i]);
    if (request.operation != Operation::permute) {
        request.second_count = indices.size();
        before.result_values = other_bytes((request.operation == Operation::gather ? indices.size() : count) * width);
    }
    Contents after = before;
    Bytes& to = request.operation == Operation::permute ? after.values : after.result_values;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const bool scatters = request.operation == Operation::scatter;
        const std::size_t place = (scatters ? indices[i] : i) * width, source = (scatters ? i : indices[i]) * width;
        if (indices[i] < count) std::memcpy(to.data() + place, before.values.data() + source, width);
        else if (!scatters) std::memset(to.data() + place, 0, width);
    }
    return {request, before, after};
}

Problem apart(Problem problem) {
    problem.request.apart = true;
    const auto take_apart = [&](Bytes Contents::*first, Bytes Contents::*second, Bytes Contents::*merged,
                                std::size_t width) {
        if (problem.request.operation == Operation::sort) {
            problem.before.*merged = other_bytes((problem.before.*first).size());
            problem.after.*merged = std::exchange(problem.after.*first, problem.before.*first);
            return;
        }
        Bytes &all = problem.before.*first, &rest = problem.before.*second;
        const auto middle =
            all.begin() + static_cast<std::ptrdiff_t>(std::min(problem.request.middle * width, all.size()));
        rest.assign(middle, all.end());
        problem.before.*merged = other_bytes(all.size());
        all.erase(middle, all.end());
        problem.after.*merged = std::exchange(problem.after.*first, all);
        problem.after.*second = rest;
    };
    take_apart(&Contents::keys, &Contents::second_keys, &Contents::results, problem.request.key.bytes());
    take_apart(&Contents::values, &Contents::second_values, &Contents::result_values, problem.request.value_bytes);
    if (problem.settle)
        problem.settle = [settle = problem.settle](Contents& contents) {
            Contents merged;
            merged.keys.swap(contents.results);
            merged.values.swap(contents.result_values);
            settle(merged);
            merged.keys.swap(contents.results);
            merged.values.swap(contents.result_values);
        };
    return problem;
}

std::vector<NamedProblem> problems_of_every_operation(std::size_t count, Random& random) {
    std::vector<NamedProblem> all;
    const auto add = [&](const std::string& name, const Request& request, const Offsets& segments = {}) {
        std::vector<std::uint32_t> keys(request.row_length > 0 ? count / request.row_length * request.row_length
                                                               : count);
        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % (count + 1));
        if (request.operation > Operation::top_k) std::ranges::sort(keys);
        if (request.operation == Operation::merge) sort_two(keys, request.middle, std::less<>());
        all.push_back({name, problem_of(request, keys, segments)});
    };
    const std::size_t few = std::min<std::size_t>(count, 5), most = count - count / 4, third = count / 3;
    add("sort", {});
    add("sort of the first keys", {.first = few});
    add("sort of rows", {.row_length = third});
    add("sort of pairs", {.value_bytes = 4});
    const auto add_apart = [&](const std::string& name, const Request& request, const Offsets& segments = {}) {
        add(name + " to another place", request, segments);
        all.back().problem = apart(all.back().problem);
    };
    add_apart("sort", {});
    add_apart("sort of the first keys", {.first = few});
    add_apart("sort of pairs in rows", {.row_length = third, .value_bytes = 4});
    add_apart("stable sort of pairs", {.stable = true, .value_bytes = 4});
    add_apart("sort of pairs in segments", {.value_bytes = 4}, {1, third, third, count - count / 8});
    add("stable sort of pairs in segments", {.stable = true, .value_bytes = 4}, {0, third, third, count});
    add("argsort", {.operation = Operation::argsort, .index_bytes = 4});
    add("merge", {.operation = Operation::merge, .middle = third});
    add("stable merge of pairs", {.operation = Operation::merge, .stable = true, .middle = third, .value_bytes = 4});
    all.push_back({"stable merge of pairs that lie apart", apart(all.back().problem)});
    add("selection of few", {.operation = Operation::top_k, .order = Order::descending, .first = few});
    add("selection of few with indices",
        {.operation = Operation::top_k, .order = Order::descending, .first = few, .index_bytes = 4});
    add("selection of most with indices", {.operation = Operation::top_k, .first = most, .index_bytes = 4});
    add("selection of rows", {.operation = Operation::top_k, .row_length = third, .first = third});
    add("selection of values", {.operation = Operation::top_k, .first = few, .value_bytes = 4});
    add("selection of values of segments", {.operation = Operation::top_k, .first = few, .value_bytes = 16},
        {0, third, third, count});
    add("selection of as many as are wanted", {.operation = Operation::top_k, .limited = true, .first = few});
    add("selection with NaN last", {.operation = Operation::top_k, .nan_last = true, .first = few});
    add("order", {.operation = Operation::is_sorted});
    add("keys in order", {.operation = Operation::is_sorted_until});
    add("distinct keys", {.operation = Operation::unique});
    add("distinct keys in place", {.operation = Operation::unique, .in_place = true});
    add("distinct pairs", {.operation = Operation::unique, .value_bytes = 4});
    add("distinct pairs in place", {.operation = Operation::unique, .in_place = true, .value_bytes = 4});
    add("lengths of runs", {.operation = Operation::run_lengths, .length_bytes = 4});
    add("sums of equal keys", {.operation = Operation::reduce_by_key, .value_bytes = 4});
    add("largest values of equal keys", {.operation = Operation::reduce_by_key,
                                         .value_bytes = 2,
                                         .reduction = Reduction::max,
                                         .value_type = KeyType::i16});
    add("numbers of equal keys", {.operation = Operation::reduce_by_key,
                                  .value_bytes = 1,
                                  .reduction = Reduction::count,
                                  .value_type = KeyType::u8});
    add("means of equal keys", {.operation = Operation::reduce_by_key, .value_bytes = 4, .reduction = Reduction::mean});
    add("groups", {.operation = Operation::group_by, .value_bytes = 4, .value_type = KeyType::i32});
    add("sum", {.operation = Operation::reduce});
    add("sum of squares", {.operation = Operation::transform_reduce});
    add("sums of squares of rows", {.operation = Operation::transform_reduce, .row_length = third});
    add("smallest keys of rows", {.operation = Operation::reduce, .row_length = third, .reduction = Reduction::min});
    add("place of the smallest key", {.operation = Operation::reduce, .reduction = Reduction::arg_min});
    add("sums of segments", {.operation = Operation::reduce}, {1, third, third, count});
    add("smallest keys of segments", {.operation = Operation::reduce, .reduction = Reduction::min},
        {0, third, third, count});
    add("sums of squares of segments", {.operation = Operation::transform_reduce}, {0, third, third, count});
    const std::vector<Affine> maps = random_maps(count, random), others = random_maps(count, random);
    all.push_back({"composition", reduction_by({}, composition, maps, {1, 0}, composed)});
    all.push_back(
        {"compositions of segments", reduction_by({}, composition, maps, {1, 0}, composed, {1, third, third, count})});
    if (count > 0)
        all.push_back({"composition of pairs",
                       reduction_by({}, composition_of_pairs, maps, {1, 0}, composed, {}, others, composed)});
    add("selected keys", {.operation = Operation::select});
    add("keys that are not selected, with values",
        {.operation = Operation::select, .inverted = true, .value_bytes = 4});
    add("partition of pairs", {.operation = Operation::partition, .value_bytes = 2});
    add("scan", {.operation = Operation::inclusive_scan});
    add("exclusive scan of rows", {.operation = Operation::exclusive_scan, .row_length = third});
    add("exclusive scan in place", {.operation = Operation::exclusive_scan, .in_place = true});
    add("scan of minima", {.operation = Operation::inclusive_scan, .reduction = Reduction::min});
    add("exclusive scan of segments", {.operation = Operation::exclusive_scan}, {1, third, third, count - count / 8});
    add("scan of maxima of segments in place",
        {.operation = Operation::inclusive_scan, .in_place = true, .reduction = Reduction::max}, {0, third, count});
    add("scan of values of equal keys", {.operation = Operation::inclusive_scan_by_key, .value_bytes = 4});
    add("exclusive scan of smallest values of equal keys in place", {.operation = Operation::exclusive_scan_by_key,
                                                                     .in_place = true,
                                                                     .value_bytes = 2,
                                                                     .reduction = Reduction::min,
                                                                     .value_type = KeyType::i16});
    std::vector<std::uint32_t> needles(count), bounds(few + 1);
    for (std::uint32_t& needle : needles) needle = static_cast<std::uint32_t>(random() % (count + 1));
    for (std::uint32_t& bound : bounds) bound = static_cast<std::uint32_t>(random() % (count + 1));
    std::ranges::sort(bounds);
    const auto add_second = [&](const std::string& name, Request request, const std::vector<std::uint32_t>& second) {
        std::vector<std::uint32_t> keys(count);
        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % (count + 1));
        std::ranges::sort(keys);
        all.push_back({name, problem_of(request, keys, {}, {}, 0, bytes_of(second))});
    };
    add_second("places of keys", {.operation = Operation::lower_bound, .index_bytes = 4}, needles);
    add_second("ranges of equal keys", {.operation = Operation::equal_range, .index_bytes = 8}, needles);
    if (few > 0) {
        const auto last = static_cast<std::uint32_t>(count);
        add_second("even bins", {.operation = Operation::histogram, .length_bytes = 4, .bins = few, .upper = last}, {});
        add_second("wide counts", {.operation = Operation::histogram, .length_bytes = 8, .bins = few, .upper = last},
                   {});
        add_second("bins between keys",
                   {.operation = Operation::histogram, .length_bytes = 4, .bins = few, .bounded = true}, bounds);
    }
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::ranges::shuffle(order, random);
    for (const auto& [name, operation] : {std::pair{"gathered values", Operation::gather},
                                          {"scattered values", Operation::scatter},
                                          {"permuted values", Operation::permute}})
        all.push_back({name, problem_of_indices({.operation = operation, .value_bytes = 4, .index_bytes = 4}, count,
                                                other_bytes(4 * count), order)});
    return all;
}

}  // namespace lanesort::test
