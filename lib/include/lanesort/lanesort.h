// SPDX-License-Identifier: MIT
/// @file
/// lanesort in C. A call is a request: a structure that says what is to be done with which arrays. lanesort_run runs it
/// on host memory, lanesort_opencl_enqueue and lanesort_cuda_enqueue on a device's. The C++ headers say what each
/// operation does, which memory it takes and when it waits (sorter.hpp, device_calls.hpp); here is what C adds.
///
/// Calls return a status and never throw. A call that failed for a reason that the caller can mend has enqueued nothing
/// and changed nothing; the sorter stays usable after every error. One sorter serves one thread at a time; different
/// sorters are independent. A thread must not be cancelled (pthread_cancel) while it is inside a call.
///
/// Structures that are all zeros have sensible defaults, so name only the members that you need:
///     const lanesort_request sort = {.memory = numbers, .count = n, .type = LANESORT_F32};
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

/// Makes a sorter on the device that `selector` names, as find_device() of device.hpp has it: "" or null is the first
/// GPU, or else the built-in device; "compiling" one that compiles. `options` may be null. The caller destroys the sorter.
///
/// Errors: as find_device() of device.hpp and the constructor of Sorter; the sorter is null then.
LANESORT_API lanesort_status lanesort_create(lanesort_sorter** sorter, const char* selector,
                                             const lanesort_options* options);

/// The same in the caller's OpenCL context, which it retains, for that device of it: opencl::make_sorter.
LANESORT_API lanesort_status lanesort_opencl_create(lanesort_sorter** sorter, cl_context context, cl_device_id device,
                                                    const lanesort_options* options);

/// The same for the CUDA device of that number, in its primary context: cu::make_sorter.
LANESORT_API lanesort_status lanesort_cuda_create(lanesort_sorter** sorter, int device,
                                                  const lanesort_options* options);

/// Destroys a sorter, whose recorded requests must be gone; null is allowed. What it enqueued on a CUDA stream must
/// have ended, since the kernels go with it.
LANESORT_API void lanesort_destroy(lanesort_sorter* sorter);

/// The name of the sorter's device. Lasts until the sorter's next call; empty for a null sorter.
LANESORT_API const char* lanesort_device_name(const lanesort_sorter* sorter);
/// Why tuned shapes are not used, as Sorter::note says. Lasts as long.
LANESORT_API const char* lanesort_note(const lanesort_sorter* sorter);

/// Schedule of request.hpp: how a sort of one range goes. All give the same bytes.
typedef int32_t lanesort_schedule;
enum {
    LANESORT_AUTOMATIC = 0,    ///< what is the fastest on the device
    LANESORT_NETWORK = 1,      ///< the passes of the bitonic network
    LANESORT_COLUMNS = 2,      ///< columns of tiles, as far as they suffice
    LANESORT_DISTRIBUTION = 3  ///< by splitters; depends on the keys, and takes a little device memory
};

/// SortReport.
typedef struct lanesort_report {
    uint64_t launches;        ///< kernels
    uint64_t hand_overs;      ///< points where the work-items of a group synchronised, over all launches
    uint64_t barriers;        ///< that each work-item met, over all launches
    uint64_t device_bytes;    ///< device memory that the call allocated
    double upload_seconds;    ///< 0, as the next two, for asynchronous calls
    double sort_seconds;      ///< wall time of all passes
    double download_seconds;  ///< wall time from the device
    /// What a sort or argsort of one range took; LANESORT_AUTOMATIC: it was none
    lanesort_schedule schedule;
} lanesort_report;

/// What the sorter's latest successful call did: Sorter::last_report.
LANESORT_API lanesort_status lanesort_last_report(const lanesort_sorter* sorter, lanesort_report* report);

// ---- Keys ---------------------------------------------------------------------------------------------------------

