// CL/opencl.hpp as this folder uses it: OpenCL 1.2, errors as exceptions.
//
// The wrappers are inline functions. A program that links lanesort and also includes CL/opencl.hpp, perhaps without
// exceptions, would have two different definitions of the same names, and the linker would keep either. Ours therefore
// live in a namespace of their own.
//
// Where retaining fails, two of its functions leave a handle that is released all the same: assigning a copy, and a
// getInfo that gives an object. Here copies are constructed and then moved, and getInfo gives plain handles.
#pragma once

#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#define cl lanesort_cl
#include <CL/opencl.hpp>
#undef cl

namespace lanesort::opencl {
namespace cl = ::lanesort_cl;

/// Throws cl::Error if that call gave another status than success.
inline void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) throw cl::Error(status, call);
}

/// A handle that `object` answers with; not retained.
template <class Handle, class Object>
Handle handle_of(const Object& object, cl_uint question) {
    Handle handle = nullptr;
    object.getInfo(question, &handle);
    return handle;
}

}  // namespace lanesort::opencl
