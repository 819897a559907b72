// Sorts of records in the caller's order, stable sorts, and sorts of ragged segments, alone and together.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "error_support.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

struct Particle {
    float score;
    std::uint32_t id;
    std::uint32_t group;
};
const Comparator by_score_and_id{.type = "particle",
                                 .bytes = sizeof(Particle),
                                 .before = "a.score > b.score || (a.score == b.score && a.id < b.id)",
                                 .declarations = "typedef struct { float score; uint id; uint group; } particle;"};
bool before(const Particle& a, const Particle& b) { return a.score > b.score || (a.score == b.score && a.id < b.id); }
Particle random_record(Random& random, Particle) {
    return {static_cast<float>(random() % 5), static_cast<std::uint32_t>(random() % 3),
            static_cast<std::uint32_t>(random() % 4)};
}

struct Wide {
    std::array<std::uint64_t, 8> words;
};
const Comparator by_last_word{.type = "struct wide",
                              .bytes = sizeof(Wide),
                              .before = "rank(a) <\n    rank(b)",
                              .declarations =
                                  "struct wide { ulong words[8]; };\n"
                                  "static ulong rank(struct wide w) { return w.words[7]; }"};
bool before(const Wide& a, const Wide& b) { return a.words[7] < b.words[7]; }
Wide random_record(Random& random, Wide) {
    Wide wide{};
    for (std::uint64_t& word : wide.words) word = random() % 2;
    return wide;
}

struct Colour {
    std::uint8_t red, green, blue;
};
const Comparator by_blue{.type = "colour",
                         .bytes = sizeof(Colour),
                         .before = "a.blue < b.blue",
                         .declarations = "typedef struct { uchar red, green, blue; } colour;"};
bool before(const Colour& a, const Colour& b) { return a.blue < b.blue; }
Colour random_record(Random& random, Colour) {
    return {static_cast<std::uint8_t>(random() % 2), static_cast<std::uint8_t>(random() % 3),
            static_cast<std::uint8_t>(random() % 4)};
}

/// Numbers in an order that is not the library's.
const Comparator by_last_digit{.type = "int", .bytes = 4, .before = "a % 10 < b % 10"};
bool before(std::int32_t a, std::int32_t b) { return a % 10 < b % 10; }
std::int32_t random_record(Random& random, std::int32_t) { return static_cast<std::int32_t>(random() % 1000); }

/// Where rows or segments begin, and where the last one ends.
using Offsets = std::vector<std::uint64_t>;

Offsets ragged(std::size_t segments, std::size_t longest, Random& random) {
    Offsets offsets{random() % 5};
    for (std::size_t i = 0; i < segments; ++i) {
        // Empty ones, and those that fill all of a power of two, are where mistakes show.
        const std::uint64_t lengths[] = {0, 1, longest, random() % (longest + 1), random() % (longest + 1)};
        offsets.push_back(offsets.back() + lengths[random() % std::size(lengths)]);
    }
    return offsets;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The words by which records are compared when their order does not decide (kernels/elements.h).
template <class T>
bool bits_before(const T& a, const T& b) {
    constexpr std::size_t word =
        sizeof(T) & (~sizeof(T) + 1) & 15 ? std::min<std::size_t>(sizeof(T) & (~sizeof(T) + 1), 8) : 8;
    for (std::size_t i = 0; i < sizeof(T); i += word) {
        std::uint64_t x = 0, y = 0;
        std::memcpy(&x, reinterpret_cast<const char*>(&a) + i, word);
        std::memcpy(&y, reinterpret_cast<const char*>(&b) + i, word);
        if (x != y) return x < y;
    }
    return false;
}

/// Elements whose keys are of type T, in any order that `before` gives, with all that a sort can do to them.
template <class T, class Before>
struct Problem {
    std::vector<T> keys;
    std::vector<std::uint16_t> values;
    Offsets offsets;
    Before is_before;

    /// The order of indices in each segment; elsewhere they stay.
    template <class Less>
    std::vector<std::uint64_t> order(Less less) const {
        std::vector<std::uint64_t> indices(keys.size());
        std::iota(indices.begin(), indices.end(), 0);
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
            std::stable_sort(indices.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                             indices.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]), less);
        return indices;
    }
    std::vector<std::uint64_t> stable_order() const {
        return order([&](std::uint64_t i, std::uint64_t j) { return is_before(keys[i], keys[j]); });
    }
    std::vector<std::uint64_t> order_by_bits(bool with_values) const {
        return order([&](std::uint64_t i, std::uint64_t j) {
            if (is_before(keys[i], keys[j]) || is_before(keys[j], keys[i])) return is_before(keys[i], keys[j]);
            if (bits_before(keys[i], keys[j]) || bits_before(keys[j], keys[i])) return bits_before(keys[i], keys[j]);
            return with_values && values[i] < values[j];
        });
    }
    template <class V>
    static std::vector<V> permuted(const std::vector<V>& items, const std::vector<std::uint64_t>& indices) {
        std::vector<V> result;
        for (const std::uint64_t i : indices) result.push_back(items[i]);
        return result;
    }
    /// Indices from the first of each segment on; `outside` elsewhere.
    std::vector<std::uint32_t> indices_in_segments(std::uint32_t outside) const {
        const std::vector<std::uint64_t> all = stable_order();
        std::vector<std::uint32_t> result(all.size(), outside);
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
            for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i)
                result[i] = static_cast<std::uint32_t>(all[i] - offsets[s]);
        return result;
    }
    std::uint64_t longest() const {
        std::uint64_t longest = 0;
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) longest = std::max(longest, offsets[s + 1] - offsets[s]);
        return longest;
    }
};

