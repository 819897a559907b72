// SPDX-License-Identifier: MIT
/// @file
/// Calls as data: what is to be done, and where the arrays lie. Sorter runs them on host memory; device_calls.hpp
/// enqueues and records them. Sorter's function of the same name says what a call does (sorter.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

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

/// An array of a call, in whatever memory.
struct AnyArray {
    template <class Range>
    AnyArray(const Range& range)
        : place{range.memory, range.offset}, bytes(range.bytes), count(range.count), type(range.type) {}

    AnyCall::Place place;
    std::optional<std::size_t> bytes, count;
    std::optional<KeyType> type;
};

/// The width of values, indices, lengths, counts or offsets. Throws Error(invalid_argument) for 0.
std::size_t width_of(std::string_view what, std::optional<std::size_t> bytes);
/// How many keys are to be in their places for key n to be: 0 where n is the end. Throws Error(invalid_argument).
std::uint64_t first_with(std::uint64_t n, const Request& request);
/// A sort goes to the call's results, unless these are the keys' and values' own places: then it is in place.
void write_results(AnyCall& call) noexcept;

/// How many elements an array must have, if it states their number.
enum class Room {
    each,  ///< one for each key
    all,   ///< a result of each key
    some,  ///< at least one for each key
    both,  ///< at least one for each key of two ranges
    best,  ///< one for each of the first k keys of each row
    rows   ///< a result of each row or segment
};

/// Makes a call of what it is done with. Each function adds arrays, and throws Error(invalid_argument) where their
/// number, width or kind, as far as it is stated, does not fit what the call has so far.
class CallBuilder {
public:
    /// On keys.
    template <class Memory>
    CallBuilder(Operation operation, const KeyRangeIn<Memory>& keys) {
        // Member by member, since nvcc 13.0 hands designated initialisers wrongly to the host's compiler.
        Request& request = call_.request;
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
        call_.keys = {keys.memory, keys.offset};
        const auto& [offsets, offset, segments, longest, bytes] = keys.segments;
        if (offsets != nullptr) add_segments({offsets, offset}, segments, longest, bytes);
    }
    /// On values that move where so many indices tell.
    CallBuilder(Operation operation, std::size_t count, const AnyArray& values, const AnyArray& indices,
                std::size_t index_count);

    CallBuilder& middle(std::size_t middle) { return set(&Request::middle, middle); }
    CallBuilder& first(std::size_t first) { return set(&Request::first, first); }
    /// As many keys as it takes for key n to be in its place.
    CallBuilder& up_to(std::size_t n) { return first(first_with(n, call_.request)); }
    CallBuilder& in_place() { return set(&Request::in_place, true); }
    CallBuilder& reduction(Reduction reduction) { return set(&Request::reduction, reduction); }

    /// A value for each of so many keys, also of the second range, and values that are results.
    CallBuilder& values(const AnyArray& values, std::size_t keys);
    CallBuilder& second_values(const AnyArray& values, std::size_t keys);
    CallBuilder& result_values(const AnyArray& values, Room room);
    /// Values that are numbers, or that an operator combines, if it may; and what becomes of them.
    template <class Memory>
    CallBuilder& numbers(const KeyRangeIn<Memory>& values, bool by_operator) {
        call_.values = {values.memory, values.offset};
        return add_numbers(values.count, values.type, by_operator);
    }
    CallBuilder& result_numbers(const AnyArray& values, Room room);
    CallBuilder& indices(const AnyArray& indices, Room room);
    CallBuilder& lengths(const AnyArray& lengths);
    CallBuilder& results(const AnyArray& results, Room room);
    /// The results of a sort, which is in place if they are the keys, and the values' results the values.
    CallBuilder& sorted(const AnyArray& results);
    /// A second range, and room for the keys of both.
    CallBuilder& merged(const CallBuilder& second, const AnyArray& results);
    /// The first k keys of each row, and their indices, if there are any.
    CallBuilder& best(std::size_t k, const AnyArray& best, const AnyArray& indices, const AnyArray& limit);
    /// An integer of 64 bits for each row.
    CallBuilder& answers(const AnyArray& answers);
    /// Some of the keys, and their number.
    CallBuilder& found(const AnyArray& found, const AnyArray& number) {
        return results(found, Room::some).answers(number);
    }
    /// A second range of as many keys. It may leave rows and segments to the first.
    CallBuilder& pairs(CallBuilder second);
    /// A flag for each key; or the parameter of the predicate, or the operator, that there must be.
    template <class Memory>
    CallBuilder& flags(const FlagRangeIn<Memory>& flags) {
        call_.flags = {flags.memory, flags.offset};
        return add_flags(flags.count).set(&Request::inverted, flags.inverted);
    }
    CallBuilder& predicate(const AnyArray& parameter);
    CallBuilder& combined();
    /// Keys that are looked for, and so many indices for each.
    CallBuilder& needles(const CallBuilder& needles, const AnyArray& indices, std::size_t places);
    /// So many indices say where values move, with room for so many.
    CallBuilder& moved(std::size_t index_count, const AnyArray& results, std::size_t room);
    /// Bins between two numbers, or so many between keys; then their counts.
    CallBuilder& bounds(const EvenBins& bounds);
    CallBuilder& bounds(const CallBuilder& bounds, std::size_t bins);
    template <class Memory>
    CallBuilder& counts(const CountsIn<Memory>& counts) {
        call_.lengths = {counts.memory, counts.offset};
        return set(&Request::bins, counts.bins).set(&Request::length_bytes, width_of("counts", counts.bytes));
    }

