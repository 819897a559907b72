// SPDX-License-Identifier: MIT
/// @file
/// All of the library that needs no type of OpenCL's or CUDA's; see opencl.hpp and cuda.hpp for those.

/// @mainpage
/// lanesort sorts in place on OpenCL devices and NVIDIA GPUs. Begin with lanesort::Sorter, which sorts host memory on
/// a device that lanesort::find_device found. lanesort::opencl and lanesort::cuda sort what lies on the device already,
/// on the caller's own queue or stream. Whatever goes wrong is a lanesort::Error.
///
/// The README, the guides in docs/ and the programs in examples/ show these at work.
#pragma once

#include <lanesort/across.hpp>
#include <lanesort/commands.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/key_types.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/statistics.hpp>
#include <lanesort/tuning.hpp>

/// Sorting on a device, in place. Sorter does it; the rest says on what, in which order, by which plan and how fast.
namespace lanesort::inline v0_1 {}
