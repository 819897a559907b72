// SPDX-License-Identifier: MIT
// What one rank gets wrong and what fails on it is an error on all of them, and none waits.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/device.hpp>
#include <lanesort/mpi.hpp>

#include "communicator.hpp"
#include "core/sorter_core.hpp"
#include "large/ranks/calls.hpp"
#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;

namespace {

/// The caller's queue, each call of which may fail.
class FailingQueue final : public detail::DeviceQueue {
public:
    FailingQueue(std::function<void()> count, std::unique_ptr<detail::DeviceQueue> queue)
        : count_(std::move(count)), queue_(std::move(queue)) {}

    void* allocate(std::uint64_t bytes) override { return count_(), queue_->allocate(bytes); }
    void upload(const detail::Rows& from, const detail::Binding& to) override { count_(), queue_->upload(from, to); }
    void download(const detail::Binding& from, const detail::Rows& to) override {
        count_(), queue_->download(from, to);
    }
    void copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) override {
        count_(), queue_->copy(from, to, bytes);
    }
    void run(const detail::Work& work, const detail::Bindings& bindings) override {
        count_(), queue_->run(work, bindings);
    }
    std::shared_ptr<const detail::QueueEnd> end() override { return count_(), queue_->end(); }
    void wait() override { count_(), queue_->wait(); }
    void await(std::shared_ptr<const detail::QueueEnd> end) override { count_(), queue_->await(std::move(end)); }

private:
    std::function<void()> count_;
    std::unique_ptr<detail::DeviceQueue> queue_;
};

/// The built-in device, of which one call fails.
class FailingBackend final : public detail::Backend {
public:
    explicit FailingBackend(std::size_t& calls_left) : left_(calls_left), device_(built_in_device().handle().open()) {}

    const DeviceInfo& info() const noexcept override { return device_->info(); }
    std::shared_ptr<const detail::Program> compile(const detail::KernelParameters& parameters) override {
        return device_->compile(parameters);
    }
    void release() override { device_->release(); }
    detail::MemoryFacts inspect(void* memory) const override { return device_->inspect(memory); }
    void check(const detail::Queue& queue) const override { device_->check(queue); }
    SortReport run_on_host_memory(const detail::Work& work, const detail::Bindings& bindings,
                                  const std::function<void(std::size_t, std::size_t)>& progress) override {
        schedules_.push_back(work.report.schedule);
        return device_->run_on_host_memory(work, bindings, progress);
    }
    std::unique_ptr<detail::DeviceQueue> use_queue(void* callers) override {
        return std::make_unique<FailingQueue>([this] { count(); }, device_->use_queue(callers));
    }
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue& queue,
                 void** event) override {
        count();
        device_->enqueue(work, bindings, queue, event);
    }
    std::unique_ptr<detail::SharedMemory> allocate(std::uint64_t bytes, bool on_host) override {
        count();
        return device_->allocate(bytes, on_host);
    }
    /// Of what ran on host memory.
    const std::vector<Schedule>& schedules() const { return schedules_; }

private:
    void count() {
        if (left_ > 0 && --left_ == 0) throw Error(ErrorCode::out_of_memory, "a call that is to fail");
    }

    std::size_t& left_;
    std::unique_ptr<detail::Backend> device_;
    std::vector<Schedule> schedules_;
};

}  // namespace

