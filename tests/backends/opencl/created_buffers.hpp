// SPDX-License-Identifier: MIT
// Counts the OpenCL buffers that this program creates.
#pragma once

#include <cstddef>

namespace lanesort::test {

struct CreatedBuffers {
    std::size_t number = 0;
    std::size_t bytes = 0;
};

/// Since the program began, in all threads.
CreatedBuffers created_buffers();

}  // namespace lanesort::test
