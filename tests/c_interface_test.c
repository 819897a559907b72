// lanesort/lanesort.h from C11, on the first OpenCL device: sorts of every kind, and what each mistake gives.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <lanesort/lanesort.h>

enum { skipped_for_ctest = 77, keys_in_test = 30000 };

static int failures = 0;

// The first failures are told.
static void check(int holds, const char* what, int line) {
    if (holds || ++failures > 20) return;
    fprintf(stderr, "line %d: %s; the last error is \"%s\"\n", line, what, lanesort_last_error());
}
#define CHECK(condition) check(condition, #condition, __LINE__)

// A refusal with that status and a sentence that has the word.
static void check_refused(lanesort_status status, lanesort_status expected, const char* word, int line) {
    if (status == expected && strstr(lanesort_last_error(), word)) return;
    check(0, word, line);
    fprintf(stderr, "    was expected with the status \"%s\", not \"%s\"\n", lanesort_status_name(expected),
            lanesort_status_name(status));
}
#define CHECK_REFUSED(call, expected, word) check_refused(call, expected, word, __LINE__)

typedef struct {
    cl_device_id device;
    cl_context context, other_context;
    cl_command_queue queue;
    lanesort_sorter* sorter;
} fixture;

static int find_device(cl_device_id* device) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint i = 0; i < count && i < 16; ++i)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS) return 1;
    return 0;
}

static cl_mem buffer_of(const fixture* on, const void* bytes, size_t size) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0u);
    return clCreateBuffer(on->context, flags, size, (void*)bytes, NULL);
}

// Blocks until the queue is done.
static void read_buffer(const fixture* on, cl_mem buffer, void* bytes, size_t size) {
    CHECK(clEnqueueReadBuffer(on->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL) == CL_SUCCESS);
}

static void fill(uint32_t* keys, size_t count, uint32_t below) {
    uint32_t state = 20120607;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        keys[i] = (state >> 8) % below;
    }
}

static int compare(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static void write_buffer(const fixture* on, cl_mem buffer, const void* bytes, size_t size) {
    CHECK(clEnqueueWriteBuffer(on->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL) == CL_SUCCESS);
}

static uint32_t keys[keys_in_test], expected[keys_in_test], result[keys_in_test], values[keys_in_test];

static void new_keys(uint32_t below) {
    fill(keys, keys_in_test, below);
    memcpy(expected, keys, sizeof keys);
    qsort(expected, keys_in_test, sizeof expected[0], compare);
}

static void sorts_a_buffer(const fixture* on) {
    enum { header = 5, trailer = 3, count = keys_in_test - header - trailer };
    new_keys(1u << 20);
    memcpy(expected, keys, sizeof keys);
    qsort(expected + header, count, sizeof expected[0], compare);
    const cl_mem buffer = buffer_of(on, keys, sizeof keys);
    const lanesort_key_range range = {.memory = buffer, .offset = header, .count = count};
    CHECK(lanesort_prepare(on->sorter, LANESORT_CALL_SORT, &range, 0, 0) == LANESORT_SUCCESS);

    // It waits for the event of its wait list, and gives one of its own.
    const cl_event gate = clCreateUserEvent(on->context, NULL);
    cl_event sorted = NULL;
    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 1, &gate, &sorted) == LANESORT_SUCCESS);
    CHECK(clFlush(on->queue) == CL_SUCCESS);
    thrd_sleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    cl_int status = CL_COMPLETE;
    CHECK(clGetEventInfo(sorted, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS);
    CHECK(status != CL_COMPLETE);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &sorted) == CL_SUCCESS);
    read_buffer(on, buffer, result, sizeof result);
    CHECK(memcmp(result, expected, sizeof expected) == 0);
    lanesort_report report;
    CHECK(lanesort_last_report(on->sorter, &report) == LANESORT_SUCCESS);
    CHECK(report.launches > 0 && report.device_bytes == 0);
    clReleaseEvent(sorted);
    clReleaseEvent(gate);

    // Without an event, the other way round.
    const lanesort_key_range down = {.memory = buffer, .offset = header, .count = count, .order = LANESORT_DESCENDING};
    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &down, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, buffer, result, sizeof result);
    for (size_t i = 0; i < count; ++i) CHECK(result[header + i] == expected[header + count - 1 - i]);
    CHECK(memcmp(result, keys, header * sizeof keys[0]) == 0);
    CHECK(memcmp(result + header + count, keys + header + count, trailer * sizeof keys[0]) == 0);
    clReleaseMemObject(buffer);
}

