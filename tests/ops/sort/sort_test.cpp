// SPDX-License-Identifier: MIT
// Whole sorts of keys in a device's memory, against std::sort.
//
// Two suites, since every key width is compiled anew: CTest runs the first one again with other compilers of
// work-groups.
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

/// Calls visit.operator()<T>() for the key types of four bytes, or for all others.
template <class Visit>
void for_each_key_type_of_four_bytes(bool of_four_bytes, Visit visit) {
    for_each_key_type([&]<class T>() {
        if constexpr (sizeof(T) == 4) {
            if (of_four_bytes) visit.template operator()<T>();
        } else {
            if (!of_four_bytes) visit.template operator()<T>();
        }
    });
}

/// Powers of two and their neighbours, to just past `most`.
std::vector<std::size_t> counts_around_powers_of_two(std::size_t most) {
    std::vector<std::size_t> counts{0};
    for (std::size_t power = 1; power <= most; power *= 2)
        for (const std::size_t count : {power - 1, power, power + 1})
            if (count > counts.back()) counts.push_back(count);
    return counts;
}

/// Every type asked for, both orders, all patterns, offsets 0 to 7, in turn over the counts.
void check_shape(Target& target, Sorter& sorter, bool of_four_bytes, const std::vector<std::size_t>& counts) {
    Random random(seed());
    for_each_key_type_of_four_bytes(of_four_bytes, [&]<class T>() {
        std::size_t turn = 0;
        for (const std::size_t count : counts)
            for (const Order order : both_orders) {
                const Pattern pattern = all_patterns[turn % std::size(all_patterns)];
                CAPTURE(name_of(pattern));
                check_sort(target, sorter, make_keys<T>(pattern, count, random), order, turn++ % 8);
            }
        // Each pattern in both orders at a count that needs several passes and ends inside a vector.
        const std::size_t count = counts.back() - counts.back() / 5;
        for (const Pattern pattern : all_patterns)
            for (const Order order : both_orders) {
                CAPTURE(name_of(pattern));
                check_sort(target, sorter, make_keys<T>(pattern, count, random), order, turn++ % 8);
            }
    });
}

void check_chosen_shape(bool of_four_bytes) {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        // The widest tile is that of the narrowest keys.
        const std::size_t tile = target.sorter().shape(of_four_bytes ? KeyType::u32 : KeyType::u8).tile_keys();
        check_shape(target, target.sorter(), of_four_bytes, counts_around_powers_of_two(2 * tile));
    }
}

/// Up to two tiles, and at least as many keys as make many passes. Keys of four bytes in the statistics' own
/// work-groups, the others in small ones, where fewer keys suffice.
void check_variants(bool of_four_bytes) {
    for (Target& target : targets())
        for (const auto& [name, shape] : target.variants(of_four_bytes ? 4 : 8, of_four_bytes ? 256 : 32)) {
            CAPTURE(target.name);
            CAPTURE(name);
            check_shape(target, target.sorter(shape), of_four_bytes,
                        counts_around_powers_of_two(std::max(2 * shape.tile_keys(), 512u)));
        }
}

