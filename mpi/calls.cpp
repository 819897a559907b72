// SPDX-License-Identifier: MIT
// What each call on host memory checks, what the ranks agree on, and selections.
#include "calls.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include <fmt/format.h>

namespace lanesort::inline v0_1::mpi {
namespace {

using lanesort::detail::Slot, lanesort::detail::SorterCore;

/// Throws for what is wrong with a call on host memory: with what it asks for, too, as one machine does.
void check_call(Sorter& sorter, const AnyCall& call) {
    SorterCore& core = lanesort::detail::core_of(sorter, sorter.device().backend);
    const Alone alone(core, call.request);
    core.check_on_host(alone.request, alone.arrays, lanesort::detail::bindings_of(call));
}

/// Throws for messages that there are not; the order and the schedule are checked with the call.
KeyRangeIn<void*> range_of(const ConstKeys& keys, const Options& options) {
    check_messages(static_cast<std::int64_t>(options.device_messages));
    KeyRangeIn<void*> range;
    range.memory = const_cast<void*>(keys.data());
    range.count = keys.size();
    range.type = keys.kind();
    range.order = options.order;
    range.schedule = options.schedule;
    range.data_independent = options.data_independent;
    return range;
}

}  // namespace

Alone::Alone(SorterCore& core, const Request& across) : request(across) {
    const bool is_top_k = request.operation == Operation::top_k;
    if (is_top_k) {
        require(across.first <= most_keys, "more keys are wanted than all ranks can have");
        request.first = std::min<std::uint64_t>(request.first, request.count);
    }
    arrays = core.planner().arrays(request);
    for (const Slot slot : {Slot::results, Slot::indices})
        if (is_top_k && arrays[slot].bytes > 0) arrays[slot].count = across.first;
}

void sort_elements(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    const bool by_splitters = all[0].schedule == Schedule::distribution;
    (by_splitters ? sort_by_splitters : sort_in_blocks)(ranks, store, all, given);
}

void sort_indices(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& keys) {
    const std::uint64_t me = ranks.rank();
    store.attempt([&] { store.number(keys.values, all[me].count, intervals_of(all)[me]); });
    sort_elements(ranks, store, all, keys);
}

void sort(Ranks& ranks, Sorter& sorter, Keys keys, const Values* given, const Options& options) {
    const Values values = given ? *given : Values(nullptr, 0, 0);
    Attempts attempt;
    attempt([&] {
        if (!given) return check_call(sorter, lanesort::sort(range_of(keys, options)));
        require(keys.size() == values.size(), "there is not one value for each key");
        require(values.bytes() > 0, "values have 1, 2, 4, 8 or 16 bytes");
        check_call(sorter, lanesort::sort_by_key(range_of(keys, options), {values.data(), 0, values.bytes()}));
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
        require(indices.bytes() == 8, "indices across ranks have 8 bytes");
        require(keys.size() == indices.size(), "there is not one index for each key");
        check_call(sorter, lanesort::argsort(range_of(keys, options), {indices.data(), 0, 8}));
        copy = std::make_unique_for_overwrite<std::byte[]>(keys.size() * width);
    });
    const auto all = agreed(ranks, describe(Verb::argsort, keys, indices.bytes(), 0, options), attempt);
    if (keys.size() > 0) std::memcpy(copy.get(), keys.data(), keys.size() * width);
    HostStore store(sorter, all[0]);
    sort_indices(ranks, store, all, elements(copy.get(), width, indices.data(), 8));
}

void select_from_all(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all,
                     const std::function<void(std::uint64_t, const Elements&)>& select,
                     const std::function<void(const Elements&)>& deliver) {
    const std::uint64_t wanted = all[0].wanted, me = ranks.rank();
    const auto keys_of = [&](std::uint64_t first, std::uint64_t end) {
        std::uint64_t keys = 0;
        for (std::uint64_t i = first; i < end; ++i) keys += all[i].count;
        return keys;
    };
    if (const std::uint64_t keys = keys_of(0, ranks.size()); wanted > keys)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} keys are wanted, and all ranks have {}", wanted, keys));
    HostStore store(sorter, all[0]);
    std::uint64_t have = std::min(wanted, all[me].count);
    Elements mine = elements(nullptr, key_bytes(all[0].type), nullptr, all[0].value_bytes);
    const std::vector<Message> none;
    std::vector<Message> message;
    store.attempt([&] {
        message.resize(1);
        ranks.expect_messages(messages_of(wanted * std::max(mine.key_bytes, mine.value_bytes)));
        mine = mine.at(store.allocate(2 * wanted * mine.bytes()), 2 * wanted);
        if (have == 0) return;
        select(have, mine);
        auto* const places = reinterpret_cast<std::uint64_t*>(mine.values);
        const std::uint64_t before = keys_of(0, me);
        for (std::uint64_t i = 0; mine.value_bytes > 0 && i < have; ++i) places[i] += before;
    });
    store.attempt.agree(ranks);

