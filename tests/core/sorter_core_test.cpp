// SPDX-License-Identifier: MIT
// What the core makes of a device's limits, on a device that is none.
#include "core/sorter_core.hpp"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <lanesort/commands.hpp>
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>
#include <lanesort/tuning.hpp>

#include "core/described_device.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/kernels.hpp"
#include "ops/sort/distribution.hpp"
#include "ops/sort/sort.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

/// Remembers what was asked for.
class RememberingDevice final : public DescribedDevice {
public:
    using DescribedDevice::DescribedDevice;

    std::shared_ptr<const Program> compile(const KernelParameters& parameters) override {
        if (std::ranges::find(programs, parameters) == programs.end()) programs.push_back(parameters);
        return DescribedDevice::compile(parameters);
    }

    std::vector<KernelParameters> programs;  ///< that were compiled
};

SorterCore core_for(const DeviceInfo& info, unsigned allowed) {
    return {std::make_unique<DescribedDevice>(info, allowed), {.use_tuned = false}};
}

/// What the one program of a request's work is compiled for.
const KernelParameters& parameters_of(SorterCore& core, const Request& request) {
    const auto work = core.planner().plan(request);
    REQUIRE(work->programs.size() == 1);
    return work->programs.front()->parameters;  // the planner keeps it
}

TEST_CASE("core: rows, segments and ranges where kernels run in small work-groups only") {
    for (const unsigned allowed : {256, 128, 64, 32, 8, 1})
        for (const std::uint64_t length : {2, 100, 128, 1000, 5000})
            for (const std::size_t offset_bytes : {0, 4}) {
                CAPTURE(allowed);
                CAPTURE(length);
                CAPTURE(offset_bytes);
                SorterCore core = core_for(test::graphics_card(), allowed);
                Request request{.count = 100 * length, .row_length = length, .value_bytes = 4};
                if (offset_bytes > 0) {
                    request.row_length = 0;
                    request.segments = 100;
                    request.longest = length;
                    request.offset_bytes = offset_bytes;
                }
                const KernelParameters& parameters = parameters_of(core, request);
                CHECK(parameters.work_items() <= allowed);
                CHECK(parameters.shape.resident_groups >= 1);
                CHECK(parameters.local_bytes() <= test::graphics_card().local_bytes);
                CHECK(parameters_of(core, {.count = length}).work_items() <= allowed);
            }
}

TEST_CASE("core: sorted ranges where kernels run in small work-groups only") {
    for (const unsigned allowed : {256, 200, 32, 1}) {
        CAPTURE(allowed);
        SorterCore core = core_for(test::graphics_card(), allowed);
        CHECK(parameters_of(core, {.operation = Operation::unique, .count = 1 << 20}).work_items() <= allowed);
    }
}

TEST_CASE("core: indices are of 64 bits from where those of 32 could overflow") {
    DeviceInfo device = test::graphics_card();
    device.max_allocation_bytes = std::uint64_t{1} << 40;
    SorterCore core = core_for(device, 256);
    const auto is_wide = [&](const Request& request) { return parameters_of(core, request).wide_positions; };
    const auto all_of = [](std::uint64_t count) { return Request{.count = count}; };
    const auto first_keys = [](std::uint64_t count) { return Request{.count = count, .first = 10}; };
    const auto two_ranges = [](std::uint64_t count) {
        return Request{.operation = Operation::merge, .count = count, .middle = 1};
    };
    constexpr std::uint64_t wide = std::uint64_t{1} << 31;
    CHECK(!is_wide(all_of(wide - 1)));
    CHECK(is_wide(all_of(wide)));
    CHECK(!is_wide(first_keys(wide / 4 - 1)));
    CHECK(is_wide(first_keys(wide / 4)));
    CHECK(!is_wide(two_ranges(wide / 4 - 1)));
    CHECK(is_wide(two_ranges(wide / 4)));
}