TEST_CASE("ranks: a call to one rank's device that fails is an error on all, and nobody waits") {
    if (are_many()) return;
    const bool fails = rank() == ranks() / 2;
    std::size_t left = 0;
    Sorter used(std::make_unique<detail::SorterCore>(std::make_unique<FailingBackend>(left),
                                                     SorterOptions{.use_tuned = false}));
    std::vector<std::uint32_t> given(rank() == 0 ? 301 : 300), keys(given.size()), best(20);
    std::vector<std::uint64_t> indices(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<std::uint32_t>(i * 7919 % 1000);
    KeyRangeIn<void*> range{.memory = keys.data(), .count = keys.size(), .type = KeyType::u32};
    const ValueRangeIn<void*> index_range{indices.data(), 0, 8};
    // Of fewer keys, in fewer pieces: otherwise an argsort is a sort.
    KeyRangeIn<void*> few = range;
    few.count = 50;
    std::vector<AnyCall> calls{lanesort::argsort(few, index_range),
                               lanesort::top_k(range, best.size(), {best.data(), 0, index_range})};
    for (const Schedule schedule : {Schedule::columns, Schedule::network, Schedule::distribution}) {
        range.schedule = schedule;
        calls.push_back(lanesort::sort(range));
    }
    for (const AnyCall& call : calls)
        for (const bool is_staged : {false, true})
            for (std::size_t number = 1; number < 200; ++number) {
                CAPTURE(name(call.request.operation));
                CAPTURE(name(call.request.schedule));
                CAPTURE(number);
                keys = given;
                std::ranges::fill(indices, ~std::uint64_t{0});
                std::ranges::fill(best, 0u);
                mpi::Communicator on(MPI_COMM_WORLD);
                left = fails ? number : 0;
                const auto code = error_of([&] {
                                      mpi::run_on_device(on, used, {used.device().backend.c_str(), nullptr, true, call},
                                                         {.piece_bytes = 400}, is_staged);
                                  }).first;
                std::uint64_t has_failed = fails && left == 0 && code ? 1 : 0;
                MPI_Bcast(&has_failed, 1, MPI_UINT64_T, ranks() / 2, MPI_COMM_WORLD);
                left = 0;
                if (has_failed == 0) {
                    // The call has fewer calls to the device than that.
                    CHECK(!code);
                    CHECK(number < 199);
                    switch (call.request.operation) {
                        case Operation::argsort:
                            CHECK(keys == given);
                            CHECK(std::ranges::count(indices, ~std::uint64_t{0}) ==
                                  static_cast<std::ptrdiff_t>(indices.size() - 50));
                            break;
                        case Operation::top_k:
                            CHECK(keys == given);
                            CHECK(best[0] > 0);
                            CHECK(std::ranges::is_sorted(best, std::greater<>()));
                            break;
                        default: CHECK(std::ranges::is_sorted(keys));
                    }
                    break;
                }
                CHECK(code == (fails ? ErrorCode::out_of_memory : ErrorCode::device_failed));
            }
}

TEST_CASE("ranks: no rank's sort is a distribution where they are data-independent") {
    if (are_many()) return;
    std::size_t left = 0;
    auto backend = std::make_unique<FailingBackend>(left);
    const auto& schedules = backend->schedules();
    Sorter used(std::make_unique<detail::SorterCore>(std::move(backend), SorterOptions{.use_tuned = false}));
    enum class Way { sort, argsort, sort_of_a_buffer };
    for (const Way way : {Way::sort, Way::argsort, Way::sort_of_a_buffer})
        for (const bool data_independent : {false, true}) {
            const bool with_indices = way == Way::argsort;
            std::vector<std::uint64_t> keys(20'001), indices(keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 7919 % 10007;
            // As C and Python call it.
            AnyCall call;
            call.request = {.operation = with_indices ? Operation::argsort : Operation::sort,
                            .count = keys.size(),
                            .index_bytes = with_indices ? 8u : 0u,
                            .data_independent = data_independent,
                            .key = KeyType::u64};
            call.keys.memory = keys.data();
            call.indices.memory = indices.data();
            mpi::Communicator on(MPI_COMM_WORLD);
            const auto first = static_cast<std::ptrdiff_t>(schedules.size());
            if (way == Way::sort_of_a_buffer)
                mpi::run_on_device(on, used, {used.device().backend.c_str(), nullptr, false, call}, {}, true);
            else mpi::run(on, used, call, std::size_t{1} << 20);
            // Pairs of the built-in device are never distributed.
            CHECK((std::count(schedules.begin() + first, schedules.end(), Schedule::distribution) > 0) ==
                  (!data_independent && !with_indices));
        }
}

TEST_CASE("ranks: what one rank gets wrong is an error on all, before anything moves") {
    const int last = ranks() - 1;
    const bool odd_one = rank() == last;
    std::vector<std::uint32_t> keys{3, 1, 2};
    std::vector<float> floats{3, 1, 2};
    const auto refused = [&](const auto& call) {
        seen = {};
        const auto [code, sentence] = error_of(call);
        CHECK(code == ErrorCode::invalid_argument);
        CHECK(seen == mpi::Traffic{});
        CHECK(keys == std::vector<std::uint32_t>{3, 1, 2});
        return sentence;
    };
    if (ranks() > 1) {
        CHECK(refused([&] {
                  if (odd_one) mpi::sort(MPI_COMM_WORLD, sorter(), floats);
                  else mpi::sort(MPI_COMM_WORLD, sorter(), keys);
              }).find("f32") != std::string::npos);
        refused([&] {
            mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.order = odd_one ? Order::descending : Order::ascending});
        });
        refused([&] { mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.piece_bytes = odd_one ? 1u : 2u}); });
        refused([&] {
            mpi::sort(MPI_COMM_WORLD, sorter(), keys,
                      {.schedule = odd_one ? Schedule::distribution : Schedule::automatic});
        });
        refused([&] { mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.data_independent = odd_one}); });
        refused([&] {
            std::vector<std::uint64_t> values(3);
            if (odd_one) mpi::sort(MPI_COMM_WORLD, sorter(), keys);
            else mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, values);
        });
        refused([&] {
            std::vector<std::uint32_t> best(odd_one ? 1 : 2);
            mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best);
        });
    }
    refused([&] {
        std::vector<std::uint64_t> values(odd_one ? 2 : 3);
        mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, values);
    });
    refused([&] { mpi::sort(MPI_COMM_WORLD, sorter(), Keys(odd_one ? nullptr : keys.data(), 3, KeyType::u32)); });
    refused([&] { mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, Values(keys.data(), 3, 0)); });
    refused([&] { mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.piece_bytes = 0}); });
    refused([&] {
        mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.schedule = Schedule::distribution, .data_independent = true});
    });
    // Options that are none, on all ranks and on one.
    for (const bool everywhere : {true, false})
        for (const mpi::Options& none : {mpi::Options{.order = static_cast<Order>(7)},
                                         {.schedule = Schedule(77)},
                                         {.device_messages = static_cast<mpi::DeviceMessages>(7)}}) {
            const mpi::Options options = everywhere || odd_one ? none : mpi::Options{};
            std::vector<std::uint64_t> indices(3);
            const std::string sentence = refused([&] { mpi::sort(MPI_COMM_WORLD, sorter(), keys, options); });
            const bool is_of_messages = none.device_messages != mpi::DeviceMessages::automatic;
            if (everywhere || odd_one)
                CHECK(sentence.find(is_of_messages ? "there are no such messages" : "there is no ") == 0);
            refused([&] { mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, indices, options); });
            refused([&] { mpi::argsort(MPI_COMM_WORLD, sorter(), keys, indices, options); });
            refused([&] {
                std::vector<std::uint32_t> best(2);
                mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best, options);
            });
        }
    refused([&] {
        std::vector<std::uint32_t> best(2);
        mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best, {.schedule = Schedule::network});
    });
    CHECK(refused([&] {
              mpi::sort(MPI_COMM_WORLD, sorter(), cu::Stream(), {.memory = keys.data(), .count = keys.size(), .type = KeyType::u32},
                        {.device_messages = static_cast<mpi::DeviceMessages>(9)});
          }).find("no such messages") != std::string::npos);
    refused([&] {
        std::vector<std::uint32_t> indices(3);
        mpi::argsort(MPI_COMM_WORLD, sorter(), keys, indices);
    });
    refused([&] {
        std::vector<std::uint32_t> best(static_cast<std::size_t>(3 * ranks() + 1));
        mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best);
    });
    const Comparator by_number{.type = "uint", .bytes = 4, .before = "a < b"};
    CHECK(refused([&] {
              mpi::sort(MPI_COMM_WORLD, sorter(), {keys, by_number});
          }).find("numbers are sorted") != std::string::npos);
    // One rank's arrays overlap.
    std::vector<std::uint32_t> others(3);
    std::vector<std::uint64_t> wide{3, 1, 2}, other_wide(3);
    const auto of = [&](auto& mine, auto& apart) { return odd_one ? mine.data() : apart.data(); };
    for (const Schedule schedule : {Schedule::automatic, Schedule::network, Schedule::distribution}) {
        CHECK(refused([&] {
                  mpi::sort_by_key(MPI_COMM_WORLD, sorter(), keys, Values(of(keys, others), 3, 4),
                                   {.schedule = schedule});
              }).find(odd_one ? "overlap" : "refused") != std::string::npos);
        refused([&] {
            mpi::argsort(MPI_COMM_WORLD, sorter(), wide, Indices(of(wide, other_wide), 3, 8), {.schedule = schedule});
        });
        CHECK(wide == std::vector<std::uint64_t>{3, 1, 2});
    }
    refused([&] { mpi::top_k(MPI_COMM_WORLD, sorter(), keys, Results(of(keys, others) + 1, 1, 4)); });
    // More keys than there is memory for, by mistake.
    seen = {};
    const Keys too_many(keys.data(), odd_one || ranks() < 3 ? std::size_t{1} << 60 : 3, KeyType::u32);
    CHECK(error_of([&] { mpi::sort(MPI_COMM_WORLD, sorter(), too_many); }).first == ErrorCode::too_large);
    CHECK(seen == mpi::Traffic{});
    CHECK(error_of([&] {
              mpi::argsort(MPI_COMM_WORLD, sorter(), too_many, Indices(wide.data(), too_many.size(), 8));
          }).first == ErrorCode::too_large);
    refused([&] { mpi::top_k(MPI_COMM_WORLD, sorter(), keys, Results(others.data(), std::size_t{1} << 61, 4)); });
    // Two ranks for two reasons: the first one's code on all.
    if (ranks() > 1)
        CHECK(error_of([&] {
                  if (rank() == 0)
                      mpi::sort(MPI_COMM_WORLD, sorter(), Keys(keys.data(), std::size_t{1} << 60, KeyType::u32));
                  else mpi::sort(MPI_COMM_WORLD, sorter(), keys, {.piece_bytes = odd_one ? 0u : 1u});
              }).first == ErrorCode::too_large);
    // More keys of the last rank than MPI can count, which nobody has the memory for here.
    std::vector<mpi::Description> all(static_cast<std::size_t>(ranks()));
    all.back().count = std::uint64_t{1} << 31;
    all.front().schedule = Schedule::distribution;
    mpi::HostStore store(sorter(), all[0]);
    mpi::Communicator on(MPI_COMM_WORLD);
    seen = {};
    CHECK(error_of([&] { mpi::sort_elements(on, store, all, {}); }).first == ErrorCode::too_large);
    CHECK(seen == mpi::Traffic{});
    CHECK(error_of([&] { mpi::sort(MPI_COMM_NULL, sorter(), keys); }).first == ErrorCode::invalid_argument);
    // The next call is none the worse.
    mpi::sort(MPI_COMM_WORLD, sorter(), keys);
    CHECK(std::is_sorted(keys.begin(), keys.end()));
}

TEST_CASE("ranks: a sorter that fails on one rank is an error on all, and nobody waits") {
    struct Stop {};
    const bool fails = rank() == ranks() / 2;
    // `progress` is called after each pass, and what it throws comes out of the call.
    Sorter failing(find_device("built-in"), {.use_tuned = false, .progress = [&](std::size_t, std::size_t) {
                                                 if (fails) throw Stop{};
                                             }});
    for (const auto& [count, schedule] :
         {std::pair{std::size_t{9}, Schedule::automatic}, {700, Schedule::automatic}, {700, Schedule::distribution}}) {
        std::vector<std::uint32_t> keys(count);
        std::iota(keys.rbegin(), keys.rend(), 0u);
        bool stopped = false;
        std::optional<ErrorCode> code;
        try {
            mpi::sort(MPI_COMM_WORLD, failing, keys, {.schedule = schedule});
        } catch (const Stop&) {
            stopped = true;
        } catch (const Error& error) {
            code = error.code();
        }
        CHECK(stopped == fails);
        if (!fails) CHECK(code == ErrorCode::device_failed);
    }
}
