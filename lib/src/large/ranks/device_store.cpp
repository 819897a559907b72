// SPDX-License-Identifier: MIT
#include "device_store.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/require.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

using lanesort::detail::Binding, lanesort::detail::Bindings, lanesort::detail::bindings_of, lanesort::detail::one_row,
    lanesort::detail::Slot, lanesort::detail::Work;

/// Elements that are read at a time, where single ones are asked for: neighbours, or every so many-th.
constexpr unsigned page_bits = 10;
constexpr std::uint64_t page = std::uint64_t{1} << page_bits;

Binding binding(const std::byte* memory) { return {const_cast<std::byte*>(memory), 0}; }

bool is_aligned(const void* memory, std::size_t width) { return reinterpret_cast<std::uintptr_t>(memory) % width == 0; }

std::uint64_t elements_of(const Parts& parts) {
    return std::accumulate(parts.counts.begin(), parts.counts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, int count) { return sum + static_cast<std::uint64_t>(count); });
}

}  // namespace

DeviceStore::~DeviceStore() {
    try {
        wait();
    } catch (...) {
        // Whoever asked for an error has it already.
    }
}

std::byte* DeviceStore::allocate(std::uint64_t bytes, bool on_host) {
    if (bytes == 0) return nullptr;
    return static_cast<std::byte*>(memory_.emplace_back(core_.backend().allocate(bytes, on_host))->handle);
}

std::byte* DeviceStore::allocate(std::uint64_t bytes) { return allocate(bytes, false); }

void DeviceStore::expect_messages(std::uint64_t messages, std::uint64_t bytes) {
    if (!is_staged_) return;
    give_.reserve(messages);
    get_.reserve(messages);
    sent_ = allocate(bytes, true);
    received_ = allocate(bytes, true);
}

void DeviceStore::number(std::byte* integers, std::uint64_t count, std::uint64_t first) {
    if (count == 0) return;
    // They are the sums of `first` and of ones, of which there are twice as many after each copy.
    std::vector<std::uint64_t> some(std::min(count, page), 1);
    some[0] = first;
    upload(reinterpret_cast<const std::byte*>(some.data()), integers, 8 * some.size());
    for (std::uint64_t have = some.size(), more = 0; have < count; have += more) {
        more = std::min(have - 1, count - have);
        copy(integers + 8, integers + 8 * have, 8 * more);
    }
    const auto call = lanesort::inclusive_scan<void*>({.memory = integers, .count = count, .type = KeyType::u64});
    run(call.request, bindings_of(call));
}

void DeviceStore::copy(const Elements& from, const Elements& to, std::uint64_t count) {
    from.each(to, [&](const std::byte* source, std::byte* target, std::size_t width) {
        if (count > 0) queue_.copy(binding(source), binding(target), count * width);
    });
}

void DeviceStore::pack(const Elements& block, std::span<const Packed> parts) {
    for (const auto& [places, side_by_side] : parts)
        copy_from_every(block.from(places.first), places.stride, side_by_side, places.count);
}

void DeviceStore::unpack(const Elements& block, std::span<const Packed> parts) {
    for (const auto& [places, side_by_side] : parts)
        copy_to_every(side_by_side, block.from(places.first), places.stride, places.count);
}

void* DeviceStore::multiples(std::uint64_t stride, std::uint64_t count) {
    Multiples& known = multiples_[stride];
    if (known.count < count) {
        std::vector<std::uint32_t> all(count);
        for (std::uint64_t k = 0; k < count; ++k) all[k] = static_cast<std::uint32_t>(k * stride);
        known.memory = allocate(4 * count);
        upload(reinterpret_cast<const std::byte*>(all.data()), static_cast<std::byte*>(known.memory), 4 * count);
        known.count = count;
    }
    return known.memory;
}

std::byte* DeviceStore::aligned(std::byte* memory, std::uint64_t count, std::size_t width) {
    if (is_aligned(memory, width)) return memory;
    if (aligned_bytes_ < count * width) {
        aligned_ = allocate(count * width);
        aligned_bytes_ = count * width;
    }
    return aligned_;
}

void DeviceStore::copy(std::byte* from, std::byte* to, std::uint64_t bytes) {
    if (from != to) queue_.copy(binding(from), binding(to), bytes);
}

void DeviceStore::copy_from_every(const Elements& from, std::uint64_t stride, const Elements& to, std::uint64_t count) {
    if (stride == 1 || count < 2) return copy(from, to, count);
    void* const indices = multiples(stride, count);
    from.each(to, [&](std::byte* values, std::byte* results, std::size_t width) {
        std::byte* const place = aligned(results, count, width);
        const auto call = lanesort::gather<void*>({.memory = values, .bytes = width}, (count - 1) * stride + 1,
                                                  {.memory = indices, .bytes = sizeof(std::uint32_t)}, count,
                                                  {.memory = place, .bytes = width});
        run(call.request, bindings_of(call));
        copy(place, results, count * width);
    });
}

void DeviceStore::copy_to_every(const Elements& from, const Elements& to, std::uint64_t stride, std::uint64_t count) {
    if (stride == 1 || count < 2) return copy(from, to, count);
    void* const indices = multiples(stride, count);
    from.each(to, [&](std::byte* values, std::byte* results, std::size_t width) {
        std::byte* const place = aligned(values, count, width);
        copy(values, place, count * width);
        const auto call = lanesort::scatter<void*>({.memory = place, .bytes = width},
                                                   {.memory = indices, .bytes = sizeof(std::uint32_t)}, count,
                                                   {.memory = results, .bytes = width}, (count - 1) * stride + 1);
        run(call.request, bindings_of(call));
    });
}