// Each is the place in `keys` of the sorted key `expected`, those of equal keys in order, `row` by `row`.
static void check_places(const uint32_t* places, size_t row) {
    for (size_t i = 0; i < keys_in_test; ++i) {
        CHECK(places[i] < row && keys[i / row * row + places[i]] == expected[i]);
        CHECK(i % row == 0 || expected[i] > expected[i - 1] || places[i] > places[i - 1]);
    }
}

// Pairs, indices and the first k, of keys that come several times.
static void sorts_pairs_of_buffers(const fixture* on) {
    new_keys(1000);
    const cl_mem key_buffer = buffer_of(on, keys, sizeof keys);
    const cl_mem value_buffer = buffer_of(on, NULL, sizeof values);
    const lanesort_key_range range = {.memory = key_buffer, .count = keys_in_test};
    const lanesort_values indices = {.memory = value_buffer};
    CHECK(lanesort_opencl_enqueue_argsort(on->sorter, on->queue, &range, &indices, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, value_buffer, values, sizeof values);
    check_places(values, keys_in_test);

    const cl_mem best = buffer_of(on, NULL, 10 * sizeof keys[0]);
    const lanesort_selected selected = {.memory = best};
    const lanesort_key_range largest = {.memory = key_buffer, .count = keys_in_test, .order = LANESORT_DESCENDING};
    CHECK(lanesort_opencl_enqueue_top_k(on->sorter, on->queue, &largest, 10, &selected, 0, NULL, NULL) ==
          LANESORT_SUCCESS);
    read_buffer(on, best, result, 10 * sizeof result[0]);
    for (size_t i = 0; i < 10; ++i) CHECK(result[i] == expected[keys_in_test - 1 - i]);
    clReleaseMemObject(best);

    for (uint32_t i = 0; i < keys_in_test; ++i) values[i] = keys[i] * 3 + 1;
    write_buffer(on, value_buffer, values, sizeof values);
    CHECK(lanesort_opencl_enqueue_sort_by_key(on->sorter, on->queue, &range, &indices, 0, NULL, NULL) ==
          LANESORT_SUCCESS);
    read_buffer(on, key_buffer, result, sizeof result);
    read_buffer(on, value_buffer, values, sizeof values);
    CHECK(memcmp(result, expected, sizeof expected) == 0);
    for (size_t i = 0; i < keys_in_test; ++i) CHECK(values[i] == expected[i] * 3 + 1);
    clReleaseMemObject(key_buffer);
    clReleaseMemObject(value_buffer);
}

static void sorts_rows_and_segments_of_buffers(const fixture* on) {
    enum { row = 300, k = 7, first_keys = keys_in_test / row * k };
    new_keys(1u << 24);
    const cl_mem buffer = buffer_of(on, keys, sizeof keys);
    const lanesort_key_range rows = {.memory = buffer, .count = keys_in_test, .row_length = row};
    memcpy(expected, keys, sizeof keys);
    for (size_t i = 0; i < keys_in_test; i += row) qsort(expected + i, row, sizeof expected[0], compare);

    const cl_mem results = buffer_of(on, NULL, sizeof values);
    const lanesort_values places = {.memory = results};
    CHECK(lanesort_opencl_enqueue_argsort(on->sorter, on->queue, &rows, &places, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, results, values, sizeof values);
    check_places(values, row);

    // Behind the first keys of all rows are their places.
    const lanesort_selected selected = {.memory = results, .indices = {.memory = results, .offset = first_keys}};
    CHECK(lanesort_opencl_enqueue_top_k(on->sorter, on->queue, &rows, k, &selected, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, results, values, sizeof values);
    for (size_t i = 0; i < first_keys; ++i) {
        const size_t first_of_row = i / k * row;
        CHECK(values[i] == expected[first_of_row + i % k]);
        CHECK(values[first_keys + i] < row && keys[first_of_row + values[first_keys + i]] == values[i]);
    }
    clReleaseMemObject(results);

    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &rows, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, buffer, result, sizeof result);
    CHECK(memcmp(result, expected, sizeof expected) == 0);

    // Of both widths; 8 bytes are the default.
    const uint64_t wide[] = {7, 7, 500, 20000};
    const uint32_t narrow[] = {7, 7, 500, 20000};
    const cl_mem offsets[] = {buffer_of(on, wide, sizeof wide), buffer_of(on, narrow, sizeof narrow)};
    memcpy(expected, keys, sizeof keys);
    qsort(expected + 7, 500 - 7, sizeof expected[0], compare);
    qsort(expected + 500, 20000 - 500, sizeof expected[0], compare);
    for (int i = 0; i < 2; ++i) {
        write_buffer(on, buffer, keys, sizeof keys);
        const lanesort_key_range segments = {
            .memory = buffer,
            .count = keys_in_test,
            .segments = {.memory = offsets[i], .count = 3, .longest = 19500, .bytes = i == 0 ? 0 : 4}};
        CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &segments, 0, NULL, NULL) == LANESORT_SUCCESS);
        read_buffer(on, buffer, result, sizeof result);
        CHECK(memcmp(result, expected, sizeof expected) == 0);
        clReleaseMemObject(offsets[i]);
    }

    // The first ten of the order.
    new_keys(1u << 24);
    write_buffer(on, buffer, keys, sizeof keys);
    const lanesort_key_range first = {.memory = buffer, .count = keys_in_test, .first = 10};
    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &first, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, buffer, result, sizeof result);
    CHECK(memcmp(result, expected, 10 * sizeof expected[0]) == 0);
    clReleaseMemObject(buffer);
}

