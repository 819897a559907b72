// SPDX-License-Identifier: MIT
// lanesort topk: the first numbers of a sort, or the first lines of a table.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

class TopKCommand {
public:
    explicit TopKCommand(SubCommand& command) {
        options_.order = Order::descending;
        options_.add_to(command, "the files are text, with one number a line");
        options_.add_in(command);
        options_.add_out(command, "file of the first numbers");
        command.exclude("--by-column", {"--text"});
        add_k(command, k_);
        command.add_flag("--indices", wants_indices_, "write the indices of the numbers, from 0, not the numbers");
        command.exclude("--indices", {"--by-column"});
        add_index_bytes(command, index_bytes_);
        command.add_flag("--data-independent", options_.schedule.data_independent,
                         "read and compare as many numbers whatever they are");
        command.footer =
            "The largest come first, or with --reverse the smallest; of equal ones those that come first in IN. NaNs\n"
            "are larger than all other numbers. Lines of a table stay as they are; those without a key in the first\n"
            "column are not among them.\n"
            "Example: lanesort topk -n 10 --type f32 numbers.bin largest.bin\n"
            "Example: lanesort topk -n 10 --by-column price goods.csv dearest.csv";
    }

    void run() const {
        InputFile in(options_.in);
        OutputFile out = options_.open_out(!options_.text && !options_.is_table());
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        if (options_.is_table()) select_lines(device, in, out);
        else select_numbers(device, in, npy, out);
        out.commit();
        device.print_stats();
    }

private:
    struct Selected {
        Bytes keys;
        IndexArray indices;
    };

    /// `index_bytes` 0: no indices.
    Selected select(DeviceSort& device, Numbers& keys, Order order, std::size_t index_bytes) const {
        const std::size_t rows = keys.row_length > 0 ? keys.count() / keys.row_length : 1;
        const std::size_t length = keys.row_length > 0 ? keys.row_length : keys.count();
        const std::size_t k = std::min<std::uint64_t>(k_, length), count = rows * k;
        Selected selected{Bytes(), IndexArray(index_bytes)};
        selected.keys.room(count * key_bytes(keys.type));
        selected.keys.grew(count * key_bytes(keys.type));
        if (index_bytes > 0) selected.indices.grow(count);
        SelectedIn<void*> best{.memory = selected.keys.data()};
        if (index_bytes > 0) best.indices = {.memory = selected.indices.data(), .bytes = index_bytes};
        KeyRangeIn<void*> range = device.range_of(keys);
        range.order = order;
        device.run(top_k(range, k, best));
        return selected;
    }

    void select_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) const {
        std::optional<NumberFile> file = options_.read_numbers(in, npy);
        if (!file) return select_lines(device, in, out);
        const Selected selected = select(device, file->numbers, options_.order, wants_indices_ ? index_bytes_ : 0);
        const KeyType type = wants_indices_ ? selected.indices.type() : file->numbers.type;
        if (npy) {
            std::vector<std::uint64_t> shape = npy->shape;
            shape.back() = std::min(k_, shape.back());
            file->head = npy_header(type, shape);
        } else if (wants_indices_) {
            file->head.clear();
        }
        options_.write_numbers(out, file->head, wants_indices_ ? selected.indices.bytes() : selected.keys, type);
    }

    void select_lines(DeviceSort& device, InputFile& in, OutputFile& out) const {
        const TextTable table(in, options_.as_table());
        TableKeys keys = table.read_keys(options_.type);
        const IndexArray order = first_records(device, table, keys);
        if (!wants_indices_) return table.write(out, keys.records, order);
        IndexArray indices(index_bytes_);
        indices.append(order);
        options_.write_numbers(out, {}, indices.bytes(), indices.type());
    }

    IndexArray first_records(DeviceSort& device, const TextTable& table, TableKeys& keys) const {
        // Of one column of numbers no more is sorted than these.
        if (auto numbers = only_numbers(keys)) {
            IndexArray order =
                select(device, numbers->keys, device.order_of(keys.columns[0].order), keys.records.width()).indices;
            for (std::size_t i = 0; i < order.size(); ++i) order.set(i, numbers->records[order[i]]);
            return order;
        }
        IndexArray order = sorted_records(device, table, keys, false);
        order.shrink(std::min(k_, records_with_key(keys, order)));
        return order;
    }

    SortArguments options_;
    std::uint64_t k_ = 10;
    bool wants_indices_ = false;
    std::size_t index_bytes_ = sizeof(std::uint32_t);
};

}  // namespace

SubCommand topk_command() {
    return make_command<TopKCommand>("topk", "Write the largest or smallest numbers of a file, or lines of a table");
}
