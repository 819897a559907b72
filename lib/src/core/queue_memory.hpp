// SPDX-License-Identifier: MIT
// Memory of a queue for works that follow each other.
#pragma once

#include <algorithm>

#include "backend.hpp"

namespace lanesort::inline v0_1::detail {

/// A place for each array of any of several works, one work at a time.
class QueueMemory {
public:
    explicit QueueMemory(DeviceQueue& queue) : queue_(&queue) {}

    /// A slot is to have so many bytes at least.
    void need(Slot slot, std::uint64_t bytes) {
        std::uint64_t& needed = needed_[static_cast<std::size_t>(slot)];
        needed = std::max(needed, bytes);
    }
    /// The same for arrays of a work, from that slot on.
    void need(const Work& work, Slot first = Slot::keys) {
        for (auto slot = static_cast<std::size_t>(first); slot < slots; ++slot)
            need(static_cast<Slot>(slot), work.arrays[slot].size());
    }
    /// Makes room for what is needed. What was in a slot that grows is lost.
    void allocate() {
        for (std::size_t slot = 0; slot < slots; ++slot)
            if (needed_[slot] > there_[slot]) {
                bindings_[slot] = {queue_->allocate(needed_[slot])};
                bytes_ += there_[slot] = needed_[slot];
            }
    }

    /// Whether there is room for arrays of a work, too.
    bool holds(const Work& work) const noexcept {
        for (std::size_t slot = 0; slot < slots; ++slot)
            if (work.arrays[slot].size() > there_[slot]) return false;
        return true;
    }

    const Bindings& bindings() const noexcept { return bindings_; }
    /// Device memory that was taken.
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    DeviceQueue* queue_;
    Bindings bindings_;
    std::array<std::uint64_t, slots> needed_ = {}, there_ = {};
    std::uint64_t bytes_ = 0;
};

/// Adds what a work launches.
inline void add_launches(SortReport& report, const Work& work) {
    report.launches += work.report.launches;
    report.hand_overs += work.report.hand_overs;
    report.barriers += work.report.barriers;
}

}  // namespace lanesort::inline v0_1::detail
