// SPDX-License-Identifier: MIT
// Calls in device memory: what each checks, and where its elements lie.
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "calls.hpp"
#include "core/memory_check.hpp"
#include "device_store.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

using lanesort::detail::Binding, lanesort::detail::Slot, lanesort::detail::SorterCore;
using Place = AnyCall::Place;

class CallOnDevice {
public:
    CallOnDevice(Ranks& ranks, Sorter& sorter, const DeviceCall& device, const Options& options)
        : ranks_(ranks), sorter_(sorter), device_(device), options_(options) {}

    void run(bool is_staged) {
        const bool is_top_k = request().operation == Operation::top_k;
        attempt_([&] {
            check();
            if (!is_top_k && !device_.has_addresses) stage();
        });
        const std::vector<Description> all = agreed(ranks_, description(), attempt_);
        if (is_top_k) select(all);
        else if (device_.has_addresses) sort(all, is_staged);
        else sort_staged(all);
    }

private:
    const Request& request() const noexcept { return device_.call.request; }
    bool is_argsort() const noexcept { return request().operation == Operation::argsort; }
    std::size_t key_bytes() const noexcept { return request().key.bytes(); }
    /// Of indices, which are sorted as values are.
    std::size_t value_bytes() const noexcept { return request().value_bytes + request().index_bytes; }
    const Place& values() const noexcept { return is_argsort() ? device_.call.indices : device_.call.values; }

    void check() {
        check_request(request());
        require(!options_.order && options_.schedule == Schedule::automatic && !options_.data_independent,
                "on device memory, the range says order, schedule and `data_independent`, not the options");
        require(!request().key.is_record(), "keys are records; across ranks, numbers are sorted");
        require(request().index_bytes == 8 || (request().index_bytes == 0 && !is_argsort()),
                "indices across ranks have 8 bytes");
        core_ = &lanesort::detail::core_of(sorter_, device_.backend);
        core_->backend().check({device_.queue, {}});
        const Alone alone(*core_, request());
        lanesort::detail::check_device_memory(alone.arrays, lanesort::detail::bindings_of(device_.call),
                                              core_->backend(), alone.request);
        queue_ = core_->backend().use_queue(device_.queue);
    }

    Description description() const {
        Description mine = describe(Verb::sort, ConstKeys(nullptr, 0, request().key), value_bytes(), 0, options_);
        mine.count = request().count;
        mine.order = request().order_or_usual();
        mine.schedule = request().schedule;
        mine.data_independent = request().data_independent;
        mine.on_device = 1;
        if (is_argsort()) mine.verb = Verb::argsort;
        if (request().operation == Operation::top_k) mine.verb = Verb::top_k, mine.wanted = request().first;
        return mine;
    }

    // ---- Memory that is told by addresses ----

    void sort(const std::vector<Description>& all, bool is_staged) {
        const auto at = [](const Place& place, std::size_t bytes) {
            return place.memory ? static_cast<std::byte*>(place.memory) + place.offset * bytes : nullptr;
        };
        const Elements given =
            elements(at(device_.call.keys, key_bytes()), key_bytes(), at(values(), value_bytes()), value_bytes());
        Request alone = request();
        alone.operation = Operation::sort;
        alone.value_bytes = value_bytes();
        alone.index_bytes = 0;
        // Indices keep equal keys in order, in a sort that looks at them.
        if (is_argsort()) alone.stable = false;
        DeviceStore store(*core_, *queue_, alone, is_staged);
        if (is_argsort()) {
            Elements copied = given;
            store.attempt([&] {
                copied.keys = store.allocate(alone.count * key_bytes());
                store.copy(elements(given.keys, key_bytes()), elements(copied.keys, key_bytes()), alone.count);
            });
            sort_indices(ranks_, store, all, copied);
        } else sort_elements(ranks_, store, all, given);
        attempt_([&] { store.wait(); });
        attempt_.agree(ranks_);
    }

    // ---- Memory that has no addresses: all of it passes through host memory ----

    void stage() {
        copy_ = std::make_unique_for_overwrite<std::byte[]>(request().count * (key_bytes() + value_bytes()));
        staged_ = elements(nullptr, key_bytes(), nullptr, value_bytes()).at(copy_.get(), request().count);
        download(device_.call.keys, staged_.keys, key_bytes(), request().count);
        if (!is_argsort()) download(values(), staged_.values, value_bytes(), request().count);
    }

    void sort_staged(const std::vector<Description>& all) {
        HostStore store(sorter_, all[0]);
        (is_argsort() ? sort_indices : sort_elements)(ranks_, store, all, staged_);
        attempt_([&] {
            if (!is_argsort()) upload(staged_.keys, device_.call.keys, key_bytes(), request().count);
            upload(staged_.values, values(), value_bytes(), request().count);
        });
        attempt_.agree(ranks_);
    }

    // ---- The first keys: those of each rank pass through host memory ----

    void select(const std::vector<Description>& all) {
        const Place &results = device_.call.results, &indices = device_.call.indices;
        const auto select_own = [&](std::uint64_t count, const Elements& found) {
            AnyCall alone = device_.call;
            alone.request.first = count;
            lanesort::detail::enqueue(sorter_, device_.backend, {device_.queue, {}}, alone, nullptr);
            download(results, found.keys, key_bytes(), count);
            download(indices, found.values, value_bytes(), count);
        };
        const auto deliver = [&](const Elements& best) {
            upload(best.keys, results, key_bytes(), request().first);
            upload(best.values, indices, value_bytes(), request().first);
        };
        select_from_all(ranks_, sorter_, all, std::cref(select_own), std::cref(deliver));
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
    const DeviceCall& device_;
    const Options& options_;
    Attempts attempt_;
    SorterCore* core_ = nullptr;
    std::unique_ptr<lanesort::detail::DeviceQueue> queue_;
    std::unique_ptr<std::byte[]> copy_;
    Elements staged_;
};

}  // namespace

void run_on_device(Ranks& ranks, Sorter& sorter, const DeviceCall& device, const Options& options, bool is_staged) {
    CallOnDevice(ranks, sorter, device, options).run(is_staged);
}

}  // namespace lanesort::inline v0_1::mpi
