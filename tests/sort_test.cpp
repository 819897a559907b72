// Whole sorts of keys in a buffer, against std::sort.
//
// Two suites, since every key width is compiled anew: CTest runs the first one again with other compilers of
// work-groups.
#include "device_support.hpp"
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
void check_shape(TestDevice& device, Sorter& sorter, bool of_four_bytes, const std::vector<std::size_t>& counts) {
    Random random(seed());
    for_each_key_type_of_four_bytes(of_four_bytes, [&]<class T>() {
        std::size_t turn = 0;
        for (const std::size_t count : counts)
            for (const Order order : both_orders) {
                const Pattern pattern = all_patterns[turn % std::size(all_patterns)];
                CAPTURE(name_of(pattern));
                check_sort(device, sorter, make_keys<T>(pattern, count, random), order, turn++ % 8);
            }
        // Each pattern in both orders at a count that needs several passes and ends inside a vector.
        const std::size_t count = counts.back() - counts.back() / 5;
        for (const Pattern pattern : all_patterns)
            for (const Order order : both_orders) {
                CAPTURE(name_of(pattern));
                check_sort(device, sorter, make_keys<T>(pattern, count, random), order, turn++ % 8);
            }
    });
}

void check_chosen_shape(bool of_four_bytes) {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        // The widest tile is that of the narrowest keys.
        const std::size_t tile = device.sorter().shape(of_four_bytes ? KeyType::u32 : KeyType::u8).tile_keys();
        check_shape(device, device.sorter(), of_four_bytes, counts_around_powers_of_two(2 * tile));
    }
}

/// Up to two tiles, and at least as many keys as make many passes. Keys of four bytes in the statistics' own
/// work-groups, the others in small ones, where fewer keys suffice.
void check_variants(bool of_four_bytes) {
    for (TestDevice& device : test_devices())
        for (const auto& [name, shape] : device.variants(of_four_bytes ? 4 : 8, of_four_bytes ? 256 : 32)) {
            CAPTURE(device.info.name);
            CAPTURE(name);
            check_shape(device, device.sorter(shape), of_four_bytes,
                        counts_around_powers_of_two(std::max(2 * shape.tile_keys(), 512u)));
        }
}

TEST_SUITE("whole sorts") {
    TEST_CASE("every count from 0 to past two tiles, at offsets 0 to 7") {
        for (TestDevice& device : test_devices())
            for (const Shape& shape : small_shapes()) {
                if (!device.can_run(shape, 4)) continue;
                CAPTURE(device.info.name);
                CAPTURE(to_string(shape));
                Random random(seed());
                for (std::size_t count = 0; count <= 2 * shape.tile_keys() + 3; ++count) {
                    const Order order = both_orders[count % 2];
                    const Pattern pattern = all_patterns[count / 8 % std::size(all_patterns)];
                    CAPTURE(name_of(pattern));
                    check_sort(device, device.sorter(shape), make_keys<std::uint32_t>(pattern, count, random), order,
                               count % 8);
                    check_sort(device, device.sorter(shape), make_keys<float>(pattern, count, random), order,
                               (count + 5) % 8);
                }
            }
    }

    TEST_CASE("every offset at counts around a tile") {
        for (TestDevice& device : test_devices()) {
            CAPTURE(device.info.name);
            Sorter& sorter = device.sorter();
            const std::size_t tile = sorter.shape(KeyType::u32).tile_keys();
            Random random(seed());
            for (const std::size_t count : {tile - 1, tile, tile + 1})
                for (const std::size_t offset : {0, 1, 2, 3, 4, 5, 6, 7, 1001})
                    check_sort(device, sorter, random_keys<std::uint32_t>(count, random), Order::ascending, offset);
        }
    }

    TEST_CASE("all patterns in the chosen shape, keys of 32 bits") { check_chosen_shape(true); }

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
            {.work_items = 1},
            {.vectors = 32, .work_items = 1, .register_vectors = 2, .steps_per_pass = 1},
        };
        for (TestDevice& device : test_devices())
            for (const Shape& shape : poor) {
                if (!device.can_run(shape, 4)) continue;
                CAPTURE(device.info.name);
                CAPTURE(to_string(shape));
                REQUIRE(shape.local_bytes(4) <= 4096);
                check_shape(device, device.sorter(shape), true, {0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000});
            }
    }

    TEST_CASE("all shapes give the same bytes") {
        Random random(seed());
        const auto keys = random_keys<float>(20011, random);
        const auto expected = sorted(keys, Order::descending);
        for (TestDevice& device : test_devices()) {
            CAPTURE(device.info.name);
            require_same_bytes(sort_between_red_zones(device, device.sorter(), keys, Order::descending, 3), expected);
            for (const auto& [name, shape] : device.variants(4)) {
                CAPTURE(name);
                require_same_bytes(sort_between_red_zones(device, device.sorter(shape), keys, Order::descending, 3),
                                   expected);
            }
        }
    }
}

TEST_SUITE("every key width") {
    TEST_CASE("all patterns in the chosen shape, keys of 8, 16 and 64 bits") { check_chosen_shape(false); }

    TEST_CASE("all patterns in every variant of the statistics, keys of 8, 16 and 64 bits") { check_variants(false); }
}

}  // namespace
}  // namespace lanesort::test
