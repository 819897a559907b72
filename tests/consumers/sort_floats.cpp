// SPDX-License-Identifier: MIT
#include "sort_floats.hpp"

#include <lanesort/version.h>
#include <lanesort/cpu.hpp>
#include <lanesort/cuda.hpp>
#include <lanesort/lanesort.hpp>
#include <lanesort/opencl.hpp>

bool sort_floats(std::span<float> numbers) try {
    lanesort::Sorter sorter(lanesort::find_device());
    sorter.sort(numbers);
    return true;
} catch (const lanesort::Error& error) {
    using enum lanesort::ErrorCode;
    if (error.code() == no_platform || error.code() == no_device) return false;
    throw;
}

void sort_by_size(std::span<float> numbers) {
    lanesort::Sorter sorter(lanesort::built_in_device());
    sorter.sort(numbers, [](float a, float b) { return a * a < b * b; }, {.stable = true});
}

const char* sorter_version() { return LANESORT_VERSION; }
