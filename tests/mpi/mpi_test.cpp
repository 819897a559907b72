// Sorts across ranks against the standard library's sort of everything gathered, and what is sent against the plan.
// Every rank runs every case; a check that fails on one rank ends no case, so that none waits for it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/mpi.hpp>

#include "blocks.hpp"
#include "c_interface.h"
#include "calls.hpp"
#include "communicator.hpp"
#include "core/sorter_core.hpp"
#include "device_store.hpp"
#include "key_order.hpp"
#include "splitters.hpp"

using namespace lanesort;

// ---- What is sent, seen by MPI's profiling interface ----

namespace {
mpi::Traffic seen;
int ranks() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}
int rank() {
    int of = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &of);
    return of;
}
/// So many that they take turns on a small machine, where each message waits for a turn: what does not depend on the
/// number of ranks is left to fewer.
bool are_many() { return ranks() > 5; }
void see(int count) {
    ++seen.messages;
    seen.message_bytes += static_cast<std::uint64_t>(count);
}
}  // namespace

extern "C" {
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type,
                 MPI_Comm on) {
    ++seen.all_to_alls;
    seen.all_to_all_bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(ranks() - 1);
    return PMPI_Alltoall(from, count, type, to, to_count, to_type, on);
}
int MPI_Alltoallv(const void* from, const int* counts, const int* begins, MPI_Datatype type, void* to,
                  const int* to_counts, const int* to_begins, MPI_Datatype to_type, MPI_Comm on) {
    int width = 0;
    MPI_Type_size(type, &width);
    ++seen.all_to_alls;
    for (int i = 0; i < ranks(); ++i)
        if (i != rank()) seen.all_to_all_bytes += static_cast<std::uint64_t>(counts[i]) * static_cast<unsigned>(width);
    return PMPI_Alltoallv(from, counts, begins, type, to, to_counts, to_begins, to_type, on);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm on) {
    // Of one number it is what the ranks agree by; a round of splitters has more.
    if (count > 1) {
        ++seen.reductions;
        seen.reduction_bytes += 8 * static_cast<std::uint64_t>(count);
    }
    return PMPI_Allreduce(from, to, count, type, operation, on);
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm on) {
    ++seen.reductions;
    seen.reduction_bytes += 8 * static_cast<std::uint64_t>(count);
    return PMPI_Exscan(from, to, count, type, operation, on);
}
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm on, MPI_Request* request) {
    see(count);
    return PMPI_Isend(from, count, type, to, tag, on, request);
}
}

