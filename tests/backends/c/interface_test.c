// SPDX-License-Identifier: MIT
// lanesort/lanesort.h from C11, on the first OpenCL device: every operation on host memory, on buffers and recorded.
#include "interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { skipped_for_ctest = 77 };

// ---- The operations -----------------------------------------------------------------------------------------------

static void sorts(void) {
    enum { header = 5, count = n - header };
    new_numbers(1u << 20, header, n);
    restore_keys();
    RUN(.memory = keys, .offset = header, .count = count, .type = LANESORT_U32);
    CHECK(IS_AS_EXPECTED);
    RUN(.memory = keys, .offset = header, .count = count, .type = LANESORT_U32, .order = LANESORT_DESCENDING);
    for (size_t i = 0; i < count; ++i) CHECK(keys[header + i] == expected[n - 1 - i]);
    CHECK(memcmp(keys, expected, header * sizeof keys[0]) == 0);
    CHECK(memcmp(keys + n, expected + n, slack * sizeof keys[0]) == 0);
    RUN(.memory = keys, .offset = header, .count = count, .type = LANESORT_U32, .order = LANESORT_ASCENDING);
    CHECK(IS_AS_EXPECTED);

    // Their first ten alone.
    restore_keys();
    RUN(.memory = keys, .offset = header, .count = count, .type = LANESORT_U32, .first = 10);
    CHECK(memcmp(keys, expected, (header + 10) * sizeof keys[0]) == 0);

    // As numbers of another type: below 0 where the highest bit is set.
    new_numbers(1u << 24, 0, 0);
    for (size_t i = 0; i < n; ++i) numbers[i] <<= 8;
    restore_keys();
    RUN(.memory = keys, .count = n, .type = LANESORT_I32);
    for (size_t i = 1; i < n; ++i) CHECK((int32_t)keys[i - 1] <= (int32_t)keys[i]);
}

static void sorts_by_schedules(void) {
    const lanesort_schedule schedules[] = {LANESORT_AUTOMATIC, LANESORT_NETWORK, LANESORT_COLUMNS};
    new_numbers(1u << 20, 0, n);
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; ++i)
        for (int data_independent = 0; data_independent < 2; ++data_independent) {
            lanesort_report report = {.schedule = LANESORT_DISTRIBUTION};
            restore_keys();
            RUN(KEYS, .schedule = schedules[i], .data_independent = data_independent);
            CHECK(IS_AS_EXPECTED);
            CHECK_SUCCESS(lanesort_last_report(sorter, &report));
            CHECK(report.schedule == LANESORT_NETWORK || report.schedule == LANESORT_COLUMNS);
            CHECK(schedules[i] != LANESORT_NETWORK || report.schedule == LANESORT_NETWORK);
        }
    restore_keys();
    RUN(KEYS, .row_length = n, .data_independent = 1);
    lanesort_report report = {.schedule = LANESORT_NETWORK};
    CHECK_SUCCESS(lanesort_last_report(sorter, &report));
    CHECK(report.schedule == LANESORT_AUTOMATIC);
}

// Each is the place in `numbers` of the sorted key `expected`, those of equal keys in order, row by row.
static void check_places(const uint32_t* places, size_t row) {
    for (size_t i = 0; i < n; ++i) {
        CHECK(places[i] < row && numbers[i / row * row + places[i]] == expected[i]);
        CHECK(i % row == 0 || expected[i] > expected[i - 1] || places[i] > places[i - 1]);
    }
}

static void sorts_values_and_indices(void) {
    new_numbers(1000, 0, n);
    restore_keys();
    for (uint32_t i = 0; i < n; ++i) wide[i] = numbers[i] * 3 + 1;
    RUN(KEYS, .values = {.memory = wide, .bytes = 8});
    CHECK(IS_AS_EXPECTED);
    for (size_t i = 0; i < n; ++i) CHECK(wide[i] == expected[i] * 3 + 1);

    restore_keys();
    for (uint32_t i = 0; i < n; ++i) values[i] = i;
    RUN(KEYS, .values = {.memory = values, .bytes = 4}, .stable = 1);
    CHECK(IS_AS_EXPECTED);
    check_places(values, n);

    restore_keys();
    RUN(KEYS, .operation = LANESORT_ARGSORT, .indices = {.memory = found, .bytes = 4});
    CHECK(memcmp(keys, numbers, sizeof keys) == 0);
    check_places(found, n);
    RUN(KEYS, .operation = LANESORT_ARGSORT, .indices = {.memory = wide, .bytes = 8});
    for (size_t i = 0; i < n; ++i) CHECK(wide[i] == found[i]);
}

