// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <lanesort/tuning.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "join.hpp"
#include "json.hpp"

namespace {

/// Adds an option whose text `put` takes; where it cannot, `what` says what was expected.
Option& add_checked(SubCommand& command, std::string_view names, std::string_view value,
                    std::function<bool(const std::string&)> put, std::string_view what, std::string_view help) {
    const std::string name(names.substr(names.rfind(',') + 1));
    const auto take = [name, put = std::move(put), what = std::string(what)](const std::string& text) {
        if (!put(text)) throw BadUsage(name, fmt::format("{:?} is not {}", text, what));
    };
    return command.add(
        {.names = std::string(names), .value = std::string(value), .help = std::string(help), .target = take});
}

/// The same for a text that `parse` turns into the value of the target, or into one more.
template <class Target, class Parse>
Option& add_parsed(SubCommand& command, std::string_view names, std::string_view value, Target& target, Parse parse,
                   std::string_view what, std::string_view help) {
    const auto put = [parse, &target](const std::string& text) {
        const auto parsed = parse(text);
        if (!parsed) return false;
        if constexpr (requires { target.push_back(*parsed); }) target.push_back(*parsed);
        else target = *parsed;
        return true;
    };
    return add_checked(command, names, value, put, what, help);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, number);
    if (status != std::errc{} || end != last) return std::nullopt;
    return number;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    constexpr std::string_view power = "2^", suffixes = "KMG";
    if (text.starts_with(power)) {
        const auto exponent = parse_number(text.substr(power.size()));
        if (!exponent || *exponent > 63) return std::nullopt;
        return std::uint64_t{1} << *exponent;
    }
    const std::size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
    if (suffix == std::string_view::npos) return parse_number(text);
    const auto number = parse_number(text.substr(0, text.size() - 1));
    const auto shift = 10 * static_cast<unsigned>(suffix + 1);
    if (!number || *number > UINT64_MAX >> shift) return std::nullopt;
    return *number << shift;
}

constexpr const char* what_is_a_count = "a count like 1000, 64K, 16M, 1G or 2^24 (below 2^64)";
constexpr const char* forms_of_a_count = "1000, 2^24, or with K, M or G for times 2^10, 2^20 or 2^30";

std::optional<lanesort::Order> parse_order(std::string_view text) {
    if (text == "asc") return lanesort::Order::ascending;
    if (text == "desc") return lanesort::Order::descending;
    return std::nullopt;
}

