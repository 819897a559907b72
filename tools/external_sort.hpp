// SPDX-License-Identifier: MIT
// Sorts within a limit of memory: runs that fit are sorted by the device, written to a temporary file, and merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "background.hpp"
#include "device_sort.hpp"
#include "files.hpp"
#include "npy.hpp"
#include "numbers.hpp"
#include "temporary_file.hpp"

/// How much memory a sort may take for keys and buffers, and what it does with it.
class MemoryPlan {
public:
    /// Throws BadInput where the limit is too small.
    explicit MemoryPlan(std::uint64_t limit);

    /// Of a run. What a distribution takes beside the keys at most is left.
    std::size_t run_bytes() const noexcept { return static_cast<std::size_t>(usable_ / 9 * 8); }
    /// The least limit with runs of so many bytes.
    static std::uint64_t limit_for(std::uint64_t run_bytes) noexcept;
    /// The most runs that are merged at a time.
    std::size_t most_runs() const noexcept { return static_cast<std::size_t>(usable_ / least_buffer) - 1; }
    /// Of each run, where so many are merged, and of what is made of them: no more than is of use, unless something
    /// needs that many.
    std::size_t buffer_bytes(std::size_t runs, std::size_t needed = 0) const noexcept;

private:
    static constexpr std::uint64_t least_buffer = std::uint64_t{1} << 18;
    std::uint64_t usable_;
};

/// What becomes of numbers, or records with keys, that are equal.
enum class Equal { keep, keep_first, count };

/// Throws where the folder of the file has no room for what runs of so many bytes in all take, as far as that is known
/// (0: not at all), and says on a terminal, or with --stats, how much it is at most. Later runs have `least_bytes`.
void announce_runs(const TemporaryFile& file, const MemoryPlan& plan, std::size_t run_bytes, std::size_t least_bytes,
                   bool stats, std::uint64_t expected_bytes, std::uint64_t most_bytes);
/// What --stats says of the runs.
void print_run_stats(bool stats, std::size_t runs, std::size_t passes, std::uint64_t temporary_bytes);

/// Sorts the numbers of IN into OUT, with the same bytes as a sort in memory.
class NumberSort {
public:
    NumberSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory, std::string folder, Equal equal);

    /// Throws BadInput where IN is written to meanwhile. False, and nothing is written, for text that is not plain
    /// integers: then IN gives all of its lines again, as long as this is there.
    bool run(InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out);
    /// Adds to what DeviceSort::print_stats says.
    void print_stats() const;

private:
    /// Sorted keys in the temporary file.
    struct Run {
        std::uint64_t begin, end;
    };
    template <class Bits>
    class Reader;
    class Writer;
    /// Gets blocks one after the other, maybe in another thread.
    using Take = std::function<void(Numbers& block)>;

    bool sort_text(InputFile& in, OutputFile& out);
    void put_back(PlainIntegers& integers, InputFile& in);
    void sort_raw(InputFile& in, lanesort::KeyType type, const std::optional<NpyHeader>& npy, OutputFile& out);
    void sort_rows(InputFile& in, const NpyHeader& npy, OutputFile& out);
    Numbers read_runs(InputFile& in, lanesort::KeyType type, std::uint64_t bytes);

    /// Sorts a run, and has it written, block by block, while the caller goes on.
    std::vector<Task> add_run(Numbers& keys);
    void end_runs(Numbers& last);
    void for_each_block(lanesort::KeyType type, Numbers& last, const Take& take);
    void merge_runs(lanesort::KeyType type, std::size_t first, std::size_t count, const Take& take);
    template <class Bits>
    void merge_as(lanesort::KeyType type, std::size_t first, std::size_t count, const Take& take);

    const SortArguments& options_;
    DeviceSort& device_;
    MemoryPlan plan_;
    std::string folder_;
    Equal equal_;
    std::size_t run_bytes_ = 0;
    std::function<void(const Numbers& first_run)> before_runs_;  ///< announces them
    std::optional<TemporaryFile> file_;
    std::vector<Run> runs_;
    std::size_t all_runs_ = 0, passes_ = 0;
    std::uint64_t most_bytes_ = 0;  ///< that the temporary files had at a time
    Background background_;         ///< reads ahead and writes
};