namespace {

using Counts = std::vector<std::uint64_t>;

std::uint64_t most_counts() {
    return 3 * lanesort::Blocks{.count = 1, .blocks = static_cast<std::uint64_t>(ranks())}.window();
}

/// Counts that are equal, nearly so, all on one rank, ascending, random, with empty ranks, and none at all; so few that
/// blocks are merged, and enough for columns.
std::vector<Counts> cases() {
    const auto p = static_cast<std::size_t>(ranks());
    const std::uint64_t many = 2 * (p - 1) * (p - 1);
    std::mt19937_64 random(7);
    std::vector<Counts> all{Counts(p, 0),
                            Counts(p, 1),
                            Counts(p, 5),
                            Counts(p, std::max<std::uint64_t>(many, 1) - 1),
                            Counts(p, many),
                            Counts(p, many + 1),
                            Counts(p, many + p + 3),
                            Counts(p, many + 300)};
    for (const std::uint64_t size : {std::uint64_t{4}, many, many + 90}) {
        Counts one(p), ascending(p), any(p), short_last(p, size);
        one[p / 2] = p * size + 1;
        for (std::size_t i = 0; i < p; ++i) ascending[i] = 2 * i * size / p;
        for (std::uint64_t& count : any) count = random() % 3 == 0 ? 0 : random() % (2 * size + 1);
        short_last[p - 1] = size > p ? size - p / 2 : 0;
        for (Counts& counts : {std::ref(one), std::ref(ascending), std::ref(any), std::ref(short_last)})
            all.push_back(counts);
    }
    return all;
}

const char* const distributions[] = {"random", "sorted", "reversed", "equal", "few values", "special bits"};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The same keys on all ranks, who take their parts of them; as ordered integers.
template <class Bits>
std::vector<Bits> keys_of(std::size_t distribution, std::size_t count) {
    std::mt19937_64 random(distribution * 1000 + count);
    std::vector<Bits> keys(count);
    for (Bits& key : keys)
        key = static_cast<Bits>(distribution == 3 ? 42 : distribution == 4 ? random() % 3 : random());
    if (distribution == 5)  // NaNs of both signs, infinities, zeros, the largest and the smallest
        for (Bits& key : keys) {
            const Bits ones = static_cast<Bits>(~Bits{0}), sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
            const Bits some[] = {ones,
                                 0,
                                 sign,
                                 static_cast<Bits>(ones >> 1),
                                 static_cast<Bits>(ones >> 2),
                                 static_cast<Bits>(ones - 1),
                                 static_cast<Bits>(ones << (sizeof(Bits) * 8 - 9 % (sizeof(Bits) * 8)))};
            key = some[random() % 7];
        }
    if (distribution == 1) std::sort(keys.begin(), keys.end());
    if (distribution == 2) std::sort(keys.begin(), keys.end(), std::greater<>());
    return keys;
}

/// The part of this rank.
template <class T>
std::vector<T> part(const std::vector<T>& all, const Counts& counts) {
    const auto me = static_cast<std::size_t>(rank());
    const auto begin =
        static_cast<std::ptrdiff_t>(std::accumulate(counts.begin(), counts.begin() + rank(), std::uint64_t{0}));
    return {all.begin() + begin, all.begin() + begin + static_cast<std::ptrdiff_t>(counts[me])};
}

std::size_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

std::string text(const Counts& counts) {
    std::string all;
    for (const std::uint64_t count : counts) all += std::to_string(count) + " ";
    return all;
}

Sorter& sorter() {
    static Sorter one(find_device("built-in"), {.use_tuned = false});
    return one;
}

template <class Bits>
std::vector<std::size_t> sorted_places(const std::vector<Bits>& keys, KeyType type, Order order) {
    const KeyCoding how = key_coding(type, order);
    std::vector<std::size_t> places(keys.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return encode(keys[a], how) < encode(keys[b], how); });
    return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& all, const std::vector<std::size_t>& places) {
    std::vector<T> some;
    for (const std::size_t place : places) some.push_back(all[place]);
    return some;
}

template <class Function>
void with_bits(KeyType type, const Function& function) {
    switch (key_bytes(type)) {
        case 1: return function(std::uint8_t{});
        case 2: return function(std::uint16_t{});
        case 4: return function(std::uint32_t{});
        default: return function(std::uint64_t{});
    }
}

/// The code and the sentence of the error that the call throws.
template <class Call>
std::pair<std::optional<ErrorCode>, std::string> error_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

}  // namespace

namespace {

/// No more than planned in any way.
bool is_within(const mpi::Traffic& some, const mpi::Traffic& planned) {
    return some.all_to_alls <= planned.all_to_alls && some.all_to_all_bytes <= planned.all_to_all_bytes &&
           some.messages <= planned.messages && some.message_bytes <= planned.message_bytes &&
           some.reductions <= planned.reductions && some.reduction_bytes <= planned.reduction_bytes;
}

}  // namespace

