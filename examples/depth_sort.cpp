// SPDX-License-Identifier: MIT
// Sorts moving particles from back to front in every frame, as blending needs it. All is on one queue: the caller's
// kernel moves the particles and writes their depths and numbers, a sort that was recorded once orders the numbers by
// the depths, and another kernel of the caller's puts the particles in that order, ready to be drawn. The host waits
// once, after the last frame.
//
//     build/release/examples/depth_sort [PARTICLES [FRAMES]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <lanesort/opencl.hpp>

#include "opencl_setup.hpp"

namespace {

const char* const kernels = R"(
// A disc of particles that turn about its axis, the inner ones faster; the camera flies around it.
kernel void move_particles(global float4* particles, global float* depths, global uint* numbers, float time) {
    const uint i = get_global_id(0);
    const float radius = 0.1f + sqrt((float)i / get_global_size(0));
    const float angle = 2.39996f * i + time * rsqrt(radius * radius * radius);
    const float height = 0.05f * sin(0.7f * i + 3 * time);
    const float4 particle = (float4)(radius * cos(angle), height, radius * sin(angle), 1);
    const float4 view = normalize((float4)(cos(0.2f * time), 0.5f, sin(0.2f * time), 0));
    particles[i] = particle;
    depths[i] = 3 - dot(particle, view);
    numbers[i] = i;
}

kernel void fill_vertices(global const float4* particles, global const uint* numbers, global float4* vertices) {
    vertices[get_global_id(0)] = particles[numbers[get_global_id(0)]];
}
)";

/// What the host downloads of a frame to check it.
struct Frame {
    std::vector<float> depths;           ///< before the sort, by the particles' numbers
    std::vector<std::uint32_t> numbers;  ///< after it
};

/// From back to front; particles of the same depth come in the order of their numbers, as sort_by_key promises.
bool back_to_front(const Frame& frame) {
    std::vector<std::uint32_t> expected(frame.numbers.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::sort(expected, [&](std::uint32_t a, std::uint32_t b) {
        return frame.depths[a] == frame.depths[b] ? a < b : frame.depths[a] > frame.depths[b];
    });
    return frame.numbers == expected;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::size_t count = argc > 1 ? std::stoull(argv[1]) : 20'000, frames = argc > 2 ? std::stoull(argv[2]) : 60;
    if (count == 0 || frames == 0) throw std::runtime_error("usage: depth_sort [PARTICLES [FRAMES]]");

    OpenCl opencl;
    const cl::Program program = opencl.build(kernels);
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer, float> move_particles(program, "move_particles");
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer> fill_vertices(program, "fill_vertices");
    const cl::Buffer particles = opencl.buffer<cl_float4>(count), vertices = opencl.buffer<cl_float4>(count);
    const cl::Buffer depths = opencl.buffer<float>(count), numbers = opencl.buffer<std::uint32_t>(count);
    const cl::Buffer in_order = opencl.buffer<std::uint64_t>(frames);

    // Recording compiles the kernels of the sort, so that no frame does. The sort works in these two buffers: it copies
    // nothing and takes no memory. Stable it need not be: equal depths are ordered by the particles' numbers.
    lanesort::Sorter sorter = lanesort::opencl::make_sorter(opencl.context(), opencl.device());
    const lanesort::opencl::KeyRange range{depths(), 0, count, lanesort::KeyType::f32, lanesort::Order::descending};
    const lanesort::opencl::ValueRange values{numbers(), 0, sizeof(std::uint32_t)};
    lanesort::opencl::Recorded sort(sorter, opencl.queue(), sort_by_key(range, values));
    sorter.prepare({.operation = lanesort::Operation::is_sorted, .count = count, .key = range.type});

    // The in-order queue keeps the order of all these commands; none of them waits for the device. Whether a frame is
    // in order the device says of each, and the host checks of some.
    constexpr std::size_t distance = 15;
    std::vector<Frame> checked((frames - 1) / distance + 1,
                               {std::vector<float>(count), std::vector<std::uint32_t>(count)});
    std::vector<std::uint64_t> sorted(frames);
    const WaitAtEnd wait(opencl.queue);
    const cl::EnqueueArgs each_particle(opencl.queue, cl::NDRange(count));
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t frame = 0; frame < frames; ++frame) {
        move_particles(each_particle, particles, depths, numbers, static_cast<float>(frame) / 60);
        if (frame % distance == 0) opencl.download(depths, checked[frame / distance].depths);
        sort.enqueue();
        fill_vertices(each_particle, particles, numbers, vertices);  // here the frame would be drawn
        if (frame % distance == 0) opencl.download(numbers, checked[frame / distance].numbers);
        lanesort::opencl::enqueue(sorter, opencl.queue(), is_sorted(range, {in_order(), frame}));
        opencl.queue.flush();
    }
    opencl.download(in_order, sorted);
    opencl.queue.finish();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

    const bool right = std::ranges::all_of(sorted, [](std::uint64_t yes) { return yes == 1; }) &&
                       std::ranges::all_of(checked, back_to_front);
    std::printf("%zu particles in %zu frames, on %s: %s\n", count, frames, sorter.device().name.c_str(),
                right ? "every frame from back to front" : "WRONG");
    std::printf("%.2f ms a frame, one wait; %s\n", time.count() / static_cast<double>(frames),
                sort.is_replayed() ? "the device replays a command buffer" : "recorded as single launches");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "depth_sort: %s\n", describe(error).c_str());
    return 1;
}
