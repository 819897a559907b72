// SPDX-License-Identifier: MIT
#include "external_table.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <lanesort/key_order.hpp>

#include "command.hpp"
#include "decimal.hpp"
#include "loser_tree.hpp"
#include "progress.hpp"
#include "table_order.hpp"

using namespace lanesort;

namespace {

/// The key of a record in one column. Numbers, and the first bytes of a text, are an integer in the order of the table.
struct ColumnKey {
    bool is_missing = false;
    std::uint64_t number = 0;
    std::string_view text;  ///< also of a number whose digits are needed

    std::strong_ordering compare(const ColumnKey& other, bool is_text, Order order) const {
        if (const auto by = is_missing <=> other.is_missing; by != 0) return by;
        if (const auto by = number <=> other.number; by != 0) return by;
        const auto by = is_text ? text <=> other.text : Decimal(text) <=> Decimal(other.text);
        return order == Order::ascending ? by : 0 <=> by;
    }
};

std::uint64_t first_bytes(std::string_view text) {
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < sizeof first; ++i)
        first = first << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
    return first;
}

}  // namespace

/// A table that is the header and a part of a file.
class TableSort::Source {
public:
    Source(const std::string& head, const TemporaryFile& file, std::uint64_t begin, std::uint64_t end)
        : head_(head), file_(&file), at_(begin), end_(end) {}

    std::size_t operator()(void* to, std::size_t bytes) {
        const std::size_t from_head = head_.copy(static_cast<char*>(to), bytes);
        head_.remove_prefix(from_head);
        const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - from_head, end_ - at_));
        file_->read(at_, static_cast<char*>(to) + from_head, got);
        at_ += got;
        file_->read_ahead(at_, std::min<std::uint64_t>(got, end_ - at_));
        return from_head + got;
    }

private:
    std::string_view head_;
    const TemporaryFile* file_;
    std::uint64_t at_, end_;
};

/// Reads a run by and by: one record after the other, with its keys.
class TableSort::Reader {
public:
    Reader(const TableSort& table, const Run& run, std::size_t bytes, Background& background)
        : columns_(table.table_options_.columns),
          states_(table.states_),
          pieces_(table.name_, table.table_options_, Source(table.head_, *table.file_, run.begin, run.end), states_,
                  bytes, &background),
          offset_(run.begin) {
        for (const SortColumn& column : columns_) orders_.push_back(table.device_.order_of(column.order));
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// Goes on to the next record; false where there is none.
    bool next() {
        offset_ += record_.size();
        if (++at_ >= count_) {
            if (!pieces_.next()) return false;
            at_ = 0;
            count_ = pieces_.keys().records.size();
        }
        record_ = pieces_.table().record(pieces_.keys().records, at_);
        return true;
    }

    /// The one that it went on to, and where that lies in the temporary file.
    std::string_view record() const noexcept { return record_; }
    std::uint64_t offset() const noexcept { return offset_; }
    std::size_t columns() const noexcept { return orders_.size(); }

    ColumnKey key(std::size_t i) const {
        const KeyColumn& column = pieces_.keys().columns[i];
        if (column.is_missing(at_)) return {true, 0, {}};
        if (const auto* const numbers = std::get_if<Numbers>(&column.keys)) {
            const std::size_t bytes = key_bytes(numbers->type);
            std::uint64_t bits = 0;
            std::memcpy(&bits, numbers->bytes.data() + at_ * bytes, bytes);
            std::string_view text;
            if (is_decided_by_digits(column, bits))
                text = pieces_.table().number_text(pieces_.keys().records[at_], column);
            return {false, encoded(bits, numbers->type, orders_[i]), text};
        }
        const std::string_view text = pieces_.table().text(std::get<TextKeys>(column.keys), at_);
        const std::uint64_t first = first_bytes(text);
        return {false, orders_[i] == Order::ascending ? first : ~first, text};
    }

    std::strong_ordering compare(std::size_t i, const ColumnKey& mine, const ColumnKey& other) const {
        return mine.compare(other, columns_[i].kind == ColumnKind::texts, orders_[i]);
    }
    /// Whether its record comes before that of the other, or after it.
    std::strong_ordering compare(const Reader& other) const {
        for (std::size_t i = 0; i < columns(); ++i)
            if (const auto by = compare(i, key(i), other.key(i)); by != 0) return by;
        return std::strong_ordering::equal;
    }

private:
    static std::uint64_t encoded(std::uint64_t bits, KeyType type, Order order) {
        const KeyCoding coding = key_coding(type, order);
        switch (key_bytes(type)) {
            case 1: return encode(static_cast<std::uint8_t>(bits), coding);
            case 2: return encode(static_cast<std::uint16_t>(bits), coding);
            case 4: return encode(static_cast<std::uint32_t>(bits), coding);
            default: return encode(bits, coding);
        }
    }

    const std::vector<SortColumn>& columns_;
    std::vector<ColumnState> states_;
    TablePieces pieces_;
    std::vector<Order> orders_;
    std::uint64_t at_ = 0, count_ = 0;  ///< of the records of the piece
    std::uint64_t offset_;
    std::string_view record_;
};

/// Writes records in order, and does with those of equal keys what is asked for.
class TableSort::Writer {
public:
    Writer(const TableSort& table, OutputFile& out) : sort_(table), out_(out) {
        out_.write(table.equal_ == Equal::count ? table.head_with_count_ : table.head_);
    }

