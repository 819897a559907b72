// SPDX-License-Identifier: MIT
// Descriptions of devices that no test needs to have.
#pragma once

#include <lanesort/device.hpp>

namespace lanesort::test {

/// A processor with 256-bit vectors under PoCL.
inline DeviceInfo processor() {
    DeviceInfo info;
    info.name = "made-up processor";
    info.kind = DeviceKind::cpu;
    info.compute_units = 2;
    info.max_work_items = 4096;
    info.native_vector_bytes = 32;
    info.global_bytes = std::uint64_t{4} << 30;
    info.max_allocation_bytes = std::uint64_t{1} << 30;
    info.local_bytes = 1 << 20;
    info.host_unified_memory = true;
    return info;
}

/// A graphics card with 32 KB of local memory.
inline DeviceInfo graphics_card() {
    DeviceInfo info;
    info.name = "made-up graphics card";
    info.kind = DeviceKind::gpu;
    info.compute_units = 20;
    info.max_work_items = 256;
    info.native_vector_bytes = 4;
    info.global_bytes = std::uint64_t{8} << 30;
    info.max_allocation_bytes = std::uint64_t{2} << 30;
    info.local_bytes = 32768;
    return info;
}

}  // namespace lanesort::test
