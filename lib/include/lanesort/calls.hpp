// SPDX-License-Identifier: MIT
/// @file
/// Calls on the memory of a device, as data: what is to be done, and where its arrays lie. opencl.hpp and cuda.hpp
/// enqueue and record them. What each does, Sorter's function of the same name says (sorter.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <lanesort/ranges.hpp>
#include <lanesort/report.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

class Sorter;

/// A request, and where its arrays lie.
struct AnyCall {
    /// The first element of an array; null: there is no such array.
    struct Place {
        void* memory = nullptr;  ///< that it lies in: a pointer, or a cl_mem
        std::size_t offset = 0;  ///< elements before it
    };
    Request request;      ///< what is done
    Place keys;           ///< of the range
    Place values;         ///< one for each key
    Place second_keys;    ///< of the second range of a merge, where it lies apart
    Place second_values;  ///< one for each of these
    Place indices;        ///< one for each key, or each selected key
    Place segments;       ///< offsets
    Place results;        ///< keys that are found
    Place result_values;  ///< that belong to them
    Place lengths;        ///< one for each key that is found
    Place answers;        ///< integers of 64 bits
    Place limit;          ///< one such integer
    Place flags;          ///< a byte for each key
    Place parameter;      ///< of a predicate that has one; read when the call runs
};

/// A call on arrays that all lie in such memory: `Memory` is what the device knows it by.
template <class Memory>
struct CallIn : AnyCall {};

namespace detail {

/// A queue or stream of the caller's, and what a call waits for.
struct Queue {
    void* handle = nullptr;
    std::span<void* const> wait_list = {};
};

/// The handles of events, which are pointers on any backend.
template <class WaitList>
std::span<void* const> handles_of(const WaitList& wait_list) {
    return {reinterpret_cast<void* const*>(wait_list.data()), wait_list.size()};
}

/// What enqueue() of opencl.hpp and cuda.hpp does, for a sorter of that backend. OpenCL gives a new event of the call's
/// end unless `event` is null; CUDA records the event that `event` points to.
SortReport enqueue(Sorter& sorter, const char* backend, const Queue& queue, const AnyCall& call, void** event);

/// What Recorded of both is made of.
class RecordedCall {
public:
    RecordedCall(Sorter& sorter, const char* backend, void* queue, const AnyCall& call);
    RecordedCall(RecordedCall&&) noexcept;
    RecordedCall& operator=(RecordedCall&&) noexcept;
    ~RecordedCall();