/// KeyType of key_types.hpp. Keys have no type unless one is stated.
typedef int32_t lanesort_key_type;
enum {
    LANESORT_U8 = 1,   ///< unsigned integers of 8 bits
    LANESORT_I8 = 2,   ///< signed, 8 bits
    LANESORT_U16 = 3,  ///< unsigned, 16 bits
    LANESORT_I16 = 4,  ///< signed, 16 bits
    LANESORT_U32 = 5,  ///< unsigned, 32 bits
    LANESORT_I32 = 6,  ///< signed, 32 bits
    LANESORT_U64 = 7,  ///< unsigned, 64 bits
    LANESORT_I64 = 8,  ///< signed, 64 bits
    LANESORT_F16 = 9,  ///< IEEE 754 binary16
    LANESORT_F32 = 10,  ///< IEEE 754 binary32, float
    LANESORT_F64 = 11   ///< IEEE 754 binary64, double
};

/// Order of key_types.hpp: -0 before +0, every NaN after +infinity; or the exact reverse.
typedef int32_t lanesort_order;
enum {
    LANESORT_DEFAULT_ORDER = 0,  ///< ascending, but the largest first for LANESORT_TOP_K
    LANESORT_ASCENDING = 1,      ///< the smallest key first
    LANESORT_DESCENDING = 2      ///< the largest key first
};

/// Records and their order: Comparator of comparator.hpp. The texts need only last for the call.
typedef struct lanesort_comparator {
    const char* type;          ///< the name of the records' type
    size_t bytes;              ///< its size, 1 to 64
    const char* before;        ///< an expression of `a` and `b`: whether a comes before b
    const char* declarations;  ///< the type's definition, functions; null: none
} lanesort_comparator;

/// Which elements are wanted: Predicate of comparator.hpp. The texts need only last for the call.
typedef struct lanesort_predicate {
    const char* type;          ///< the name of the elements' type
    size_t bytes;              ///< its size, 1 to 64
    const char* holds;         ///< an expression of `a`, and of `p`, its parameter: whether a is wanted
    const char* declarations;  ///< the types' definitions, functions; null: none
    const char* parameter_type;  ///< the name of the parameter's type; null: it has none
    size_t parameter_bytes;      ///< its size, 1 to 64; 0: it has none
} lanesort_predicate;

/// What two elements are combined to: BinaryOperator of comparator.hpp. The texts need only last for the call.
typedef struct lanesort_binary_operator {
    const char* type;          ///< the name of the elements' type
    size_t bytes;              ///< its size, 1 to 64
    const char* combine;       ///< an expression of `a` and `b`: what a, then b, are combined to
    const char* identity;      ///< an expression: what no elements are combined to
    const char* declarations;  ///< the type's definition, functions; null: none
    const char* transform;     ///< an expression of `a` and `b`: what elements of two ranges become; null: none
} lanesort_binary_operator;

// ---- Requests -----------------------------------------------------------------------------------------------------
// A request is a call as data: what is done, and on which arrays. The `memory` of an array is a pointer to host memory
// for lanesort_run, a cl_mem for lanesort_opencl_enqueue, and a device pointer for lanesort_cuda_enqueue. The array
// begins `offset` elements, not bytes, behind it. Arrays that an operation may do without are absent where they are all
// zeros. A member that is not zero, but that the operation does not use, is LANESORT_INVALID_ARGUMENT.

