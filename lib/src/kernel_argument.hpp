// An integer that a kernel takes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanesort::detail {

/// The low `bytes` of an integer, as wide as the kernel's type.
struct KernelArgument {
    std::uint64_t value = 0;
    std::size_t bytes = 0;
};

}  // namespace lanesort::detail
