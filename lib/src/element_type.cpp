#include "element_type.hpp"

#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::detail {

void check(const Extent& extent) {
    if (extent.row_length > 0 && extent.count % extent.row_length != 0)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} keys are no whole number of rows of {} keys", extent.count, extent.row_length));
}

void check(const ElementType& type) {
    if (type.number_values && type.value_bytes != 4 && type.value_bytes != 8)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("indices have {} bytes, but must have 4 or 8", type.value_bytes));
    if (!std::has_single_bit(type.value_bytes) || type.value_bytes > 16)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("values have {} bytes, but must have 1, 2, 4, 8 or 16", type.value_bytes));
}

void check_index(const Extent& extent, std::size_t index_bytes) {
    const std::uint64_t count = extent.row_length > 0 ? extent.row_length : extent.count;
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    if (index_bytes == 4 && count > most)
        throw Error(ErrorCode::too_large,
                    fmt::format("{} keys cannot be numbered by indices of 4 bytes, but {} can", count, most));
}

void throw_sizes_differ(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but {} values or indices; there must be one for each key", keys, others));
}

}  // namespace lanesort::detail