    SortReport enqueue(std::span<void* const> wait_list, void** event);
    bool is_replayed() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The width of values, indices, lengths or offsets that there are. Throws Error(invalid_argument) for 0.
std::size_t width_of(const char* what, std::size_t bytes);

/// The keys of two ranges. Throws Error(too_large) where 64 bits cannot count them.
std::uint64_t count_of_both(std::uint64_t first, std::uint64_t second);

/// How many keys are to be in their places for key n to be: 0 where n is the end. Throws Error(invalid_argument).
std::uint64_t first_with(std::uint64_t n, const Request& request);

/// Throws Error(invalid_argument) for values of one width that are to be copied to values of another.
void check_same_width(std::size_t bytes, std::size_t other_bytes);

/// A sort writes to the places of the call's results, unless these are the keys' and values' own: then it is in place.
void write_results(AnyCall& sort) noexcept;

/// Throws Error(invalid_argument) for values that are records, unless they may be combined `by_operator` and are, or
/// not as many as the keys.
void check_values(std::size_t keys, std::size_t values, const KeyKind& type, bool by_operator);

/// Throws Error(invalid_argument) for a second range that is not of the first one's type, or asks for something else.
void check_second(const Request& first, const Request& second);

/// The same for a range of as many keys. It may leave rows and segments to the first.
void check_pairs(const AnyCall& first, AnyCall second);

/// Throws Error(invalid_argument) where no operator combines elements.
void check_operator(const KeyKind& kind);

/// Throw Error(invalid_argument) where a predicate says which elements are wanted, or where none does.
void check_flags(const KeyKind& kind);
void check_predicate(const KeyKind& kind);

/// Takes the bounds. Throws Error(invalid_argument) for bins of another type than the keys.
void bin_evenly(Request& request, const EvenBins& bins);
/// Throws Error(invalid_argument) where there is not one bound more than bins.
void check_bounds(std::size_t bounds, std::size_t bins);

/// Throws Error(invalid_argument).
[[noreturn]] void throw_two_counts(std::size_t first, std::size_t k);

/// A call that does this with these keys.
template <class Memory>
CallIn<Memory> call_on(Operation operation, const KeyRangeIn<Memory>& keys) {
    CallIn<Memory> call;
    // Member by member, since nvcc 13.0 hands designated initialisers wrongly to the host's compiler.
    Request& request = call.request;
    request.operation = operation;
    request.count = keys.count;
    request.order = keys.order;
    request.stable = keys.stable;
    request.row_length = keys.row_length;
    request.first = keys.first;
    request.schedule = keys.schedule;
    request.data_independent = keys.data_independent;
    request.extra_bytes = keys.extra_bytes;
    request.nan_last = keys.nan_last;
    request.key = keys.type;
    call.keys = {keys.memory, keys.offset};
    if (keys.segments.memory != nullptr) {
        call.segments = {keys.segments.memory, keys.segments.offset};
        call.request.segments = keys.segments.count;
        const std::size_t longest = keys.segments.longest;
        call.request.longest = longest > 0 && longest < keys.count ? longest : keys.count;
        call.request.offset_bytes = width_of("offsets", keys.segments.bytes);
    }
    return call;
}

template <class Memory>
void add_values(CallIn<Memory>& call, const ValueRangeIn<Memory>& values) {
    call.values = {values.memory, values.offset};
    call.request.value_bytes = width_of("values", values.bytes);
}

/// The same, and where those of the results go.
template <class Memory>
void add_values(CallIn<Memory>& call, const ValueRangeIn<Memory>& values, const ValueRangeIn<Memory>& kept) {
    add_values(call, values);
    check_same_width(values.bytes, kept.bytes);
    call.result_values = {kept.memory, kept.offset};
}

}  // namespace detail

/// Sorts the keys in place.
template <class Memory>
CallIn<Memory> sort(const KeyRangeIn<Memory>& keys) {
    return detail::call_on(Operation::sort, keys);
}

/// The same to another place. The keys stay as they are.
template <class Memory>
CallIn<Memory> sort(const KeyRangeIn<Memory>& keys, const SortedIn<Memory>& sorted) {
    CallIn<Memory> call = sort(keys);
    call.results = {sorted.memory, sorted.offset};
    detail::write_results(call);
    return call;
}

/// Brings the first `first` keys of the order to the front, in order. The others follow in some order.
template <class Memory>
CallIn<Memory> partial_sort(const KeyRangeIn<Memory>& keys, std::size_t first) {
    CallIn<Memory> call = detail::call_on(Operation::sort, keys);
    call.request.first = first;
    return call;
}

/// Brings key n of the order to its place, those before it in front of it and the others behind it. Nothing is done
/// where n is the number of keys. Throws Error(invalid_argument) for a larger one.
template <class Memory>
CallIn<Memory> nth_element(const KeyRangeIn<Memory>& keys, std::size_t n) {
    CallIn<Memory> call = detail::call_on(Operation::sort, keys);
    call.request.first = detail::first_with(n, call.request);
    return call;
}

/// Sorts the keys together with the values that belong to them, both in place.
template <class Memory>
CallIn<Memory> sort_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values) {
    CallIn<Memory> call = detail::call_on(Operation::sort, keys);
    detail::add_values(call, values);
    return call;
}

