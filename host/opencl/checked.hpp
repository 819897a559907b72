// SPDX-License-Identifier: MIT
// The one place where failed OpenCL calls become errors of the library.
#pragma once

#include <string>
#include <utility>

#include <lanesort/error.hpp>

#include "../../lib/src/core/backend.hpp"
#include "clhpp.hpp"

namespace lanesort::inline v0_1::opencl {

/// The library's error for a failed call, naming the call and its status.
Error to_error(const cl::Error& failure);

/// The library's error for kernels that the device's compiler refused with that status of clBuildProgram and that log,
/// in which the files and lines are made those that the #line directives of `text`, what was compiled, say.
Error build_error(cl_int status, const std::string& log, const detail::KernelParameters& parameters,
                  const std::string& text);

/// Calls `call` and gives what it gives; a failed OpenCL call in it becomes an Error.
template <class Call>
decltype(auto) checked(Call&& call) {
    try {
        return std::forward<Call>(call)();
    } catch (const cl::Error& failure) {
        throw to_error(failure);
    }
}

/// Calls what is the first to need memory, before anything else is done.
template <class Call>
void allocate_first(const Call& call) {
    try {
        checked(call);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::out_of_memory) throw detail::NoMemoryForWork(error);
        throw;
    }
}

}  // namespace lanesort::inline v0_1::opencl