TEST_CASE("ranks: keys of every type, order, distribution, count and schedule") {
    std::size_t turn = 0;
    for (const Counts& counts : cases())
        for (std::size_t distribution = 0; distribution < std::size(distributions); ++distribution) {
            // Every type and order meets every case of counts and every distribution in some run of ranks.
            const KeyType type = all_key_types[++turn % std::size(all_key_types)];
            const Order order = turn % 2 ? Order::ascending : Order::descending;
            CAPTURE(text(counts));
            CAPTURE(distributions[distribution]);
            CAPTURE(name(type));
            with_bits(type, [&](auto bits) {
                const auto all = keys_of<decltype(bits)>(distribution, sum(counts));
                const auto given = part(all, counts);
                const auto wanted = part(taken(all, sorted_places(all, type, order)), counts);
                const Schedule others[] = {Schedule::network, Schedule::distribution, Schedule::columns};
                for (const Schedule schedule : {Schedule::automatic, others[turn % 3]}) {
                    CAPTURE(name(schedule));
                    auto mine = given;
                    seen = {};
                    // Pieces of a few keys, and of all.
                    const mpi::Options options{.order = order,
                                               .piece_bytes = turn % 4 ? std::size_t{1} << 20 : 61 * sizeof(bits),
                                               .schedule = schedule};
                    mpi::sort(MPI_COMM_WORLD, sorter(), Keys(mine.data(), mine.size(), type), options);
                    CHECK(mine == wanted);
                    const mpi::Traffic planned =
                        mpi::traffic(counts, static_cast<std::uint64_t>(rank()), sizeof(bits), 0, options);
                    CHECK((schedule == Schedule::distribution ? is_within(seen, planned) : seen == planned));
                    if (schedule == Schedule::network) CHECK(seen.all_to_alls == 0);
                }
            });
        }
}

TEST_CASE("ranks: equal counts are sorted in place, and each rank sends at most three times its keys") {
    const auto p = static_cast<std::uint64_t>(ranks());
    for (const std::uint64_t n :
         {2 * (p - 1) * (p - 1), 2 * (p - 1) * (p - 1) + 1, std::uint64_t{5000}, std::uint64_t{1} << 40}) {
        const Counts counts(p, n);
        for (std::uint64_t i = 0; i < p; ++i) CHECK(mpi::traffic(counts, i, 4, 8).bytes() <= 3 * n * 12);
    }
}

TEST_CASE("ranks: pairs, whose values decide where keys are equal") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4})
            for (const Order order : {Order::ascending, Order::descending}) {
                const std::size_t count = sum(counts);
                const auto all = keys_of<std::uint32_t>(distribution, count);
                const auto values = keys_of<std::uint64_t>(distribution == 3 ? 0 : 4, count);
                std::vector<std::size_t> places(count);
                std::iota(places.begin(), places.end(), std::size_t{0});
                std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
                    if (all[a] != all[b]) return (all[a] < all[b]) == (order == Order::ascending);
                    return values[a] < values[b];
                });
                CAPTURE(text(counts));
                for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
                    if (order == Order::descending && (schedule == Schedule::distribution) != (distribution == 3))
                        continue;
                    auto mine = part(all, counts);
                    auto my_values = part(values, counts);
                    seen = {};
                    const mpi::Options options{.order = order, .piece_bytes = 1000, .schedule = schedule};
                    mpi::sort_by_key(MPI_COMM_WORLD, sorter(), mine, my_values, options);
                    CHECK(mine == part(taken(all, places), counts));
                    CHECK(my_values == part(taken(values, places), counts));
                    CHECK(is_within(seen, mpi::traffic(counts, static_cast<std::uint64_t>(rank()), 4, 8, options)));
                }
            }
    // Values wider than keys, and of 16 bytes.
    const Counts counts(static_cast<std::size_t>(ranks()), most_counts() + 7);
    struct Wide {
        std::uint64_t low, high;
        bool operator==(const Wide&) const = default;
    };
    const auto all = keys_of<std::uint8_t>(4, sum(counts));
    std::vector<Wide> values(all.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {i * 7919 % 13, i / 40 * 3};
    std::vector<std::size_t> places(all.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(all[a], values[a].high, values[a].low) < std::tuple(all[b], values[b].high, values[b].low);
    });
    for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
        auto mine = part(all, counts);
        auto my_values = part(values, counts);
        mpi::sort_by_key(MPI_COMM_WORLD, sorter(), mine, my_values, {.schedule = schedule});
        CHECK(mine == part(taken(all, places), counts));
        CHECK(my_values == part(taken(values, places), counts));
    }
}

