// SPDX-License-Identifier: MIT
// Devices of CUDA.
#pragma once

#include <lanesort/device.hpp>

#include "driver.hpp"

namespace lanesort::inline v0_1::cu {

/// What the library wants to know of a device.
DeviceInfo describe(CUdevice device);

/// A number that the driver keeps of a device.
int attribute(CUdevice device, CUdevice_attribute which);

/// The device of that number. Throws Error(no_device) where there is no driver, no compiler or no such device.
CUdevice device_of_number(int number);

}  // namespace lanesort::inline v0_1::cu
