// SPDX-License-Identifier: MIT
// The kernels of kernels/sort/ and cpu/quicksort.h.
#pragma once

#include "core/program.hpp"
#include "distribution_schedule.hpp"

namespace lanesort::inline v0_1::detail::families {

using enum ArgumentType;

constexpr bool merges(const KernelParameters& parameters) { return !parameters.tiles_only; }
constexpr bool has_columns(const KernelParameters& parameters) {
    return !parameters.tiles_only && (parameters.shape.walks_in_cache() || parameters.column_bits > 0);
}

constexpr KernelRow pass(const char* name, bool (*applies)(const KernelParameters&) = nullptr) {
    return {.name = name,
            .arguments = {keys, count, count64, count64, u32, u32, count, u32, u32, u32, flip, u32, u32, u32, u32,
                          values, indices, segments, u32s},
            .awaits = true,
            .is_pass = true,
            .applies = applies,
            .of_apart = {keys, values, count}};
}
inline constexpr KernelRow of_sort[] = {pass("sort_tiles"),
                                        pass("merge_strips", merges),
                                        pass("merge_tiles", merges),
                                        pass("merge_columns", has_columns),
                                        pass("merge_tile_columns", has_columns),
                                        pass("merge_borders", has_columns)};

inline std::size_t bytes_of_tiles(const KernelParameters& parameters) {
    return parameters.shape.local_bytes(parameters.bytes) * parameters.tiles_per_group;
}
constexpr Family passes(std::span<const KernelRow> kernels, const char* definition = nullptr) {
    return {.file = "sort/tile_in_local.cl",
            .kernels = kernels,
            .local_bytes = bytes_of_tiles,
            .file_in_cache = "sort/tile_in_cache.cl",
            .definition = definition};
}
/// All keys.
inline constexpr Family sort = passes(of_sort);
/// The first keys of the order, over the heads of sorted runs.
inline constexpr Family sort_first = passes(std::span(of_sort).first(1), "FIRST_ONLY=1");
/// Two sorted ranges.
inline constexpr Family two_ranges = passes(std::span(of_sort).subspan(1, 2), "TWO_RANGES=1");

inline constexpr KernelRow of_quicksort[] = {
    {"choose_pivots", {keys, count, u32, u32, u32, flip, values, indices, u64s, u32}},
    {"part_stripes", {keys, count, u32, u32, u32, flip, values, indices, u64s}},
    {"exchange_misplaced", {keys, count, u32, u32, u32, flip, values, indices, u64s}},
    {"part_ranges", {keys, count, u32, u32, u32, flip, values, indices, u64s, u32}},
    {"sort_ranges", {keys, count, u32, u32, u32, flip, values, indices, u64s, u32}}};
/// One range, by partitions.
inline constexpr Family quicksort{.file = "sort/tile_in_cache.cl",
                                  .kernels = of_quicksort,
                                  .local_bytes = bytes_of_tiles,
                                  .definition = "QUICKSORT=1"};

inline constexpr KernelRow of_merge_across[] = {
    {.name = "exchange_ends", .arguments = {keys, values, keys, values, count64, u32, u32, flip, u32}, .awaits = true}};
/// The first step of merging ranges that lie apart.
inline constexpr Family merge_across{"sort/merge_across.cl", of_merge_across};

inline constexpr KernelRow of_classify[] = {
    {"choose_splitters", {keys, values, indices,  keys,     values,  indices, u64s, u64s, u64s, u64s, u64s, u64s,
                          u64s, count,  position, position, count32, u32,     u32,  u32,  u32,  u32,  flip}},
    {.name = "classify_elements",
     .arguments = {keys, values, indices, keys, values, indices, u64s, u64s, u64s, u64s, u64s, u64s, u64s, count32, u32,
                   u32, flip},
     .of_apart = {keys, values}}};
/// By distribution: the children of elements,
inline constexpr Family classify{.file = "sort/distribution/classify.cl",
                                 .kernels = of_classify,
                                 .local_bytes =
                                     [](const KernelParameters& parameters) {
                                         return classify_local_bytes(parameters.shape, parameters.bytes,
                                                                     parameters.buckets);
                                     },
                                 .has_conditional_barriers = true};

inline constexpr KernelRow of_place_blocks[] = {
    {"find_children", {u64s, u64s, u64s, u64s, u64s, u64s, u64s, u64s, count32, position}},
    {"find_slots", {u64s, u64s, u64s, u64s, u64s, u64s, u64s, count32, count32}},
    {"find_paths", {u64s, u64s, u64s, u64s, u64s, u64s, count32}},
    {"find_cuts", {u64s, u64s, u64s, u64s, u64s, count32, u32, count32}},
    {"save_blocks",
     {keys, values, indices, keys, values, indices, u64s, u64s, u64s, u64s, u64s, u64s, count32, count32}},
    {"fill_gaps",
     {keys, values, indices, keys, values, indices, u64s, u64s, u64s, u64s, u64s, u64s, u64s, u64s, count32, u32,
      count32}},
    {"list_leaves", {u64s, u64s, u64s, u64s, count32, position, u32, position}}};
/// where these go,
inline constexpr Family place_blocks{.file = "sort/distribution/place_blocks.cl",
                                     .kernels = of_place_blocks,
                                     .local_bytes =
                                         [](const KernelParameters& parameters) {
                                             return place_blocks_local_bytes(parameters.shape, parameters.buckets);
                                         },
                                     .has_conditional_barriers = true};

inline constexpr KernelRow of_move_blocks[] = {
    {"move_blocks",
     {keys, values, indices, keys, values, indices, u64s, u64s, u64s, u64s, u64s, u64s, count32, count32}}};
/// and the moves.
inline constexpr Family move_blocks{
    .file = "sort/distribution/move_blocks.cl",
    .kernels = of_move_blocks,
    .local_bytes = [](const KernelParameters& parameters) { return move_blocks_local_bytes(parameters.shape); },
    .has_conditional_barriers = true};

}  // namespace lanesort::inline v0_1::detail::families
