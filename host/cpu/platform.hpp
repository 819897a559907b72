// SPDX-License-Identifier: MIT
// The processor that the program runs on.
#pragma once

#include <cstdint>

#include <lanesort/device.hpp>

#include <lanesort/compiled.hpp>

namespace lanesort::inline v0_1::cpu {

using detail::Instructions;

/// What is used of the processor.
struct Processor {
    Instructions instructions;
    unsigned threads;
};

/// The widest instructions that it has and the library has kernels for, and as many threads as this process may run at
/// once. The environment variables LANESORT_INSTRUCTIONS ("baseline", "avx2") and LANESORT_THREADS may say less.
Processor processor();

/// What a tile may take of a processor's memory: its second-level cache, and 1 MiB where that is smaller or not known.
std::uint64_t tile_memory();

/// What a program sees of the built-in device on such a processor.
DeviceInfo describe(const Processor& processor);

}  // namespace lanesort::inline v0_1::cpu