/// Digits are a name or a number, and behind # always a number.
std::optional<ColumnName> parse_name(std::string_view text) {
    const bool is_number = text.starts_with('#');
    const std::string_view digits = text.substr(is_number ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return ColumnName{std::string(text), std::nullopt};
    const std::uint64_t number = parse_number(digits).value_or(0);
    if (!is_number) return ColumnName{std::string(text), number};
    return number > 0 ? std::optional(ColumnName{std::nullopt, number}) : std::nullopt;
}

std::optional<ColumnKind> parse_kind(std::string_view text) {
    if (text == "number") return ColumnKind::numbers;
    if (text == "text") return ColumnKind::texts;
    if (text == "time") return ColumnKind::times;
    return std::nullopt;
}

/// A column, and what is said of it: "price:desc", "day:text:desc". Other colons belong to its name.
std::optional<SortColumn> parse_column(std::string_view text) {
    std::optional<ColumnKind> kind;
    std::optional<lanesort::Order> order;
    for (std::size_t colon; (colon = text.rfind(':')) != std::string_view::npos; text = text.substr(0, colon)) {
        const std::string_view word = text.substr(colon + 1);
        if (const auto parsed = parse_order(word); parsed && !order) order = parsed;
        else if (const auto known = parse_kind(word); known && !kind) kind = known;
        else break;
    }
    const auto name = parse_name(text);
    return name ? std::optional(SortColumn{*name, kind.value_or(ColumnKind::numbers), order}) : std::nullopt;
}

/// A reduction by its name, and which column of the table's values it takes: "mean:price", "count".
std::optional<AskedReduction> parse_reduction(std::string_view text, TableOptions& table) {
    using enum lanesort::Reduction;
    constexpr std::pair<std::string_view, lanesort::Reduction> known[] = {
        {"count", count}, {"sum", sum}, {"min", min}, {"max", max}, {"mean", mean}};
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view word = text.substr(0, colon);
    const auto* const found = std::ranges::find(known, word, &std::pair<std::string_view, lanesort::Reduction>::first);
    if (found == std::end(known)) return std::nullopt;
    AskedReduction asked{found->second, std::nullopt, std::string(word)};
    if (colon == text.size()) return asked.reduction == count ? std::optional(asked) : std::nullopt;
    const auto name = parse_name(text.substr(colon + 1));
    if (!name) return std::nullopt;
    const auto column = std::ranges::find(table.values, *name, &ValueColumn::name);
    asked.column = static_cast<std::size_t>(column - table.values.begin());
    if (column == table.values.end()) table.values.push_back({*name});
    if (asked.reduction != count) table.values[*asked.column].is_numbers = true;
    return asked;
}

std::optional<char> parse_delimiter(std::string_view text) {
    if (text == "comma") return ',';
    if (text == "semicolon") return ';';
    if (text == "tab" || text == "\\t") return '\t';
    constexpr std::string_view taken = "\"\r\n";
    if (text.size() != 1 || taken.find(text.front()) != std::string_view::npos) return std::nullopt;
    return text.front();
}

/// Our name of a type, or NumPy's: f32 or float32.
std::optional<lanesort::KeyType> parse_type(std::string_view text) {
    constexpr std::pair<std::string_view, char> kinds[] = {{"uint", 'u'}, {"int", 'i'}, {"float", 'f'}};
    for (const auto& [kind, letter] : kinds)
        if (text.starts_with(kind))
            return lanesort::key_type_from_name(fmt::format("{}{}", letter, text.substr(kind.size())));
    return lanesort::key_type_from_name(text);
}

std::string names_of_types() {
    std::vector<std::string> names;
    for (const lanesort::KeyType known : lanesort::all_key_types) names.emplace_back(name(known));
    return join(names, " ");
}

/// The one of these that the library calls by that name.
template <class Known, std::size_t n>
std::optional<Known> find_named(const Known (&all)[n], std::string_view text) {
    const auto* const found = std::ranges::find_if(all, [=](Known known) { return text == name(known); });
    return found != std::end(all) ? std::optional(*found) : std::nullopt;
}

std::string_view name_of(Format format) {
    switch (format) {
        case Format::table: return "table";
        case Format::csv: return "csv";
        case Format::json: return "json";
        case Format::svg: return "svg";
    }
    return {};
}

}  // namespace

void add_type(SubCommand& command, lanesort::KeyType& type) {
    const std::string list = names_of_types();
    add_parsed(command, "--type", "T", type, parse_type, "one of " + list, "type of the keys: " + list);
}

void add_type(SubCommand& command, std::optional<lanesort::KeyType>& type) {
    const std::string list = names_of_types();
    add_parsed(command, "--type", "T", type, parse_type, "one of " + list,
               "type of the keys, which raw numbers need; .npy files tell it, and text and tables (i64, u64 or f64): " +
                   list + ", or as in NumPy: uint8, float32 ..");
}

void add_types(SubCommand& command, std::vector<lanesort::KeyType>& types) {
    const auto parse = [](std::string_view text) -> std::optional<std::vector<lanesort::KeyType>> {
        using enum lanesort::KeyType;
        if (text == "all") return std::vector{u8, u16, u32, u64};
        const auto type = parse_type(text);
        return type ? std::optional(std::vector{*type}) : std::nullopt;
    };
    const std::string list = names_of_types() + ", or all: u8 u16 u32 u64";
    add_parsed(command, "--type", "T", types, parse, "one of " + list, "type of the keys: " + list);
}

