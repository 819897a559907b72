// SPDX-License-Identifier: MIT
/* What every tile pass takes, all kernels the same: arrays, null where a program is not compiled for them, and
 * integers, which the host adds one by one (lib/src/ops/sort/sort.cpp). A pass that is APART has what it reads last,
 * and may keep the first elements alone of each row, where one tile is the whole row: `kept` of them, one row after the
 * other in what it writes.
 *
 * By NVIDIA's OpenCL each argument takes the host .1 us or more (docs/decisions.md#nvidias-opencl). So in OpenCL the
 * integers are one argument, in the same order, behind the arrays, unless the host says otherwise. By CUDA they take
 * no time. In another order the compiler has fewer registers for addresses there, and merge_strips spills. */
#ifndef PASS_ARGUMENTS_H
#define PASS_ARGUMENTS_H
#include "common/rows.h"

#if INTEGERS_IN_ONE
#if APART
#define SOURCE_ARRAYS GLOBAL key_t *source_keys, GLOBAL value_argument_t *source_values,
#define SOURCE_INTEGERS(each) \
    each(offset_t, source_keys_offset) each(offset_t, source_values_offset) each(position_t, kept)
#else
#define SOURCE_ARRAYS
#define SOURCE_INTEGERS(each)
#endif
#define PASS_INTEGERS(each)                                                                                            \
    each(offset_t, keys_offset) each(position_t, count) each(offset_t, rows) each(offset_t, end) each(uint, tile_bits) \
        each(uint, phases) each(position_t, front) each(uint, first_phase) each(uint, load_coding)                     \
            each(uint, store_coding) each(flip_t, flip) each(uint, strip_stride) each(uint, strip_bits)                \
                each(uint, mirrored) each(uint, column_bits) each(offset_t, values_offset)                             \
                    each(offset_t, indices_offset) each(offset_t, segments_offset) each(offset_t, counters_offset)     \
                        SOURCE_INTEGERS(each)

#define DECLARED(type, name) type name;
typedef struct {
    PASS_INTEGERS(DECLARED)
} pass_t;

#define PASS_PARAMETERS                                                                                \
    GLOBAL key_t *keys, GLOBAL value_argument_t *values, GLOBAL index_t *indices,                      \
        GLOBAL const segment_t *segments, GLOBAL uint *counters, SOURCE_ARRAYS pass_t pass
#define TAKEN(type, name) type name __attribute__((unused)) = pass.name;
#define ENTER_PASS() PASS_INTEGERS(TAKEN)
#else
#define PASS_PARAMETERS                                                                                                \
    GLOBAL key_t *keys, offset_t keys_offset, position_t count, offset_t rows, offset_t end, uint tile_bits,           \
        uint phases, position_t front, uint first_phase, uint load_coding, uint store_coding, flip_t flip,             \
        uint strip_stride, uint strip_bits, uint mirrored, uint column_bits, GLOBAL value_argument_t *values,          \
        offset_t values_offset, GLOBAL index_t *indices, offset_t indices_offset, GLOBAL const segment_t *segments, \
        offset_t segments_offset, GLOBAL uint *counters, offset_t counters_offset AND_SOURCES AND_KEPT
#if APART
#define AND_KEPT , position_t kept
#else
#define AND_KEPT
#endif
#define ENTER_PASS()
#endif

#endif
