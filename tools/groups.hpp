// SPDX-License-Identifier: MIT
// The values of groups of a table's records, and what reductions give of them.
#pragma once

#include <cstddef>

#include "device_sort.hpp"
#include "indices.hpp"
#include "text_table.hpp"

/// The values of a column that are there, of one group behind those of another, and the number of the group of each.
struct GroupedValues {
    IndexArray groups;
    Numbers values;  ///< none of a column of which it only matters what is there
};

/// Gathers the values of the groups, which are so many records each, of records in this order.
GroupedValues gather_values(const KeyColumn& column, const IndexArray& order, const IndexArray& lengths);

/// The results of so many groups as text. Integers are added to the last digit, however large their sums are, and
/// their mean is the nearest f64 to the exact one. Numbers of a group without any are 0, of others its text is empty.
Texts reduce_groups(DeviceSort& device, GroupedValues& grouped, lanesort::Reduction reduction, std::size_t groups);

/// The least or largest number of each group as the first such record has it, compared to the last digit.
Texts extremes_of_groups(DeviceSort& device, const TextTable& table, const IndexArray& records, const KeyColumn& column,
                         GroupedValues& grouped, lanesort::Reduction reduction, const IndexArray& order,
                         const IndexArray& lengths);