void add_order(SubCommand& command, lanesort::Order& order) {
    using enum lanesort::Order;
    const lanesort::Order usual = order, other = usual == ascending ? descending : ascending;
    add_parsed(command, "--order", "ORDER", order, parse_order, "asc or desc",
               usual == ascending ? "asc (as if not given) or desc" : "desc (as if not given) or asc");
    command.add({.names = "-r,--reverse",
                 .help = usual == ascending ? "the same as --order desc" : "the same as --order asc",
                 .target = [&order, other] { order = other; }});
    command.exclude("--reverse", {"--order"});
}

void add_count(SubCommand& command, std::uint64_t& count) {
    add_parsed(command, "--count", "N", count, parse_count, what_is_a_count,
               fmt::format("how many keys: {}", forms_of_a_count))
        .is_required = true;
}

void add_first(SubCommand& command, std::uint64_t& first) {
    add_parsed(command, "--first", "N", first, parse_count, what_is_a_count,
               "how many keys are to be in their places, the first of the order: all unless given");
}

void add_k(SubCommand& command, std::uint64_t& k) {
    add_parsed(
        command, "-n,-k", "N", k, parse_count, what_is_a_count,
        fmt::format("how many, {} if not given, and all of them where there are fewer: {}", k, forms_of_a_count));
}

void add_output(SubCommand& command, std::string& out, const std::string& help) {
    command.add_text("-o,--output,OUT", "OUT", out, help);
}

void add_counts(SubCommand& command, std::vector<std::uint64_t>& counts) {
    add_parsed(command, "--count", "N", counts, parse_count, what_is_a_count,
               fmt::format("how many keys, also several: {}", forms_of_a_count))
        .values = Option::Values::several;
}

void add_device(SubCommand& command, std::string& selector) {
    command.add_text("--device", "D", selector,
                     "number of the device in `lanesort devices`, or a part of its name or of its platform's");
}

void add_operation(SubCommand& command, lanesort::Operation& operation) {
    const auto parse = [](std::string_view text) { return find_named(lanesort::all_operations, text); };
    add_parsed(command, "--operation", "NAME", operation, parse, "the name of an operation",
               "What the call does: sort, argsort, merge, top_k, is_sorted, is_sorted_until, unique, "
               "run_lengths, reduce, inclusive_scan, exclusive_scan, select, partition, lower_bound, "
               "upper_bound, equal_range, gather, scatter, permute, histogram (of 1024 bins between keys), "
               "reduce_by_key, group_by, inclusive_scan_by_key, exclusive_scan_by_key (of sums of u32) or "
               "transform_reduce; all but sort show their commands on device memory");
}

void add_format(SubCommand& command, Format& format, std::initializer_list<Format> allowed) {
    const std::vector<Format> formats = allowed;
    std::vector<std::string> names;
    for (const Format known : formats) names.emplace_back(name_of(known));
    const std::string list = join(names, " ");
    const auto parse = [formats](std::string_view text) -> std::optional<Format> {
        const auto known = std::ranges::find(formats, text, name_of);
        return known != formats.end() ? std::optional(*known) : std::nullopt;
    };
    add_parsed(command, "--format", "FORMAT", format, parse, "one of " + list, "form of the output: " + list);
}