    void write(const Reader& reader, bool is_open) {
        if (count_ > 0 && sort_.equal_ != Equal::keep && has_equal_keys(reader)) {
            ++count_;
            return;
        }
        put_last(false);
        record_ = reader.record();
        is_open_ = is_open;
        count_ = 1;
        if (sort_.equal_ == Equal::keep) return;
        keys_.clear();
        for (std::size_t i = 0; i < reader.columns(); ++i) {
            const ColumnKey key = reader.key(i);
            keys_.push_back({key.is_missing, key.number, std::string(key.text)});
        }
    }

    void finish() {
        put_last(true);
        out_.flush();
    }

private:
    struct Key {
        bool is_missing;
        std::uint64_t number;
        std::string text;
    };

    bool has_equal_keys(const Reader& reader) const {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (reader.compare(i, reader.key(i), {keys_[i].is_missing, keys_[i].number, keys_[i].text}) != 0)
                return false;
        return true;
    }

    void put_last(bool is_end) {
        if (count_ == 0) return;
        const TableOptions& table = sort_.table_options_;
        if (sort_.equal_ == Equal::count)
            out_.write(fmt::format("{}{}", count_, table.lines ? '\t' : *table.delimiter));
        if (is_end && is_open_ && !table.lines) record_.resize(record_.size() - sort_.line_end_.size());
        out_.write(record_);
    }

    const TableSort& sort_;
    BufferedWriter out_;
    std::vector<Key> keys_;  ///< of the last record
    std::string record_;     ///< the last one, which is not written yet
    bool is_open_ = false;
    std::uint64_t count_ = 0;  ///< of records with equal keys
};

TableSort::TableSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory, std::string folder,
                     Equal equal)
    : options_(options),
      device_(device),
      plan_(memory),
      folder_(std::move(folder)),
      equal_(equal),
      table_options_(options.as_table()),
      states_(table_options_.columns.size()) {
    for (std::size_t i = 0; i < states_.size(); ++i)
        if (table_options_.columns[i].kind == ColumnKind::numbers) states_[i].type = options.type;
}

