/// @file
/// lanesort in C. Every function is one of the C++ headers under a longer name: lanesort_sort is Sorter::sort of
/// sorter.hpp, lanesort_opencl_enqueue_sort is opencl::enqueue_sort of opencl.hpp, lanesort_cuda_enqueue_sort is
/// cuda::enqueue_sort of cuda.hpp. Those say what each does, which memory it takes and when it waits; here is what C
/// adds.
///
/// Calls return a status and never throw. A call that failed for a reason that the caller can mend has enqueued nothing
/// and changed nothing; the sorter stays usable after every error. One sorter serves one thread at a time; different
/// sorters are independent. A thread must not be cancelled (pthread_cancel) while it is inside a call.
///
/// Structures that are all zeros have sensible defaults, so name only the members that you need:
///     const lanesort_key_range keys = {.memory = buffer, .count = n, .type = LANESORT_F32};
/// They, the numbers of the constants and the functions stay as they are within a version, lanesort_version() up to the
/// last point; a program that loads the library by itself must have been written for that version.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LANESORT_API __attribute__((visibility("default")))
#else
#define LANESORT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The handles of OpenCL and CUDA, as their own headers declare them; a cudaStream_t is a CUstream_st*, a cudaEvent_t a
// CUevent_st*.
typedef struct _cl_context* cl_context;              ///< an OpenCL context
typedef struct _cl_device_id* cl_device_id;          ///< a device
typedef struct _cl_command_queue* cl_command_queue;  ///< a queue
typedef struct _cl_event* cl_event;                  ///< an event
struct CUstream_st;
struct CUevent_st;

/// The version of the library, "MAJOR.MINOR.PATCH".
LANESORT_API const char* lanesort_version(void);

// ---- Errors -------------------------------------------------------------------------------------------------------

/// How a call ended: ErrorCode of error.hpp says what each means.
typedef int32_t lanesort_status;
enum {
    LANESORT_SUCCESS = 0,           ///< all is well
    LANESORT_INVALID_ARGUMENT = 1,  ///< also a null pointer that must not be, and a constant that is not one
    LANESORT_NO_PLATFORM = 2,       ///< no OpenCL platform is installed
    LANESORT_NO_DEVICE = 3,         ///< platforms, but no device
    LANESORT_UNKNOWN_DEVICE = 4,    ///< no device of the name that was asked for
    LANESORT_UNSUPPORTED = 5,       ///< the device lacks what the call needs
    LANESORT_OUT_OF_RANGE = 6,      ///< offset and count reach past the end of the memory
    LANESORT_NOT_WRITABLE = 7,      ///< the buffer is read-only
    LANESORT_WRONG_CONTEXT = 8,     ///< queue, buffer or event of another context or device
    LANESORT_TOO_LARGE = 9,         ///< more keys than the device can hold in one allocation
    LANESORT_BUILD_FAILED = 10,     ///< the device's compiler refused a kernel
    LANESORT_OUT_OF_MEMORY = 11,    ///< the host or the device ran out of memory
    LANESORT_DEVICE_FAILED = 12,    ///< a call to the device failed
    LANESORT_UNEXPECTED = 13        ///< none of the above: what a progress function threw, or a fault of the library
};

/// The status in words, e.g. "out of range". For a number that is no status: "unknown status".
LANESORT_API const char* lanesort_status_name(lanesort_status status);

// What follows tells of the calling thread's latest call that failed; a success does not clear it. Texts are never
// null, belong to the library and last until the thread's next failure.

/// A sentence for a person; empty before the first failure.
LANESORT_API const char* lanesort_last_error(void);
/// The device call that failed, by name; empty where none did.
LANESORT_API const char* lanesort_last_device_call(void);
/// The numeric status of that call; 0 where none failed.
LANESORT_API int lanesort_last_device_status(void);
/// The log of the device's compiler; empty unless the status was LANESORT_BUILD_FAILED.
LANESORT_API const char* lanesort_last_build_log(void);

// ---- Sorters ------------------------------------------------------------------------------------------------------

/// A Sorter of sorter.hpp.
typedef struct lanesort_sorter lanesort_sorter;

