// SPDX-License-Identifier: MIT
// Numbers in files: raw little-endian ones, or text with one a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Reads integers, one a line, as long as each line is just what would be written for its integer: then their bytes
/// say all. They are of one type: the given one or, if none is given, i64 or u64.
class PlainIntegers {
public:
    explicit PlainIntegers(std::optional<lanesort::KeyType> type) : type_(type) {}

    /// Gets the keys if there are more than that many bytes of them; they are gone afterwards.
    using Take = std::function<void(Numbers& run)>;
    void take_runs(std::size_t run_bytes, Take take);

    /// Reads a file to its end, behind its byte order mark. False at a line that is something else; nothing is lost,
    /// see put_back().
    bool read(InputFile& file);
    /// All of the files that were read, except those that were taken. The head is that of the first file.
    NumberFile finish();
    /// How many integers each file has.
    const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }

    /// After read() was false: has the files that it read give all of their lines again. If the keys of the only file
    /// were taken, finish() included, `taken` gives them block by block, in any order.
    void put_back(std::span<InputFile> files, std::function<Numbers()> taken = {});

private:
    bool add(std::string_view line);
    lanesort::KeyType type() const noexcept;

    std::optional<lanesort::KeyType> type_;
    bool has_negative_ = false, above_i64_ = false;
    Bytes keys_;
    std::size_t begin_ = 0;  ///< of the keys of the file that is read now, in bytes
    std::vector<std::string> heads_;
    std::vector<std::uint64_t> counts_;
    std::string rest_;  ///< of the last file, what was read of it from that line on
    std::size_t run_bytes_ = SIZE_MAX;
    Take take_;
};

/// The same of one file: its integers, or nothing if it holds something else; then it gives all of its lines again.
std::optional<NumberFile> read_plain_integers(InputFile& file, std::optional<lanesort::KeyType> type);

/// Whether two numbers are one group: their bits are equal, or both are NaN.
bool are_equal(const std::byte* a, const std::byte* b, lanesort::KeyType type);

/// Keeps the first of each run of equal numbers; `lengths` gets how long these runs are, if asked.
void keep_distinct(Numbers& numbers, IndexArray* lengths = nullptr);

/// The number that lies there, as few digits as read back to the same bits; with an exponent only if it is very large
/// or small.
std::string text_of(const std::byte* number, lanesort::KeyType type);

/// Writes one number a line, as text_of has it; with `counts`, each behind its count and a tab.
void write_text(OutputFile& file, const Bytes& keys, lanesort::KeyType type, const IndexArray* counts = nullptr);
