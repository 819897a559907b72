// SPDX-License-Identifier: MIT
/// @file
/// Sorting in host memory. For keys that are on the device already, see opencl.hpp and cuda.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <lanesort/calls.hpp>
#include <lanesort/comparator.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/keys.hpp>
#include <lanesort/options.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/report.hpp>
#include <lanesort/statistics.hpp>

namespace lanesort::inline v0_1 {

namespace detail {
class SorterCore;
}

/// Sorts on one device, in place. It needs no second array, gives the same bytes on every device (but behind
/// SortOptions::first), and what it launches depends on the count, the key's type and the device only.
///
/// A sorter owns its programs. The first call that needs a program compiles it, or prepare() does. One sorter serves
/// one thread at a time; different sorters are independent. After an error the sorter can be used again.
class Sorter {
public:
    /// Opens the device.
    ///
    /// Errors: Error(device_failed) if it cannot be opened; Error(invalid_argument) for an impossible shape or a shape
    /// file that read_shape_file refuses; Error(unsupported) for a shape that the device cannot run with keys of any
    /// width.
    explicit Sorter(const Device& device, SorterOptions options = {});
    /// For the library's own backends; opencl::make_sorter and cu::make_sorter give such sorters.
    explicit Sorter(std::unique_ptr<detail::SorterCore> core) noexcept;
    /// A sorter that was moved from may only be assigned to or destroyed.
    Sorter(Sorter&&) noexcept;
    /// As the move constructor says.
    Sorter& operator=(Sorter&&) noexcept;
    ~Sorter();

    /// @name Calls on host memory
    /// They block until all is done. `keys` is any contiguous range of numbers, a range of records with their
    /// comparator or, on the built-in device, a C++ function ({records, by_score}), or a pointer with a count and a
    /// type (keys.hpp).
    ///
    /// Memory, of all of them: a device that works in host memory (DeviceInfo::host_unified_memory) uses the caller's
    /// arrays where they are; any other takes device memory for a copy of each. What a call takes besides, it says. Of
    /// a sort, pairs and an argsort of one range that exceed what the device can allocate, or
    /// SorterOptions::device_bytes, parts are copied, sorted and copied back, each key twice, or three times and a few
    /// once more, as docs/memory.md says; not so of stable pairs and records, nor the argsort of records. An argsort
    /// takes a copy of the keys in host memory then; its indices go up, and its keys come back, once less.
    ///
    /// Errors, of all of them: Error(invalid_argument) for what the call cannot do, for a type or an order that is
    /// none, for a null pointer to an array that has elements, and for two arrays that overlap, unless both are only
    /// read; Error(out_of_range) for segments that reach beyond the keys; Error(too_large) above the device's
    /// allocation limit, where nothing is sorted in parts, and where parts that fit are too small; Error(unsupported)
    /// for a shape that the device cannot run; Error(out_of_memory); Error(build_failed). All of these leave the arrays
    /// as they were. After Error(device_failed), or what `progress` throws, in the middle of a call, what it writes is
    /// unspecified where the device works in host memory, or sorts in parts or while keys are copied, else as it was.
    /// @{

    /// Sorts the keys in place.
    ///
    /// Order: that of the options. Equal keys are equal in every bit. Records that compare equal are ordered by their
    /// words, as Comparator says, or keep their order where the sort is stable.
    /// Memory: a stable sort of records takes an index for each: 4 bytes, 8 from 2^32 of them on. A distribution, which
    /// processors and CUDA choose for many keys unless the options rule it out, takes what Schedule says.
    /// Cost: one phase of the network for each doubling of the keys, cut into passes that each read and write all keys;
    /// of a distribution, what Schedule says.
    /// Errors: Error(invalid_argument) also for a distribution that is to be data-independent; Error(unsupported) for
    /// one that cannot be.
    SortReport sort(Keys keys, const SortOptions& options = {});
    /// The same in that order.
    SortReport sort(Keys keys, Order order);
    /// The same for numbers by std::less or std::greater, or for records in the order of a C++ function, as is every
    /// call on {records, order}: see cpu.hpp.
    template <detail::Lasting R, detail::Orders<detail::Element<R>> Function>
    SortReport sort(R&& range, const Function& order, SortOptions options = {}) {
        if constexpr (constexpr auto known = detail::order_of<Function, std::remove_cv_t<detail::Element<R>>>) {
            options.order = known;
            return sort(Keys(range), options);
        } else {
            return sort(Keys(range, order), options);
        }
    }

    /// Sorts the keys to another place of as many, which may be their own: then in place. Unless it is, the keys stay
    /// as they are.
    ///
    /// Order: as sort() in place.
    /// Memory: as sort() in place.
    /// Cost: as sort() in place, of which the first pass reads the keys and writes the results. On the built-in device
    /// they are copied first, and so are segments on any.
    /// Errors: Error(invalid_argument) also for results that are not as many, or as wide, as the keys.
    SortReport sort(ConstKeys keys, Results sorted, const SortOptions& options = {});

    /// Brings the first `first` keys of the order to the front, as std::partial_sort, or all where there are no more.
    /// It is sort() with `options.first`, which pairs, indices and segments have, too.
    ///
    /// Order: that of sort(), in front. The other keys follow in an order that depends on the shape.
    /// Memory: as sort(); on a processor a few numbers of many, without values, take these and their indices, some
    /// times over (docs/memory.md).
    /// Cost: a fraction of a sort up to half a tile of keys, else a sort.
    SortReport partial_sort(Keys keys, std::size_t first, SortOptions options = {});

