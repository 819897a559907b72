/// @file
/// Sorting keys that are in the caller's own OpenCL buffer, on the caller's own queue.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <lanesort/sorter.hpp>

// OpenCL's handles, as CL/cl.h declares them: including it here would fix the version for everyone who includes us.
typedef struct _cl_context* cl_context;              ///< an OpenCL context
typedef struct _cl_device_id* cl_device_id;          ///< a device
typedef struct _cl_command_queue* cl_command_queue;  ///< a queue
typedef struct _cl_mem* cl_mem;                      ///< a buffer
typedef struct _cl_event* cl_event;                  ///< an event

/// Sorting in the caller's own buffers, on the caller's own queue. Enqueues, and neither blocks nor flushes.
namespace lanesort::opencl {

/// A sorter in the caller's context, for that device of it. Retains the context.
/// Throws as Sorter's constructor does, and Error(wrong_context) if the context does not hold the device.
Sorter make_sorter(cl_context context, cl_device_id device, SorterOptions options = {});

/// Where segments begin and end: `count` + 1 offsets, unsigned integers of `bytes` bytes (4 or 8), in keys from the
/// first key of the range, beginning `offset` integers after the buffer's start. Segment i has the keys from offset i
/// to offset i + 1. The device reads them when the sort runs; the host never does, so the caller states the longest
/// segment. Of a longer one only the first `longest` keys are sorted, and nothing beyond the range is touched whatever
/// they say.
struct Segments {
    cl_mem buffer = nullptr;  ///< of the offsets; null: no segments
    std::size_t offset = 0;   ///< integers before the first one
    std::size_t count = 0;    ///< segments, one less than the offsets
    std::size_t longest = 0;  ///< keys of the longest segment, or more
    std::size_t bytes = 4;    ///< of an offset: 4 or 8
};

/// Keys in a buffer: `count` keys or records of that type, beginning `offset` keys (not bytes) after its start.
struct KeyRange {
    cl_mem buffer = nullptr;         ///< of the sorter's context
    std::size_t offset = 0;          ///< keys before the first one
    std::size_t count = 0;           ///< keys
    KeyKind type = KeyType::u32;     ///< numbers of a type, or records of a comparator
    Order order = Order::ascending;  ///< of numbers; records have the comparator's
    std::size_t row_length = 0;      ///< keys of a row, as SortOptions says; 0: the range is one
    Segments segments = {};          ///< each sorted by itself, all by the launches of the longest; null: none
    bool stable = false;             ///< as SortOptions says
    std::size_t first = all_keys;    ///< keys that are to be in their places, as SortOptions says
};

/// Sorts the keys in place, asynchronously, in the order of the queue (in-order or out-of-order).
///
/// Starts after the queue's earlier commands (in-order) and all events of `wait_list`. `event`, if asked for, is always
/// a valid event of the sort's end, also for 0 and 1 keys; the caller releases it. Allocates no device memory, except
/// for a stable sort of records 4 bytes a record (8 from 2^32 of them on), freed when the sort has ended. Does not
/// block, except to compile where the sorter was not prepared for such a sort (Sorter::prepare). Does not flush. Keys
/// outside the range are neither read nor written.
///
/// Before anything is enqueued, throws Error(wrong_context) for a queue, buffer or event of another context or a queue
/// of another device, Error(out_of_range) if the range reaches past the end of the buffer, Error(not_writable) for a
/// read-only buffer, Error(invalid_argument) for a write-only one and for a type or an order that is none,
/// Error(unsupported) for a sorter of another backend and Error(build_failed). After
/// Error(device_failed) from the enqueueing of a pass, the passes before it still run and the keys in the range are
/// unspecified.
SortReport enqueue_sort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                        std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// Values in a buffer, one for each key, of `bytes` bytes each (1, 2, 4, 8 or 16), beginning `offset` values (not
/// bytes) after its start.
struct ValueRange {
    cl_mem buffer = nullptr;  ///< may be that of the keys, where the two do not overlap
    std::size_t offset = 0;   ///< values before the first one
    std::size_t bytes = 4;    ///< of a value
};

/// Sorts the keys together with the values that belong to them, both in place: as Sorter::sort_by_key says, under the
/// contract of enqueue_sort. Allocates no device memory, except for a stable sort 4 bytes a key (8 from 2^32 on).
/// Throws Error(invalid_argument) also for values of another width and for keys and values that overlap, be it in one
/// buffer, in sub-buffers of it, or in the host memory that both buffers are made of.
SortReport enqueue_sort_by_key(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values,
                               std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// Merges two sorted ranges that lie side by side, in place: as Sorter::merge says, under the contract of enqueue_sort.
/// The second begins `middle` keys after the first. Throws Error(invalid_argument) also for rows, segments and
/// KeyRange::first, Error(out_of_range) for a middle behind the end.
SortReport enqueue_merge(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, std::size_t middle,
                         std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// The same for keys with their values, under the contract of enqueue_sort_by_key.
SortReport enqueue_merge_by_key(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values,
                                std::size_t middle, std::span<const cl_event> wait_list = {},
                                cl_event* event = nullptr);

/// Writes the indices that would sort the keys, of 4 or 8 bytes, and leaves the keys as they are: as Sorter::argsort
/// says, under the contract of enqueue_sort; the buffer of the keys may be read-only. Allocates device memory for a
/// copy of the keys, which is freed when the sort has ended.
SortReport enqueue_argsort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& indices,
                           std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// Where the selected keys go, and their indices if `indices.buffer` is not null.
struct Selected {
    cl_mem buffer = nullptr;  ///< with room for k keys of each row
    std::size_t offset = 0;   ///< keys before the first one
    ValueRange indices = {};  ///< of 4 or 8 bytes, counted from 0 in each row
};

/// Writes the first k keys of the range, or of each of its rows, in order: as Sorter::top_k says, under the contract of
/// enqueue_sort; the buffer of the keys may be read-only. The largest keys come first with Order::descending. Allocates
/// device memory for what launches leave for each other, as Sorter::top_k says; where k is so large that it sorts, for
/// a copy of the keys and their indices. It is freed when the selection has ended. Throws Error(invalid_argument) also
/// for k above the keys of a row, for segments, and for keys, results and indices that overlap.
SortReport enqueue_top_k(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, std::size_t k,
                         const Selected& selected, std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// Unsigned integers of 64 bits in a buffer, beginning `offset` integers after its start.
struct Integers {
    cl_mem buffer = nullptr;  ///< of the sorter's context
    std::size_t offset = 0;   ///< integers before the first one
};

/// Writes to `in_order` how many keys from the first on are in order, as one integer for the range or one for each of
/// its rows: as Sorter::is_sorted_until says, under the contract of enqueue_sort; the buffer of the keys may be
/// read-only. Allocates device memory for what the work-groups leave, 8 bytes for each of at most 16 a compute unit.
/// Throws Error(invalid_argument) also for segments and for keys and results that overlap.
SortReport enqueue_is_sorted_until(Sorter& sorter, cl_command_queue queue, const KeyRange& keys,
                                   const Integers& in_order, std::span<const cl_event> wait_list = {},
                                   cl_event* event = nullptr);

/// The same, but writes 1 where all keys are in order, else 0.
SortReport enqueue_is_sorted(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Integers& sorted,
                             std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// Where the distinct keys go, with room for as many as there are keys, and their number.
struct Distinct {
    cl_mem buffer = nullptr;  ///< of the sorter's context
    std::size_t offset = 0;   ///< keys before the first one
    Integers number = {};     ///< one integer: how many distinct keys there are
};

/// Writes the distinct keys of a sorted range, in order, and their number: as Sorter::unique says, under the contract
/// of enqueue_sort; the buffer of the keys may be read-only. No more keys than that number are written. Allocates
/// device memory for what the work-groups leave, 16 bytes for each of at most 16 a compute unit. Throws
/// Error(invalid_argument) also for rows, segments and for arrays that overlap.
SortReport enqueue_unique(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Distinct& distinct,
                          std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

/// The same with how often each of these keys comes, in integers of 4 or 8 bytes, with room for as many as there are
/// keys. Throws Error(too_large) for 2^32 keys or more and integers of 4 bytes.
SortReport enqueue_run_lengths(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const Distinct& distinct,
                               const ValueRange& lengths, std::span<const cl_event> wait_list = {},
                               cl_event* event = nullptr);

/// A sort of one range on one queue, recorded once and enqueued many times: as a command buffer where the device has
/// cl_khr_command_buffer, else as the same launches one by one. That of a stable sort keeps the indices' memory. Uses
/// the sorter's kernels: it must not outlive the sorter, and serves the same thread. Its destructor waits for the last
/// replay.
class RecordedSort {
public:
    /// Records; enqueues nothing. Checks and throws as enqueue_sort does. Retains queue and buffer.
    RecordedSort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys);
    /// The same for a sort of keys with their values.
    RecordedSort(Sorter& sorter, cl_command_queue queue, const KeyRange& keys, const ValueRange& values);
    /// A recorded sort that was moved from may only be assigned to or destroyed.
    RecordedSort(RecordedSort&&) noexcept;
    /// As the move constructor says.
    RecordedSort& operator=(RecordedSort&&) noexcept;
    ~RecordedSort();

    /// Enqueues the sort of the range's present keys; wait list, event and order as in enqueue_sort.
    SortReport enqueue(std::span<const cl_event> wait_list = {}, cl_event* event = nullptr);

    /// The device replays a command buffer.
    bool uses_command_buffer() const noexcept;

    struct State;

private:
    std::unique_ptr<State> state_;
};

/// enqueue_sort for the C++ wrappers of CL/opencl.hpp, which this header need not include: anything whose call operator
/// gives the OpenCL handle. `event`, if given, is overwritten.
template <class Queue, class Event>
requires requires(const Queue& queue, Event& event) {
    { queue() } -> std::convertible_to<cl_command_queue>;
    { event() } -> std::convertible_to<cl_event>;
}
SortReport enqueue_sort(Sorter& sorter, const Queue& queue, const KeyRange& keys, const std::vector<Event>* wait_list,
                        Event* event = nullptr) {
    std::vector<cl_event> handles;
    if (wait_list)
        for (const Event& waited : *wait_list) handles.push_back(waited());
    cl_event finished = nullptr;
    const SortReport report = enqueue_sort(sorter, queue(), keys, handles, event ? &finished : nullptr);
    if (event) *event = Event(finished);
    return report;
}

}  // namespace lanesort::opencl