    // A rank takes what another, `distance` above it, has found among as many ranks, or gives its own and is done.
    for (std::uint64_t distance = 1; distance < ranks.size(); distance *= 2) {
        if (me % (2 * distance) == distance) {
            mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) {
                message[0] = {me - distance, data, have * bytes};
                ranks.exchange(none, message);
            });
            break;
        }
        if (me + distance >= ranks.size()) continue;
        const std::uint64_t end = std::min(ranks.size(), me + 2 * distance);
        const std::uint64_t come = std::min(wanted, keys_of(me + distance, end));
        const Elements behind = mine.from(have);
        behind.each(behind, [&](std::byte* data, std::byte*, std::size_t bytes) {
            message[0] = {me + distance, data, come * bytes};
            ranks.exchange(message, none);
        });
        store.attempt([&] { store.sort(mine, have + come); });
        have = std::min(wanted, have + come);
    }
    mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) { ranks.broadcast(data, wanted * bytes); });
    store.attempt([&] { deliver(mine); });
    store.attempt.agree(ranks);
}

void top_k(Ranks& ranks, Sorter& sorter, ConstKeys keys, Results best, Indices indices, const Options& options) {
    const std::size_t width = keys.kind().bytes();
    Attempts attempt;
    attempt([&] {
        require(best.bytes() == width, "results have not the keys' width");
        require(indices.bytes() == 8 || indices.bytes() == 0, "indices across ranks have 8 bytes");
        require(indices.size() == best.size() || indices.bytes() == 0,
                "there is not one index for each key that is selected");
        check_call(sorter, lanesort::top_k(range_of(keys, options), best.size(),
                                           {best.data(), 0, {indices.data(), 0, indices.bytes()}}));
    });
    const auto all = agreed(ranks, describe(Verb::top_k, keys, indices.bytes(), best.size(), options), attempt);
    const TopKOptions selection{.order = all[0].order, .data_independent = options.data_independent};
    const auto select = [&](std::uint64_t count, const Elements& found) {
        const Results results(found.keys, count, width);
        if (found.value_bytes > 0) sorter.top_k(keys, results, Indices(found.values, count, 8), selection);
        else sorter.top_k(keys, results, selection);
    };
    const auto deliver = [&](const Elements& found) {
        found.copy(elements(best.data(), width, indices.data(), indices.bytes()), best.size());
    };
    select_from_all(ranks, sorter, all, std::cref(select), std::cref(deliver));
}

void check_request(const Request& request) {
    const bool is_top_k = request.operation == Operation::top_k;
    require(is_top_k || request.operation == Operation::sort || request.operation == Operation::argsort,
            "across ranks there are sort, argsort and top_k alone");
    require(!request.in_rows(), "across ranks, keys are one range, without rows or segments");
    require(is_top_k || request.first >= request.count, "across ranks, all keys are sorted, not the `first`");
    require(!request.apart, "across ranks, keys are sorted where they are, not into arrays `apart`");
    require(!request.stable || request.value_bytes == 0,
            "across ranks, pairs of equal keys come in their values' order");
    require(!is_top_k || request.value_bytes == 0, "across ranks, top_k gives keys and indices, not values");
    require(!request.limited && !request.nan_last && request.extra_bytes == 0,
            "across ranks, calls are not `limited` or `nan_last`, and take no `extra_bytes`");
}

void run(Ranks& ranks, Sorter& sorter, const AnyCall& call, std::size_t piece_bytes) {
    const Request& request = call.request;
    Attempts attempt;
    attempt([&] {
        check_request(request);
        check_call(sorter, call);
    });
    if (attempt.failure()) {
        refuse(ranks, attempt.failure());
        return;
    }
    const auto at = [](const AnyCall::Place& place, std::size_t count, std::size_t width) {
        return count > 0 && width > 0 ? static_cast<std::byte*>(place.memory) + place.offset * width : nullptr;
    };
    const Options options{.order = request.order,
                          .piece_bytes = piece_bytes,
                          .schedule = request.schedule,
                          .data_independent = request.data_independent};
    const std::size_t width = request.key.bytes();
    const Keys keys(at(call.keys, request.count, width), request.count, request.key);
    const std::size_t results = request.operation == Operation::top_k ? request.first : request.count;
    const Indices indices(at(call.indices, results, request.index_bytes), request.index_bytes > 0 ? results : 0,
                          request.index_bytes);
    if (request.operation == Operation::argsort) argsort(ranks, sorter, keys, indices, options);
    else if (request.operation == Operation::top_k)
        top_k(ranks, sorter, keys, Results(at(call.results, results, width), results, width), indices, options);
    else {
        const Values values(at(call.values, request.count, request.value_bytes), request.count, request.value_bytes);
        sort(ranks, sorter, keys, request.value_bytes > 0 ? &values : nullptr, options);
    }
}

}  // namespace lanesort::inline v0_1::mpi
