// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <lanesort/error.hpp>
#include <lanesort/tuning.hpp>

#include "core/fit.hpp"

namespace lanesort::inline v0_1 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "lanesort shapes 3";
constexpr std::string_view last_line = "end";
constexpr std::string_view row_keyword = "shape";
constexpr std::string_view limit_keyword = "distribution";
constexpr std::string_view no_end_word = "any";
constexpr std::string_view never_word = "never";

/// Calls visit(name, value) for every line that tells the device.
template <class Identity, class Visit>
void for_each_line(Identity& device, Visit visit) {
    visit("backend", device.backend);
    visit("platform", device.platform);
    visit("device", device.name);
    visit("driver", device.driver);
}

/// Calls visit(name, value) for every number and switch of a shape, in the order of the file. One that is added to
/// Shape does not compile until it is here; then the version in first_line must change, too.
template <class AnyShape, class Visit>
void for_each_part(AnyShape& shape, Visit visit) {
    auto& [lanes, vectors, work_items, register_vectors, steps_per_pass, resident_groups, local_sync, remap, bank_swap,
           bank_padding, coalesced_store, columns, most_columns] = shape;
    visit("lanes", lanes);
    visit("vectors", vectors);
    visit("work_items", work_items);
    visit("register_vectors", register_vectors);
    visit("steps_per_pass", steps_per_pass);
    visit("resident_groups", resident_groups);
    visit("local_sync", local_sync);
    visit("remap", remap);
    visit("bank_swap", bank_swap);
    visit("bank_padding", bank_padding);
    visit("coalesced_store", coalesced_store);
    visit("columns", columns);
    visit("most_columns", most_columns);
}

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return text;
}

/// For a message: what stands in a file may be long, and no text at all.
std::string shown(std::string_view text) {
    constexpr std::size_t most = 60;
    return fmt::format("{:?}{}", text.substr(0, most), text.size() > most ? "..." : "");
}

/// The text of a file, line by line and word by word. What is wrong with it is an Error that names file and line.
class Reader {
public:
    Reader(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

    void next_line() {
        ++number_;
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos) fail("the file is cut short");
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
    }
    std::string_view line() const { return line_; }
    bool at_end() const { return rest_.empty(); }

    void expect(std::string_view line) const {
        if (line_ != line) fail(fmt::format("{} is not {}", shown(line_), shown(line)));
    }
    /// What follows the keyword and a space.
    std::string_view value(std::string_view keyword) {
        if (!skip(keyword) || !skip(" ")) fail(fmt::format("{} does not begin with \"{} \"", shown(line_), keyword));
        return line_;
    }
    /// The word that the line has next, without "name=".
    std::string_view word(std::string_view name) {
        skip(" ");
        if (!skip(name) || !skip("=")) fail(fmt::format("\"{}=\" is not there where it must be", name));
        const std::string_view word = line_.substr(0, line_.find(' '));
        line_.remove_prefix(word.size());
        return word;
    }
    template <class Number>
    Number number(std::string_view name) {
        return number<Number>(name, word(name));
    }
    template <class Number>
    Number number(std::string_view name, std::string_view text) const {
        Number number{};
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (status != std::errc{} || end != text.data() + text.size())
            fail(fmt::format("{} is {}, but must be a whole number of at most {}", name, shown(text),
                             std::numeric_limits<Number>::max()));
        return number;
    }
    void end_of_line() const {
        if (!line_.empty()) fail(fmt::format("{} at the end of the line is too much", shown(line_)));
    }

    [[noreturn]] void fail(std::string_view sentence) const {
        throw Error(ErrorCode::invalid_argument, fmt::format("{}:{}: {}", file_, number_, sentence));
    }

private:
    bool skip(std::string_view part) {
        if (!line_.starts_with(part)) return false;
        line_.remove_prefix(part.size());
        return true;
    }

    std::string_view file_, rest_, line_;
    unsigned number_ = 0;
};

void read_part(Reader& reader, std::string_view name, unsigned& value) { value = reader.number<unsigned>(name); }

void read_part(Reader& reader, std::string_view name, bool& value) {
    const auto number = reader.number<unsigned>(name);
    if (number > 1) reader.fail(fmt::format("{} is {}, but must be 0 or 1", name, number));
    value = number == 1;
}

