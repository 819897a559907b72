// SPDX-License-Identifier: MIT
// lanesort sort: sorts the numbers of a file, or the lines of a table by some of its columns.
#include <cstdint>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include <lanesort/calls.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "device_sort.hpp"
#include "external_sort.hpp"
#include "external_table.hpp"
#include "files.hpp"
#include "in_place_sort.hpp"
#include "numbers.hpp"
#include "table_order.hpp"
#include "text_table.hpp"

namespace {

using namespace lanesort;

class SortCommand {
public:
    explicit SortCommand(SubCommand& command) {
        options_.add_to(command, "the files are text, with one number a line");
        command.exclude("--by-column", {"--text"});
        options_.add_in(command);
        options_.add_out(command, "sorted file");
        command.add_flag("-u,--unique", unique_,
                         "keep the first of each run of equal numbers, or of lines with equal keys");
        command.add_flag(
            "--count", counts_,
            "the same, and write in front of it how many they are: of text, with a tab between; of tables, in "
            "a first column");
        command.exclude("--count", {"--unique"});
        add_memory(command, memory_, folder_);
        command
            .add_flag("--in-place", in_place_,
                      "sort IN, raw numbers or .npy, where it is, part by part: there is no OUT, and beside IN a "
                      "journal as large as "
                      "a part, with which the same command goes on after one that was ended")
            .needs = "--memory";
        command.exclude("--in-place",
                        {"--output", "--temporary-directory", "--text", "--by-column", "--unique", "--count"});
        options_.shape.add_to(command);
        options_.schedule.add_to(command);
        command.exclude("--memory", {"--schedule", "--data-independent"});
        command.footer =
            "OUT appears whole or not at all. NaNs come last, and first with --reverse. Lines of a table stay as they\n"
            "are; those with equal keys keep their order. Columns may be quoted, as in RFC 4180. A .npy file is known\n"
            "by its first bytes, tells its type, and keeps its header; its rows are sorted each by itself.\n"
            "Example: lanesort sort --type f32 --reverse numbers.bin sorted.bin\n"
            "Example: lanesort sort --by-column price:desc --by-column name:text goods.csv sorted.csv";
    }

    void run() const {
        InputFile in(options_.in, in_place_);
        if (in_place_) return sort_in_place(in);
        OutputFile out = options_.open_out(!options_.text && !options_.is_table());
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        try {
            if (options_.is_table()) sort_table(device, in, out);
            else sort_numbers(device, in, npy, out);
        } catch (const BadInput&) {
            in.require_unwritten();  // which tells more than what is wrong with it now
            throw;
        }
        out.commit();
        device.print_stats();
    }

private:
    void sort_in_place(InputFile& in) const {
        if (options_.in == "-") throw BadInput("--in-place sorts a file, so IN is to be the name of one");
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        InPlaceSort in_place(options_, device, *memory_);
        in_place.run(in, npy);
        in_place.print_stats();
        device.print_stats();
    }

    void sort_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) const {
        if (counts_ && !options_.text) throw BadInput("--count is for use with --text or --by-column");
        if (unique_ && npy && npy->shape.size() > 1)
            throw BadInput(fmt::format("{} has rows, which --unique would make unequally long", in.name()));
        if (memory_) {
            NumberSort external(options_, device, *memory_, temporary_folder(folder_, options_.out), equal());
            return external.run(in, npy, out) ? external.print_stats() : sort_table(device, in, out);
        }
        std::optional<NumberFile> file = options_.read_numbers(in, npy);
        if (!file) return sort_table(device, in, out);
        in.require_unwritten();
        Numbers& keys = file->numbers;
        device.sort_keys(keys);
        IndexArray counts(sizeof(std::uint64_t));
        if (unique_ || counts_) keep_distinct(keys, counts_ ? &counts : nullptr);
        if (unique_ && npy) file->head = npy_header(keys.type, std::vector<std::uint64_t>{keys.count()});
        options_.write_numbers(out, file->head, keys.bytes, keys.type, counts_ ? &counts : nullptr);
    }

    void sort_table(DeviceSort& device, InputFile& in, OutputFile& out) const {
        if (memory_) {
            TableSort external(options_, device, *memory_, temporary_folder(folder_, options_.out), equal());
            external.run(in, out);
            return external.print_stats();
        }
        const TextTable table(in, options_.as_table());
        TableKeys keys = table.read_keys(options_.type);
        in.require_unwritten();
        IndexArray order = sorted_records(device, table, keys, unique_ || counts_), counts(sizeof(std::uint64_t));
        if (unique_ || counts_) order = distinct_records(table, keys, order, counts_ ? &counts : nullptr);
        table.write(out, keys.records, order, counts_ ? &counts : nullptr);
    }

    Equal equal() const noexcept { return counts_ ? Equal::count : unique_ ? Equal::keep_first : Equal::keep; }

    SortArguments options_;
    bool unique_ = false, counts_ = false, in_place_ = false;
    std::optional<std::uint64_t> memory_;
    std::string folder_;
};

}  // namespace

SubCommand sort_command() {
    return make_command<SortCommand>("sort", "Sort a file of numbers, or a table by some of its columns");
}
