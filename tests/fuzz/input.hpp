// SPDX-License-Identifier: MIT
// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <lanesort/key_types.hpp>

/// Ends the run, with the input kept, unless it holds.
inline void require(bool holds) {
    if (!holds) std::abort();
}

/// Bytes as a file, which parsers read by its path.
class FileOf {
public:
    explicit FileOf(std::span<const std::uint8_t> bytes) : file_(::memfd_create("fuzz", 0)) {
        if (file_ < 0 || ::write(file_, bytes.data(), bytes.size()) != static_cast<::ssize_t>(bytes.size()))
            throw std::runtime_error("no file in memory can be made");
    }
    ~FileOf() { ::close(file_); }
    FileOf(const FileOf&) = delete;
    FileOf& operator=(const FileOf&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

/// The numbers at the start of an input, which tell how to read the rest of it.
class Choices {
public:
    explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    /// From 0 to below `end`; 0 where the input has no more bytes.
    unsigned below(unsigned end) {
        unsigned number = 0;
        for (unsigned i = 0; i < 2 && !bytes_.empty(); ++i, bytes_ = bytes_.subspan(1))
            number = number << 8 | bytes_[0];
        return number % end;
    }
    /// A type of keys, or none.
    std::optional<lanesort::KeyType> key_type() {
        constexpr unsigned types = std::size(lanesort::all_key_types);
        const unsigned type = below(types + 1);
        return type < types ? std::optional(lanesort::all_key_types[type]) : std::nullopt;
    }
    std::span<const std::uint8_t> rest() const { return bytes_; }

private:
    std::span<const std::uint8_t> bytes_;
};