/// Operation of request.hpp. Sorter's functions of these names (sorter.hpp) say what each does.
typedef int32_t lanesort_operation;
enum {
    LANESORT_SORT = 0,       ///< in place; together with `values`, if there are any. Where the sort is `apart`, to `results`
                             ///< and `result_values`, which may be the keys' and values' own places
    LANESORT_ARGSORT = 1,    ///< writes `indices`, of 4 or 8 bytes
    LANESORT_MERGE = 2,      ///< two sorted ranges, the second of which begins at `middle`, or is `second` where they
                             ///< lie `apart`; values as in a sort
    LANESORT_TOP_K = 3,      ///< writes the first `k` keys of each row to `results`, and `indices`, if there are any, and
                             ///< to `result_values` those of them, if there are `values`
    LANESORT_IS_SORTED = 4,  ///< writes 1 or 0 for each row to `answers`
    LANESORT_IS_SORTED_UNTIL = 5,  ///< writes how many keys of each row are in order to `answers`
    LANESORT_UNIQUE = 6,           ///< writes distinct keys to `results`, or `in_place`; their number to `answers`
    LANESORT_RUN_LENGTHS = 7,      ///< the same with how often each comes, in `lengths` of 4 or 8 bytes
    LANESORT_REDUCE = 8,           ///< writes the `reduction` of each row or segment, or what a `binary_operator` makes
                                   ///< of it, to `results`
    LANESORT_INCLUSIVE_SCAN = 9,   ///< writes the `reduction` (sum, min or max) of all keys up to each one, in each row or
                                   ///< segment, to `results`, or `in_place`
    LANESORT_EXCLUSIVE_SCAN = 10,  ///< the same without the key itself
    LANESORT_SELECT = 11,          ///< writes the keys that `flags` select to `results`, and their number to `answers`
    LANESORT_PARTITION = 12,       ///< the same, and the other keys behind them
    LANESORT_LOWER_BOUND = 13,     ///< writes where `second_count` keys of `second` belong in sorted keys to `indices`
    LANESORT_UPPER_BOUND = 14,     ///< the same behind equal keys
    LANESORT_EQUAL_RANGE = 15,     ///< both, one after the other for each key
    LANESORT_GATHER = 16,          ///< writes `values`, of which there are `count`, to `result_values`, from where
                                   ///< `second_count` `indices` tell
    LANESORT_SCATTER = 17,         ///< the reverse: `second_count` values to where these tell, among `count` results
    LANESORT_PERMUTE = 18,         ///< brings `count` `values` into the order of `indices`, in place
    LANESORT_HISTOGRAM = 19,       ///< writes how many keys lie in each of `bins` bins to `lengths`
    LANESORT_REDUCE_BY_KEY = 20,   ///< as LANESORT_UNIQUE, with the `reduction` of each key's `values`, which are of
                                   ///< `value_type`, in `result_values`
    LANESORT_GROUP_BY = 21,        ///< the same, after a sort of keys and `values` in place
    LANESORT_TRANSFORM_REDUCE = 22,  ///< writes the sums of the products of keys and `second`, of each row or
                                     ///< segment, or what a `binary_operator` makes of the pairs, to `results`
    LANESORT_INCLUSIVE_SCAN_BY_KEY = 23,  ///< writes the `reduction` of all `values` up to each one, in its run of equal
                                          ///< keys, to `result_values`, or `in_place` of the values
    LANESORT_EXCLUSIVE_SCAN_BY_KEY = 24   ///< the same without the value itself
};

/// Reduction of request.hpp. Sorter::reduce says which type a result has.
typedef int32_t lanesort_reduction;
enum {
    LANESORT_SUM = 0,      ///< of integers in 64 bits, of floating-point numbers in 32 or 64
    LANESORT_MIN = 1,      ///< the smallest key
    LANESORT_MAX = 2,      ///< the largest key
    LANESORT_ARG_MIN = 3,  ///< where the first of the smallest keys is: 64 bits
    LANESORT_ARG_MAX = 4,  ///< where the first of the largest keys is
    LANESORT_COUNT = 5,    ///< of equal keys: how many values there are, in 64 bits
    LANESORT_MEAN = 6      ///< of equal keys: the sum, which may have wrapped, divided by that; of integers in f64
};

/// Values, indices, lengths or counts, one for each key, each result or each bin.
typedef struct lanesort_values {
    void* memory;   ///< of the elements
    size_t offset;  ///< elements before the first one
    size_t bytes;   ///< of a value: 1, 2, 4, 8 or 16; of an index or a length: 4 or 8. Those of `value_type` have its width if this is 0
} lanesort_values;

/// Where segments begin and end: `count` + 1 offsets in keys from the first key of the range, as SegmentRange of
/// ranges.hpp says.
typedef struct lanesort_segments {
    const void* memory;  ///< of the offsets
    size_t offset;       ///< integers before the first one
    size_t count;        ///< segments, one less than the offsets
    size_t longest;      ///< keys of the longest segment; 0: as many as there are keys; not read for host memory
    size_t bytes;        ///< of an offset: 4 or 8
} lanesort_segments;

