// SPDX-License-Identifier: MIT
// Sorts of records in the caller's order, stable sorts, and sorts of ragged segments, alone and together.
#include <array>

#include <lanesort/cpu.hpp>

#include "core/fit.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

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
std::vector<T> random_records(std::size_t count, Random& random) {
    std::vector<T> records(count);
    for (T& record : records) record = random_record(random, T{});
    return records;
}

/// Sorts alone and with values, stable or not, of records or numbers.
template <class T, class Before>
void check_sorts(const Target& target, Sorter& sorter, const std::vector<T>& keys, const KeyKind& kind,
                 Before is_before, const Offsets& segments, std::size_t offset_bytes = 8) {
    Random random(seed());
    std::vector<std::uint16_t> values(keys.size());
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random() % 7);
    const auto run = [&](Request request) {
        if (!segments.empty()) request.offset_bytes = offset_bytes;
        const Problem problem =
            problem_of(request, kind, keys, is_before, segments, request.value_bytes > 0 ? bytes_of(values) : Bytes());
        const bool sorts = !problem.request.is_trivial();
        return std::pair(run_everywhere(target, sorter, problem).device_bytes, sorts);
    };
    for (const bool stable : {false, true}) {
        run({.stable = stable});
        const auto [bytes, sorts] = run({.stable = stable, .value_bytes = 2});
        CHECK(bytes == (stable && sorts ? keys.size() * 4 : 0));
    }
    run({.operation = Operation::argsort, .index_bytes = 4});
}

