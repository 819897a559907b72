// SPDX-License-Identifier: MIT
// Calls across ranks in device memory: the built-in device's, which is the host's, and a GPU's.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
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

/// An array in the memory of a device, some elements behind where that begins.
class OnDevice {
public:
    template <class T>
    OnDevice(Sorter& of, const std::vector<T>& elements)
        : memory_(of.core().backend().allocate((elements.size() + before) * sizeof(T), false)),
          queue_(of.core().backend().use_queue(nullptr)) {
        if (!elements.empty())
            queue_->upload(detail::one_row(const_cast<T*>(elements.data()), elements.size() * sizeof(T)), at<T>());
        queue_->wait();
    }
    template <class T>
    std::vector<T> read(std::size_t count) const {
        std::vector<T> elements(count);
        if (count > 0) queue_->download(at<T>(), detail::one_row(elements.data(), count * sizeof(T)));
        queue_->wait();
        return elements;
    }
    AnyCall::Place place() const { return {memory_->handle, before}; }

private:
    static constexpr std::size_t before = 3;

    template <class T>
    detail::Binding at() const {
        return {memory_->handle, before * sizeof(T)};
    }

    std::unique_ptr<detail::SharedMemory> memory_;
    std::unique_ptr<detail::DeviceQueue> queue_;
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
void run_in_memory(Sorter& used, const AnyCall& call, const mpi::Options& options) {
    const bool is_cuda = used.device().backend == std::string("CUDA");
    mpi::Communicator on(MPI_COMM_WORLD);
    const bool is_staged =
        options.device_messages == mpi::DeviceMessages::staged || (is_cuda && !mpi::takes_cuda_memory());
    mpi::run_on_device(on, used, {used.device().backend.c_str(), nullptr, true, call}, options, is_staged);
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
    KeyRangeIn<void*> range{
        .memory = keys.place().memory, .offset = keys.place().offset, .count = given.size(), .type = type};
    range.order = order;
    range.schedule = schedule;
    range.data_independent = schedule == Schedule::network;
    const ValueRangeIn<void*> value_range{value_memory.place().memory, value_memory.place().offset, sizeof(Value)};
    seen = {};
    run_in_memory(used, with_values ? lanesort::sort_by_key(range, value_range) : lanesort::sort(range), options);
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

namespace {

/// Every type, order and schedule in some case of counts.
struct Turn {
    explicit Turn(std::size_t number)
        : type(all_key_types[number % std::size(all_key_types)]),
          order((number + number / 4) % 2 ? Order::ascending : Order::descending),
          schedule(
              std::array{Schedule::automatic, Schedule::network, Schedule::distribution}[(number + number / 3) % 3]),
          options{.piece_bytes = number % 5 ? std::size_t{1} << 20 : 490,
                  .device_messages = number % 4 < 2 ? mpi::DeviceMessages::staged : mpi::DeviceMessages::automatic} {}

    KeyType type;
    Order order;
    Schedule schedule;
    mpi::Options options;
};

KeyRangeIn<void*> range_of(const OnDevice& keys, std::size_t count, const Turn& turn) {
    return {.memory = keys.place().memory,
            .offset = keys.place().offset,
            .count = count,
            .type = turn.type,
            .order = turn.order};
}
ValueRangeIn<void*> indices_in(const OnDevice& indices) { return {indices.place().memory, indices.place().offset, 8}; }

}  // namespace

TEST_CASE("ranks: indices of keys in device memory count over all ranks") {
    for (Sorter* const used : sorters_with_memory()) {
        std::size_t number = 0;
        for (const Counts& counts : cases())
            for (const std::size_t distribution : {0, 3, 5}) {
                if (are_many() && distribution != 3) continue;
                const Turn turn(++number);
                CAPTURE(used->device().name);
                CAPTURE(text(counts));
                CAPTURE(name(turn.type));
                with_bits(turn.type, [&]<class Bits>(Bits) {
                    const auto all = keys_of<Bits>(distribution, sum(counts));
                    const auto given = part(all, counts);
                    const auto places = sorted_places(all, turn.type, turn.order);
                    const OnDevice keys(*used, given), indices(*used, std::vector<std::uint64_t>(given.size(), 99));
                    KeyRangeIn<void*> range = range_of(keys, given.size(), turn);
                    range.schedule = turn.schedule;
                    range.stable = number / 3 % 2 == 0;
                    range.data_independent = turn.schedule == Schedule::network;
                    seen = {};
                    run_in_memory(*used, lanesort::argsort(range, indices_in(indices)), turn.options);
                    CHECK(indices.read<std::uint64_t>(given.size()) ==
                          part(std::vector<std::uint64_t>(places.begin(), places.end()), counts));
                    CHECK(keys.read<Bits>(given.size()) == given);
                    mpi::Options options = turn.options;
                    options.schedule = turn.schedule;
                    const mpi::Traffic planned =
                        mpi::traffic(counts, static_cast<std::uint64_t>(rank()), sizeof(Bits), 8, options);
                    CHECK((turn.schedule == Schedule::distribution ? is_within(seen, planned) : seen == planned));
                });
            }
        // More than what is numbered by the host.
        const Turn turn(1);
        const Counts many(static_cast<std::size_t>(ranks()), 5000);
        const auto all = keys_of<std::uint32_t>(0, sum(many));
        const auto given = part(all, many);
        const auto places = sorted_places(all, KeyType::u32, turn.order);
        const OnDevice keys(*used, given), indices(*used, std::vector<std::uint64_t>(given.size()));
        KeyRangeIn<void*> range = range_of(keys, given.size(), turn);
        range.type = KeyType::u32;
        run_in_memory(*used, lanesort::argsort(range, indices_in(indices)), {});
        CHECK(indices.read<std::uint64_t>(given.size()) ==
              part(std::vector<std::uint64_t>(places.begin(), places.end()), many));
    }
}

TEST_CASE("ranks: the first k keys of device memory, on every rank") {
    for (Sorter* const used : sorters_with_memory()) {
        std::size_t number = 0;
        for (const Counts& counts : cases())
            for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, std::size_t{17}, sum(counts)}) {
                if (are_many() && wanted < 17) continue;
                const Turn turn(++number);
                const std::size_t k = std::min(wanted, sum(counts));
                CAPTURE(used->device().name);
                CAPTURE(text(counts));
                CAPTURE(name(turn.type));
                CAPTURE(k);
                with_bits(turn.type, [&]<class Bits>(Bits) {
                    const auto all = keys_of<Bits>(number / 8 % 2 ? 0 : 4, sum(counts));
                    const auto given = part(all, counts);
                    auto places = sorted_places(all, turn.type, turn.order);
                    places.resize(k);
                    const OnDevice keys(*used, given), best(*used, std::vector<Bits>(k)),
                        indices(*used, std::vector<std::uint64_t>(k, 99));
                    SelectedIn<void*> selected{.memory = best.place().memory, .offset = best.place().offset};
                    const bool with_indices = number % 3 > 0;
                    if (with_indices) selected.indices = indices_in(indices);
                    run_in_memory(*used, lanesort::top_k(range_of(keys, given.size(), turn), k, selected),
                                  turn.options);
                    CHECK(best.read<Bits>(k) == taken(all, places));
                    if (with_indices)
                        CHECK(indices.read<std::uint64_t>(k) ==
                              std::vector<std::uint64_t>(places.begin(), places.end()));
                    CHECK(keys.read<Bits>(given.size()) == given);
                });
            }
    }
}