    template <class Memory>
    operator CallIn<Memory>() const {
        return {call_};
    }

private:
    template <class T, class U>
    CallBuilder& set(T Request::*member, U value) {
        call_.request.*member = value;
        return *this;
    }
    void require_room(const AnyArray& array, Room room) const;
    /// Values are copied to others of the same width and type.
    void check_same_values(const AnyArray& others) const;
    void add_segments(const AnyCall::Place& offsets, std::size_t count, std::size_t longest, std::size_t bytes);
    CallBuilder& add_numbers(std::size_t count, const KeyKind& type, bool by_operator);
    CallBuilder& add_flags(std::optional<std::size_t> count);

    AnyCall call_;
    std::optional<KeyType> value_type_;  ///< of values that are numbers
};

}  // namespace detail

/// Sorts the keys in place.
template <class M>
CallIn<M> sort(const KeyRangeIn<M>& keys) {
    return detail::CallBuilder(Operation::sort, keys);
}

/// The same to another place. The keys stay as they are.
template <class M>
CallIn<M> sort(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& sorted) {
    return detail::CallBuilder(Operation::sort, keys).sorted(sorted);
}

/// Brings the first `first` keys of the order to the front, in order. The others follow in some order.
template <class M>
CallIn<M> partial_sort(const KeyRangeIn<M>& keys, std::size_t first) {
    return detail::CallBuilder(Operation::sort, keys).first(first);
}

/// Brings key n of the order to its place, those before it in front of it and the others behind it. Nothing is done
/// where n is the number of keys. Throws Error(invalid_argument) for a larger one.
template <class M>
CallIn<M> nth_element(const KeyRangeIn<M>& keys, std::size_t n) {
    return detail::CallBuilder(Operation::sort, keys).up_to(n);
}

/// Sorts the keys together with the values that belong to them, both in place.
template <class M>
CallIn<M> sort_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values) {
    return detail::CallBuilder(Operation::sort, keys).values(values, keys.count);
}

/// The same to another place. The keys and values stay as they are.
template <class M>
CallIn<M> sort_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const ValueRangeIn<M>& sorted,
                      const ValueRangeIn<M>& sorted_values) {
    return detail::CallBuilder(Operation::sort, keys)
        .values(values, keys.count)
        .result_values(sorted_values, detail::Room::each)
        .sorted(sorted);
}

/// Writes the indices, of 4 or 8 bytes, that would sort the keys. The keys stay as they are.
template <class M>
CallIn<M> argsort(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& indices) {
    return detail::CallBuilder(Operation::argsort, keys).indices(indices, detail::Room::each);
}

/// Merges two sorted ranges that lie side by side, in place. The second begins at key `middle`.
template <class M>
CallIn<M> merge(const KeyRangeIn<M>& keys, std::size_t middle) {
    return detail::CallBuilder(Operation::merge, keys).middle(middle);
}

/// The same for keys with their values.
template <class M>
CallIn<M> merge_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, std::size_t middle) {
    return detail::CallBuilder(Operation::merge, keys).middle(middle).values(values, keys.count);
}

/// Merges two sorted ranges that lie apart into a third, as std::merge. The second range has the type of the first, and
/// its order and stability, or says nothing of them.
template <class M>
CallIn<M> merge(const KeyRangeIn<M>& first, const KeyRangeIn<M>& second, const ValueRangeIn<M>& merged) {
    return detail::CallBuilder(Operation::merge, first).merged({Operation::merge, second}, merged);
}

