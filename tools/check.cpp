// SPDX-License-Identifier: MIT
// lanesort check: whether the numbers of a file, or the lines of a table, are in order.
#include <cstdint>
#include <memory>
#include <optional>
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

class CheckCommand {
public:
    explicit CheckCommand(SubCommand& command) {
        options_.add_to(command, "the file is text, with one number a line");
        command.exclude("--by-column", {"--text"});
        options_.add_in(command);
        command.footer =
            "Nothing is written where all is in order. Else the exit status is 1, and standard error names the first\n"
            "number or line that comes too late. Each row of a .npy file is looked at by itself.\n"
            "Example: lanesort check --type u8 --device built-in sorted.bin\n"
            "Example: lanesort check --by-column price goods.csv";
    }

    void run() const {
        InputFile in(options_.in);
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        if (options_.is_table()) check_table(device, in);
        else check_numbers(device, in, npy);
        device.print_stats();
    }

private:
    void check_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy) const {
        std::optional<NumberFile> file = options_.read_numbers(in, npy);
        if (!file) return check_table(device, in);
        Numbers& keys = file->numbers;
        const std::size_t length = keys.row_length > 0 ? keys.row_length : keys.count();
        std::vector<std::uint64_t> in_order(keys.row_length > 0 ? keys.count() / length : 1);
        device.run(is_sorted_until(device.plain_range_of(keys), ValueRangeIn<void*>{.memory = in_order.data()}));
        for (std::size_t row = 0; row < in_order.size(); ++row) {
            if (in_order[row] == length) continue;
            const std::uint64_t at = row * length + in_order[row];
            throw NotInOrder(options_.text ? fmt::format("{}, line {} is out of order", in.name(), at + 1)
                                           : fmt::format("{}, number {} (from 0) is out of order", in.name(), at));
        }
    }

    void check_table(DeviceSort& device, InputFile& in) const {
        const TextTable table(in, options_.as_table());
        TableKeys keys = table.read_keys(options_.type);
        if (const auto late = first_out_of_order(sorted_records(device, table, keys, false)))
            throw NotInOrder(fmt::format("{} is out of order", table.line_of(keys.records[*late])));
    }

    SortArguments options_;
};

}  // namespace

SubCommand check_command() {
    return make_command<CheckCommand>("check", "Say by the exit status whether a file is sorted");
}