void TableSort::run(InputFile& in, OutputFile& out) {
    name_ = in.name();
    {
        TablePieces pieces(
            name_, table_options_, [&](void* to, std::size_t bytes) { return in.read(to, bytes); }, states_,
            plan_.run_bytes(), reads_ahead(in.known_size()) ? &background_ : nullptr);
        Progress progress("sorting runs");
        while (pieces.next()) {
            const TextTable& table = pieces.table();
            TableKeys& keys = pieces.keys();
            const bool is_all = runs_.empty() && table.is_whole();
            if (runs_.empty()) {
                head_ = table.head();
                head_with_count_ = table.head_with_count();
                line_end_ = table.line_end();
                table_options_.delimiter = table.delimiter();
            }
            std::vector<std::optional<KeyType>> types;
            for (const KeyColumn& column : keys.columns) {
                const auto* const numbers = std::get_if<Numbers>(&column.keys);
                types.push_back(numbers ? std::optional(numbers->type) : std::nullopt);
            }
            const bool keeps_keys = is_all && equal_ != Equal::keep;
            IndexArray order = sorted_records(device_, table, keys, keeps_keys);
            if (is_all) {
                IndexArray counts(sizeof(std::uint64_t));
                IndexArray* const wanted = equal_ == Equal::count ? &counts : nullptr;
                if (keeps_keys) order = distinct_records(table, keys, order, wanted);
                in.require_unchanged();
                return table.write(out, keys.records, order, wanted);
            }
            add_run(in.known_size(), table, keys, order);
            runs_.back().types = std::move(types);
            if (in.known_size() > 0) progress(std::min(file_->size(), in.known_size() - 1), in.known_size());
        }
    }
    in.require_unchanged();
    all_runs_ = runs_.size();
    require_short_records();
    renew_runs();
    merge_until_few();
    Writer writer(*this, out);
    merge_runs(0, runs_.size(), [&](const Reader& reader, bool is_open) { writer.write(reader, is_open); });
    writer.finish();
}

/// Whether the next run is read while one is sorted, which makes them half as long. That is no gain where one may be
/// all of the table, nor where it takes another merge pass.
bool TableSort::reads_ahead(std::uint64_t known_size) const noexcept {
    constexpr std::uint64_t usual_runs = 16, most_times = 4;  // what a record takes, over its text
    const std::uint64_t run = plan_.run_bytes(), size = known_size > 0 ? known_size : usual_runs * run;
    return size > run && size / (run / 2) * most_times <= plan_.most_runs();
}

void TableSort::add_run(std::uint64_t known_size, const TextTable& table, const TableKeys& keys,
                        const IndexArray& order) {
    if (!file_) {
        file_.emplace(folder_);
        // Runs of shorter records have less text.
        const std::size_t text_bytes = table.size_of_piece();
        announce_runs(*file_, plan_, text_bytes, text_bytes / 2, options_.stats, known_size,
                      known_size + line_end_.size());
    }
    const std::uint64_t begin = file_->size();
    write_order(begin, table, keys.records, order);
    runs_.push_back({begin, file_->size(), order.size(), {}});
    most_bytes_ = std::max(most_bytes_, file_->size());
}

void TableSort::write_order(std::uint64_t offset, const TextTable& table, const IndexArray& records,
                            const IndexArray& order) {
    constexpr std::size_t capacity = std::size_t{1} << 20;
    std::string buffer;
    buffer.reserve(capacity);
    const auto flush = [&] {
        file_->write(offset, buffer.data(), buffer.size());
        offset += buffer.size();
        buffer.clear();
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        table.fetch_ahead(records, order, i);
        const std::string_view record = table.record(records, order[i]);
        if (record.size() + line_end_.size() > capacity - buffer.size()) flush();
        if (record.size() > longest_) {
            longest_ = record.size();
            if (merge_bytes_of(longest_) > merge_piece(plan_.most_runs()))
                longest_line_ = table.line_of(records[order[i]]);
        }
        if (!record.ends_with('\n')) open_record_ = offset + buffer.size();
        buffer += record;
        if (!record.ends_with('\n')) buffer += line_end_;
    }
    flush();
}

void TableSort::renew_runs() {
    for (const Run& run : runs_) {
        bool is_other = false;
        for (std::size_t i = 0; i < states_.size(); ++i)
            is_other = is_other || (states_[i].evidence.floats && run.types[i] != KeyType::f64);
        if (!is_other) continue;
        std::vector<ColumnState> states = states_;
        TextTable table(name_, table_options_, Source(head_, *file_, run.begin, run.end), SIZE_MAX);
        TableKeys keys = table.read_piece(states);
        const IndexArray order = sorted_records(device_, table, keys, false);
        write_order(run.begin, table, keys.records, order);
    }
}

