// SPDX-License-Identifier: MIT
// Shared libraries that are found at run time, so that the library links none of a vendor and runs without them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include <fmt/core.h>

namespace lanesort::inline v0_1::detail {

/// The first of these libraries that is there. It stays loaded: drivers have threads of their own that outlive any
/// caller. Without any, the absence is a sentence that says so.
inline void* open_library(std::initializer_list<const char*> names, std::string& absence) {
    for (const char* name : names)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    absence = fmt::format("{} is not installed", *names.begin());
    return nullptr;
}

/// Looks a function up by its name. Where the library has none, the absence says so.
template <class Function>
void look_up(void* library, const char* name, Function& function, std::string& absence) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function && absence.empty()) absence = fmt::format("the library has no function {}", name);
}

}  // namespace lanesort::inline v0_1::detail
