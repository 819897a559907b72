// SPDX-License-Identifier: MIT
// Sorts of host arrays that exceed the device: part by part, each of which goes there and back.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <lanesort/parts.hpp>

#include "core/integers.hpp"
#include "core/queue_memory.hpp"
#include "core/sorter_core.hpp"
#include "core/stopwatch.hpp"
#include "core/threads.hpp"

namespace lanesort::inline v0_1::detail {

/// What a sort in parts may take, and what it is told.
struct PartLimits {
    std::uint64_t memory;              ///< of the device, in bytes
    std::uint64_t device_bytes;        ///< what of that was demanded; 0: nothing
    std::uint64_t least_bucket_bytes;  ///< of keys that a distribution writes one behind another
    std::function<void(std::size_t, std::size_t)> progress;
};

/// One call: by distribution, in two passes over the bus, or in columns, in three and a little.
class SortInParts {
public:
    /// Throws Error(too_large) where parts would be too small.
    SortInParts(SorterCore& core, const Request& request, const PartLimits& limits);

    SortReport run(const Bindings& bindings);

private:
    /// So many parts at once have memory of the device: while one is sorted, another comes and a third goes.
    static constexpr std::size_t parts_at_once = 3;

    struct Free {
        void operator()(void* memory) const noexcept { std::free(memory); }
    };
    using HostMemory = std::unique_ptr<void, Free>;

    /// What the device does at once, and its memory, which outlives what is done with it on other queues.
    struct Queues {
        Queues(Backend& backend, std::size_t parts);
        void allocate();
        std::uint64_t bytes() const noexcept;
        const Bindings& place(std::size_t part) const noexcept { return places[part % places.size()].bindings(); }

        std::unique_ptr<DeviceQueue> sorts, uploads, downloads;
        std::vector<QueueMemory> places;
    };

    /// How elements become buckets, each of which one part holds.
    struct DistributionPlan {
        std::size_t at_once;     ///< parts that have memory of the device
        std::uint64_t capacity;  ///< of a part
        std::uint64_t samples;
        std::uint64_t most_cuts;  ///< between buckets
        std::uint64_t reserve;    ///< elements that wait in host memory: so others have room
        std::uint64_t tile;       ///< elements that are parted at once
    };
    class TwoPasses;

    static HostMemory new_memory(std::uint64_t bytes);
    /// Calls do_share(begin, end) for shares of 0 .. count, in several threads where there are many.
    template <class Do>
    void in_shares(std::uint64_t count, std::uint64_t share, const Do& do_share);
    struct HostCopy {
        std::byte* to;
        const std::byte* from;
        std::uint64_t bytes;
    };
    /// By threads. What is written is nowhere read.
    void copy(const std::vector<HostCopy>& all);

    /// The part's sort.
    std::shared_ptr<const Work> plan_part(std::uint64_t count);
    /// The same where no more memory may be taken.
    std::shared_ptr<const Work> plan_part_without_extra(std::uint64_t count);
    /// A work that writes first, first + 1, .. to the values of a part.
    Work numbering(const Work& part, std::uint64_t first);
    /// Elements of each of so many parts, where so much memory goes to other things.
    std::uint64_t capacity(std::size_t parts, std::uint64_t others = 0) const noexcept;
    std::optional<DistributionPlan> plan_distribution() const;
    /// Where arrays are to go, and what they take of the host: all else was planned and has its memory.
    void take_host_memory();
    void tell_progress();

    /// Calls use(slot, bytes of an element) for the keys, if these are wanted, and for the values.
    template <class Use>
    void each_array(bool keys, bool values, const Use& use) const {
        if (keys) use(Slot::keys, of_part_.key.bytes());
        if (values && of_part_.value_bytes > 0) use(Slot::values, of_part_.value_bytes);
    }

    /// False where columns have to do it: `from_` is what they are to sort.
    bool distribute(const DistributionPlan& plan);
    void sort_columns();

    SorterCore& core_;
    const Request request_;
    const PartLimits limits_;
    const bool is_argsort_;
    Request of_part_;
    std::vector<PassOfParts> columns_;
    std::optional<DistributionPlan> distribution_;

    HostMemory copy_;  ///< of keys that are to stay as they are
    Bindings from_;    ///< what the first pass reads
    Bindings to_;      ///< what it writes
    bool is_numbered_ = false, has_host_memory_ = false;
    Stopwatch watch_;
    std::vector<std::shared_ptr<void>> pinned_;
    Threads threads_;
    SortReport report_;
    std::size_t done_ = 0, all_ = 0;
};

template <class Do>
void SortInParts::in_shares(std::uint64_t count, std::uint64_t share, const Do& do_share) {
    threads_.share_out(ceil_div(count, share), [&](std::uint64_t first, std::uint64_t end, unsigned) {
        do_share(first * share, std::min(end * share, count));
    });
}

}  // namespace lanesort::inline v0_1::detail
