// SPDX-License-Identifier: MIT
// Sorts many small ranges by the launches of one: the rows of a table, for the median of each, and ragged segments, the
// rows of a sparse matrix whose entries move with their column numbers.
//
//     build/release/examples/rows
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <lanesort/lanesort.hpp>

int main() try {
    lanesort::Sorter sorter(lanesort::find_device());
    std::mt19937 random(1);

    // Rows of one length, one after the other.
    constexpr std::size_t rows = 1'000, row_length = 365;
    std::normal_distribution<float> normal;
    std::vector<float> table(rows * row_length);
    std::ranges::generate(table, [&] { return normal(random); });
    std::vector<float> expected_table = table;
    const lanesort::SortReport report = sorter.sort(table, {.row_length = row_length});
    std::vector<float> medians(rows);
    for (std::size_t row = 0; row < rows; ++row) medians[row] = table[row * row_length + row_length / 2];

    // Segments of any length, some of them empty: the entries of row r of a sparse matrix are those from starts[r] to
    // starts[r + 1], with columns in no order. Sorted by column, they are what most solvers ask for.
    std::vector<std::uint64_t> starts{0};
    for (std::size_t row = 0; row < rows; ++row) starts.push_back(starts.back() + random() % 300);
    std::vector<std::uint32_t> columns(starts.back());
    std::ranges::generate(columns, [&] { return static_cast<std::uint32_t>(random()); });
    std::vector<double> entries(columns.size());
    std::ranges::generate(entries, [&] { return static_cast<double>(normal(random)); });
    const std::vector<std::uint32_t> given_columns = columns;
    const std::vector<double> given_entries = entries;
    sorter.sort_by_key(columns, entries, {.segments = starts});

    // The check.
    for (std::size_t row = 0; row < rows; ++row)
        std::ranges::sort(std::span(expected_table).subspan(row * row_length, row_length));
    bool right = table == expected_table;
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::pair<std::uint32_t, double>> expected, sorted;
        for (std::size_t i = starts[row]; i < starts[row + 1]; ++i) {
            expected.emplace_back(given_columns[i], given_entries[i]);
            sorted.emplace_back(columns[i], entries[i]);
        }
        std::ranges::sort(expected);
        right = right && sorted == expected;
    }
    std::printf("%zu rows of %zu numbers (launches: %llu), and %zu segments of 0 to 299 pairs, on %s: %s\n", rows,
                row_length, static_cast<unsigned long long>(report.launches), rows, sorter.device().name.c_str(),
                right ? "sorted" : "WRONG");
    std::printf("the median of the first row is %g\n", static_cast<double>(medians[0]));
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "rows: %s\n", error.what());
    return 1;
}