/// The same to another place. The keys and values stay as they are.
template <class Memory>
CallIn<Memory> sort_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                           const SortedIn<Memory>& sorted, const ValueRangeIn<Memory>& sorted_values) {
    CallIn<Memory> call = sort_by_key(keys, values);
    detail::check_same_width(values.bytes, sorted_values.bytes);
    call.results = {sorted.memory, sorted.offset};
    call.result_values = {sorted_values.memory, sorted_values.offset};
    detail::write_results(call);
    return call;
}

/// Writes the indices, of 4 or 8 bytes, that would sort the keys. The keys stay as they are.
template <class Memory>
CallIn<Memory> argsort(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& indices) {
    CallIn<Memory> call = detail::call_on(Operation::argsort, keys);
    call.indices = {indices.memory, indices.offset};
    call.request.index_bytes = detail::width_of("indices", indices.bytes);
    return call;
}

/// Merges two sorted ranges that lie side by side, in place. The second begins at key `middle`.
template <class Memory>
CallIn<Memory> merge(const KeyRangeIn<Memory>& keys, std::size_t middle) {
    CallIn<Memory> call = detail::call_on(Operation::merge, keys);
    call.request.middle = middle;
    return call;
}

/// The same for keys with their values.
template <class Memory>
CallIn<Memory> merge_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values, std::size_t middle) {
    CallIn<Memory> call = merge(keys, middle);
    detail::add_values(call, values);
    return call;
}

/// Merges two sorted ranges that lie apart into a third, as std::merge. The second range has the type of the first, and
/// its order and stability, or says nothing of them.
template <class Memory>
CallIn<Memory> merge(const KeyRangeIn<Memory>& first, const KeyRangeIn<Memory>& second,
                     const MergedIn<Memory>& merged) {
    CallIn<Memory> call = merge(first, first.count);
    detail::check_second(call.request, merge(second, first.count).request);
    call.request.apart = true;
    call.request.count = detail::count_of_both(first.count, second.count);
    call.second_keys = {second.memory, second.offset};
    call.results = {merged.memory, merged.offset};
    return call;
}

/// The same for keys with their values.
template <class Memory>
CallIn<Memory> merge_by_key(const KeyRangeIn<Memory>& first, const ValueRangeIn<Memory>& first_values,
                            const KeyRangeIn<Memory>& second, const ValueRangeIn<Memory>& second_values,
                            const MergedIn<Memory>& merged, const ValueRangeIn<Memory>& merged_values) {
    CallIn<Memory> call = merge(first, second, merged);
    detail::add_values(call, first_values);
    detail::check_same_width(first_values.bytes, second_values.bytes);
    detail::check_same_width(first_values.bytes, merged_values.bytes);
    call.second_values = {second_values.memory, second_values.offset};
    call.result_values = {merged_values.memory, merged_values.offset};
    return call;
}

/// Writes the first k keys of the range, or of each of its rows or segments, to another place: the largest, unless the
/// range has another order. The keys stay as they are.
template <class Memory>
CallIn<Memory> top_k(const KeyRangeIn<Memory>& keys, std::size_t k, const SelectedIn<Memory>& selected) {
    CallIn<Memory> call = detail::call_on(Operation::top_k, keys);
    if (keys.first != all_keys) detail::throw_two_counts(keys.first, k);
    call.request.first = k;
    call.results = {selected.memory, selected.offset};
    call.request.limited = selected.limit.memory != nullptr;
    if (call.request.limited) call.limit = {selected.limit.memory, selected.limit.offset};
    if (selected.indices.memory == nullptr) return call;
    call.indices = {selected.indices.memory, selected.indices.offset};
    call.request.index_bytes = detail::width_of("indices", selected.indices.bytes);
    return call;
}

/// The same for keys with their values, those of the selected keys going to `best_values`.
template <class Memory>
CallIn<Memory> top_k_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values, std::size_t k,
                            const SelectedIn<Memory>& selected, const ValueRangeIn<Memory>& best_values) {
    CallIn<Memory> call = top_k(keys, k, selected);
    detail::add_values(call, values);
    detail::check_same_width(values.bytes, best_values.bytes);
    call.result_values = {best_values.memory, best_values.offset};
    return call;
}

