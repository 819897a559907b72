// SPDX-License-Identifier: MIT
// Room on a disk for what does not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "files.hpp"

/// The folder for temporary files: what was asked for, or else TMPDIR, or else the folder of OUT, or /tmp where that is
/// no file in a folder.
std::string temporary_folder(const std::string& asked, const std::string& out);

/// A file without a name, so that nothing is left behind whatever ends the command. Every failure is a BadInput or a
/// SystemFailure that names the folder.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string folder);

    const std::string& folder() const noexcept { return folder_; }
    std::uint64_t size() const noexcept { return size_; }
    /// Throws SystemFailure where the folder has no room for that many bytes more.
    void require_space(std::uint64_t bytes) const;
    void append(const void* from, std::size_t bytes) { write(append_later(bytes), from, bytes); }
    /// Appends bytes that are still to be written; gives the place of the first. Several threads may write.
    std::uint64_t append_later(std::size_t bytes) noexcept { return std::exchange(size_, size_ + bytes); }
    /// Writes bytes over others that were appended, or behind them.
    void write(std::uint64_t offset, const void* from, std::size_t bytes);
    /// Reads bytes that were appended.
    void read(std::uint64_t offset, void* to, std::size_t bytes) const;
    /// Has bytes that will be read soon brought from the disk.
    void read_ahead(std::uint64_t offset, std::uint64_t bytes) const noexcept;
    void clear();

private:
    [[noreturn]] void fail(const char* what) const;

    std::string folder_;
    Descriptor file_;
    std::uint64_t size_ = 0;
};