    /// Brings key n of the order, counted from 0, to its place, as std::nth_element; of rows and segments, key n of
    /// each that has one. Does nothing where n is the number of keys.
    ///
    /// Order: the keys before it are in front of it, in order. The others follow, as in partial_sort().
    /// Memory: as sort().
    /// Cost: as partial_sort() of n + 1 keys.
    /// Errors: Error(invalid_argument) where n is larger than the number of keys.
    SortReport nth_element(Keys keys, std::size_t n, const SortOptions& options = {});

    /// Sorts keys together with the values that belong to them: values[i] goes where keys[i] goes.
    ///
    /// Order: as sort(). Unless the sort is stable, pairs of equal keys come in the order of their values' bits, taken
    /// as unsigned little-endian integers and ascending, whatever the order of the keys.
    /// Memory: a stable sort takes an index for each pair, as sort() does for records; a distribution as in sort().
    /// Cost: as sort(), and each pass moves the values, too.
    /// Errors: Error(invalid_argument) also where there are not as many values as keys.
    SortReport sort_by_key(Keys keys, Values values, const SortOptions& options = {});

    /// The same to another place, as sort() to one. Both places of keys and values may be their own, or none.
    ///
    /// Order, memory and errors: as sort_by_key() in place and sort() to another place.
    SortReport sort_by_key(ConstKeys keys, ConstValues values, Results sorted, Values sorted_values,
                           const SortOptions& options = {});

    /// Merges two sorted ranges that lie side by side, in place, as std::inplace_merge. The first is keys[0] ..
    /// keys[middle - 1].
    ///
    /// Order: both must be in the order that the options ask for. Equal keys come as in sort(). Where the merge is
    /// stable, those of the first range come first.
    /// Memory: as sort().
    /// Cost: one phase of the network.
    /// Errors: Error(out_of_range) for a middle behind the end; Error(invalid_argument) for rows, segments and
    /// `options.first`.
    SortReport merge(Keys keys, std::size_t middle, const SortOptions& options = {});

    /// The same for keys together with the values that belong to them. Order, memory and errors are also those of
    /// sort_by_key().
    SortReport merge_by_key(Keys keys, Values values, std::size_t middle, const SortOptions& options = {});

    /// Merges two sorted ranges that lie apart into a third, as std::merge. `merged` has room for all keys; both ranges
    /// stay as they are.
    ///
    /// Order: as the merge in place.
    /// Memory: as sort().
    /// Cost: both ranges are copied side by side to `merged`, and merged there in place.
    /// Errors: Error(invalid_argument) for keys of two types, for results without room for all keys, and for rows,
    /// segments and `options.first`.
    SortReport merge(ConstKeys first, ConstKeys second, Results merged, const SortOptions& options = {});
    /// The same for keys together with the values that belong to them, whose widths are equal. Order, memory and errors
    /// are also those of sort_by_key().
    SortReport merge_by_key(ConstKeys first, ConstValues first_values, ConstKeys second, ConstValues second_values,
                            Results merged, Values merged_values, const SortOptions& options = {});

    /// Writes the indices, from 0, that would sort the keys: keys[indices[0]] is the first. The keys stay as they are.
    /// Indices of keys that are in no segment stay as they are.
    ///
    /// Order: stable; equal keys keep their order, also when descending.
    /// Memory: a copy of the keys, also on a device that works in host memory; a distribution as in sort().
    /// Cost: as sort(), and each pass moves the indices, too.
    /// Errors: Error(invalid_argument) also where there are not as many indices as keys; Error(too_large) for 2^32 keys
    /// or more, in one row or segment, with indices of 4 bytes.
    SortReport argsort(ConstKeys keys, Indices indices, const SortOptions& options = {});

    /// Writes the first best.size() keys of a stable sort to `best`: the largest ones, or the smallest if the options
    /// ask for an ascending order. With a row length or segments, as many of each, one after the other. Of a segment
    /// with fewer keys all are written, and the rest of its places stays as it is. The keys stay as they are.
    ///
    /// Order: that of a stable sort; of equal keys, those with the lowest indices.
    /// Memory: on a graphics card, of rows that it sorts whole, nothing but indices that nobody asked for
    /// (docs/memory.md); the same of rows of 8192 keys or more, where rows are many; else room for what passes a
    /// threshold, a little more than k elements of each row with their indices, at most a quarter of the row. Of what
    /// goes another way, a few keys take what launches leave for each other: fewer elements, with indices, than there
    /// are keys, and of many keys far fewer. A few are up to a quarter of what a work-group has in local memory (1024
    /// of 4 bytes on a graphics card), or 128 of a processor's vectors (1024 of 4 bytes with AVX2). More take a copy of
    /// the keys, and of their indices if these are wanted or the keys are records. So do all segments.
    /// Cost: a few keys of many take little more than to read all once, and on a graphics card so do up to about an
    /// eighth of them, of which what passes the threshold is sorted. More take a sort, and segments a sort of their
    /// first k keys, as SortOptions::first says.
    /// Errors: Error(invalid_argument) also for more keys than there are in the range or a row.
    /// Source: Gaihre et al., "Dr. Top-k: Delegate-Centric Top-k on GPUs", SC 2021; Floyd and Rivest, "Expected
    /// time bounds for selection", 1975.
    SortReport top_k(ConstKeys keys, Results best, const TopKOptions& options = {});
    /// Writes the first k keys of the range, or of each row or segment. `best` has k places for each of these.
    SortReport top_k(ConstKeys keys, std::size_t k, Results best, const TopKOptions& options = {});
    /// The same with the indices of these keys, from 0 in each row.
    ///
    /// Errors: Error(invalid_argument) also where there are not as many indices as keys in `best`; Error(too_large) for
    /// 2^32 keys or more, in one row, with indices of 4 bytes.
    SortReport top_k(ConstKeys keys, Results best, Indices indices, const TopKOptions& options = {});

