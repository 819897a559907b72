// SPDX-License-Identifier: MIT
#include "interface.h"

#include <stdio.h>
#include <stdlib.h>

way how;
cl_device_id device;
cl_context context, other_context;
cl_command_queue queue;
lanesort_sorter* sorter;
int failures = 0;
uint32_t keys[n + slack], expected[n + slack], numbers[n + slack], values[n], lengths[n], found[n + slack];
uint64_t wide[n], answers[101];

static const char* const way_names[] = {"on host memory", "on buffers", "recorded"};

// The first failures are told.
void check(int holds, const char* what, const char* where) {
    if (holds || ++failures > 20) return;
    fprintf(stderr, "%s, %s: %s; the last error is \"%s\"\n", where, way_names[how], what, lanesort_last_error());
}

void check_refused(lanesort_status status, lanesort_status wanted, const char* word, const char* where) {
    if (status == wanted && strstr(lanesort_last_error(), word)) return;
    check(0, word, where);
    fprintf(stderr, "    was expected with the status \"%s\", not \"%s\"\n", lanesort_status_name(wanted),
            lanesort_status_name(status));
}

enum { most_arrays = 13 };

typedef struct {
    void** memory;
    size_t size;
} array;

static size_t or_else(size_t bytes, size_t otherwise) { return bytes > 0 ? bytes : otherwise; }

// Keys have `slack` neighbours behind them, so that these are seen to stay.
static void find_arrays(lanesort_request* r, array* arrays) {
    static const size_t type_bytes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    const size_t key = r->predicate                                                          ? r->predicate->bytes
                       : r->comparator                                                       ? r->comparator->bytes
                       : r->binary_operator && r->operation < LANESORT_INCLUSIVE_SCAN_BY_KEY ? r->binary_operator->bytes
                                                                                             : type_bytes[r->type];
    const size_t rows = r->row_length > 0 ? r->count / r->row_length : or_else(r->segments.count, 1);
    const int reduces = r->operation == LANESORT_REDUCE || r->operation == LANESORT_TRANSFORM_REDUCE;
    const size_t results = r->operation == LANESORT_TOP_K ? rows * r->k : reduces ? rows : r->count;
    const int is_wide = reduces && !r->binary_operator && r->reduction != LANESORT_MIN && r->reduction != LANESORT_MAX;
    const array all[most_arrays] = {
        {&r->memory, (r->offset + r->count + slack) * key},
        {&r->values.memory, (r->values.offset + r->count) * or_else(r->values.bytes, 4)},
        {&r->second.memory, (r->second.offset + r->count - r->middle) * key},
        {&r->second_values.memory, (r->second_values.offset + r->count - r->middle) * or_else(r->values.bytes, 4)},
        {&r->indices.memory, (r->indices.offset + results) * or_else(r->indices.bytes, 4)},
        {&r->lengths.memory, (r->lengths.offset + results) * or_else(r->lengths.bytes, 4)},
        {(void**)(uintptr_t)&r->segments.memory,
         (r->segments.offset + r->segments.count + 1) * or_else(r->segments.bytes, 8)},
        {&r->results.memory, (r->results.offset + results) * (is_wide ? sizeof(uint64_t) : key)},
        {&r->result_values.memory, (r->result_values.offset + results) *
                                       (r->reduction == LANESORT_MEAN ? sizeof(double) : or_else(r->values.bytes, 4))},
        {&r->answers.memory, (r->answers.offset + rows) * sizeof(uint64_t)},
        {&r->limit.memory, (r->limit.offset + 1) * sizeof(uint64_t)},
        {&r->flags.memory, r->flags.offset + r->count},
        {&r->parameter.memory, (r->parameter.offset + 1) * (r->predicate ? r->predicate->parameter_bytes : 0)}};
    memcpy(arrays, all, sizeof all);
}

cl_mem buffer_of(const void* bytes, size_t size) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, (void*)(uintptr_t)bytes, NULL);
}

void wait_for(cl_event event) {
    CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
    clReleaseEvent(event);
}

