// SPDX-License-Identifier: MIT
// Preloaded: to the program, this machine has no libOpenCL.
#include <dlfcn.h>

#include <string_view>

extern "C" void* dlopen(const char* name, int mode) noexcept {
    if (name && std::string_view(name).starts_with("libOpenCL.so")) return nullptr;
    static const auto next = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
    return next(name, mode);
}