    /// The same for keys together with the values that belong to them: those of the best keys go to `best_values`. The
    /// values stay as they are.
    ///
    /// Memory: as with indices of 4 bytes, or 8 from 2^32 keys of a row on, and these of the best keys.
    /// Cost: as with indices, and a launch that reads the values of the best keys alone.
    /// Errors: Error(invalid_argument) also where there are not as many values as keys, and where the values have two
    /// widths.
    SortReport top_k_by_key(ConstKeys keys, ConstValues values, Results best, Values best_values,
                            const TopKOptions& options = {});

    /// Returns how many keys from the first on are in order, as std::is_sorted_until. The keys stay as they are.
    ///
    /// Order: all are in the order that sort() would give them if this is their number.
    /// Memory: 8 bytes for each block of keys, of which there are at most 16 a compute unit.
    /// Cost: reads all keys in any case.
    /// Errors: Error(invalid_argument) also for rows and segments.
    std::size_t is_sorted_until(ConstKeys keys, const SortOptions& options = {});
    /// The same for each row: writes one number a row to `in_order`.
    ///
    /// Errors: Error(invalid_argument) also where there are not as many numbers as rows.
    void is_sorted_until(ConstKeys keys, std::span<std::uint64_t> in_order, const SortOptions& options);
    /// Returns whether the keys are in order, or those of every row. The rest is as in is_sorted_until().
    bool is_sorted(ConstKeys keys, const SortOptions& options = {});

    /// Returns the sum of numbers, as reduce() gives it of one range: in 64 bits of integers, in f32 of f16 and f32.
    template <detail::NumberRange R>
    detail::Reduced<R, Reduction::sum> sum(R&& numbers) {
        return reduced<Reduction::sum>(numbers);
    }
    /// Returns the smallest or the largest number, as reduce() gives it. Errors: Error(invalid_argument) also for no
    /// numbers. In parentheses, since there are macros of these names.
    template <detail::NumberRange R>
    detail::Reduced<R, Reduction::min>(min)(R&& numbers) {
        return reduced<Reduction::min>(numbers);
    }
    /// As min() says.
    template <detail::NumberRange R>
    detail::Reduced<R, Reduction::max>(max)(R&& numbers) {
        return reduced<Reduction::max>(numbers);
    }

    /// Writes the sum of the products of two ranges, key by key, to `results`, as reduce() does with a sum: the dot
    /// product, or one for each row or segment. Both ranges have one type and as many keys, and stay as they are; they
    /// may be one. With an operator that has a `transform`, `{elements, op}` twice, it writes what the operator makes
    /// of the elements that the transform makes of pairs, as reduce() does of elements, like std::transform_reduce.
    ///
    /// Order: integers are multiplied in 64 bits, signed if the keys are, and wrap. Floating-point numbers are
    /// multiplied in the type of the sum, rounded, and then added by the tree of reduce(), so they have the same bits
    /// in every run and on every device that keeps subnormal numbers.
    /// Memory and errors: as reduce(), and Error(invalid_argument) for ranges that differ in count or type, and for an
    /// operator without a transform.
    /// Cost: reads both ranges once.
    SortReport transform_reduce(ConstKeys keys, ConstKeys others, Results results, const ReduceOptions& options = {});

    /// Writes the distinct keys of a sorted range to the beginning of `distinct`, and returns how many they are. No
    /// more than these are written. The keys stay as they are.
    ///
    /// Order: that of the keys. Numbers are equal if all of their bits are, records if neither comes before the other;
    /// the first of equal ones is kept. Of keys that are not sorted, the first of each run of equal neighbours is kept,
    /// as std::unique does.
    /// Memory: on a graphics card with work-groups of 256 and more at most 16 bytes for each 4096 keys, 2048 of 8
    /// bytes or 1024 records; on a processor, and for the lengths of 2^31 keys and more, 16 bytes for each of at most
    /// 16 blocks a compute unit.
    /// Cost: reads the keys once; there, twice. What is written, and where, depends on the keys.
    /// Errors: Error(invalid_argument) also for rows and segments, and for results that have no room for all keys.
    std::size_t unique(ConstKeys keys, Results distinct, const SortOptions& options = {});

    /// The same in place: the distinct keys go to the front of the keys. Those behind them stay as they are.
    ///
    /// Memory: a copy of the keys, too, also on a device that works in host memory.
    std::size_t unique(Keys keys, const SortOptions& options = {});

