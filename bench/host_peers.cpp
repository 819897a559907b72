// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fstream>

#include <lanesort/lanesort.hpp>

#include "host_copy.hpp"
#include "host_trial.hpp"

namespace lanesort::bench {
namespace {

class HostRange final : public Peer {
public:
    explicit HostRange(const Device& device) : sorter_(device) {}
    std::unique_ptr<Trial> prepare(const Input& input) override {
        sorter_.prepare(input.problem().type, input.problem().count, input.problem().row_length());
        const auto sort = [this](void* keys, const Problem& problem) {
            return cost_of(sorter_.sort({keys, problem.count, problem.type}, {.row_length = problem.row_length()}));
        };
        return std::make_unique<HostTrial<decltype(sort)>>(input, sort);
    }

private:
    Sorter sorter_;
};

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name") && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
    return "unknown processor";
}

/// The best of some copies by all cores, of memory that is far larger than the caches.
double copy_bytes_per_second() {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    const std::vector<std::byte> from(bytes, std::byte{1});
    std::vector<std::byte> to(bytes);
    double best = 0;
    for (int repetition = 0; repetition < 5; ++repetition) {
        const auto start = std::chrono::steady_clock::now();
        copy_by_all_cores(from.data(), to.data(), bytes);
        best = std::max(best, 2 * static_cast<double>(bytes) / seconds_since(start));
    }
    return best;
}

}  // namespace

std::shared_ptr<const Memory> host_memory() {
    return std::make_shared<Memory>("host", processor(), "", copy_bytes_per_second());
}

std::string where(const DeviceInfo& device) {
    if (device.backend == "CUDA") return "CUDA";
    if (device.platform == "Portable Computing Language") return "PoCL";
    return device.platform == "NVIDIA CUDA" ? "NVIDIA OpenCL" : device.platform;
}

Candidates host_peers(const std::shared_ptr<const Memory>& host) {
    return {host_candidate("std::sort", host, [](auto* first, auto* last) { std::sort(first, last); }),
            host_candidate("std::stable_sort", host, [](auto* first, auto* last) { std::stable_sort(first, last); })};
}

Candidates host_range_peers(const std::shared_ptr<const Memory>& host) {
    Candidates candidates;
    const Discovery found = discover();
    for (const Device& device : found.devices)
        candidates.push_back({"lanesort, host range, " + where(device.info()),
                              host,
                              true,
                              [device] { return std::make_unique<HostRange>(device); },
                              {}});
    std::string why;
    for (const std::string& absence : found.absences) why += (why.empty() ? "" : "; ") + absence;
    if (!why.empty()) candidates.push_back(absent("lanesort, host range, more devices", why));
    return candidates;
}

}  // namespace lanesort::bench
