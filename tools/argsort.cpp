// SPDX-License-Identifier: MIT
// lanesort argsort: the indices that sort the numbers of a file, or the lines of a table.
#include <cstdint>
#include <memory>
#include <optional>

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

class ArgsortCommand {
public:
    explicit ArgsortCommand(SubCommand& command) {
        options_.add_to(command, "the files are text, with one number a line; IN may be a table");
        options_.add_in(command);
        options_.add_out(command, "file of little-endian indices");
        add_index_bytes(command, index_bytes_);
        options_.shape.add_to(command);
        options_.schedule.add_to(command);
        command.footer =
            "Indices count from 0; in a table they count its records, without the header. The first one tells which\n"
            "number comes first in the sorted order. Equal numbers keep their order. Of a .npy file, which tells its\n"
            "type, indices are another one, and count in each row.\n"
            "Example: lanesort argsort --type f32 numbers.bin indices.bin\n"
            "Example: lanesort argsort --by-column price --text goods.csv -";
    }

    void run() const {
        InputFile in(options_.in);
        OutputFile out = options_.open_out(!options_.text);
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy, index_bytes_);
        const std::string head = npy ? npy_header(IndexArray(index_bytes_).type(), npy->shape) : "";
        const IndexArray indices =
            options_.is_table() ? indices_of_table(device, in) : indices_of_numbers(device, in, npy);
        options_.write_numbers(out, head, indices.bytes(), indices.type());
        out.commit();
        device.print_stats();
    }

private:
    IndexArray indices_of_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy) const {
        std::optional<NumberFile> file = options_.read_numbers(in, npy);
        if (!file) return indices_of_table(device, in);
        Numbers& keys = file->numbers;
        IndexArray indices(index_bytes_);
        indices.grow(keys.count());
        device.run(
            argsort(device.range_of(keys), ValueRangeIn<void*>{.memory = indices.data(), .bytes = index_bytes_}));
        return indices;
    }

    IndexArray indices_of_table(DeviceSort& device, InputFile& in) const {
        const TextTable table(in, options_.as_table());
        TableKeys keys = table.read_keys(options_.type);
        if (index_bytes_ == sizeof(std::uint32_t) && keys.records.size() > most_narrow)
            throw BadInput(
                fmt::format("{} has {} records, which need --index-bytes 8", in.name(), keys.records.size()));
        IndexArray order = sorted_records(device, table, keys, false);
        if (order.width() == index_bytes_) return order;
        IndexArray indices(index_bytes_);
        indices.append(order);
        return indices;
    }

    static constexpr std::uint64_t most_narrow = std::uint64_t{1} << 32;
    SortArguments options_;
    std::size_t index_bytes_ = sizeof(std::uint32_t);
};

}  // namespace

SubCommand argsort_command() {
    return make_command<ArgsortCommand>("argsort", "Write the indices that sort a file of numbers, or a table");
}