TEST_CASE("core: work-groups of several tiles leave each work-item the registers that were measured") {
    SorterCore core = core_for(test::graphics_card(), 256);
    const Shape whole = choose_shape(test::graphics_card(), {4, 4}, 100);
    const KernelParameters& parameters = parameters_of(core, {.count = 100'000, .row_length = 100, .value_bytes = 4});
    REQUIRE(parameters.tiles_per_group > 1);
    CHECK(parameters.shape.resident_groups * parameters.work_items() <= whole.resident_groups * whole.work_items);
}

TEST_CASE("core: rows of one key need no tile, and can be prepared for") {
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        CHECK(core_for(device, 256).planner().plan({.count = 8, .row_length = 1})->commands.empty());
}

TEST_CASE("core: what was prepared for compiles nothing any more") {
    std::vector<float> keys(10'000), best(10), distinct(10'000);
    std::vector<std::uint32_t> values(10'000), indices(10'000), ten(10);
    std::vector<std::uint64_t> lengths(10'000);
    const std::vector<std::uint64_t> offsets{0, 2000, 7000};
    const std::span k(keys), some(best);
    const std::span v(values);
    struct Case {
        Request prepared;
        std::function<void(Sorter&)> call;
    };
    const Case cases[] = {
        {{.count = 10'000}, [&](Sorter& s) { s.sort(k); }},
        {{.count = 10'000, .row_length = 100}, [&](Sorter& s) { s.sort(k, {.row_length = 100}); }},
        {{.count = 10'000, .row_length = 1}, [&](Sorter& s) { s.sort(k, {.row_length = 1}); }},
        {{.count = 10'000, .longest = 5000, .offset_bytes = 8}, [&](Sorter& s) { s.sort(k, {.segments = offsets}); }},
        {{.count = 10'000, .first = 30}, [&](Sorter& s) { s.partial_sort(k, 30); }},
        {{.count = 10'000, .value_bytes = 4}, [&](Sorter& s) { s.sort_by_key(k, v); }},
        {{.count = 10'000, .apart = true}, [&](Sorter& s) { s.sort(k, distinct); }},
        {{.count = 10'000, .stable = true, .value_bytes = 4},
         [&](Sorter& s) { s.sort_by_key(k, v, {.stable = true}); }},
        {{.operation = Operation::argsort, .count = 10'000, .index_bytes = 4},
         [&](Sorter& s) { s.argsort(k, std::span(indices)); }},
        {{.operation = Operation::merge, .count = 10'000}, [&](Sorter& s) { s.merge(k, 77); }},
        {{.operation = Operation::merge, .count = 10'000, .apart = true},
         [&](Sorter& s) { s.merge(std::span(k).first(77), std::span(k).subspan(77), distinct); }},
        {{.operation = Operation::top_k, .count = 10'000, .first = 10}, [&](Sorter& s) { s.top_k(k, some); }},
        {{.operation = Operation::top_k, .count = 10'000, .first = 10, .index_bytes = 4},
         [&](Sorter& s) { s.top_k(k, some, std::span(ten)); }},
        {{.operation = Operation::top_k, .count = 10'000, .first = 9000},
         [&](Sorter& s) { s.top_k(k, std::span(distinct).first(9000)); }},
        {{.operation = Operation::is_sorted, .count = 10'000}, [&](Sorter& s) { s.is_sorted(k); }},
        {{.operation = Operation::unique, .count = 10'000}, [&](Sorter& s) { s.unique(k, std::span(distinct)); }},
        {{.operation = Operation::unique, .count = 10'000, .in_place = true, .value_bytes = 4},
         [&](Sorter& s) { s.unique_by_key(k, v); }},
        {{.operation = Operation::run_lengths, .count = 10'000, .length_bytes = 8},
         [&](Sorter& s) { s.run_lengths(k, std::span(distinct), std::span(lengths)); }},
        {{.operation = Operation::equal_range, .count = 10'000, .index_bytes = 8, .second_count = 5000},
         [&](Sorter& s) { s.equal_range(k, std::span(k).first(5000), std::span(lengths)); }},
        {{.operation = Operation::permute, .count = 10'000, .value_bytes = 4, .index_bytes = 8},
         [&](Sorter& s) { s.permute(v, lengths); }},
        {{.operation = Operation::histogram, .count = 10'000, .length_bytes = 8, .bins = 10'000, .upper = 0x40e00000},
         [&](Sorter& s) { s.histogram(k, EvenBins(0.0F, 7.0F), std::span(lengths)); }},
    };
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        for (const Case& a_case : cases) {
            CAPTURE(device.name);
            CAPTURE(&a_case - cases);
            auto backend = std::make_unique<RememberingDevice>(device, 256);
            const RememberingDevice& compiler = *backend;
            Sorter sorter(std::make_unique<SorterCore>(std::move(backend), SorterOptions{.use_tuned = false}));
            Request prepared = a_case.prepared;
            prepared.key = KeyType::f32;
            sorter.prepare(prepared);
            const std::size_t programs = compiler.programs.size();
            // A first pass that reads other arrays than it writes has a program of its own, and is the processor's only
            // one.
            const bool is_apart = prepared.operation == Operation::argsort || prepared.first == 9000 ||
                                  (prepared.operation == Operation::sort && prepared.apart);
            CHECK(programs == (prepared.row_length == 1 ? 0 : is_apart && device.kind == DeviceKind::gpu ? 2 : 1));
            a_case.call(sorter);
            CHECK(compiler.programs.size() == programs);
        }
}

TEST_CASE("core: a call is planned once, and again only when many others have come between") {
    SorterCore core = core_for(test::processor(), 256);
    const Comparator first{.type = "uint", .bytes = 4, .before = "a < b"};
    const Comparator equal = first;
    const auto work = core.planner().plan({.count = 100, .key = first});
    CHECK(core.planner().plan({.count = 100, .key = equal}) == work);
    CHECK(core.planner().plan({.count = 101, .key = first}) != work);
    for (std::uint64_t count = 2; count < 100; ++count) core.planner().plan({.count = count});
    CHECK(core.planner().plan({.count = 100, .key = first}) != work);
    CHECK(work->programs.size() == 1);  // what was made stays whole
}

TEST_CASE("core: the commands of a described device is the work of that device") {
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        for (const Request& request :
             {Request{.count = 1 << 20}, Request{.operation = Operation::argsort, .count = 1 << 20, .index_bytes = 4},
              Request{.operation = Operation::argsort, .count = 1, .index_bytes = 4}}) {
            SorterCore core = core_for(device, device.max_work_items);
            const auto work = core.planner().plan(request);
            const CommandList list = commands_of(device, request);
            REQUIRE(list.commands.size() == work->commands.size());
            CHECK(list.report.launches == work->report.launches);
            CHECK(list.report.device_bytes == work->report.device_bytes);
            if (request.count == 1) CHECK(list.commands.front() == PlannedCommand{"zero", 0, 0, 4});
            else CHECK(list.commands.front().name == "sort_tiles");  // nothing is copied
        }
}

TEST_CASE("core: an option that a call does not use is refused") {
    using enum Operation;
    SorterCore core = core_for(test::processor(), 256);
    const auto refused = [&](Operation operation, Request request, const char* option) {
        request.operation = operation;
        request.count = 100;
        const Error error = test::error_of([&] { core.planner().plan(request); });
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK(error.what() == std::string(name(operation)) + " does not use `" + option + "`");
    };
    for (const Operation operation : {is_sorted, is_sorted_until, unique, run_lengths}) {
        refused(operation, {.stable = true}, "stable");
        refused(operation, {.first = 5}, "first");
        refused(operation, {.middle = 5}, "middle");
        if (operation != unique) refused(operation, {.value_bytes = 4}, "values");
        if (operation != unique) refused(operation, {.in_place = true}, "in_place");
        refused(operation, {.index_bytes = 4}, "indices");
        refused(operation, {.counts_syncs = true}, "counts_syncs");
    }
    refused(argsort, {.counts_syncs = true, .index_bytes = 4}, "counts_syncs");
    refused(top_k, {.counts_syncs = true, .first = 90}, "counts_syncs");
    for (const Operation operation : {sort, argsort, merge, top_k, is_sorted, unique})
        refused(operation, {.length_bytes = 4}, "lengths");
    refused(argsort, {.value_bytes = 4}, "values");
    for (const Operation operation : all_operations) {
        if (operation == top_k) continue;
        refused(operation, {.limited = true}, "limit");
        refused(operation, {.nan_last = true}, "nan_last");
    }
    for (const Operation operation : all_operations) {
        if (operation == histogram) continue;
        refused(operation, {.bounded = true}, "bounded");
        refused(operation, {.lower = 1}, "lower");
        refused(operation, {.upper = 1}, "upper");
    }
    for (const Operation operation : {sort, argsort, top_k}) refused(operation, {.middle = 5}, "middle");
    for (const Operation operation : {argsort, top_k, unique}) refused(operation, {.apart = true}, "apart");
    for (const Operation operation : {sort, merge}) refused(operation, {.in_place = true}, "in_place");
    for (const Operation operation : {sort, merge}) refused(operation, {.index_bytes = 4}, "indices");
}

/// Of which a graphics card would sort by distribution.
constexpr std::uint64_t many = std::uint64_t{1} << 26;

TEST_CASE("core: a schedule is for sorts and argsorts of one range, and what contradicts it is refused") {
    using enum Operation;
    SorterCore core = core_for(test::graphics_card(), 256);
    const auto refused = [&](const Request& request, const char* part) {
        CAPTURE(name(request.operation));
        test::check_refused(ErrorCode::invalid_argument, part, [&] { core.planner().arrays(request); });
        test::check_refused(ErrorCode::invalid_argument, part, [&] { core.planner().plan(request); });
    };
    for (const Operation operation : {merge, top_k, is_sorted, is_sorted_until, unique, run_lengths}) {
        Request request{.operation = operation, .count = 100};
        if (operation == top_k) request.first = 10;
        if (operation == run_lengths) request.length_bytes = 4;
        const auto unused = [&](const Request& with, const std::string& option) {
            refused(with, (std::string(name(operation)) + " does not use `" + option + "`").c_str());
        };
        for (const Schedule schedule : {Schedule::network, Schedule::columns, Schedule::distribution}) {
            Request with = request;
            with.schedule = schedule;
            unused(with, "schedule");
        }
        Request with = request;
        with.data_independent = true;
        if (operation != top_k) unused(with, "data_independent");
        with = request;
        with.extra_bytes = 1;
        unused(with, "extra_bytes");
    }
    for (const Operation operation : {sort, argsort}) {
        Request request{.operation = operation, .count = 100};
        if (operation == argsort) request.index_bytes = 4;
        for (const Schedule schedule : {Schedule::network, Schedule::columns, Schedule::distribution}) {
            const auto in_parts = [&](std::uint64_t row_length, std::size_t offset_bytes, std::uint64_t first) {
                Request with = request;
                with.schedule = schedule;
                with.row_length = row_length;
                with.offset_bytes = offset_bytes;
                with.first = first;
                refused(with, "for one whole range");
            };
            in_parts(10, 0, all_keys);
            in_parts(0, 8, all_keys);
            in_parts(0, 0, 10);
        }
        Request with = request;
        with.schedule = static_cast<Schedule>(4);
        refused(with, "no schedule 4");
        with.schedule = Schedule::distribution;
        with.data_independent = true;
        refused(with, "`data_independent`");
        with.schedule = Schedule::automatic;
        with.extra_bytes = 1;
        refused(with, "the call rules out");
        with.data_independent = false;
        CHECK_NOTHROW(core.planner().plan(with));
        with.row_length = 10;
        refused(with, "the call rules out");
        with.row_length = 0;
        with.schedule = Schedule::columns;
        refused(with, "the call rules out");
    }
    refused({.count = many, .counts_syncs = true, .schedule = Schedule::distribution}, "not counted");

    // Rows, segments and first keys are sorted without a distribution anyway.
    for (Request request : {Request{.count = 100, .row_length = 10}, {.count = 100, .first = 10}, {.count = 100}}) {
        request.data_independent = true;
        CHECK_NOTHROW(core.planner().plan(request));
    }
}

TEST_CASE("core: the schedule that is demanded is taken, and reported") {
    using enum Schedule;
    DeviceInfo card = test::graphics_card();
    card.max_work_items = 1024;
    card.local_bytes = 227 << 10;
    SorterCore core = core_for(card, 1024), built_in = core_for(built_in_device().info(), 1);
    const auto report = [&](const Request& request) { return core.planner().plan(request)->report; };
    const auto taken = [&](const Request& request) { return report(request).schedule; };
    for (const Operation operation : {Operation::sort, Operation::argsort}) {
        Request request{.operation = operation, .count = many};
        if (operation == Operation::argsort) request.index_bytes = 4;
        CHECK(taken(request) == network);
        const std::uint64_t copy = operation == Operation::argsort ? 4 * many : 0;
        request.schedule = distribution;
        const std::uint64_t extra = report(request).device_bytes - copy;
        CHECK(extra > 0);
        for (const Schedule schedule : {network, columns, distribution}) {
            request.schedule = schedule;
            CHECK(taken(request) == schedule);
            CHECK(report(request).device_bytes == copy + (schedule == distribution ? extra : 0));
        }
        request.extra_bytes = extra;
        CHECK(taken(request) == distribution);
        request.extra_bytes = 1000;
        test::check_refused(ErrorCode::unsupported, "1000 bytes", [&] { taken(request); });
        request.schedule = automatic;
        CHECK(taken(request) == network);
        request.extra_bytes = 0;
        request.data_independent = true;
        CHECK(taken(request) == network);
        CHECK(report(request).device_bytes == copy);
        request.count = 1 << 16;
        request.data_independent = false;
        CHECK(taken(request) == network);
    }
    CHECK(taken({.count = 1, .schedule = network}) == automatic);
    CHECK(taken({.count = 100, .row_length = 10}) == automatic);
    CHECK(taken({.operation = Operation::merge, .count = 100, .middle = 10}) == automatic);
    for (const std::uint64_t count : {std::uint64_t{100'003}, many, std::uint64_t{1} << 30, std::uint64_t{1} << 33}) {
        const std::uint64_t bytes = 4 * count,
                            most = std::max(bytes / 100, std::min(std::uint64_t{32} << 20, bytes / 8));
        const std::uint64_t extra = report({.count = count, .schedule = distribution}).device_bytes;
        CHECK(extra <= most);
        CHECK(extra > most / 2);
    }
    test::check_refused(ErrorCode::unsupported, "its quicksort ", [&] {
        built_in.planner().plan({.count = many, .schedule = distribution, .key = KeyType::u8});
    });
}

TEST_CASE("core: a distribution takes an eighth of small arrays at most, 32 MiB, or a hundredth of large ones") {
    DeviceInfo card = test::graphics_card(), processor = test::processor();
    card.max_work_items = 1024;
    card.local_bytes = 227 << 10;
    card.max_allocation_bytes = processor.max_allocation_bytes = std::uint64_t{1} << 38;
    const auto records = [](std::size_t bytes) {
        return Comparator{.type = "record",
                          .bytes = bytes,
                          .before = "a.c[0] < b.c[0]",
                          .declarations = "typedef struct { uchar c[" + std::to_string(bytes) + "]; } record;"};
    };
    const Comparator of_1 = records(1), of_4 = records(4), of_16 = records(16);
    // The bytes of an element, and of these what the call makes a second time, or by itself.
    struct Kind {
        Request request;
        std::uint64_t bytes, copied;
    };
    const std::vector<Kind> kinds = {
        {{.key = KeyType::u8}, 1, 0},
        {{.value_bytes = 4}, 8, 0},
        {{.stable = true, .value_bytes = 4}, 12, 4},
        {{.operation = Operation::argsort, .index_bytes = 4}, 8, 4},
        {{.key = of_1}, 1, 0},
        {{.key = of_4}, 4, 0},
        {{.key = of_16}, 16, 0},
        {{.value_bytes = 1, .key = of_1}, 2, 0},
        {{.stable = true, .key = of_4}, 8, 4},
        {{.operation = Operation::argsort, .index_bytes = 4, .key = of_4}, 8, 4},
    };
    for (const DeviceInfo& device : {card, processor}) {
        CAPTURE(device.name);
        SorterCore core = core_for(device, device.max_work_items);
        for (const Kind& kind : kinds) {
            CAPTURE(kind.request.key.name());
            CAPTURE(kind.bytes);
            std::size_t made = 0;
            for (const std::uint64_t count :
                 {40'000ull, 65'536ull, 300'000ull, 1'000'003ull, 1ull << 24, (1ull << 28) + 1, 1ull << 32}) {
                CAPTURE(count);
                Request request = kind.request;
                request.count = count;
                request.schedule = Schedule::distribution;
                if (count > most_narrow_indices && kind.copied > 0) continue;
                const std::uint64_t array = kind.bytes * count;
                const std::uint64_t most = std::max(array / 100, std::min(std::uint64_t{32} << 20, array / 8));
                try {
                    const std::uint64_t extra = core.planner().plan(request)->report.device_bytes - kind.copied * count;
                    CHECK(extra <= most);
                    CHECK(extra > 0);
                    ++made;
                } catch (const Error& error) {
                    REQUIRE(error.code() == ErrorCode::unsupported);
                }
            }
            CHECK(made >= 2);
        }
    }
}

TEST_CASE("core: why there is no distribution is said, and nothing else") {
    DeviceInfo card = test::graphics_card();
    card.max_work_items = 1024;
    card.local_bytes = 227 << 10;
    card.max_allocation_bytes = std::uint64_t{1} << 40;
    SorterCore core = core_for(card, 1024);
    const auto refused = [](SorterCore& by, const Request& request, const std::string& cause) {
        CAPTURE(request.count);
        try {
            by.planner().plan(request);
            FAIL("it was planned");
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::unsupported);
            CHECK_MESSAGE(std::string(error.what()).ends_with(cause + "; the schedule `automatic` sorts them"),
                          std::string(error.what()));
        }
    };
    for (const std::uint64_t count : {2, 1000})
        refused(core, {.count = count, .schedule = Schedule::distribution},
                "it takes four tiles, and one has " + std::to_string(choose_shape(card, 4, count).tile_keys()) +
                    " keys for so many");
    refused(core, {.count = many, .schedule = Schedule::distribution, .extra_bytes = 1000},
            "the 1000 bytes that it may take are too few");
    refused(core, {.count = (std::uint64_t{1} << 34) + 1, .schedule = Schedule::distribution, .key = KeyType::u8},
            "it sorts 17179869184 at most");
    card.max_work_items = 64;
    SorterCore narrow = core_for(card, 1024);
    refused(narrow, {.count = many, .schedule = Schedule::distribution}, "work-groups of 64 work-items are too small");
    card.max_work_items = 256;
    card.local_bytes = 2048;
    SorterCore poor = core_for(card, 1024);
    refused(poor, {.count = many, .schedule = Schedule::distribution}, "local memory is too small");
}

/// A card that CUDA finds, with no memory for what a distribution takes.
class FullCard final : public DescribedDevice {
public:
    FullCard() : DescribedDevice(card()) {}
    static DeviceInfo card() {
        DeviceInfo card = test::graphics_card();
        card.backend = "CUDA";
        card.max_work_items = 1024;
        card.local_bytes = 227 << 10;
        return card;
    }
    SortReport run_on_host_memory(const Work& work, const Bindings&,
                                  const std::function<void(std::size_t, std::size_t)>&) override {
        refuse(work);
        return work.report;
    }
    void check(const Queue&) const override {}
    MemoryFacts inspect(void*) const override { return {.bytes = std::uint64_t{1} << 40}; }
    void enqueue(const Work& work, const Bindings&, const Queue&, void**) override { refuse(work); }
    std::unique_ptr<Recording> record(std::shared_ptr<const Work> work, const Bindings&, void*) override {
        refuse(*work);
        return nullptr;
    }

    bool is_late = false;  ///< commands were enqueued before memory was lacking

private:
    void refuse(const Work& work) const {
        if (work.report.device_bytes == 0) return;
        const Error error(ErrorCode::out_of_memory, "the card is full");
        if (is_late) throw error;
        throw NoMemoryForWork(error);
    }
};

TEST_CASE("core: CUDA sorts by distribution from 64 MiB on, where nothing speaks against it") {
    SorterCore core = core_for(FullCard::card(), 1024);
    const auto taken = [&](const Request& request) { return core.planner().plan(request)->report.schedule; };
    constexpr std::uint64_t most = 1 << 24;  // keys of 4 bytes that another schedule sorts
    const Comparator record{.type = "ulong", .bytes = 8, .before = "a < b"};
    const Comparator wide_record{
        .type = "pair", .bytes = 32, .before = "a < b", .declarations = "typedef ulong4 pair;"};
    const Comparator of_16_bytes{
        .type = "pair", .bytes = 16, .before = "a < b", .declarations = "typedef ulong2 pair;"};
    CHECK(taken({.count = most / 4, .key = of_16_bytes}) == Schedule::distribution);
    CHECK(taken({.count = most / 4 - 1, .key = of_16_bytes}) != Schedule::distribution);
    CHECK(taken({.count = most + 1}) == Schedule::distribution);
    CHECK(taken({.count = most}) != Schedule::distribution);
    CHECK(taken({.count = most / 2, .value_bytes = 4}) == Schedule::distribution);
    CHECK(taken({.count = most / 2, .key = KeyType::f64}) == Schedule::distribution);
    CHECK(taken({.operation = Operation::argsort, .count = most / 2, .index_bytes = 4}) == Schedule::distribution);
    // Bytes: an eighth of 64 MiB.
    constexpr std::uint64_t usual = most / 2;
    CHECK(taken({.count = most + 2, .extra_bytes = usual + 1}) == Schedule::distribution);
    CHECK(taken({.count = most + 2, .extra_bytes = usual}) != Schedule::distribution);
    CHECK(taken({.count = 2 * most + 2, .extra_bytes = usual}) == Schedule::distribution);
    CHECK(taken({.count = 2 * most + 2, .extra_bytes = usual - 1}) != Schedule::distribution);
    CHECK(taken({.count = 2 * most + 1, .extra_bytes = usual}) != Schedule::distribution);
    for (const Request& request : {Request{.count = many, .data_independent = true},
                                   {.count = many, .row_length = many / 4},
                                   {.count = many, .first = 10},
                                   {.operation = Operation::merge, .count = many, .middle = 10},
                                   {.count = many, .extra_bytes = 1000},
                                   {.count = many, .key = wide_record},
                                   {.count = most / 2 - 1, .key = record},
                                   {.count = many, .stable = true, .key = record}})
        CHECK(taken(request) != Schedule::distribution);
    SorterCore other = core_for(test::graphics_card(), 256);
    CHECK(other.planner().plan({.count = many})->report.schedule != Schedule::distribution);
}

TEST_CASE("core: a tile holds a row of up to 2^15 keys of 4 bytes or fewer") {
    SorterCore core = core_for(FullCard::card(), 1024);
    const auto passes = [&](KeyType type, std::uint64_t length) {
        return core.planner().plan({.count = 1000 * length, .row_length = length, .key = type})->commands.size();
    };
    for (const KeyType type : {KeyType::u8, KeyType::i16, KeyType::f32})
        for (const std::uint64_t length : {8193, 12'000, 20'000, 1 << 15}) {
            CAPTURE(length);
            CHECK(passes(type, length) == 1);
        }
    CHECK(passes(KeyType::u8, (1 << 15) + 1) > 1);
    CHECK(passes(KeyType::u64, 12'000) > 1);
}

TEST_CASE("core: NVIDIA's OpenCL sorts keys of 4 bytes by distribution from 128 MiB on, no other OpenCL does") {
    DeviceInfo card = FullCard::card();
    card.backend = "OpenCL";
    card.local_bytes = 48 << 10;
    SorterCore other = core_for(card, 1024);
    card.vendor = "NVIDIA Corporation";
    SorterCore core = core_for(card, 1024);
    const auto taken = [&](const Request& request) { return core.planner().plan(request)->report.schedule; };
    constexpr std::uint64_t large = 1 << 25;
    for (const KeyType type : {KeyType::u32, KeyType::f32}) {
        CHECK(taken({.count = large, .key = type}) == Schedule::distribution);
        CHECK(taken({.count = large - 1, .key = type}) == Schedule::columns);
        CHECK(other.planner().plan({.count = large, .key = type})->report.schedule == Schedule::network);
    }
    CHECK(taken({.count = large, .data_independent = true}) == Schedule::columns);
    for (const Request& request : {Request{.count = large, .value_bytes = 4},
                                   {.count = large, .key = KeyType::u64},
                                   {.count = 4 * large, .key = KeyType::u8}})
        CHECK(taken(request) == Schedule::columns);
}

TEST_CASE("core: leaves have twice the work-items where that saves a level") {
    DeviceInfo card = FullCard::card();
    card.vendor = "NVIDIA Corporation";
    card.compute_units = 132;
    card.max_allocation_bytes = std::uint64_t{1} << 36;
    SorterCore core = core_for(card, 1024);
    const auto levels_of = [&](std::uint64_t count, std::size_t value_bytes) {
        const Request request{.count = count, .value_bytes = value_bytes, .schedule = Schedule::distribution};
        const Distribution made = distribution_of(core.planner(), request, element_bytes(request, 0));
        return std::pair(made.leaf, made.levels.size());
    };
    CHECK(levels_of(1 << 26, 4) == std::pair<std::uint64_t, std::size_t>(1 << 13, 2));
    CHECK(levels_of(1 << 28, 4) == std::pair<std::uint64_t, std::size_t>(1 << 14, 2));
    CHECK(levels_of(1 << 28, 0) == std::pair<std::uint64_t, std::size_t>(1 << 14, 2));
}

TEST_CASE("core: the limit of a distribution that was measured is kept to, on every device that compiles") {
    DeviceInfo opencl = FullCard::card(), built_in = test::processor();
    opencl.backend = "OpenCL";
    built_in.compiles = false;
    const test::TemporaryFolder folder;
    const auto taken = [&](const DeviceInfo& device, std::uint64_t from, const Request& request) {
        const std::filesystem::path file = folder.path() / "limits";
        std::ofstream(file) << to_text({identity(device), {}, {{4, from}}});
        SorterCore core(std::make_unique<DescribedDevice>(device, 1024), {.shape_file = file});
        return core.planner().plan(request)->report.schedule;
    };
    constexpr std::uint64_t limit = 5'000'000, large = 1 << 25;
    for (const DeviceInfo& device : {FullCard::card(), opencl}) {
        const bool is_cuda = device.backend == "CUDA";
        CHECK(taken(device, limit, {.count = limit}) == Schedule::distribution);
        CHECK(taken(device, limit, {.count = limit, .key = KeyType::f32}) == Schedule::distribution);
        CHECK(taken(device, limit, {.count = limit - 1}) != Schedule::distribution);
        CHECK(taken(device, limit, {.count = limit, .data_independent = true}) != Schedule::distribution);
        CHECK(taken(device, ShapeTable::no_end, {.count = large}) != Schedule::distribution);
        // Neither other widths nor values were measured.
        CHECK((taken(device, limit, {.count = large, .key = KeyType::u64}) == Schedule::distribution) == is_cuda);
        CHECK(taken(device, limit, {.count = limit, .value_bytes = 4}) != Schedule::distribution);
        // Too few keys for one, whatever the file says.
        CHECK(taken(device, 0, {.count = 1000}) != Schedule::distribution);
    }
    CHECK(taken(built_in, limit, {.count = limit}) != Schedule::distribution);
}

TEST_CASE("core: where there is no memory for a distribution that nobody demanded, another schedule sorts") {
    auto card = std::make_unique<FullCard>();
    bool& is_late = card->is_late;
    Sorter sorter(std::make_unique<SorterCore>(std::move(card), SorterOptions{.use_tuned = false}));
    std::vector<std::uint32_t> keys(1 << 25);
    cu::KeyRange range{.memory = keys.data(), .count = keys.size(), .type = KeyType::u32};
    const auto host = [&] { return sorter.sort(keys, {.schedule = range.schedule}); };
    const auto stream = [&] { return cu::enqueue(sorter, nullptr, sort(range)); };
    const auto record = [&] { cu::Recorded(sorter, nullptr, sort(range)); };
    CHECK(host().schedule != Schedule::distribution);
    CHECK(stream().schedule != Schedule::distribution);
    CHECK_NOTHROW(record());
    const auto all_are_refused = [&] {
        test::check_refused(ErrorCode::out_of_memory, "full", host);
        test::check_refused(ErrorCode::out_of_memory, "full", stream);
        test::check_refused(ErrorCode::out_of_memory, "full", record);
    };
    is_late = true;
    all_are_refused();
    is_late = false;
    range.schedule = Schedule::distribution;
    all_are_refused();
}

/// A card whose compiler lets groups of the larger kernels have so many work-items.
class GreedyCompiler final : public DescribedDevice {
public:
    explicit GreedyCompiler(unsigned allowed) : DescribedDevice(FullCard::card()), allowed_(allowed) {}
    std::shared_ptr<const Program> compile(const KernelParameters& parameters) override {
        auto program = std::make_shared<Program>(parameters);
        program->max_work_items = parameters.family == &families::classify ? allowed_ : 1024;
        return program;
    }

private:
    unsigned allowed_;
};

TEST_CASE("core: a distribution has groups as small as its compiler wants, or is none") {
    for (const unsigned allowed : {1024u, 512u, 300u, 256u, 192u, 128u, 64u, 1u}) {
        CAPTURE(allowed);
        SorterCore core(std::make_unique<GreedyCompiler>(allowed), {.use_tuned = false});
        const Request request{.count = 1 << 25};
        const auto work = core.planner().plan(request);
        CHECK((work->report.schedule == Schedule::distribution) == (allowed >= 128));
        for (const auto& program : work->programs) CHECK(program->parameters.work_items() <= program->max_work_items);
        Request demanded = request;
        demanded.schedule = Schedule::distribution;
        if (allowed < 128)
            test::check_refused(ErrorCode::unsupported, "cannot be sorted by distribution",
                                [&] { core.planner().plan(demanded); });
    }
}

TEST_CASE("core: with little local memory a distribution has what the device has, or columns sort") {
    unsigned by_distribution = 0;
    for (const std::size_t local : {4u << 10, 8u << 10, 16u << 10, 32u << 10})
        for (const unsigned items : {32u, 128u, 256u})
            for (const Request& of : {Request{.count = 1 << 25},
                                      {.count = 1 << 25, .value_bytes = 4},
                                      {.count = 1 << 25, .key = KeyType::u64},
                                      {.count = (1ull << 32) + 5}}) {
                CAPTURE(local);
                CAPTURE(items);
                DeviceInfo device = test::graphics_card();
                device.local_bytes = local;
                device.max_work_items = items;
                device.global_bytes = device.max_allocation_bytes = std::uint64_t{1} << 40;
                const test::TemporaryFolder folder;
                const std::filesystem::path file = folder.path() / "limits";
                std::ofstream(file) << to_text({identity(device), {}, {{4, 1}, {8, 1}}});
                SorterCore core(std::make_unique<DescribedDevice>(device, items), {.shape_file = file});
                for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
                    Request request = of;
                    request.schedule = schedule;
                    std::shared_ptr<const Work> work;
                    const auto error = test::error_in([&] { work = core.planner().plan(request); });
                    CHECK((!error || (schedule != Schedule::automatic && error->code() == ErrorCode::unsupported)));
                    if (error) continue;
                    by_distribution += work->report.schedule == Schedule::distribution;
                    for (const auto& program : work->programs) {
                        CHECK(program->parameters.local_bytes() <= local);
                        CHECK(program->parameters.work_items() <= items);
                    }
                }
            }
    CHECK(by_distribution >= 10);
}

TEST_CASE("core: options and ranges say the schedule") {
    constexpr std::uint64_t extra = 4711;
    const KeyRangeIn<void*> keys{.count = 100,
                                 .type = KeyType::u32,
                                 .schedule = Schedule::columns,
                                 .data_independent = true,
                                 .extra_bytes = extra};
    for (const Request& request : {sort(keys).request, argsort(keys, ValueRangeIn<void*>{.bytes = 4}).request}) {
        CHECK(request.schedule == Schedule::columns);
        CHECK(request.data_independent);
        CHECK(request.extra_bytes == extra);
    }
    Sorter sorter(std::make_unique<SorterCore>(core_for(test::graphics_card(), 256)));
    std::vector<std::uint32_t> numbers(100'000), indices(numbers.size());
    const auto refused = [&](const SortOptions& options, const char* part) {
        const std::span<std::uint32_t> values(indices);
        test::check_refused(ErrorCode::invalid_argument, part, [&] { sorter.sort(numbers, options); });
        test::check_refused(ErrorCode::invalid_argument, part, [&] { sorter.sort_by_key(numbers, values, options); });
        test::check_refused(ErrorCode::invalid_argument, part, [&] { sorter.argsort(numbers, values, options); });
    };
    refused({.schedule = Schedule::distribution, .data_independent = true}, "`data_independent`");
    refused({.data_independent = true, .extra_bytes = extra}, "the call rules out");
    refused({.row_length = 100, .schedule = Schedule::network}, "for one whole range");
    CHECK(sorter.sort(numbers, {.schedule = Schedule::columns}).schedule == Schedule::columns);
    CHECK(sorter.argsort(numbers, std::span(indices), {.schedule = Schedule::network}).schedule == Schedule::network);
    CHECK(sorter.sort(numbers, {.data_independent = true}).schedule == Schedule::network);
    test::check_refused(ErrorCode::invalid_argument, "merge does not use `schedule`",
                        [&] { sorter.merge(numbers, 5, {.schedule = Schedule::network}); });
    test::check_refused(ErrorCode::invalid_argument, "unique does not use `data_independent`",
                        [&] { sorter.unique(numbers, {.data_independent = true}); });
}

TEST_CASE("core: every schedule has a name") {
    std::vector<std::string> names;
    for (const Schedule schedule : all_schedules) names.push_back(name(schedule));
    CHECK(names == std::vector<std::string>{"automatic", "network", "columns", "distribution"});
    CHECK(name(static_cast<Schedule>(4)) == std::string("none"));
}

TEST_CASE("core: records have the order of their comparator, and no other can be asked for") {
    SorterCore core = core_for(test::graphics_card(), 256);
    const Comparator comparator{.type = "uint", .bytes = 4, .before = "a < b"};
    for (const Operation operation : all_operations)
        for (const Order order : {Order::ascending, Order::descending}) {
            const bool takes_records = operation < Operation::reduce ||
                                       (operation > Operation::exclusive_scan && operation < Operation::gather);
            if (!takes_records) continue;
            CAPTURE(name(operation));
            Request request{.operation = operation, .count = 100, .key = comparator};
            if (operation >= Operation::lower_bound) request.index_bytes = 4, request.second_count = 50;
            if (operation == Operation::top_k) request.first = 10;
            if (operation == Operation::argsort) request.index_bytes = 4;
            if (operation == Operation::run_lengths) request.length_bytes = 4;
            CHECK_NOTHROW(core.planner().plan(request));
            request.order = order;
            const Error error = test::error_of([&] { core.planner().plan(request); });
            CHECK(error.code() == ErrorCode::invalid_argument);
            test::check_mentions(error, {"records have the order"});
        }
    Sorter sorter(std::make_unique<SorterCore>(core_for(test::processor(), 1)));
    std::vector<std::uint32_t> records(5), best(2);
    CHECK_NOTHROW(sorter.top_k({records, comparator}, best));
    CHECK_THROWS_AS(sorter.top_k({records, comparator}, best, {.order = Order::descending}), Error);
    CHECK_THROWS_AS(sorter.sort({records, comparator}, {.order = Order::ascending}), Error);
}

TEST_CASE("core: launches follow each other, and what one share leaves needs no second look") {
    SorterCore core = core_for(test::graphics_card(), 256);
    using Names = std::vector<std::pair<std::string, std::uint64_t>>;
    const auto launches = [&](Operation operation, std::uint64_t rows, std::uint64_t length) {
        const auto work = core.planner().plan({.operation = operation,
                                               .count = rows * length,
                                               .row_length = rows > 1 ? length : 0,
                                               .length_bytes = operation == Operation::run_lengths ? 4u : 0u});
        Names names;
        for (const Command& command : work->commands)
            if (const auto* const launch = std::get_if<Launch>(&command))
                names.emplace_back(kernel_names(work->programs.front()->parameters)[launch->kernel], launch->groups);
        return names;
    };
    for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until}) {
        CHECK(launches(operation, 1, 4096) == Names{{"first_descents", 1}});
        CHECK(launches(operation, 1, 4097) == Names{{"first_descents", 2}, {"least_descents", 1}});
        CHECK(launches(operation, 100, 8192) == Names{{"first_descents", 200}, {"least_descents", 100}});
        CHECK(launches(operation, 1000, 8192) == Names{{"first_descents", 1000}});
    }
    for (const Operation operation : {Operation::unique, Operation::run_lengths})
        CHECK(launches(operation, 1, 8193) == Names{{"find_runs", 3}});
    CHECK(launches(Operation::select, 1, 8193) == Names{{"select_tiles", 3}});
    CHECK(launches(Operation::partition, 1, 8193) == Names{{"count_wanted", 3}, {"write_parts", 3}});
}

TEST_CASE("core: indices of a selection need room for what is selected only") {
    DeviceInfo device = test::processor();
    device.max_allocation_bytes = 1 << 20;
    const std::uint64_t count = 1 << 20;
    Sorter sorter(std::make_unique<SorterCore>(core_for(device, 1)));
    std::vector<std::uint8_t> keys(count + 1), best(10);
    std::vector<std::uint64_t> indices(count + 1);
    const std::span all(keys), few(best);
    const std::span<std::uint64_t> numbers(indices);
    CHECK_NOTHROW(sorter.top_k(all.first(count), few, numbers.first(10)));
    CHECK_THROWS_AS(sorter.top_k(all, few, numbers.first(10)), Error);
    CHECK_THROWS_AS(sorter.argsort(all.first(count), numbers.first(count)), Error);
}

TEST_CASE("core: what a call takes for itself has to fit the device, too") {
    DeviceInfo device = test::processor();
    device.max_allocation_bytes = 1 << 20;
    Sorter sorter(std::make_unique<SorterCore>(core_for(device, 1)));
    std::vector<std::uint8_t> keys(1 << 20), values(1 << 20);
    const auto code_of = [](const auto& call) { return test::error_of(call).code(); };
    CHECK_NOTHROW(sorter.sort_by_key(keys, values));
    CHECK(code_of([&] { sorter.sort_by_key(keys, values, {.stable = true}); }) == ErrorCode::too_large);
    CHECK(code_of([&] { sorter.measure(KeyType::u32, std::uint64_t{1} << 40); }) == ErrorCode::too_large);
    CHECK(code_of([&] { sorter.measure(KeyType::u32, std::uint64_t{1} << 62); }) == ErrorCode::too_large);
}

TEST_CASE("core: shapes and plans of keys of no type are refused") {
    Sorter sorter(std::make_unique<SorterCore>(core_for(test::processor(), 1)));
    const auto none = static_cast<KeyType>(99);
    CHECK(test::error_of([&] { sorter.shape(none, 100); }).code() == ErrorCode::invalid_argument);
    CHECK(test::error_of([&] { sorter.plan(none, 100); }).code() == ErrorCode::invalid_argument);
}

/// Copies nothing and sorts nothing.
class IdleQueue final : public DeviceQueue {
public:
    void* allocate(std::uint64_t) override { return this; }
    void upload(const Rows&, const Binding&) override {}
    void download(const Binding&, const Rows&) override {}
    void copy(const Binding&, const Binding&, std::uint64_t) override {}
    void run(const Work&, const Bindings&) override {}
    std::shared_ptr<const QueueEnd> end() override {
        struct End final : QueueEnd {
            void wait() const override {}
            bool has_come() const override { return true; }
        };
        return std::make_shared<End>();
    }
    void await(std::shared_ptr<const QueueEnd>) override {}
};

class IdleDevice final : public DescribedDevice {
public:
    using DescribedDevice::DescribedDevice;
    bool has_queues() const noexcept override { return true; }
    std::unique_ptr<DeviceQueue> open_queue() override { return std::make_unique<IdleQueue>(); }
};

std::atomic<long> calling_thread = 0, own_signals = 0, other_signals = 0;

TEST_CASE("core: threads that write the memory of parts take no signals of the program's") {
    // This thread takes none, so the one that calls gets them, and threads of the call's own if they take any.
    sigset_t alarms, before;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, &before);
    struct sigaction counting {};
    struct sigaction old {};
    counting.sa_handler = [](int) { ++(syscall(SYS_gettid) == calling_thread ? own_signals : other_signals); };
    sigaction(SIGALRM, &counting, &old);
    const itimerval often{{0, 200}, {0, 200}}, never{};
    std::thread([&] {
        calling_thread = syscall(SYS_gettid);
        Sorter sorter(std::make_unique<SorterCore>(std::make_unique<IdleDevice>(test::graphics_card(), 256),
                                                   SorterOptions{.use_tuned = false, .device_bytes = 16 << 20}));
        const std::vector<std::uint32_t> keys(std::size_t{8} << 20);
        std::vector<std::uint32_t> indices(keys.size());
        pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
        setitimer(ITIMER_REAL, &often, nullptr);
        for (int i = 0; i < 5; ++i) sorter.argsort(std::span(keys), std::span(indices));
        setitimer(ITIMER_REAL, &never, nullptr);
    }).join();
    sigaction(SIGALRM, &old, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    CHECK(own_signals > 0);
    CHECK(other_signals == 0);
}

}  // namespace
}  // namespace lanesort::detail