/// The same for keys with their values.
template <class M>
CallIn<M> merge_by_key(const KeyRangeIn<M>& first, const ValueRangeIn<M>& first_values, const KeyRangeIn<M>& second,
                       const ValueRangeIn<M>& second_values, const ValueRangeIn<M>& merged,
                       const ValueRangeIn<M>& merged_values) {
    return detail::CallBuilder(Operation::merge, first)
        .merged({Operation::merge, second}, merged)
        .values(first_values, first.count)
        .second_values(second_values, second.count)
        .result_values(merged_values, detail::Room::both);
}

/// Writes the first k keys of the range, or of each of its rows or segments, to another place: the largest, unless the
/// range has another order. The keys stay as they are.
template <class M>
CallIn<M> top_k(const KeyRangeIn<M>& keys, std::size_t k, const SelectedIn<M>& selected) {
    return detail::CallBuilder(Operation::top_k, keys).best(k, selected, selected.indices, selected.limit);
}

/// The same for keys with their values, those of the selected keys going to `best_values`.
template <class M>
CallIn<M> top_k_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, std::size_t k,
                       const SelectedIn<M>& selected, const ValueRangeIn<M>& best_values) {
    return detail::CallBuilder(Operation::top_k, keys)
        .best(k, selected, selected.indices, selected.limit)
        .values(values, keys.count)
        .result_values(best_values, detail::Room::best);
}

/// Writes 1 where all keys, or those of a row, are in order, else 0: an integer for the range, or for each of its rows.
template <class M>
CallIn<M> is_sorted(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& sorted) {
    return detail::CallBuilder(Operation::is_sorted, keys).answers(sorted);
}

/// The same, but writes how many keys from the first on are in order.
template <class M>
CallIn<M> is_sorted_until(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& in_order) {
    return detail::CallBuilder(Operation::is_sorted_until, keys).answers(in_order);
}

/// Writes the sum, the smallest or the largest key, or where that is, of the range or of each of its rows or segments,
/// in as many results of Request::result_bytes() bytes.
template <class M>
CallIn<M> reduce(const KeyRangeIn<M>& keys, Reduction reduction, const ValueRangeIn<M>& reduced) {
    return detail::CallBuilder(Operation::reduce, keys).reduction(reduction).results(reduced, detail::Room::rows);
}

/// Writes what an operator, which is the type of the keys, makes of the elements of the range, or of each of its rows
/// or segments.
template <class M>
CallIn<M> reduce(const KeyRangeIn<M>& elements, const ValueRangeIn<M>& reduced) {
    return detail::CallBuilder(Operation::reduce, elements).combined().results(reduced, detail::Room::rows);
}

/// Writes the sum of the products of two ranges, key by key, or that of each row or segment: the dot product. With an
/// operator, what that makes of the pairs. The second range may leave rows and segments to the first.
template <class M>
CallIn<M> transform_reduce(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& others, const ValueRangeIn<M>& reduced) {
    return detail::CallBuilder(Operation::transform_reduce, keys)
        .pairs({Operation::transform_reduce, others})
        .results(reduced, detail::Room::rows);
}

/// Writes the distinct keys of a sorted range, their number, and what the reduction gives of the values of each, as
/// Sorter::reduce_by_key says. The values are as many as the keys; of their range, the place and the type
/// count alone.
template <class M>
CallIn<M> reduce_by_key(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values, Reduction reduction,
                        const DistinctIn<M>& distinct, const ValueRangeIn<M>& reduced) {
    return detail::CallBuilder(Operation::reduce_by_key, keys)
        .reduction(reduction)
        .found(distinct, distinct.number)
        .numbers(values, false)
        .result_numbers(reduced, detail::Room::some);
}

/// The same of keys in any order, which are sorted together with their values, both in place.
template <class M>
CallIn<M> group_by(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values, Reduction reduction,
                   const DistinctIn<M>& distinct, const ValueRangeIn<M>& reduced) {
    return detail::CallBuilder(Operation::group_by, keys)
        .reduction(reduction)
        .found(distinct, distinct.number)
        .numbers(values, false)
        .result_numbers(reduced, detail::Room::some);
}

/// Writes the sums, minima or maxima of all keys up to each one of the range, its row or its segment, with it.
template <class M>
CallIn<M> inclusive_scan(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& scanned,
                         Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::inclusive_scan, keys)
        .reduction(reduction)
        .results(scanned, detail::Room::all);
}

/// The same in place of the keys.
template <class M>
CallIn<M> inclusive_scan(const KeyRangeIn<M>& keys, Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::inclusive_scan, keys).reduction(reduction).in_place();
}

/// Writes those of the keys in front of each one.
template <class M>
CallIn<M> exclusive_scan(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& scanned,
                         Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::exclusive_scan, keys)
        .reduction(reduction)
        .results(scanned, detail::Room::all);
}