ShapeTable::Row read_row(Reader& reader) {
    ShapeTable::Row row;
    reader.value(row_keyword);
    row.key_bytes = reader.number<std::size_t>("key_bytes");
    row.from = reader.number<std::uint64_t>("from");
    if (const std::string_view below = reader.word("below"); below != no_end_word)
        row.below = reader.number<std::uint64_t>("below", below);
    for_each_part(row.shape, [&](std::string_view name, auto& value) { read_part(reader, name, value); });
    reader.end_of_line();
    return row;
}

void check_width(const Reader& reader, std::size_t key_bytes) {
    if (!std::has_single_bit(key_bytes) || key_bytes > 8)
        reader.fail(fmt::format("key_bytes is {}, but must be 1, 2, 4 or 8", key_bytes));
}

/// Fails unless the row can follow the others of its table and the device can run its shape.
void check_row(const Reader& reader, const ShapeTable::Row& row, const ShapeTable& table, const DeviceInfo& device) {
    check_width(reader, row.key_bytes);
    if (row.from >= row.below) reader.fail("the range of counts is empty");
    const auto follows = [&](const ShapeTable::Row& last) {
        return last.key_bytes < row.key_bytes || (last.key_bytes == row.key_bytes && last.below <= row.from);
    };
    if (!table.rows.empty() && !follows(table.rows.back())) reader.fail("the rows are not in order, or overlap");
    try {
        check_shape(row.shape);
        require_fit(row.shape, row.key_bytes, device);
    } catch (const Error& error) {
        reader.fail(error.what());
    }
}

/// Adds a limit of a distribution; limits follow the rows, by width.
void read_limit(Reader& reader, ShapeTable& table) {
    reader.value(limit_keyword);
    const auto key_bytes = reader.number<std::size_t>("key_bytes");
    check_width(reader, key_bytes);
    auto& limits = table.distribution_from;
    if (!limits.empty() && limits.rbegin()->first >= key_bytes) reader.fail("the limits are not in order");
    const std::string_view from = reader.word("from");
    limits[key_bytes] = from == never_word ? ShapeTable::no_end : reader.number<std::uint64_t>("from", from);
    reader.end_of_line();
}

/// `as_device`: the table must have been made for the device itself.
ShapeTable parse(std::string_view file, std::string_view text, const DeviceInfo& device, bool as_device) {
    Reader reader(file, text);
    reader.next_line();
    reader.expect(first_line);
    ShapeTable table{identity(device), {}};
    for_each_line(table.device, [&](std::string_view name, std::string& value) {
        reader.next_line();
        const std::string_view found = reader.value(name);
        if (as_device && found != value)
            reader.fail(fmt::format("the shapes are for {} {}, but this is {}", name, shown(found), shown(value)));
        value = found;
    });
    reader.next_line();
    for (; reader.line().starts_with(row_keyword); reader.next_line()) {
        const ShapeTable::Row row = read_row(reader);
        check_row(reader, row, table, device);
        table.rows.push_back(row);
    }
    for (; reader.line() != last_line; reader.next_line()) read_limit(reader, table);
    if (!reader.at_end()) reader.fail("the file goes on after its end");
    return table;
}

/// Throws Error(invalid_argument) that names the file.
std::string contents(const fs::path& file) {
    constexpr std::size_t most = 1 << 16;
    const auto refuse = [&](std::string_view why) {
        throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", file.string(), why));
    };
    std::error_code failure;
    const fs::file_status status = fs::status(file, failure);
    if (fs::exists(status) && !fs::is_regular_file(status)) refuse("this is not a file");
    std::ifstream stream(file, std::ios::binary);
    std::string text(most + 1, '\0');
    if (!stream || (!stream.read(text.data(), most + 1) && !stream.eof()))
        refuse(fmt::format("the file cannot be read ({})", failure ? failure.message() : std::strerror(errno)));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) refuse(fmt::format("the file is larger than {} bytes", most));
    return text;
}

ShapeTable read(const fs::path& file, const DeviceInfo& device, bool as_device) {
    return parse(file.string(), contents(file), device, as_device);
}

