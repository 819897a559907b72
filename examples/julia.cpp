// SPDX-License-Identifier: MIT
// Draws a Julia set beside its own pixels, sorted. All is on one queue: the caller's kernel computes the escape time of
// each pixel, lanesort writes the indices that would sort them, another kernel of the caller's fetches the colours in
// both orders, and the host waits once, for the finished picture.
//
//     build/release/examples/julia julia.png [WIDTH HEIGHT]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>

#include <lanesort/opencl.hpp>

#include "opencl_setup.hpp"

namespace {

const char* const kernels = R"(
// After how many steps of z = z * z + c a point is far away, without jumps between the steps; the logarithm of that.
float escape_time(float2 z) {
    const float2 c = (float2)(-0.7885f, 0.1462f);
    int step = 0;
    for (; step < 2000 && dot(z, z) < 1e4f; ++step)
        z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    return log(1 + max(0.0f, step - log2(0.5f * log(max(dot(z, z), 2.0f)))));
}

// The mean of 16 points in each pixel.
kernel void compute_escape_times(global float* times) {
    const float2 size = (float2)(get_global_size(0), get_global_size(1));
    const float2 pixel = (float2)(get_global_id(0), get_global_id(1));
    float sum = 0;
    for (int i = 0; i < 16; ++i) {
        const float2 point = pixel + ((float2)(i % 4, i / 4) + 0.5f) / 4;
        sum += escape_time((2 * point - size) / size.y * 0.95f);
    }
    times[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum / 16;
}

// From the night sky through ice and sand to embers.
uchar3 colour(float time) {
    const float3 stops[] = {(float3)(0.02f, 0.03f, 0.13f), (float3)(0.05f, 0.17f, 0.45f), (float3)(0.25f, 0.62f, 0.80f),
                            (float3)(1.00f, 0.96f, 0.84f), (float3)(0.98f, 0.66f, 0.16f), (float3)(0.76f, 0.16f, 0.14f),
                            (float3)(0.24f, 0.02f, 0.22f), (float3)(0.95f, 0.60f, 0.80f)};
    const float place = clamp(1.45f * (time - 0.9f), 0.0f, 6.999f);
    const int below = (int)place;
    const float3 mixed = mix(stops[below], stops[below + 1], smoothstep(0.0f, 1.0f, place - below));
    return convert_uchar3_sat_rte(255 * mixed);
}

// The left half of the picture has the pixels as they are, the right half in the order of their escape times.
kernel void draw(global const float* times, global const uint* indices, global uchar* picture) {
    const uint width = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    vstore3(colour(times[width * y + x]), 2 * width * y + x, picture);
    vstore3(colour(times[indices[width * y + x]]), 2 * width * y + width + x, picture);
}
)";

void write_png(const std::string& path, const std::vector<unsigned char>& picture, std::size_t width,
               std::size_t height) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, path.c_str(), 0, picture.data(), 0, nullptr))
        throw std::runtime_error("cannot write " + path + ": " + image.message);
}

/// Are these the indices of a stable sort of the times?
bool sorts(const std::vector<std::uint32_t>& indices, const std::vector<float>& times) {
    std::vector<std::uint32_t> expected(times.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return times[i]; });
    return indices == expected;
}

/// Has the right half of the picture the pixels of the left half in the order of the indices?
bool shows(const std::vector<unsigned char>& picture, const std::vector<std::uint32_t>& indices, std::size_t width) {
    const auto pixel = [&](std::size_t i) { return picture.data() + 3 * (i / width * 2 * width + i % width); };
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (!std::equal(pixel(indices[i]), pixel(indices[i]) + 3, pixel(i) + 3 * width)) return false;
    return true;
}

}  // namespace

int main(int argc, char** argv) try {
    if ((argc != 2 && argc != 4) || argv[1][0] == '-') throw std::runtime_error("usage: julia OUT.png [WIDTH HEIGHT]");
    const std::size_t width = argc == 4 ? std::stoul(argv[2]) / 2 : 800;  // of each half
    const std::size_t height = argc == 4 ? std::stoul(argv[3]) : 600;
    const std::size_t pixels = width * height;
    if (pixels == 0) throw std::runtime_error("a picture has at least 2 x 1 pixels");

    OpenCl opencl;
    const cl::Program program = opencl.build(kernels);
    cl::KernelFunctor<cl::Buffer> compute_escape_times(program, "compute_escape_times");
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer> draw(program, "draw");
    const cl::Buffer times = opencl.buffer<float>(pixels), indices = opencl.buffer<std::uint32_t>(pixels);
    const cl::Buffer picture = opencl.buffer<unsigned char>(2 * pixels * 3);

    // Compiling is the one thing that would block later, so it comes first.
    lanesort::Sorter sorter = lanesort::opencl::make_sorter(opencl.context(), opencl.device());
    sorter.prepare({.operation = lanesort::Operation::argsort,
                    .count = pixels,
                    .index_bytes = sizeof(std::uint32_t),
                    .key = lanesort::KeyType::f32});

    std::vector<unsigned char> drawn(2 * pixels * 3);
    std::vector<float> host_times(pixels);
    std::vector<std::uint32_t> host_indices(pixels);
    const WaitAtEnd wait(opencl.queue);

    // The queue is in-order, so no command needs the event of another. Argsort leaves the times as they are, for which
    // it takes memory for a copy of them until it has ended.
    const cl::EnqueueArgs each_pixel(opencl.queue, cl::NDRange(width, height));
    compute_escape_times(each_pixel, times);
    lanesort::opencl::enqueue(sorter, opencl.queue(),
                              argsort(lanesort::opencl::KeyRange{times(), 0, pixels, lanesort::KeyType::f32},
                                      {indices(), 0, sizeof(std::uint32_t)}));
    draw(each_pixel, times, indices, picture);
    opencl.download(picture, drawn);
    opencl.download(times, host_times);
    opencl.download(indices, host_indices);
    opencl.queue.finish();
    write_png(argv[1], drawn, 2 * width, height);

    const bool right = sorts(host_indices, host_times) && shows(drawn, host_indices, width);
    std::printf("%zu pixels, on %s: %s; %s is written\n", pixels, sorter.device().name.c_str(),
                right ? "sorted" : "WRONG", argv[1]);
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "julia: %s\n", describe(error).c_str());
    return 1;
}