void TableSort::merge_runs(std::size_t first, std::size_t count, const Take& take) {
    struct Head {
        std::uint64_t key;
        std::uint32_t run;
        std::uint8_t rank;  ///< 0: with a key in the first column, 1: without, 2: the run is over
        const Reader* reader;
    };
    struct Before {
        bool decided_by_key;  ///< that one number says all
        bool operator()(const Head& a, const Head& b) const {
            if (a.rank != b.rank) return a.rank < b.rank;
            if (a.key != b.key) return a.key < b.key;
            if (!decided_by_key && a.rank < 2)
                if (const auto by = a.reader->compare(*b.reader); by != 0) return by < 0;
            return a.run < b.run;
        }
    };
    std::vector<std::unique_ptr<Reader>> readers;
    std::uint64_t left = 0;
    const auto next_head_of = [&](std::uint32_t run) -> Head {
        Reader& reader = *readers[run];
        if (!reader.next()) return {0, run, 2, &reader};
        const ColumnKey key = reader.key(0);
        return {key.number, run, static_cast<std::uint8_t>(key.is_missing), &reader};
    };
    for (const Run& run : std::span(runs_).subspan(first, count)) {
        readers.push_back(std::make_unique<Reader>(*this, run, merge_buffer(count), background_));
        left += run.records;
    }
    std::vector<Head> heads;
    for (std::uint32_t run = 0; run < count; ++run) heads.push_back(next_head_of(run));
    const bool one_number = states_.size() == 1 && table_options_.columns.front().kind != ColumnKind::texts &&
                            !states_.front().evidence.needs_digits;
    LoserTree<Head, Before> tree(heads, {one_number});
    Progress progress("merging");
    constexpr std::uint64_t some = 1 << 16;
    for (const std::uint64_t all = left; left > 0; --left) {
        const std::uint32_t run = tree.winner().run;
        const Reader& reader = *readers[run];
        take(reader, open_record_ == reader.offset());
        tree.replace(next_head_of(run));
        if (left % some == 0) progress(all - left, all);
    }
}

std::size_t TableSort::merge_buffer(std::size_t runs) const noexcept {
    return plan_.buffer_bytes(runs, 2 * merge_bytes_of(longest_));
}

/// Of the two pieces that a buffer of the merge has.
std::size_t TableSort::merge_piece(std::size_t runs) const noexcept { return merge_buffer(runs) / 2; }

/// That a piece has to have at least: for the header, a record of so many bytes, and the start of the next one.
std::size_t TableSort::merge_bytes_of(std::size_t record) const noexcept {
    return head_.size() + record + 3 * TextTable::bytes_beside_record(table_options_) + line_end_.size();
}

void TableSort::require_short_records() const {
    if (merge_bytes_of(longest_) <= merge_piece(std::min(runs_.size(), plan_.most_runs()))) return;
    constexpr const char* no_room = "does not fit into memory with what --memory says";
    if (head_.size() > longest_)
        throw BadInput(fmt::format("{} has a header of {} bytes, which {}", name_, head_.size(), no_room));
    throw BadInput(fmt::format("{} begins a record of {} bytes, which {}", longest_line_, longest_, no_room));
}

void TableSort::merge_until_few() {
    for (; runs_.size() > plan_.most_runs(); ++passes_) {
        TemporaryFile merged(folder_);
        std::vector<Run> fewer;
        std::optional<std::uint64_t> open_record;
        for (std::size_t first = 0; first < runs_.size(); first += plan_.most_runs()) {
            const std::size_t count = std::min(plan_.most_runs(), runs_.size() - first);
            Run run{merged.size(), 0, 0, {}};
            std::string buffer;
            const auto flush = [&] {
                merged.append(buffer.data(), buffer.size());
                buffer.clear();
            };
            merge_runs(first, count, [&](const Reader& reader, bool is_open) {
                constexpr std::size_t capacity = std::size_t{1} << 20;
                if (reader.record().size() > capacity - std::min(buffer.size(), capacity)) flush();
                if (is_open) open_record = merged.size() + buffer.size();
                buffer += reader.record();
                ++run.records;
            });
            flush();
            run.end = merged.size();
            fewer.push_back(std::move(run));
        }
        open_record_ = open_record;
        most_bytes_ = std::max(most_bytes_, file_->size() + merged.size());
        file_ = std::move(merged);
        runs_ = std::move(fewer);
    }
    ++passes_;
}

void TableSort::print_stats() const { print_run_stats(options_.stats, all_runs_, passes_, most_bytes_); }