static void sorts_rows_and_segments(void) {
    enum { row = 300 };
    new_numbers(1u << 24, 0, 0);
    for (size_t i = 0; i < n; i += row) sort_expected(i, i + row);
    restore_keys();
    RUN(KEYS, .operation = LANESORT_ARGSORT, .row_length = row, .indices = {.memory = found, .bytes = 4});
    check_places(found, row);
    RUN(KEYS, .row_length = row);
    CHECK(IS_AS_EXPECTED);

    // Offsets of both widths, behind one that is of no segment; 8 bytes are the default.
    static uint64_t wide_offsets[] = {1, 7, 7, 500, 20000};
    static uint32_t narrow_offsets[] = {1, 7, 7, 500, 20000};
    memcpy(expected, numbers, sizeof numbers);
    sort_expected(7, 500);
    sort_expected(500, 20000);
    restore_keys();
    RUN(KEYS, .segments = {.memory = wide_offsets, .offset = 1, .count = 3, .longest = 19500, .bytes = 8});
    CHECK(IS_AS_EXPECTED);
    restore_keys();
    RUN(KEYS, .segments = {.memory = narrow_offsets, .offset = 1, .count = 3, .longest = 19500, .bytes = 4});
    CHECK(IS_AS_EXPECTED);
}

static void selects(void) {
    enum { row = 300, k = 7, of_rows = n / row * k };
    new_numbers(1u << 20, 0, n);
    restore_keys();
    // The largest, unless the order is said.
    RUN(KEYS, .operation = LANESORT_TOP_K, .k = k, .results = {.memory = found});
    for (size_t i = 0; i < k; ++i) CHECK(found[i] == expected[n - 1 - i]);
    RUN(KEYS, .operation = LANESORT_TOP_K, .order = LANESORT_ASCENDING, .k = k, .results = {.memory = found});
    CHECK(memcmp(found, expected, k * sizeof found[0]) == 0);
    CHECK(run((lanesort_request){KEYS, .operation = LANESORT_TOP_K}) == LANESORT_SUCCESS);

    for (size_t i = 0; i < n; i += row) {
        memcpy(expected + i, numbers + i, row * sizeof expected[0]);
        sort_expected(i, i + row);
    }
    found[0] = 4711;
    RUN(KEYS, .operation = LANESORT_TOP_K, .row_length = row, .k = k, .results = {.memory = found, .offset = 1},
        .indices = {.memory = wide, .bytes = 8});
    CHECK(found[0] == 4711);
    for (size_t i = 0; i < of_rows; ++i) {
        const size_t row_begin = i / k * row;
        CHECK(found[1 + i] == expected[row_begin + row - 1 - i % k]);
        CHECK(wide[i] < row && numbers[row_begin + wide[i]] == found[1 + i]);
    }

    // With values, which are the places of the keys, and as many as memory says.
    static uint32_t places[n], best[k];
    static uint64_t limit[] = {4711, k - 2};
    for (uint32_t i = 0; i < n; ++i) places[i] = i;
    memset(best, 0xff, sizeof best);
    memset(found, 0xff, sizeof found);
    sort_expected(0, n);
    RUN(KEYS, .operation = LANESORT_TOP_K, .k = k, .values = {.memory = places, .bytes = 4},
        .results = {.memory = found}, .result_values = {.memory = best}, .limited = 1,
        .limit = {.memory = limit, .offset = 1});
    for (size_t i = 0; i < k - 2; ++i) {
        CHECK(found[i] == expected[n - 1 - i]);
        CHECK(numbers[best[i]] == found[i]);
    }
    for (size_t i = k - 2; i < k; ++i) CHECK(found[i] == UINT32_MAX && best[i] == UINT32_MAX);
}