void add_table(SubCommand& command, TableOptions& table) {
    const std::size_t first = command.options.size();
    add_parsed(command, "--by-column", "COLUMN", table.columns, parse_column, "a column: they count from #1",
               "IN is a text table, whose keys are in this column: its name in the header, or its number, from 1, as "
               "in #2, or 2 if no column has that name. Behind it may stand :desc or :asc, and :text for keys in the "
               "order of their bytes, or :time for ISO dates and times. Given again, the next column orders lines "
               "with equal keys")
        .values = Option::Values::one_each_time;
    add_parsed(command, "-t,--delimiter", "D", table.delimiter, parse_delimiter,
               "one character other than a quote or line end, or tab, comma or semicolon",
               "what separates columns: a character, or tab, comma or semicolon; a comma if not given, or "
               "a tab where IN ends in .tsv");
    command.add_flag("--header", table.header,
                     "the first line is a header, as it always is if a column is given by a name that is no number");
    const auto parse_words = [](std::string_view text) {
        std::vector<std::string> words{{}};
        for (const char c : text)
            if (c == ',') words.emplace_back();
            else words.back() += c;
        return std::optional(words);
    };
    add_parsed(command, "--missing", "WORDS", table.missing, parse_words, "words",
               fmt::format("words for a key that is missing, with commas between them; if not given, {}, of "
                           "numbers alone. A number that is left out, or its column, is always missing",
                           join(std::vector<std::string>(std::begin(usual_missing), std::end(usual_missing)), ",")));
    const auto parse_missing_as = [](std::string_view text) -> std::optional<MissingAs> {
        if (text == "last") return MissingAs::last;
        if (text == "nan") return MissingAs::nan;
        if (text == "error") return MissingAs::error;
        return std::nullopt;
    };
    add_parsed(command, "--missing-as", "WHAT", table.missing_as, parse_missing_as, "last, nan or error",
               "lines without a key come last in either order (last, as if not given), where a NaN would "
               "come (nan), or are refused (error)");
    command.add_flag("--no-quotes{false}", table.quotes,
                     "quotes are characters like any other, and every line end ends a record");
    const std::span added = std::span(command.options).subspan(first);
    for (Option& option : added) option.group = "Tables (with --by-column)";
    for (Option& option : added.subspan(1)) option.needs = "--by-column";
}

void add_reductions(SubCommand& command, TableOptions& table, std::vector<AskedReduction>& reductions) {
    Option& option = add_parsed(
        command, "--reduce", "WHAT[:COLUMN]", reductions,
        [&table](std::string_view text) { return parse_reduction(text, table); },
        "count, nor count, sum, min, max or mean of a column, as in mean:price",
        "what to write of each group: count, how many lines it has, as if not given; or count, sum, min, max or "
        "mean, a colon, and a column of numbers, by its number or name. Given again, the next one");
    option.values = Option::Values::one_each_time;
    option.needs = "--by-column";
}

void add_memory(SubCommand& command, std::optional<std::uint64_t>& memory, std::string& folder) {
    add_parsed(command, "-S,--memory", "SIZE", memory, parse_count, "a size like 500000, 64K, 200M, 4G or 2^30",
               "keys and buffers take no more memory than that many bytes, with K, M or G for times 2^10, 2^20 or "
               "2^30: what does not fit is sorted in runs, which are merged from a temporary file");
    command
        .add_text("-T,--temporary-directory", "DIR", folder,
                  "where that file is made, without a name; if not given, where TMPDIR says, or else beside OUT")
        .needs = "--memory";
}

void add_index_bytes(SubCommand& command, std::size_t& bytes) {
    const auto parse = [](std::string_view text) -> std::optional<std::size_t> {
        if (text == "4" || text == "8") return text.front() - '0';
        return std::nullopt;
    };
    add_parsed(command, "--index-bytes", "N", bytes, parse, "4 or 8", "bytes of an index: 4 (as if not given) or 8");
}

void ShapeOptions::add_to(SubCommand& command) {
    const auto number = [&](const char* names, std::optional<unsigned>& value, const char* help) {
        command.add({.names = names, .value = "N", .help = help, .target = &value, .group = group});
    };
    number("--lanes", lanes, "L: keys in a vector");
    number("--vectors", vectors, "M: vectors in each of the two groups of a work-item");
    number("--work-items", work_items, "work-items in a work-group");
    number("--registers", registers, "vectors held in registers at a time");
    number("--steps-per-pass", steps_per_pass, "the most global steps that one pass runs");
    number("--resident-groups", resident_groups, "work-groups for which to leave registers on a multiprocessor");
    number("--most-columns", most_columns, "no more columns than that; 0: as many as can be");
    const auto flag = [&](const std::string& name, std::optional<bool>& value, const char* help) {
        command.add({.names = fmt::format("--{0},!--no-{0}", name), .help = help, .target = &value, .group = group});
    };
    flag("local-sync", local_sync, "work-items share a tile, with barriers");
    flag("remap", remap, "remap the addresses of write-backs");
    flag("bank-swap", bank_swap, "half of the work-items write their groups in the other order");
    flag("bank-padding", bank_padding, "unused words between keys in local memory");
    flag("coalesced-store", coalesced_store, "one more hand-over, or pairs, so that stores are contiguous");
    flag("columns", columns, "sort in columns, in four passes");
}