/// SorterOptions.
typedef struct lanesort_options {
    const char* shape_file;  ///< null: the file of `lanesort tune`
    int32_t ignore_tuned;    ///< not 0: no shapes of `lanesort tune`
    /// Called by calls on host memory in the calling thread after each pass; null: not. Must return.
    void (*progress)(size_t passes_done, size_t passes, void* progress_context);
    void* progress_context;  ///< handed to `progress` as it is
} lanesort_options;

/// Makes a sorter on the device that `selector` names: its number, or a part of its name; null or "" is the first GPU,
/// or else the first device. `options` may be null. The caller destroys the sorter. After an error it is null. Fails
/// as find_device of device.hpp and the constructor of Sorter do.
LANESORT_API lanesort_status lanesort_create(lanesort_sorter** sorter, const char* selector,
                                             const lanesort_options* options);

/// The same in the caller's OpenCL context, which it retains, for that device of it: opencl::make_sorter.
LANESORT_API lanesort_status lanesort_opencl_create(lanesort_sorter** sorter, cl_context context, cl_device_id device,
                                                    const lanesort_options* options);

/// The same for the CUDA device of that number, in its primary context: cuda::make_sorter.
LANESORT_API lanesort_status lanesort_cuda_create(lanesort_sorter** sorter, int device,
                                                  const lanesort_options* options);

/// Destroys a sorter, whose recorded sorts must be gone; null is allowed. What it enqueued on a CUDA stream must have
/// ended, since the kernels go with it.
LANESORT_API void lanesort_destroy(lanesort_sorter* sorter);

/// The name of the sorter's device. Lasts until the sorter's next call; empty for a null sorter.
LANESORT_API const char* lanesort_device_name(const lanesort_sorter* sorter);
/// Why tuned shapes are not used, as Sorter::note says. Lasts as long.
LANESORT_API const char* lanesort_note(const lanesort_sorter* sorter);

/// SortReport.
typedef struct lanesort_report {
    uint64_t launches;        ///< kernels
    uint64_t hand_overs;      ///< points where the work-items of a group synchronised, over all launches
    uint64_t barriers;        ///< that each work-item met, over all launches
    uint64_t device_bytes;    ///< device memory that the call allocated
    double upload_seconds;    ///< 0, as the next two, for asynchronous calls
    double sort_seconds;      ///< wall time of all passes
    double download_seconds;  ///< wall time from the device
} lanesort_report;

/// What the sorter's latest successful call did. On host memory lanesort_is_sorted and those behind it in this header
/// have no report and leave the one before.
LANESORT_API lanesort_status lanesort_last_report(const lanesort_sorter* sorter, lanesort_report* report);

// ---- Keys ---------------------------------------------------------------------------------------------------------

/// KeyType of key_types.hpp.
typedef int32_t lanesort_key_type;
enum {
    LANESORT_U32 = 0,  ///< unsigned, 32 bits
    LANESORT_I32 = 1,  ///< signed, 32 bits
    LANESORT_F32 = 2,  ///< IEEE 754 binary32, float
    LANESORT_U64 = 3,  ///< unsigned, 64 bits
    LANESORT_I64 = 4,  ///< signed, 64 bits
    LANESORT_F64 = 5,  ///< IEEE 754 binary64, double
    LANESORT_U16 = 6,  ///< unsigned, 16 bits
    LANESORT_I16 = 7,  ///< signed, 16 bits
    LANESORT_F16 = 8,  ///< IEEE 754 binary16
    LANESORT_U8 = 9,   ///< unsigned integers of 8 bits
    LANESORT_I8 = 10   ///< signed, 8 bits
};

/// Order of key_types.hpp: -0 before +0, every NaN after +infinity; or the exact reverse.
typedef int32_t lanesort_order;
enum {
    LANESORT_ASCENDING = 0,  ///< the smallest key first
    LANESORT_DESCENDING = 1  ///< the largest key first
};

/// Records and their order: Comparator of comparator.hpp. The texts need only last for the call.
typedef struct lanesort_comparator {
    const char* type;          ///< the name of the records' type
    size_t bytes;              ///< its size, 1 to 64
    const char* before;        ///< an expression of `a` and `b`: whether a comes before b
    const char* declarations;  ///< the type's definition, functions; null: none
} lanesort_comparator;

