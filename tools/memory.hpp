// SPDX-License-Identifier: MIT
// The memory that there is.
#pragma once

#include <cstdint>
#include <filesystem>

/// Bytes that this process can have without another one losing its memory, swap included: what Linux tells of the
/// machine below that root, and no more than the control groups of this process leave. 2^64 - 1 where nothing is told.
std::uint64_t available_memory(const std::filesystem::path& root = "/");