/// Writes 1 where all keys, or those of a row, are in order, else 0: an integer for the range, or for each of its rows.
template <class Memory>
CallIn<Memory> is_sorted(const KeyRangeIn<Memory>& keys, const IntegersIn<Memory>& sorted) {
    CallIn<Memory> call = detail::call_on(Operation::is_sorted, keys);
    call.answers = {sorted.memory, sorted.offset};
    return call;
}

/// The same, but writes how many keys from the first on are in order.
template <class Memory>
CallIn<Memory> is_sorted_until(const KeyRangeIn<Memory>& keys, const IntegersIn<Memory>& in_order) {
    CallIn<Memory> call = is_sorted(keys, in_order);
    call.request.operation = Operation::is_sorted_until;
    return call;
}

/// Writes the sum, the smallest or the largest key, or where that is, of the range or of each of its rows or segments.
template <class Memory>
CallIn<Memory> reduce(const KeyRangeIn<Memory>& keys, Reduction reduction, const ReducedIn<Memory>& reduced) {
    CallIn<Memory> call = detail::call_on(Operation::reduce, keys);
    call.request.reduction = reduction;
    call.results = {reduced.memory, reduced.offset};
    return call;
}

/// Writes what an operator, which is the type of the keys, makes of the elements of the range, or of each of its rows
/// or segments.
template <class Memory>
CallIn<Memory> reduce(const KeyRangeIn<Memory>& elements, const ReducedIn<Memory>& reduced) {
    detail::check_operator(elements.type);
    return reduce(elements, Reduction::sum, reduced);
}

/// Writes the sum of the products of two ranges, key by key, or that of each row or segment: the dot product. With an
/// operator, what that makes of the pairs. The second range may leave rows and segments to the first.
template <class Memory>
CallIn<Memory> transform_reduce(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& others,
                                const ReducedIn<Memory>& reduced) {
    CallIn<Memory> call = detail::call_on(Operation::transform_reduce, keys);
    detail::check_pairs(call, detail::call_on(Operation::transform_reduce, others));
    call.second_keys = {others.memory, others.offset};
    call.results = {reduced.memory, reduced.offset};
    return call;
}

/// Writes the distinct keys of a sorted range, their number, and what the reduction gives of the values of each, as
/// Sorter::reduce_by_key says. The values are as many as the keys; of their range, the place and the type
/// count alone.
template <class Memory>
CallIn<Memory> reduce_by_key(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values, Reduction reduction,
                             const DistinctIn<Memory>& distinct, const ReducedIn<Memory>& reduced) {
    CallIn<Memory> call = detail::call_on(Operation::reduce_by_key, keys);
    call.request.reduction = reduction;
    detail::check_values(keys.count, values.count, values.type, false);
    call.request.value_type = values.type;
    call.request.value_bytes = call.request.value_type.bytes();
    call.values = {values.memory, values.offset};
    call.results = {distinct.memory, distinct.offset};
    call.answers = {distinct.number.memory, distinct.number.offset};
    call.result_values = {reduced.memory, reduced.offset};
    return call;
}

/// The same of keys in any order, which are sorted together with their values, both in place.
template <class Memory>
CallIn<Memory> group_by(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values, Reduction reduction,
                        const DistinctIn<Memory>& distinct, const ReducedIn<Memory>& reduced) {
    CallIn<Memory> call = reduce_by_key(keys, values, reduction, distinct, reduced);
    call.request.operation = Operation::group_by;
    return call;
}

/// Writes the sums, minima or maxima of all keys up to each one of the range, its row or its segment, with it.
template <class Memory>
CallIn<Memory> inclusive_scan(const KeyRangeIn<Memory>& keys, const ScannedIn<Memory>& scanned,
                              Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = detail::call_on(Operation::inclusive_scan, keys);
    call.request.reduction = reduction;
    call.results = {scanned.memory, scanned.offset};
    return call;
}