// Arrays. `memory` is a cl_mem for functions named lanesort_opencl_, a pointer to device memory for those named
// lanesort_cuda_, and one to host memory for the others. The array begins `offset` elements, not bytes, behind it.

/// Where segments begin and end: `count` + 1 offsets in keys from the first key of the range. Host memory: SortOptions;
/// device memory: Segments of opencl.hpp and cuda.hpp.
typedef struct lanesort_segments {
    const void* memory;  ///< null: no segments
    size_t offset;       ///< integers before the first one
    size_t count;        ///< segments, one less than the offsets
    size_t longest;      ///< keys of the longest segment, or more; not read for host memory
    size_t bytes;        ///< of an offset: 4 or 8, in host memory 8; 0: 8
} lanesort_segments;

/// The keys of a call: KeyRange of opencl.hpp and cuda.hpp, SortOptions of sorter.hpp.
typedef struct lanesort_key_range {
    void* memory;                           ///< of the keys
    size_t offset;                          ///< keys before the first one
    size_t count;                           ///< keys
    lanesort_key_type type;                 ///< of numbers
    lanesort_order order;                   ///< of numbers; also of top_k, so ask for the largest with descending
    const lanesort_comparator* comparator;  ///< the keys are records in that order; null: numbers
    size_t row_length;                      ///< keys of a row, each sorted by itself; 0: no rows
    lanesort_segments segments;             ///< each sorted by itself
    int32_t stable;                         ///< not 0: equal elements keep their order
    size_t first;                           ///< keys that are to be in their places, in front; 0: all
} lanesort_key_range;

/// Values, indices or lengths, one for each key.
typedef struct lanesort_values {
    void* memory;   ///< of the values
    size_t offset;  ///< values before the first one
    size_t bytes;   ///< of a value: 1, 2, 4, 8 or 16; of an index or a length: 4 or 8; 0: 4
} lanesort_values;

/// Unsigned integers of 64 bits.
typedef struct lanesort_integers {
    void* memory;   ///< of the integers
    size_t offset;  ///< integers before the first one
} lanesort_integers;

/// Where the keys of top_k go, and their indices unless indices.memory is null.
typedef struct lanesort_selected {
    void* memory;             ///< of the selected keys
    size_t offset;            ///< keys before the first one
    lanesort_values indices;  ///< counted from 0 in each row
} lanesort_selected;

/// Where distinct keys go, with room for as many as there are keys, and their number.
typedef struct lanesort_distinct {
    void* memory;              ///< of the distinct keys
    size_t offset;             ///< keys before the first one
    lanesort_integers number;  ///< one integer: how many there are
} lanesort_distinct;

/// A call to prepare for.
typedef int32_t lanesort_call;
enum {
    LANESORT_CALL_SORT = 0,        ///< also by key, and argsort
    LANESORT_CALL_MERGE = 1,       ///< also by key
    LANESORT_CALL_TOP_K = 2,       ///< k is `first` of the keys, also where that is 0
    LANESORT_CALL_IS_SORTED = 3,   ///< also is_sorted_until
    LANESORT_CALL_UNIQUE = 4,      ///< the distinct keys alone
    LANESORT_CALL_RUN_LENGTHS = 5  ///< with how often each comes
};

/// Compiles now what such a call on such keys needs, so that the call does not: Sorter::prepare. Of the keys `memory`,
/// `offset` and `order` do not matter, of segments only `longest` (0: no segments), `count` (0: as many as if all were
/// the longest) and `bytes`. `value_bytes`: of a value, 0: none. `index_bytes`: of an index or a length, 0: none. Fails as the call would.
LANESORT_API lanesort_status lanesort_prepare(lanesort_sorter* sorter, lanesort_call call,
                                              const lanesort_key_range* keys, size_t value_bytes, size_t index_bytes);

/// Frees the programs that the sorter compiled so far: Sorter::release.
LANESORT_API lanesort_status lanesort_release(lanesort_sorter* sorter);

