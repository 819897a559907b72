// SPDX-License-Identifier: MIT
#include "loader.hpp"

#include "../../lib/src/core/shared_library.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

#define LANESORT_LOOK_UP(function) detail::look_up(library, #function, loaded.function, loaded.absence);

Loader load() {
    Loader loaded;
    // What the program links is meant, or what is preloaded, as Oclgrind is.
    void* const library = dlsym(RTLD_DEFAULT, "clGetPlatformIDs")
                              ? RTLD_DEFAULT
                              : detail::open_library({"libOpenCL.so.1", "libOpenCL.so"}, loaded.absence);
    if (!loaded.absence.empty()) return loaded;
    LANESORT_OPENCL_FUNCTIONS(LANESORT_LOOK_UP)
    return loaded;
}

}  // namespace

const Loader& loader() {
    static const Loader loaded = load();
    return loaded;
}

}  // namespace lanesort::inline v0_1::opencl
