// SPDX-License-Identifier: MIT
// NumPy's .npy files, of versions 1.0 to 3.0: a header that says what the numbers are, then the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lanesort/key_types.hpp>

#include "files.hpp"
#include "numbers.hpp"

struct NpyHeader {
    std::string bytes;  ///< of the file, in front of the numbers
    lanesort::KeyType type;
    std::vector<std::uint64_t> shape;  ///< of one dimension at least; numbers of the last one are side by side
};

/// Whether the file is a .npy file by its first bytes.
bool is_npy(InputFile& file);

/// Reads the header of a .npy file; gives nothing, and reads nothing, of another file. Throws BadInput for a header
/// that cannot be read or does not fit the size of the file, and for what lanesort does not sort: other types,
/// big-endian numbers, Fortran order, no dimension.
std::optional<NpyHeader> read_npy_header(InputFile& file);

/// Throws BadInput where the header says another number of bytes.
void require_size(const InputFile& file, const NpyHeader& header, std::uint64_t bytes);

/// Reads the numbers behind that header. More than one dimension makes rows of the last one. Throws BadInput where the
/// header says another number of bytes.
NumberFile read_npy(InputFile& file, const NpyHeader& header);

/// A header for numbers of this type and shape.
std::string npy_header(lanesort::KeyType type, std::span<const std::uint64_t> shape);
