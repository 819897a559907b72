// SPDX-License-Identifier: MIT
/* Stand-ins for the built-in functions that AMD's device library has and clang has not, so that the kernels compile to
 * whole programs without that library. Included before a kernel file. */
#include "common/dialect.h"

#define get_local_id(dimension) __builtin_amdgcn_workitem_id_x()
#define get_group_id(dimension) __builtin_amdgcn_workgroup_id_x()
#define get_global_size(dimension) __builtin_amdgcn_grid_size_x()

#define barrier(flags)                                         \
    {                                                          \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
        __builtin_amdgcn_s_barrier();                          \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
    }

#define min(a, b)                           \
    ({                                      \
        __auto_type a_ = (a), b_ = (b);     \
        b_ < a_ ? b_ : a_;                  \
    })
#define max(a, b)                           \
    ({                                      \
        __auto_type a_ = (a), b_ = (b);     \
        b_ < a_ ? a_ : b_;                  \
    })

#if LANES > 1
/* Vectors that are aligned as their keys are. */
typedef vec_t unaligned_t __attribute__((aligned(KEY_BITS / 8)));
#undef LOAD_VECTOR
#undef STORE_VECTOR
#define LOAD_VECTOR(address) load_unaligned(address)
#define STORE_VECTOR(value, address) store_unaligned(value, address)
#define UNALIGNED_ACCESS(space)                                                                 \
    INLINE __attribute__((overloadable)) vec_t load_unaligned(space const key_t* address) {     \
        return *(space const unaligned_t*)address;                                              \
    }                                                                                           \
    INLINE __attribute__((overloadable)) void store_unaligned(vec_t v, space key_t* address) {  \
        *(space unaligned_t*)address = v;                                                       \
    }
UNALIGNED_ACCESS(__global)
UNALIGNED_ACCESS(__local)
UNALIGNED_ACCESS(__private)
#endif