static void merges_and_reads_sorted_keys(void) {
    enum { middle = 10000, row = 300, distinct = 100 };
    new_numbers(distinct, 0, middle);
    sort_expected(middle, n);
    memcpy(numbers, expected, sizeof numbers);
    sort_expected(0, n);
    restore_keys();
    answers[0] = 4711;
    RUN(KEYS, .operation = LANESORT_IS_SORTED_UNTIL, .answers = {.memory = answers, .offset = 1});
    CHECK(answers[0] == 4711 && answers[1] == middle);
    RUN(KEYS, .operation = LANESORT_IS_SORTED, .answers = {.memory = answers});
    CHECK(answers[0] == 0);
    RUN(KEYS, .operation = LANESORT_IS_SORTED, .row_length = row, .answers = {.memory = answers});
    for (size_t i = 0; i < n / row; ++i) CHECK(answers[i] == (i != middle / row));

    restore_keys();
    memset(found, 0, sizeof found);
    RUN(KEYS, .apart = 1, .results = {.memory = found});
    CHECK(memcmp(keys, numbers, sizeof keys) == 0 && memcmp(found, expected, n * sizeof found[0]) == 0);
    RUN(KEYS, .apart = 1, .results = {.memory = keys});
    CHECK(IS_AS_EXPECTED);
    restore_keys();
    RUN(KEYS, .operation = LANESORT_MERGE, .middle = middle);
    CHECK(IS_AS_EXPECTED);
    restore_keys();
    memset(found, 0, sizeof found);
    RUN(KEYS, .operation = LANESORT_MERGE, .apart = 1, .middle = middle, .second = {.memory = keys, .offset = middle},
        .results = {.memory = found});
    CHECK(memcmp(keys, numbers, sizeof keys) == 0 && memcmp(found, expected, n * sizeof found[0]) == 0);
    for (uint32_t i = 0; i < n; ++i) values[i] = numbers[i] + 7;
    RUN(KEYS, .operation = LANESORT_MERGE, .apart = 1, .middle = middle, .values = {.memory = values, .bytes = 4},
        .second = {.memory = keys, .offset = middle}, .second_values = {.memory = values, .offset = middle},
        .results = {.memory = found}, .result_values = {.memory = lengths});
    CHECK(memcmp(keys, numbers, sizeof keys) == 0 && memcmp(found, expected, n * sizeof found[0]) == 0);
    for (size_t i = 0; i < n; ++i) CHECK(lengths[i] == expected[i] + 7);
    RUN(KEYS, .operation = LANESORT_MERGE, .middle = middle, .values = {.memory = values, .bytes = 4});
    CHECK(IS_AS_EXPECTED);
    for (size_t i = 0; i < n; ++i) CHECK(values[i] == expected[i] + 7);

    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += expected[i];
    RUN(KEYS, .operation = LANESORT_REDUCE, .results = {.memory = answers});
    CHECK(answers[0] == sum);
    for (size_t i = sum = 0; i < n; ++i) sum += (uint64_t)keys[i] * expected[i];
    RUN(KEYS, .operation = LANESORT_TRANSFORM_REDUCE, .second = {.memory = expected}, .results = {.memory = answers});
    CHECK(answers[0] == sum);
    RUN(KEYS, .operation = LANESORT_REDUCE, .reduction = LANESORT_MAX, .results = {.memory = found});
    CHECK(found[0] == expected[n - 1]);
    static uint64_t offsets[] = {0, 1, 1, n};
    const lanesort_segments segments = {.memory = offsets, .count = 3, .bytes = 8};
    for (size_t i = sum = 0; i < n; ++i) sum += keys[i];
    RUN(KEYS, .operation = LANESORT_REDUCE, .segments = segments, .results = {.memory = answers});
    CHECK(answers[0] == keys[0] && answers[1] == 0 && answers[2] == sum - keys[0]);
    const lanesort_binary_operator last_of = {.type = "uint", .bytes = 4, .combine = "b", .identity = "7"};
    RUN(.memory = keys, .count = n, .operation = LANESORT_REDUCE, .binary_operator = &last_of, .segments = segments,
        .results = {.memory = found});
    CHECK(found[0] == keys[0] && found[1] == 7 && found[2] == keys[n - 1]);
    const lanesort_binary_operator dot_product = {
        .type = "uint", .bytes = 4, .combine = "a + b", .identity = "0", .transform = "a * b"};
    RUN(.memory = keys, .count = n, .operation = LANESORT_TRANSFORM_REDUCE, .binary_operator = &dot_product,
        .second = {.memory = expected}, .results = {.memory = found});
    uint32_t product = 0;
    for (size_t i = 0; i < n; ++i) product += keys[i] * expected[i];
    CHECK(found[0] == product);
    static uint8_t flags[n];
    for (size_t i = 0; i < n; ++i) flags[i] = i % 3 == 0 ? 7 : 0;
    RUN(KEYS, .operation = LANESORT_PARTITION, .flags = {.memory = flags}, .results = {.memory = found},
        .answers = {.memory = answers});
    CHECK(answers[0] == (n + 2) / 3 && found[0] == keys[0] && found[1] == keys[3] && found[answers[0]] == keys[1]);
    RUN(KEYS, .operation = LANESORT_SELECT, .inverted = 1, .flags = {.memory = flags}, .results = {.memory = found},
        .answers = {.memory = answers});
    CHECK(answers[0] == n - (n + 2) / 3 && found[0] == keys[1] && found[2] == keys[4]);
    const lanesort_predicate is_even = {.type = "uint", .bytes = 4, .holds = "a % 2 == 0"};
    RUN(.memory = keys, .count = n, .operation = LANESORT_PARTITION, .predicate = &is_even,
        .results = {.memory = found}, .answers = {.memory = answers});
    for (size_t i = 0; i < n; ++i) CHECK((found[i] % 2 == 0) == (i < answers[0]));
    const lanesort_predicate is_below = {
        .type = "uint", .bytes = 4, .holds = "a < p", .parameter_type = "uint", .parameter_bytes = 4};
    for (uint32_t pivot = 0; pivot < 4; ++pivot) {
        RUN(.memory = keys, .count = n, .operation = LANESORT_PARTITION, .predicate = &is_below,
            .parameter = {.memory = &pivot}, .results = {.memory = found}, .answers = {.memory = answers});
        for (size_t i = 0; i < n; ++i) CHECK((found[i] < pivot) == (i < answers[0]));
    }
    RUN(KEYS, .operation = LANESORT_INCLUSIVE_SCAN, .results = {.memory = found});
    for (uint32_t i = 0, all = 0; i < n; ++i) CHECK(found[i] == (all += keys[i]));
    RUN(KEYS, .operation = LANESORT_EXCLUSIVE_SCAN, .results = {.memory = found});
    for (uint32_t i = 0, all = 0; i < n; all += keys[i++]) CHECK(found[i] == all);
    static uint64_t begins[] = {1, row, row, n - 1};
    RUN(KEYS, .operation = LANESORT_INCLUSIVE_SCAN, .reduction = LANESORT_MAX, .results = {.memory = found},
        .segments = {.memory = begins, .count = 3, .bytes = 8});
    for (uint32_t i = 1, largest = 0; i < n - 1; ++i) {
        largest = i == row || keys[i] > largest ? keys[i] : largest;
        CHECK(found[i] == largest);
    }
    static uint16_t of_values[n];
    RUN(KEYS, .operation = LANESORT_EXCLUSIVE_SCAN_BY_KEY, .values = {.memory = flags, .bytes = 1},
        .value_type = LANESORT_U8, .result_values = {.memory = of_values});
    for (uint32_t i = 0, all = 0; i < n; all += flags[i++]) {
        if (i > 0 && keys[i] != keys[i - 1]) all = 0;
        CHECK(((uint8_t*)of_values)[i] == (uint8_t)all);
    }
    const lanesort_binary_operator last_given = {
        .type = "ushort", .bytes = 2, .combine = "b != 0 ? b : a", .identity = "0"};
    for (uint32_t i = 0; i < n; ++i) of_values[i] = i % 5 == 0 ? (uint16_t)(i + 1) : 0;
    RUN(KEYS, .operation = LANESORT_INCLUSIVE_SCAN_BY_KEY, .values = {.memory = of_values, .bytes = 2},
        .binary_operator = &last_given, .in_place = 1);
    for (uint32_t i = 0, last = 0; i < n; ++i) {
        if (i > 0 && keys[i] != keys[i - 1]) last = 0;
        if (i % 5 == 0) last = (uint16_t)(i + 1);
        CHECK(of_values[i] == last);
    }
    RUN(KEYS, .operation = LANESORT_REDUCE, .reduction = LANESORT_ARG_MIN, .row_length = row,
        .results = {.memory = answers});
    for (size_t i = 0; i < n / row; ++i) CHECK(answers[i] == 0);

    static uint32_t largest_of[n];
    RUN(KEYS, .operation = LANESORT_REDUCE_BY_KEY, .reduction = LANESORT_MAX, .values = {.memory = lengths, .bytes = 4},
        .results = {.memory = found}, .result_values = {.memory = largest_of}, .answers = {.memory = answers},
        .value_type = LANESORT_U32);
    for (uint64_t i = 0, run = 0; run < answers[0]; ++run) {
        uint32_t largest = 0;
        for (const uint32_t key = keys[i]; i < n && keys[i] == key; ++i)
            largest = lengths[i] > largest ? lengths[i] : largest;
        CHECK(largest_of[run] == largest);
    }

    static double means[n];
    RUN(KEYS, .operation = LANESORT_REDUCE_BY_KEY, .reduction = LANESORT_MEAN,
        .values = {.memory = lengths, .bytes = 4}, .results = {.memory = found}, .result_values = {.memory = means},
        .answers = {.memory = answers}, .value_type = LANESORT_U32);
    for (uint64_t i = 0, run = 0; run < answers[0]; ++run) {
        uint64_t of_key = 0;
        const uint64_t first = i;
        for (const uint32_t key = keys[i]; i < n && keys[i] == key; ++i) of_key += lengths[i];
        CHECK(means[run] == (double)of_key / (double)(i - first));
    }

    RUN(KEYS, .operation = LANESORT_UPPER_BOUND, .second = {.memory = expected}, .second_count = n / 2,
        .indices = {.memory = lengths, .bytes = 4});
    for (size_t i = 0; i < n / 2; ++i)
        CHECK(expected[lengths[i] - 1] == expected[i] && (lengths[i] == n || expected[lengths[i]] > expected[i]));
    RUN(KEYS, .operation = LANESORT_EQUAL_RANGE, .second = {.memory = expected}, .second_count = n / 2,
        .indices = {.memory = found, .bytes = 4});
    for (size_t i = 0; i < n / 2; ++i) CHECK(found[2 * i] <= i && found[2 * i + 1] == lengths[i]);
    RUN(KEYS, .operation = LANESORT_HISTOGRAM, .bins = 2, .upper = 2 * distinct - 1,
        .lengths = {.memory = lengths, .bytes = 4});
    CHECK(lengths[0] == n && lengths[1] == 0);
    memcpy(found, (const uint32_t[]){0, 1, distinct}, 12);
    RUN(KEYS, .operation = LANESORT_HISTOGRAM, .bins = 2, .bounded = 1, .second = {.memory = found},
        .lengths = {.memory = wide, .bytes = 8});
    CHECK(wide[0] + wide[1] == n && expected[wide[0]] == 1);
    for (uint32_t i = 0; i < n; ++i) lengths[i] = n - 1 - i;
    RUN(.operation = LANESORT_GATHER, .count = n, .second_count = n, .values = {.memory = values, .bytes = 4},
        .indices = {.memory = lengths, .bytes = 4}, .result_values = {.memory = found});
    for (size_t i = 0; i < n; ++i) CHECK(found[i] == values[n - 1 - i]);
    RUN(.operation = LANESORT_PERMUTE, .count = n, .values = {.memory = values, .bytes = 4},
        .indices = {.memory = lengths, .bytes = 4});
    CHECK(memcmp(values, found, sizeof values) == 0);
    RUN(.operation = LANESORT_SCATTER, .count = n, .second_count = n, .values = {.memory = found, .bytes = 4},
        .indices = {.memory = lengths, .bytes = 4}, .result_values = {.memory = values});
    for (size_t i = 0; i < n; ++i) CHECK(values[i] == found[n - 1 - i] && values[i] == expected[i] + 7);

    RUN(KEYS, .operation = LANESORT_IS_SORTED, .answers = {.memory = answers});
    CHECK(answers[0] == 1);
    RUN(KEYS, .operation = LANESORT_IS_SORTED, .order = LANESORT_DESCENDING, .answers = {.memory = answers});
    CHECK(answers[0] == 0);
    RUN(KEYS, .operation = LANESORT_UNIQUE, .results = {.memory = found}, .answers = {.memory = answers});
    CHECK(answers[0] == distinct);
    for (uint32_t i = 0; i < distinct; ++i) CHECK(found[i] == i);

    memset(found, 0, sizeof found);
    RUN(KEYS, .operation = LANESORT_RUN_LENGTHS, .results = {.memory = found},
        .lengths = {.memory = lengths, .bytes = 4}, .answers = {.memory = answers});
    RUN(KEYS, .operation = LANESORT_RUN_LENGTHS, .results = {.memory = found}, .lengths = {.memory = wide, .bytes = 8},
        .answers = {.memory = answers});
    CHECK(answers[0] == distinct);
    size_t place = 0;
    for (size_t i = 0; i < distinct; place += lengths[i++]) CHECK(expected[place] == found[i] && wide[i] == lengths[i]);
    CHECK(place == n);

    memset(found, 0, sizeof found);
    RUN(KEYS, .operation = LANESORT_UNIQUE, .values = {.memory = values, .bytes = 4}, .results = {.memory = found},
        .result_values = {.memory = lengths}, .answers = {.memory = answers});
    CHECK(answers[0] == distinct);
    for (uint32_t i = 0; i < distinct; ++i) CHECK(found[i] == i && lengths[i] == i + 7);
    RUN(KEYS, .operation = LANESORT_UNIQUE, .in_place = 1, .values = {.memory = values, .bytes = 4},
        .answers = {.memory = answers});
    CHECK(answers[0] == distinct);
    for (uint32_t i = 0; i < distinct; ++i) CHECK(keys[i] == i && values[i] == i + 7);
}

