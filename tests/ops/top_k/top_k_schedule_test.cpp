// SPDX-License-Identifier: MIT
// The schedule of a selection.
#include <doctest/doctest.h>

#include "devices_made_up.hpp"
#include "ops/top_k/top_k_schedule.hpp"

namespace lanesort::detail {
namespace {

/// What each pass reads and leaves hangs together.
void check_passes(const TopKSchedule& selection, const DeviceInfo& device) {
    const Shape& shape = selection.shape;
    const std::uint64_t group = std::uint64_t{shape.vectors} * shape.work_items * shape.lanes;
    CHECK(shape.work_items <= device.max_work_items);
    CHECK(top_k_local_bytes(shape, selection.bytes) <= device.local_bytes);
    CHECK(group >= selection.k);
    CHECK(shape.register_vectors <= shape.vectors);
    REQUIRE(!selection.passes.empty());
    std::uint64_t left = selection.count, place = 0, read_place = 0;
    for (const TopKPass& pass : selection.passes) {
        const bool buckets = pass.kind == TopKPass::Kind::best_of_buckets;
        const std::uint64_t among = buckets || pass.bucket_bits == 0 ? pass.count : selection.k << pass.bucket_bits;
        CAPTURE(among);
        CHECK(pass.count == (pass.reads_keys ? selection.count : left));
        CHECK(pass.reads_keys == (&pass == &selection.passes.front() || pass.bucket_bits > 0));
        CHECK((pass.parts - 1) * pass.share < among);
        CHECK(pass.parts * pass.share >= among);
        if (buckets) {
            const std::uint64_t buckets_of_group = std::uint64_t{shape.work_items} * shape.lanes;
            CHECK(pass.share == buckets_of_group << pass.bucket_bits);
            // The last buckets may have no element; k have one, and are selected.
            CHECK(pass.share <= pass.count);
            CHECK(pass.count / pass.share * buckets_of_group >= selection.k);
            CHECK(pass.left == pass.parts * buckets_of_group);
        } else {
            if (shape.work_items > 1) CHECK(pass.share <= group);
            CHECK(pass.left == pass.parts * selection.k);
            // Where it is not the last one, it leaves much less than there was.
            if (pass.parts > 1) CHECK(pass.left * 2 <= among);
        }
        CHECK(pass.left_place == place);
        CHECK(pass.read_place == read_place);
        read_place = pass.left_place;
        left = pass.left;
        place += selection.rows * left;
    }
    CHECK(selection.passes.size() <= 14);  // in tiles of 32 elements
    CHECK(selection.passes.back().parts == 1);
    CHECK(selection.left_over() * 2 <= selection.rows * selection.count);
    CHECK((shape.work_items == 1) == (device.kind == DeviceKind::cpu || device.max_work_items == 1));
    CHECK(selection.left_over() == place - selection.rows * selection.k);
}

TEST_CASE("selection: passes follow from each other until k elements of each row are left") {
    DeviceInfo poor = test::graphics_card(), one_by_one = poor;
    poor.max_work_items = 32;
    poor.local_bytes = 4096;
    one_by_one.max_work_items = 1;
    DeviceInfo large = test::graphics_card(), many_cores = test::processor();
    large.compute_units = 132;
    large.max_work_items = 1024;
    large.local_bytes = 227 << 10;
    many_cores.compute_units = 64;
    many_cores.native_vector_bytes = 64;
    for (const DeviceInfo& device : {test::graphics_card(), large, poor, one_by_one, test::processor(), many_cores})
        for (const ElementBytes bytes : {ElementBytes{1}, ElementBytes{4}, ElementBytes{4, 0, 4}, ElementBytes{8, 0, 8},
                                         ElementBytes{64, 0, 4, true}})
            for (const std::uint64_t rows : {1, 10, 100'000})
                for (const std::uint64_t count : {2, 1000, 4097, 16385, 65537, 1 << 17, 1 << 20, (1 << 24) + 1}) {
                    CAPTURE(device.name);
                    CAPTURE(device.max_work_items);
                    CAPTURE(bytes.all());
                    CAPTURE(rows);
                    CAPTURE(count);
                    const std::uint64_t most = std::min(most_selected(device, bytes, count), count - 1);
                    REQUIRE(most > 0);
                    for (const std::uint64_t k : {std::uint64_t{1}, most / 2 + 1, most}) {
                        CAPTURE(k);
                        for (const bool data_independent : {false, true})
                            check_passes(make_top_k_schedule(device, bytes, rows, count, k, data_independent), device);
                    }
                }
}

TEST_CASE("selection: few elements at once, many by the best of buckets, which have indices") {
    const DeviceInfo card = test::graphics_card();
    CHECK(make_top_k_schedule(card, 4, 1, 2000, 64).passes.size() == 1);
    CHECK(make_top_k_schedule(card, 4, 1 << 14, 1 << 10, 1 << 8).passes.size() == 1);
    const TopKSchedule selection = make_top_k_schedule(card, 4, 1, 1 << 24, 64);
    CHECK(selection.passes.front().kind == TopKPass::Kind::best_of_buckets);
    CHECK(selection.bytes.index == 4);
    CHECK(make_top_k_schedule(card, 4, 1, std::uint64_t{1} << 32, 64).bytes.index == 8);
    // What is read again is little.
    CHECK(selection.left_over() < 1 << 17);
}

TEST_CASE("selection: a device without room in local memory sorts instead") {
    DeviceInfo card = test::graphics_card();
    card.local_bytes = 1024;
    CHECK(most_selected(card, {64, 0, 4, true}, 1000) == 0);
}

}  // namespace
}  // namespace lanesort::detail
