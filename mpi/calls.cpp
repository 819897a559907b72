// What each call checks, what the ranks agree on, and selections.
#include "calls.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "device_store.hpp"

namespace lanesort::mpi {
namespace {

Elements elements(void* keys, std::size_t key_bytes, void* values = nullptr, std::size_t value_bytes = 0) {
    return {static_cast<std::byte*>(keys), static_cast<std::byte*>(values), key_bytes, value_bytes};
}

void require_memory(const void* memory, std::size_t count, const char* sentence) {
    require(memory || count == 0, sentence);
}

}  // namespace

void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    const bool by_splitters = all[0].schedule == Schedule::distribution;
    (by_splitters ? sort_by_splitters : sort_in_blocks)(ranks, store, all, given);
}

void sort(Ranks& ranks, Sorter& sorter, Keys keys, const Values* given, const Options& options) {
    const Values values = given ? *given : Values(nullptr, 0, 0);
    Attempts attempt;
    attempt([&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        if (!given) return;
        require(keys.size() == values.size(), "there is not one value for each key");
        require_memory(values.data(), values.size(), "there are values, but the pointer to them is null");
        const auto widths = {1, 2, 4, 8, 16};
        require(std::find(widths.begin(), widths.end(), static_cast<int>(values.bytes())) != widths.end(),
                "values have 1, 2, 4, 8 or 16 bytes");
    });
    const auto all = agreed(ranks, describe(Verb::sort, keys, values.bytes(), 0, options), attempt);
    HostStore store(sorter, all[0]);
    sort_elements(ranks, store, all, elements(keys.data(), keys.kind().bytes(), values.data(), values.bytes()));
}

void argsort(Ranks& ranks, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options) {
    const std::size_t width = keys.kind().bytes();
    std::unique_ptr<std::byte[]> copy;
    Attempts attempt;
    attempt([&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        require(indices.bytes() == 8, "indices across ranks have 8 bytes");
        require(keys.size() == indices.size(), "there is not one index for each key");
        require_memory(indices.data(), indices.size(), "there are indices, but the pointer to them is null");
        copy = std::make_unique_for_overwrite<std::byte[]>(keys.size() * width);
    });
    const auto all = agreed(ranks, describe(Verb::argsort, keys, indices.bytes(), 0, options), attempt);
    const std::uint64_t first = intervals_of(all)[ranks.rank()];
    auto* const places = static_cast<std::uint64_t*>(indices.data());
    for (std::size_t i = 0; i < indices.size(); ++i) places[i] = first + i;
    if (keys.size() > 0) std::memcpy(copy.get(), keys.data(), keys.size() * width);
    HostStore store(sorter, all[0]);
    sort_elements(ranks, store, all, elements(copy.get(), width, indices.data(), 8));
}

/// The best keys of all ranks, with their indices where `indices` has bytes.
void top_k(Ranks& ranks, Sorter& sorter, ConstKeys keys, Results best, Indices indices, const Options& options) {
    const std::size_t width = keys.kind().bytes();
    const std::uint64_t wanted = best.size();
    Attempts attempt;
    attempt([&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        require_memory(best.data(), best.size(), "keys are wanted, but the pointer to the results is null");
        require(best.bytes() == width, "results have not the keys' width");
        if (indices.bytes() == 0) return;
        require(indices.bytes() == 8, "indices across ranks have 8 bytes");
        require(indices.size() == best.size(), "there is not one index for each key that is selected");
        require_memory(indices.data(), indices.size(), "indices are wanted, but the pointer to them is null");
    });
    const auto all = agreed(ranks, describe(Verb::top_k, keys, indices.bytes(), wanted, options), attempt);
    const Intervals begins = intervals_of(all);
    if (wanted > begins.back())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} keys are wanted, and all ranks have {}", wanted, begins.back()));
    const std::uint64_t me = ranks.rank();
    const TopKOptions selection{.order = all[0].order, .data_independent = options.data_independent};
    HostStore store(sorter, all[0]);
    std::uint64_t have = std::min<std::uint64_t>(wanted, keys.size());
    std::unique_ptr<std::byte[]> memory;
    Elements mine;
    attempt([&] {
        memory = std::make_unique_for_overwrite<std::byte[]>(2 * wanted * (width + indices.bytes()));
        mine = elements(nullptr, width, nullptr, indices.bytes()).at(memory.get(), 2 * wanted);
        const Results found(mine.keys, have, width);
        if (have == 0) return;
        if (mine.value_bytes == 0) {
            sorter.top_k(keys, found, selection);
            return;
        }
        sorter.top_k(keys, found, Indices(mine.values, have, 8), selection);
        auto* const places = reinterpret_cast<std::uint64_t*>(mine.values);
        for (std::uint64_t i = 0; i < have; ++i) places[i] += begins[me];
    });
    attempt.agree(ranks);

    // A rank takes what another, `distance` above it, has found among as many ranks, or gives its own and is done.
    for (std::uint64_t distance = 1; distance < ranks.size(); distance *= 2) {
        if (me % (2 * distance) == distance) {
            mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) {
                ranks.exchange({}, {{me - distance, data, have * bytes}});
            });
            break;
        }
        if (me + distance >= ranks.size()) continue;
        const std::uint64_t end = std::min(ranks.size(), me + 2 * distance);
        const std::uint64_t come = std::min(wanted, begins[end] - begins[me + distance]);
        const Elements behind = mine.from(have);
        behind.each(behind, [&](std::byte* data, std::byte*, std::size_t bytes) {
            ranks.exchange({{me + distance, data, come * bytes}}, {});
        });
        attempt([&] { store.sort(mine, have + come); });
        have = std::min(wanted, have + come);
    }
    mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) { ranks.broadcast(data, wanted * bytes); });
    attempt.agree(ranks);
    mine.copy(elements(best.data(), width, indices.data(), indices.bytes()), wanted);
}