namespace {

/// An array in the memory of a device, some elements behind where that begins.
class OnDevice {
public:
    template <class T>
    OnDevice(Sorter& of, const std::vector<T>& elements)
        : backend_(of.core().backend()),
          memory_(backend_.allocate_plain((elements.size() + before) * sizeof(T), false)) {
        if (!elements.empty()) backend_.upload(nullptr, elements.data(), at<T>(), elements.size() * sizeof(T));
    }
    template <class T>
    std::vector<T> read(std::size_t count) const {
        std::vector<T> elements(count);
        if (count > 0) backend_.download(nullptr, at<T>(), elements.data(), count * sizeof(T));
        return elements;
    }
    AnyCall::Place place() const { return {memory_->handle, before}; }

private:
    static constexpr std::size_t before = 3;

    template <class T>
    detail::Binding at() const {
        return {memory_->handle, before * sizeof(T)};
    }

    detail::Backend& backend_;
    std::unique_ptr<detail::SharedMemory> memory_;
};

/// The built-in device, whose memory is the host's, and a GPU of the machine's.
std::vector<Sorter*> sorters_with_memory() {
    static Sorter built_in(find_device("built-in"), {.use_tuned = false});
    static std::optional<Sorter> gpu;
    std::vector<Device> gpus = devices();
    std::erase_if(gpus, [](const Device& device) { return device.info().backend != std::string("CUDA"); });
    if (!gpus.empty() && !gpu) gpu.emplace(gpus[static_cast<std::size_t>(rank()) % gpus.size()]);
    std::vector<Sorter*> all{&built_in};
    if (gpu) all.push_back(&*gpu);
    return all;
}

/// Of CUDA memory MPI is given only what it takes.
void sort_in_memory(Sorter& used, const AnyCall& call, const mpi::Options& options) {
    const bool is_cuda = used.device().backend == std::string("CUDA");
    mpi::Communicator ranks(MPI_COMM_WORLD);
    const bool is_staged =
        options.device_messages == mpi::DeviceMessages::staged || (is_cuda && !mpi::takes_cuda_memory());
    mpi::sort_on_device(ranks, used, {used.device().backend.c_str(), nullptr, true, call}, options, is_staged);
}

/// Sorts keys, and values where there are any, in the device's memory.
template <class Bits, class Value>
void check_in_memory(Sorter& used, const Counts& counts, std::size_t distribution, KeyType type, Order order,
                     Schedule schedule, bool with_values, mpi::Options options) {
    CAPTURE(used.device().name);
    CAPTURE(text(counts));
    CAPTURE(name(type));
    CAPTURE(name(schedule));
    CAPTURE(with_values);
    const auto all = keys_of<Bits>(distribution, sum(counts));
    const auto numbers = keys_of<std::uint8_t>(4, all.size());
    std::vector<Value> values(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) std::memset(&values[i], numbers[i], sizeof(Value));
    const KeyCoding how = key_coding(type, order);
    std::vector<std::size_t> places(all.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        const auto first = encode(all[a], how), second = encode(all[b], how);
        return first != second ? first < second : with_values && numbers[a] < numbers[b];
    });
    const auto given = part(all, counts);
    const OnDevice keys(used, given), value_memory(used, part(values, counts));
    KeyRangeIn<void*> range;
    range.memory = keys.place().memory;
    range.offset = keys.place().offset;
    range.count = given.size();
    range.type = type;
    range.order = order;
    range.schedule = schedule;
    range.data_independent = schedule == Schedule::network;
    const ValueRangeIn<void*> value_range{value_memory.place().memory, value_memory.place().offset, sizeof(Value)};
    seen = {};
    sort_in_memory(used, with_values ? lanesort::sort_by_key(range, value_range) : lanesort::sort(range), options);
    CHECK(keys.read<Bits>(given.size()) == part(taken(all, places), counts));
    const auto found = value_memory.read<Value>(given.size());
    const auto wanted = part(with_values ? taken(values, places) : values, counts);
    CHECK((found.empty() || std::memcmp(found.data(), wanted.data(), found.size() * sizeof(Value)) == 0));
    options.order = order;
    options.schedule = schedule;
    const mpi::Traffic planned = mpi::traffic(counts, static_cast<std::uint64_t>(rank()), sizeof(Bits),
                                              with_values ? sizeof(Value) : 0, options);
    CHECK((schedule == Schedule::distribution ? is_within(seen, planned) : seen == planned));
}

