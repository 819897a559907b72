// The kernels of one set of parameters, compiled for one device.
#pragma once

#include "../../lib/src/backend.hpp"
#include "clhpp.hpp"

namespace lanesort::opencl {

struct Program {
    /// Compiles. Throws cl::BuildError with the compiler's log.
    Program(const cl::Context& context, const cl::Device& device, const detail::KernelParameters& parameters);

    detail::KernelParameters parameters;
    cl::Kernel sort_tiles;
    cl::Kernel merge_tiles;
    unsigned max_work_items;  ///< the largest work-group in which both kernels can run
};

}  // namespace lanesort::opencl