// Merge, and what is asked of sorted keys.
static void reads_sorted_buffers(const fixture* on) {
    enum { middle = 10000 };
    new_keys(100);
    qsort(keys, middle, sizeof keys[0], compare);
    qsort(keys + middle, keys_in_test - middle, sizeof keys[0], compare);
    const cl_mem buffer = buffer_of(on, keys, sizeof keys);
    const cl_mem distinct_buffer = buffer_of(on, NULL, sizeof keys), lengths_buffer = buffer_of(on, NULL, sizeof keys);
    const cl_mem number_buffer = buffer_of(on, NULL, 2 * sizeof(uint64_t));
    const lanesort_key_range range = {.memory = buffer, .count = keys_in_test};
    const lanesort_integers answer = {.memory = number_buffer, .offset = 1};
    const lanesort_distinct distinct = {.memory = distinct_buffer, .number = answer};
    const lanesort_values lengths = {.memory = lengths_buffer, .bytes = 4};
    uint64_t number[2];

    CHECK(lanesort_opencl_enqueue_is_sorted_until(on->sorter, on->queue, &range, &answer, 0, NULL, NULL) ==
          LANESORT_SUCCESS);
    read_buffer(on, number_buffer, number, sizeof number);
    CHECK(number[1] == middle);
    CHECK(lanesort_opencl_enqueue_merge(on->sorter, on->queue, &range, middle, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, buffer, result, sizeof result);
    CHECK(memcmp(result, expected, sizeof expected) == 0);
    CHECK(lanesort_opencl_enqueue_is_sorted(on->sorter, on->queue, &range, &answer, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, number_buffer, number, sizeof number);
    CHECK(number[1] == 1);

    CHECK(lanesort_opencl_enqueue_unique(on->sorter, on->queue, &range, &distinct, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, number_buffer, number, sizeof number);
    CHECK(number[1] == 100);
    CHECK(lanesort_opencl_enqueue_run_lengths(on->sorter, on->queue, &range, &distinct, &lengths, 0, NULL, NULL) ==
          LANESORT_SUCCESS);
    read_buffer(on, number_buffer, number, sizeof number);
    read_buffer(on, distinct_buffer, result, sizeof result);
    read_buffer(on, lengths_buffer, values, sizeof values);
    CHECK(number[1] == 100);
    size_t place = 0;
    for (size_t i = 0; i < 100; ++i)
        for (uint32_t j = 0; j < values[i]; ++j) CHECK(place < keys_in_test && expected[place++] == result[i]);
    CHECK(place == keys_in_test);
    clReleaseMemObject(buffer);
    clReleaseMemObject(distinct_buffer);
    clReleaseMemObject(lengths_buffer);
    clReleaseMemObject(number_buffer);
}

typedef struct {
    float score;
    uint32_t id;
} particle;

static const lanesort_comparator by_score = {.type = "particle",
                                             .bytes = sizeof(particle),
                                             .before = "a.score > b.score",
                                             .declarations = "typedef struct { float score; uint id; } particle;"};

// In the order of their scores, and those of one score as they were in `keys`.
static void check_particles(const particle* particles, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        CHECK(particles[i].score == (float)keys[count - particles[i].id]);
        if (i == 0) continue;
        const particle before = particles[i - 1], here = particles[i];
        CHECK(before.score > here.score || (before.score == here.score && before.id > here.id));
    }
}

// Stably: their bytes would give those of one score the opposite order.
static void sorts_records(const fixture* on) {
    enum { count = 5000 };
    static particle particles[count];
    new_keys(50);
    for (uint32_t i = 0; i < count; ++i) particles[i] = (particle){(float)keys[i], count - i};
    const cl_mem buffer = buffer_of(on, particles, sizeof particles);
    const lanesort_key_range range = {.memory = buffer, .count = count, .comparator = &by_score, .stable = 1};
    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL) == LANESORT_SUCCESS);
    read_buffer(on, buffer, particles, sizeof particles);
    check_particles(particles, count);

    lanesort_comparator wrong = by_score;
    wrong.before = "a.no_such_member";
    const lanesort_key_range wrong_range = {.memory = buffer, .count = count, .comparator = &wrong};
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &wrong_range, 0, NULL, NULL),
                  LANESORT_BUILD_FAILED, "");
    CHECK(strstr(lanesort_last_build_log(), "no_such_member") != NULL);
    CHECK(lanesort_last_device_status() != 0 && strlen(lanesort_last_device_call()) > 0);
    wrong.before = NULL;
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &wrong_range, 0, NULL, NULL),
                  LANESORT_INVALID_ARGUMENT, "expression is null");
    CHECK(lanesort_last_device_status() == 0 && strlen(lanesort_last_build_log()) == 0);
    clReleaseMemObject(buffer);
}