    /// The same for keys together with the values that belong to them: those of the distinct keys go to the beginning
    /// of `kept`, where no more than these are written. Of equal keys, the value of the first is kept.
    ///
    /// Errors: Error(invalid_argument) also where there are not as many values as keys, and for `kept` of another width
    /// or without room for all values.
    std::size_t unique_by_key(ConstKeys keys, ConstValues values, Results distinct, Values kept,
                              const SortOptions& options = {});
    /// The same in place, as unique() in place: the values of the distinct keys go to the front of the values.
    ///
    /// Memory: a copy of the values, too.
    std::size_t unique_by_key(Keys keys, Values values, const SortOptions& options = {});

    /// As unique() into another range, and writes how often each of these keys comes to `lengths`.
    ///
    /// Errors: Error(invalid_argument) also for lengths that have no room for as many as there are keys;
    /// Error(too_large) for 2^32 keys or more with lengths of 4 bytes.
    std::size_t run_lengths(ConstKeys keys, Results distinct, Indices lengths, const SortOptions& options = {});

    /// Writes the sum, the smallest or the largest key, or where that is, to `results`: one for the range or, with a
    /// row length or segments, for each of these. Results of min and max have the keys' type; sums of integers have 64
    /// bits, signed if the keys are, and wrap; sums of f16 and f32 are f32, those of f64 f64; places are u64. The keys
    /// stay as they are.
    ///
    /// Order: -0 is below +0, and a NaN is only taken where all keys are. Of equal keys, the first one's place is
    /// given. Sums of floating-point numbers begin with +0 and are made by a tree that depends on the count and the
    /// type alone (kernels/reduce/combine.h), so they have the same bits in every run and on every device that keeps
    /// subnormal numbers; a sum that is NaN is the quiet one with no other bits set. A row or a segment
    /// is reduced as it would be alone. The sum of no keys is 0. The minimum of an empty segment is what every key
    /// comes before or is: the largest integer, or a NaN; the maximum the smallest integer, or a NaN; the place 2^64
    /// - 1. Of `{elements, op}` the operator says it: the reduction stays Reduction::sum and means nothing.
    ///
    /// Memory: up to 4096 partial results, of at most 16 bytes, for each row. Of segments, where one has more than
    /// 16 KB, one for each segment and one for each 16 KB of keys; else none.
    ///
    /// Cost: reads the keys once. A row or a segment takes a work-group, however short it is, and of more than 16 KB
    /// several.
    ///
    /// Errors: Error(invalid_argument) also for records, for a minimum, a maximum or a place of no keys, and for
    /// results of another width or number; Error(unsupported) for sums of f64 on a device that cannot add them, and for
    /// more than 2^31 - 1 work-groups.
    SortReport reduce(ConstKeys keys, Reduction reduction, Results results, const ReduceOptions& options = {});

    /// Writes what an operator makes of the elements, `{elements, op}`, to `results`: one element for the range, or for
    /// each row or segment, as std::reduce would in their order; of no elements the identity. The elements stay as they
    /// are.
    ///
    /// Order: a is always what elements in front of those of b were combined to, so that the operator need not be
    /// commutative. It is applied in a tree that depends on the count and the size of an element alone
    /// (kernels/reduce/operator_reduction.cl): of floating-point numbers the result is the same in every run, and on
    /// every device whose compiler gives the expression the same bits.
    ///
    /// Memory: up to 4096 partial results for each row; of segments as the sum of numbers; none of ranges of up to 16
    /// KB.
    ///
    /// Cost: reads the elements once, as reduce() of numbers does, but each by itself.
    ///
    /// Errors: Error(invalid_argument) also for elements that no operator combines, for an operator with a `transform`,
    /// and for results of another width or number; Error(build_failed) for a text that does not compile;
    /// Error(unsupported) on the built-in device, which has no compiler.
    SortReport reduce(ConstKeys elements, Results results, const ReduceOptions& options = {});

    /// Writes the distinct keys of a sorted range to the beginning of `distinct`, and the sum, the smallest, the
    /// largest, the number or the mean of the values of each to that of `reduced`; gives how many there are. Both have
    /// room for as many as there are keys, and no more than these are written. Values and results are numbers of the
    /// types of Sorter::reduce: sums of integers have 64 bits, and wrap; sums of f16 and f32 are f32, those of f64 f64.
    /// Numbers are u64. A mean is the sum divided by the number: the nearest f64 to it of integers, the nearest f32 of
    /// f16 and f32, of two as near the even one. Where the sum wraps or overflows, as that of a few i64 times in
    /// nanoseconds does, so does the mean. Keys without values have run_lengths().
    ///
    /// Order: that of the keys, and equal neighbours are told as in unique(), also in keys that are not sorted. Sums of
    /// floating-point numbers are made by a tree that depends on the places of the keys and the values alone
    /// (kernels/reduce/reduce_runs.h), so they have the same bits in every run and on every device that keeps subnormal
    /// numbers; a sum that is NaN is the quiet one with no other bits set, one that is zero +0. Of minima and maxima,
    /// -0 is below +0, and a NaN is only taken where all values are.
    ///
    /// Memory: what unique() takes and, but for numbers, a bit for each key, and 8 bytes and two results for each 4096
    /// of them.
    ///
    /// Cost: reads the keys as unique() does, and the values once, or not at all for numbers; means read and write the
    /// sums once more.
    ///
    /// Errors: as unique(), and Error(invalid_argument) where there are not as many values as keys, for other
    /// reductions, and for `reduced` of another width or without room for all; Error(unsupported) for sums and means of
    /// f64 on a device that cannot add them.
    std::size_t reduce_by_key(ConstKeys keys, ConstKeys values, Reduction reduction, Results distinct, Results reduced,
                              const SortOptions& options = {});

