// SPDX-License-Identifier: MIT
// Options that several sub-commands share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/key_types.hpp>
#include <lanesort/request.hpp>
#include <lanesort/shape.hpp>

#include "text_table.hpp"

class Json;
struct SubCommand;

enum class Format { table, csv, json, svg };

void add_type(SubCommand& command, lanesort::KeyType& type);
/// The same where a table's type need not be given.
void add_type(SubCommand& command, std::optional<lanesort::KeyType>& type);
/// One type, or `all`: one of each width.
void add_types(SubCommand& command, std::vector<lanesort::KeyType>& types);
/// --order and --reverse, which asks for the other one than `order` is now.
void add_order(SubCommand& command, lanesort::Order& order);
void add_count(SubCommand& command, std::uint64_t& count);
void add_first(SubCommand& command, std::uint64_t& first);
void add_k(SubCommand& command, std::uint64_t& k);
/// --output, which may also be given by its place.
void add_output(SubCommand& command, std::string& out, const std::string& help);
void add_counts(SubCommand& command, std::vector<std::uint64_t>& counts);
void add_device(SubCommand& command, std::string& selector);
void add_operation(SubCommand& command, lanesort::Operation& operation);
void add_format(SubCommand& command, Format& format, std::initializer_list<Format> allowed);

/// --memory and --temporary-directory.
void add_memory(SubCommand& command, std::optional<std::uint64_t>& memory, std::string& folder);
/// --by-column and the options that go with it.
void add_table(SubCommand& command, TableOptions& table);
/// What is asked of each group of a table's records.
struct AskedReduction {
    lanesort::Reduction reduction;
    std::optional<std::size_t> column;  ///< which of the table's values; none: the records are counted
    std::string name;                   ///< of the reduction, as the user writes it
};

/// --reduce, which adds the columns that it names to the table's values.
void add_reductions(SubCommand& command, TableOptions& table, std::vector<AskedReduction>& reductions);
void add_index_bytes(SubCommand& command, std::size_t& bytes);

/// The parts of a shape that the user chooses.
struct ShapeOptions {
    std::optional<unsigned> lanes, vectors, work_items, registers, steps_per_pass, resident_groups, most_columns;
    std::optional<bool> local_sync, remap, bank_swap, bank_padding, coalesced_store, columns;

    /// Their title in --help-all.
    static constexpr const char* group = "Shape (what is not given is as chosen for the device)";

    void add_to(SubCommand& command);
    bool any() const;
    /// These parts, and the others from that shape, as far as they still fit.
    lanesort::Shape over(lanesort::Shape shape) const;
};

/// How the user wants a sort to go.
struct ScheduleOptions {
    lanesort::Schedule schedule = lanesort::Schedule::automatic;
    bool data_independent = false;

    /// To a sub-command that has the options of a shape.
    void add_to(SubCommand& command, const std::string& unless_given = "what is the fastest");
};

/// The shape of a sort for which no shape option is given: for keys without values a tuned one where there is one.
lanesort::Shape usual_shape(const lanesort::DeviceInfo& device, lanesort::KeyType type, std::uint64_t count,
                            std::size_t value_bytes = 0);

Json json_of(const lanesort::Shape& shape);