/// The same in place of the keys.
template <class Memory>
CallIn<Memory> inclusive_scan(const KeyRangeIn<Memory>& keys, Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = detail::call_on(Operation::inclusive_scan, keys);
    call.request.reduction = reduction;
    call.request.in_place = true;
    return call;
}

/// Writes those of the keys in front of each one.
template <class Memory>
CallIn<Memory> exclusive_scan(const KeyRangeIn<Memory>& keys, const ScannedIn<Memory>& scanned,
                              Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = inclusive_scan(keys, scanned, reduction);
    call.request.operation = Operation::exclusive_scan;
    return call;
}

/// The same in place of the keys.
template <class Memory>
CallIn<Memory> exclusive_scan(const KeyRangeIn<Memory>& keys, Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = inclusive_scan(keys, reduction);
    call.request.operation = Operation::exclusive_scan;
    return call;
}

/// Scans the values in place: each becomes the sum, minimum or maximum of all up to it, as far as the keys in front are
/// equal to its own. They are as many as the keys; of their range, the place and the type count alone.
template <class Memory>
CallIn<Memory> inclusive_scan_by_key(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values,
                                     Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = detail::call_on(Operation::inclusive_scan_by_key, keys);
    call.request.reduction = reduction;
    call.request.in_place = true;
    detail::check_values(keys.count, values.count, values.type, true);
    call.request.value_type = values.type;
    call.request.value_bytes = call.request.value_type.bytes();
    call.values = {values.memory, values.offset};
    return call;
}

/// The same to another place.
template <class Memory>
CallIn<Memory> inclusive_scan_by_key(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values,
                                     const ScannedIn<Memory>& scanned, Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = inclusive_scan_by_key(keys, values, reduction);
    call.request.in_place = false;
    call.result_values = {scanned.memory, scanned.offset};
    return call;
}

/// Writes those of the values in front of each one.
template <class Memory>
CallIn<Memory> exclusive_scan_by_key(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values,
                                     const ScannedIn<Memory>& scanned, Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = inclusive_scan_by_key(keys, values, scanned, reduction);
    call.request.operation = Operation::exclusive_scan_by_key;
    return call;
}

/// The same in place of the values.
template <class Memory>
CallIn<Memory> exclusive_scan_by_key(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& values,
                                     Reduction reduction = Reduction::sum) {
    CallIn<Memory> call = inclusive_scan_by_key(keys, values, reduction);
    call.request.operation = Operation::exclusive_scan_by_key;
    return call;
}

/// Writes the distinct keys of a sorted range, and their number. No more keys than these are written.
template <class Memory>
CallIn<Memory> unique(const KeyRangeIn<Memory>& keys, const DistinctIn<Memory>& distinct) {
    CallIn<Memory> call = detail::call_on(Operation::unique, keys);
    call.results = {distinct.memory, distinct.offset};
    call.answers = {distinct.number.memory, distinct.number.offset};
    return call;
}

/// The same in place: the distinct keys go to the front of the keys. Those behind them stay as they are.
template <class Memory>
CallIn<Memory> unique(const KeyRangeIn<Memory>& keys, const IntegersIn<Memory>& number) {
    CallIn<Memory> call = detail::call_on(Operation::unique, keys);
    call.request.in_place = true;
    call.answers = {number.memory, number.offset};
    return call;
}

/// unique() of keys with their values: those of the distinct keys go to `kept`, which has room for as many as there are
/// keys.
template <class Memory>
CallIn<Memory> unique_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                             const DistinctIn<Memory>& distinct, const ValueRangeIn<Memory>& kept) {
    CallIn<Memory> call = unique(keys, distinct);
    detail::add_values(call, values, kept);
    return call;
}

/// The same in place: the values of the distinct keys go to the front of the values.
template <class Memory>
CallIn<Memory> unique_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                             const IntegersIn<Memory>& number) {
    CallIn<Memory> call = unique(keys, number);
    detail::add_values(call, values);
    return call;
}

