// SPDX-License-Identifier: MIT
// Copies in host memory by all cores: what its speed is compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace lanesort::bench {

/// Each core copies a part. Of a length that cores do not divide, a few bytes are left out.
inline void copy_by_all_cores(const void* from, void* to, std::size_t bytes) {
    const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u), part = bytes / cores;
    std::vector<std::jthread> threads;
    for (std::size_t core = 0; core < cores; ++core)
        threads.emplace_back([=] {
            std::memcpy(static_cast<std::byte*>(to) + core * part, static_cast<const std::byte*>(from) + core * part,
                        part);
        });
}

}  // namespace lanesort::bench
