/// @file
/// Sorting keys that are in the caller's own CUDA memory, on the caller's own stream. Needs no CUDA header: the types
/// of the driver and of the runtime API are pointers to the same structures.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <lanesort/sorter.hpp>

struct CUstream_st;
struct CUevent_st;

/// Sorting in the caller's own device memory, on the caller's own stream. Enqueues, and does not block.
namespace lanesort::cuda {

using Stream = CUstream_st*;  ///< a CUstream or a cudaStream_t; null is the default stream
using Event = CUevent_st*;    ///< a CUevent or a cudaEvent_t

/// What of CUDA this machine has. Versions are 1000 * major + 10 * minor, and 0 where they cannot be asked for.
struct Installation {
    std::string driver_absence;    ///< why no driver can be used, with the driver's own name for it; empty if one can
    std::string compiler_absence;  ///< the same for NVRTC
    int driver_version = 0;        ///< the newest CUDA that the driver knows
    int compiler_version = 0;      ///< NVRTC's
    bool is_built_in = true;       ///< the library was built with CUDA's headers
};

/// Looks for the driver and NVRTC as devices() does. Throws nothing but std::bad_alloc.
Installation installation();

/// A sorter for the device of that number, in its primary context, which is the one that the CUDA runtime API uses.
/// Throws as Sorter's constructor does, and Error(no_device) where there is no driver or no such device.
/// What its calls take from the device they take from a pool of the sorter's, which keeps up to 64 MiB for the next
/// call.
Sorter make_sorter(int device = 0, SorterOptions options = {});

/// Where segments begin and end: `count` + 1 offsets, unsigned integers of `bytes` bytes (4 or 8), in keys from the
/// first key of the range, beginning `offset` integers after `offsets`. Segment i has the keys from offset i to offset
/// i + 1. The device reads them when the sort runs; the host never does, so the caller states the longest segment. Of a
/// longer one only the first `longest` keys are sorted, and nothing beyond the range is touched whatever they say.
struct Segments {
    const void* offsets = nullptr;  ///< a device pointer as KeyRange's, aligned to the integer
    std::size_t offset = 0;         ///< integers before the first one
    std::size_t count = 0;          ///< segments, one less than the offsets
    std::size_t longest = 0;        ///< keys of the longest segment, or more
    std::size_t bytes = 4;          ///< of an offset: 4 or 8
};

/// Keys in device memory: `count` keys or records of that type, beginning `offset` keys (not bytes) after `keys`.
struct KeyRange {
    /// A device pointer (cudaMalloc, cuMemAlloc or managed memory), aligned to the key; for records to the largest
    /// power of two up to 16 that divides their bytes.
    void* keys = nullptr;
    std::size_t offset = 0;          ///< keys before the first one
    std::size_t count = 0;           ///< keys
    KeyKind type = KeyType::u32;     ///< numbers of a type, or records of a comparator
    Order order = Order::ascending;  ///< of numbers; records have the comparator's
    std::size_t row_length = 0;      ///< keys of a row, as SortOptions says; 0: the range is one
    Segments segments = {};          ///< each sorted by itself, all by the launches of the longest; null: none
    bool stable = false;             ///< as SortOptions says
    std::size_t first = all_keys;    ///< keys that are to be in their places, as SortOptions says
};

/// Sorts the keys in place, asynchronously, in the order of the stream.
///
/// Starts after the stream's earlier work and all events of `wait_list`; `event`, if given, is recorded at the sort's
/// end. Allocates no device memory, except for a stable sort of records 4 bytes a record (8 from 2^32 of them on) from
/// the sorter's pool. Does not block and does not synchronise, except to compile where the sorter was not prepared for
/// such a sort (Sorter::prepare). May be called while the stream is being captured, with a prepared sorter. The
/// caller's current context is left as it was. Keys outside the range are neither read nor written.
///
/// Before anything is enqueued, throws Error(invalid_argument) for memory that is not the device's, or not aligned,
/// Error(wrong_context) for a stream of another context, Error(out_of_range) if the range reaches past the end of the
/// allocation, Error(unsupported) for a sorter of another backend and Error(build_failed). After Error(device_failed)
/// the keys in the range are unspecified.
SortReport enqueue_sort(Sorter& sorter, Stream stream, const KeyRange& keys, std::span<const Event> wait_list = {},
                        Event event = nullptr);

/// Values in device memory, one for each key, of `bytes` bytes each (1, 2, 4, 8 or 16), beginning `offset` values (not
/// bytes) after `values`.
struct ValueRange {
    void* values = nullptr;  ///< a device pointer as KeyRange's, aligned to the value
    std::size_t offset = 0;  ///< values before the first one
    std::size_t bytes = 4;   ///< of a value
};

/// Sorts the keys together with the values that belong to them, both in place: as Sorter::sort_by_key says, under the
/// contract of enqueue_sort. Allocates no device memory, except for a stable sort 4 bytes a key (8 from 2^32 on) from
/// the sorter's pool. Throws Error(invalid_argument) also for values of another width and for keys and values that
/// overlap.
SortReport enqueue_sort_by_key(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& values,
                               std::span<const Event> wait_list = {}, Event event = nullptr);

/// Merges two sorted ranges that lie side by side, in place: as Sorter::merge says, under the contract of enqueue_sort.
/// The second begins `middle` keys after the first. Throws Error(invalid_argument) also for rows, segments and
/// KeyRange::first, Error(out_of_range) for a middle behind the end.
SortReport enqueue_merge(Sorter& sorter, Stream stream, const KeyRange& keys, std::size_t middle,
                         std::span<const Event> wait_list = {}, Event event = nullptr);

/// The same for keys with their values, under the contract of enqueue_sort_by_key.
SortReport enqueue_merge_by_key(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& values,
                                std::size_t middle, std::span<const Event> wait_list = {}, Event event = nullptr);

/// Writes the indices that would sort the keys, of 4 or 8 bytes, and leaves the keys as they are: as Sorter::argsort
/// says, under the contract of enqueue_sort. Takes device memory for a copy of the keys from the sorter's pool,
/// which is given back in the order of the stream.
SortReport enqueue_argsort(Sorter& sorter, Stream stream, const KeyRange& keys, const ValueRange& indices,
                           std::span<const Event> wait_list = {}, Event event = nullptr);

/// Where the selected keys go, and their indices if `indices.values` is not null.
struct Selected {
    void* keys = nullptr;     ///< a device pointer as KeyRange's, with room for k keys of each row
    std::size_t offset = 0;   ///< keys before the first one
    ValueRange indices = {};  ///< of 4 or 8 bytes, counted from 0 in each row
};

/// Writes the first k keys of the range, or of each of its rows, in order: as Sorter::top_k says, under the contract of
/// enqueue_sort. The largest keys come first with Order::descending. Takes memory of the sorter's pool for what
/// launches leave for each other, as Sorter::top_k says; where k is so large that it sorts, for a copy of the keys and
/// their indices. Throws Error(invalid_argument) also for k above the keys of a row, for segments, and for keys,
/// results and indices that overlap.
SortReport enqueue_top_k(Sorter& sorter, Stream stream, const KeyRange& keys, std::size_t k, const Selected& selected,
                         std::span<const Event> wait_list = {}, Event event = nullptr);

/// Unsigned integers of 64 bits in device memory, beginning `offset` integers after the pointer.
struct Integers {
    void* integers = nullptr;  ///< a device pointer as KeyRange's, aligned to 8 bytes
    std::size_t offset = 0;    ///< integers before the first one
};

/// Writes to `in_order` how many keys from the first on are in order, as one integer for the range or one for each of
/// its rows: as Sorter::is_sorted_until says, under the contract of enqueue_sort. Takes memory of the sorter's pool for
/// what the work-groups leave, 8 bytes for each of at most 16 a multiprocessor. Throws Error(invalid_argument) also for
/// segments and for keys and results that overlap.
SortReport enqueue_is_sorted_until(Sorter& sorter, Stream stream, const KeyRange& keys, const Integers& in_order,
                                   std::span<const Event> wait_list = {}, Event event = nullptr);

/// The same, but writes 1 where all keys are in order, else 0.
SortReport enqueue_is_sorted(Sorter& sorter, Stream stream, const KeyRange& keys, const Integers& sorted,
                             std::span<const Event> wait_list = {}, Event event = nullptr);

/// Where the distinct keys go, with room for as many as there are keys, and their number.
struct Distinct {
    void* keys = nullptr;    ///< a device pointer as KeyRange's
    std::size_t offset = 0;  ///< keys before the first one
    Integers number = {};    ///< one integer: how many distinct keys there are
};

/// Writes the distinct keys of a sorted range, in order, and their number: as Sorter::unique says, under the contract
/// of enqueue_sort. No more keys than that number are written. Takes memory of the sorter's pool for what the
/// work-groups leave, 16 bytes for each of at most 16 a multiprocessor. Throws Error(invalid_argument) also for rows,
/// segments and for arrays that overlap.
SortReport enqueue_unique(Sorter& sorter, Stream stream, const KeyRange& keys, const Distinct& distinct,
                          std::span<const Event> wait_list = {}, Event event = nullptr);

/// The same with how often each of these keys comes, in integers of 4 or 8 bytes, with room for as many as there are
/// keys. Throws Error(too_large) for 2^32 keys or more and integers of 4 bytes.
SortReport enqueue_run_lengths(Sorter& sorter, Stream stream, const KeyRange& keys, const Distinct& distinct,
                               const ValueRange& lengths, std::span<const Event> wait_list = {}, Event event = nullptr);

/// A sort of one range, recorded once as a CUDA graph and enqueued many times, for less than its launches would cost.
/// Uses the sorter's kernels and the range's memory, which must outlive it; serves the sorter's thread. The indices of
/// a stable sort are memory of the graph.
class RecordedSort {
public:
    /// Records; enqueues nothing. Checks and throws as enqueue_sort does.
    RecordedSort(Sorter& sorter, const KeyRange& keys);
    /// The same for a sort of keys with their values.
    RecordedSort(Sorter& sorter, const KeyRange& keys, const ValueRange& values);
    /// A recorded sort that was moved from may only be assigned to or destroyed.
    RecordedSort(RecordedSort&&) noexcept;
    /// As the move constructor says.
    RecordedSort& operator=(RecordedSort&&) noexcept;
    ~RecordedSort();

    /// Enqueues the sort of the range's present keys, in the order of the stream.
    SortReport enqueue(Stream stream);

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace lanesort::cuda