// ---- Host memory --------------------------------------------------------------------------------------------------
// These block. Memory, order and errors are those of Sorter's functions for types known at run time.

/// Sorts in place.
LANESORT_API lanesort_status lanesort_sort(lanesort_sorter* sorter, const lanesort_key_range* keys);

/// Sorts keys together with their values, of 1, 2, 4, 8 or 16 bytes each.
LANESORT_API lanesort_status lanesort_sort_by_key(lanesort_sorter* sorter, const lanesort_key_range* keys, void* values,
                                                  size_t value_bytes);

/// Writes the indices that would sort the keys, of 4 or 8 bytes each; the keys stay as they are.
LANESORT_API lanesort_status lanesort_argsort(lanesort_sorter* sorter, const lanesort_key_range* keys, void* indices,
                                              size_t index_bytes);

/// Merges two sorted ranges side by side, the second of which begins `middle` keys behind the first.
LANESORT_API lanesort_status lanesort_merge(lanesort_sorter* sorter, const lanesort_key_range* keys, size_t middle);

/// The same with values.
LANESORT_API lanesort_status lanesort_merge_by_key(lanesort_sorter* sorter, const lanesort_key_range* keys,
                                                   size_t middle, void* values, size_t value_bytes);

/// Writes the first k keys of the range, or of each of its rows, to `best`, and their indices, of 4 or 8 bytes each,
/// unless `indices` is null. The keys stay as they are.
LANESORT_API lanesort_status lanesort_top_k(lanesort_sorter* sorter, const lanesort_key_range* keys, size_t k,
                                            void* best, void* indices, size_t index_bytes);

/// Writes 1 if all keys, or those of every row, are in order, else 0.
LANESORT_API lanesort_status lanesort_is_sorted(lanesort_sorter* sorter, const lanesort_key_range* keys,
                                                int32_t* sorted);

/// Writes how many keys from the first on are in order, with a row length one number for each row.
LANESORT_API lanesort_status lanesort_is_sorted_until(lanesort_sorter* sorter, const lanesort_key_range* keys,
                                                      uint64_t* in_order);

/// Writes the distinct keys of a sorted range to `distinct`, which has room for all keys, and their number.
LANESORT_API lanesort_status lanesort_unique(lanesort_sorter* sorter, const lanesort_key_range* keys, void* distinct,
                                             uint64_t* number);

/// The same with how often each comes, in integers of 4 or 8 bytes with room for as many as there are keys.
LANESORT_API lanesort_status lanesort_run_lengths(lanesort_sorter* sorter, const lanesort_key_range* keys,
                                                  void* distinct, void* lengths, size_t length_bytes, uint64_t* number);

// ---- OpenCL buffers -----------------------------------------------------------------------------------------------
// The contract of opencl::enqueue_sort: in the order of the caller's queue, after the `waits` events of `wait_list`
// (null if there are none), without blocking and without flushing. `event`, unless null, is overwritten on success with
// a valid event of the call's end, which the caller releases; after an error it is as it was.

/// Sorts in place.
LANESORT_API lanesort_status lanesort_opencl_enqueue_sort(lanesort_sorter* sorter, cl_command_queue queue,
                                                          const lanesort_key_range* keys, size_t waits,
                                                          const cl_event* wait_list, cl_event* event);

/// Sorts keys together with their values, both in place.
LANESORT_API lanesort_status lanesort_opencl_enqueue_sort_by_key(lanesort_sorter* sorter, cl_command_queue queue,
                                                                 const lanesort_key_range* keys,
                                                                 const lanesort_values* values, size_t waits,
                                                                 const cl_event* wait_list, cl_event* event);

/// The second range begins `middle` keys behind the first.
LANESORT_API lanesort_status lanesort_opencl_enqueue_merge(lanesort_sorter* sorter, cl_command_queue queue,
                                                           const lanesort_key_range* keys, size_t middle, size_t waits,
                                                           const cl_event* wait_list, cl_event* event);

/// The same for keys with their values.
LANESORT_API lanesort_status lanesort_opencl_enqueue_merge_by_key(lanesort_sorter* sorter, cl_command_queue queue,
                                                                  const lanesort_key_range* keys,
                                                                  const lanesort_values* values, size_t middle,
                                                                  size_t waits, const cl_event* wait_list,
                                                                  cl_event* event);

