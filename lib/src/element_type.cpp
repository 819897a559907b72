#include "element_type.hpp"

#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::detail {

void check(const ElementType& type) {
    if (type.number_values && type.value_bytes != 4 && type.value_bytes != 8)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("indices have {} bytes, but must have 4 or 8", type.value_bytes));
    if (!std::has_single_bit(type.value_bytes) || type.value_bytes > 16)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("values have {} bytes, but must have 1, 2, 4, 8 or 16", type.value_bytes));
}

void check_index(std::uint64_t count, std::size_t index_bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    if (index_bytes == 4 && count > most)
        throw Error(ErrorCode::too_large,
                    fmt::format("{} keys cannot be numbered by indices of 4 bytes, but {} can", count, most));
}

void throw_sizes_differ(std::size_t keys, std::size_t others) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there are {} keys, but {} values or indices; there must be one for each key", keys, others));
}

}  // namespace lanesort::detail
