// SPDX-License-Identifier: MIT
// What each mistake gives, and that it changes nothing.
#include "interface.h"

#define REFUSED(expected_status, word, ...) CHECK_REFUSED(run((lanesort_request){__VA_ARGS__}), expected_status, word)

// To prepare for it fails, too.
static void check_impossible(lanesort_request request, const char* word, const char* where) {
    check_refused(run(request), LANESORT_INVALID_ARGUMENT, word, where);
    check_refused(lanesort_prepare(sorter, &request), LANESORT_INVALID_ARGUMENT, word, where);
}
#define IMPOSSIBLE(word, ...) check_impossible((lanesort_request){__VA_ARGS__}, word, HERE)

void refuses_requests(void) {
    static uint64_t offsets[] = {0, 10, n};
    new_numbers(1u << 20, 0, 0);
    restore_keys();
    IMPOSSIBLE("no operation 1000", KEYS, .operation = 1000);
    IMPOSSIBLE("no operation -1", KEYS, .operation = -1);
    IMPOSSIBLE("no order 3", KEYS, .order = 3);
    IMPOSSIBLE("no order -1", KEYS, .order = -1);
    IMPOSSIBLE("no schedule 4", KEYS, .schedule = 4);
    IMPOSSIBLE("no schedule -1", KEYS, .schedule = -1);
    IMPOSSIBLE("one whole range", KEYS, .schedule = LANESORT_NETWORK, .row_length = 300);
    IMPOSSIBLE("one whole range", KEYS, .schedule = LANESORT_COLUMNS, .first = 10);
    IMPOSSIBLE("`data_independent`", KEYS, .schedule = LANESORT_DISTRIBUTION, .data_independent = 1);
    IMPOSSIBLE("rules out", KEYS, .schedule = LANESORT_NETWORK, .extra_bytes = 1);
    IMPOSSIBLE("3 bytes", KEYS, .values = {.memory = values, .bytes = 3});
    IMPOSSIBLE("2 bytes", KEYS, .operation = LANESORT_ARGSORT, .indices = {.memory = values, .bytes = 2});
    IMPOSSIBLE("2 bytes", KEYS, .operation = LANESORT_RUN_LENGTHS, .results = {.memory = found},
               .lengths = {.memory = lengths, .bytes = 2}, .answers = {.memory = answers});
    IMPOSSIBLE("3 bytes", KEYS, .segments = {.memory = offsets, .count = 2, .longest = n, .bytes = 3});
    IMPOSSIBLE("rows and segments", KEYS, .row_length = n,
               .segments = {.memory = offsets, .count = 2, .longest = n, .bytes = 8});
    IMPOSSIBLE("whole number of rows", KEYS, .row_length = 7);
    IMPOSSIBLE("merged", KEYS, .operation = LANESORT_MERGE, .row_length = 300);
    IMPOSSIBLE("merged", KEYS, .operation = LANESORT_MERGE, .first = 1);
    IMPOSSIBLE("rows", KEYS, .operation = LANESORT_UNIQUE, .row_length = 300, .results = {.memory = found},
               .answers = {.memory = answers});
    IMPOSSIBLE("30001", KEYS, .operation = LANESORT_TOP_K, .k = n + 1, .results = {.memory = found});

    // What an operation does not use.
    IMPOSSIBLE("does not use `stable`", KEYS, .operation = LANESORT_IS_SORTED, .stable = 1,
               .answers = {.memory = answers});
    IMPOSSIBLE("merge does not use `schedule`", KEYS, .operation = LANESORT_MERGE, .middle = 5,
               .schedule = LANESORT_NETWORK);
    IMPOSSIBLE("is_sorted does not use `data_independent`", KEYS, .operation = LANESORT_IS_SORTED,
               .data_independent = 1, .answers = {.memory = answers});
    IMPOSSIBLE("unique does not use `extra_bytes`", KEYS, .operation = LANESORT_UNIQUE, .in_place = 1, .extra_bytes = 1,
               .answers = {.memory = answers});
    IMPOSSIBLE("top_k does not use `first`", KEYS, .operation = LANESORT_TOP_K, .first = 7);
    IMPOSSIBLE("sort does not use `k`", KEYS, .k = 7);
    IMPOSSIBLE("sort does not use `middle`", KEYS, .middle = 7);
    IMPOSSIBLE("argsort does not use `values`", KEYS, .operation = LANESORT_ARGSORT,
               .values = {.memory = values, .bytes = 4}, .indices = {.memory = found, .bytes = 4});
    IMPOSSIBLE("sort does not use `indices`", KEYS, .indices = {.bytes = 4});
    IMPOSSIBLE("unique does not use `lengths`", KEYS, .operation = LANESORT_UNIQUE, .results = {.memory = found},
               .lengths = {.memory = lengths, .bytes = 4}, .answers = {.memory = answers});
    IMPOSSIBLE("is_sorted does not use `results`", KEYS, .operation = LANESORT_IS_SORTED, .results = {.memory = found},
               .answers = {.memory = answers});
    IMPOSSIBLE("top_k does not use `answers`", KEYS, .operation = LANESORT_TOP_K, .answers = {.offset = 1});
    IMPOSSIBLE("sort does not use `limit`", KEYS, .limited = 1);
    IMPOSSIBLE("sort does not use `nan_last`", KEYS, .nan_last = 1);
    IMPOSSIBLE("top_k does not use `in_place`", KEYS, .operation = LANESORT_TOP_K, .k = 3, .in_place = 1,
               .results = {.memory = found});
    IMPOSSIBLE("top_k does not use `lower`", KEYS, .operation = LANESORT_TOP_K, .k = 3, .lower = 2,
               .results = {.memory = found});
    IMPOSSIBLE("top_k does not use `bounded`", KEYS, .operation = LANESORT_TOP_K, .k = 3, .bounded = 1,
               .results = {.memory = found});
    IMPOSSIBLE("not `limited`", KEYS, .operation = LANESORT_TOP_K, .limit = {.offset = 1});
    IMPOSSIBLE("must be zero", KEYS, .operation = LANESORT_UNIQUE, .in_place = 1, .results = {.memory = found},
               .answers = {.memory = answers});
    IMPOSSIBLE("must be zero", KEYS, .operation = LANESORT_UNIQUE, .in_place = 1,
               .values = {.memory = values, .bytes = 4}, .result_values = {.memory = found},
               .answers = {.memory = answers});
    IMPOSSIBLE("no `values`", KEYS, .operation = LANESORT_UNIQUE, .results = {.memory = found},
               .result_values = {.memory = lengths}, .answers = {.memory = answers});
    IMPOSSIBLE("no `values`", KEYS, .apart = 1, .results = {.memory = found}, .result_values = {.memory = lengths});
    IMPOSSIBLE("not `apart`, so `second`", KEYS, .results = {.memory = found});
    IMPOSSIBLE("sort does not use `in_place`", KEYS, .in_place = 1);
    IMPOSSIBLE("argsort does not use `apart`", KEYS, .operation = LANESORT_ARGSORT,
               .indices = {.memory = found, .bytes = 4}, .apart = 1);
    IMPOSSIBLE("unique does not use `second`", KEYS, .operation = LANESORT_UNIQUE, .second = {.memory = values},
               .results = {.memory = found}, .answers = {.memory = answers});
    IMPOSSIBLE("not `apart`", KEYS, .operation = LANESORT_MERGE, .middle = 5, .results = {.memory = found});
    IMPOSSIBLE("no `values`", KEYS, .operation = LANESORT_MERGE, .middle = 5, .apart = 1, .second = {.memory = values},
               .second_values = {.memory = lengths}, .results = {.memory = found});
    IMPOSSIBLE("records have the order", .memory = particles, .count = 5, .comparator = &by_score,
               .order = LANESORT_DESCENDING);
    IMPOSSIBLE("must be zero", .memory = particles, .count = 5, .comparator = &by_score, .type = LANESORT_F32);

    REFUSED(LANESORT_OUT_OF_RANGE, "30001", KEYS, .operation = LANESORT_MERGE, .middle = n + 1);
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", .count = 5, .type = LANESORT_U32);
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .values = {.bytes = 4});
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .segments = {.count = 2, .longest = n, .bytes = 8});
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_ARGSORT, .indices = {.bytes = 4});
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_TOP_K, .k = 3);
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_TOP_K, .k = 3, .results = {.memory = found},
            .indices = {.bytes = 4});
    const lanesort_binary_operator of_eight_bytes = {.type = "ulong", .bytes = 8, .combine = "a + b", .identity = "0"};
    REFUSED(LANESORT_INVALID_ARGUMENT, "4 bytes", KEYS, .operation = LANESORT_INCLUSIVE_SCAN_BY_KEY,
            .values = {.memory = found, .bytes = 4}, .binary_operator = &of_eight_bytes, .in_place = 1);
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_IS_SORTED);
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_UNIQUE, .answers = {.memory = answers});
    REFUSED(LANESORT_INVALID_ARGUMENT, "null", KEYS, .operation = LANESORT_RUN_LENGTHS, .results = {.memory = found},
            .lengths = {.bytes = 4}, .answers = {.memory = answers});
    CHECK(memcmp(keys, numbers, sizeof keys) == 0);
}

