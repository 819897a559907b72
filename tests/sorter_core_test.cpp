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
    unsigned prepare(const KernelParameters& parameters) override {
        if (std::ranges::find(programs, parameters) == programs.end()) programs.push_back(parameters);
        return allowed_;
    }
    void release() override { programs.clear(); }
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

    std::vector<KernelParameters> programs;  ///< that were compiled

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

TEST_CASE("core: indices are of 64 bits from where those of 32 could overflow") {
    DeviceInfo device = test::graphics_card();
    device.max_allocation_bytes = std::uint64_t{1} << 40;
    SorterCore core = core_for(device, 256);
    const auto is_wide = [&](const Extent& extent) {
        return core.prepare(extent, {KeyType::u32}).parameters.wide_index;
    };
    const auto first_keys = [](std::uint64_t count) {
        Extent extent{count};
        extent.first = 10;
        return extent;
    };
    const auto two_ranges = [](std::uint64_t count) {
        Extent extent{count};
        extent.middle = 1;
        return extent;
    };
    constexpr std::uint64_t wide = std::uint64_t{1} << 31;
    CHECK(!is_wide({wide - 1}));
    CHECK(is_wide({wide}));
    CHECK(!is_wide(first_keys(wide / 4 - 1)));
    CHECK(is_wide(first_keys(wide / 4)));
    CHECK(!is_wide(two_ranges(wide / 4 - 1)));
    CHECK(is_wide(two_ranges(wide / 4)));
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

TEST_CASE("core: what was prepared for compiles nothing any more") {
    using Call = Preparation::Call;
    std::vector<float> keys(10'000), best(10), distinct(10'000);
    std::vector<std::uint32_t> values(10'000), indices(10'000), ten(10);
    std::vector<std::uint64_t> lengths(10'000);
    const std::vector<std::uint64_t> offsets{0, 2000, 7000};
    const std::span k(keys), some(best);
    const std::span v(values);
    struct Case {
        Preparation preparation;
        std::function<void(Sorter&)> call;
    };
    const Case cases[] = {
        {{.count = 10'000}, [&](Sorter& s) { s.sort(k); }},
        {{.count = 10'000, .row_length = 100}, [&](Sorter& s) { s.sort(k, {.row_length = 100}); }},
        {{.count = 10'000, .row_length = 1}, [&](Sorter& s) { s.sort(k, {.row_length = 1}); }},
        {{.count = 10'000, .longest_segment = 5000}, [&](Sorter& s) { s.sort(k, {.segments = offsets}); }},
        {{.count = 10'000, .first = 30}, [&](Sorter& s) { s.partial_sort(k, 30); }},
        {{.count = 10'000, .value_bytes = 4}, [&](Sorter& s) { s.sort_by_key(k, v); }},
        {{.count = 10'000, .value_bytes = 4, .stable = true},
         [&](Sorter& s) { s.sort_by_key(k, v, {.stable = true}); }},
        {{.count = 10'000, .index_bytes = 4}, [&](Sorter& s) { s.argsort(k, std::span(indices)); }},
        {{.call = Call::merge, .count = 10'000}, [&](Sorter& s) { s.merge(k, 77); }},
        {{.call = Call::top_k, .count = 10'000, .first = 10}, [&](Sorter& s) { s.top_k(k, some); }},
        {{.call = Call::top_k, .count = 10'000, .index_bytes = 4, .first = 10},
         [&](Sorter& s) { s.top_k(k, some, std::span(ten)); }},
        {{.call = Call::top_k, .count = 10'000, .first = 9000},
         [&](Sorter& s) { s.top_k(k, std::span(distinct).first(9000)); }},
        {{.call = Call::is_sorted, .count = 10'000}, [&](Sorter& s) { s.is_sorted(k); }},
        {{.call = Call::unique, .count = 10'000}, [&](Sorter& s) { s.unique(k, std::span(distinct)); }},
        {{.call = Call::run_lengths, .count = 10'000, .index_bytes = 8},
         [&](Sorter& s) { s.run_lengths(k, std::span(distinct), std::span(lengths)); }},
    };
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        for (const Case& a_case : cases) {
            CAPTURE(device.name);
            CAPTURE(&a_case - cases);
            auto backend = std::make_unique<MadeUpBackend>(device, 256);
            const MadeUpBackend& compiler = *backend;
            Sorter sorter(std::make_unique<SorterCore>(std::move(backend), SorterOptions{.use_tuned = false}));
            sorter.prepare(KeyType::f32, a_case.preparation);
            const std::size_t prepared = compiler.programs.size();
            CHECK(prepared == (a_case.preparation.row_length == 1 ? 0 : 1));
            a_case.call(sorter);
            CHECK(compiler.programs.size() == prepared);
        }
}

TEST_CASE("core: indices of a selection need room for what is selected only") {
    DeviceInfo device = test::processor();
    device.max_allocation_bytes = 1 << 20;
    SorterCore core = core_for(device, 1);
    const std::uint64_t count = 1 << 20;
    std::vector<std::uint8_t> keys(count), best(10);
    CHECK_NOTHROW(
        core.select_host(keys.data(), {.keys = best.data()}, {count}, {KeyType::u8, 0, 8}, 10, Order::descending));
    CHECK_THROWS_AS(core.select_host(nullptr, {}, {count + 1}, {KeyType::u8, 0, 8}, 10, Order::descending), Error);
    CHECK_THROWS_AS(core.sort_host({}, {count}, {KeyType::u8, 0, 8}, Order::descending), Error);
}

}  // namespace
}  // namespace lanesort::detail
