// SPDX-License-Identifier: MIT
#include "sort_in_parts.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "core/integers.hpp"
#include "ops/move/iota.hpp"
#include "ops/operations.hpp"
#include "ops/sort/distribution_schedule.hpp"
#include "sampling.hpp"
#include "staging.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Shorter rows of keys are slow to copy, also where they lie apart on the device alone
/// (docs/decisions.md#arrays-larger-than-the-device).
constexpr std::uint64_t least_row_bytes = 512;

/// With so many of each, buckets that are about to be too large are a ninth smaller than that on average.
constexpr std::uint64_t samples_of_bucket = 2048;

/// With parts of that size one more at once fills and drains faster; with smaller ones, copies are too short.
constexpr std::uint64_t large_part = std::uint64_t{32} << 20;

constexpr std::uint64_t share_of_memory = std::uint64_t{1} << 18;

}  // namespace

bool SorterCore::goes_in_parts(const Request& request, const Arrays& arrays) const noexcept {
    const bool sorts = is_sort(request) && !(request.stable && (request.value_bytes > 0 || request.key.is_record()));
    const bool sorts_indices = is_argsort(request) && !request.key.is_record();
    if (!backend_->has_queues() || request.count < 2 || request.in_rows() || request.counts_syncs ||
        !(sorts || sorts_indices))
        return false;
    std::uint64_t bytes = 0;
    bool fits = true;
    for (const Array& array : arrays) {
        constexpr std::uint64_t any_memory = std::uint64_t{1} << 56;  // more no array can have
        if (array.count > 0 && array.count > any_memory / array.bytes) return false;
        bytes += array.size();
        fits &= array.size() <= backend_->info().max_allocation_bytes;
    }
    return !fits || bytes > memory_limit();
}

SortReport SorterCore::run_in_parts(const Request& request, const Bindings& bindings) {
    return SortInParts(*this, request, {memory_limit(), device_bytes_, least_bucket_bytes_, progress_}).run(bindings);
}

SortInParts::SortInParts(SorterCore& core, const Request& request, const PartLimits& limits)
    : core_(core),
      request_(request),
      limits_(limits),
      is_argsort_(is_argsort(request)),
      of_part_(as_sort(request)),
      threads_(Staging::threads_that_copy()) {
    // Pairs are ordered by their values' bits where keys are equal. So indices are values that make a sort stable.
    of_part_.first = all_keys;
    of_part_.stable = false;
    of_part_.apart = false;
    if (is_argsort_) of_part_.value_bytes = std::exchange(of_part_.index_bytes, 0);
    if (of_part_.schedule == Schedule::distribution) of_part_.schedule = Schedule::automatic;  // some parts are small

    // With less memory than it takes of itself a distribution on the device may be slower than the bus, which hides
    // columns.
    const std::uint64_t room = limits.memory / parts_at_once, of_distribution = room / 16;
    if (of_distribution < most_distribution_bytes(room, ElementBytes(1))) of_part_.data_independent = true;
    const bool may_distribute = of_part_.schedule == Schedule::automatic && !of_part_.data_independent;
    if (!may_distribute) {
        of_part_.extra_bytes = 0;
    } else if (limits.memory != SorterCore::no_limit) {
        if (of_part_.extra_bytes == 0 || of_part_.extra_bytes > of_distribution) of_part_.extra_bytes = of_distribution;
    }

    const std::uint64_t of_part = capacity(parts_at_once);
    columns_ = parts_that_sort(request.count, of_part, least_row_bytes / of_part_.key.bytes());
    if (!columns_.empty()) {
        distribution_ = plan_distribution();
        return;
    }
    const std::uint64_t least = least_capacity(request.count);
    const std::string beside =
        of_part_.value_bytes == 0
            ? ""
            : fmt::format(" with {} of {} bytes", is_argsort_ ? "indices" : "values", of_part_.value_bytes);
    throw Error(ErrorCode::too_large,
                fmt::format("{} keys of {}{} exceed the {} bytes of device memory that they may take, and parts of {} "
                            "keys are too small to sort them by: these need {} keys each, which takes {} bytes{}",
                            request.count, request.key.name(), beside,
                            std::min(limits.memory, core.backend().info().global_bytes), of_part, least,
                            parts_at_once * least * (of_part_.key.bytes() + of_part_.value_bytes),
                            limits.device_bytes > 0 ? " of `device_bytes`" : ""));
}

std::uint64_t SortInParts::capacity(std::size_t parts, std::uint64_t others) const noexcept {
    const std::size_t key = of_part_.key.bytes(), value = of_part_.value_bytes;
    std::uint64_t room = (limits_.memory - std::min(limits_.memory, others)) / parts;
    // Of works of several sizes, arrays that are each as large as any needs take a little more than those of one.
    if (limits_.memory != SorterCore::no_limit) room -= std::min(room, of_part_.extra_bytes + of_part_.extra_bytes / 8);
    return std::min(core_.backend().info().max_allocation_bytes / std::max(key, value), room / (key + value));
}