template <class T, class Before>
Problem(std::vector<T>, std::vector<std::uint16_t>, Offsets, Before) -> Problem<T, Before>;

template <class T>
auto random_records(std::size_t count, Offsets offsets, Random& random) {
    Problem problem{std::vector<T>(), std::vector<std::uint16_t>(), std::move(offsets),
                    [](const T& a, const T& b) { return before(a, b); }};
    for (std::size_t i = 0; i < count; ++i) {
        problem.keys.push_back(random_record(random, T{}));
        problem.values.push_back(static_cast<std::uint16_t>(random() % 7));
    }
    return problem;
}

/// All sorts of host ranges. `whole`: the problem is one range, without segments.
template <class T, class Before>
void check_host_range(Sorter& sorter, const Problem<T, Before>& problem, const KeyKind& kind, bool whole) {
    SortOptions options;
    if (!whole) options.segments = problem.offsets;
    const std::size_t count = problem.keys.size();
    for (const bool stable : {false, true}) {
        CAPTURE(stable);
        options.stable = stable;
        const auto order = [&](bool with_values) {
            return stable ? problem.stable_order() : problem.order_by_bits(with_values);
        };
        std::vector<T> keys = problem.keys;
        sorter.sort({keys.data(), count, kind}, options);
        REQUIRE(same_bytes(keys, problem.permuted(problem.keys, order(false))));

        keys = problem.keys;
        std::vector<std::uint16_t> values = problem.values;
        const SortReport report = sorter.sort_by_key({keys.data(), count, kind}, {values.data(), count, 2}, options);
        REQUIRE(same_bytes(keys, problem.permuted(problem.keys, order(true))));
        REQUIRE(values == problem.permuted(problem.values, order(true)));
        if (sorter.device().host_unified_memory && problem.longest() > 1)
            CHECK(report.device_bytes == (stable ? count * 4 : 0));
    }
    const std::vector<T> keys = problem.keys;
    std::vector<std::uint32_t> indices(count);
    sorter.argsort({keys.data(), count, kind}, {indices.data(), count, 4}, options);
    const std::vector<std::uint32_t> expected = problem.indices_in_segments(0);
    for (std::size_t s = 0; s + 1 < problem.offsets.size(); ++s)
        for (std::uint64_t i = problem.offsets[s]; i < problem.offsets[s + 1]; ++i) REQUIRE(indices[i] == expected[i]);
    REQUIRE(same_bytes(keys, problem.keys));
}