/// The same in place of the keys.
template <class M>
CallIn<M> exclusive_scan(const KeyRangeIn<M>& keys, Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::exclusive_scan, keys).reduction(reduction).in_place();
}

/// Scans the values in place: each becomes the sum, minimum or maximum of all up to it, as far as the keys in front are
/// equal to its own. They are as many as the keys; of their range, the place and the type count alone.
template <class M>
CallIn<M> inclusive_scan_by_key(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values,
                                Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::inclusive_scan_by_key, keys)
        .reduction(reduction)
        .numbers(values, true)
        .in_place();
}

/// The same to another place.
template <class M>
CallIn<M> inclusive_scan_by_key(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values, const ValueRangeIn<M>& scanned,
                                Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::inclusive_scan_by_key, keys)
        .reduction(reduction)
        .numbers(values, true)
        .result_numbers(scanned, detail::Room::all);
}

/// Writes those of the values in front of each one.
template <class M>
CallIn<M> exclusive_scan_by_key(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values, const ValueRangeIn<M>& scanned,
                                Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::exclusive_scan_by_key, keys)
        .reduction(reduction)
        .numbers(values, true)
        .result_numbers(scanned, detail::Room::all);
}

/// The same in place of the values.
template <class M>
CallIn<M> exclusive_scan_by_key(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& values,
                                Reduction reduction = Reduction::sum) {
    return detail::CallBuilder(Operation::exclusive_scan_by_key, keys)
        .reduction(reduction)
        .numbers(values, true)
        .in_place();
}

/// Writes the distinct keys of a sorted range, and their number. No more keys than these are written.
template <class M>
CallIn<M> unique(const KeyRangeIn<M>& keys, const DistinctIn<M>& distinct) {
    return detail::CallBuilder(Operation::unique, keys).found(distinct, distinct.number);
}

/// The same in place: the distinct keys go to the front of the keys. Those behind them stay as they are.
template <class M>
CallIn<M> unique(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& number) {
    return detail::CallBuilder(Operation::unique, keys).in_place().answers(number);
}

/// unique() of keys with their values: those of the distinct keys go to `kept`, which has room for as many as there are
/// keys.
template <class M>
CallIn<M> unique_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const DistinctIn<M>& distinct,
                        const ValueRangeIn<M>& kept) {
    return detail::CallBuilder(Operation::unique, keys)
        .found(distinct, distinct.number)
        .values(values, keys.count)
        .result_values(kept, detail::Room::some);
}

/// The same in place: the values of the distinct keys go to the front of the values.
template <class M>
CallIn<M> unique_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const ValueRangeIn<M>& number) {
    return detail::CallBuilder(Operation::unique, keys).in_place().answers(number).values(values, keys.count);
}

/// As unique() into another range, and writes how often each of these keys comes: integers of 4 or 8 bytes, with room
/// for as many as there are keys.
template <class M>
CallIn<M> run_lengths(const KeyRangeIn<M>& keys, const DistinctIn<M>& distinct, const ValueRangeIn<M>& lengths) {
    return detail::CallBuilder(Operation::run_lengths, keys).found(distinct, distinct.number).lengths(lengths);
}

namespace detail {
template <class M>
CallBuilder flagged(Operation operation, const KeyRangeIn<M>& keys, const FlagRangeIn<M>& flags,
                    const DistinctIn<M>& selected) {
    return CallBuilder(operation, keys).flags(flags).found(selected, selected.number);
}
template <class M>
CallBuilder wanted(Operation operation, const KeyRangeIn<M>& keys, const DistinctIn<M>& selected) {
    return CallBuilder(operation, keys).predicate(keys.parameter).found(selected, selected.number);
}
}  // namespace detail

/// Writes the keys that flags select, and their number. No more keys than these are written.
template <class M>
CallIn<M> select(const KeyRangeIn<M>& keys, const FlagRangeIn<M>& flags, const DistinctIn<M>& selected) {
    return detail::flagged(Operation::select, keys, flags, selected);
}

/// select() of keys with their values, those of the results going to `kept`, which has room for as many as there are
/// keys.
template <class M>
CallIn<M> select_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const FlagRangeIn<M>& flags,
                        const DistinctIn<M>& selected, const ValueRangeIn<M>& kept) {
    return detail::flagged(Operation::select, keys, flags, selected)
        .values(values, keys.count)
        .result_values(kept, detail::Room::some);
}

