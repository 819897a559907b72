// One kernel file as C++, compiled for some elements and one instruction set. The files that include this define what
// parameters.h wants, and KERNEL_FILE, KERNELS, INSTRUCTIONS and COMPILED (cmake/CpuKernels.cmake). No function of the
// standard library may be compiled here: the linker might choose it for the whole program, and not every processor has
// its instructions.
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <lanesort/compiled.hpp>

namespace lanesort::cpu {

using detail::Compiled, detail::Instructions;

namespace {

struct Kernels : detail::Group {
#include KERNEL_FILE
};

}  // namespace

#define KERNEL_NAMED(name) {#name, &detail::Launched<&Kernels::name>::run},
extern const Compiled COMPILED;
const Compiled COMPILED{INSTRUCTIONS,   KERNEL_NAME, WALKS_IN_CACHE, KEY_BITS / 8,     VALUE_BITS / 8,
                        INDEX_BITS / 8, LANES,       VECTORS,        REGISTER_VECTORS, {KERNELS}};

}  // namespace lanesort::cpu
