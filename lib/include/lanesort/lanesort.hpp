// lanesort: sorts in place on any OpenCL device. This header names no OpenCL type; see opencl.hpp for that.
#pragma once

#include <lanesort/bank_model.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/key_types.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/statistics.hpp>
#include <lanesort/tuning.hpp>
