#include "driver.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

namespace lanesort::cu {
namespace {

/// A library that stays loaded: the driver has threads of its own that outlive any caller.
void* open_first(std::initializer_list<const char*> names, std::string& absence) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    absence = fmt::format("{} is not installed", *names.begin());
    return nullptr;
}

template <class Function>
void look_up(void* library, const char* name, Function& function, std::string& absence) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && absence.empty()) absence = fmt::format("the library has no function {}", name);
}

#define LANESORT_QUOTE(text) #text
#define LANESORT_LOOK_UP(function) look_up(library, LANESORT_QUOTE(function), loaded.function, loaded.absence);

Driver load_driver() {
    Driver loaded;
    void* const library = open_first({"libcuda.so.1"}, loaded.absence);
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
    void* const library = open_first(
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

}  // namespace lanesort::cu
