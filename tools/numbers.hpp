// Keys in files: raw little-endian numbers, or text with one number a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <lanesort/key_types.hpp>

#include "files.hpp"

/// Reads all keys of a file. Throws BadInput where it does not hold a whole number of keys.
Bytes read_raw(InputFile& file, lanesort::KeyType type);

/// The text without the spaces, tabs and carriage returns around it.
std::string_view without_blanks(std::string_view text);

/// The text in quotes, fit for a message: long ones are cut off.
std::string shown(std::string_view text);

/// Appends the number that a text without blanks stands for to the keys; "nan", "inf" and their negatives are numbers.
/// Nothing is appended where it is empty, no number of the type or out of its range: then gives the words that say so,
/// to go after those for the place of the text.
std::optional<std::string> append_number(Bytes& keys, std::string_view text, lanesort::KeyType type);

/// Reads one number a line. Blanks around a number and CRLF are accepted. Throws BadInput with the number of the line
/// that append_number refuses.
Bytes read_text(InputFile& file, lanesort::KeyType type);

/// Writes one number a line, as few digits as read back to the same bits.
void write_text(OutputFile& file, const Bytes& keys, lanesort::KeyType type);
