// SPDX-License-Identifier: MIT
// Synchronisation counts, as the patent prints them and as our plans have them.
#include <lanesort/statistics.hpp>

#include <bit>
#include <set>

#include "devices_made_up.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

constexpr std::uint64_t keys_2_24 = 1 << 24;  // the patent's N is half of it, so lg N = 23

Shape in_groups_of_256(unsigned lanes, unsigned vectors) {
    return {.lanes = lanes, .vectors = vectors, .work_items = 256, .register_vectors = 2 * vectors};
}

TEST_CASE("printed counts: the patent's formulas at values worked out by hand") {
    Shape by_cpu_alone = in_groups_of_256(1, 1);
    by_cpu_alone.local_sync = false;
    CHECK(printed_counts(keys_2_24, by_cpu_alone).all == 25 * 24 / 2 - 1);
    CHECK(printed_counts(keys_2_24, by_cpu_alone).by_cpu == 299);

    // Scalar with barriers: lg N - lg ITEMS = 23 - 8 = 15.
    CHECK(printed_counts(keys_2_24, in_groups_of_256(1, 1)).all == 299);
    CHECK(printed_counts(keys_2_24, in_groups_of_256(1, 1)).by_cpu == 16 * 15 / 2);

    // L = 4: lg N - 2 lg L = 19; less lg ITEMS, 11.
    CHECK(printed_counts(keys_2_24, in_groups_of_256(4, 1)).all == 21 * 20 / 2 - 1);
    CHECK(printed_counts(keys_2_24, in_groups_of_256(4, 1)).by_cpu == 12 * 11 / 2);

    // M = 2 saves (1 + 46 - 16 - 2) * 1, M = 4 saves (1 + 46 - 16 - 4) * 2 of these.
    CHECK(printed_counts(keys_2_24, in_groups_of_256(4, 2)).by_cpu == 66 - 29);
    CHECK(printed_counts(keys_2_24, in_groups_of_256(4, 4)).by_cpu == 66 - 54);
    CHECK(!printed_counts(keys_2_24, in_groups_of_256(4, 4)).all);
}

TEST_CASE("printed counts: an array that fits one group needs no CPU") {
    CHECK(printed_counts(512, in_groups_of_256(1, 1)).by_cpu == 0);
    CHECK(printed_counts(1024, in_groups_of_256(1, 1)).by_cpu == 1);
    CHECK(printed_counts(2, in_groups_of_256(1, 1)).all == 0);
}

TEST_CASE("printed counts: other counts as the next power of two") {
    for (const std::uint64_t count : {1025, 1500, 2047}) {
        CHECK(printed_counts(count, in_groups_of_256(1, 1)).by_cpu ==
              printed_counts(2048, in_groups_of_256(1, 1)).by_cpu);
        CHECK(printed_counts(count, in_groups_of_256(2, 1)).all == printed_counts(2048, in_groups_of_256(2, 1)).all);
    }
}

TEST_CASE("printed counts: nothing for what the patent does not have") {
    Shape several_steps = in_groups_of_256(4, 4);
    several_steps.steps_per_pass = 2;
    const Shape in_cache{.lanes = 8, .vectors = 64, .work_items = 1, .register_vectors = 8};
    for (const Shape& shape : {several_steps, in_cache}) {
        CHECK(!printed_counts(keys_2_24, shape).by_cpu);
        CHECK(!printed_counts(keys_2_24, shape).all);
    }
    CHECK(!printed_counts(1, in_groups_of_256(1, 1)).all);
}

TEST_CASE("exact counts: with vectors of L and M = 1, one synchronisation between any two steps of vectors") {
    for (const unsigned lanes : {1, 2, 4, 8, 16})
        for (unsigned lg_count = 5; lg_count <= 30; ++lg_count) {
            CAPTURE(lanes);
            CAPTURE(lg_count);
            // patent.md: (lg N - lg L + 1)(lg N - lg L + 2)/2 - 1, and its N is half of our count
            const auto levels = lg_count - 1 - static_cast<unsigned>(std::countr_zero(lanes));
            const SyncCounts counts = exact_counts(make_plan(std::uint64_t{1} << lg_count, in_groups_of_256(lanes, 1)));
            CHECK(counts.all == (levels + 1) * (levels + 2) / 2 - 1);
            CHECK(counts.barriers == counts.all - counts.by_cpu);
        }
}

TEST_CASE("exact counts: add up what the passes say") {
    for (const Variant& variant : statistics_variants(4))
        for (const std::uint64_t count : {2u, 1000u, 1024u, 5000u, 1u << 20}) {
            CAPTURE(variant.name);
            const Plan plan = make_plan(count, variant.shape);
            std::uint64_t hand_overs = 0, barriers = 0;
            for (const Pass& pass : plan.passes) hand_overs += pass.hand_overs, barriers += pass.barriers;
            const SyncCounts counts = exact_counts(plan);
            CHECK(counts.by_cpu == plan.passes.size() - 1);
            CHECK(counts.all == counts.by_cpu + hand_overs);
            CHECK(counts.barriers == barriers);
        }
    CHECK(exact_counts(make_plan(0, Shape{})) == SyncCounts{});
    CHECK(exact_counts(make_plan(1, Shape{})) == SyncCounts{});
}

TEST_CASE("exact counts: the scalar baseline synchronises by the CPU alone") {
    const SyncCounts counts = exact_counts(make_plan(keys_2_24, statistics_variants(4).front().shape));
    CHECK(counts == SyncCounts{.by_cpu = 299, .all = 299, .barriers = 0});
}

TEST_CASE("variants: one change after the other, from the scalar baseline to several steps a pass") {
    const std::vector<Variant> variants = statistics_variants(4);
    std::set<std::string> names;
    std::set<unsigned> lanes, vectors, steps;
    bool remapped = false, swapped = false;
    for (const Variant& variant : variants) {
        CAPTURE(variant.name);
        CHECK_NOTHROW(check_shape(variant.shape));
        CHECK(names.insert(variant.name).second);
        CHECK(variant.shape.work_items == 256);
        lanes.insert(variant.shape.lanes);
        vectors.insert(variant.shape.vectors);
        steps.insert(variant.shape.steps_per_pass);
        remapped |= variant.shape.remap;
        swapped |= variant.shape.bank_swap;
    }
    CHECK(!variants.front().shape.local_sync);
    CHECK(lanes == std::set<unsigned>{1, 2, 4, 8, 16});
    CHECK(vectors.contains(4));
    CHECK(steps.size() >= 3);
    CHECK(remapped);
    CHECK(swapped);
}

TEST_CASE("variants: fit the limits that they are asked for") {
    for (const std::size_t bytes : {1, 2, 4, 8})
        for (const std::size_t local_bytes : {0, 256, 4096, 32768, 1 << 20})
            for (const unsigned work_items : {1, 8, 32, 256, 1024}) {
                CAPTURE(bytes);
                CAPTURE(local_bytes);
                CAPTURE(work_items);
                const std::vector<Variant> variants = statistics_variants(bytes, local_bytes, work_items);
                CHECK(!variants.empty());
                for (const Variant& variant : variants) {
                    CAPTURE(variant.name);
                    CHECK_NOTHROW(check_shape(variant.shape));
                    CHECK(variant.shape.local_bytes(bytes) <= local_bytes);
                    CHECK(variant.shape.work_items <= work_items);
                }
            }
}

}  // namespace
}  // namespace lanesort