static void sorts_records(void) {
    new_particles();
    RUN(.memory = particles, .count = particle_count, .comparator = &by_score, .stable = 1);
    check_particles();

    lanesort_comparator wrong = by_score;
    const lanesort_request request = {.memory = particles, .count = particle_count, .comparator = &wrong};
    wrong.before = "a.no_such_member";
    CHECK_REFUSED(run(request), LANESORT_BUILD_FAILED, "");
    CHECK(strstr(lanesort_last_build_log(), "no_such_member") != NULL);
    CHECK(lanesort_last_device_status() != 0 && strlen(lanesort_last_device_call()) > 0);
    wrong.before = NULL;
    CHECK_REFUSED(run(request), LANESORT_INVALID_ARGUMENT, "expression is null");
    CHECK(lanesort_last_device_status() == 0 && strlen(lanesort_last_build_log()) == 0);
    wrong = by_score;
    wrong.type = NULL;
    CHECK_REFUSED(run(request), LANESORT_INVALID_ARGUMENT, "type is null");
    wrong = by_score;
    wrong.bytes = 65;
    CHECK_REFUSED(lanesort_prepare(sorter, &request), LANESORT_INVALID_ARGUMENT, "65");
}

// No keys need no memory, and are in order.
static void runs_on_no_keys(void) {
    CHECK_SUCCESS(run((lanesort_request){.values = {.bytes = 8}, .type = LANESORT_U32}));
    CHECK_SUCCESS(
        run((lanesort_request){.operation = LANESORT_ARGSORT, .indices = {.bytes = 4}, .type = LANESORT_U32}));
    CHECK_SUCCESS(run((lanesort_request){.operation = LANESORT_MERGE, .type = LANESORT_U32}));
    CHECK_SUCCESS(run((lanesort_request){.operation = LANESORT_TOP_K, .type = LANESORT_U32}));
    const lanesort_place answer = {.memory = answers};
    answers[0] = 4711;
    CHECK_SUCCESS(run(
        (lanesort_request){.memory = keys, .operation = LANESORT_IS_SORTED, .type = LANESORT_U32, .answers = answer}));
    CHECK(answers[0] == 1);
    CHECK_SUCCESS(run((lanesort_request){
        .memory = keys, .operation = LANESORT_IS_SORTED_UNTIL, .type = LANESORT_U32, .answers = answer}));
    CHECK(answers[0] == 0);
    answers[0] = 4711;
    CHECK_SUCCESS(
        run((lanesort_request){.memory = keys, .operation = LANESORT_UNIQUE, .type = LANESORT_U32, .answers = answer}));
    CHECK(answers[0] == 0);
}