std::optional<SortInParts::DistributionPlan> SortInParts::plan_distribution() const {
    const std::uint64_t count = request_.count;
    if (request_.schedule != Schedule::automatic && request_.schedule != Schedule::distribution) return {};
    if (request_.data_independent || request_.key.is_record() || columns_.size() == 1) return {};
    DistributionPlan plan{};
    const bool has_limit = limits_.memory != SorterCore::no_limit;
    plan.at_once = has_limit && limits_.memory / large_part > parts_at_once ? parts_at_once + 1 : parts_at_once;
    const auto buckets_beside = [&](std::uint64_t others) {
        plan.capacity = capacity(plan.at_once, others);
        plan.samples =
            std::min(plan.capacity, samples_of_bucket * ceil_div(count, std::max<std::uint64_t>(plan.capacity, 1)));
        return fewest_buckets(plan.samples, count, plan.capacity);
    };
    const std::optional<std::uint64_t> without_cuts = buckets_beside(0);
    if (!without_cuts) return {};
    // Equal keys that stay together may take more buckets than the fewest.
    plan.most_cuts = 2 * *without_cuts + 8;
    const std::uint64_t of_cut = of_part_.key.bytes() + 2 * sizeof(std::uint64_t) * plan.at_once;
    const std::optional<std::uint64_t> buckets = buckets_beside(plan.most_cuts * of_cut);
    if (!buckets || *buckets > plan.most_cuts) return {};
    plan.reserve = request_.apart || is_argsort_ ? 0 : plan.capacity / 8;
    const std::uint64_t rest = count - plan.reserve;
    plan.tile = ceil_div(rest, ceil_div(rest, plan.capacity));
    if (plan.tile / *buckets * of_part_.key.bytes() < limits_.least_bucket_bytes) return {};
    return plan;
}

std::shared_ptr<const Work> SortInParts::plan_part(std::uint64_t count) {
    of_part_.count = count;
    return core_.plan(of_part_);
}

std::shared_ptr<const Work> SortInParts::plan_part_without_extra(std::uint64_t count) {
    Request without = of_part_;
    without.count = count;
    without.data_independent = true;
    without.extra_bytes = 0;
    return core_.plan(without);
}

Work SortInParts::numbering(const Work& part, std::uint64_t first) {
    Work work;
    work.arrays[Slot::values] = part.arrays[Slot::values];
    add_iota(core_.planner(), work, Slot::values, first);
    core_.backend().rehearse(work);
    return work;
}

SortReport SortInParts::run(const Bindings& bindings) {
    from_ = to_ = bindings;
    if (!distribution_ || !distribute(*distribution_)) sort_columns();
    report_.sort_seconds += watch_.lap();
    return report_;
}

void SortInParts::take_host_memory() {
    if (std::exchange(has_host_memory_, true)) return;
    if (request_.apart) {
        to_[Slot::keys] = std::exchange(to_[Slot::results], {});
        to_[Slot::values] = std::exchange(to_[Slot::result_values], {});
    }
    if (is_argsort_) {
        copy_ = new_memory(request_.count * request_.key.bytes());
        to_[Slot::keys] = {copy_.get()};
        to_[Slot::values] = std::exchange(to_[Slot::indices], {});
    }
    // Every array goes to the device and back several times.
    each_array(true, true, [&](Slot slot, std::size_t bytes) {
        auto* const memory = static_cast<std::byte*>(to_[slot].memory);
        const std::uint64_t size = request_.count * bytes;
        pinned_.push_back(core_.backend().pin(memory, size, [&] {
            if (!is_argsort_ && !request_.apart) return;
            // Memory that was not there is written by threads, with nothing that anybody reads.
            constexpr std::uint64_t page = 4096;
            in_shares(size, share_of_memory, [&](std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t at = begin; at < end; at += page) memory[at] = {};
            });
        }));
    });
}

/// In large pages, where there are any: these are fewer to write, to pin and to give back
/// (docs/decisions.md#arrays-larger-than-the-device).
SortInParts::HostMemory SortInParts::new_memory(std::uint64_t bytes) {
    constexpr std::uint64_t large_page = std::uint64_t{2} << 20;
    const std::uint64_t whole = ceil_div(bytes, large_page) * large_page;
    HostMemory memory(std::aligned_alloc(large_page, whole));
    if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    ::madvise(memory.get(), whole, MADV_HUGEPAGE);
#endif
    return memory;
}

void SortInParts::copy(const std::vector<HostCopy>& all) {
    if (all.empty()) return;
    // Threads that sleep take longer to wake than a few copies take.
    constexpr std::uint64_t few = std::uint64_t{1} << 20;
    const std::uint64_t bytes_of_all =
        std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const HostCopy& one) { return sum + one.bytes; });
    std::vector<HostCopy> shares;
    for (const auto& [to, from, bytes] : all)
        for (std::uint64_t done = 0; done < bytes; done += share_of_memory)
            shares.push_back({to + done, from + done, std::min(share_of_memory, bytes - done)});
    in_shares(shares.size(), bytes_of_all < few ? shares.size() : 1, [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end; ++i) std::memcpy(shares[i].to, shares[i].from, shares[i].bytes);
    });
}

void SortInParts::tell_progress() {
    if (limits_.progress) limits_.progress(++done_, all_);
}

SortInParts::Queues::Queues(Backend& backend, std::size_t parts)
    : sorts(backend.open_queue()),
      uploads(backend.open_queue()),
      downloads(backend.open_queue()),
      places(parts, QueueMemory(*sorts)) {}

void SortInParts::Queues::allocate() {
    for (QueueMemory& place : places) place.allocate();
}

std::uint64_t SortInParts::Queues::bytes() const noexcept {
    std::uint64_t all = 0;
    for (const QueueMemory& place : places) all += place.bytes();
    return all;
}

}  // namespace lanesort::inline v0_1::detail
