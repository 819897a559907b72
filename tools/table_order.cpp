#include "table_order.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

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

    std::string_view operator[](std::uint64_t record) const {
        return table_.text(texts_.begins[record], texts_.ends[record]);
    }

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

/// Sorts records whose keys are equal by the whole of their texts.
template <class Index>
void sort_ties(const Sequence& sequence, const TextOrder& texts, Order order, const Numbers& keys, IndexArray& all) {
    const std::span positions(static_cast<Index*>(all.data()), keys.count());
    const auto* const key = reinterpret_cast<const std::uint64_t*>(keys.bytes.data());
    const auto before = [&](Index a, Index b) {
        const std::string_view first = texts[sequence[a]], second = texts[sequence[b]];
        return order == Order::ascending ? first < second : second < first;
    };
    for (std::size_t begin = 0, end = 0; begin < positions.size(); begin = end) {
        for (end = begin + 1; end < positions.size() && key[end] == key[begin]; ++end) {
        }
        if (end - begin > 1 && TextOrder::is_longer(key[begin]))
            std::ranges::stable_sort(positions.subspan(begin, end - begin), before);
    }
}

/// The sequence in the order of this column; records with equal keys stay as they were.
Sequence sorted_by(DeviceSort& device, const TextTable& table, Sequence sequence, KeyColumn& column, bool keep,
                   std::size_t width) {
    const Order order = device.order_of(column.order);
    IndexArray positions(width);
    if (auto* const numbers = std::get_if<Numbers>(&column.keys)) {
        NumberedKeys sorted = numbers_of(sequence, column, *numbers, keep, width);
        device.sort_by_key(sorted.keys, sorted.records, order);
        positions = std::move(sorted.records);
    } else {
        const TextOrder texts(table, column);
        Numbers keys{KeyType::u64, {}};
        positions = split(sequence, column, width, [&](std::uint64_t record) {
            const std::uint64_t key = texts.key(record);
            keys.bytes.append({reinterpret_cast<const char*>(&key), sizeof key});
        });
        device.sort_by_key(keys, positions, order);
        if (width == sizeof(std::uint32_t)) sort_ties<std::uint32_t>(sequence, texts, order, keys, positions);
        else sort_ties<std::uint64_t>(sequence, texts, order, keys, positions);
    }
    if (sequence.order.size() > 0)
        for (std::uint64_t i = 0; i < sequence.size; ++i) positions.set(i, sequence.order[positions[i]]);
    return {sequence.size, std::move(positions)};
}

bool have_equal_keys(const TextTable& table, const KeyColumn& column, std::uint64_t a, std::uint64_t b) {
    if (column.is_missing(a) || column.is_missing(b)) return column.is_missing(a) && column.is_missing(b);
    if (const auto* const numbers = std::get_if<Numbers>(&column.keys)) {
        const std::size_t bytes = lanesort::key_bytes(numbers->type);
        return std::memcmp(numbers->bytes.data() + a * bytes, numbers->bytes.data() + b * bytes, bytes) == 0;
    }
    const auto& [begins, ends] = std::get<TextKeys>(column.keys);
    return table.text(begins[a], ends[a]) == table.text(begins[b], ends[b]);
}

}  // namespace

IndexArray sorted_records(DeviceSort& device, const TextTable& table, TableKeys& keys, bool keys_needed) {
    const std::size_t width = keys.records.width();
    Sequence sequence{keys.records.size(), IndexArray(width)};
    for (std::size_t i = keys.columns.size(); i-- > 0;)
        sequence = sorted_by(device, table, std::move(sequence), keys.columns[i], keys_needed, width);
    return std::move(sequence.order);
}

std::optional<NumberedKeys> only_numbers(TableKeys& keys) {
    KeyColumn& column = keys.columns.front();
    auto* const numbers = std::get_if<Numbers>(&column.keys);
    if (keys.columns.size() > 1 || !numbers) return std::nullopt;
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
            return have_equal_keys(table, column, order[i - 1], order[i]);
        });
    };
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        for (end = begin + 1; end < order.size() && !is_new(end);) ++end;
        distinct.append(order[begin]);
        if (lengths) lengths->append(end - begin);
    }
    return distinct;
}