void DeviceStore::run(const Request& request, const Bindings& bindings) {
    // CUDA's kernels stop where elements are not, a processor's do not: so this is for the tests of all devices.
    const lanesort::detail::Arrays& arrays = core_.planner().arrays(request);
    for (std::size_t slot = 0; slot < lanesort::detail::slots; ++slot)
        lanesort::detail::require(arrays[slot].count == 0 || is_aligned(bindings[slot].memory, arrays[slot].bytes),
                                  ErrorCode::device_failed, "{} of {} bytes are not aligned", arrays[slot].name,
                                  arrays[slot].bytes);
    core_.with_work(request, [&](const std::shared_ptr<const Work>& work) {
        if (!work->commands.empty()) queue_.run(*work, bindings);
    });
}

Bindings DeviceStore::bindings(const Elements& elements) const {
    Bindings some;
    some[Slot::keys] = binding(elements.keys);
    if (elements.value_bytes > 0) some[Slot::values] = binding(elements.values);
    return some;
}

void DeviceStore::sort_here(const Elements& elements, std::uint64_t count) {
    Request request = sort_;
    request.count = count;
    request.schedule = Schedule::automatic;  // that of the request is of ranks
    run(request, bindings(elements));
}

std::uint64_t DeviceStore::keep_half(const Elements& mine, const Elements& theirs, std::uint64_t count, bool is_low) {
    const Bindings upper = bindings(is_low ? theirs : mine);
    Bindings both = bindings(is_low ? mine : theirs);
    both[Slot::second_keys] = upper[Slot::keys];
    both[Slot::second_values] = upper[Slot::values];
    run(lanesort::detail::as_merge(
            sort_, sort_.data_independent ? MergePart::first_step : MergePart::first_step_where_needed, count),
        both);
    return count;
}

void DeviceStore::restore_order(const Elements& elements, std::uint64_t count, std::uint64_t, bool is_low) {
    run(lanesort::detail::as_merge(sort_, is_low ? MergePart::lower_half : MergePart::upper_half, count),
        bindings(elements));
}

Ordered DeviceStore::read(const Elements& sorted, std::uint64_t count, std::uint64_t i) {
    // Whoever searches looks at multiples of high powers of two first, so these are read together.
    unsigned level = static_cast<unsigned>(std::countr_zero(i)) / page_bits;
    while (level > 0 && (count - 1) >> std::min(level * page_bits, 63u) == 0) --level;
    const std::uint64_t stride = std::uint64_t{1} << (level * page_bits);
    const std::uint64_t first = i / (page * stride) * (page * stride);
    std::unique_ptr<std::byte[]>& known = pages_[{level, first}];
    if (!known) {
        const std::uint64_t elements = std::min(page, (count - 1 - first) / stride + 1);
        auto bytes = std::make_unique_for_overwrite<std::byte[]>(page * sorted.bytes());
        Elements from = sorted.from(first);
        if (level > 0) {
            if (!page_) page_ = allocate(page * sorted.bytes());
            copy_from_every(from, stride, sorted.at(page_, page), elements);
            from = sorted.at(page_, page);
        }
        from.each(sorted.at(bytes.get(), page), [&](const std::byte* source, std::byte* target, std::size_t width) {
            download(source, target, elements * width);
        });
        known = std::move(bytes);
    }
    return read_(sorted.at(known.get(), page), (i - first) / stride);
}

void DeviceStore::download(const std::byte* from, std::byte* to, std::uint64_t bytes) {
    if (bytes == 0) return;
    queue_.download(binding(from), one_row(to, bytes));
    wait();
}

void DeviceStore::upload(const std::byte* from, std::byte* to, std::uint64_t bytes) {
    if (bytes == 0) return;
    queue_.upload(one_row(const_cast<std::byte*>(from), bytes), binding(to));
    wait();
}

void DeviceStore::all_to_all(Ranks& ranks, const std::byte* from, std::byte* to, std::uint64_t bytes) {
    if (!is_staged_) {
        steps([&] { wait(); });
        ranks.all_to_all(from, to, bytes);
        return;
    }
    steps([&] { download(from, sent_, ranks.size() * bytes); });
    ranks.all_to_all(sent_, received_, bytes);
    steps([&] { upload(received_, to, ranks.size() * bytes); });
}

void DeviceStore::all_to_all(Ranks& ranks, const std::byte* from, const Parts& sent, std::byte* to,
                             const Parts& received, std::size_t width) {
    if (!is_staged_) {
        steps([&] { wait(); });
        ranks.all_to_all(from, sent, to, received, width);
        return;
    }
    steps([&] { download(from, sent_, elements_of(sent) * width); });
    ranks.all_to_all(sent_, sent, received_, received, width);
    steps([&] { upload(received_, to, elements_of(received) * width); });
}

void DeviceStore::exchange(Ranks& ranks, const std::vector<Message>& received, const std::vector<Message>& sent) {
    if (!is_staged_) {
        steps([&] { wait(); });
        ranks.exchange(received, sent);
        return;
    }
    // One behind the other.
    const auto put = [](const std::vector<Message>& messages, std::byte* next, std::vector<Message>& in_host_memory) {
        in_host_memory = messages;
        for (Message& message : in_host_memory) {
            message.data = next;
            next += message.bytes;
        }
    };
    put(sent, sent_, give_);
    put(received, received_, get_);
    steps([&] {
        for (std::size_t i = 0; i < sent.size(); ++i) download(sent[i].data, give_[i].data, sent[i].bytes);
    });
    ranks.exchange(get_, give_);
    steps([&] {
        for (std::size_t i = 0; i < received.size(); ++i) upload(get_[i].data, received[i].data, received[i].bytes);
    });
}

}  // namespace lanesort::inline v0_1::mpi