// Replays twice what was recorded, the second time on new copies of the arrays.
static void replay(lanesort_recorded* call, const array* arrays, void* const* host) {
    for (int i = 0; i < 2; ++i) {
        for (size_t a = 0; a < most_arrays; ++a)
            if (host[a])
                CHECK(clEnqueueWriteBuffer(queue, *arrays[a].memory, CL_TRUE, 0, arrays[a].size, host[a], 0, NULL,
                                           NULL) == CL_SUCCESS);
        cl_event event = NULL;
        CHECK_SUCCESS(lanesort_opencl_enqueue_recorded(call, 0, NULL, &event));
        wait_for(event);
    }
    lanesort_destroy_recorded(call);
}

// The arrays are in host memory; buffers have copies of them, which come back.
static lanesort_status run_on_buffers(lanesort_request request) {
    array arrays[most_arrays];
    find_arrays(&request, arrays);
    void* host[most_arrays];
    for (size_t a = 0; a < most_arrays; ++a) {
        host[a] = *arrays[a].memory;
        if (host[a]) *arrays[a].memory = buffer_of(host[a], arrays[a].size);
    }
    cl_event event = NULL;
    lanesort_recorded* call = NULL;
    const lanesort_status status = how == recorded ? lanesort_opencl_record(&call, sorter, queue, &request)
                                                   : lanesort_opencl_enqueue(sorter, queue, &request, 0, NULL, &event);
    if (status == LANESORT_SUCCESS) {
        if (call) replay(call, arrays, host);
        else wait_for(event);
    } else {
        CHECK(!call && !event);
    }
    for (size_t a = 0; a < most_arrays; ++a) {
        if (!host[a]) continue;
        if (status == LANESORT_SUCCESS)
            CHECK(clEnqueueReadBuffer(queue, *arrays[a].memory, CL_TRUE, 0, arrays[a].size, host[a], 0, NULL, NULL) ==
                  CL_SUCCESS);
        clReleaseMemObject(*arrays[a].memory);
    }
    return status;
}

lanesort_status run(lanesort_request request) {
    return how == on_host ? lanesort_run(sorter, &request) : run_on_buffers(request);
}

void check_run(lanesort_request request, const char* where) {
    lanesort_report report = {.launches = 1};
    check(run((lanesort_request){.type = LANESORT_U32}) == LANESORT_SUCCESS, "an empty request", where);
    CHECK_SUCCESS(lanesort_last_report(sorter, &report));
    check(report.launches == 0, "the report of an empty request", where);
    check(lanesort_prepare(sorter, &request) == LANESORT_SUCCESS, "prepare", where);
    check(run(request) == LANESORT_SUCCESS, "run", where);
    CHECK_SUCCESS(lanesort_last_report(sorter, &report));
    check(report.launches > 0, "the report of a request", where);
    check((report.sort_seconds > 0) == (how == on_host), "the report's times", where);
}

static int compare(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

void sort_expected(size_t begin, size_t end) { qsort(expected + begin, end - begin, sizeof(uint32_t), compare); }

void new_numbers(uint32_t below, size_t begin, size_t end) {
    static uint32_t state = 20120607;
    for (size_t i = 0; i < n + slack; ++i) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (state >> 8) % below;
    }
    memcpy(expected, numbers, sizeof numbers);
    sort_expected(begin, end);
}

void restore_keys(void) { memcpy(keys, numbers, sizeof keys); }

const lanesort_comparator by_score = {.type = "particle",
                                      .bytes = sizeof(particle),
                                      .before = "a.score > b.score",
                                      .declarations = "typedef struct { float score; uint id; } particle;"};

particle particles[particle_count + slack];

void new_particles(void) {
    new_numbers(50, 0, 0);
    for (uint32_t i = 0; i < particle_count; ++i) particles[i] = (particle){(float)numbers[i], particle_count - i};
}

// The bytes of those of one score would give the opposite order.
void check_particles(void) {
    for (size_t i = 0; i < particle_count; ++i) {
        CHECK(particles[i].score == (float)numbers[particle_count - particles[i].id]);
        if (i == 0) continue;
        const particle before = particles[i - 1], here = particles[i];
        CHECK(before.score > here.score || (before.score == here.score && before.id > here.id));
    }
}