/// Records of another size take another way through the kernels only where they are moved.
template <class T>
void check_sort(const Target& target, Sorter& sorter, const Comparator& comparator, Random& random) {
    for (const bool stable : {false, true})
        for (const std::size_t count : {2, 3, 250, 3001})
            run_everywhere(target, sorter,
                           problem_of({.stable = stable}, comparator, random_records<T>(count, random),
                                      [](const T& a, const T& b) { return before(a, b); }));
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

/// 500 keys behind 10 others, in so many segments whose offsets of 4 bytes begin behind 550 of these.
Call segments_of(std::size_t count, std::size_t longest) {
    return sort(KeyRange{
        .memory = here, .offset = 10, .count = 500, .type = KeyType::u32, .segments = {here, 550, count, longest, 4}});
}

TEST_SUITE("records") {
    TEST_CASE("records: the caller's order, with and without values, stable or not, in segments") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(small_shape(target));
            const auto is_before = [](const Particle& a, const Particle& b) { return before(a, b); };
            const auto check = [&](std::size_t count, const Offsets& segments) {
                check_sorts(target, sorter, random_records<Particle>(count, random), by_score_and_id, is_before,
                            segments, 4);
            };
            for (const std::size_t count : {0, 1, 2, 3, 250, 3001}) check(count, {});
            const Offsets offsets = ragged(40, 200, random);
            check(offsets.back() + 3, offsets);
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
                std::vector<float> keys = random_keys<float>(count, random);
                for (float& key : keys)
                    if (random() % 2) key = static_cast<float>(random() % 3);
                for (const std::size_t offset_bytes : {4, 8})
                    check_sorts(target, sorter, keys, KeyType::f32, lanesort::test::before<float>, offsets,
                                offset_bytes);
            }
        }
    }

    TEST_CASE("segments: of one key at most, by argsort, which leaves the indices of keys in none") {
        for (Target& target : targets())
            for (const std::size_t count : {1, 4})
                for (const Offsets& offsets :
                     {Offsets{0}, Offsets{0, 0}, Offsets{1, 1, 1}, Offsets{0, 1}, Offsets{0, 0, 1, 1}})
                    for (const std::size_t index_bytes : {4, 8})
                        run_everywhere(target, target.sorter(),
                                       problem_of({.operation = Operation::argsort, .index_bytes = index_bytes},
                                                  std::vector<std::int32_t>(count, 7), offsets));
    }

    TEST_CASE("segments: short ones among long ones, about the ends of tiles and of the runs that are merged") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const std::size_t longest = 70'000;
            // Stable sorts with values have indices, too.
            Shape shape = fit(choose_shape(target.sorter().device(), 4, 4 * longest), {4, 2, 4}, target.info);
            const std::size_t tile = shape.tile_keys();
            Offsets offsets{3};
            for (const std::size_t length :
                 {tile / 16, tile / 2, tile / 2 + 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 3 * tile + 1,
                  4 * tile + 1, 8 * tile + 1, std::size_t{0}, std::size_t{1}, longest, std::size_t{40}})
                offsets.push_back(offsets.back() + std::min(length, longest));
            std::vector<std::uint32_t> keys(offsets.back() + 2);
            // Descending, so that the last key of a segment has the longest way.
            for (std::size_t i = 0; i < keys.size(); ++i)
                keys[i] = static_cast<std::uint32_t>(keys.size() - i - random() % 3);
            const std::vector<float> floats(keys.begin(), keys.end());
            check_sorts(target, target.sorter(shape), floats, KeyType::f32, lanesort::test::before<float>, offsets);
            if (!shape.columns || shape.walks_in_cache()) continue;
            shape.columns = false;
            check_sorts(target, target.sorter(shape), floats, KeyType::f32, lanesort::test::before<float>, offsets);
            check_sorts(target, target.sorter(shape), keys, KeyType::u32, lanesort::test::before<std::uint32_t>,
                        offsets);
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
                on_device->enqueue(sorter, segments_of(2, longest));
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
            on_device->enqueue(sorter, segments_of(1, 100));
            require_same_bytes(keys_of<std::uint32_t>(on_device->read()), expected);
            on_device->enqueue(sorter, segments_of(5, 100));
            const auto after = keys_of<std::uint32_t>(on_device->read());
            CHECK(std::equal(after.begin(), after.begin() + 10, memory.begin()));
            CHECK(std::equal(after.begin() + 510, after.end(), memory.begin() + 510));
            on_device->write(bytes_of(memory));
            on_device->enqueue(sorter, segments_of(0, 0));
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
            std::vector<Particle> records(5);
            check_refused(ErrorCode::invalid_argument, "12 bytes, but the text is for 3", [&] {
                sorter.sort({records, by_blue});
            });
            Comparator wrong = by_score_and_id;
            wrong.before = "a.score >\n  b.scoer";
            const Error misspelt = error_of([&] { sorter.sort({records, wrong}); });
            CHECK(misspelt.code() == ErrorCode::build_failed);
            check_mentions(misspelt, {"with the caller's comparator in it", "the build log has the compiler's words"});
            CAPTURE(misspelt.build_log());
            CHECK(misspelt.build_log().find("before") != std::string::npos);
            CHECK(misspelt.build_log().find("scoer") != std::string::npos);
            CHECK((misspelt.build_log().find("before:2") != std::string::npos ||
                   misspelt.build_log().find("before(2)") != std::string::npos));
            wrong = by_score_and_id;
            wrong.declarations = "typedef struct { float score; uint id; } particle;";
            const Error smaller = error_of([&] { sorter.sort({records, wrong}); });
            CHECK(smaller.code() == ErrorCode::build_failed);
            CHECK(smaller.build_log().find("record_has_the_stated_bytes") != std::string::npos);
            wrong = by_score_and_id;
            wrong.before.clear();
            check_refused(ErrorCode::invalid_argument, "needs the name", [&] { sorter.sort({records, wrong}); });
            for (const std::string open : {"/* ", "\"/*\" /*", "'\\'' /*/", "// */\n/*", "/* */ /*"}) {
                CAPTURE(open);
                wrong = by_score_and_id;
                wrong.before += open;
                check_refused(ErrorCode::invalid_argument, "comment in the comparator's expression", [&] {
                    sorter.sort({records, wrong});
                });
                wrong = by_score_and_id;
                wrong.declarations += open;
                check_refused(ErrorCode::invalid_argument, "comment in the comparator's declarations", [&] {
                    sorter.sort({records, wrong});
                });
                wrong = by_score_and_id;
                wrong.type += open;
                check_refused(ErrorCode::invalid_argument, "comment in the comparator's type", [&] {
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
            if (target.info.compiles) {
                const auto function = [](const Particle& a, const Particle& b) { return before(a, b); };
                check_refused(ErrorCode::unsupported, "sort on built_in_device(), or write the order as a Comparator",
                              [&] {
                                  sorter.sort({records, function});
                              });
            }
            wrong.before = "a < b";
            wrong.bytes = 65;
            check_refused(ErrorCode::invalid_argument, "65 bytes", [&] { sorter.sort({records.data(), 5, wrong}); });

            std::vector<std::uint32_t> keys(10);
            const Offsets falling{0, 5, 3}, beyond{0, 11};
            check_refused(ErrorCode::invalid_argument, "begins at key 5 but ends at key 3",
                          [&] { sorter.sort(std::span(keys), {.segments = falling}); });
            check_refused(ErrorCode::out_of_range, "ends at key 11, but there are 10",
                          [&] { sorter.sort(std::span(keys), {.segments = beyond}); });
            check_refused(ErrorCode::invalid_argument, "rows and segments", [&] {
                sorter.sort(std::span(keys), {.row_length = 5, .segments = Offsets{0, 10}});
            });
            const auto memory = target.memory(Bytes(400));
            check_refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                memory->enqueue(
                    sorter,
                    sort(KeyRange{.memory = here, .count = 10, .type = KeyType::u32, .segments = {here, 10, 2, 5, 2}}));
            });
            check_refused(ErrorCode::out_of_range, "offsets", [&] {
                memory->enqueue(
                    sorter, sort(KeyRange{
                                .memory = here, .count = 10, .type = KeyType::u32, .segments = {here, 10, 90, 5, 4}}));
            });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
