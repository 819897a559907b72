// SPDX-License-Identifier: MIT
// The order of a table's records.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device_sort.hpp"
#include "indices.hpp"
#include "text_table.hpp"

/// The numbers of the records, from 0, in the order of their keys; those with equal keys keep theirs. A record whose
/// key is missing comes behind the others. The columns are sorted by stably, from the last to the first. Takes the keys
/// of the last column, unless they are needed later.
IndexArray sorted_records(DeviceSort& device, const TextTable& table, TableKeys& keys, bool keys_needed);

/// Whether texts decide between numbers with this key of 8 bytes, in a column that needs their digits.
bool is_decided_by_digits(const KeyColumn& column, std::uint64_t key) noexcept;

/// Keys, and the numbers of the records that they come from. Behind these stand those of records without a key.
struct NumberedKeys {
    Numbers keys;
    IndexArray records;
};

/// The keys of the only column, if these are numbers of which they say all; else nothing.
std::optional<NumberedKeys> only_numbers(TableKeys& keys);

/// How many of these records, from the first, have a key in the first column.
std::uint64_t records_with_key(const TableKeys& keys, const IndexArray& order);

/// The first record of the file that comes before the one in front of it: none where that order is the file's. With
/// `counts`, which say how many records each of several files has, the first of a file may come anywhere.
std::optional<std::uint64_t> first_out_of_order(const IndexArray& order, const std::vector<std::uint64_t>& counts = {});

/// Of these records in order, the first of each run that has equal keys; and how long these runs are, if asked for.
IndexArray distinct_records(const TextTable& table, const TableKeys& keys, const IndexArray& order,
                            IndexArray* lengths = nullptr);