// ---- What is not about one request --------------------------------------------------------------------------------

// The memory of arrays need not be there yet: their widths tell of them.
static void prepares_without_memory(void) {
    const lanesort_request requests[] = {
        {.count = n, .type = LANESORT_U32, .values = {.bytes = 16}, .stable = 1},
        {.count = n, .type = LANESORT_U32, .apart = 1},
        {.count = n, .type = LANESORT_U32, .segments = {.longest = 19500, .bytes = 4}},
        {.count = n, .comparator = &by_score, .stable = 1},
        {.operation = LANESORT_ARGSORT, .count = n, .type = LANESORT_U32, .row_length = 300, .indices = {.bytes = 4}},
        {.operation = LANESORT_MERGE, .count = n, .type = LANESORT_U32, .values = {.bytes = 4}},
        {.operation = LANESORT_MERGE, .count = n, .type = LANESORT_U32, .apart = 1},
        {.operation = LANESORT_TOP_K,
         .count = n,
         .type = LANESORT_U32,
         .row_length = 300,
         .k = 7,
         .indices = {.bytes = 4}},
        {.operation = LANESORT_IS_SORTED, .count = n, .type = LANESORT_U32},
        {.operation = LANESORT_IS_SORTED_UNTIL, .count = n, .type = LANESORT_U32},
        {.operation = LANESORT_UNIQUE, .count = n, .type = LANESORT_U32},
        {.operation = LANESORT_UNIQUE, .count = n, .type = LANESORT_U32, .in_place = 1},
        {.operation = LANESORT_UNIQUE, .count = n, .type = LANESORT_U32, .values = {.bytes = 16}},
        {.operation = LANESORT_RUN_LENGTHS, .count = n, .type = LANESORT_U32, .lengths = {.bytes = 8}},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i)
        CHECK_SUCCESS(lanesort_prepare(sorter, &requests[i]));
}