bool ShapeOptions::any() const {
    return lanes || vectors || work_items || registers || steps_per_pass || resident_groups || local_sync || remap ||
           bank_swap || bank_padding || coalesced_store || columns || most_columns;
}

lanesort::Shape ShapeOptions::over(lanesort::Shape shape) const {
    shape.lanes = lanes.value_or(shape.lanes);
    shape.vectors = vectors.value_or(shape.vectors);
    shape.work_items = work_items.value_or(shape.work_items);
    shape.local_sync = local_sync.value_or(shape.local_sync);
    shape.resident_groups = resident_groups.value_or(shape.resident_groups);
    shape.remap = remap.value_or(shape.remap);
    shape.bank_swap = bank_swap.value_or(shape.bank_swap && shape.remap);
    shape.bank_padding = bank_padding.value_or(shape.bank_padding && shape.lanes == 1);
    shape.coalesced_store = coalesced_store.value_or(shape.coalesced_store);

    const unsigned all_vectors = 2 * shape.vectors;
    const bool in_registers = shape.work_items > 1 || !shape.walks_in_cache();
    shape.register_vectors =
        registers.value_or(in_registers ? all_vectors : std::min(shape.register_vectors, all_vectors));
    shape.columns = columns.value_or(shape.columns &&
                                     (shape.walks_in_cache() || (shape.lanes == 1 && shape.tile_work_items() > 1)));
    shape.most_columns = most_columns.value_or(shape.most_columns);
    const unsigned most_steps = std::max(static_cast<unsigned>(std::bit_width(shape.tile_vectors())), 2u) - 1;
    shape.steps_per_pass = steps_per_pass.value_or(std::min(shape.steps_per_pass, most_steps));
    return shape;
}

void ScheduleOptions::add_to(SubCommand& command, const std::string& unless_given) {
    const auto parse = [](std::string_view text) { return find_named(lanesort::all_schedules, text); };
    add_parsed(command, "--schedule", "NAME", schedule, parse, "automatic, network, columns or distribution",
               "how one range is sorted: network, columns, distribution, or automatic, which is " + unless_given);
    command.exclude("--schedule", {"--columns"});  // an option of the shape, which says so much, too
    command.add_flag("--data-independent", data_independent,
                     "compare the same positions whatever the numbers are, so take no distribution");
}

lanesort::Shape usual_shape(const lanesort::DeviceInfo& device, lanesort::KeyType type, std::uint64_t count,
                            std::size_t value_bytes) {
    const std::size_t bytes = key_bytes(type);
    const auto tuned = value_bytes == 0 ? find_tuned(device).table.find(bytes, count) : std::nullopt;
    return tuned.value_or(choose_shape(device, {bytes, value_bytes}, count));
}

Json json_of(const lanesort::Shape& shape) {
    return {{"lanes", shape.lanes},
            {"vectors", shape.vectors},
            {"work_items", shape.work_items},
            {"register_vectors", shape.register_vectors},
            {"steps_per_pass", shape.steps_per_pass},
            {"local_sync", shape.local_sync},
            {"remap", shape.remap},
            {"bank_swap", shape.bank_swap},
            {"bank_padding", shape.bank_padding},
            {"resident_groups", shape.resident_groups},
            {"coalesced_store", shape.coalesced_store},
            {"columns", shape.columns},
            {"most_columns", shape.most_columns},
            {"tile_keys", shape.tile_keys()}};
}
