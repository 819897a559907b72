// lanesort sort: sorts the numbers of a file, or the lines of a table by one of its columns.
#include <memory>
#include <optional>

#include <lanesort/calls.hpp>

#include "command.hpp"
#include "device_sort.hpp"
#include "files.hpp"
#include "numbers.hpp"
#include "text_table.hpp"

namespace {

using namespace lanesort;

class SortCommand {
public:
    explicit SortCommand(CLI::App& command) {
        CLI::Option* const by_column =
            options_.add_to(command, "the files are text, with one number a line", "sorted file");
        by_column->excludes("--text");
        options_.shape.add_to(command);
        options_.schedule.add_to(command);
        command.footer(
            "OUT appears whole or not at all. NaNs come last, and first with --order desc. Lines of a table stay as\n"
            "they are; those with equal keys keep their order. Columns may be quoted, as in RFC 4180. A .npy file is\n"
            "known by its first bytes, tells its type, and keeps its header; its rows are sorted each by itself.\n"
            "Example: lanesort sort --type f32 --order desc numbers.bin sorted.bin\n"
            "Example: lanesort sort --by-column price --order desc goods.csv sorted.csv");
    }

    void run() const {
        InputFile in(options_.in);
        OutputFile out(options_.out);
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        if (options_.table.column) sort_table(device, in, out);
        else sort_numbers(device, in, npy, out);
        out.commit();
        device.print_stats();
    }

private:
    void sort_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) const {
        NumberFile file = options_.read_numbers(in, npy);
        Numbers& keys = file.numbers;
        device.run(sort(device.range_of(keys)));
        options_.write_numbers(out, file.head, keys.bytes, keys.type);
    }

    /// The offsets of the records travel with their keys: that needs no index, and ascending ones make it stable.
    void sort_table(DeviceSort& device, InputFile& in, OutputFile& out) const {
        const TextTable table(in, options_.table);
        KeyColumn column = table.read_column(options_.type, TextTable::Place::offset, table.offset_bytes());
        device.sort_column(column);
        table.write(out, column.places);
    }

    SortArguments options_;
};

}  // namespace

void add_sort(CLI::App& app) {
    CLI::App* const command = app.add_subcommand("sort", "Sort a file of numbers, or a table by a column of numbers");
    const auto sort = std::make_shared<SortCommand>(*command);
    command->callback([sort] { sort->run(); });
}
