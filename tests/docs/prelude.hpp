// SPDX-License-Identifier: MIT
// The names that the code of the guides and of README.md takes for granted. Only compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lanesort/cuda.hpp>
#include <lanesort/lanesort.hpp>
#include <lanesort/opencl.hpp>

// Host memory.
struct Particle {
    float score;
    std::uint32_t id;
};

std::vector<float> measure();
extern lanesort::Sorter sorter;
extern std::vector<float> keys, best, distinct, first, second, merged;
extern std::vector<std::uint32_t> values, indices, best_indices, lengths;
extern std::vector<std::uint64_t> offsets;
extern std::vector<Particle> particles;
extern std::size_t middle, count;

// The caller's OpenCL and CUDA.
extern cl_context context;
extern cl_device_id device, second_device;
extern cl_command_queue queue, second_queue;
extern cl_mem buffer, second_buffer, offset_buffer, best_buffer, index_buffer;
extern cl_event event, uploaded;
extern std::vector<cl_event> wait_list;
extern std::size_t offset;
extern lanesort::cu::Stream stream, second_stream;
extern float *pointer, *second_pointer;
