// All kernels that were compiled with the library.
#pragma once

#include <span>

#include <lanesort/compiled.hpp>

namespace lanesort::cpu {

using detail::Compiled;

/// Of all instructions and elements (cmake/CpuKernels.cmake).
std::span<const Compiled* const> all_compiled() noexcept;

}  // namespace lanesort::cpu