/// Elements of a width that the operation knows: keys or reductions for `results`, integers of 64 bits for `answers` and `limit`.
typedef struct lanesort_place {
    void* memory;   ///< of the elements
    size_t offset;  ///< elements before the first one
} lanesort_place;

/// A call. Name what you need; all else is zero:
///     const lanesort_request request = {
///         .operation = LANESORT_SORT, .memory = keys, .count = n, .type = LANESORT_F32};
typedef struct lanesort_request {
    lanesort_operation operation;           ///< what is done
    void* memory;                           ///< of the keys
    size_t offset;                          ///< keys before the first one
    size_t count;                           ///< keys
    lanesort_key_type type;                 ///< of numbers, which must have one; 0 for records
    lanesort_order order;                   ///< of numbers; 0 for records
    const lanesort_comparator* comparator;  ///< the keys are records in that order; null: numbers
    const lanesort_predicate* predicate;    ///< in place of `flags`: which keys, of any type, are selected
    size_t row_length;                      ///< keys of a row, each sorted by itself; 0: no rows
    lanesort_segments segments;             ///< each sorted, selected from, reduced or scanned by itself
    int32_t in_place;                       ///< not 0: LANESORT_UNIQUE writes to the front of the keys, scans in their place, or that of the values
    int32_t apart;                          ///< not 0: LANESORT_SORT and LANESORT_MERGE write to `results`; `count` is of both ranges
    int32_t limited;                        ///< not 0: LANESORT_TOP_K reads how many of `k` are wanted from `limit`
    int32_t nan_last;                       ///< not 0: LANESORT_TOP_K takes no NaN before a number; no effect on keys without NaN
    int32_t stable;                         ///< not 0: sorts, merges and GROUP_BY are stable, as ARGSORT and TOP_K always are
    lanesort_schedule schedule;             ///< of a sort or argsort of one whole range
    int32_t data_independent;               ///< not 0: sorts compare the same positions, and LANESORT_TOP_K as many,
                                            ///< whatever the keys are
    lanesort_reduction reduction;           ///< of reductions, LANESORT_GROUP_BY and scans
    uint64_t extra_bytes;                   ///< device memory that a distribution may take; 0: as Schedule says
    size_t first;                           ///< keys or indices that a sort brings to their places, in front; 0: all
    size_t k;                               ///< of LANESORT_TOP_K
    size_t middle;                          ///< of LANESORT_MERGE: keys of the first range
    lanesort_values values;                 ///< one for each key
    lanesort_place second;                  ///< keys of the second range, of which there are `count` - `middle`; or
                                            ///< `second_count` that are looked for, `bins` + 1 bounds, or `count`
                                            ///< factors
    lanesort_place second_values;           ///< theirs, as wide as `values`
    lanesort_values indices;                ///< one for each key, or each selected key, counted from 0 in each row;
                                            ///< of searches one for each of `second_count`, or two (EQUAL_RANGE)
    lanesort_values lengths;                ///< room for as many as there are keys; of LANESORT_HISTOGRAM `bins` counts
    lanesort_place results;                 ///< room for k keys or a reduction of each row or segment, or for all
    lanesort_place result_values;           ///< those of the results, where keys have `values`; room as in `results`
    lanesort_place answers;                 ///< one for each row
    lanesort_place limit;                   ///< one integer of 64 bits: no more of a row are written than that
    lanesort_place flags;                   ///< of LANESORT_SELECT and LANESORT_PARTITION: a byte for each key, not 0
                                            ///< where it is selected
    lanesort_place parameter;               ///< of a predicate that has one; read when the call runs
    int32_t inverted;                       ///< not 0: keys whose flag is 0 are selected
    size_t second_count;                    ///< keys that are looked for, or indices that values are moved by
    size_t bins;                            ///< of LANESORT_HISTOGRAM
    int32_t bounded;                        ///< not 0: `second` has `bins` + 1 keys that bound the bins
    uint64_t lower;                         ///< else the bits of the first key that even bins count,
    uint64_t upper;                         ///< and of the last, as EvenBins of key_types.hpp says
    lanesort_key_type value_type;           ///< of operations by key, and LANESORT_GROUP_BY: what `values` are
    const lanesort_binary_operator* binary_operator;  ///< the keys, of any type, are combined by it; of scans by key the
                                                      ///< values, so that `value_type` must be 0; null: they are not
} lanesort_request;

