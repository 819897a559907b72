// SPDX-License-Identifier: MIT
// What a sort in place keeps beside its file, so that one that was ended at any moment can be finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "files.hpp"

/// How far a sort in place has come, and of what. Its steps are numbered; each reads some numbers, and writes the same
/// ones over them in another order.
struct JournalState {
    std::uint64_t begin = 0, size = 0;  ///< of the numbers in the file, and of the file, in bytes
    std::uint64_t type = 0, order = 0, row_length = 0;
    std::uint64_t part_bytes = 0;                ///< at most, of a step
    std::uint64_t schedule = 0;                  ///< a hash of all steps
    std::uint64_t done = 0;                      ///< steps
    std::uint64_t is_writing = 0;                ///< 1: the next step's numbers may be overwritten already
    std::uint64_t seconds = 0, nanoseconds = 0;  ///< when the file had been changed before that

    /// Before that nothing has been overwritten.
    bool has_begun() const noexcept { return done > 0 || is_writing != 0; }
};

/// FNV-1a of bytes, behind others that have that hash.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t hash = 0xcbf29ce484222325) noexcept;

/// Whether a file of that size is half sorted, and a journal beside it has some of its numbers. What is no journal, or
/// cannot be read, or is of a file of another size, says nothing.
bool is_half_sorted(const std::string& file, std::uint64_t size);

/// The file NAME.lanesort-journal: a state, and behind it the numbers of a step as they were before it.
///
/// 1. A step's old numbers are written behind the state, and synced.
/// 2. The state says that the step is writing, and is synced. From here on the file may have any of the step's numbers
///    old or new, and the journal has all old ones, of which the new ones are made again.
/// 3. The new numbers are written over the old ones, and the file is synced.
/// 4. The state says that the step is done, and is synced. From here on the old numbers may go.
///
/// Each sync comes before what relies on it, so that holds after a power failure as after SIGKILL. A state is less than
/// a sector, which disks write whole. Every failure is a BadInput or a SystemFailure that names the journal.
class Journal {
public:
    /// In front of the numbers, which begin at a page.
    static constexpr std::uint64_t head_bytes = 4096;

    /// Of the file at that path.
    explicit Journal(const std::string& file);

    const std::string& name() const noexcept { return name_; }
    /// What a sort that was ended has left, if there is one that had changed the file.
    std::optional<JournalState> read() const;
    /// Begins with this state, and room for so many bytes of old numbers: nothing is left of it where there is no room.
    void create(const JournalState& state, std::uint64_t bytes);
    /// Synced before it returns.
    void write(const JournalState& state);
    /// Has the bytes of a step synced, which write_old() wrote.
    void sync();
    void write_old(std::uint64_t offset, const void* from, std::size_t bytes);
    void read_old(std::uint64_t offset, void* to, std::size_t bytes) const;
    void remove() const noexcept;

private:
    [[noreturn]] void fail(const char* what) const;
    void sync_folder() const;

    std::string name_;
    Descriptor file_;
};