    /// The same of keys in any order: sorts them together with their values, both in place, and reduces the values of
    /// equal keys. The distinct keys come in the order that is asked for.
    ///
    /// Order: without SortOptions::stable, values of equal numbers come in the order of their bits, so that sums
    /// of floating-point numbers do not depend on where the values were; of equal records, of their words first.
    /// Memory and cost: also those of sort_by_key().
    std::size_t group_by(Keys keys, Keys values, Reduction reduction, Results distinct, Results reduced,
                         const SortOptions& options = {});

    /// Writes the sums, minima or maxima of all keys up to each one, with it, to `results`, which has room for as many
    /// as there are keys and lies apart from them. A result has the keys' type: sums of integers wrap; f16 is added in
    /// f32 and rounded for each result. Each row or segment is scanned by itself. With elements and an operator, `{x,
    /// op}`, results are what that makes of all elements up to each one, in their order; options.reduction has no
    /// meaning then.
    ///
    /// Order: minima and maxima that are NaN have the bits of one of the keys. Sums of floating-point numbers begin
    /// with +0 and are made by a tree that depends on the count and the type alone (kernels/scan/scan.h), so they have
    /// the same bits in every run and on every device that keeps subnormal numbers, in place or not; a sum that is NaN
    /// is the quiet one with no other bits set. Of segments that tree is the one of all keys, begun anew where segments
    /// begin: so the last bits of a sum depend on where in the range its segment lies, but not on other keys. So is
    /// that of an operator.
    ///
    /// Memory: of all but sums of floating-point numbers, where a graphics card scans one range of more than 16 KB, or
    /// segments, not in place, 8 bytes for each 16 KB of keys (16 for keys of 8 bytes; for each 8 KB of keys of 2, and
    /// for each 4 KB of keys of 1); else up to 4096 sums for each row, none of rows of up to 16 KB. Segments take a bit
    /// for each key besides, and twice the sums. An operator's sums are elements.
    ///
    /// Cost: a graphics card reads one range, or segments, once, with look-back: no work-group depends on another's
    /// progress. Sums of floating-point numbers, what an operator combines, rows, what is scanned in place, and all on
    /// a processor are read twice, if there are more than 16 KB of them. A row takes a work-group, however short it is.
    /// Segments cost a graphics card next to nothing, and a processor, which looks at each key for a begin, up to four
    /// times as much as one range; keys outside of them are read, too.
    ///
    /// Errors: Error(invalid_argument) also for records without an operator, for other reductions, and for results of
    /// another width or number; Error(unsupported) for f64 on a device that cannot add them, and for an operator on the
    /// built-in device, which has no compiler; Error(build_failed) for an operator's text that does not compile.
    ///
    /// Source: Smith, Levien, Owens, "Decoupled Fallback: A Portable Single-Pass GPU Scan", SPAA 2025; of
    /// segments Blelloch, "Prefix Sums and Their Applications", 1990.
    SortReport inclusive_scan(ConstKeys keys, Results results, const ScanOptions& options = {});
    /// The same in place of the keys.
    ///
    /// Order, memory, cost and errors: as above.
    SortReport inclusive_scan(Keys keys, const ScanOptions& options = {});

    /// As inclusive_scan(), but of the keys in front of each one. The first of a row or segment is the identity: of
    /// sums 0; of minima the largest integer, or the last NaN of docs/order.md (f32 ff800001, f16 fc01, f64
    /// fff0000000000001); of maxima the smallest integer, or the first NaN (7f800001, 7c01, 7ff0000000000001).
    ///
    /// Order, memory, cost and errors: as above.
    SortReport exclusive_scan(ConstKeys keys, Results results, const ScanOptions& options = {});
    /// The same in place of the keys.
    ///
    /// Order, memory, cost and errors: as above.
    SortReport exclusive_scan(Keys keys, const ScanOptions& options = {});

