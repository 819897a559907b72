// SPDX-License-Identifier: MIT
/* operator_scan.cl, of runs of elements, each by itself. */
#define HAS_RUNS 1
#include "scan/operator_scan.cl"