/// All sorts of device memory, in which keys, values and offsets lie one after the other with others around them.
template <class T, class Before, class Offset>
void check_device_memory(const Target& target, Sorter& sorter, const Problem<T, Before>& problem, const KeyKind& kind,
                         bool whole, Offset) {
    constexpr std::size_t zone = 64;
    const std::size_t count = problem.keys.size();
    const auto up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; };
    Range range{3, count, kind};
    const Values values{up((3 + count) * sizeof(T) + zone, 2), 2};
    const Values indices{up((values.offset + count) * 2 + zone, 4), 4};
    const std::size_t first_offset = up((indices.offset + count) * 4 + zone, sizeof(Offset));
    Bytes memory((first_offset + problem.offsets.size()) * sizeof(Offset) + zone, std::byte{0x5a});
    const auto put = [&](Bytes& bytes, std::size_t at, const auto& items) {
        if (!items.empty()) std::memcpy(bytes.data() + at, items.data(), items.size() * sizeof(items[0]));
    };
    put(memory, 3 * sizeof(T), problem.keys);
    put(memory, values.offset * 2, problem.values);
    put(memory, first_offset * sizeof(Offset), std::vector<Offset>(problem.offsets.begin(), problem.offsets.end()));
    if (!whole) range.segments = {first_offset, problem.offsets.size() - 1, problem.longest(), sizeof(Offset)};

    for (const bool stable : {false, true}) {
        CAPTURE(stable);
        range.stable = stable;
        const auto on_device = target.memory(memory);
        Bytes expected = memory;
        const auto order = stable ? problem.stable_order() : problem.order_by_bits(true);
        put(expected, 3 * sizeof(T), problem.permuted(problem.keys, order));
        put(expected, values.offset * 2, problem.permuted(problem.values, order));
        const SortReport report = on_device->enqueue_sort_by_key(sorter, range, values);
        REQUIRE(on_device->read() == expected);
        CHECK(report.device_bytes == (stable && problem.longest() > 1 ? count * 4 : 0));
        on_device->write(memory);
        const auto recorded = on_device->record_sort_by_key(sorter, range, values);
        for (int replay = 0; replay < 2; ++replay) {
            on_device->write(memory);
            recorded->enqueue();
            REQUIRE(on_device->read() == expected);
        }
        expected = memory;
        on_device->write(memory);
        put(expected, 3 * sizeof(T),
            problem.permuted(problem.keys, stable ? problem.stable_order() : problem.order_by_bits(false)));
        on_device->enqueue_sort(sorter, range);
        REQUIRE(on_device->read() == expected);
    }
    if (problem.longest() < 2) return;
    Bytes expected = memory;
    put(expected, indices.offset * 4, problem.indices_in_segments(0x5a5a5a5a));
    const auto on_device = target.memory(memory);
    on_device->enqueue_argsort(sorter, range, indices);
    REQUIRE(on_device->read() == expected);
}

template <class T, class Before>
void check_all(const Target& target, Sorter& sorter, const Problem<T, Before>& problem, const KeyKind& kind,
               bool whole) {
    CAPTURE(target.name);
    CAPTURE(kind.name());
    CAPTURE(problem.keys.size());
    CAPTURE(problem.offsets.size());
    CAPTURE(problem.longest());
    check_host_range(sorter, problem, kind, whole);
    check_device_memory(target, sorter, problem, kind, whole, std::uint32_t{});
}

/// Records of another size take another way through the kernels only where they are moved.
template <class T>
void check_sort(const Target& target, Sorter& sorter, const Comparator& comparator, Random& random) {
    for (const bool stable : {false, true})
        for (const std::size_t count : {2, 3, 250, 3001}) {
            CAPTURE(target.name);
            CAPTURE(comparator.type);
            CAPTURE(stable);
            CAPTURE(count);
            const auto problem = random_records<T>(count, {0, count}, random);
            std::vector<T> records = problem.keys;
            sorter.sort({records, comparator}, {.stable = stable});
            const auto order = stable ? problem.stable_order() : problem.order_by_bits(false);
            REQUIRE(same_bytes(records, problem.permuted(problem.keys, order)));
        }
}

/// A small tile, so that few records take several passes and kernels compile fast.
Shape small_shape(const Target& target) {
    if (target.info.kind == DeviceKind::cpu)
        return {.vectors = 32, .work_items = 1, .register_vectors = 4, .steps_per_pass = 4};
    return {.vectors = 2,
            .work_items = 32,
            .register_vectors = 4,
            .steps_per_pass = 4,
            .remap = true,
            .bank_padding = true,
            .coalesced_store = true};
}

