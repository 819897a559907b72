// SPDX-License-Identifier: MIT
#include "groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "command.hpp"
#include "decimal.hpp"
#include "table_order.hpp"

namespace {

using lanesort::KeyType;
using lanesort::Reduction;

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

constexpr unsigned half_bits = 32;
constexpr std::uint64_t most_values = std::uint64_t{1} << half_bits;  ///< of a group, so that sums of halves fit

template <class T>
std::span<const T> elements(const Bytes& bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Whether 64 bits may be too few for the sum of most_values of these integers.
bool may_overflow(const Numbers& integers) {
    return integers.type == KeyType::u64 || std::ranges::any_of(elements<std::int64_t>(integers.bytes), [](auto value) {
               return value != static_cast<std::int32_t>(value);
           });
}

/// The sums of integers of 64 bits: those of their upper and of their lower halves fit 64 bits.
std::vector<Wide> exact_sums(DeviceSort& device, GroupedValues& grouped) {
    const auto integers = elements<std::int64_t>(grouped.values.bytes);
    const bool is_signed = grouped.values.type == KeyType::i64;
    const auto sums_of = [&](auto half_of) {
        Numbers halves{KeyType::i64, {}};
        auto* to = reinterpret_cast<std::int64_t*>(halves.bytes.room(grouped.values.bytes.size()));
        for (const std::int64_t integer : integers) *to++ = half_of(integer);
        halves.bytes.grew(grouped.values.bytes.size());
        return device.reduce_groups(grouped.groups, halves, Reduction::sum).values;
    };
    const Bytes lower = sums_of([](std::int64_t integer) { return integer & UINT32_MAX; });
    const Bytes upper = sums_of([&](std::int64_t integer) {
        return is_signed ? integer >> half_bits
                         : static_cast<std::int64_t>(static_cast<std::uint64_t>(integer) >> half_bits);
    });
    std::vector<Wide> sums;
    for (std::size_t i = 0; i < elements<std::int64_t>(upper).size(); ++i)
        sums.push_back(Wide{elements<std::int64_t>(upper)[i]} * (Wide{1} << half_bits) +
                       Wide{elements<std::uint64_t>(lower)[i]});
    return sums;
}

/// The nearest f64 to the quotient, of two as near the even one.
double quotient(Wide sum, std::uint64_t count) {
    if (sum == 0) return 0;
    // The quotient gets as many bits as there is room for. What is cut off decides nothing: where it is not in the
    // middle of two f64, division by up to most_values leaves it a unit of its last bit away from there, or more.
    WideUnsigned rest = sum < 0 ? -static_cast<WideUnsigned>(sum) : static_cast<WideUnsigned>(sum);
    int shift = 0;
    for (; rest >> (sizeof rest * 8 - 1) == 0; ++shift) rest <<= 1;
    const WideUnsigned whole = rest / count;
    const double size = std::ldexp(static_cast<double>(whole), -shift);
    return sum < 0 ? -size : size;
}

template <class Text>
Texts texts_of(const IndexArray& with_values, std::size_t groups, std::string_view without, Text text_of_result) {
    Texts texts;
    for (std::size_t group = 0, i = 0; group < groups; ++group) {
        if (i < with_values.size() && with_values[i] == group) texts.append(text_of_result(i++));
        else texts.append(without);
    }
    return texts;
}

}  // namespace

GroupedValues gather_values(const KeyColumn& column, const IndexArray& order, const IndexArray& lengths) {
    const auto* const numbers = std::get_if<Numbers>(&column.keys);
    constexpr std::size_t bytes = sizeof(std::uint64_t);
    GroupedValues grouped{IndexArray(order.width()), {numbers ? numbers->type : KeyType::u64, {}}};
    auto* to = numbers ? grouped.values.bytes.room(order.size() * bytes) : nullptr;
    for (std::size_t group = 0, begin = 0; group < lengths.size(); begin += lengths[group++]) {
        if (numbers && lengths[group] > most_values)
            throw BadInput(fmt::format("{} lines have equal keys, but values of {} at most are added", lengths[group],
                                       most_values));
        for (std::size_t i = begin; i < begin + lengths[group]; ++i) {
            if (column.is_missing(order[i])) continue;
            grouped.groups.append(group);
            if (!numbers) continue;
            std::memcpy(to, numbers->bytes.data() + order[i] * bytes, bytes);
            to += bytes;
        }
    }
    if (numbers) grouped.values.bytes.grew(grouped.groups.size() * bytes);
    return grouped;
}

Texts reduce_groups(DeviceSort& device, GroupedValues& grouped, Reduction reduction, std::size_t groups) {
    constexpr std::size_t bytes = sizeof(std::uint64_t);
    const bool adds = reduction == Reduction::sum || reduction == Reduction::mean;
    Numbers& values = grouped.values;
    if (adds && values.type != KeyType::f64 && may_overflow(values)) {
        const std::vector<Wide> sums = exact_sums(device, grouped);
        const DeviceSort::Reduced counts = device.reduce_groups(grouped.groups, values, Reduction::count);
        return texts_of(counts.keys, groups, "", [&](std::size_t i) {
            if (reduction == Reduction::sum) return fmt::format("{}", sums[i]);
            const double mean = quotient(sums[i], elements<std::uint64_t>(counts.values)[i]);
            return text_of(reinterpret_cast<const std::byte*>(&mean), KeyType::f64);
        });
    }
    const DeviceSort::Reduced reduced = device.reduce_groups(grouped.groups, values, reduction);
    const bool counts = reduction == Reduction::count;
    const KeyType type = counts ? KeyType::u64 : reduction == Reduction::mean ? KeyType::f64 : values.type;
    return texts_of(reduced.keys, groups, counts ? "0" : "",
                    [&](std::size_t i) { return text_of(reduced.values.data() + i * bytes, type); });
}

Texts extremes_of_groups(DeviceSort& device, const TextTable& table, const IndexArray& records, const KeyColumn& column,
                         GroupedValues& grouped, Reduction reduction, const IndexArray& order,
                         const IndexArray& lengths) {
    const DeviceSort::Reduced reduced = device.reduce_groups(grouped.groups, grouped.values, reduction);
    const auto keys = elements<std::uint64_t>(std::get<Numbers>(column.keys).bytes);
    const auto is_better = [&](std::string_view text, std::string_view than) {
        const auto by = Decimal(text) <=> Decimal(than);
        return reduction == Reduction::min ? by < 0 : by > 0;
    };
    Texts texts;
    for (std::size_t group = 0, begin = 0, i = 0; group < lengths.size(); begin += lengths[group++]) {
        std::string_view best;
        if (i < reduced.keys.size() && reduced.keys[i] == group) {
            const std::uint64_t key = elements<std::uint64_t>(reduced.values)[i++];
            for (std::size_t at = begin; at < begin + lengths[group]; ++at) {
                const std::uint64_t record = order[at];
                if (column.is_missing(record) || keys[record] != key) continue;
                const std::string_view text = table.number_text(records[record], column);
                if (best.empty() || is_better(text, best)) best = text;
                if (!is_decided_by_digits(column, key)) break;
            }
        }
        texts.append(best);
    }
    return texts;
}
