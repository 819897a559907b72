// SPDX-License-Identifier: MIT
#include "driver.hpp"

#include <fmt/core.h>

#include "../../lib/src/core/shared_library.hpp"

namespace lanesort::inline v0_1::cu {
namespace {

#define LANESORT_QUOTE(text) #text
#define LANESORT_LOOK_UP(function) detail::look_up(library, LANESORT_QUOTE(function), loaded.function, loaded.absence);

Driver load_driver() {
    Driver loaded;
    void* const library = detail::open_library({"libcuda.so.1"}, loaded.absence);
    if (!library) return loaded;
    LANESORT_CUDA_FUNCTIONS(LANESORT_LOOK_UP)
    if (!loaded.absence.empty()) return loaded;
    if (const CUresult result = loaded.cuInit(0); result != CUDA_SUCCESS) {
        const char* name = nullptr;
        loaded.cuGetErrorName(result, &name);
        loaded.absence = fmt::format("the CUDA driver does not start: {}", name ? name : "unknown error");
    }
    return loaded;
}

Compiler load_compiler() {
    Compiler loaded;
    void* const library = detail::open_library(
        {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"}, loaded.absence);
    if (!library) return loaded;
    LANESORT_NVRTC_FUNCTIONS(LANESORT_LOOK_UP)
    return loaded;
}

}  // namespace

Driver& changeable_driver() {
    static Driver loaded = load_driver();
    return loaded;
}

Compiler& changeable_compiler() {
    static Compiler loaded = load_compiler();
    return loaded;
}

const Driver& driver() { return changeable_driver(); }
const Compiler& compiler() { return changeable_compiler(); }

}  // namespace lanesort::inline v0_1::cu
