// SPDX-License-Identifier: MIT
// Sorts a table within a limit of memory: pieces of it are sorted by the device, written as they are to a temporary
// file, and merged by their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "background.hpp"
#include "device_sort.hpp"
#include "external_sort.hpp"
#include "files.hpp"
#include "indices.hpp"
#include "table_pieces.hpp"
#include "temporary_file.hpp"
#include "text_table.hpp"

/// Sorts the records of IN into OUT, with the same bytes as a sort in memory.
class TableSort {
public:
    TableSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory, std::string folder, Equal equal);

    /// Throws BadInput where IN is written to meanwhile, and where a record is too long for the limit.
    void run(InputFile& in, OutputFile& out);
    void print_stats() const;

private:
    /// Sorted records in the temporary file, each with a line end.
    struct Run {
        std::uint64_t begin, end, records;
        std::vector<std::optional<lanesort::KeyType>> types;  ///< of the columns, as they were known then
    };
    class Source;
    class Reader;
    class Writer;
    /// Gets a record, and whether it is the one at the end of IN that has no line end there.
    using Take = std::function<void(const Reader& reader, bool is_open)>;

    bool reads_ahead(std::uint64_t known_size) const noexcept;
    void add_run(std::uint64_t known_size, const TextTable& table, const TableKeys& keys, const IndexArray& order);
    /// Sorts runs anew whose integers became f64 by what came later: -0 and 0 were equal, and no longer are.
    void renew_runs();
    void merge_runs(std::size_t first, std::size_t count, const Take& take);
    std::size_t merge_buffer(std::size_t runs) const noexcept;
    std::size_t merge_piece(std::size_t runs) const noexcept;
    std::size_t merge_bytes_of(std::size_t record) const noexcept;
    void require_short_records() const;
    void merge_until_few();
    void write_order(std::uint64_t offset, const TextTable& table, const IndexArray& records, const IndexArray& order);

    const SortArguments& options_;
    DeviceSort& device_;
    MemoryPlan plan_;
    std::string folder_;
    Equal equal_;
    TableOptions table_options_;  ///< of a part of the table
    std::string name_;            ///< of IN
    std::vector<ColumnState> states_;
    std::string head_, head_with_count_, line_end_;
    std::optional<TemporaryFile> file_;
    std::vector<Run> runs_;
    std::optional<std::uint64_t> open_record_;  ///< where the record lies that has no line end in IN
    std::size_t longest_ = 0;                   ///< of the records, in bytes
    std::string longest_line_;                  ///< where it begins, if it is long
    std::size_t all_runs_ = 1, passes_ = 0;
    std::uint64_t most_bytes_ = 0;
    Background background_;  ///< reads ahead
};
