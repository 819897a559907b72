// SPDX-License-Identifier: MIT
// What the sub-commands that sort have in common: their options, and a sort with a progress bar and --stats.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <lanesort/calls.hpp>
#include <lanesort/device.hpp>
#include <lanesort/report.hpp>

#include "npy.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "text_table.hpp"

/// The options of a sub-command that sorts the numbers of IN, which are raw, text, or columns of a table.
struct SortArguments {
    std::optional<lanesort::KeyType> type;
    lanesort::Order order = lanesort::Order::ascending;
    std::string device, in = "-", out = "-";
    bool text = false, raw = false, stats = false;
    TableOptions table;
    ShapeOptions shape;        ///< whose options only some sub-commands have
    ScheduleOptions schedule;  ///< so are these

    /// Adds the options that say what IN is and how to sort it, with these words for --text.
    void add_to(SubCommand& command, const std::string& text_help);
    void add_in(SubCommand& command);
    /// Adds OUT, with these words for it.
    void add_out(SubCommand& command, const std::string& help);
    bool is_table() const noexcept { return !table.columns.empty(); }

    /// Opens OUT. Throws BadInput where raw numbers would go to a terminal, and for a name that promises gzip.
    OutputFile open_out(bool for_raw_numbers) const;

    /// Looks at the first bytes of IN, of which it reads the header if it is a .npy file; what is compressed by gzip is
    /// decompressed first. Throws BadInput for a file of another format than the options say, and where neither it nor
    /// they tell the type of its numbers.
    std::optional<NpyHeader> inspect(InputFile& file) const;

    /// How IN is read as a table: by its columns or, of --text, as lines that are a number each.
    TableOptions as_table() const;

    /// Reads an IN that is no table, behind that header if there is one. Nothing of text that is not plain integers:
    /// that is to be read as a table, so that its numbers are compared and written as they stand.
    std::optional<NumberFile> read_numbers(InputFile& file, const std::optional<NpyHeader>& npy) const;
    /// Writes numbers, as text if that is asked for, behind what the file begins with.
    void write_numbers(OutputFile& file, const std::string& head, const Bytes& numbers,
                       lanesort::KeyType type_of_numbers, const IndexArray* counts = nullptr) const;
};

/// One sort, timed from its construction on: on the device that the options name, or, of a small IN, by the standard
/// library, with the same result. That takes less time than to open a device, and far less than to compile for it.
class DeviceSort {
public:
    explicit DeviceSort(const SortArguments& options) : options_(options) {}

    /// Looks at IN, of which that header was read, and opens the device unless IN is small and the options ask for
    /// nothing of a device. Has IN be read no further where device or memory cannot hold its keys, with an index of
    /// `index_bytes` bytes (0: none) for each.
    void open(InputFile& in, const std::optional<NpyHeader>& npy, std::size_t index_bytes = 0);

    /// Runs a call on these keys, in host memory. Where the device sorts, it compiles first. The reports of all calls
    /// are added up.
    void run(lanesort::CallIn<void*> call, bool shows_progress = true);
    /// Sorts them as the options ask.
    void sort_keys(Numbers& keys, bool shows_progress = true);
    /// So many keys there were, some of which were in several runs.
    void count_keys(std::size_t count) noexcept { count_ = count; }
    /// Sorts the keys with their places, which ascend, so that those of equal keys still do. Behind them may be more.
    void sort_by_key(Numbers& keys, IndexArray& places, lanesort::Order order);
    /// What the reduction gives of the values of each of these sorted keys, which come once then: integers or doubles
    /// of 8 bytes, of values that are such. To count them no values are needed. None of this is in the number of keys.
    struct Reduced {
        IndexArray keys;
        Bytes values;
    };
    Reduced reduce_groups(IndexArray& keys, Numbers& values, lanesort::Reduction reduction);
    /// These keys, in the order and by the schedule that the options ask for.
    lanesort::KeyRangeIn<void*> range_of(Numbers& keys) const;
    /// The same for a call that is no sort.
    lanesort::KeyRangeIn<void*> plain_range_of(Numbers& keys) const;
    /// What was asked for a column, or else for all of them.
    lanesort::Order order_of(std::optional<lanesort::Order> asked) const { return asked.value_or(options_.order); }

    /// Prints to standard error what the sort did, if --stats asks for it.
    void print_stats() const;

private:
    lanesort::SortReport run_on_device(const lanesort::CallIn<void*>& call, bool shows_progress);
    void add(const lanesort::SortReport& report) noexcept;

    Stopwatch time_;
    const SortArguments& options_;
    std::optional<lanesort::Device> device_;
    std::size_t count_ = 0;  ///< of keys, in all calls
    lanesort::KeyType type_{};
    lanesort::SortReport report_;           ///< of all calls; the schedule is that of the last sort
    std::optional<lanesort::Shape> shape_;  ///< of a sort
    std::string note_;
};
