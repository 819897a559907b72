// SPDX-License-Identifier: MIT
/* float_scan.cl, of runs of keys, each by itself. */
#define HAS_RUNS 1
#include "scan/float_scan.cl"