static void replays_a_recorded_sort(const fixture* on) {
    const cl_mem buffer = buffer_of(on, NULL, sizeof keys);
    const lanesort_key_range range = {.memory = buffer, .count = keys_in_test};
    lanesort_opencl_recorded_sort* recorded = NULL;
    CHECK(lanesort_opencl_record_sort(&recorded, on->sorter, on->queue, &range, NULL) == LANESORT_SUCCESS);
    for (uint32_t below = 10; below <= 1000000; below *= 100) {
        new_keys(below);
        write_buffer(on, buffer, keys, sizeof keys);
        CHECK(lanesort_opencl_enqueue_recorded_sort(recorded, 0, NULL, NULL) == LANESORT_SUCCESS);
        read_buffer(on, buffer, result, sizeof result);
        CHECK(memcmp(result, expected, sizeof expected) == 0);
    }
    lanesort_opencl_destroy_recorded_sort(recorded);
    const lanesort_key_range beyond = {.memory = buffer, .offset = 1, .count = keys_in_test};
    CHECK_REFUSED(lanesort_opencl_record_sort(&recorded, on->sorter, on->queue, &beyond, NULL), LANESORT_OUT_OF_RANGE,
                  "past the end");
    CHECK(recorded == NULL);
    CHECK_REFUSED(lanesort_opencl_enqueue_recorded_sort(NULL, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT, "null");
    lanesort_opencl_destroy_recorded_sort(NULL);
    clReleaseMemObject(buffer);
}

// Stably: the values are the places where the keys were.
static void replays_a_recorded_sort_of_pairs(const fixture* on) {
    const cl_mem key_buffer = buffer_of(on, NULL, sizeof keys), value_buffer = buffer_of(on, NULL, sizeof values);
    const lanesort_key_range range = {.memory = key_buffer, .count = keys_in_test, .stable = 1};
    const lanesort_values places = {.memory = value_buffer};
    lanesort_opencl_recorded_sort* recorded = NULL;
    CHECK(lanesort_opencl_record_sort(&recorded, on->sorter, on->queue, &range, &places) == LANESORT_SUCCESS);
    for (uint32_t below = 10; below <= 1000; below *= 100) {
        new_keys(below);
        for (uint32_t i = 0; i < keys_in_test; ++i) values[i] = i;
        write_buffer(on, key_buffer, keys, sizeof keys);
        write_buffer(on, value_buffer, values, sizeof values);
        CHECK(lanesort_opencl_enqueue_recorded_sort(recorded, 0, NULL, NULL) == LANESORT_SUCCESS);
        read_buffer(on, key_buffer, result, sizeof result);
        read_buffer(on, value_buffer, values, sizeof values);
        CHECK(memcmp(result, expected, sizeof expected) == 0);
        check_places(values, keys_in_test);
    }
    lanesort_opencl_destroy_recorded_sort(recorded);
    clReleaseMemObject(key_buffer);
    clReleaseMemObject(value_buffer);
}

static char* copy_of(const char* text) {
    const size_t size = strlen(text) + 1;
    return memcpy(malloc(size), text, size);
}

// The comparator and its texts are gone before the first replay.
static void replays_a_recorded_sort_of_records(const fixture* on) {
    enum { count = 5000 };
    static particle particles[count];
    const cl_mem buffer = buffer_of(on, NULL, sizeof particles);
    char* const texts[] = {copy_of(by_score.type), copy_of(by_score.before), copy_of(by_score.declarations)};
    lanesort_comparator* const comparator = malloc(sizeof *comparator);
    *comparator = (lanesort_comparator){texts[0], sizeof(particle), texts[1], texts[2]};
    const lanesort_key_range range = {.memory = buffer, .count = count, .comparator = comparator, .stable = 1};
    lanesort_opencl_recorded_sort* recorded = NULL;
    CHECK(lanesort_opencl_record_sort(&recorded, on->sorter, on->queue, &range, NULL) == LANESORT_SUCCESS);
    for (int i = 0; i < 3; ++i) {
        memset(texts[i], '?', strlen(texts[i]));
        free(texts[i]);
    }
    memset(comparator, 0, sizeof *comparator);
    free(comparator);
    for (uint32_t below = 10; below <= 1000; below *= 100) {
        new_keys(below);
        for (uint32_t i = 0; i < count; ++i) particles[i] = (particle){(float)keys[i], count - i};
        write_buffer(on, buffer, particles, sizeof particles);
        CHECK(lanesort_opencl_enqueue_recorded_sort(recorded, 0, NULL, NULL) == LANESORT_SUCCESS);
        read_buffer(on, buffer, particles, sizeof particles);
        check_particles(particles, count);
    }
    lanesort_opencl_destroy_recorded_sort(recorded);
    clReleaseMemObject(buffer);
}

static void count_passes(size_t done, size_t all, void* passes) {
    CHECK(done <= all);
    *(size_t*)passes += 1;
}

static void sorts_host_memory(const fixture* on) {
    char name[256] = "";
    CHECK(clGetDeviceInfo(on->device, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS);
    lanesort_sorter* sorter = NULL;
    size_t passes = 0;
    const lanesort_options options = {.ignore_tuned = 1, .progress = count_passes, .progress_context = &passes};
    CHECK(lanesort_create(&sorter, name, &options) == LANESORT_SUCCESS);
    CHECK(strcmp(lanesort_device_name(sorter), name) == 0 && strlen(lanesort_note(sorter)) == 0);

    new_keys(100);
    memcpy(result, keys, sizeof keys);
    lanesort_key_range range = {.memory = result, .count = keys_in_test};
    CHECK(lanesort_argsort(sorter, &range, values, 4) == LANESORT_SUCCESS);
    check_places(values, keys_in_test);
    CHECK(lanesort_sort(sorter, &range) == LANESORT_SUCCESS);
    CHECK(memcmp(result, expected, sizeof expected) == 0);
    lanesort_report report;
    CHECK(lanesort_last_report(sorter, &report) == LANESORT_SUCCESS);
    CHECK(passes >= report.launches && report.launches > 0);

    int32_t sorted = 0;
    CHECK(lanesort_is_sorted(sorter, &range, &sorted) == LANESORT_SUCCESS && sorted == 1);
    uint64_t number = 0;
    static uint32_t distinct[keys_in_test], lengths[keys_in_test];
    CHECK(lanesort_unique(sorter, &range, distinct, &number) == LANESORT_SUCCESS && number == 100);
    number = 0;
    CHECK(lanesort_run_lengths(sorter, &range, distinct, lengths, 4, &number) == LANESORT_SUCCESS && number == 100);
    for (size_t i = 0, place = 0; i < 100; place += lengths[i++]) CHECK(expected[place] == distinct[i]);

    range.order = LANESORT_DESCENDING;
    uint32_t best[3] = {0, 0, 0}, places[3];
    CHECK(lanesort_top_k(sorter, &range, 3, best, places, 4) == LANESORT_SUCCESS);
    for (size_t i = 0; i < 3; ++i) CHECK(best[i] == expected[keys_in_test - 1 - i] && result[places[i]] == best[i]);
    CHECK_REFUSED(lanesort_top_k(sorter, &range, keys_in_test + 1, best, NULL, 0), LANESORT_INVALID_ARGUMENT, "30001");
    CHECK(lanesort_top_k(sorter, &range, 0, NULL, NULL, 0) == LANESORT_SUCCESS);
    CHECK(lanesort_prepare(sorter, LANESORT_CALL_TOP_K, &range, 0, 0) == LANESORT_SUCCESS);
    CHECK_REFUSED(lanesort_top_k(sorter, &range, 3, NULL, NULL, 0), LANESORT_INVALID_ARGUMENT, "selected keys is null");
    CHECK(lanesort_is_sorted(sorter, &range, &sorted) == LANESORT_SUCCESS && sorted == 0);
    CHECK_REFUSED(lanesort_is_sorted(sorter, &range, NULL), LANESORT_INVALID_ARGUMENT, "result is null");

    // At an offset, with values, in two runs that are merged.
    range = (lanesort_key_range){.memory = keys, .offset = 2, .count = 1000};
    lanesort_key_range behind = {.memory = keys, .offset = 1002, .count = keys_in_test - 1002};
    memcpy(expected, keys, sizeof keys);
    qsort(expected + 2, keys_in_test - 2, sizeof expected[0], compare);
    for (size_t i = 0; i < keys_in_test; ++i) values[i] = keys[i] + 7;
    CHECK(lanesort_sort_by_key(sorter, &range, values + 2, 4) == LANESORT_SUCCESS);
    CHECK(lanesort_sort_by_key(sorter, &behind, values + 1002, 4) == LANESORT_SUCCESS);
    range.count = keys_in_test - 2;
    uint64_t in_order = 0;
    CHECK(lanesort_is_sorted_until(sorter, &range, &in_order) == LANESORT_SUCCESS && in_order == 1000);
    CHECK(lanesort_merge_by_key(sorter, &range, 1000, values + 2, 4) == LANESORT_SUCCESS);
    CHECK(memcmp(keys, expected, sizeof expected) == 0);
    for (size_t i = 0; i < keys_in_test; ++i) CHECK(values[i] == keys[i] + 7);
    CHECK_REFUSED(lanesort_merge(sorter, &range, keys_in_test), LANESORT_OUT_OF_RANGE, "");

    // Segments of host memory have offsets of 8 bytes.
    const uint64_t offsets[] = {0, 3, 6};
    uint32_t six[] = {3, 2, 1, 9, 8, 7};
    range = (lanesort_key_range){.memory = six, .count = 6, .segments = {.memory = offsets, .count = 2}};
    CHECK(lanesort_sort(sorter, &range) == LANESORT_SUCCESS);
    for (uint32_t i = 0; i < 6; ++i) CHECK(six[i] == (i < 3 ? i + 1 : i + 4));
    range.segments.bytes = 4;
    CHECK_REFUSED(lanesort_sort(sorter, &range), LANESORT_INVALID_ARGUMENT, "8");
    range.segments.bytes = 0;
    range.segments.count = SIZE_MAX;
    CHECK_REFUSED(lanesort_sort(sorter, &range), LANESORT_INVALID_ARGUMENT, "segments");

    // Indices in each row, the first of each row, and how many keys of each are in order.
    uint32_t two_rows[] = {3, 1, 2, 8, 9, 7}, firsts[2] = {0, 0};
    uint64_t in_rows[2] = {0, 0};
    range = (lanesort_key_range){.memory = two_rows, .count = 6, .row_length = 3};
    uint64_t in_row[6];
    CHECK(lanesort_argsort(sorter, &range, in_row, 8) == LANESORT_SUCCESS);
    CHECK(memcmp(in_row, (const uint64_t[]){1, 2, 0, 2, 0, 1}, sizeof in_row) == 0);
    CHECK(lanesort_top_k(sorter, &range, 1, firsts, NULL, 0) == LANESORT_SUCCESS);
    CHECK(firsts[0] == 1 && firsts[1] == 7);
    CHECK(lanesort_is_sorted_until(sorter, &range, in_rows) == LANESORT_SUCCESS);
    CHECK(in_rows[0] == 1 && in_rows[1] == 2);

    // No keys need no memory.
    range = (lanesort_key_range){.count = 0};
    CHECK(lanesort_sort(sorter, &range) == LANESORT_SUCCESS);
    range.count = 1;
    CHECK_REFUSED(lanesort_sort(sorter, &range), LANESORT_INVALID_ARGUMENT, "keys is null");
    lanesort_destroy(sorter);
}

// Each call whose needs differ, and what it cannot be; the calls themselves follow.
static void prepares_for_every_call(const fixture* on) {
    const struct {
        lanesort_call call;
        size_t value_bytes, index_bytes;
        lanesort_key_range keys;
    } possible[] = {
        {LANESORT_CALL_SORT, 4, 0, {.count = keys_in_test, .stable = 1}},
        {LANESORT_CALL_SORT, 0, 4, {.count = keys_in_test, .row_length = 300}},
        {LANESORT_CALL_SORT, 0, 0, {.count = keys_in_test, .segments = {.longest = 19500, .bytes = 4}}},
        {LANESORT_CALL_SORT, 0, 0, {.count = keys_in_test, .comparator = &by_score, .stable = 1}},
        {LANESORT_CALL_MERGE, 0, 0, {.count = keys_in_test}},
        {LANESORT_CALL_MERGE, 4, 0, {.count = keys_in_test}},
        {LANESORT_CALL_TOP_K, 0, 4, {.count = keys_in_test, .row_length = 300, .first = 7}},
        {LANESORT_CALL_IS_SORTED, 0, 0, {.count = keys_in_test}},
        {LANESORT_CALL_UNIQUE, 0, 0, {.count = keys_in_test}},
        {LANESORT_CALL_RUN_LENGTHS, 0, 4, {.count = keys_in_test}},
    };
    for (size_t i = 0; i < sizeof possible / sizeof possible[0]; ++i)
        CHECK(lanesort_prepare(on->sorter, possible[i].call, &possible[i].keys, possible[i].value_bytes,
                               possible[i].index_bytes) == LANESORT_SUCCESS);

    const lanesort_key_range rows = {.count = keys_in_test, .row_length = 300, .first = 301};
    CHECK_REFUSED(lanesort_prepare(on->sorter, LANESORT_CALL_TOP_K, &rows, 0, 4), LANESORT_INVALID_ARGUMENT, "301");
    CHECK_REFUSED(lanesort_prepare(on->sorter, LANESORT_CALL_MERGE, &rows, 0, 0), LANESORT_INVALID_ARGUMENT, "merged");
    CHECK_REFUSED(lanesort_prepare(on->sorter, LANESORT_CALL_UNIQUE, &rows, 0, 0), LANESORT_INVALID_ARGUMENT, "rows");
    const lanesort_key_range range = {.count = keys_in_test};
    CHECK_REFUSED(lanesort_prepare(on->sorter, LANESORT_CALL_SORT, &range, 3, 0), LANESORT_INVALID_ARGUMENT, "3");
    CHECK_REFUSED(lanesort_prepare(on->sorter, LANESORT_CALL_RUN_LENGTHS, &range, 0, 2), LANESORT_INVALID_ARGUMENT,
                  "2");
    CHECK_REFUSED(lanesort_prepare(on->sorter, 6, &range, 0, 0), LANESORT_INVALID_ARGUMENT, "6");
    CHECK(lanesort_release(on->sorter) == LANESORT_SUCCESS);
    CHECK_REFUSED(lanesort_release(NULL), LANESORT_INVALID_ARGUMENT, "sorter");
}

static void refuses_mistakes(const fixture* on) {
    new_keys(1u << 20);
    const cl_mem buffer = buffer_of(on, keys, sizeof keys);
    const cl_command_queue other_queue = clCreateCommandQueue(on->other_context, on->device, 0, NULL);
    const lanesort_key_range good = {.memory = buffer, .count = keys_in_test};
    lanesort_key_range range = good;
    cl_event event = NULL;
    range.offset = 1;
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, &event), LANESORT_OUT_OF_RANGE,
                  "30000 keys at offset 1");
    CHECK(event == NULL);
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, other_queue, &good, 0, NULL, NULL), LANESORT_WRONG_CONTEXT,
                  "queue");
    // The third error in a row, a null handle; then all is well.
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(NULL, on->queue, &good, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "sorter is null");
    CHECK(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &good, 0, NULL, NULL) == LANESORT_SUCCESS);
    CHECK(strstr(lanesort_last_error(), "sorter is null") != NULL);
    read_buffer(on, buffer, result, sizeof result);
    CHECK(memcmp(result, expected, sizeof expected) == 0);

    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, NULL, &good, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "queue is null");
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, NULL, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "keys is null");
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &good, 1, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "wait list is null");
    CHECK_REFUSED(lanesort_opencl_enqueue_sort_by_key(on->sorter, on->queue, &good, NULL, 0, NULL, NULL),
                  LANESORT_INVALID_ARGUMENT, "values is null");
    range = (lanesort_key_range){.count = 5};
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "buffer is null");
    range = good;
    range.type = 11;
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "11");
    range = good;
    range.order = -1;
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "-1");
    range = good;
    range.segments = (lanesort_segments){.memory = buffer, .count = SIZE_MAX, .longest = 1000};
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL), LANESORT_INVALID_ARGUMENT,
                  "segments");
    CHECK_REFUSED(lanesort_cuda_enqueue_sort(on->sorter, NULL, &good, 0, NULL, NULL), LANESORT_UNSUPPORTED, "CUDA");
    CHECK_REFUSED(lanesort_last_report(on->sorter, NULL), LANESORT_INVALID_ARGUMENT, "report is null");
    const cl_mem read_only = clCreateBuffer(on->context, CL_MEM_READ_ONLY, sizeof keys, NULL, NULL);
    range = good;
    range.memory = read_only;
    CHECK_REFUSED(lanesort_opencl_enqueue_sort(on->sorter, on->queue, &range, 0, NULL, NULL), LANESORT_NOT_WRITABLE,
                  "read-only");

    lanesort_sorter* sorter = on->sorter;
    CHECK_REFUSED(lanesort_create(&sorter, "no such device", NULL), LANESORT_UNKNOWN_DEVICE, "no such device");
    CHECK(sorter == NULL);
    const lanesort_options options = {.shape_file = "/no/such/file"};
    CHECK_REFUSED(lanesort_opencl_create(&sorter, on->context, on->device, &options), LANESORT_INVALID_ARGUMENT,
                  "/no/such/file");
    CHECK_REFUSED(lanesort_opencl_create(&sorter, NULL, on->device, NULL), LANESORT_INVALID_ARGUMENT, "null");
    CHECK_REFUSED(lanesort_opencl_create(NULL, on->context, on->device, NULL), LANESORT_INVALID_ARGUMENT, "null");
    CHECK(lanesort_cuda_create(&sorter, -1, NULL) != LANESORT_SUCCESS);
    CHECK(strlen(lanesort_device_name(NULL)) == 0 && strlen(lanesort_note(NULL)) == 0);
    lanesort_destroy(NULL);
    clReleaseMemObject(read_only);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(other_queue);
}

