// What the core makes of a device's limits, on a device that is none.
#include "sorter_core.hpp"

#include <lanesort/error.hpp>

#include "devices_made_up.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

/// Compiles nothing: its kernels run in work-groups of so many work-items. Remembers what was asked for.
class MadeUpBackend final : public Backend {
public:
    MadeUpBackend(DeviceInfo info, unsigned allowed) : info_(std::move(info)), allowed_(allowed) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    unsigned prepare(const KernelParameters&) override { return allowed_; }
    SortReport sort_host(const HostArrays&, std::uint64_t, const Plan&, const KernelParameters&, KeyCoding,
                         const std::function<void(std::size_t, std::size_t)>&) override {
        return {};
    }
    SortReport select_host(const void*, const HostArrays&, const Selection&, const KernelParameters&,
                           KeyCoding) override {
        return {};
    }
    void runs_host(const void*, const HostRuns&, const RunsSchedule&, const KernelParameters&, KeyCoding) override {}
    SyncCounts count_host(void*, const Plan&, const KernelParameters&, KeyCoding) override { return {}; }

private:
    DeviceInfo info_;
    unsigned allowed_;
};

SorterCore core_for(const DeviceInfo& info, unsigned allowed) {
    return {std::make_unique<MadeUpBackend>(info, allowed), {.use_tuned = false}};
}

TEST_CASE("core: rows, segments and ranges where kernels run in small work-groups only") {
    for (const unsigned allowed : {256, 128, 64, 32, 8, 1})
        for (const std::uint64_t length : {2, 100, 128, 1000, 5000})
            for (const std::size_t offset_bytes : {0, 4}) {
                CAPTURE(allowed);
                CAPTURE(length);
                CAPTURE(offset_bytes);
                SorterCore core = core_for(test::graphics_card(), allowed);
                Extent extent{100 * length, offset_bytes > 0 ? 0 : length};
                if (offset_bytes > 0) extent = {100 * length, 0, offset_bytes, 100, length};
                const auto [plan, parameters] = core.prepare(extent, {KeyType::u32, 4});
                CHECK(parameters.work_items() <= allowed);
                CHECK(parameters.shape.resident_groups >= 1);
                CHECK(parameters.local_bytes() <= test::graphics_card().local_bytes);
                CHECK(core.prepare({length}, {KeyType::u32}).parameters.work_items() <= allowed);
            }
}

TEST_CASE("core: sorted ranges where kernels run in small work-groups only") {
    for (const unsigned allowed : {256, 200, 32, 1}) {
        CAPTURE(allowed);
        SorterCore core = core_for(test::graphics_card(), allowed);
        const auto [schedule, parameters] = core.prepare_runs({1 << 20}, KeyType::u32, RunsTask::unique);
        CHECK(parameters.work_items() <= allowed);
        CHECK(schedule.shape == parameters.shape);
    }
}

TEST_CASE("core: work-groups of several tiles leave each work-item the registers that were measured") {
    SorterCore core = core_for(test::graphics_card(), 256);
    const Shape whole = choose_shape(test::graphics_card(), {4, 4}, 100);
    const KernelParameters parameters = core.prepare({100'000, 100}, {KeyType::u32, 4}).parameters;
    REQUIRE(parameters.tiles_per_group > 1);
    CHECK(parameters.shape.resident_groups * parameters.work_items() <= whole.resident_groups * whole.work_items);
}

TEST_CASE("core: rows of one key need no tile, and can be prepared for") {
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        CHECK(core_for(device, 256).prepare({8, 1}, {KeyType::f64}).plan.passes.empty());
}

TEST_CASE("core: indices of a selection need room for what is selected only") {
    DeviceInfo device = test::processor();
    device.max_allocation_bytes = 1 << 20;
    SorterCore core = core_for(device, 1);
    const std::uint64_t count = 1 << 20;
    CHECK_NOTHROW(core.select_host(nullptr, {}, {count}, {KeyType::u8, 0, 8}, 10, Order::descending));
    CHECK_THROWS_AS(core.select_host(nullptr, {}, {count + 1}, {KeyType::u8, 0, 8}, 10, Order::descending), Error);
    CHECK_THROWS_AS(core.sort_host({}, {count}, {KeyType::u8, 0, 8}, Order::descending), Error);
}

}  // namespace
}  // namespace lanesort::detail
