// Options that several sub-commands share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <lanesort/device.hpp>
#include <lanesort/key_types.hpp>
#include <lanesort/request.hpp>
#include <lanesort/shape.hpp>

#include "text_table.hpp"

using Json = nlohmann::ordered_json;

enum class Format { table, csv, json, svg };

void add_type(CLI::App& app, lanesort::KeyType& type);
/// The same where a table's type need not be given.
void add_type(CLI::App& app, std::optional<lanesort::KeyType>& type);
/// One type, or `all`: one of each width.
void add_types(CLI::App& app, std::vector<lanesort::KeyType>& types);
/// --order and --reverse, which asks for the other one than `order` is now.
void add_order(CLI::App& app, lanesort::Order& order);
void add_count(CLI::App& app, std::uint64_t& count);
void add_first(CLI::App& app, std::uint64_t& first);
void add_k(CLI::App& app, std::uint64_t& k);
/// --output, which may also be given by its place.
void add_output(CLI::App& app, std::string& out, const std::string& help);
void add_counts(CLI::App& app, std::vector<std::uint64_t>& counts);
void add_device(CLI::App& app, std::string& selector);
void add_operation(CLI::App& app, lanesort::Operation& operation);
void add_format(CLI::App& app, Format& format, std::initializer_list<Format> allowed);

/// Adds --memory, which it returns, and --temporary-directory.
CLI::Option* add_memory(CLI::App& app, std::optional<std::uint64_t>& memory, std::string& folder);
/// The option --by-column, which it returns, and those that go with it.
CLI::Option* add_table(CLI::App& app, TableOptions& table);
/// What is asked of each group of a table's records.
struct AskedReduction {
    lanesort::Reduction reduction;
    std::optional<std::size_t> column;  ///< which of the table's values; none: the records are counted
    std::string name;                   ///< of the reduction, as the user writes it
};

/// Adds --reduce, which it returns, and the columns that it names to the table's values.
CLI::Option* add_reductions(CLI::App& app, TableOptions& table, std::vector<AskedReduction>& reductions);
void add_index_bytes(CLI::App& app, std::size_t& bytes);

/// The parts of a shape that the user chooses.
struct ShapeOptions {
    std::optional<unsigned> lanes, vectors, work_items, registers, steps_per_pass, resident_groups, most_columns;
    std::optional<bool> local_sync, remap, bank_swap, bank_padding, coalesced_store, columns;

    /// Their title in --help-all.
    static constexpr const char* group = "Shape (what is not given is as chosen for the device)";

    void add_to(CLI::App& app);
    bool any() const;
    /// These parts, and the others from that shape, as far as they still fit.
    lanesort::Shape over(lanesort::Shape shape) const;
};

/// How the user wants a sort to go.
struct ScheduleOptions {
    lanesort::Schedule schedule = lanesort::Schedule::automatic;
    bool data_independent = false;

    /// To a sub-command that has the options of a shape.
    void add_to(CLI::App& app, const std::string& unless_given = "what is the fastest");
};

/// The shape of a sort for which no shape option is given: for keys without values a tuned one where there is one.
lanesort::Shape usual_shape(const lanesort::DeviceInfo& device, lanesort::KeyType type, std::uint64_t count,
                            std::size_t value_bytes = 0);

Json json_of(const lanesort::Shape& shape);

/// As text that ends with a new line. Bytes that are no UTF-8, in the names of devices, are replaced.
std::string to_text(const Json& json);