    /// inclusive_scan() of the values of each run of equal keys, by itself: of all values up to each one, as far as the
    /// keys in front are equal to its own. There are as many values and results as keys. Keys are of any type, in any
    /// order, and only compared with their neighbours: they are equal if they are so in every bit; records, if none of
    /// two comes before the other.
    ///
    /// Order: that of inclusive_scan() of segments.
    /// Memory: that of the values, as segments of one range; of their keys a bit for each.
    /// Cost: that of inclusive_scan(), and the keys are read once.
    /// Errors: Error(invalid_argument) also for values that are records, for other reductions, and for values or
    /// results of another width or number; Error(unsupported) for f64 on a device that cannot add them.
    SortReport inclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results,
                                     Reduction reduction = Reduction::sum);
    /// The same in place of the values.
    ///
    /// Order, memory, cost and errors: as above.
    SortReport inclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction = Reduction::sum);
    /// As inclusive_scan_by_key(), but of the values in front of each one, as exclusive_scan() has them.
    ///
    /// Order, memory, cost and errors: as above.
    SortReport exclusive_scan_by_key(ConstKeys keys, ConstKeys values, Results results,
                                     Reduction reduction = Reduction::sum);
    /// The same in place of the values.
    ///
    /// Order, memory, cost and errors: as above.
    SortReport exclusive_scan_by_key(ConstKeys keys, Keys values, Reduction reduction = Reduction::sum);

    /// Writes the keys whose flag is not 0 to `results`, or, if `inverted`, those whose flag is 0, and gives how many
    /// they are. There is a flag for each key, and room for as many results as there are keys. No more than these are
    /// written.
    ///
    /// Order: that of the keys.
    /// Memory: on a graphics card what unique() takes; on a processor 4 times as many integers of 8 bytes as it has
    /// cores.
    /// Cost: reads flags and keys once; a processor reads the flags twice. How much is written depends on the flags,
    /// nothing else does, but how often a work-group counts flags in front of its own, if others are late.
    /// Errors: Error(invalid_argument) also for rows and segments, and for sizes that do not fit;
    /// Error(unsupported) for records on the built-in device.
    std::size_t select(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted = false);
    /// The same with a value for each key: those of the selected keys go to `kept`, which has room for all of them.
    ///
    /// Order, memory, cost and errors: as above.
    std::size_t select_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags, Results results,
                              Values kept, bool inverted = false);

    /// As select(), but the other keys follow those that are selected.
    ///
    /// Order: both keep that of the keys.
    /// Memory: at most 16 · compute units integers of 8 bytes, 4 times as many as cores on a processor.
    /// Cost: reads the flags twice, the keys once, and writes all of these. Nothing depends on the flags but where keys
    /// go.
    /// Errors: as above.
    std::size_t partition(ConstKeys keys, std::span<const std::uint8_t> flags, Results results, bool inverted = false);
    /// The same with a value for each key.
    ///
    /// Order, memory, cost and errors: as above.
    std::size_t partition_by_key(ConstKeys keys, ConstValues values, std::span<const std::uint8_t> flags,
                                 Results results, Values kept, bool inverted = false);

    /// Writes the elements of which a predicate holds to `results`, and gives how many they are:
    /// `sorter.select({numbers, is_wanted}, results)`, or `{numbers, is_below, pivot}` of one that has a parameter,
    /// which compiles once whatever the pivots are. There is room for as many results as there are elements. No more
    /// than these are written.
    ///
    /// Order: that of the elements.
    /// Memory: as with flags; elements of another width than 1, 2, 4 or 8 bytes are records.
    /// Cost: reads the elements once, a processor twice, and records that are written once more. How much is written
    /// depends on them, nothing else does, but how often a work-group asks of elements in front of its own, if others
    /// are late.
    /// Errors: Error(invalid_argument) for keys without a predicate, for a parameter that is missing and for sizes that
    /// do not fit, Error(build_failed) for a text that is none; Error(unsupported) on the built-in device, which
    /// compiles no text.
    std::size_t select(ConstKeys keys, Results results);
    /// The same with a value for each element: those of the results go to `kept`, which has room for all of them.
    ///
    /// Order, memory, cost and errors: as above.
    std::size_t select_by_key(ConstKeys keys, ConstValues values, Results results, Values kept);
    /// As select() by a predicate, but the other elements follow those that are selected.
    ///
    /// Order: both keep that of the elements.
    /// Memory and errors: as by flags.
    /// Cost: reads the elements twice, records once more, and writes all of them.
    std::size_t partition(ConstKeys keys, Results results);
    /// The same with a value for each element.
    ///
    /// Order, memory, cost and errors: as above.
    std::size_t partition_by_key(ConstKeys keys, ConstValues values, Results results, Values kept);

    /// Writes where each of the needles belongs in sorted keys: how many of these come before it. That is the first
    /// place where it can be inserted, as std::lower_bound gives it, and the place of the first key that is equal to
    /// it, if there is one. Needles come in any order, as many as there are indices; keys and needles stay as they are.
    ///
    /// Order: that of sort(), in which the keys must be: -0 comes before +0, and NaNs have their places behind all
    /// numbers. Of keys that are not sorted, indices mean nothing, but are not above their number.
    /// Memory: none.
    /// Cost: reads about lg(keys) keys for each needle; the first ten or so of these from local memory. Needles that
    /// are sorted themselves read what their neighbours do, and so are the fastest.
    /// Errors: Error(invalid_argument) also for needles of another type, for rows and segments, and where there are not
    /// as many indices as needles; Error(too_large) for 2^32 keys or more with indices of 4 bytes.
    SortReport lower_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options = {});
    /// The same behind equal keys, as std::upper_bound: how many keys do not come after the needle.
    SortReport upper_bound(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options = {});
    /// Both, as std::equal_range: index 2 * i is the lower bound of needle i, the next one the upper bound. So the keys
    /// between them, or the values that were sorted with these, are those of the needle.
    ///
    /// Cost: twice that of lower_bound().
    /// Errors: Error(invalid_argument) also where there are not two indices for each needle.
    SortReport equal_range(ConstKeys keys, ConstKeys needles, Indices indices, const SortOptions& options = {});

    /// Writes values in the order of indices to another place: results[i] = values[indices[i]]. There are as many
    /// indices as results, each may come any number of times, and both the values and the indices stay as they are.
    ///
    /// Order: that of the indices. Where an index is not below the number of values, all bytes of its result are zeros.
    /// Memory: none.
    /// Cost: reads each index and writes each result once; values are read where they lie.
    /// Errors: Error(invalid_argument) also where there are not as many results as indices, and for results of another
    /// width than the values.
    SortReport gather(ConstValues values, ConstIndices indices, Values results);
    /// The reverse: results[indices[i]] = values[i]. There are as many indices as values. Other results stay as they
    /// are.
    ///
    /// Order: none. A value whose index is not below the number of results is left out. Of values with the same index
    /// one is kept, and nobody knows which; of 16 bytes, each word of 4 may be another one's.
    /// Memory: none.
    /// Cost: reads each index and value once; results are written where they lie.
    /// Errors: as gather(), but Error(invalid_argument) where there are not as many indices as values.
    SortReport scatter(ConstValues values, ConstIndices indices, Values results);
    /// gather() in place, so that argsort() sorts any number of arrays: value indices[i] comes to place i. There are as
    /// many indices as values.
    ///
    /// Order and errors: as gather().
    /// Memory: a copy of the values, also on a device that works in host memory.
    /// Cost: that copy and gather().
    SortReport permute(Values values, ConstIndices indices);

    /// Counts how many keys lie in each of counts.size() even bins. EvenBins tells which keys are in which: both bounds
    /// are; those beyond, and NaN, are in none. Counts are unsigned integers of 4 or 8 bytes. Keys stay as they are.
    ///
    /// Order: none; counts are the same in every run and on every device that keeps subnormal numbers.
    /// Memory: 4 bytes for each bin; none for counts of 4 bytes of up to 2^30 keys where a device has more than one
    /// work-item in a work-group. Processors take 16 bytes (4 of more than 4096 bins) for each of up to 4 work-groups a
    /// core.
    /// Cost: reads the keys once, or up to four times where the bins exceed what local memory has room for. With more
    /// bins than that each key is added to a counter in memory.
    /// Errors: Error(invalid_argument) also for records, for bins of another type than the keys, for an upper bound
    /// below the lower one, for no bins or more than 2^30, and of floating-point numbers where both bounds are equal,
    /// and where a bound, upper - lower or bins / (upper - lower) is not finite; Error(too_large) for 2^32 keys or more
    /// with counts of 4 bytes; Error(unsupported) for f64 on a device that has none.
    SortReport histogram(ConstKeys keys, const EvenBins& bins, Indices counts);
    /// The same in bins that sorted keys bound: those from bounds[i] on and before bounds[i + 1] are in bin i, in the
    /// order of sort(). There is one bound more than counts. Bins may be empty, where two bounds are equal.
    ///
    /// Order: none. Of bounds that are not sorted, counts mean nothing.
    /// Memory, cost and errors: as for even bins, and each key is looked for among the bounds, as by upper_bound(). f64
    /// are counted on every device. Error(invalid_argument) for bounds of another type or number.
    SortReport histogram(ConstKeys keys, ConstKeys bounds, Indices counts);

    /// @cond
    // Arrays whose types tell that they do not fit: the same calls, refused when they are compiled.
    template <class K, class V>
    requires detail::differ<K, V>
    void sort_by_key(K&&, V&&, const SortOptions& = {}) {
        static_assert(!detail::differ<K, V>, "there must be one value for each key");
    }
    template <class K, class V>
    requires detail::differ<K, V>
    void merge_by_key(K&&, V&&, std::size_t, const SortOptions& = {}) {
        static_assert(!detail::differ<K, V>, "there must be one value for each key");
    }
    template <class A, class B, class R>
    requires(detail::lacks_room<A, B, R> || detail::other_numbers<A, R>) void merge(A&&, B&&, R&&,
                                                                                    const SortOptions& = {}) {
        static_assert(!detail::other_numbers<A, R>, "the results have another type than the keys");
        static_assert(!detail::lacks_room<A, B, R>, "there must be room for the keys of both ranges");
    }
    template <class A, class V, class B, class W, class R, class X>
    requires(detail::differ<A, V> || detail::differ<B, W> || detail::lacks_room<A, B, R> ||
             detail::lacks_room<A, B, X>) void merge_by_key(A&&, V&&, B&&, W&&, R&&, X&&, const SortOptions& = {}) {
        static_assert(!detail::differ<A, V> && !detail::differ<B, W>, "there must be one value for each key");
        static_assert(!detail::lacks_room<A, B, R>, "there must be room for the keys of both ranges");
        static_assert(!detail::lacks_room<A, B, X>, "there must be room for the values of both ranges");
    }
    template <class K, class J>
    requires detail::differ<K, J>
    void argsort(K&&, J&&, const SortOptions& = {}) {
        static_assert(!detail::differ<K, J>, "there must be one index for each key");
    }
    template <class K, class R>
    requires(detail::is_smaller<K, R> || detail::other_numbers<K, R>) void top_k(K&&, R&&, const TopKOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
        static_assert(!detail::is_smaller<K, R>, "more keys are asked for than there are");
    }
    template <class K, class R, class J>
    requires(detail::is_smaller<K, R> || detail::differ<R, J>) void top_k(K&&, R&&, J&&, const TopKOptions& = {}) {
        static_assert(!detail::is_smaller<K, R>, "more keys are asked for than there are");
        static_assert(!detail::differ<R, J>, "there must be one index for each key that is selected");
    }
    template <class K, class V, class R, class W>
    requires(detail::is_smaller<K, R> || detail::differ<K, V> ||
             detail::differ<R, W>) void top_k_by_key(K&&, V&&, R&&, W&&, const TopKOptions& = {}) {
        static_assert(!detail::is_smaller<K, R>, "more keys are asked for than there are");
        static_assert(!detail::differ<K, V> && !detail::differ<R, W>, "there must be one value for each key");
    }
    template <class K, class R>
    requires(detail::is_smaller<R, K> || detail::other_numbers<K, R>) void unique(K&&, R&&, const SortOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
        static_assert(!detail::is_smaller<R, K>, "there must be room for all keys, since all may be distinct");
    }
    template <class K, class V>
    requires detail::differ<K, V>
    void unique_by_key(K&&, V&&, const SortOptions& = {}) {
        static_assert(!detail::differ<K, V>, "there must be one value for each key");
    }
    template <class K, class V, class R, class W>
    requires(detail::differ<K, V> || detail::is_smaller<R, K> ||
             detail::is_smaller<W, K>) void unique_by_key(K&&, V&&, R&&, W&&, const SortOptions& = {}) {
        static_assert(!detail::differ<K, V>, "there must be one value for each key");
        static_assert(!detail::is_smaller<R, K>, "there must be room for all keys, since all may be distinct");
        static_assert(!detail::is_smaller<W, K>, "there must be room for all values, since all keys may be distinct");
    }
    template <class K, class R, class L>
    requires(detail::is_smaller<R, K> || detail::is_smaller<L, K> ||
             detail::other_numbers<K, R>) void run_lengths(K&&, R&&, L&&, const SortOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
        static_assert(!detail::is_smaller<R, K>, "there must be room for all keys, since all may be distinct");
        static_assert(!detail::is_smaller<L, K>, "there must be room for as many lengths as there are keys");
    }
    template <class K, class R>
    requires detail::other_numbers<K, R>
    void sort(K&&, R&&, const SortOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
    }
    template <class K, class R>
    requires detail::other_numbers<K, R>
    void inclusive_scan(K&&, R&&, const ScanOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
    }
    template <class K, class R>
    requires detail::other_numbers<K, R>
    void exclusive_scan(K&&, R&&, const ScanOptions& = {}) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
    }
    template <class K, class R>
    requires detail::other_numbers<K, R>
    void select(K&&, std::span<const std::uint8_t>, R&&, bool = false) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
    }
    template <class K, class R>
    requires detail::other_numbers<K, R>
    void partition(K&&, std::span<const std::uint8_t>, R&&, bool = false) {
        static_assert(!detail::other_numbers<K, R>, "the results have another type than the keys");
    }
    /// @endcond

    /// Runs any of these as data (calls.hpp). The places are pointers to host memory. The offsets of segments are read
    /// here, so the longest need not be said.
    SortReport run(CallIn<void*> call);

    /// @}

    /// Returns what the latest call that succeeded did, on host memory, a queue or a stream.
    const SortReport& last_report() const noexcept;

    /// Compiles now what a sort of `count` keys of that type needs (0: many, but fewer than 2^31), so that no such sort
    /// compiles later. Small, large and very large counts may need different kernels.
    ///
    /// Errors: as sort().
    void prepare(const KeyKind& type, std::uint64_t count = 0, std::uint64_t row_length = 0);
    /// The same for any call. Calls on host memory and on the device's use the same kernels, so where the arrays are
    /// need not be said, nor the middle of a merge, nor how many segments there are. But arrays in host memory that go
    /// in parts, or are sorted while they are copied (docs/memory.md), have more compiled when they first are.
    ///
    /// Errors: as the call itself.
    void prepare(Request request);

    /// Frees the programs that the sorter compiled so far; a later call compiles anew. Those of recorded calls stay as
    /// long as these. What was enqueued still runs. Must not be called while a CUDA stream is captured.
    ///
    /// Memory: gives back up to 8 MiB a program, and on CUDA what is kept for later calls.
    /// Cost: on CUDA it waits for all work of the context.
    /// Errors: Error(device_failed).
    void release();

    /// Returns the shape of a data-independent sort of `count` keys of that type (0: very many), as it fits the kernels
    /// that the device's compiler built.
    ///
    /// Cost: compiles these.
    /// Errors: as prepare().
    Shape shape(KeyType type, std::uint64_t count = 0);

    /// Returns the plan of a data-independent sort of `count` keys of that type. Cost and errors are those of shape().
    Plan plan(KeyType type, std::uint64_t count);

    /// Sorts `count` random keys, data-independently, with kernels that count their own hand-overs and barriers, and
    /// returns what really happened.
    ///
    /// Memory: takes host and device memory for these keys and a few bytes.
    /// Errors: as sort(); Error(device_failed) also if the result is not sorted or the work-groups disagree.
    SyncCounts measure(KeyType type, std::uint64_t count);

    /// Returns why shapes that `lanesort tune` stored for this device are not used, in a sentence; empty where all is
    /// well. It is known when the sorter is made, or after the first sort whose kernels the device's compiler refused.
    const std::string& note() const noexcept;

    /// Returns what is known of the device that it sorts on. Lives as long as the sorter, wherever that is moved.
    const DeviceInfo& device() const noexcept;

    /// For the library's own backends.
    detail::SorterCore& core() noexcept { return *core_; }

private:
    template <Reduction reduction, class R>
    detail::Reduced<R, reduction> reduced(R&& numbers) {
        detail::Reduced<R, reduction> result{};
        if (reduction != Reduction::sum && std::ranges::empty(numbers)) detail::throw_no_numbers();
        reduce(numbers, reduction, std::span(&result, 1));
        return result;
    }

    std::unique_ptr<detail::SorterCore> core_;
};

}  // namespace lanesort::inline v0_1
