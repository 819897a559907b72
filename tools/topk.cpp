// lanesort topk: the first numbers of a sort, or the first lines of a table.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <lanesort/calls.hpp>

#include "command.hpp"
#include "device_sort.hpp"
#include "files.hpp"
#include "numbers.hpp"
#include "text_table.hpp"

namespace {

using namespace lanesort;

class TopKCommand {
public:
    explicit TopKCommand(CLI::App& command) {
        options_.order = Order::descending;
        CLI::Option* const by_column =
            options_.add_to(command, "the files are text, with one number a line", "file of the first numbers");
        by_column->excludes("--text");
        add_k(command, k_);
        command.add_flag("--indices", wants_indices_, "write the indices of the numbers, from 0, not the numbers")
            ->excludes(by_column);
        add_index_bytes(command, index_bytes_);
        command.footer(
            "The largest come first, or with --order asc the smallest; of equal ones those that come first in IN. "
            "NaNs\n"
            "are larger than all other numbers. Lines of a table stay as they are.\n"
            "Example: lanesort topk -k 10 --type f32 numbers.bin largest.bin\n"
            "Example: lanesort topk -k 10 --by-column price goods.csv dearest.csv");
    }

    void run() const {
        InputFile in(options_.in);
        OutputFile out(options_.out);
        const std::optional<NpyHeader> npy = options_.inspect(in);
        DeviceSort device(options_);
        device.open(in, npy);
        if (options_.table.column) select_lines(device, in, out);
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
    Selected select(DeviceSort& device, Numbers& keys, std::size_t index_bytes) const {
        const std::size_t rows = keys.row_length > 0 ? keys.count() / keys.row_length : 1;
        const std::size_t length = keys.row_length > 0 ? keys.row_length : keys.count();
        const std::size_t k = std::min<std::uint64_t>(k_, length), count = rows * k;
        Selected selected{Bytes(), IndexArray(index_bytes)};
        selected.keys.room(count * key_bytes(keys.type));
        selected.keys.grew(count * key_bytes(keys.type));
        if (index_bytes > 0) selected.indices.grow(count);
        SelectedIn<void*> best{.memory = selected.keys.data()};
        if (index_bytes > 0) best.indices = {.memory = selected.indices.data(), .bytes = index_bytes};
        device.run(top_k(device.range_of(keys), k, best));
        return selected;
    }

    void select_numbers(DeviceSort& device, InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) const {
        NumberFile file = options_.read_numbers(in, npy);
        const Selected selected = select(device, file.numbers, wants_indices_ ? index_bytes_ : 0);
        const KeyType type = wants_indices_ ? selected.indices.type() : file.numbers.type;
        if (npy) {
            std::vector<std::uint64_t> shape = npy->shape;
            shape.back() = std::min(k_, shape.back());
            file.head = npy_header(type, shape);
        } else if (wants_indices_) {
            file.head.clear();
        }
        options_.write_numbers(out, file.head, wants_indices_ ? selected.indices.bytes() : selected.keys, type);
    }

    /// Records without a key come after all others, as in a sort.
    void select_lines(DeviceSort& device, InputFile& in, OutputFile& out) const {
        const TextTable table(in, options_.table);
        KeyColumn column = table.read_column(options_.type, TextTable::Place::offset, table.offset_bytes());
        const bool many = column.places.size() > std::numeric_limits<std::uint32_t>::max();
        const Selected selected = select(device, column.keys, many ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
        IndexArray offsets(column.places.width());
        for (std::size_t i = 0; i < selected.indices.size(); ++i) offsets.append(column.places[selected.indices[i]]);
        for (std::size_t i = offsets.size(); i < std::min<std::uint64_t>(k_, column.places.size()); ++i)
            offsets.append(column.places[i]);
        table.write(out, offsets);
    }

    SortArguments options_;
    std::uint64_t k_ = 0;
    bool wants_indices_ = false;
    std::size_t index_bytes_ = sizeof(std::uint32_t);
};

}  // namespace

void add_topk(CLI::App& app) {
    CLI::App* const command =
        app.add_subcommand("topk", "Write the largest or smallest numbers of a file, or lines of a table");
    const auto topk = std::make_shared<TopKCommand>(*command);
    command->callback([topk] { topk->run(); });
}
