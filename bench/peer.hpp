// SPDX-License-Identifier: MIT
// A sort that can be measured beside others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lanesort/sorter.hpp>

#include "input.hpp"

namespace lanesort::bench {

/// What a sort took, where it can be known.
struct Cost {
    std::optional<std::uint64_t> launches;            ///< kernels launched
    std::optional<std::uint64_t> hand_overs;          ///< synchronisations inside work-groups, over all launches
    std::optional<std::uint64_t> extra_device_bytes;  ///< device memory beside the keys
};

inline Cost cost_of(const SortReport& report) { return {report.launches, report.hand_overs, report.device_bytes}; }

/// One sort of one input, ready to be repeated.
class Trial {
public:
    virtual ~Trial() = default;

    /// Restores the input, turned round by `turn` keys, and sorts it: the seconds from the call of the sort until the
    /// host knows that it is finished.
    virtual double wall_seconds(std::size_t turn) = 0;

    /// What the device takes for it behind other work, in which the host can enqueue it. Nothing where the keys are in
    /// host memory.
    virtual std::optional<double> device_seconds(std::size_t turn) = 0;

    /// The bytes that the last run made.
    virtual std::span<const std::byte> result() = 0;

    /// Of the last run.
    virtual Cost cost() const = 0;
};

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A trial whose keys are on a device.
class DeviceTrial : public Trial {
public:
    double wall_seconds(std::size_t turn) final {
        restore(turn);
        finish();
        const auto start = std::chrono::steady_clock::now();
        sort();
        finish();
        return seconds_since(start);
    }

protected:
    virtual void restore(std::size_t turn) = 0;
    virtual void sort() = 0;
    virtual void finish() = 0;
};

/// The memory in which a peer's keys are.
struct Memory {
    std::string where;             ///< short, for the names of peers: "host", "PoCL", "CUDA"
    std::string device;            ///< the device's name
    std::string driver;            ///< and version; empty for the host
    double copy_bytes_per_second;  ///< reading and writing counted
};

/// Something that sorts.
class Peer {
public:
    virtual ~Peer() = default;
    /// Why it cannot sort that; empty if it can.
    virtual std::string refusal(const Problem&) const { return {}; }
    virtual std::unique_ptr<Trial> prepare(const Input& input) = 0;
};

/// A peer that is here and can be opened, or one that is not.
struct Candidate {
    std::string name;
    std::shared_ptr<const Memory> memory;
    bool compiles = false;  ///< at run time, so that its cold start is of interest
    std::function<std::unique_ptr<Peer>()> open;
    std::string absence;  ///< why it is not here; empty if it is
};

inline Candidate absent(std::string name, std::string why) { return {std::move(name), {}, false, {}, std::move(why)}; }

using Candidates = std::vector<Candidate>;

/// The short name of a device's platform.
std::string where(const DeviceInfo& device);

/// The host's own sorts.
Candidates host_peers(const std::shared_ptr<const Memory>& host);
Candidates tbb_peers(const std::shared_ptr<const Memory>& host);
Candidates vqsort_peers(const std::shared_ptr<const Memory>& host);

/// lanesort on host ranges, by every device.
Candidates host_range_peers(const std::shared_ptr<const Memory>& host);

/// Everything that sorts on an OpenCL device, on every one.
Candidates opencl_peers();

/// lanesort's stream and graph beside CUB's sorts and Thrust's, on the first CUDA device.
Candidates cuda_peers();

/// The processor and its memory.
std::shared_ptr<const Memory> host_memory();

/// All of the above.
Candidates all_peers();

}  // namespace lanesort::bench