static void waits_for_events(void) {
    new_numbers(1u << 20, 0, n);
    const cl_mem buffer = buffer_of(numbers, n * sizeof numbers[0]);
    const lanesort_request request = {.memory = buffer, .count = n, .type = LANESORT_U32};
    lanesort_recorded* call = NULL;
    CHECK_SUCCESS(lanesort_opencl_record(&call, sorter, queue, &request));
    for (int replays = 0; replays < 2; ++replays) {
        CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * sizeof keys[0], numbers, 0, NULL, NULL) ==
              CL_SUCCESS);
        const cl_event gate = clCreateUserEvent(context, NULL);
        cl_event ended = NULL;
        CHECK_SUCCESS(replays ? lanesort_opencl_enqueue_recorded(call, 1, &gate, &ended)
                              : lanesort_opencl_enqueue(sorter, queue, &request, 1, &gate, &ended));
        CHECK(clFlush(queue) == CL_SUCCESS);
        thrd_sleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        cl_int status = CL_COMPLETE;
        CHECK(clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS);
        CHECK(status != CL_COMPLETE);
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
        wait_for(ended);
        clReleaseEvent(gate);
        CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * sizeof keys[0], keys, 0, NULL, NULL) == CL_SUCCESS);
        CHECK(memcmp(keys, expected, n * sizeof keys[0]) == 0);
    }
    lanesort_destroy_recorded(call);
    clReleaseMemObject(buffer);
}

