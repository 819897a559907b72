// SPDX-License-Identifier: MIT
// How sorted ranges are sampled where keys are looked for in them (kernels/common/binary_search.h). Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <lanesort/device.hpp>

namespace lanesort::inline v0_1::detail {

/// Keys that a work-group has in local memory; a power of two. It reads them all, whatever it looks for.
inline unsigned sample_keys(const DeviceInfo& device, std::size_t key_bytes) noexcept {
    const std::uint64_t bytes = std::min<std::uint64_t>(device.local_bytes / 2, 8192);
    const std::uint64_t most = device.kind == DeviceKind::cpu ? 256 : 1024;
    return static_cast<unsigned>(std::bit_floor(std::clamp<std::uint64_t>(bytes / key_bytes, 1, most)));
}

struct Sampling {
    std::uint64_t stride = 1;   ///< keys from one of the sample to the next
    std::uint64_t samples = 0;  ///< of the range
};

constexpr Sampling sample_of(std::uint64_t count, std::uint64_t most) noexcept {
    const std::uint64_t stride = count / most + 1;
    return {stride, count / stride};
}

}  // namespace lanesort::inline v0_1::detail