static int other_thread(void* unused) {
    (void)unused;
    CHECK(strlen(lanesort_last_error()) == 0);
    CHECK_REFUSED(lanesort_sort(NULL, NULL), LANESORT_INVALID_ARGUMENT, "sorter is null");
    return 0;
}

static void keeps_the_errors_of_threads_apart(void) {
    lanesort_sorter* sorter;
    CHECK_REFUSED(lanesort_create(&sorter, "no such device", NULL), LANESORT_UNKNOWN_DEVICE, "no such device");
    thrd_t thread;
    CHECK(thrd_create(&thread, other_thread, NULL) == thrd_success);
    CHECK(thrd_join(thread, NULL) == thrd_success);
    CHECK(strstr(lanesort_last_error(), "no such device") != NULL);
}

int main(void) {
    CHECK(strlen(lanesort_last_error()) == 0);
    CHECK(strcmp(lanesort_version(), EXPECTED_VERSION) == 0);
    CHECK(strcmp(lanesort_status_name(LANESORT_WRONG_CONTEXT), "wrong context") == 0);
    CHECK(strcmp(lanesort_status_name(99), "unknown status") == 0);

    fixture on;
    if (!find_device(&on.device)) {
        const char* const required = getenv("LANESORT_REQUIRE_DEVICE");
        fprintf(stderr, "there is no OpenCL device\n");
        if (failures > 0) return 1;
        return required && strcmp(required, "1") == 0 ? 1 : skipped_for_ctest;
    }
    on.context = clCreateContext(NULL, 1, &on.device, NULL, NULL, NULL);
    on.other_context = clCreateContext(NULL, 1, &on.device, NULL, NULL, NULL);
    on.queue = clCreateCommandQueue(on.context, on.device, 0, NULL);
    CHECK(lanesort_opencl_create(&on.sorter, on.context, on.device, NULL) == LANESORT_SUCCESS);
    if (failures > 0) return 1;

    refuses_mistakes(&on);
    prepares_for_every_call(&on);
    sorts_a_buffer(&on);
    sorts_pairs_of_buffers(&on);
    sorts_rows_and_segments_of_buffers(&on);
    reads_sorted_buffers(&on);
    sorts_records(&on);
    replays_a_recorded_sort(&on);
    replays_a_recorded_sort_of_pairs(&on);
    replays_a_recorded_sort_of_records(&on);
    sorts_host_memory(&on);
    keeps_the_errors_of_threads_apart();

    lanesort_destroy(on.sorter);
    clReleaseCommandQueue(on.queue);
    clReleaseContext(on.context);
    clReleaseContext(on.other_context);
    if (failures == 0) printf("the C interface of lanesort %s does what it says\n", lanesort_version());
    return failures == 0 ? 0 : 1;
}