static char* copy_of(const char* text) {
    const size_t size = strlen(text) + 1;
    return memcpy(malloc(size), text, size);
}

// The request, its comparator, its texts and the sorter's programs are gone before the first replay.
static void keeps_what_was_recorded(void) {
    new_particles();
    char* const texts[] = {copy_of(by_score.type), copy_of(by_score.before), copy_of(by_score.declarations)};
    lanesort_comparator comparator = {texts[0], sizeof(particle), texts[1], texts[2]};
    const cl_mem buffer = buffer_of(particles, sizeof particles);
    lanesort_request request = {.memory = buffer, .count = particle_count, .comparator = &comparator, .stable = 1};
    lanesort_recorded* call = NULL;
    CHECK_SUCCESS(lanesort_opencl_record(&call, sorter, queue, &request));
    for (int i = 0; i < 3; ++i) {
        memset(texts[i], '?', strlen(texts[i]));
        free(texts[i]);
    }
    memset(&comparator, 0, sizeof comparator);
    memset(&request, 0, sizeof request);
    CHECK_SUCCESS(lanesort_release(sorter));
    CHECK_SUCCESS(lanesort_opencl_enqueue_recorded(call, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof particles, particles, 0, NULL, NULL) == CL_SUCCESS);
    check_particles();
    lanesort_destroy_recorded(call);
    clReleaseMemObject(buffer);
}

