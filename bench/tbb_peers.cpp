// SPDX-License-Identifier: MIT
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <thread>

#include "host_trial.hpp"

namespace lanesort::bench {

Candidates tbb_peers(const std::shared_ptr<const Memory>& host) {
    const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
    static const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, cores);
    return {host_candidate("tbb::parallel_sort, " + std::to_string(cores) + " threads", host,
                           [](auto* first, auto* last) { tbb::parallel_sort(first, last); })};
}

}  // namespace lanesort::bench