struct Wide {
    std::uint64_t low, high;
};

}  // namespace

TEST_CASE("ranks: keys and pairs in device memory") {
    using enum Schedule;
    const Schedule schedules[] = {automatic, network, distribution, columns, distribution};
    for (Sorter* const used : sorters_with_memory()) {
        std::size_t turn = 0;
        for (const Counts& counts : cases())
            for (const std::size_t distribution : {0, 3, 4, 5}) {
                if (are_many() && distribution % 3 == 0) continue;
                const KeyType type = all_key_types[++turn % std::size(all_key_types)];
                const Order order = turn % 2 ? Order::ascending : Order::descending;
                const mpi::Options options{
                    .piece_bytes = turn % 3 ? std::size_t{1} << 20 : 490,
                    .device_messages = turn % 4 < 2 ? mpi::DeviceMessages::staged : mpi::DeviceMessages::automatic};
                with_bits(type, [&]<class Bits>(Bits) {
                    const auto check = [&]<class Value>(Value, bool with_values) {
                        check_in_memory<Bits, Value>(*used, counts, distribution, type, order,
                                                     schedules[turn % std::size(schedules)], with_values, options);
                    };
                    if (turn % 3 == 0) check(std::uint64_t{}, true);
                    else if (turn % 7 == 0) check(Wide{}, true);
                    else check(std::uint16_t{}, false);
                });
            }
        // Pages of sorted elements that are read one by one, of two levels.
        const Counts many(static_cast<std::size_t>(ranks()), 9000);
        for (const std::size_t distribution : {0, 3, 4})
            for (const bool with_values : {false, true})
                check_in_memory<std::uint32_t, std::uint32_t>(*used, many, distribution, KeyType::u32, Order::ascending,
                                                              distribution == 0 ? columns : Schedule::distribution,
                                                              with_values, {});
    }
}

TEST_CASE("ranks: what is wrong with one rank's device memory is an error on all") {
    const bool odd_one = rank() == ranks() - 1;
    for (Sorter* const used : sorters_with_memory()) {
        const std::vector<std::uint32_t> before{3, 1, 2};
        const OnDevice keys(*used, before);
        KeyRangeIn<void*> good{.memory = keys.place().memory, .offset = keys.place().offset, .count = 3};
        const auto refused = [&](const KeyRangeIn<void*>& bad, const mpi::Options& options = {}) {
            CHECK(error_of([&] { sort_in_memory(*used, lanesort::sort(odd_one ? bad : good), options); }).first ==
                  ErrorCode::invalid_argument);
            CHECK(keys.read<std::uint32_t>(3) == before);
        };
        KeyRangeIn<void*> bad = good;
        bad.memory = nullptr;
        refused(bad);
        bad = good, bad.row_length = 3;
        refused(bad);
        if (ranks() > 1) bad = good, bad.type = KeyType::f32, refused(bad);
        refused(good, {.order = Order::descending});
        refused(good, {.data_independent = true});
        if (ranks() == 1) continue;
        // One rank calls the sort of host memory.
        std::vector<std::uint32_t> in_host_memory = before;
        const auto [code, sentence] = error_of([&] {
            if (odd_one) mpi::sort(MPI_COMM_WORLD, sorter(), in_host_memory);
            else sort_in_memory(*used, lanesort::sort(good), {});
        });
        CHECK(code == ErrorCode::invalid_argument);
        CHECK(sentence.find("in device memory") != std::string::npos);
        CHECK(in_host_memory == before);
        CHECK(keys.read<std::uint32_t>(3) == before);
    }
    // A sorter of another backend.
    const auto code = error_of([&] { mpi::sort(MPI_COMM_WORLD, sorter(), cu::Stream{}, cu::KeyRange{}); }).first;
    CHECK(code == ErrorCode::unsupported);
    CHECK(error_of([&] {
              mpi::sort_by_key(MPI_COMM_WORLD, sorter(), cu::Stream{}, cu::KeyRange{}, {.bytes = odd_one ? 0u : 4u});
          }).first != std::nullopt);
}