/// Takes device memory for a copy of the keys.
LANESORT_API lanesort_status lanesort_opencl_enqueue_argsort(lanesort_sorter* sorter, cl_command_queue queue,
                                                             const lanesort_key_range* keys,
                                                             const lanesort_values* indices, size_t waits,
                                                             const cl_event* wait_list, cl_event* event);

/// k of each row, if there are rows. Takes device memory for what the work-groups select.
LANESORT_API lanesort_status lanesort_opencl_enqueue_top_k(lanesort_sorter* sorter, cl_command_queue queue,
                                                           const lanesort_key_range* keys, size_t k,
                                                           const lanesort_selected* selected, size_t waits,
                                                           const cl_event* wait_list, cl_event* event);

/// Writes one integer for each row, if there are rows: 1 where the keys are in order, else 0.
LANESORT_API lanesort_status lanesort_opencl_enqueue_is_sorted(lanesort_sorter* sorter, cl_command_queue queue,
                                                               const lanesort_key_range* keys,
                                                               const lanesort_integers* sorted, size_t waits,
                                                               const cl_event* wait_list, cl_event* event);

/// The same, but how many keys from the first on are in order.
LANESORT_API lanesort_status lanesort_opencl_enqueue_is_sorted_until(lanesort_sorter* sorter, cl_command_queue queue,
                                                                     const lanesort_key_range* keys,
                                                                     const lanesort_integers* in_order, size_t waits,
                                                                     const cl_event* wait_list, cl_event* event);

/// Writes the distinct keys of a sorted range and their number.
LANESORT_API lanesort_status lanesort_opencl_enqueue_unique(lanesort_sorter* sorter, cl_command_queue queue,
                                                            const lanesort_key_range* keys,
                                                            const lanesort_distinct* distinct, size_t waits,
                                                            const cl_event* wait_list, cl_event* event);

/// The same with how often each of them comes, in integers of 4 or 8 bytes.
LANESORT_API lanesort_status lanesort_opencl_enqueue_run_lengths(lanesort_sorter* sorter, cl_command_queue queue,
                                                                 const lanesort_key_range* keys,
                                                                 const lanesort_distinct* distinct,
                                                                 const lanesort_values* lengths, size_t waits,
                                                                 const cl_event* wait_list, cl_event* event);

/// A sort of one range, recorded once and enqueued many times: opencl::RecordedSort. Must not outlive its sorter, and
/// serves the same thread.
typedef struct lanesort_opencl_recorded_sort lanesort_opencl_recorded_sort;

/// Records the sort of the keys, with their values unless `values` is null; enqueues nothing. Retains queue and
/// buffers. After an error *recorded is null.
LANESORT_API lanesort_status lanesort_opencl_record_sort(lanesort_opencl_recorded_sort** recorded,
                                                         lanesort_sorter* sorter, cl_command_queue queue,
                                                         const lanesort_key_range* keys, const lanesort_values* values);

/// Enqueues it for the range's present keys.
LANESORT_API lanesort_status lanesort_opencl_enqueue_recorded_sort(lanesort_opencl_recorded_sort* recorded,
                                                                   size_t waits, const cl_event* wait_list,
                                                                   cl_event* event);

/// Waits for the last replay; null is allowed.
LANESORT_API void lanesort_opencl_destroy_recorded_sort(lanesort_opencl_recorded_sort* recorded);

// ---- CUDA memory --------------------------------------------------------------------------------------------------
// The contract of cuda::enqueue_sort: in the order of the caller's stream (null: the default stream), after the `waits`
// events of `wait_list` (null if there are none), without blocking. `event`, unless null, is recorded at the end. In a
// library that was built without CUDA's headers they fail with LANESORT_UNSUPPORTED, lanesort_cuda_create with
// LANESORT_NO_DEVICE.

/// Sorts in place.
LANESORT_API lanesort_status lanesort_cuda_enqueue_sort(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                        const lanesort_key_range* keys, size_t waits,
                                                        struct CUevent_st* const* wait_list, struct CUevent_st* event);