TEST_SUITE("whole sorts") {
    TEST_CASE("every count from 0 to past two tiles, at offsets 0 to 7") {
        for (Target& target : targets())
            for (const Shape& shape : small_shapes()) {
                if (!target.can_run(shape, 4)) continue;
                CAPTURE(target.name);
                CAPTURE(to_string(shape));
                Random random(seed());
                for (std::size_t count = 0; count <= 2 * shape.tile_keys() + 3; ++count) {
                    const Order order = both_orders[count % 2];
                    const Pattern pattern = all_patterns[count / 8 % std::size(all_patterns)];
                    CAPTURE(name_of(pattern));
                    check_sort(target, target.sorter(shape), make_keys<std::uint32_t>(pattern, count, random), order,
                               count % 8);
                    check_sort(target, target.sorter(shape), make_keys<float>(pattern, count, random), order,
                               (count + 5) % 8);
                }
            }
    }

    TEST_CASE("in columns: counts around whole tiles, and above what columns alone sort") {
        for (Target& target : targets())
            for (const Shape& shape : column_shapes()) {
                if (!target.can_run(shape, 4)) continue;
                CAPTURE(target.name);
                CAPTURE(to_string(shape));
                Random random(seed());
                const std::size_t tile = shape.tile_keys();
                std::size_t turn = 0;
                for (const std::size_t tiles : {1, 2, 3, 4, 7, 8, 16, 35})
                    for (const std::size_t count :
                         {tiles * tile - 1, tiles * tile, tiles * tile + 1, tiles * tile + tile / 3})
                        check_sort(target, target.sorter(shape),
                                   make_keys<float>(all_patterns[turn % std::size(all_patterns)], count, random),
                                   both_orders[turn % 2], turn % 8),
                            ++turn;
            }
    }

    TEST_CASE("every offset at counts around a tile") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::size_t tile = sorter.shape(KeyType::u32).tile_keys();
            Random random(seed());
            for (const std::size_t count : {tile - 1, tile, tile + 1})
                for (const std::size_t offset : {0, 1, 2, 3, 4, 5, 6, 7, 1001})
                    check_sort(target, sorter, random_keys<std::uint32_t>(count, random), Order::ascending, offset);
        }
    }

    TEST_CASE("all patterns in the chosen shape, keys of 32 bits") { check_chosen_shape(true); }

    TEST_CASE("the shapes that graphics cards have for many keys") {
        Random random(seed());
        for (Target& target : targets()) {
            if (target.info.kind != DeviceKind::gpu) continue;
            for (const std::size_t count : {300'003, 1'000'003, 7'000'003, 11'000'003})
                for (const std::size_t offset : {1, 2}) {
                    check_sort(target, target.sorter(), random_keys<std::uint64_t>(count, random), Order::ascending,
                               offset);
                    check_sort(target, target.sorter(), random_keys<float>(count, random), Order::descending, offset);
                }
        }
    }

    TEST_CASE("all patterns in every variant of the statistics, keys of 32 bits") { check_variants(true); }

    TEST_CASE("poor shapes: 32 work-items or one, at most 4 KB of local memory, scalar keys") {
        const Shape poor[] = {
            {.work_items = 32},
            {.vectors = 4,
             .work_items = 32,
             .register_vectors = 8,
             .steps_per_pass = 6,
             .remap = true,
             .bank_swap = true,
             .coalesced_store = true},
            {.vectors = 4, .work_items = 16, .register_vectors = 8, .steps_per_pass = 3, .coalesced_store = true},
            {.vectors = 4,
             .work_items = 16,
             .register_vectors = 8,
             .steps_per_pass = 5,
             .remap = true,
             .bank_padding = true},
            {.work_items = 1},
            {.vectors = 32, .work_items = 1, .register_vectors = 2, .steps_per_pass = 1},
        };
        for (Target& target : targets())
            for (const Shape& shape : poor) {
                if (!target.can_run(shape, 4)) continue;
                CAPTURE(target.name);
                CAPTURE(to_string(shape));
                REQUIRE(shape.local_bytes(4) <= 4096);
                check_shape(target, target.sorter(shape), true, {0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000});
            }
    }

    TEST_CASE("all shapes give the same bytes") {
        Random random(seed());
        const auto keys = random_keys<float>(20011, random);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            check_sort(target, target.sorter(), keys, Order::descending, 3);
            for (const auto& [name, shape] : target.variants(4)) {
                CAPTURE(name);
                check_sort(target, target.sorter(shape), keys, Order::descending, 3);
            }
        }
    }
}

TEST_SUITE("every key width") {
    TEST_CASE("all patterns in the chosen shape, keys of 8, 16 and 64 bits") { check_chosen_shape(false); }

    TEST_CASE("all patterns in every variant of the statistics, keys of 8, 16 and 64 bits") { check_variants(false); }
}

/// std::sort would take minutes: in order, and the same keys by a fingerprint that does not depend on their order.
template <Key T>
void check_huge_sort(Target& target, std::size_t count) {
    CAPTURE(target.name);
    CAPTURE(count);
    const auto fingerprint = [](const std::vector<T>& keys) {
        std::uint64_t sum = 0;
        for (const T key : keys) sum += (key + std::uint64_t{1}) * 0x9e3779b97f4a7c15u ^ (std::uint64_t{key} << 23);
        return sum;
    };
    Random random(seed());
    const std::vector<T> keys = random_keys<T>(count, random);
    const auto memory = target.memory(bytes_of(keys));
    memory->enqueue(target.sorter(), sort(KeyRange{here, 0, count, key_type_v<T>}));
    const std::vector<T> result = keys_of<T>(memory->read());
    CHECK(std::ranges::is_sorted(result));
    CHECK(fingerprint(result) == fingerprint(keys));
}

// With LANESORT_HUGE=1, since it takes 40 GB of host memory, 9 GB of the device's, and hours on a processor.
TEST_CASE("64-bit indices sort as 32-bit ones do" * doctest::skip(!std::getenv("LANESORT_HUGE"))) {
    for (Target& target : targets()) {
        if (target.info.kind != DeviceKind::gpu) continue;
        check_huge_sort<std::uint8_t>(target, (std::size_t{1} << 31) + 12345);
        check_huge_sort<std::uint32_t>(target, (std::size_t{1} << 31) + 7);
    }
}

TEST_CASE("counts above 2^32" * doctest::skip(!std::getenv("LANESORT_HUGE"))) {
    for (Target& target : targets())
        if (target.info.kind == DeviceKind::gpu) check_huge_sort<std::uint8_t>(target, (std::size_t{1} << 32) + 1);
}

}  // namespace
}  // namespace lanesort::test