namespace {

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
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue& queue,
                 void** event) override {
        count();
        device_->enqueue(work, bindings, queue, event);
    }
    void copy(void* queue, const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) override {
        count();
        device_->copy(queue, from, to, bytes);
    }
    std::unique_ptr<detail::SharedMemory> allocate_plain(std::uint64_t bytes, bool on_host) override {
        count();
        return device_->allocate_plain(bytes, on_host);
    }
    void upload(void* queue, const void* from, const detail::Binding& to, std::uint64_t bytes) override {
        count();
        device_->upload(queue, from, to, bytes);
    }
    void download(void* queue, const detail::Binding& from, void* to, std::uint64_t bytes) override {
        count();
        device_->download(queue, from, to, bytes);
    }
    void wait(void*) override { count(); }
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
    detail::SorterCore core(std::make_unique<FailingBackend>(left), {.use_tuned = false});
    for (const Schedule schedule : {Schedule::columns, Schedule::network, Schedule::distribution})
        for (const bool is_staged : {false, true})
            for (std::size_t call = 1; call < 200; ++call) {
                CAPTURE(name(schedule));
                CAPTURE(call);
                std::vector<std::uint32_t> keys(rank() == 0 ? 301 : 300);
                for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 7919 % 1000);
                Request sort{.count = keys.size(), .schedule = schedule};
                mpi::Communicator on(MPI_COMM_WORLD);
                mpi::Attempts attempt;
                const auto all = mpi::agreed(
                    on, mpi::describe(mpi::Verb::sort, keys, 0, 0, {.piece_bytes = 400, .schedule = schedule}),
                    attempt);
                const mpi::Elements given{reinterpret_cast<std::byte*>(keys.data()), nullptr, 4, 0};
                left = fails ? call : 0;
                const auto code = error_of([&] {
                                      mpi::DeviceStore store(core, nullptr, sort, is_staged);
                                      mpi::sort_elements(on, store, all, given);
                                  }).first;
                std::uint64_t has_failed = fails && left == 0 && code ? 1 : 0;
                MPI_Bcast(&has_failed, 1, MPI_UINT64_T, ranks() / 2, MPI_COMM_WORLD);
                left = 0;
                if (has_failed == 0) {
                    // The sort has fewer calls than that.
                    CHECK(!code);
                    CHECK(std::is_sorted(keys.begin(), keys.end()));
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
                mpi::sort_on_device(on, used, {used.device().backend.c_str(), nullptr, false, call}, {}, true);
            else mpi::run(on, used, call, std::size_t{1} << 20);
            // Pairs of the built-in device are never distributed.
            CHECK((std::count(schedules.begin() + first, schedules.end(), Schedule::distribution) > 0) ==
                  (!data_independent && !with_indices));
        }
}

TEST_CASE("ranks: indices count over all ranks, and equal keys keep their order") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4, 5}) {
            const auto all = keys_of<std::uint32_t>(distribution, sum(counts));
            const auto mine = part(all, counts);
            const Order order = distribution == 3 ? Order::descending : Order::ascending;
            const auto places = sorted_places(all, KeyType::f32, order);
            CAPTURE(text(counts));
            for (const Schedule schedule : {Schedule::automatic, Schedule::distribution}) {
                if (schedule == Schedule::distribution && distribution % 2 == 0) continue;
                std::vector<std::uint64_t> indices(mine.size(), 99);
                mpi::argsort(MPI_COMM_WORLD, sorter(), ConstKeys(mine.data(), mine.size(), KeyType::f32), indices,
                             {.order = order, .schedule = schedule});
                CHECK(indices == part(std::vector<std::uint64_t>(places.begin(), places.end()), counts));
                CHECK(mine == part(all, counts));
            }
        }
}

