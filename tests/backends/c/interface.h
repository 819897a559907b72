// SPDX-License-Identifier: MIT
// What the parts of c_interface_test share: requests that are run in every way, and arrays for them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <lanesort/lanesort.h>

enum { n = 30000, slack = 3, particle_count = 5000 };

// How a request is run.
typedef enum { on_host, on_buffers, recorded, ways } way;
extern way how;

extern cl_device_id device;
extern cl_context context, other_context;
extern cl_command_queue queue;
extern lanesort_sorter* sorter;
extern int failures;

// The line of the source.
#define TEXT_OF(line) #line
#define AS_TEXT(line) TEXT_OF(line)
#define HERE __FILE__ ":" AS_TEXT(__LINE__)

void check(int holds, const char* what, const char* where);
#define CHECK(condition) check(condition, #condition, HERE)
#define CHECK_SUCCESS(call) check((call) == LANESORT_SUCCESS, #call, HERE)

// A refusal with that status and a sentence that has the word.
void check_refused(lanesort_status status, lanesort_status wanted, const char* word, const char* where);
#define CHECK_REFUSED(call, expected, word) check_refused(call, expected, word, HERE)

// A copy.
cl_mem buffer_of(const void* bytes, size_t size);
// Releases it, too.
void wait_for(cl_event event);

// Runs a request on host arrays, or on copies of them in buffers, which come back.
lanesort_status run(lanesort_request request);

// Runs a request that has something to do, after one that has nothing, and looks at the reports of both.
void check_run(lanesort_request request, const char* where);
#define RUN(...) check_run((lanesort_request){__VA_ARGS__}, HERE)

// The keys of a call are `keys`; behind them are neighbours.
extern uint32_t keys[n + slack], expected[n + slack], numbers[n + slack], values[n], lengths[n], found[n + slack];
extern uint64_t wide[n], answers[101];
#define KEYS .memory = keys, .count = n, .type = LANESORT_U32
#define IS_AS_EXPECTED (memcmp(keys, expected, sizeof keys) == 0)

// Random numbers, and the same in `expected`, of which those from `begin` to `end` are sorted.
void new_numbers(uint32_t below, size_t begin, size_t end);
void sort_expected(size_t begin, size_t end);
void restore_keys(void);

typedef struct {
    float score;
    uint32_t id;
} particle;
extern const lanesort_comparator by_score;
extern particle particles[particle_count + slack];

void new_particles(void);
// They are in the order of their scores, and those of one score as they were.
void check_particles(void);

// The parts.
void refuses_requests(void);
void refuses_types(void);
void refuses_what_is_not_stated(void);
void refuses_host_memory(void);
void refuses_buffers(void);
void refuses_sorters(void);
