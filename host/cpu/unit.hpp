// One kernel file as C++, compiled for some elements and one instruction set. The files that include this define what
// parameters.h wants, and KERNEL_FILE, KERNELS, INSTRUCTIONS and COMPILED (cmake/CpuKernels.cmake). No function of the
// standard library may be compiled here: the linker might choose it for the whole program, and not every processor has
// its instructions.
#include <utility>

#include "compiled.hpp"

namespace lanesort::cpu {
namespace {

#include KERNEL_FILE

template <auto kernel, class Signature = decltype(kernel)>
struct Launched;
/// A kernel with its arguments taken from integers of 8 bytes.
template <auto kernel, class... Argument>
struct Launched<kernel, void (*)(Argument...)> {
    template <std::size_t... i>
    static inline __attribute__((always_inline)) void run_group(const unsigned long* arguments,
                                                                std::index_sequence<i...>) {
        kernel((Argument)arguments[i]...);
    }
    static void run(const unsigned long* arguments, unsigned long first, unsigned long end, unsigned long all) {
        groups = all;
        for (group_id = first; group_id < end; ++group_id) run_group(arguments, std::index_sequence_for<Argument...>());
    }
};

}  // namespace

#define KERNEL_NAMED(name) {#name, &Launched<&name>::run},
extern const Compiled COMPILED;
const Compiled COMPILED{INSTRUCTIONS,   KERNEL_NAME, TWO_RANGES, KEY_BITS / 8,     VALUE_BITS / 8,
                        INDEX_BITS / 8, LANES,       VECTORS,    REGISTER_VECTORS, {KERNELS}};

}  // namespace lanesort::cpu
