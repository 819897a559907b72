// SPDX-License-Identifier: MIT
#include "sorter_core.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <lanesort/sorter.hpp>

#include "encoded_keys.hpp"
#include "float_environment.hpp"
#include "memory_check.hpp"
#include "sync_counter.hpp"

namespace lanesort::inline v0_1::detail {
std::shared_ptr<const Work> SorterCore::plan(const Request& request) {
    std::shared_ptr<const Work> work = planner_.plan(request);
    check_sizes(work->arrays, Slot::own_keys, backend_->info(), request);
    return work;
}

SortReport SorterCore::run(const Request& request, Bindings bindings) {
    const DefaultFloatEnvironment default_environment;
    const Arrays& arrays = planner_.arrays(request);
    check_on_host(request, arrays, bindings);
    for (std::size_t slot = 0; slot < slots; ++slot) {
        auto& [memory, offset] = bindings[slot];
        if (arrays[slot].count > 0)
            memory = static_cast<std::byte*>(memory) + std::exchange(offset, 0) * arrays[slot].bytes;
    }
    if (goes_in_parts(request, arrays)) return note(run_in_parts(request, bindings));
    if (is_overlapped(request, arrays)) {
        try {
            return note(run_overlapped(request, bindings));
        } catch (const NoMemoryForWork&) {  // nothing of the caller's was written yet
        }
    }
    // Nothing is to be compiled for no keys, unless these have a result.
    constexpr Slot results[] = {Slot::results, Slot::result_values, Slot::indices, Slot::lengths};
    if (request.count == 0 && std::ranges::none_of(results, [&](Slot slot) { return arrays[slot].count > 0; }))
        return note({});
    return with_work(request, [&](const std::shared_ptr<const Work>& work) {
        return note(work->commands.empty() ? SortReport{} : backend_->run_on_host_memory(*work, bindings, progress_));
    });
}

void SorterCore::check_on_host(const Request& request, const Arrays& arrays, const Bindings& bindings) const {
    check_host_memory(arrays, bindings, backend_->info(), request, goes_in_parts(request, arrays));
}

std::uint64_t SorterCore::memory_limit() const noexcept {
    const DeviceInfo& device = backend_->info();
    if (device_bytes_ > 0) return device_bytes_;
    return device.host_unified_memory ? no_limit : device.global_bytes - device.global_bytes / 8;
}

void SorterCore::check(const Queue& queue, const Request& request, const Bindings& bindings) {
    backend_->check(queue);
    check_device_memory(planner_.arrays(request), bindings, *backend_, request);
}

void SorterCore::release() {
    backend_->release();
    planner_.forget();
}

SyncCounts SorterCore::measure(KeyType type, std::uint64_t count) {
    const Request request{.count = count, .in_host_memory = true, .counts_syncs = true, .key = type};
    check_sizes(planner_.arrays(request), Slot::keys, backend_->info(), request);
    const std::size_t bytes = key_bytes(type);
    std::vector<std::byte> keys(count * bytes);
    std::mt19937_64 random(count);
    std::ranges::generate(keys, [&] { return static_cast<std::byte>(random()); });
    std::vector<PassCounters> counters(most_passes);
    Bindings bindings;
    bindings[Slot::keys] = {keys.data()};
    bindings[Slot::counters] = {counters.data()};
    const std::uint64_t launches = run(request, bindings).launches;
    SyncCounts counts;
    if (launches == 0) return counts;
    const Plan& plan = planner_.plan(request)->plan;
    for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) add(counts, plan.passes[pass], counters[pass]);
    counts.by_cpu = launches - 1;
    counts.all += counts.by_cpu;
    const KeyCoding coding = key_coding(type, Order::ascending);
    if (!std::ranges::is_sorted(encode_keys(keys, bytes, coding)))
        throw Error(ErrorCode::device_failed,
                    fmt::format("{} returned {} keys of type {} unsorted", backend_->info().name, count, name(type)));
    return counts;
}

Bindings bindings_of(const AnyCall& call) {
    Bindings bindings;
    const auto bind = [&](Slot slot, const AnyCall::Place& place) { bindings[slot] = {place.memory, place.offset}; };
    bind(Slot::keys, call.keys);
    bind(Slot::values, call.values);
    bind(Slot::second_keys, call.second_keys);
    bind(Slot::second_values, call.second_values);
    bind(Slot::indices, call.indices);
    bind(Slot::segments, call.segments);
    bind(Slot::results, call.results);
    bind(Slot::result_values, call.result_values);
    bind(Slot::lengths, call.lengths);
    bind(Slot::answers, call.answers);
    bind(Slot::limit, call.limit);
    bind(Slot::flags, call.flags);
    bind(Slot::parameter, call.parameter);
    bindings[Slot::order] = {const_cast<void*>(call.request.key.function())};
    return bindings;
}

SorterCore& core_of(Sorter& sorter, std::string_view backend) {
    const std::string& own = sorter.device().backend;
    if (own != backend)
        throw Error(ErrorCode::unsupported,
                    fmt::format("the sorter's device is one of {}, but the call is one of {}", own, backend));
    return sorter.core();
}

SortReport enqueue(Sorter& sorter, const char* backend, const Queue& queue, const AnyCall& call, void** event) {
    SorterCore& core = core_of(sorter, backend);
    const Bindings bindings = bindings_of(call);
    core.check(queue, call.request, bindings);
    return core.with_work(call.request, [&](const std::shared_ptr<const Work>& work) {
        core.backend().enqueue(*work, bindings, queue, event);
        return core.note(work->report);
    });
}

struct RecordedCall::State {
    SorterCore& core;
    void* queue;
    SortReport report;
    std::unique_ptr<Recording> recording;
};

RecordedCall::RecordedCall(Sorter& sorter, const char* backend, void* queue, const AnyCall& call)
    : state_(new State{core_of(sorter, backend), queue, {}, nullptr}) {
    const Bindings bindings = bindings_of(call);
    state_->core.check({queue}, call.request, bindings);
    state_->core.with_work(call.request, [&](const std::shared_ptr<const Work>& work) {
        state_->report = work->report;
        state_->report.device_bytes = 0;  // the recording has it
        state_->recording = state_->core.backend().record(work, bindings, queue);
    });
}
RecordedCall::RecordedCall(RecordedCall&&) noexcept = default;
RecordedCall& RecordedCall::operator=(RecordedCall&&) noexcept = default;
RecordedCall::~RecordedCall() = default;

SortReport RecordedCall::enqueue(std::span<void* const> wait_list, void** event) {
    state_->recording->enqueue({state_->queue, wait_list}, event);
    return state_->core.note(state_->report);
}

bool RecordedCall::is_replayed() const noexcept { return state_->recording->is_replayed(); }

}  // namespace lanesort::inline v0_1::detail