TEST_CASE("ranks: what is wrong with one rank's device memory is an error on all") {
    const bool odd_one = rank() == ranks() - 1;
    for (Sorter* const used : sorters_with_memory()) {
        const std::vector<std::uint32_t> before{3, 1, 2};
        const OnDevice keys(*used, before);
        KeyRangeIn<void*> good{.memory = keys.place().memory, .offset = keys.place().offset, .count = 3, .type = KeyType::u32};
        const auto refused = [&](const KeyRangeIn<void*>& bad, const mpi::Options& options = {}) {
            CHECK(error_of([&] { run_in_memory(*used, lanesort::sort(odd_one ? bad : good), options); }).first ==
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
        // Indices of 4 bytes, results that do not fit, and more keys than all ranks have.
        const OnDevice indices(*used, std::vector<std::uint64_t>(3, 99)), best(*used, std::vector<std::uint32_t>(3));
        const auto refused_call = [&](ErrorCode wanted, const AnyCall& right, const AnyCall& wrong) {
            const auto code = error_of([&] { run_in_memory(*used, odd_one ? wrong : right, {}); }).first;
            CHECK(code == wanted);
            CHECK(indices.read<std::uint64_t>(3) == std::vector<std::uint64_t>(3, 99));
            CHECK(keys.read<std::uint32_t>(3) == before);
        };
        ValueRangeIn<void*> narrow = indices_in(indices);
        narrow.bytes = 4;
        const auto argsort = lanesort::argsort(good, indices_in(indices));
        refused_call(ErrorCode::invalid_argument, argsort, lanesort::argsort(good, narrow));
        SelectedIn<void*> selected{best.place().memory, best.place().offset, indices_in(indices)};
        const auto first_two = lanesort::top_k(good, 2, selected);
        if (ranks() > 1) refused_call(ErrorCode::invalid_argument, first_two, lanesort::top_k(good, 3, selected));
        if (ranks() > 1) refused_call(ErrorCode::invalid_argument, first_two, argsort);
        const std::size_t too_many = 3 * static_cast<std::size_t>(ranks()) + 1;
        const OnDevice wide(*used, std::vector<std::uint64_t>(2 * too_many));
        const SelectedIn<void*> with_room{.memory = wide.place().memory, .offset = 2 * wide.place().offset};
        refused_call(ErrorCode::invalid_argument, lanesort::top_k(good, too_many, with_room),
                     lanesort::top_k(good, too_many, with_room));
        if (used->device().backend == std::string("CUDA"))
            refused_call(ErrorCode::out_of_range, lanesort::top_k(good, too_many, with_room),
                         lanesort::top_k(good, too_many, selected));
        if (ranks() == 1) continue;
        // One rank calls the sort of host memory.
        std::vector<std::uint32_t> in_host_memory = before;
        const auto [code, sentence] = error_of([&] {
            if (odd_one) mpi::sort(MPI_COMM_WORLD, sorter(), in_host_memory);
            else run_in_memory(*used, lanesort::sort(good), {});
        });
        CHECK(code == ErrorCode::invalid_argument);
        CHECK(sentence.find("in device memory") != std::string::npos);
        CHECK(in_host_memory == before);
        CHECK(keys.read<std::uint32_t>(3) == before);
    }
    // A sorter of another backend.
    const auto code = error_of([&] { mpi::sort(MPI_COMM_WORLD, sorter(), cu::Stream{}, cu::KeyRange{.type = KeyType::u32}); }).first;
    CHECK(code == ErrorCode::unsupported);
    CHECK(error_of([&] {
              mpi::sort_by_key(MPI_COMM_WORLD, sorter(), cu::Stream{}, cu::KeyRange{.type = KeyType::u32}, {.bytes = odd_one ? 0u : 4u});
          }).first != std::nullopt);
}