namespace {

void check_request(const Request& request) {
    const bool is_top_k = request.operation == Operation::top_k;
    require(is_top_k || request.operation == Operation::sort || request.operation == Operation::argsort,
            "across ranks there are sort, argsort and top_k alone");
    require(!request.in_rows(), "across ranks, keys are one range, without rows or segments");
    require(is_top_k || request.first == all_keys, "across ranks, all keys are sorted, not the `first`");
    require(!request.apart, "across ranks, keys are sorted where they are, not into arrays `apart`");
    require(!request.stable || request.value_bytes == 0,
            "across ranks, pairs of equal keys come in their values' order");
    require(!is_top_k || request.value_bytes == 0, "across ranks, top_k gives keys and indices, not values");
    require(!request.limited && !request.nan_last && request.extra_bytes == 0,
            "across ranks, calls are not `limited` or `nan_last`, and take no `extra_bytes`");
}

}  // namespace

void sort_on_device(Ranks& ranks, Sorter& sorter, const DeviceCall& device, const Options& options, bool is_staged) {
    const Request& request = device.call.request;
    const AnyCall::Place &keys = device.call.keys, &values = device.call.values;
    const std::size_t width = request.key.bytes(), value_width = request.value_bytes;
    lanesort::detail::SorterCore* core = nullptr;
    // Where memory has no addresses, all of it passes through host memory.
    std::unique_ptr<std::byte[]> copy;
    Elements given;
    const auto each_staged = [&](const auto& move) {
        if (device.has_addresses || request.count == 0) return;
        const auto one = [&](const AnyCall::Place& place, std::byte* staged, std::size_t bytes) {
            const lanesort::detail::Binding at{place.memory, place.offset * bytes};
            if (bytes > 0) move(at, staged, request.count * bytes);
        };
        one(keys, given.keys, width);
        one(values, given.values, value_width);
    };
    Attempts attempt;
    attempt([&] {
        check_request(request);
        require(request.operation == Operation::sort, "on device memory, ranks sort: no argsort or top_k");
        require(!options.order && options.schedule == Schedule::automatic && !options.data_independent,
                "on device memory, the range says order, schedule and `data_independent`, not the options");
        require(!request.key.is_record(), "keys are records; across ranks, numbers are sorted");
        core = &lanesort::detail::core_of(sorter, device.backend);
        core->check({device.queue, {}}, request, lanesort::detail::bindings_of(device.call));
        if (device.has_addresses) {
            const auto at = [](const AnyCall::Place& place, std::size_t bytes) {
                return place.memory ? static_cast<std::byte*>(place.memory) + place.offset * bytes : nullptr;
            };
            given = elements(at(keys, width), width, at(values, value_width), value_width);
        } else {
            copy = std::make_unique_for_overwrite<std::byte[]>(request.count * (width + value_width));
            given = elements(nullptr, width, nullptr, value_width).at(copy.get(), request.count);
        }
        each_staged([&](const auto& place, std::byte* staged, std::uint64_t bytes) {
            core->backend().download(device.queue, place, staged, bytes);
        });
    });
    Description mine = describe(Verb::sort_on_device, ConstKeys(nullptr, 0, request.key), value_width, 0, options);
    mine.count = request.count;
    mine.order = request.order_or_usual();
    mine.schedule = request.schedule;
    mine.data_independent = request.data_independent;
    const auto all = agreed(ranks, mine, attempt);
    if (device.has_addresses) {
        DeviceStore store(*core, device.queue, request, is_staged);
        sort_elements(ranks, store, all, given);
        attempt([&] { store.wait(); });
    } else {
        HostStore store(sorter, all[0]);
        sort_elements(ranks, store, all, given);
        each_staged([&](const auto& place, const std::byte* staged, std::uint64_t bytes) {
            attempt([&] { core->backend().upload(device.queue, staged, place, bytes); });
        });
    }
    attempt.agree(ranks);
}

void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes) {
    const Request& request = call.request;
    Attempts attempt;
    attempt([&] { check_request(request); });
    if (attempt.failure()) {
        refuse(ranks, attempt.failure());
        return;
    }
    const auto at = [](const AnyCall::Place& place, std::size_t width) {
        return place.memory ? static_cast<std::byte*>(place.memory) + place.offset * width : nullptr;
    };
    const Options options{.order = request.order,
                          .piece_bytes = piece_bytes,
                          .schedule = request.schedule,
                          .data_independent = request.data_independent};
    const std::size_t width = request.key.bytes();
    const Keys keys(at(call.keys, width), request.count, request.key);
    const std::size_t results = request.operation == Operation::top_k ? request.first : request.count;
    const Indices indices(at(call.indices, request.index_bytes), request.index_bytes > 0 ? results : 0,
                          request.index_bytes);
    if (request.operation == Operation::argsort) argsort(ranks, sorter, keys, indices, options);
    else if (request.operation == Operation::top_k)
        top_k(ranks, sorter, keys, Results(at(call.results, width), results, width), indices, options);
    else {
        const Values values(at(call.values, request.value_bytes), request.count, request.value_bytes);
        sort(ranks, sorter, keys, request.value_bytes > 0 ? &values : nullptr, options);
    }
}

}  // namespace lanesort::mpi
