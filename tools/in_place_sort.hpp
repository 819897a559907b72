// SPDX-License-Identifier: MIT
// Sorts the numbers of a file where they are, within a limit of memory: one part after another is sorted by the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/parts.hpp>

#include "background.hpp"
#include "device_sort.hpp"
#include "external_sort.hpp"
#include "files.hpp"
#include "journal.hpp"
#include "npy.hpp"

/// One sort of the numbers of a file, which has no other command sort it in place meanwhile. Whatever ends it, the next
/// one for the same file finishes it, by its journal.
class InPlaceSort {
public:
    InPlaceSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory);

    /// IN was looked at, and its header read if it is a .npy file. Throws BadInput for what is no file, where the limit
    /// is too small, where a journal is of another sort or the file was written to since, or is meanwhile.
    void run(const InputFile& in, const std::optional<NpyHeader>& npy);
    /// Adds to what DeviceSort::print_stats says.
    void print_stats() const;

private:
    void open_file();
    /// The same parts of all that the sort goes through, one after another.
    void make_steps(std::uint64_t count, std::uint64_t row_length);
    void require_same_sort(const JournalState& found) const;
    void announce() const;

    void step(const lanesort::Part& part);
    void finish_step(const lanesort::Part& part);
    void write_new(const lanesort::Part& part);
    bool is_in_order(std::uint64_t count, std::uint64_t row_length) const;

    void read_part(const lanesort::Part& part);
    /// Calls piece(place in the file, place in the part, bytes) for pieces of at most that many bytes, as long as that
    /// gives true; gives whether all did.
    template <class Piece>
    bool each_piece(const lanesort::Part& part, std::size_t most_bytes, const Piece& piece) const;

    /// The file is as it was left at the end of the step before.
    bool is_unchanged() const;
    void require_unchanged() const;
    void remember_change();
    [[noreturn]] void fail(const char* what) const;

    const SortArguments& options_;
    DeviceSort& device_;
    std::uint64_t memory_;
    MemoryPlan plan_;
    std::string name_;
    bool has_other_names_ = false;  ///< hard links
    Descriptor file_{-1};
    std::optional<Journal> journal_;
    JournalState state_;
    std::size_t key_bytes_ = 1;
    std::vector<lanesort::Part> steps_;
    Numbers part_{lanesort::KeyType::u8, {}};
    Background background_;
};