/// As unique() into another range, and writes how often each of these keys comes: integers of 4 or 8 bytes, with room
/// for as many as there are keys.
template <class Memory>
CallIn<Memory> run_lengths(const KeyRangeIn<Memory>& keys, const DistinctIn<Memory>& distinct,
                           const ValueRangeIn<Memory>& lengths) {
    CallIn<Memory> call = unique(keys, distinct);
    call.request.operation = Operation::run_lengths;
    call.lengths = {lengths.memory, lengths.offset};
    call.request.length_bytes = detail::width_of("lengths", lengths.bytes);
    return call;
}

/// Writes the keys that flags select, and their number. No more keys than these are written.
template <class Memory>
CallIn<Memory> select(const KeyRangeIn<Memory>& keys, const FlagRangeIn<Memory>& flags,
                      const DistinctIn<Memory>& selected) {
    detail::check_flags(keys.type);
    CallIn<Memory> call = unique(keys, selected);
    call.request.operation = Operation::select;
    call.request.inverted = flags.inverted;
    call.flags = {flags.memory, flags.offset};
    return call;
}

/// select() of keys with their values, those of the results going to `kept`, which has room for as many as there are
/// keys.
template <class Memory>
CallIn<Memory> select_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                             const FlagRangeIn<Memory>& flags, const DistinctIn<Memory>& selected,
                             const ValueRangeIn<Memory>& kept) {
    CallIn<Memory> call = select(keys, flags, selected);
    detail::add_values(call, values, kept);
    return call;
}

/// The same, and the other keys behind them.
template <class Memory>
CallIn<Memory> partition(const KeyRangeIn<Memory>& keys, const FlagRangeIn<Memory>& flags,
                         const DistinctIn<Memory>& selected) {
    CallIn<Memory> call = select(keys, flags, selected);
    call.request.operation = Operation::partition;
    return call;
}

/// partition() of keys with their values, those of the results going to `kept`, which has room for as many as there are
/// keys.
template <class Memory>
CallIn<Memory> partition_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                                const FlagRangeIn<Memory>& flags, const DistinctIn<Memory>& selected,
                                const ValueRangeIn<Memory>& kept) {
    CallIn<Memory> call = select_by_key(keys, values, flags, selected, kept);
    call.request.operation = Operation::partition;
    return call;
}

/// Writes the elements of which a predicate holds, which is the type of the keys, and their number. No more elements
/// than these are written.
template <class Memory>
CallIn<Memory> select(const KeyRangeIn<Memory>& keys, const DistinctIn<Memory>& selected) {
    detail::check_predicate(keys.type);
    CallIn<Memory> call = unique(keys, selected);
    call.request.operation = Operation::select;
    call.parameter = {keys.parameter.memory, keys.parameter.offset};
    return call;
}

/// The same with their values, those of the results going to `kept`, which has room for as many as there are elements.
template <class Memory>
CallIn<Memory> select_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                             const DistinctIn<Memory>& selected, const ValueRangeIn<Memory>& kept) {
    CallIn<Memory> call = select(keys, selected);
    detail::add_values(call, values, kept);
    return call;
}

/// As select(), and the other elements behind them.
template <class Memory>
CallIn<Memory> partition(const KeyRangeIn<Memory>& keys, const DistinctIn<Memory>& selected) {
    CallIn<Memory> call = select(keys, selected);
    call.request.operation = Operation::partition;
    return call;
}

/// As select_by_key(), and the other elements behind them.
template <class Memory>
CallIn<Memory> partition_by_key(const KeyRangeIn<Memory>& keys, const ValueRangeIn<Memory>& values,
                                const DistinctIn<Memory>& selected, const ValueRangeIn<Memory>& kept) {
    CallIn<Memory> call = select_by_key(keys, values, selected, kept);
    call.request.operation = Operation::partition;
    return call;
}