void refuses_types(void) {
    // Of no known width.
    for (int type = -1; type <= 12; type += 13) {
        const lanesort_request request = {.memory = keys, .count = n, .type = type};
        CHECK_REFUSED(lanesort_run(sorter, &request), LANESORT_INVALID_ARGUMENT, "no type");
        CHECK_REFUSED(lanesort_prepare(sorter, &request), LANESORT_INVALID_ARGUMENT, type < 0 ? "-1" : "12");
    }
}

// Nothing is taken for granted.
void refuses_what_is_not_stated(void) {
    IMPOSSIBLE("`type` is 0", .memory = keys, .count = n);
    IMPOSSIBLE("`values.bytes` is 0", KEYS, .values = {.memory = values});
    IMPOSSIBLE("`indices.bytes` is 0", KEYS, .operation = LANESORT_ARGSORT, .indices = {.memory = found});
    IMPOSSIBLE("`lengths.bytes` is 0", KEYS, .operation = LANESORT_RUN_LENGTHS, .results = {.memory = found},
               .lengths = {.memory = lengths}, .answers = {.memory = answers});
    IMPOSSIBLE("`segments.bytes` is 0", KEYS, .segments = {.memory = answers, .count = 1});
    IMPOSSIBLE("`value_type` is 0", KEYS, .operation = LANESORT_REDUCE_BY_KEY, .values = {.memory = values, .bytes = 4},
               .results = {.memory = found}, .result_values = {.memory = wide}, .answers = {.memory = answers});
}

