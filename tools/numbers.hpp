// Numbers in files: raw little-endian ones, or text with one a line.
#pragma once

#include <optional>
#include <string>

#include <lanesort/key_types.hpp>

#include "files.hpp"
#include "key_reader.hpp"

/// The numbers of a file, and what stands in front of them.
struct NumberFile {
    std::string head;  ///< a UTF-8 byte order mark, the header of a .npy file, or nothing
    Numbers numbers;
};

/// Reads all numbers of a file. Throws BadInput where it does not hold a whole number of them.
NumberFile read_raw(InputFile& file, lanesort::KeyType type);

/// Reads one number a line. Blanks around a number and CRLF are accepted. Throws BadInput with the number of the line
/// that a KeyReader of that type refuses.
NumberFile read_text(InputFile& file, std::optional<lanesort::KeyType> type);

/// Writes one number a line, as few digits as read back to the same bits.
void write_text(OutputFile& file, const Bytes& keys, lanesort::KeyType type);
