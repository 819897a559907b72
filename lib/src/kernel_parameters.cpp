#include <fmt/format.h>

#include "backend.hpp"

namespace lanesort::detail {

std::string kernel_file(const Shape& shape) { return shape.walks_in_cache() ? "tile_in_cache.cl" : "tile_in_local.cl"; }

std::vector<std::string> definitions(const KernelParameters& parameters) {
    const Shape& shape = parameters.shape;
    return {fmt::format("KEY_BITS={}", parameters.key_bytes * 8),
            fmt::format("VALUE_BITS={}", parameters.value_bytes * 8),
            fmt::format("NUMBER_VALUES={}", int{parameters.number_values}),
            fmt::format("INDEX_BITS={}", parameters.wide_index ? 64 : 32),
            fmt::format("LANES={}", shape.lanes),
            fmt::format("VECTORS={}", shape.vectors),
            fmt::format("REGISTER_VECTORS={}", shape.register_vectors),
            fmt::format("WORK_ITEMS={}", parameters.work_items()),
            fmt::format("TILES_PER_GROUP={}", parameters.tiles_per_group),
            fmt::format("IN_ROWS={}", int{parameters.in_rows}),
            fmt::format("STEPS_PER_PASS={}", shape.steps_per_pass),
            fmt::format("RESIDENT_GROUPS={}", shape.resident_groups),
            fmt::format("TILE_WORK_ITEMS={}", shape.tile_work_items()),
            fmt::format("REMAP={}", int{shape.remap}),
            fmt::format("BANK_SWAP={}", int{shape.bank_swap}),
            fmt::format("BANK_PADDING={}", int{shape.bank_padding}),
            fmt::format("UNROLL_ROUNDS={}", int{parameters.unroll_rounds}),
            fmt::format("COALESCED_STORE={}", int{shape.coalesced_store && shape.tile_work_items() > 1}),
            fmt::format("COUNT_SYNC={}", int{parameters.count_sync})};
}

}  // namespace lanesort::detail
