// SPDX-License-Identifier: MIT
// All kernels that were compiled with the library (cmake/CpuKernels.cmake).
#pragma once

#include <span>

#include <lanesort/compiled.hpp>

namespace lanesort::inline v0_1::cpu {

using detail::Compiled, detail::CompiledFile, detail::Instructions;

std::span<const CompiledFile* const> all_compiled() noexcept;

/// The instruction sets that kernels were compiled for, the widest first.
std::span<const Instructions> compiled_instructions() noexcept;

}  // namespace lanesort::inline v0_1::cpu
