// SPDX-License-Identifier: MIT
// lanesort group: the distinct keys of a table, with reductions of the values of each, or the distinct numbers of a
// file, with how often each comes.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <lanesort/calls.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "device_sort.hpp"
#include "files.hpp"
#include "groups.hpp"
#include "numbers.hpp"
#include "table_order.hpp"
#include "text_table.hpp"

namespace {

using namespace lanesort;

class GroupCommand {
public:
    explicit GroupCommand(SubCommand& command) {
        options_.add_to(command, "IN is text, with one number a line");
        command.exclude("--by-column", {"--text"});
        options_.add_in(command);
        options_.add_out(command, "text");
        add_reductions(command, options_.table, reductions_);
        command.footer =
            "Of numbers, OUT has each distinct one, a comma and how often it comes, in the order of the numbers. Of a\n"
            "table it has a line for each distinct key: the columns of the key as the first such line has them, then\n"
            "one for each --reduce, and a header, which says mean_price and the like, if IN has one. Missing keys are\n"
            "equal. A missing value is left out, and is not counted by count:COLUMN, but its line is by count. Sums "
            "of\n"
            "integers are exact. A group without values has an empty field.\n"
            "Example: lanesort group --by-column name:text --reduce count --reduce mean:price goods.csv means.csv\n"
            "Example: lanesort group --type u32 numbers.bin counts.csv";
    }

    void run() const {
        InputFile in(options_.in);
        OutputFile out = options_.open_out(false);
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy, options_.is_table() ? 0 : sizeof(std::uint64_t));
        if (options_.is_table()) group_lines(device, in, out);
        else count_numbers(device, in, npy, out);
        out.commit();
        device.print_stats();
    }

private:
    void group_lines(DeviceSort& device, InputFile& in, OutputFile& out) const {
        const TextTable table(in, options_.as_table());
        TableKeys keys = table.read_keys(options_.type);
        const IndexArray order = sorted_records(device, table, keys, true);
        IndexArray lengths(sizeof(std::uint64_t));
        const IndexArray firsts = distinct_records(table, keys, order, &lengths);
        std::vector<GroupedValues> values;
        for (const KeyColumn& column : keys.values) values.push_back(gather_values(column, order, lengths));

        std::vector<std::string> names;
        for (const SortColumn& key : options_.table.columns) names.push_back(table.name_of(key.name));
        std::vector<AddedColumn> columns;
        const auto add = [&](const std::string& name, Texts fields) {
            names.push_back(free_name(name, names));
            columns.push_back({names.back(), std::move(fields)});
        };
        const auto fields_of = [&](const AskedReduction& asked) {
            if (!asked.column) return texts_of(lengths);
            GroupedValues& of_column = values[*asked.column];
            if (asked.reduction == Reduction::min || asked.reduction == Reduction::max)
                return extremes_of_groups(device, table, keys.records, keys.values[*asked.column], of_column,
                                          asked.reduction, order, lengths);
            return reduce_groups(device, of_column, asked.reduction, firsts.size());
        };
        for (const AskedReduction& asked : reductions_) add(name_of(asked, table), fields_of(asked));
        if (columns.empty()) add("count", texts_of(lengths));
        table.write_columns(out, keys.records, firsts, columns);
    }

    std::string name_of(const AskedReduction& asked, const TextTable& table) const {
        if (!asked.column) return asked.name;
        return asked.name + "_" + table.name_of(options_.table.values[*asked.column].name);
    }

    static Texts texts_of(const IndexArray& integers) {
        Texts texts;
        for (std::size_t i = 0; i < integers.size(); ++i) texts.append(std::to_string(integers[i]));
        return texts;
    }

    void count_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) const {
        std::optional<NumberFile> file = options_.read_numbers(in, npy);
        if (!file) return group_lines(device, in, out);
        Numbers& keys = file->numbers;
        keys.row_length = 0;
        device.sort_keys(keys);

        const std::size_t count = keys.count();
        Bytes distinct;
        IndexArray lengths(count <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t)
                                                                              : sizeof(std::uint64_t));
        distinct.room(keys.bytes.size());
        lengths.grow(count);
        std::uint64_t number = 0;
        device.run(run_lengths(device.plain_range_of(keys),
                               DistinctIn<void*>{.memory = distinct.data(), .number = {.memory = &number}},
                               ValueRangeIn<void*>{.memory = lengths.data(), .bytes = lengths.width()}));
        device.count_keys(count);

        BufferedWriter writer(out);
        if (options_.text) writer.write(file->head);
        // NaNs that differ in a bit are distinct to the library.
        for (std::size_t i = 0; i < number;) {
            const std::byte* const first = distinct.data() + i * key_bytes(keys.type);
            std::uint64_t length = 0;
            for (; i < number && are_equal(first, distinct.data() + i * key_bytes(keys.type), keys.type); ++i)
                length += lengths[i];
            writer.write(fmt::format("{},{}\n", text_of(first, keys.type), length));
        }
        writer.flush();
    }

    SortArguments options_;
    std::vector<AskedReduction> reductions_;
};

}  // namespace

SubCommand group_command() {
    return make_command<GroupCommand>(
        "group",
        "Write each distinct number of a file and how often it comes, or sums and the like of a table's groups");
}
