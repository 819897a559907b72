// SPDX-License-Identifier: MIT
// The text of the kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanesort::inline v0_1::detail {

struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

/// The files of kernels/, as they were when the library was built.
std::span<const EmbeddedFile> embedded_kernels() noexcept;

/// What the host adds to the files.
struct KernelText {
    std::vector<std::string> definitions;  ///< "NAME=value", defined ahead of common/parameters.h
    std::string comparator;                ///< in the place of common/comparator.h, unless it is empty
};

/// A kernel file with its includes put in, each once, and #line directives so that a compiler's log names the right
/// file. From the folder that the environment variable LANESORT_KERNEL_DIR names, if it is set; else embedded.
/// Throws Error(build_failed) for a file that is not there.
std::string kernel_source(const std::string& file, const KernelText& text = {});

}  // namespace lanesort::inline v0_1::detail