void refuses_host_memory(void) {
    // Of two arrays that overlap, one is written.
    const lanesort_request pairs = {
        .memory = keys, .count = 100, .type = LANESORT_U32, .values = {.memory = keys, .offset = 99, .bytes = 4}};
    CHECK_REFUSED(lanesort_run(sorter, &pairs), LANESORT_INVALID_ARGUMENT, "overlap");
    const uint64_t down[] = {0, 10, 5}, beyond[] = {0, 10, n + 1};
    lanesort_request segments = {KEYS, .segments = {.memory = down, .count = 2, .bytes = 8}};
    CHECK_REFUSED(lanesort_run(sorter, &segments), LANESORT_INVALID_ARGUMENT, "begins at key 10 but ends at key 5");
    segments.segments.memory = beyond;
    CHECK_REFUSED(lanesort_run(sorter, &segments), LANESORT_OUT_OF_RANGE, "30001");
    // Addresses beyond the last one, which would wrap to others, also to the array's own.
    const size_t far[] = {SIZE_MAX, SIZE_MAX / sizeof keys[0] + 1};
    static const uint64_t all[] = {0, 5};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) {
        lanesort_request beyond_last = {.memory = keys, .count = 5, .offset = far[i], .type = LANESORT_U32};
        CHECK_REFUSED(lanesort_run(sorter, &beyond_last), LANESORT_OUT_OF_RANGE, "5 keys at offset");
        beyond_last = (lanesort_request){.memory = keys,
                                         .count = 5,
                                         .type = LANESORT_U32,
                                         .values = {.memory = values, .offset = far[i], .bytes = 4}};
        CHECK_REFUSED(lanesort_run(sorter, &beyond_last), LANESORT_OUT_OF_RANGE, "5 values at offset");
        beyond_last = (lanesort_request){.memory = keys,
                                         .count = 5,
                                         .type = LANESORT_U32,
                                         .segments = {.memory = all, .offset = far[i], .count = 1, .bytes = 8}};
        CHECK_REFUSED(lanesort_run(sorter, &beyond_last), LANESORT_OUT_OF_RANGE, "2 offsets of segments at offset");
    }
    CHECK_REFUSED(lanesort_run(NULL, &pairs), LANESORT_INVALID_ARGUMENT, "sorter is null");
    CHECK_REFUSED(lanesort_run(sorter, NULL), LANESORT_INVALID_ARGUMENT, "request is null");
    CHECK_REFUSED(lanesort_prepare(NULL, &pairs), LANESORT_INVALID_ARGUMENT, "sorter is null");
    CHECK_REFUSED(lanesort_prepare(sorter, NULL), LANESORT_INVALID_ARGUMENT, "request is null");
    CHECK_REFUSED(lanesort_release(NULL), LANESORT_INVALID_ARGUMENT, "sorter is null");
    CHECK_REFUSED(lanesort_last_report(sorter, NULL), LANESORT_INVALID_ARGUMENT, "report is null");
    CHECK_REFUSED(lanesort_last_report(NULL, NULL), LANESORT_INVALID_ARGUMENT, "sorter is null");
}

