#include "sort_floats.hpp"

#include <lanesort/version.h>
#include <lanesort/lanesort.hpp>

bool sort_floats(std::span<float> numbers) try {
    lanesort::Sorter sorter(lanesort::find_device());
    sorter.sort(numbers);
    return true;
} catch (const lanesort::Error& error) {
    using enum lanesort::ErrorCode;
    if (error.code() == no_platform || error.code() == no_device) return false;
    throw;
}

const char* sorter_version() { return LANESORT_VERSION; }
