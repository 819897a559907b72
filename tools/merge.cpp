// SPDX-License-Identifier: MIT
// lanesort merge: one sorted file of several.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <lanesort/calls.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "device_sort.hpp"
#include "files.hpp"
#include "numbers.hpp"
#include "table_order.hpp"
#include "text_table.hpp"

namespace {

using namespace lanesort;

class MergeCommand {
public:
    explicit MergeCommand(SubCommand& command) {
        options_.add_to(command, "the files are text, with one number a line");
        command.exclude("--by-column", {"--text"});
        command.add({.names = "IN",
                     .help = "sorted files of one kind; each may be compressed by gzip, and one be -",
                     .target = [this](const std::string& in) { ins_.push_back(in); },
                     .values = Option::Values::several,
                     .is_required = true});
        command.add_text("-o,--output", "OUT", options_.out,
                         "merged file; standard output if it is - or not given; may be one of IN");
        command.add_flag("-u,--unique", unique_,
                         "keep the first of each run of equal numbers, or of lines with equal keys");
        command.footer =
            "Every IN has to be in that order already, else it is named and nothing is written. Equal keys come from\n"
            "the files in the order that these are given in. The header of a table comes once.\n"
            "Example: lanesort merge --type u8 sorted.bin sorted.bin --output all.bin\n"
            "Example: lanesort merge --by-column price goods.csv goods.csv --output all.csv";
    }

    void run() const {
        if (std::ranges::count(ins_, "-") > 1) throw BadInput("- stands for standard input, and may be given once");
        std::vector<InputFile> files(ins_.begin(), ins_.end());
        OutputFile out = options_.open_out(!options_.text && !options_.is_table());
        std::vector<std::optional<NpyHeader>> heads;
        for (InputFile& file : files) heads.push_back(options_.inspect(file));
        DeviceSort device(options_);
        const auto largest = std::ranges::max_element(files, {}, &InputFile::known_size);
        device.open(*largest, heads[static_cast<std::size_t>(largest - files.begin())]);
        if (options_.is_table()) merge_tables(device, files, out);
        else merge_numbers(device, files, heads, out);
        out.commit();
        device.print_stats();
    }

private:
    void merge_numbers(DeviceSort& device, std::vector<InputFile>& files,
                       const std::vector<std::optional<NpyHeader>>& heads, OutputFile& out) const {
        std::vector<std::uint64_t> counts;
        NumberFile merged;
        if (options_.text) {
            PlainIntegers integers(options_.type);
            if (!std::ranges::all_of(files, [&](InputFile& file) { return integers.read(file); })) {
                integers.put_back(files);
                return merge_tables(device, files, out);
            }
            merged = integers.finish();
            counts = integers.counts();
        } else {
            merged = read_numbers(files, heads, counts);
        }
        Numbers& keys = merged.numbers;
        require_order(device, files, keys, counts);
        while (counts.size() > 1) counts = merge_neighbours(device, keys, counts);
        if (unique_) keep_distinct(keys);
        if (heads.front()) merged.head = npy_header(keys.type, std::vector<std::uint64_t>{keys.count()});
        options_.write_numbers(out, merged.head, keys.bytes, keys.type);
    }

    /// The numbers of files that are no text, one after the other, and how many each file has.
    NumberFile read_numbers(std::vector<InputFile>& files, const std::vector<std::optional<NpyHeader>>& heads,
                            std::vector<std::uint64_t>& counts) const {
        NumberFile all{{}, {heads.front() ? heads.front()->type : *options_.type, {}}};
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (heads[i] && heads[i]->shape.size() > 1)
                throw BadInput(fmt::format("{} has rows, which are not merged", files[i].name()));
            if (heads[i].has_value() != heads.front().has_value() || (heads[i] && heads[i]->type != all.numbers.type))
                throw BadInput(fmt::format("{} is not of the type of {}", files[i].name(), files.front().name()));
            const std::optional<NumberFile> file = options_.read_numbers(files[i], heads[i]);
            const Numbers& numbers = file->numbers;
            all.numbers.bytes.append({reinterpret_cast<const char*>(numbers.bytes.data()), numbers.bytes.size()});
            counts.push_back(numbers.count());
        }
        return all;
    }

    void require_order(DeviceSort& device, const std::vector<InputFile>& files, Numbers& keys,
                       const std::vector<std::uint64_t>& counts) const {
        KeyRangeIn<void*> range = device.plain_range_of(keys);
        for (std::size_t i = 0; i < files.size(); range.offset += counts[i++]) {
            range.count = counts[i];
            std::uint64_t in_order = 0;
            device.run(is_sorted_until(range, ValueRangeIn<void*>{.memory = &in_order}));
            if (in_order < range.count)
                refuse(options_.text ? fmt::format("{}, line {}", files[i].name(), in_order + 1)
                                     : fmt::format("{}, number {} (from 0)", files[i].name(), in_order));
        }
    }

    /// Merges the first range with the second, and so on; gives the ranges that come of it.
    static std::vector<std::uint64_t> merge_neighbours(DeviceSort& device, Numbers& keys,
                                                       const std::vector<std::uint64_t>& counts) {
        std::vector<std::uint64_t> merged;
        KeyRangeIn<void*> range = device.plain_range_of(keys);
        for (std::size_t i = 0; i < counts.size(); i += 2, range.offset += range.count) {
            const std::uint64_t second = i + 1 < counts.size() ? counts[i + 1] : 0;
            range.count = counts[i] + second;
            if (second > 0) device.run(merge(range, counts[i]));
            merged.push_back(range.count);
        }
        return merged;
    }

    /// A stable sort of all is a merge, where each file is in order. To read and write them takes most of the time.
    void merge_tables(DeviceSort& device, std::vector<InputFile>& files, OutputFile& out) const {
        TextTable table(files.front(), options_.as_table());
        for (std::size_t i = 1; i < files.size(); ++i) table.append(files[i]);
        TableKeys keys = table.read_keys(options_.type);
        IndexArray order = sorted_records(device, table, keys, unique_);
        if (const auto late = first_out_of_order(order, table.records_of_files(keys.records)))
            refuse(table.line_of(keys.records[*late]));
        if (unique_) order = distinct_records(table, keys, order);
        table.write(out, keys.records, order);
    }

    [[noreturn]] static void refuse(const std::string& place) {
        throw BadInput(fmt::format("{} is out of order: sort the file first", place));
    }

    SortArguments options_;
    std::vector<std::string> ins_;
    bool unique_ = false;
};

}  // namespace

SubCommand merge_command() {
    return make_command<MergeCommand>("merge", "Merge sorted files of numbers, or sorted tables, into one");
}
