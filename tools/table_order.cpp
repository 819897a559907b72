// SPDX-License-Identifier: MIT
#include "table_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "decimal.hpp"

namespace {

using lanesort::KeyType;
using lanesort::Order;

/// Records in some order: as in the file unless it says more.
struct Sequence {
    std::uint64_t size;
    IndexArray order;  ///< empty: as in the file

    std::uint64_t operator[](std::uint64_t i) const { return order.size() == 0 ? i : order[i]; }
};

/// The positions in a sequence of the records with a key, which `add` gets, and then of those without.
template <class Add>
IndexArray split(const Sequence& sequence, const KeyColumn& column, std::size_t width, Add add) {
    IndexArray positions(width), without(width);
    for (std::uint64_t i = 0; i < sequence.size; ++i) {
        const std::uint64_t record = sequence[i];
        if (column.is_missing(record)) {
            without.append(i);
        } else {
            positions.append(i);
            add(record);
        }
    }
    positions.append(without);
    return positions;
}

/// The numbers of a column, and their positions in a sequence. They are copied, unless they need not be kept and the
/// sequence is the file's.
NumberedKeys numbers_of(const Sequence& sequence, const KeyColumn& column, Numbers& numbers, bool keep,
                        std::size_t width) {
    const std::size_t bytes = lanesort::key_bytes(numbers.type);
    Numbers keys{numbers.type, {}};
    const bool in_place = !keep && sequence.order.size() == 0;
    if (in_place) keys.bytes = std::move(numbers.bytes);
    else keys.bytes.room(sequence.size * bytes);
    const std::byte* const from = in_place ? keys.bytes.data() : numbers.bytes.data();
    std::byte* to = keys.bytes.data();
    IndexArray positions = split(sequence, column, width, [&](std::uint64_t record) {
        std::memmove(to, from + record * bytes, bytes);
        to += bytes;
    });
    const auto size = static_cast<std::size_t>(to - keys.bytes.data());
    if (in_place) keys.bytes.shrink(size);
    else keys.bytes.grew(size);
    return {std::move(keys), std::move(positions)};
}

/// The texts of a column by their first bytes, behind those that all have in common: an integer of the next seven, and
/// of how long the rest is. Of rests of up to seven bytes that is the order.
class TextOrder {
public:
    TextOrder(const TextTable& table, const KeyColumn& column)
        : table_(table), texts_(std::get<TextKeys>(column.keys)) {
        bool is_first = true;
        for (std::uint64_t record = 0; record < texts_.begins.size(); ++record) {
            if (column.is_missing(record)) continue;
            const std::string_view text = (*this)[record];
            if (std::exchange(is_first, false)) common_ = text;
            const auto differ = std::ranges::mismatch(common_, text).in1;
            common_ = common_.substr(0, static_cast<std::size_t>(differ - common_.begin()));
        }
    }

    std::string_view operator[](std::uint64_t record) const { return table_.text(texts_, record); }