/// Sorts keys together with their values, both in place.
LANESORT_API lanesort_status lanesort_cuda_enqueue_sort_by_key(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                               const lanesort_key_range* keys,
                                                               const lanesort_values* values, size_t waits,
                                                               struct CUevent_st* const* wait_list,
                                                               struct CUevent_st* event);

/// The second range begins `middle` keys behind the first.
LANESORT_API lanesort_status lanesort_cuda_enqueue_merge(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                         const lanesort_key_range* keys, size_t middle, size_t waits,
                                                         struct CUevent_st* const* wait_list, struct CUevent_st* event);

/// The same for keys with their values.
LANESORT_API lanesort_status lanesort_cuda_enqueue_merge_by_key(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                                const lanesort_key_range* keys,
                                                                const lanesort_values* values, size_t middle,
                                                                size_t waits, struct CUevent_st* const* wait_list,
                                                                struct CUevent_st* event);

/// Takes memory of the sorter's pool for a copy of the keys.
LANESORT_API lanesort_status lanesort_cuda_enqueue_argsort(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                           const lanesort_key_range* keys,
                                                           const lanesort_values* indices, size_t waits,
                                                           struct CUevent_st* const* wait_list,
                                                           struct CUevent_st* event);

/// k of each row, if there are rows. Takes memory of the sorter's pool for what the work-groups select.
LANESORT_API lanesort_status lanesort_cuda_enqueue_top_k(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                         const lanesort_key_range* keys, size_t k,
                                                         const lanesort_selected* selected, size_t waits,
                                                         struct CUevent_st* const* wait_list, struct CUevent_st* event);

/// Writes one integer for each row, if there are rows: 1 where the keys are in order, else 0.
LANESORT_API lanesort_status lanesort_cuda_enqueue_is_sorted(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                             const lanesort_key_range* keys,
                                                             const lanesort_integers* sorted, size_t waits,
                                                             struct CUevent_st* const* wait_list,
                                                             struct CUevent_st* event);

/// The same, but how many keys from the first on are in order.
LANESORT_API lanesort_status lanesort_cuda_enqueue_is_sorted_until(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                                   const lanesort_key_range* keys,
                                                                   const lanesort_integers* in_order, size_t waits,
                                                                   struct CUevent_st* const* wait_list,
                                                                   struct CUevent_st* event);

/// Writes the distinct keys of a sorted range and their number.
LANESORT_API lanesort_status lanesort_cuda_enqueue_unique(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                          const lanesort_key_range* keys,
                                                          const lanesort_distinct* distinct, size_t waits,
                                                          struct CUevent_st* const* wait_list,
                                                          struct CUevent_st* event);

/// The same with how often each of them comes, in integers of 4 or 8 bytes.
LANESORT_API lanesort_status lanesort_cuda_enqueue_run_lengths(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                               const lanesort_key_range* keys,
                                                               const lanesort_distinct* distinct,
                                                               const lanesort_values* lengths, size_t waits,
                                                               struct CUevent_st* const* wait_list,
                                                               struct CUevent_st* event);

/// A sort of one range, recorded once and enqueued many times: cuda::RecordedSort. Must not outlive its sorter or the
/// memory of the range, and serves the sorter's thread.
typedef struct lanesort_cuda_recorded_sort lanesort_cuda_recorded_sort;

/// Records the sort of the keys, with their values unless `values` is null; enqueues nothing. After an error *recorded
/// is null.
LANESORT_API lanesort_status lanesort_cuda_record_sort(lanesort_cuda_recorded_sort** recorded, lanesort_sorter* sorter,
                                                       const lanesort_key_range* keys, const lanesort_values* values);

/// Enqueues it for the range's present keys, in the order of the stream.
LANESORT_API lanesort_status lanesort_cuda_enqueue_recorded_sort(lanesort_cuda_recorded_sort* recorded,
                                                                 struct CUstream_st* stream);

/// Null is allowed.
LANESORT_API void lanesort_cuda_destroy_recorded_sort(lanesort_cuda_recorded_sort* recorded);

#ifdef __cplusplus
}
#endif
