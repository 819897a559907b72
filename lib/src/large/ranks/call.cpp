// SPDX-License-Identifier: MIT
// A call across ranks, in host memory or a device's: what is checked and agreed on, and where its memory is sorted.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "calls.hpp"
#include "core/memory_check.hpp"
#include "device_store.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

using lanesort::detail::Binding, lanesort::detail::Slot, lanesort::detail::SorterCore;
using Place = AnyCall::Place;

/// Throws Error(invalid_argument) for what there is not across ranks.
void check_request(const Request& request) {
    const bool is_top_k = request.operation == Operation::top_k, is_argsort = lanesort::detail::is_argsort(request);
    require(is_top_k || is_argsort || lanesort::detail::is_sort(request),
            "across ranks there are sort, argsort and top_k alone");
    require(!request.in_rows(), "across ranks, keys are one range, without rows or segments");
    require(is_top_k || request.first >= request.count, "across ranks, all keys are sorted, not the `first`");
    require(!request.apart, "across ranks, keys are sorted where they are, not into arrays `apart`");
    require(!request.stable || request.value_bytes == 0,
            "across ranks, pairs of equal keys come in their values' order");
    require(!is_top_k || request.value_bytes == 0, "across ranks, top_k gives keys and indices, not values");
    require(!request.limited && !request.nan_last && request.extra_bytes == 0,
            "across ranks, calls are not `limited` or `nan_last`, and take no `extra_bytes`");
    require(request.index_bytes == 8 || (request.index_bytes == 0 && !is_argsort), "indices across ranks have 8 bytes");
    require(!request.key.is_record(), "keys are records; across ranks, numbers are sorted");
}

class CallOnRanks {
public:
    CallOnRanks(Ranks& ranks, Sorter& sorter, const PlacedCall& placed, const Options& options)
        : ranks_(ranks), sorter_(sorter), placed_(placed), options_(options) {}

    void run(bool is_staged) {
        steps_([&] {
            check();
            if (!selects() && !placed_.has_addresses) take_host_memory();
        });
        const std::vector<Description> all = agreed(ranks_, description(), steps_);
        if (selects()) take_first(all);
        else if (placed_.has_addresses) sort_by_addresses(all, is_staged);
        else sort_in_host_memory(all);
    }

private:
    const Request& request() const noexcept { return placed_.call.request; }
    bool is_on_host() const noexcept { return placed_.backend == nullptr; }
    bool selects() const noexcept { return request().operation == Operation::top_k; }
    bool sorts_indices() const noexcept { return !selects() && request().index_bytes > 0; }
    std::size_t key_bytes() const noexcept { return request().key.bytes(); }
    /// Of indices, which are sorted as values are.
    std::size_t value_bytes() const noexcept { return request().value_bytes + request().index_bytes; }
    const Place& values() const noexcept {
        return request().index_bytes > 0 ? placed_.call.indices : placed_.call.values;
    }
    /// Keys and values, or indices, where the call has them.
    Elements given() const noexcept {
        const auto at = [](const Place& place, std::size_t bytes) {
            return place.memory ? static_cast<std::byte*>(place.memory) + place.offset * bytes : nullptr;
        };
        return elements(at(placed_.call.keys, key_bytes()), key_bytes(), at(values(), value_bytes()), value_bytes());
    }

    void check() {
        check_request(request());
        core_ = &lanesort::detail::core_of(sorter_, is_on_host() ? sorter_.device().backend : placed_.backend);
        // Of the first keys of all ranks, a rank may have few.
        Request alone = request();
        if (selects()) {
            require(request().first <= most_keys, "more keys are wanted than all ranks can have");
            alone.first = std::min<std::uint64_t>(alone.first, alone.count);
        }
        lanesort::detail::Arrays arrays = core_->planner().arrays(alone);
        for (const Slot slot : {Slot::results, Slot::indices})
            if (selects() && arrays[slot].bytes > 0) arrays[slot].count = request().first;
        const auto bindings = lanesort::detail::bindings_of(placed_.call);
        if (is_on_host()) return core_->check_on_host(alone, arrays, bindings);
        require(!options_.order && options_.schedule == Schedule::automatic && !options_.data_independent,
                "on device memory, the range says order, schedule and `data_independent`, not the options");
        core_->backend().check({placed_.queue, {}});
        queue_ = core_->backend().use_queue(placed_.queue);
        lanesort::detail::check_device_memory(arrays, bindings, core_->backend(), alone);
    }

    Description description() const {
        return {.count = request().count,
                .wanted = selects() ? request().first : 0,
                .piece_bytes = options_.piece_bytes,
                .value_bytes = value_bytes(),
                .operation = request().operation,
                .type = request().key.type(),
                .order = request().order_or_usual(),
                .schedule = request().schedule,
                .data_independent = request().data_independent,
                .on_device = !is_on_host()};
    }

    // ---- Memory that is told by addresses ----