/// Writes where each of the needles belongs in sorted keys, ahead of equal ones. Needles have the type of the keys, and
/// their order, or say nothing of it.
template <class Memory>
CallIn<Memory> lower_bound(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& needles,
                           const ValueRangeIn<Memory>& indices) {
    CallIn<Memory> call = detail::call_on(Operation::lower_bound, keys);
    detail::check_second(call.request, detail::call_on(Operation::lower_bound, needles).request);
    call.request.second_count = needles.count;
    call.request.index_bytes = detail::width_of("indices", indices.bytes);
    call.second_keys = {needles.memory, needles.offset};
    call.indices = {indices.memory, indices.offset};
    return call;
}

/// The same behind equal keys.
template <class Memory>
CallIn<Memory> upper_bound(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& needles,
                           const ValueRangeIn<Memory>& indices) {
    CallIn<Memory> call = lower_bound(keys, needles, indices);
    call.request.operation = Operation::upper_bound;
    return call;
}

/// Both, one after the other for each needle.
template <class Memory>
CallIn<Memory> equal_range(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& needles,
                           const ValueRangeIn<Memory>& indices) {
    CallIn<Memory> call = lower_bound(keys, needles, indices);
    call.request.operation = Operation::equal_range;
    return call;
}

/// Writes results[i] = values[indices[i]] for so many indices, of `count` values.
template <class Memory>
CallIn<Memory> gather(const ValueRangeIn<Memory>& values, std::size_t count, const ValueRangeIn<Memory>& indices,
                      std::size_t index_count, const ValueRangeIn<Memory>& results) {
    CallIn<Memory> call;
    call.request.operation = Operation::gather;
    call.request.count = count;
    call.request.second_count = index_count;
    call.request.index_bytes = detail::width_of("indices", indices.bytes);
    detail::add_values(call, values);
    detail::check_same_width(values.bytes, results.bytes);
    call.indices = {indices.memory, indices.offset};
    call.result_values = {results.memory, results.offset};
    return call;
}

/// Writes results[indices[i]] = values[i] for so many values and indices, into `count` results.
template <class Memory>
CallIn<Memory> scatter(const ValueRangeIn<Memory>& values, const ValueRangeIn<Memory>& indices, std::size_t index_count,
                       const ValueRangeIn<Memory>& results, std::size_t count) {
    CallIn<Memory> call = gather(values, count, indices, index_count, results);
    call.request.operation = Operation::scatter;
    return call;
}

/// Brings `count` values into the order of as many indices, in place: value indices[i] comes to place i.
template <class Memory>
CallIn<Memory> permute(const ValueRangeIn<Memory>& values, std::size_t count, const ValueRangeIn<Memory>& indices) {
    CallIn<Memory> call = gather(values, count, indices, 0, values);
    call.request.operation = Operation::permute;
    call.result_values = {};
    return call;
}

/// Counts the keys in each of counts.bins even bins.
template <class Memory>
CallIn<Memory> histogram(const KeyRangeIn<Memory>& keys, const EvenBins& bins, const CountsIn<Memory>& counts) {
    CallIn<Memory> call = detail::call_on(Operation::histogram, keys);
    detail::bin_evenly(call.request, bins);
    call.request.bins = counts.bins;
    call.request.length_bytes = detail::width_of("counts", counts.bytes);
    call.lengths = {counts.memory, counts.offset};
    return call;
}

/// The same in bins that sorted keys bound, of which there is one more than bins. They have the type of the keys.
template <class Memory>
CallIn<Memory> histogram(const KeyRangeIn<Memory>& keys, const KeyRangeIn<Memory>& bounds,
                         const CountsIn<Memory>& counts) {
    CallIn<Memory> call = detail::call_on(Operation::histogram, keys);
    detail::check_second(call.request, detail::call_on(Operation::histogram, bounds).request);
    detail::check_bounds(bounds.count, counts.bins);
    call.request.bounded = true;
    call.request.bins = counts.bins;
    call.request.length_bytes = detail::width_of("counts", counts.bytes);
    call.second_keys = {bounds.memory, bounds.offset};
    call.lengths = {counts.memory, counts.offset};
    return call;
}

}  // namespace lanesort::inline v0_1
