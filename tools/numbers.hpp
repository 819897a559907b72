// Numbers in files: raw little-endian ones, or text with one a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/key_types.hpp>

#include "files.hpp"
#include "indices.hpp"
#include "key_reader.hpp"

/// The numbers of a file, and what stands in front of them.
struct NumberFile {
    std::string head;  ///< a UTF-8 byte order mark, the header of a .npy file, or nothing
    Numbers numbers;
};

/// Throws BadInput where so many bytes are no whole number of keys.
void require_whole_keys(const InputFile& file, std::uint64_t bytes, lanesort::KeyType type);

/// Reads all numbers of a file. Throws BadInput where it does not hold a whole number of them.
NumberFile read_raw(InputFile& file, lanesort::KeyType type);

/// Reads one number a line. Blanks around a number and CRLF are accepted. Throws BadInput with the number of the line
/// that a KeyReader of that type refuses.
NumberFile read_text(InputFile& file, std::optional<lanesort::KeyType> type);

/// The same where all keys take too much memory: `take` gets runs of up to `run_bytes` bytes of keys, of the type that
/// is found so far. What is given back is the last run, and the type of all.
NumberFile read_text_in_runs(InputFile& file, std::optional<lanesort::KeyType> type, std::size_t run_bytes,
                             const std::function<void(KeyReader::Run&)>& take);

/// The same of several files: the numbers of all, which have one type, and how many each file has. The head is that of
/// the first.
NumberFile read_texts(std::vector<InputFile>& files, std::optional<lanesort::KeyType> type,
                      std::vector<std::uint64_t>& counts);

/// Whether two numbers are one group: their bits are equal, or both are NaN.
bool are_equal(const std::byte* a, const std::byte* b, lanesort::KeyType type);

/// Keeps the first of each run of equal numbers; `lengths` gets how long these runs are, if asked.
void keep_distinct(Numbers& numbers, IndexArray* lengths = nullptr);

/// The number that lies there, as few digits as read back to the same bits.
std::string text_of(const std::byte* number, lanesort::KeyType type);

/// Writes one number a line, as few digits as read back to the same bits; with `counts`, each behind its count and a
/// tab.
void write_text(OutputFile& file, const Bytes& keys, lanesort::KeyType type, const IndexArray* counts = nullptr);
