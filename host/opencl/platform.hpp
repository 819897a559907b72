// Platforms and devices of OpenCL.
#pragma once

#include <lanesort/device.hpp>

#include "clhpp.hpp"

namespace lanesort::opencl {

/// What the library wants to know of a device.
DeviceInfo describe(const cl::Device& device);

}  // namespace lanesort::opencl
