// SPDX-License-Identifier: MIT
// What every function of lanesort.h does around its call: a status for each exception, and the thread's last error.
#pragma once

#include <memory>
#include <string>

#include <lanesort/lanesort.h>
#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

struct lanesort_sorter {
    lanesort::Sorter sorter;
};

namespace lanesort::inline v0_1::c {

/// The status of the exception that is being handled, which becomes the thread's last error.
lanesort_status status_of_exception() noexcept;

/// Lets no exception out.
template <class Call>
lanesort_status guarded(const Call& call) noexcept {
    try {
        call();
        return LANESORT_SUCCESS;
    } catch (...) {
        return status_of_exception();
    }
}

/// The pointer. Throws Error(invalid_argument), "WHAT is null".
template <class T>
T* given(T* pointer, const char* what) {
    if (!pointer) throw Error(ErrorCode::invalid_argument, std::string(what) + " is null");
    return pointer;
}

inline Sorter& sorter_of(lanesort_sorter* sorter) { return given(sorter, "the sorter")->sorter; }

/// Writes what `make` gives as a new object to `*made`, or null where it fails.
template <class Made, class Make>
lanesort_status created(Made** made, const Make& make) noexcept {
    return guarded([&] {
        *given(made, "the pointer to what is to be made") = nullptr;
        *made = std::make_unique<Made>(Made{make()}).release();
    });
}

}  // namespace lanesort::inline v0_1::c
