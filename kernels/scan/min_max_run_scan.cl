// SPDX-License-Identifier: MIT
/* min_max_scan.cl, of runs of keys, each by itself. */
#define HAS_RUNS 1
#include "scan/min_max_scan.cl"
