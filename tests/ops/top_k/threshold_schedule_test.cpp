// SPDX-License-Identifier: MIT
// The schedule of a selection by a threshold.
#include <doctest/doctest.h>

#include "devices_made_up.hpp"
#include "ops/top_k/threshold_schedule.hpp"

namespace lanesort::detail {
namespace {

/// One that the device can run, in which every element is read and enough have room.
void check_made(const ThresholdSchedule& schedule, const DeviceInfo& device) {
    const Shape& shape = schedule.shape;
    const std::uint64_t buffer = std::uint64_t{shape.vectors} * shape.work_items;
    CHECK(shape.work_items <= device.max_work_items);
    CHECK(threshold_local_bytes(shape, schedule.bytes) <= device.local_bytes);
    CHECK(schedule.bytes.index >= 4);
    CHECK((schedule.sorts || buffer >= 2 * schedule.k));
    CHECK((schedule.parts == 1 || schedule.room > 0));
    CHECK((!schedule.sorts || schedule.room > 0));
    if (schedule.room == 0) return;
    CHECK((schedule.parts - 1) * schedule.share < schedule.count);
    CHECK(schedule.parts * schedule.share >= schedule.count);
    CHECK(schedule.room > schedule.k);
    if (schedule.sorts) CHECK(schedule.room <= schedule.count / 4);
}

TEST_CASE("top-k by a threshold: of every k, row and device, one that fits, or none") {
    DeviceInfo poor = test::graphics_card(), large = poor;
    poor.max_work_items = 32;
    poor.local_bytes = 4096;
    large.compute_units = 132;
    large.max_work_items = 1024;
    large.local_bytes = 227 << 10;
    std::size_t made = 0;
    for (const DeviceInfo& device : {poor, test::graphics_card(), large})
        for (const ElementBytes bytes : {ElementBytes(4, 0, 4), ElementBytes(1), ElementBytes(8, 0, 8)})
            for (const std::uint64_t rows : {1, 7, 64, 4096})
                for (const std::uint64_t count : {8192, 32'767, 32'768, 1 << 20, 1 << 24})
                    for (const std::uint64_t k : {1, 63, 64, 1000, 1024, 1025, 4096, 4097, 100'000}) {
                        if (k >= count) continue;
                        CAPTURE(device.local_bytes);
                        CAPTURE(rows);
                        CAPTURE(count);
                        CAPTURE(k);
                        const auto schedule = make_threshold_schedule(device, bytes, rows, count, k);
                        if (schedule) check_made(*schedule, device), ++made;
                    }
    CHECK(made > 500);
}

TEST_CASE("top-k by a threshold: where another way is taken") {
    DeviceInfo card = test::graphics_card();
    const ElementBytes bytes(4, 0, 4);
    CHECK(make_threshold_schedule(card, bytes, 1, 1 << 20, 64));
    CHECK(!make_threshold_schedule(card, bytes, 1, 1 << 20, 63));                  // by buckets
    CHECK(make_threshold_schedule(card, bytes, 1000, 1 << 20, 1));                 // a group a row
    CHECK(!make_threshold_schedule(card, bytes, 1000, 8191, 1));                   // short rows
    CHECK(!make_threshold_schedule(card, bytes, 19, 8192, 1));                     // few of them
    CHECK(!make_threshold_schedule(card, bytes, 1, std::uint64_t{1} << 31, 100));  // counts of 32 bits
    CHECK(make_threshold_schedule(card, bytes, 1, 1 << 20, 100'000)->sorts);       // more than local memory holds
    CHECK(!make_threshold_schedule(card, bytes, 1, 1 << 20, 300'000));             // so much that all is sorted sooner
    CHECK(!make_threshold_schedule(card, {12, 0, 4, true}, 1, 1 << 20, 100'000));  // records have no digits
    CHECK(!make_threshold_schedule(test::processor(), bytes, 1, 1 << 20, 1000));
}

TEST_CASE("top-k by a threshold: digits cover each key and index, from the highest one on") {
    ThresholdSchedule schedule;
    schedule.count = (1 << 16) + 1;
    schedule.bytes = ElementBytes(2, 0, 4);
    const std::vector<ThresholdDigit> digits = digits_of(schedule);
    REQUIRE(digits.size() == 5);
    for (std::size_t i = 0; i < digits.size(); ++i) {
        CHECK(digits[i].in_index == (i >= 2));
        CHECK(digits[i].shift == (i < 2 ? 8 - 8 * i : 32 - 8 * i));
    }
}

}  // namespace
}  // namespace lanesort::detail
