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
/// it at once, as a const object. What it throws ends the program (std::terminate). With a function that is no order,
/// the result is in no order either, but nothing outside of the arrays is read or written.
///
/// Records are trivially copyable, have up to 256 bytes and may lie at any address. Those of which neither comes before
/// the other are ordered as Comparator says. A selection (top_k) sorts the first k to the front of a copy.
///
/// Cost: one to two seconds to compile for each function, whatever the calls, so no other header includes this one.
/// Errors: Error(unsupported) on devices that compile kernels themselves, which need a Comparator, and for a shape of
/// the caller's.
#pragma once
#pragma GCC system_header

#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include <lanesort/compiled.hpp>
#include <lanesort/keys.hpp>

/// @cond
// The library's own.
#include <lanesort/kernels/begin.h>

namespace lanesort::detail {

/// Of what the library moves at a time, in the shape that it chooses for elements of so many bytes.
constexpr unsigned tile_vectors(std::size_t bytes) {
    return static_cast<unsigned>((1 << 18) / std::bit_ceil(bytes) / 2);
}

// Records alone. Of short ones, each compare-exchange is inlined.
#define RECORD_BYTES 16
#define FIRST_ONLY 1
template <class Record, class Order, unsigned shape_vectors>
struct SortShort : Group {
#include <lanesort/kernels/tile_in_cache.h>
};
#define RECORD_BYTES 256
#define FIRST_ONLY 1
template <class Record, class Order, unsigned shape_vectors>
struct SortLong : Group {
#include <lanesort/kernels/tile_in_cache.h>
};
#define RECORD_BYTES 16
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct MergeShort : Group {
#include <lanesort/kernels/tile_in_cache.h>
};
#define RECORD_BYTES 256
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct MergeLong : Group {
#include <lanesort/kernels/tile_in_cache.h>
};

// With values, indices or both.
#define RECORD_BYTES 256
#define ANY_WIDTH 1
#define FIRST_ONLY 1
template <class Record, class Order, unsigned shape_vectors>
struct SortWithMore : Group {
#include <lanesort/kernels/tile_in_cache.h>
};
#define RECORD_BYTES 256
#define ANY_WIDTH 1
#define TWO_RANGES 1
template <class Record, class Order, unsigned shape_vectors>
struct MergeWithMore : Group {
#include <lanesort/kernels/tile_in_cache.h>
};

// Sorted ranges.
#define RECORD_BYTES 256
template <class Record, class Order, unsigned shape_vectors>
struct InOrder : Group {
#include <lanesort/kernels/order.h>
};
#define RECORD_BYTES 256
#define ANY_WIDTH 1
template <class Record, class Order, unsigned shape_vectors>
struct EqualRuns : Group {
#include <lanesort/kernels/equal_runs.h>
};

}  // namespace lanesort::detail

#include <lanesort/kernels/end.h>

namespace lanesort::detail {

/// All kernels for one type of records and one function.
template <class Record, class Order>
class KernelsFor {
    static constexpr unsigned alone = tile_vectors(sizeof(Record) + 1), with_more = tile_vectors(sizeof(Record) + 24);
    static constexpr unsigned of_ranges = 2048;
    static constexpr bool is_short = sizeof(Record) <= 16;
    using Sort = std::conditional_t<is_short, SortShort<Record, Order, alone>, SortLong<Record, Order, alone>>;
    using Merge = std::conditional_t<is_short, MergeShort<Record, Order, alone>, MergeLong<Record, Order, alone>>;
    using SortMore = SortWithMore<Record, Order, with_more>;
    using MergeMore = MergeWithMore<Record, Order, with_more>;
    using Sorted = InOrder<Record, Order, of_ranges>;
    using Runs = EqualRuns<Record, Order, of_ranges>;

    static constexpr Compiled compiled_from(const char* file, bool two_ranges, unsigned value_bytes,
                                            unsigned index_bytes, unsigned vectors, unsigned register_vectors,
                                            NamedKernel first, NamedKernel second, NamedKernel third = {}) {
        return {Instructions::baseline,
                file,
                two_ranges,
                sizeof(Record),
                value_bytes,
                index_bytes,
                1,
                vectors,
                register_vectors,
                {first, second, third}};
    }

    // The first that serves is taken: records alone have an index of one byte.
    static constexpr Compiled programs[] = {
        compiled_from("tile_in_cache.cl", false, 0, 1, alone, 8, {"sort_tiles", Launched<&Sort::sort_tiles>::run},
                      {"merge_strips", Launched<&Sort::merge_strips>::run},
                      {"merge_tiles", Launched<&Sort::merge_tiles>::run}),
        compiled_from("tile_in_cache.cl", true, 0, 1, alone, 8, {"merge_strips", Launched<&Merge::merge_strips>::run},
                      {"merge_tiles", Launched<&Merge::merge_tiles>::run}),
        compiled_from("tile_in_cache.cl", false, any_width, any_width, with_more, 8,
                      {"sort_tiles", Launched<&SortMore::sort_tiles>::run},
                      {"merge_strips", Launched<&SortMore::merge_strips>::run},
                      {"merge_tiles", Launched<&SortMore::merge_tiles>::run}),
        compiled_from("tile_in_cache.cl", true, any_width, any_width, with_more, 8,
                      {"merge_strips", Launched<&MergeMore::merge_strips>::run},
                      {"merge_tiles", Launched<&MergeMore::merge_tiles>::run}),
        compiled_from("order.cl", false, 0, 0, of_ranges, 2, {"first_descents", Launched<&Sorted::first_descents>::run},
                      {"least_descents", Launched<&Sorted::least_descents>::run}),
        compiled_from("equal_runs.cl", false, any_width, any_width, of_ranges, 2,
                      {"count_runs", Launched<&Runs::count_runs>::run},
                      {"scan_shares", Launched<&Runs::scan_shares>::run},
                      {"write_runs", Launched<&Runs::write_runs>::run})};

public:
    static constexpr CompiledOrder compiled{sizeof(Record), programs, std::size(programs)};
};

template <class T, class Function>
requires true struct OrderedBy<T, Function> {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 256,
                  "records are trivially copyable and have 256 bytes at most");
    static constexpr const CompiledOrder& compiled = KernelsFor<T, Function>::compiled;
};

}  // namespace lanesort::detail
/// @endcond
