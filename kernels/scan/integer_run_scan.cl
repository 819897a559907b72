// SPDX-License-Identifier: MIT
/* integer_scan.cl, of runs of keys, each by itself. */
#define HAS_RUNS 1
#include "scan/integer_scan.cl"