/// Runs a request on host memory: Sorter::run. Blocks.
LANESORT_API lanesort_status lanesort_run(lanesort_sorter* sorter, const lanesort_request* request);

/// Compiles now what such a request needs, so that the request does not: Sorter::prepare. Where its arrays are need not
/// be said, so values are told by `bytes` alone, segments by `longest`.
///
/// Errors: as those of the request, but for its memory.
LANESORT_API lanesort_status lanesort_prepare(lanesort_sorter* sorter, const lanesort_request* request);

/// Frees the programs that the sorter compiled so far: Sorter::release.
LANESORT_API lanesort_status lanesort_release(lanesort_sorter* sorter);

/// A request that was recorded once on its arrays, to be enqueued many times: Recorded of opencl.hpp and cuda.hpp. Must
/// not outlive its sorter, and serves the same thread.
typedef struct lanesort_recorded lanesort_recorded;

/// Destroys a recorded request; null is allowed.
LANESORT_API void lanesort_destroy_recorded(lanesort_recorded* recorded);

// ---- OpenCL buffers -----------------------------------------------------------------------------------------------

/// Enqueues a request on OpenCL buffers: opencl::enqueue. It runs in the order of the caller's queue, after the `waits`
/// events of `wait_list` (null if there are none). Neither blocks nor flushes. `event`, unless null, is overwritten on
/// success with a valid event of the request's end, which the caller releases; after an error it is as it was.
LANESORT_API lanesort_status lanesort_opencl_enqueue(lanesort_sorter* sorter, cl_command_queue queue,
                                                     const lanesort_request* request, size_t waits,
                                                     const cl_event* wait_list, cl_event* event);

/// Records a request for a queue; enqueues nothing. Retains queue and buffers. After an error *recorded is null.
LANESORT_API lanesort_status lanesort_opencl_record(lanesort_recorded** recorded, lanesort_sorter* sorter,
                                                    cl_command_queue queue, const lanesort_request* request);

/// Enqueues what was recorded, for what its arrays hold then; the rest as lanesort_opencl_enqueue.
LANESORT_API lanesort_status lanesort_opencl_enqueue_recorded(lanesort_recorded* recorded, size_t waits,
                                                              const cl_event* wait_list, cl_event* event);

// ---- CUDA memory --------------------------------------------------------------------------------------------------

/// Enqueues a request on CUDA memory: cu::enqueue. It runs in the order of the stream (null: the default stream),
/// after the `waits` events of `wait_list`. Does not block. `event`, unless null, is recorded at the request's end.
LANESORT_API lanesort_status lanesort_cuda_enqueue(lanesort_sorter* sorter, struct CUstream_st* stream,
                                                   const lanesort_request* request, size_t waits,
                                                   struct CUevent_st* const* wait_list, struct CUevent_st* event);

/// Records a request for a stream as a CUDA graph; enqueues nothing. After an error *recorded is null.
LANESORT_API lanesort_status lanesort_cuda_record(lanesort_recorded** recorded, lanesort_sorter* sorter,
                                                  struct CUstream_st* stream, const lanesort_request* request);

/// Enqueues what was recorded, for what its arrays hold then; the rest as lanesort_cuda_enqueue.
LANESORT_API lanesort_status lanesort_cuda_enqueue_recorded(lanesort_recorded* recorded, size_t waits,
                                                            struct CUevent_st* const* wait_list,
                                                            struct CUevent_st* event);

#ifdef __cplusplus
}
#endif