TEST_CASE("ranks: the first k keys, on every rank") {
    for (const Counts& counts : cases())
        for (const std::size_t distribution : {0, 3, 4}) {
            const auto all = keys_of<std::uint16_t>(distribution, sum(counts));
            const auto mine = part(all, counts);
            for (const std::size_t wanted :
                 {std::size_t{0}, std::size_t{1}, std::size_t{17}, all.size() / 2, all.size()}) {
                if (are_many() && wanted != 17 && wanted != all.size()) continue;
                const std::size_t k = std::min(wanted, all.size());
                const Order order = distribution == 3 ? Order::ascending : Order::descending;
                auto places = sorted_places(all, KeyType::f16, order);
                places.resize(k);
                const ConstKeys keys(mine.data(), mine.size(), KeyType::f16);
                const mpi::Options options{.order = distribution == 3 ? std::optional(order) : std::nullopt};
                std::vector<std::uint16_t> best(k), alone(k);
                std::vector<std::uint64_t> indices(k);
                CAPTURE(text(counts));
                CAPTURE(k);
                mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best, indices, options);
                mpi::top_k(MPI_COMM_WORLD, sorter(), keys, alone, options);
                CHECK(best == taken(all, places));
                CHECK(alone == best);
                CHECK(std::equal(indices.begin(), indices.end(), places.begin(), places.end()));
            }
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
    refused([&] {
        std::vector<std::uint32_t> indices(3);
        mpi::argsort(MPI_COMM_WORLD, sorter(), keys, indices);
    });
    refused([&] {
        std::vector<std::uint32_t> best(static_cast<std::size_t>(3 * ranks() + 1));
        mpi::top_k(MPI_COMM_WORLD, sorter(), keys, best);
    });
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

TEST_CASE("ranks: parts between splitters have exactly the sizes that are asked for") {
    // Ranges of one process, so no rank takes part, and more ranks would do no more.
    if (ranks() > 1) return;
    std::mt19937_64 random(7);
    for (const std::size_t ranges : {1, 2, 3, 3, 7, 7, 7, 80, 80, 400})
        for (const std::uint64_t below : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 16}) {
            const mpi::Reader read(KeyType::u16, Order::descending);
            std::vector<std::vector<std::uint16_t>> keys(ranges);
            std::vector<std::uint16_t> all;
            for (auto& range : keys) {
                range.resize(random() % 3 ? random() % 40 : 0);
                for (std::uint16_t& key : range) key = static_cast<std::uint16_t>(random() % below);
                std::sort(range.begin(), range.end(), std::greater<>());
                all.insert(all.end(), range.begin(), range.end());
            }
            std::sort(all.begin(), all.end(), std::greater<>());
            // As many as there are, or all in one place, or anywhere.
            Intervals places(ranges + 1);
            for (std::uint64_t& place : places) place = all.empty() ? 0 : random() % (all.size() + 1);
            std::sort(places.begin(), places.end());
            places.front() = 0, places.back() = all.size();
            std::vector<mpi::Splitters> sides;
            for (auto& range : keys)
                sides.emplace_back(places, 2, 0, range.size(), [&](std::uint64_t i) {
                    return read({reinterpret_cast<std::byte*>(range.data()), nullptr, 2, 0}, i);
                });
            std::vector<std::uint64_t> sums;
            const auto add = [&](const std::vector<std::uint64_t>& numbers) {
                sums.resize(std::max(sums.size(), numbers.size()));
                for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
            };
            while (!sides[0].is_done()) {
                sums.clear();
                for (mpi::Splitters& side : sides) add(side.count());
                for (mpi::Splitters& side : sides) side.narrow(sums);
            }
            sums.clear();
            for (mpi::Splitters& side : sides) {
                const std::vector<std::uint64_t> own = side.equal();
                sums.resize(own.size());
                side.share_out(sums);
                add(own);
            }
            bool is_right = true;
            for (std::size_t part = 0; part < ranges; ++part) {
                std::vector<std::uint16_t> together;
                for (std::size_t i = 0; i < ranges; ++i) {
                    const Intervals& cuts = sides[i].cuts();
                    is_right = is_right && cuts[part] <= cuts[part + 1] && cuts.back() == keys[i].size();
                    if (!is_right) break;
                    together.insert(together.end(), keys[i].begin() + static_cast<std::ptrdiff_t>(cuts[part]),
                                    keys[i].begin() + static_cast<std::ptrdiff_t>(cuts[part + 1]));
                }
                std::sort(together.begin(), together.end(), std::greater<>());
                is_right =
                    is_right && together == std::vector(all.begin() + static_cast<std::ptrdiff_t>(places[part]),
                                                        all.begin() + static_cast<std::ptrdiff_t>(places[part + 1]));
            }
            CHECK(is_right);
        }
}