void refuses_buffers(void) {
    new_numbers(1u << 20, 0, n);
    const cl_mem buffer = buffer_of(numbers, n * sizeof numbers[0]);
    const cl_mem read_only = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof keys, NULL, NULL);
    const cl_command_queue other_queue = clCreateCommandQueue(other_context, device, 0, NULL);
    const lanesort_request good = {.memory = buffer, .count = n, .type = LANESORT_U32};
    const struct {
        lanesort_request request;
        lanesort_status status;
        const char* word;
    } refused[] = {
        {{.memory = buffer, .offset = 1, .count = n, .type = LANESORT_U32},
         LANESORT_OUT_OF_RANGE,
         "30000 keys at offset 1"},
        {{.memory = buffer,
          .count = n / 2,
          .type = LANESORT_U32,
          .values = {.memory = buffer, .offset = n / 2 + 1, .bytes = 4}},
         LANESORT_OUT_OF_RANGE,
         "15000 values at offset 15001"},
        {{.memory = buffer,
          .count = n / 2,
          .type = LANESORT_U32,
          .values = {.memory = buffer, .offset = n / 2 - 1, .bytes = 4}},
         LANESORT_INVALID_ARGUMENT,
         "overlap"},
        {{.memory = buffer,
          .count = n,
          .type = LANESORT_U32,
          .segments = {.memory = buffer, .count = SIZE_MAX, .longest = 9, .bytes = 8}},
         LANESORT_INVALID_ARGUMENT,
         "segments"},
        {{.operation = LANESORT_TOP_K,
          .memory = buffer,
          .count = n / 2,
          .type = LANESORT_U32,
          .k = SIZE_MAX / 2 + 1,
          .segments = {.memory = buffer, .offset = n / 4, .count = 2, .longest = 9, .bytes = 8},
          .results = {.memory = buffer}},
         LANESORT_TOO_LARGE,
         "9223372036854775808 keys of each of 2"},
        {{.memory = read_only, .count = n, .type = LANESORT_U32}, LANESORT_NOT_WRITABLE, "read-only"},
    };
    cl_event event = NULL;
    lanesort_recorded* call = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        CHECK_REFUSED(lanesort_opencl_enqueue(sorter, queue, &refused[i].request, 0, NULL, &event), refused[i].status,
                      refused[i].word);
        CHECK_REFUSED(lanesort_opencl_record(&call, sorter, queue, &refused[i].request), refused[i].status,
                      refused[i].word);
    }
    CHECK_REFUSED(lanesort_opencl_enqueue(sorter, other_queue, &good, 0, NULL, &event), LANESORT_WRONG_CONTEXT,
                  "queue");
    CHECK_REFUSED(lanesort_opencl_enqueue(sorter, NULL, &good, 0, NULL, &event), LANESORT_INVALID_ARGUMENT,
                  "queue is null");
    CHECK_REFUSED(lanesort_opencl_enqueue(sorter, queue, NULL, 0, NULL, &event), LANESORT_INVALID_ARGUMENT,
                  "request is null");
    CHECK_REFUSED(lanesort_opencl_enqueue(sorter, queue, &good, 1, NULL, &event), LANESORT_INVALID_ARGUMENT,
                  "wait list is null");
    CHECK_REFUSED(lanesort_cuda_enqueue(sorter, NULL, &good, 0, NULL, NULL), LANESORT_UNSUPPORTED, "CUDA");
    CHECK_REFUSED(lanesort_cuda_record(&call, sorter, NULL, &good), LANESORT_UNSUPPORTED, "CUDA");
    CHECK_REFUSED(lanesort_opencl_record(NULL, sorter, queue, &good), LANESORT_INVALID_ARGUMENT, "null");
    CHECK_REFUSED(lanesort_opencl_enqueue_recorded(NULL, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT, "null");
    CHECK(event == NULL && call == NULL);
    lanesort_destroy_recorded(NULL);
    CHECK_SUCCESS(lanesort_opencl_record(&call, sorter, queue, &good));
    CHECK_REFUSED(lanesort_opencl_enqueue_recorded(call, 1, NULL, NULL), LANESORT_INVALID_ARGUMENT, "wait list");
    CHECK_REFUSED(lanesort_cuda_enqueue_recorded(call, 0, NULL, NULL), LANESORT_UNSUPPORTED, "another backend");
    lanesort_destroy_recorded(call);

    // A null handle is the last of many errors in a row; then all is well.
    CHECK_REFUSED(lanesort_opencl_enqueue(NULL, queue, &good, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "sorter is null");
    CHECK_SUCCESS(lanesort_opencl_enqueue(sorter, queue, &good, 0, NULL, NULL));
    CHECK(strstr(lanesort_last_error(), "sorter is null") != NULL);
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * sizeof keys[0], keys, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(memcmp(keys, expected, n * sizeof keys[0]) == 0);
    clReleaseMemObject(read_only);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(other_queue);
}

void refuses_sorters(void) {
    lanesort_sorter* none = sorter;
    CHECK_REFUSED(lanesort_create(&none, "no such device", NULL), LANESORT_UNKNOWN_DEVICE, "no such device");
    CHECK(none == NULL);
    const lanesort_options options = {.shape_file = "/no/such/file"};
    CHECK_REFUSED(lanesort_opencl_create(&none, context, device, &options), LANESORT_INVALID_ARGUMENT, "/no/such/file");
    CHECK_REFUSED(lanesort_opencl_create(&none, NULL, device, NULL), LANESORT_INVALID_ARGUMENT, "null");
    CHECK_REFUSED(lanesort_opencl_create(NULL, context, device, NULL), LANESORT_INVALID_ARGUMENT, "null");
    CHECK(lanesort_cuda_create(&none, -1, NULL) != LANESORT_SUCCESS);
    CHECK(strlen(lanesort_device_name(NULL)) == 0 && strlen(lanesort_note(NULL)) == 0);
    lanesort_destroy(NULL);
}
