// SPDX-License-Identifier: MIT
// Files that are neither numbers nor text, told by their first bytes.
#pragma once

#include <cstdint>

#include "files.hpp"

/// How a file would be read.
enum class ReadAs : std::uint8_t { raw, text };

/// Throws BadInput that names the format of a file that is of a known one, and says what to do.
void refuse_other_formats(InputFile& file, ReadAs as);
