// SPDX-License-Identifier: MIT
// The text of bench/kernels, as it was when the benchmark was built.
#pragma once

#include <span>
#include <string_view>

namespace lanesort::bench {

struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

std::span<const EmbeddedFile> embedded_kernels() noexcept;

}  // namespace lanesort::bench