    std::uint64_t key(std::uint64_t record) const {
        const std::string_view rest = (*this)[record].substr(common_.size());
        std::uint64_t key = 0;
        for (std::size_t i = 0; i < whole; ++i)
            key = key << 8 | (i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0u);
        return key << 8 | std::min(rest.size(), whole + 1);
    }
    /// Whether texts of that key may differ.
    static bool is_longer(std::uint64_t key) { return (key & 0xff) > whole; }

private:
    static constexpr std::size_t whole = 7;
    const TextTable& table_;
    const TextKeys& texts_;
    std::string_view common_;
};

/// Gives the positions of each run of equal keys of 8 bytes to `sort`, with that key.
template <class Index, class Sort>
void sort_ties_as(const Numbers& keys, IndexArray& all, Sort sort_few) {
    const std::span positions(static_cast<Index*>(all.data()), keys.count());
    const auto* const key = reinterpret_cast<const std::uint64_t*>(keys.bytes.data());
    for (std::size_t begin = 0, end = 0; begin < positions.size(); begin = end) {
        for (end = begin + 1; end < positions.size() && key[end] == key[begin]; ++end) {
        }
        if (end - begin > 1) sort_few(positions.subspan(begin, end - begin), key[begin]);
    }
}

template <class Sort>
void sort_ties(const Numbers& keys, IndexArray& all, Sort sort_few) {
    if (all.width() == sizeof(std::uint32_t)) sort_ties_as<std::uint32_t>(keys, all, sort_few);
    else sort_ties_as<std::uint64_t>(keys, all, sort_few);
}

/// Whether the first comes before the second.
template <class Key>
bool is_before(const Key& first, const Key& second, Order order) {
    return order == Order::ascending ? first < second : second < first;
}

/// Sorts records whose keys are equal by the whole of their texts.
void sort_ties_of_texts(const Sequence& sequence, const TextOrder& texts, Order order, const Numbers& keys,
                        IndexArray& all) {
    sort_ties(keys, all, [&]<class Index>(std::span<Index> ties, std::uint64_t key) {
        if (TextOrder::is_longer(key))
            std::ranges::stable_sort(
                ties, [&](Index a, Index b) { return is_before(texts[sequence[a]], texts[sequence[b]], order); });
    });
}

/// Sorts records whose keys are equal by all digits of their numbers, which mostly are equal, too.
void sort_ties_of_numbers(const Sequence& sequence, const TextTable& table, const IndexArray& records,
                          const KeyColumn& column, Order order, const Numbers& keys, IndexArray& all) {
    sort_ties(keys, all, [&]<class Index>(std::span<Index> ties, std::uint64_t key) {
        if (!is_decided_by_digits(column, key)) return;
        const auto decimal = [&](Index i) { return Decimal(table.number_text(records[sequence[i]], column)); };
        const Decimal first = decimal(ties.front());
        if (std::ranges::all_of(ties, [&](Index i) { return decimal(i) == first; })) return;
        std::vector<std::pair<Decimal, Index>> sorted;
        for (const Index i : ties) sorted.emplace_back(decimal(i), i);
        std::ranges::stable_sort(
            sorted, [&](const Decimal& a, const Decimal& b) { return is_before(a, b, order); },
            &std::pair<Decimal, Index>::first);
        std::ranges::transform(sorted, ties.begin(), &std::pair<Decimal, Index>::second);
    });
}

/// The sequence in the order of this column; records with equal keys stay as they were.
Sequence sorted_by(DeviceSort& device, const TextTable& table, const IndexArray& records, Sequence sequence,
                   KeyColumn& column, bool keep) {
    const Order order = device.order_of(column.order);
    const std::size_t width = records.width();
    IndexArray positions(width);
    if (auto* const numbers = std::get_if<Numbers>(&column.keys)) {
        NumberedKeys sorted = numbers_of(sequence, column, *numbers, keep, width);
        device.sort_by_key(sorted.keys, sorted.records, order);
        positions = std::move(sorted.records);
        if (column.needs_digits) sort_ties_of_numbers(sequence, table, records, column, order, sorted.keys, positions);
    } else {
        const TextOrder texts(table, column);
        Numbers keys{KeyType::u64, {}};
        positions = split(sequence, column, width, [&](std::uint64_t record) {
            const std::uint64_t key = texts.key(record);
            keys.bytes.append({reinterpret_cast<const char*>(&key), sizeof key});
        });
        device.sort_by_key(keys, positions, order);
        sort_ties_of_texts(sequence, texts, order, keys, positions);
    }
    if (sequence.order.size() > 0)
        for (std::uint64_t i = 0; i < sequence.size; ++i) positions.set(i, sequence.order[positions[i]]);
    return {sequence.size, std::move(positions)};
}

bool have_equal_keys(const TextTable& table, const IndexArray& records, const KeyColumn& column, std::uint64_t a,
                     std::uint64_t b) {
    if (column.is_missing(a) || column.is_missing(b)) return column.is_missing(a) && column.is_missing(b);
    if (const auto* const numbers = std::get_if<Numbers>(&column.keys)) {
        const std::size_t bytes = lanesort::key_bytes(numbers->type);
        const std::byte* const key = numbers->bytes.data() + a * bytes;
        if (std::memcmp(key, numbers->bytes.data() + b * bytes, bytes) != 0) return false;
        std::uint64_t bits = 0;
        std::memcpy(&bits, key, bytes);
        const auto decimal = [&](std::uint64_t i) { return Decimal(table.number_text(records[i], column)); };
        return !is_decided_by_digits(column, bits) || decimal(a) == decimal(b);
    }
    const auto& texts = std::get<TextKeys>(column.keys);
    return table.text(texts, a) == table.text(texts, b);
}

}  // namespace

IndexArray sorted_records(DeviceSort& device, const TextTable& table, TableKeys& keys, bool keys_needed) {
    const std::size_t width = keys.records.width();
    Sequence sequence{keys.records.size(), IndexArray(width)};
    for (std::size_t i = keys.columns.size(); i-- > 0;)
        sequence = sorted_by(device, table, keys.records, std::move(sequence), keys.columns[i], keys_needed);
    return std::move(sequence.order);
}

bool is_decided_by_digits(const KeyColumn& column, std::uint64_t key) noexcept {
    const auto* const numbers = std::get_if<Numbers>(&column.keys);
    if (!column.needs_digits || !numbers) return false;
    return numbers->type != KeyType::f64 || !std::isnan(std::bit_cast<double>(key));
}

std::optional<NumberedKeys> only_numbers(TableKeys& keys) {
    KeyColumn& column = keys.columns.front();
    auto* const numbers = std::get_if<Numbers>(&column.keys);
    if (keys.columns.size() > 1 || !numbers || column.needs_digits) return std::nullopt;
    const std::size_t width = keys.records.width();
    return numbers_of({keys.records.size(), IndexArray(width)}, column, *numbers, false, width);
}

std::uint64_t records_with_key(const TableKeys& keys, const IndexArray& order) {
    std::uint64_t count = order.size();
    while (count > 0 && keys.columns.front().is_missing(order[count - 1])) --count;
    return count;
}

std::optional<std::uint64_t> first_out_of_order(const IndexArray& order, const std::vector<std::uint64_t>& counts) {
    IndexArray place(order.width());
    place.grow(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place.set(order[i], i);
    std::uint64_t first = 0;  // of the next file
    for (std::size_t record = 0, file = 0; record < order.size(); ++record) {
        bool begins = record == 0;
        for (; file < counts.size() && record == first; first += counts[file++]) begins = true;
        if (!begins && place[record] < place[record - 1]) return record;
    }
    return std::nullopt;
}

IndexArray distinct_records(const TextTable& table, const TableKeys& keys, const IndexArray& order,
                            IndexArray* lengths) {
    IndexArray distinct(order.width());
    const auto is_new = [&](std::size_t i) {
        return !std::ranges::all_of(keys.columns, [&](const KeyColumn& column) {
            return have_equal_keys(table, keys.records, column, order[i - 1], order[i]);
        });
    };
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        for (end = begin + 1; end < order.size() && !is_new(end);) ++end;
        distinct.append(order[begin]);
        if (lengths) lengths->append(end - begin);
    }
    return distinct;
}