    void sort_by_addresses(const std::vector<Description>& all, bool is_staged) {
        Request alone = lanesort::detail::as_sort(request());
        alone.value_bytes = value_bytes();
        alone.index_bytes = 0;
        // Indices keep equal keys in order, in a sort that looks at them.
        if (sorts_indices()) alone.stable = false;
        DeviceStore store(*core_, *queue_, alone, is_staged);
        if (sorts_indices()) {
            Elements copied = given();
            store.steps([&] {
                copied.keys = store.allocate(alone.count * key_bytes());
                store.copy(elements(given().keys, key_bytes()), elements(copied.keys, key_bytes()), alone.count);
            });
            sort_indices(ranks_, store, all, copied);
        } else sort_elements(ranks_, store, all, given());
        steps_([&] { store.wait(); });
        steps_.agree(ranks_);
    }

    // ---- Host memory, and device memory that has no addresses: its elements are copied, and go back at the end ----

    /// The keys of which only indices are wanted stay as they are, so a copy of them is sorted.
    void take_host_memory() {
        const auto copy_of = [&](std::size_t bytes) {
            return (copy_ = std::make_unique_for_overwrite<std::byte[]>(request().count * bytes)).get();
        };
        if (is_on_host()) {
            in_host_memory_ = given();
            if (sorts_indices()) in_host_memory_.keys = copy_of(key_bytes());
            return;
        }
        in_host_memory_ = elements(nullptr, key_bytes(), nullptr, value_bytes())
                              .at(copy_of(key_bytes() + value_bytes()), request().count);
        download(placed_.call.keys, in_host_memory_.keys, key_bytes(), request().count);
        if (!sorts_indices()) download(values(), in_host_memory_.values, value_bytes(), request().count);
    }

    void sort_in_host_memory(const std::vector<Description>& all) {
        if (is_on_host() && sorts_indices() && request().count > 0)
            std::memcpy(in_host_memory_.keys, given().keys, request().count * key_bytes());
        HostStore store(sorter_, all[0]);
        (sorts_indices() ? sort_indices : sort_elements)(ranks_, store, all, in_host_memory_);
        if (is_on_host()) return;
        steps_([&] {
            if (!sorts_indices()) upload(in_host_memory_.keys, placed_.call.keys, key_bytes(), request().count);
            upload(in_host_memory_.values, values(), value_bytes(), request().count);
        });
        steps_.agree(ranks_);
    }

    // ---- The first keys: those of each rank pass through host memory ----

    void take_first(const std::vector<Description>& all) {
        const Place &results = placed_.call.results, &indices = placed_.call.indices;
        const auto take_own = [&](std::uint64_t count, const Elements& found) {
            AnyCall alone = placed_.call;
            alone.request.first = count;
            if (is_on_host()) {
                alone.results = {found.keys};
                alone.indices = {found.values};
                CallIn<void*> on_host;
                static_cast<AnyCall&>(on_host) = alone;
                sorter_.run(on_host);
                return;
            }
            lanesort::detail::enqueue(sorter_, placed_.backend, {placed_.queue, {}}, alone, nullptr);
            download(results, found.keys, key_bytes(), count);
            download(indices, found.values, value_bytes(), count);
        };
        const auto deliver = [&](const Elements& best) {
            if (is_on_host()) {
                Elements to = given();
                to.keys =
                    results.memory ? static_cast<std::byte*>(results.memory) + results.offset * key_bytes() : nullptr;
                best.copy(to, request().first);
                return;
            }
            upload(best.keys, results, key_bytes(), request().first);
            upload(best.values, indices, value_bytes(), request().first);
        };
        select_from_all(ranks_, sorter_, all, std::cref(take_own), std::cref(deliver));
    }

    static Binding binding(const Place& place, std::size_t bytes) { return {place.memory, place.offset * bytes}; }
    void download(const Place& from, std::byte* to, std::size_t bytes, std::uint64_t count) {
        if (bytes * count == 0) return;
        queue_->settle();
        queue_->download(binding(from, bytes), lanesort::detail::one_row(to, bytes * count));
        queue_->wait();
    }
    void upload(const std::byte* from, const Place& to, std::size_t bytes, std::uint64_t count) {
        if (bytes * count == 0) return;
        queue_->settle();
        queue_->upload(lanesort::detail::one_row(const_cast<std::byte*>(from), bytes * count), binding(to, bytes));
        queue_->wait();
    }

    Ranks& ranks_;
    Sorter& sorter_;
    const PlacedCall& placed_;
    const Options& options_;
    Steps steps_;
    SorterCore* core_ = nullptr;
    std::unique_ptr<lanesort::detail::DeviceQueue> queue_;  ///< of device memory
    std::unique_ptr<std::byte[]> copy_;
    Elements in_host_memory_;
};

}  // namespace

void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    const bool by_splitters = all[0].schedule == Schedule::distribution;
    (by_splitters ? sort_by_splitters : sort_in_blocks)(ranks, store, all, given);
}

void sort_indices(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& keys) {
    const std::uint64_t me = ranks.rank();
    store.steps([&] { store.number(keys.values, all[me].count, intervals_of(all)[me]); });
    sort_elements(ranks, store, all, keys);
}

void run_on_device(Ranks& ranks, Sorter& sorter, const PlacedCall& call, const Options& options, bool is_staged) {
    CallOnRanks(ranks, sorter, call, options).run(is_staged);
}

void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes) {
    CallOnRanks(ranks, sorter, {nullptr, nullptr, false, call}, {.piece_bytes = piece_bytes}).run(false);
}

}  // namespace lanesort::inline v0_1::mpi