TEST_SUITE("records") {
    TEST_CASE("records: the caller's order, with and without values, stable or not, in segments") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(small_shape(target));
            for (const std::size_t count : {0, 1, 2, 3, 250, 3001})
                check_all(target, sorter, random_records<Particle>(count, {0, count}, random), by_score_and_id, true);
            const Offsets offsets = ragged(40, 200, random);
            check_device_memory(target, sorter, random_records<Particle>(offsets.back() + 3, offsets, random),
                                by_score_and_id, false, std::uint32_t{});
        }
    }

    TEST_CASE("records: of 3, 4, 12 and 64 bytes, numbers too") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(small_shape(target));
            check_sort<Wide>(target, sorter, by_last_word, random);
            check_sort<Colour>(target, sorter, by_blue, random);
            check_sort<std::int32_t>(target, sorter, by_last_digit, random);
            check_sort<Particle>(target, target.sorter(), by_score_and_id, random);
        }
    }

    TEST_CASE("segments: ragged ones of numbers, by 32-bit and 64-bit offsets") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(small_shape(target));
            for (const std::size_t longest : {1, 7, 128, 129, 1000}) {
                const Offsets offsets = ragged(60, longest, random);
                const std::size_t count = offsets.back() + random() % 4;
                Problem problem{random_keys<float>(count, random), std::vector<std::uint16_t>(count), offsets,
                                [](float a, float b) { return lanesort::test::before<float>(a, b); }};
                for (std::size_t i = 0; i < count; ++i) {
                    if (random() % 2) problem.keys[i] = static_cast<float>(random() % 3);
                    problem.values[i] = static_cast<std::uint16_t>(random() % 5);
                }
                check_host_range(sorter, problem, KeyType::f32, false);
                check_device_memory(target, sorter, problem, KeyType::f32, false, std::uint64_t{});
            }
        }
    }

    TEST_CASE("segments: the longest may be said to have more keys than there are, or be left out") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter(small_shape(target));
            std::vector<std::uint32_t> memory(600);
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint32_t>(600 - i);
            const std::uint32_t offsets[] = {3, 200, 500};
            std::ranges::copy(offsets, memory.begin() + 550);
            std::vector<std::uint32_t> expected = memory;
            std::sort(expected.begin() + 13, expected.begin() + 210);
            std::sort(expected.begin() + 210, expected.begin() + 510);
            const auto on_device = target.memory(bytes_of(memory));
            sorter.prepare({.count = 500, .longest = 501, .offset_bytes = 4});
            for (const std::size_t longest :
                 {std::size_t{0}, std::size_t{501}, std::size_t{1} << 40, ~std::size_t{0}}) {
                on_device->write(bytes_of(memory));
                on_device->enqueue_sort(sorter, {.offset = 10, .count = 500, .segments = {550, 2, longest, 4}});
                require_same_bytes(keys_of<std::uint32_t>(on_device->read()), expected);
            }
        }
    }

    TEST_CASE("segments: none, and offsets that lie, touch nothing else") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter(small_shape(target));
            std::vector<std::uint32_t> memory(600);
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint32_t>(600 - i);
            // Keys 10 to 509; segments 0 .. 100, one that goes back, one beyond the range, one longer than was stated.
            const std::uint32_t offsets[] = {0, 100, 50, 4000000000u, 300, 500};
            std::ranges::copy(offsets, memory.begin() + 550);
            std::vector<std::uint32_t> expected = memory;
            std::sort(expected.begin() + 10, expected.begin() + 110);
            const auto on_device = target.memory(bytes_of(memory));
            on_device->enqueue_sort(sorter, {.offset = 10, .count = 500, .segments = {550, 1, 100, 4}});
            require_same_bytes(keys_of<std::uint32_t>(on_device->read()), expected);
            on_device->enqueue_sort(sorter, {.offset = 10, .count = 500, .segments = {550, 5, 100, 4}});
            const auto after = keys_of<std::uint32_t>(on_device->read());
            CHECK(std::equal(after.begin(), after.begin() + 10, memory.begin()));
            CHECK(std::equal(after.begin() + 510, after.end(), memory.begin() + 510));
            on_device->write(bytes_of(memory));
            on_device->enqueue_sort(sorter, {.offset = 10, .count = 500, .segments = {550, 0, 0, 4}});
            require_same_bytes(keys_of<std::uint32_t>(on_device->read()), memory);
        }
    }

    TEST_CASE("records: names of the kernels' own parameters may be those of fields") {
        const Comparator comparator{.type = "named",
                                    .bytes = 4,
                                    .before = "a.REMAP < b.REMAP || (a.REMAP == b.REMAP && a.LANES < b.LANES)",
                                    .declarations = "typedef struct { ushort REMAP, LANES; } named;"};
        struct Named {
            std::uint16_t first, second;
            auto operator<=>(const Named&) const = default;
        };
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<Named> records(1000);
            for (Named& record : records)
                record = {static_cast<std::uint16_t>(random() % 30), static_cast<std::uint16_t>(random())};
            std::vector<Named> expected = records;
            std::ranges::sort(expected);
            target.sorter().sort({records, comparator});
            CHECK(records == expected);
        }
    }

    TEST_CASE("segments: an empty list of offsets is none, wherever it points") {
        for (Target& target : targets()) {
            std::vector<std::uint64_t> offsets;
            offsets.reserve(8);
            std::vector<std::uint32_t> keys{5, 3, 4, 1, 2};
            target.sorter().sort(std::span(keys), {.segments = offsets});
            CHECK(keys == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
        }
    }

    TEST_CASE("records and segments: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter(small_shape(target));
            const auto refused = [&](ErrorCode code, const std::string& part, const std::function<void()>& call) {
                const Error error = error_of(call);
                CHECK(error.code() == code);
                check_mentions(error, {part});
            };
            std::vector<Particle> records(5);
            refused(ErrorCode::invalid_argument, "12 bytes, but the comparator is for 3", [&] {
                sorter.sort({records, by_blue});
            });
            Comparator wrong = by_score_and_id;
            wrong.before = "a.score >\n  b.scoer";
            const Error misspelt = error_of([&] { sorter.sort({records, wrong}); });
            CHECK(misspelt.code() == ErrorCode::build_failed);
            CAPTURE(misspelt.build_log());
            CHECK(misspelt.build_log().find("before") != std::string::npos);
            CHECK(misspelt.build_log().find("scoer") != std::string::npos);
            CHECK((misspelt.build_log().find("before:2") != std::string::npos ||
                   misspelt.build_log().find("before(2)") != std::string::npos));
            wrong = by_score_and_id;
            wrong.declarations = "typedef struct { float score; uint id; } particle;";
            const Error smaller = error_of([&] { sorter.sort({records, wrong}); });
            CHECK(smaller.code() == ErrorCode::build_failed);
            CHECK(smaller.build_log().find("the_record_has_the_stated_bytes") != std::string::npos);
            wrong = by_score_and_id;
            wrong.before.clear();
            refused(ErrorCode::invalid_argument, "needs the name", [&] { sorter.sort({records, wrong}); });
            for (const std::string open : {"/* ", "\"/*\" /*", "'\\'' /*/", "// */\n/*", "/* */ /*"}) {
                CAPTURE(open);
                wrong = by_score_and_id;
                wrong.before += open;
                refused(ErrorCode::invalid_argument, "comment in the comparator's expression", [&] {
                    sorter.sort({records, wrong});
                });
                wrong = by_score_and_id;
                wrong.declarations += open;
                refused(ErrorCode::invalid_argument, "comment in the comparator's declarations", [&] {
                    sorter.sort({records, wrong});
                });
                wrong = by_score_and_id;
                wrong.type += open;
                refused(ErrorCode::invalid_argument, "comment in the comparator's type", [&] {
                    sorter.sort({records, wrong});
                });
            }
            wrong = by_score_and_id;
            wrong.before = "a.score > b.score /* \" */ || 0 // '/*";
            wrong.declarations += "  // it's no /* \\\n /*\n/* \" */ /**/";
            CHECK_NOTHROW(sorter.sort({records, wrong}));
            for (const std::string broken : {"a.score > b.score)", "(a.score > b.score", "\"a", "a.score > 'b"}) {
                CAPTURE(broken);
                wrong = by_score_and_id;
                wrong.before = broken;
                CHECK(error_of([&] { sorter.sort({records, wrong}); }).code() == ErrorCode::build_failed);
            }
            for (const char* const broken : {"\n#if 0", "\n{", "\n(", "\n\"", "\n#define comparator_before"}) {
                CAPTURE(broken);
                wrong = by_score_and_id;
                wrong.declarations += broken;
                CHECK(error_of([&] { sorter.sort({records, wrong}); }).code() == ErrorCode::build_failed);
            }
            wrong.before = "a < b";
            wrong.bytes = 65;
            refused(ErrorCode::invalid_argument, "65 bytes", [&] { sorter.sort({records.data(), 5, wrong}); });

            std::vector<std::uint32_t> keys(10);
            const Offsets falling{0, 5, 3}, beyond{0, 11};
            refused(ErrorCode::invalid_argument, "begins at key 5 but ends at key 3",
                    [&] { sorter.sort(std::span(keys), {.segments = falling}); });
            refused(ErrorCode::out_of_range, "ends at key 11, but there are 10",
                    [&] { sorter.sort(std::span(keys), {.segments = beyond}); });
            refused(ErrorCode::invalid_argument, "rows and segments", [&] {
                sorter.sort(std::span(keys), {.row_length = 5, .segments = Offsets{0, 10}});
            });
            const auto memory = target.memory(Bytes(400));
            refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                memory->enqueue_sort(sorter, {.count = 10, .segments = {10, 2, 5, 2}});
            });
            refused(ErrorCode::out_of_range, "offsets", [&] {
                memory->enqueue_sort(sorter, {.count = 10, .segments = {10, 90, 5, 4}});
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
