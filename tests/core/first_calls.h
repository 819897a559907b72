// SPDX-License-Identifier: MIT
// What each thread of first_calls_test.cpp calls first, in C.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Sorts by way of lanesort_create. 0: sorted; 1: not; 77: there is no device.
int sort_from_c(void);

#ifdef __cplusplus
}
#endif
