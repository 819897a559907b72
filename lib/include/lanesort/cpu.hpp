// SPDX-License-Identifier: MIT
/// @file
/// Records in the order of a C++ function, on the built-in device:
///
///     sorter.sort({particles, [](const Particle& a, const Particle& b) { return a.score > b.score; }});
///
/// Every call on host memory takes {records, function}. The kernels are compiled where this is written, with the
/// function in them; plans, checks and threads are those of the library.
///
/// The function is a strict weak order, best a lambda or another function object, which the compiler can inline. It may
/// have a state: the call uses the object where it is, so that must last until the call has ended. Several threads call
/// it at once, as a const object. What it throws ends the program (std::terminate). It computes in the default
/// floating-point environment, so all threads round alike, whatever the caller's rounding mode is. With a function that
/// is no order, the result is in no order either, but nothing outside of the arrays is read or written.
///
/// Records are trivially copyable, have up to 256 bytes and may lie at any address. Those of which neither comes before
/// the other are ordered as Comparator says. A selection of the first k sorts these to the front of a copy.
///
/// Cost: one to two seconds to compile for each function, whatever the calls, so no other header includes this one.
/// Errors: Error(unsupported) on devices that compile kernels themselves, which need a Comparator, and for a shape of
/// the caller's.
#pragma once
#pragma GCC system_header

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <lanesort/compiled.hpp>
#include <lanesort/keys.hpp>

/// @cond
// The library's own.
#include <lanesort/kernels/begin.h>

namespace lanesort::inline v0_1::detail {

// Records alone. Of short ones, each compare-exchange is inlined.
#define RECORD_BYTES 16
#define FIRST_ONLY 1
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct SortShort : Group {
#define KERNEL_FILE <lanesort/kernels/sort/tile_in_cache.cl>
#include <lanesort/record_kernels.inc>
};
#define RECORD_BYTES 256
#define FIRST_ONLY 1
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct SortLong : Group {
#define KERNEL_FILE <lanesort/kernels/sort/tile_in_cache.cl>
#include <lanesort/record_kernels.inc>
};

// With values, indices or both.
#define RECORD_BYTES 256
#define ANY_WIDTH 1
#define FIRST_ONLY 1
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct SortWithMore : Group {
#define KERNEL_FILE <lanesort/kernels/sort/tile_in_cache.cl>
#include <lanesort/record_kernels.inc>
};

// Sorted ranges.
#define RECORD_BYTES 256
template <class Record, class Order, unsigned shape_vectors>
struct InOrder : Group {
#define KERNEL_FILE <lanesort/kernels/sort/is_sorted.cl>
#include <lanesort/record_kernels.inc>
};
#define RECORD_BYTES 256
#define ANY_WIDTH 1
template <class Record, class Order, unsigned shape_vectors>
struct EqualRuns : Group {
#define KERNEL_FILE <lanesort/kernels/compact/equal_runs.cl>
#include <lanesort/record_kernels.inc>
};
#define RECORD_BYTES 256
#define ANY_WIDTH 1
template <class Record, class Order, unsigned shape_vectors>
struct Bounds : Group {
#define KERNEL_FILE <lanesort/kernels/search/binary_search.cl>
#include <lanesort/record_kernels.inc>
};

}  // namespace lanesort::inline v0_1::detail

#include <lanesort/kernels/end.h>

namespace lanesort::inline v0_1::detail {

/// All kernels for one type of records and one function.
template <class Record, class Order>
class KernelsFor {
    static constexpr unsigned least = 8, of_ranges = 2048;  // vectors of a tile
    static constexpr bool is_short = sizeof(Record) <= 16;
    using Sort = std::conditional_t<is_short, SortShort<Record, Order, least>, SortLong<Record, Order, least>>;
    using SortMore = SortWithMore<Record, Order, least>;
    using Sorted = InOrder<Record, Order, of_ranges>;
    using Runs = EqualRuns<Record, Order, of_ranges>;
    using Found = Bounds<Record, Order, of_ranges>;

    template <class Kernels>
    static constexpr Compiled sorts(unsigned value_bytes, unsigned index_bytes, bool any_width) {
        return {.instructions = Instructions::baseline,
                .file = "sort/tile_in_cache.cl",
                .key_bytes = sizeof(Record),
                .value_bytes = value_bytes,
                .index_bytes = index_bytes,
                .any_width = any_width,
                .least_vectors = least,
                .most_vectors = ~0u,
                .register_vectors = 8,
                .kernels = {{"sort_tiles", Launched<&Kernels::sort_tiles>::run},
                            {"merge_strips", Launched<&Kernels::merge_strips>::run},
                            {"merge_tiles", Launched<&Kernels::merge_tiles>::run},
                            {"merge_columns", Launched<&Kernels::merge_columns>::run},
                            {"merge_tile_columns", Launched<&Kernels::merge_tile_columns>::run},
                            {"merge_borders", Launched<&Kernels::merge_borders>::run}}};
    }
    static constexpr Compiled on_ranges(const char* file, unsigned value_bytes, unsigned index_bytes, NamedKernel first,
                                        NamedKernel second = {}, NamedKernel third = {}, NamedKernel fourth = {}) {
        return {.instructions = Instructions::baseline,
                .file = file,
                .key_bytes = sizeof(Record),
                .value_bytes = value_bytes,
                .index_bytes = index_bytes,
                .any_width = true,
                .least_vectors = of_ranges,
                .most_vectors = of_ranges,
                .register_vectors = 2,
                .kernels = {first, second, third, fourth}};
    }

    // The first that serves is taken: records alone have an index of one byte.
    static constexpr Compiled programs[] = {
        sorts<Sort>(0, 1, false), sorts<SortMore>(16, 8, true),
        on_ranges("sort/is_sorted.cl", 0, 0, {"first_descents", Launched<&Sorted::first_descents>::run},
                  {"least_descents", Launched<&Sorted::least_descents>::run}),
        on_ranges("compact/equal_runs.cl", 16, 8, {"count_runs", Launched<&Runs::count_runs>::run},
                  {"scan_shares", Launched<&Runs::scan_shares>::run}, {"write_runs", Launched<&Runs::write_runs>::run},
                  {"mark_runs", Launched<&Runs::mark_runs>::run}),
        on_ranges("search/binary_search.cl", 0, 8, {"find_places", Launched<&Found::find_places>::run})};

public:
    static constexpr CompiledOrder compiled{sizeof(Record), programs, std::size(programs)};
};

template <class T, class Function>
requires true struct OrderedBy<T, Function> {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 256,
                  "records are trivially copyable and have 256 bytes at most");
    static constexpr const CompiledOrder& compiled = KernelsFor<T, Function>::compiled;
};

}  // namespace lanesort::inline v0_1::detail
/// @endcond