/// The same, and the other keys behind them.
template <class M>
CallIn<M> partition(const KeyRangeIn<M>& keys, const FlagRangeIn<M>& flags, const DistinctIn<M>& selected) {
    return detail::flagged(Operation::partition, keys, flags, selected);
}

/// partition() of keys with their values, those of the results going to `kept`, which has room for as many as there are
/// keys.
template <class M>
CallIn<M> partition_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const FlagRangeIn<M>& flags,
                           const DistinctIn<M>& selected, const ValueRangeIn<M>& kept) {
    return detail::flagged(Operation::partition, keys, flags, selected)
        .values(values, keys.count)
        .result_values(kept, detail::Room::some);
}

/// Writes the elements of which a predicate holds, which is the type of the keys, and their number. No more elements
/// than these are written.
template <class M>
CallIn<M> select(const KeyRangeIn<M>& keys, const DistinctIn<M>& selected) {
    return detail::wanted(Operation::select, keys, selected);
}

/// The same with their values, those of the results going to `kept`, which has room for as many as there are elements.
template <class M>
CallIn<M> select_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const DistinctIn<M>& selected,
                        const ValueRangeIn<M>& kept) {
    return detail::wanted(Operation::select, keys, selected)
        .values(values, keys.count)
        .result_values(kept, detail::Room::some);
}

/// As select(), and the other elements behind them.
template <class M>
CallIn<M> partition(const KeyRangeIn<M>& keys, const DistinctIn<M>& selected) {
    return detail::wanted(Operation::partition, keys, selected);
}

/// As select_by_key(), and the other elements behind them.
template <class M>
CallIn<M> partition_by_key(const KeyRangeIn<M>& keys, const ValueRangeIn<M>& values, const DistinctIn<M>& selected,
                           const ValueRangeIn<M>& kept) {
    return detail::wanted(Operation::partition, keys, selected)
        .values(values, keys.count)
        .result_values(kept, detail::Room::some);
}

/// Writes where each of the needles belongs in sorted keys, ahead of equal ones. Needles have the type of the keys, and
/// their order, or say nothing of it.
template <class M>
CallIn<M> lower_bound(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& needles, const ValueRangeIn<M>& indices) {
    return detail::CallBuilder(Operation::lower_bound, keys).needles({Operation::lower_bound, needles}, indices, 1);
}

/// The same behind equal keys.
template <class M>
CallIn<M> upper_bound(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& needles, const ValueRangeIn<M>& indices) {
    return detail::CallBuilder(Operation::upper_bound, keys).needles({Operation::upper_bound, needles}, indices, 1);
}

/// Both, one after the other for each needle.
template <class M>
CallIn<M> equal_range(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& needles, const ValueRangeIn<M>& indices) {
    return detail::CallBuilder(Operation::equal_range, keys).needles({Operation::equal_range, needles}, indices, 2);
}

/// Writes results[i] = values[indices[i]] for so many indices, of `count` values.
template <class M>
CallIn<M> gather(const ValueRangeIn<M>& values, std::size_t count, const ValueRangeIn<M>& indices,
                 std::size_t index_count, const ValueRangeIn<M>& results) {
    return detail::CallBuilder(Operation::gather, count, values, indices, index_count)
        .moved(index_count, results, index_count);
}

/// Writes results[indices[i]] = values[i] for so many values and indices, into `count` results.
template <class M>
CallIn<M> scatter(const ValueRangeIn<M>& values, const ValueRangeIn<M>& indices, std::size_t index_count,
                  const ValueRangeIn<M>& results, std::size_t count) {
    return detail::CallBuilder(Operation::scatter, count, values, indices, index_count)
        .moved(index_count, results, count);
}

/// Brings `count` values into the order of as many indices, in place: value indices[i] comes to place i.
template <class M>
CallIn<M> permute(const ValueRangeIn<M>& values, std::size_t count, const ValueRangeIn<M>& indices) {
    return detail::CallBuilder(Operation::permute, count, values, indices, count);
}

/// Counts the keys in each of counts.bins even bins.
template <class M>
CallIn<M> histogram(const KeyRangeIn<M>& keys, const EvenBins& bins, const CountsIn<M>& counts) {
    return detail::CallBuilder(Operation::histogram, keys).bounds(bins).counts(counts);
}

/// The same in bins that sorted keys bound, of which there is one more than bins. They have the type of the keys.
template <class M>
CallIn<M> histogram(const KeyRangeIn<M>& keys, const KeyRangeIn<M>& bounds, const CountsIn<M>& counts) {
    return detail::CallBuilder(Operation::histogram, keys)
        .bounds({Operation::histogram, bounds}, counts.bins)
        .counts(counts);
}

}  // namespace lanesort::inline v0_1