/// The environment variable as a path; nothing where it is not an absolute one.
std::optional<fs::path> absolute_path(const char* variable) {
    const char* const value = std::getenv(variable);
    if (!value || !fs::path(value).is_absolute()) return std::nullopt;
    return value;
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

/// A file name that no name of a device can lead out of its folder or make too long. Letters, digits and a few marks
/// stay readable; the hash (FNV-1a) tells apart what they do not.
std::string file_name(const DeviceIdentity& device) {
    constexpr std::size_t most_readable = 80;
    std::string readable = device.backend + "-" + device.name;
    readable.resize(std::min(readable.size(), most_readable));
    std::ranges::replace_if(
        readable, [](char c) { return !is_plain(c); }, '_');

    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::string* part : {&device.backend, &device.platform, &device.name})
        for (const char c : *part + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("shapes-v3-{}-{:016x}", readable, hash);
}

}  // namespace

DeviceIdentity identity(const DeviceInfo& device) {
    return {one_line(device.backend), one_line(device.platform), one_line(device.name), one_line(device.driver)};
}

std::optional<Shape> ShapeTable::find(std::size_t key_bytes, std::uint64_t count) const {
    const std::uint64_t wanted = count == 0 ? no_end - 1 : count;
    for (const Row& row : rows)
        if (row.key_bytes == key_bytes && row.from <= wanted && wanted < row.below) return row.shape;
    return std::nullopt;
}

void ShapeTable::remove(std::size_t key_bytes, std::uint64_t from, std::uint64_t below) {
    std::vector<Row> kept;
    kept.reserve(2 * rows.size());
    for (const Row& row : rows) {
        if (row.key_bytes != key_bytes || row.below <= from || below <= row.from) {
            kept.push_back(row);
            continue;
        }
        if (row.from < from) kept.push_back({key_bytes, row.from, from, row.shape});
        if (below < row.below) kept.push_back({key_bytes, below, row.below, row.shape});
    }
    rows = std::move(kept);
}

void ShapeTable::put(const Row& row) {
    remove(row.key_bytes, row.from, row.below);
    const auto place = [](const Row& of) { return std::pair(of.key_bytes, of.from); };
    auto at = rows.insert(std::ranges::lower_bound(rows, place(row), {}, place), row);
    const auto continues = [](const Row& first, const Row& second) {
        return first.key_bytes == second.key_bytes && first.below == second.from && first.shape == second.shape;
    };
    if (at != rows.begin() && continues(*std::prev(at), *at)) {
        at->from = std::prev(at)->from;
        at = rows.erase(std::prev(at));
    }
    if (std::next(at) != rows.end() && continues(*at, *std::next(at))) {
        at->below = std::next(at)->below;
        rows.erase(std::next(at));
    }
}

std::string to_text(const ShapeTable& table) {
    std::string text = fmt::format("{}\n", first_line);
    for_each_line(table.device, [&](std::string_view name, const std::string& value) {
        text += fmt::format("{} {}\n", name, value);
    });
    for (const ShapeTable::Row& row : table.rows) {
        text += fmt::format("{} key_bytes={} from={} below={}", row_keyword, row.key_bytes, row.from,
                            row.below == ShapeTable::no_end ? std::string(no_end_word) : std::to_string(row.below));
        for_each_part(row.shape,
                      [&](std::string_view name, auto value) { text += fmt::format(" {}={}", name, unsigned{value}); });
        text += '\n';
    }
    for (const auto& [key_bytes, from] : table.distribution_from)
        text += fmt::format("{} key_bytes={} from={}\n", limit_keyword, key_bytes,
                            from == ShapeTable::no_end ? std::string(never_word) : std::to_string(from));
    return text + fmt::format("{}\n", last_line);
}

ShapeTable read_shape_file(const fs::path& file, const DeviceInfo& device) { return read(file, device, false); }

fs::path tuned_file(const DeviceInfo& device) {
    const char* const wanted = std::getenv("LANESORT_TUNED");
    if (wanted && std::string_view(wanted) == "0") return {};
    std::optional<fs::path> cache = absolute_path("XDG_CACHE_HOME");
    if (!cache)
        if (const auto home = absolute_path("HOME")) cache = *home / ".cache";
    return cache ? *cache / "lanesort" / file_name(identity(device)) : fs::path();
}

TunedShapes find_tuned(const DeviceInfo& device) {
    TunedShapes tuned{{identity(device), {}}, {}};
    const fs::path file = tuned_file(device);
    std::error_code failure;
    if (file.empty() || fs::symlink_status(file, failure).type() == fs::file_type::not_found) return tuned;
    try {
        tuned.table = read(file, device, true);
    } catch (const Error& error) {
        tuned.note = fmt::format("tuned shapes are not used: {}", error.what());
    }
    return tuned;
}

}  // namespace lanesort::inline v0_1