TEST_CASE("ranks: the table of docs/scale.md is what the plan says") {
    if (ranks() > 1) return;
    std::string guide;
    {
        std::ifstream file(LANESORT_DOCS "/scale.md");
        guide.assign(std::istreambuf_iterator<char>(file), {});
    }
    for (const std::uint64_t p : {2, 4, 16, 64, 256, 1024, 4096})
        for (const unsigned lg : {16u, 22u, 26u}) {
            const std::uint64_t n = std::uint64_t{1} << lg;
            const Counts counts(p, n);
            mpi::Traffic most, parted;
            for (std::uint64_t i = 0; i < p; ++i) {
                const mpi::Traffic one = mpi::traffic(counts, i, 4);
                if (one.bytes() > most.bytes()) most = one;
                parted = mpi::traffic(counts, i, 4, 0, {.schedule = Schedule::distribution});
            }
            const bool by_columns = most.all_to_alls > 0;
            const auto times = [&](const mpi::Traffic& of) {
                return static_cast<double>(of.bytes()) / (4.0 * static_cast<double>(n));
            };
            char row[200];
            std::snprintf(row, sizeof(row), "\n| %llu | 2^%u | %s | %llu | %s | %llu | %.2f | %llu | %llu | %.2f |\n",
                          static_cast<unsigned long long>(p), lg, by_columns ? "columns" : "merge-splits",
                          static_cast<unsigned long long>(most.all_to_alls),
                          by_columns ? std::to_string(most.all_to_all_bytes / most.all_to_alls / (p - 1)).c_str() : "",
                          static_cast<unsigned long long>(most.all_to_alls * (p - 1) + most.messages), times(most),
                          static_cast<unsigned long long>(parted.reductions - 1),
                          static_cast<unsigned long long>(4 * n / p), times(parted));
            CAPTURE(row);
            CHECK(guide.find(row) != std::string::npos);
        }
}

TEST_CASE("ranks: from C") { CHECK(failures_in_c() == 0); }

TEST_CASE("ranks: a part of the ranks sorts by itself") {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
    int size = 0, of = 0;
    MPI_Comm_size(half, &size);
    MPI_Comm_rank(half, &of);
    std::vector<int> keys(200);
    std::iota(keys.begin(), keys.end(), (size - 1 - of) * 200);
    mpi::sort(half, sorter(), keys);
    for (int i = 0; i < 200; ++i) CHECK(keys[static_cast<std::size_t>(i)] == of * 200 + i);
    MPI_Comm_free(&half);
}

namespace {

/// One rank ends in the middle of a sort, without a word. What the others do then is MPI's, which ends them.
void die() {
    Sorter dying(find_device("built-in"), {.use_tuned = false, .progress = [](std::size_t, std::size_t) {
                                               if (rank() == ranks() - 1) std::_Exit(3);
                                           }});
    std::vector<std::uint32_t> keys(1000);
    std::iota(keys.rbegin(), keys.rend(), 0u);
    mpi::sort(MPI_COMM_WORLD, dying, keys);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1 && std::string(argv[1]) == "--die") {
        die();
        std::printf("a rank outlived another\n");
        MPI_Finalize();
        return 1;
    }
    doctest::Context context(argc, argv);
    // The first rank tells what was tested; the others speak up where something fails.
    context.setOption("minimal", rank() != 0);
    const int failed = context.run();
    MPI_Finalize();
    return failed;
}
