// The kernels of one set of parameters, compiled for one device.
#pragma once

#include <vector>

#include "../../lib/src/backend.hpp"
#include "clhpp.hpp"

namespace lanesort::opencl {

struct Program {
    /// Compiles. Throws Error(build_failed) with the compiler's log, and cl::Error.
    Program(const cl::Context& context, const cl::Device& device, const detail::KernelParameters& parameters);

    detail::KernelParameters parameters;
    std::vector<cl::Kernel> kernels;  ///< in the order of detail::kernel_names()
    unsigned max_work_items;          ///< the largest work-group in which all of them can run
};

}  // namespace lanesort::opencl