static void count_passes(size_t done, size_t all, void* passes) {
    CHECK(done <= all);
    *(size_t*)passes += 1;
}

static void reports_progress(void) {
    char name[256] = "";
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS);
    lanesort_sorter* by_name = NULL;
    size_t passes = 0;
    const lanesort_options options = {.ignore_tuned = 1, .progress = count_passes, .progress_context = &passes};
    CHECK_SUCCESS(lanesort_create(&by_name, name, &options));
    CHECK(strcmp(lanesort_device_name(by_name), name) == 0 && strlen(lanesort_note(by_name)) == 0);
    new_numbers(1u << 20, 0, n);
    restore_keys();
    const lanesort_request request = {KEYS};
    CHECK_SUCCESS(lanesort_run(by_name, &request));
    CHECK(IS_AS_EXPECTED);
    lanesort_report report;
    CHECK_SUCCESS(lanesort_last_report(by_name, &report));
    CHECK(passes >= report.launches && report.launches > 0);
    lanesort_destroy(by_name);
}

static int other_thread(void* unused) {
    (void)unused;
    CHECK(strlen(lanesort_last_error()) == 0);
    CHECK_REFUSED(lanesort_run(NULL, NULL), LANESORT_INVALID_ARGUMENT, "sorter is null");
    return 0;
}

static void keeps_the_errors_of_threads_apart(void) {
    CHECK_REFUSED(lanesort_run(sorter, NULL), LANESORT_INVALID_ARGUMENT, "request is null");
    thrd_t thread;
    CHECK(thrd_create(&thread, other_thread, NULL) == thrd_success);
    CHECK(thrd_join(thread, NULL) == thrd_success);
    CHECK(strstr(lanesort_last_error(), "request is null") != NULL);
}

static int find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint i = 0; i < count && i < 16; ++i)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) return 1;
    return 0;
}

int main(void) {
    CHECK(strlen(lanesort_last_error()) == 0);
    CHECK(strcmp(lanesort_version(), EXPECTED_VERSION) == 0);
    CHECK(strcmp(lanesort_status_name(LANESORT_WRONG_CONTEXT), "wrong context") == 0);
    CHECK(strcmp(lanesort_status_name(99), "unknown status") == 0);
    if (!find_device()) {
        const char* const required = getenv("LANESORT_REQUIRE_DEVICE");
        fprintf(stderr, "there is no OpenCL device\n");
        if (failures > 0) return 1;
        return required && strcmp(required, "1") == 0 ? 1 : skipped_for_ctest;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    other_context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    CHECK_SUCCESS(lanesort_opencl_create(&sorter, context, device, NULL));
    if (failures > 0) return 1;

    prepares_without_memory();
    for (how = on_host; how < ways; ++how) {
        sorts();
        sorts_by_schedules();
        sorts_values_and_indices();
        sorts_rows_and_segments();
        selects();
        merges_and_reads_sorted_keys();
        sorts_records();
        runs_on_no_keys();
        refuses_requests();
    }
    how = on_host;
    refuses_types();
    refuses_what_is_not_stated();
    refuses_host_memory();
    reports_progress();
    how = on_buffers;
    refuses_buffers();
    refuses_sorters();
    waits_for_events();
    keeps_what_was_recorded();
    keeps_the_errors_of_threads_apart();

    lanesort_destroy(sorter);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    clReleaseContext(other_context);
    if (failures == 0) printf("the C interface of lanesort %s does what it says\n", lanesort_version());
    return failures == 0 ? 0 : 1;
}
