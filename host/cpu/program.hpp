// One program: a kernel file, compiled as C++ for some elements and one instruction set. A source file includes this
// once for each of its programs, in a namespace of its own, with the definitions that cmake/CpuKernels.cmake lists. No
// function of the standard library may be compiled here: the linker might choose it for the whole program, and not
// every CPU has its instructions.
#define WORK_ITEMS 1
#define POSITION_BITS 64
#define COUNT_SYNC 1
#ifndef LANES
#define LANES 1
#endif
#ifndef REGISTER_VECTORS
#define REGISTER_VECTORS 2
#endif
#ifndef VECTORS
#define VECTORS 1
#endif
#ifndef LEAST_VECTORS
#define LEAST_VECTORS VECTORS
#endif

struct Kernels : detail::Group {
#include KERNEL_FILE
};

#define KERNEL_NAMED(name) {#name, &detail::Launched<&Kernels::name>::run},
#if defined(PART) && KEY_BITS >= 32 && !ANY_WIDTH  // as lib/src/operations/quicksort.cpp has it
#define QUICKSORT_KERNELS       \
    KERNEL_NAMED(choose_pivots) \
    KERNEL_NAMED(part_stripes) KERNEL_NAMED(exchange_misplaced) KERNEL_NAMED(part_ranges) KERNEL_NAMED(sort_ranges)
#else
#define QUICKSORT_KERNELS
#endif
constexpr Compiled compiled{
    .instructions = INSTRUCTIONS,
    .file = KERNEL_NAME,
    .key_bytes = KEY_BYTES,
    .value_bytes = VALUE_BITS / 8,
    .index_bytes = INDEX_BITS / 8,
    .any_width = ANY_WIDTH,
    .values_are_indices = VALUES_ARE_INDICES,
    .lanes = LANES,
    .least_vectors = LEAST_VECTORS,
    .most_vectors = WALKS_IN_CACHE ? ~0u : VECTORS,
    .register_vectors = REGISTER_VECTORS,
    .kernels = {KERNELS QUICKSORT_KERNELS},
};

#undef LEAST_VECTORS
#undef KERNEL_NAMED
#undef QUICKSORT_KERNELS
#include <lanesort/kernels/undefine.h>
