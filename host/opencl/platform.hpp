// SPDX-License-Identifier: MIT
// Platforms and devices of OpenCL.
#pragma once

#include <string_view>

#include <lanesort/device.hpp>

#include "clhpp.hpp"

namespace lanesort::inline v0_1::opencl {

/// The name of PoCL's platform.
inline constexpr std::string_view pocl = "Portable Computing Language";

/// What the library wants to know of a device.
DeviceInfo describe(const cl::Device& device);

}  // namespace lanesort::inline v0_1::opencl
