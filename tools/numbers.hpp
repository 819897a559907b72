// Keys in files: raw little-endian numbers, or text with one number a line.
#pragma once

#include <lanesort/key_types.hpp>

#include "files.hpp"

/// Reads all keys of a file. Throws BadInput where it does not hold a whole number of keys.
Bytes read_raw(InputFile& file, lanesort::KeyType type);

/// Reads one number a line. Blanks around a number and CRLF are accepted, "nan", "inf" and their negatives too.
/// Throws BadInput with the number of the line that is no number of the type or out of its range.
Bytes read_text(InputFile& file, lanesort::KeyType type);

/// Writes one number a line, as few digits as read back to the same bits.
void write_text(OutputFile& file, const Bytes& keys, lanesort::KeyType type);
