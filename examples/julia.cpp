// Draws a Julia set beside its own pixels, sorted. All is on one queue: the caller's kernel computes the escape time of
// each pixel, lanesort writes the indices that would sort them, another kernel of the caller's fetches the colours in
// both orders, and the host waits once, for the finished picture.
//
//     build/release/examples/julia julia.png [WIDTH HEIGHT]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
        sum += escape_time((2 * point - size) / size.y * 1.1f);
    }
    times[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum / 16;
}

uchar4 colour(float time) {
    const float4 wave = 0.5f - 0.5f * cos((float4)(1.0f, 0.86f, 0.72f, 0) * (1.9f * time - 1.6f));
    return convert_uchar4_sat_rte(255 * (float4)(wave.xyz, 1));
}

// The left half of the picture has the pixels as they are, the right half in the order of their escape times.
kernel void draw(global const float* times, global const uint* indices, global uchar4* picture) {
    const uint width = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    picture[2 * width * y + x] = colour(times[width * y + x]);
    picture[2 * width * y + width + x] = colour(times[indices[width * y + x]]);
}
)";

void write_png(const std::string& path, const std::vector<cl_uchar4>& picture, std::size_t width, std::size_t height) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&image, path.c_str(), 0, picture.data(), 0, nullptr))
        throw std::runtime_error("cannot write " + path + ": " + image.message);
}

bool is_stable_argsort(const std::vector<std::uint32_t>& indices, const std::vector<float>& times) {
    std::vector<std::uint32_t> expected(times.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return times[i]; });
    return indices == expected;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2 && argc != 4) throw std::runtime_error("usage: julia OUT.png [WIDTH HEIGHT]");
    const std::size_t width = (argc == 4 ? std::stoul(argv[2]) : 1600) / 2,
                      height = argc == 4 ? std::stoul(argv[3]) : 600;
    const std::size_t pixels = width * height;

    OpenCl opencl;
    const cl::Program program = opencl.build(kernels);
    cl::KernelFunctor<cl::Buffer> compute_escape_times(program, "compute_escape_times");
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer> draw(program, "draw");
    const cl::Buffer times = opencl.buffer<float>(pixels), indices = opencl.buffer<std::uint32_t>(pixels);
    const cl::Buffer picture = opencl.buffer<cl_uchar4>(2 * pixels);

    // Compiling is the one thing that would block later, so it comes first.
    lanesort::Sorter sorter = lanesort::opencl::make_sorter(opencl.context(), opencl.device());
    sorter.prepare(lanesort::KeyType::f32, {.count = pixels, .index_bytes = sizeof(std::uint32_t)});

    // The queue is in-order, so no command needs the event of another. Argsort leaves the times as they are, for which
    // it takes memory for a copy of them until it has ended.
    const cl::EnqueueArgs each_pixel(opencl.queue, cl::NDRange(width, height));
    compute_escape_times(each_pixel, times);
    lanesort::opencl::enqueue_argsort(sorter, opencl.queue(), {times(), 0, pixels, lanesort::KeyType::f32},
                                      {indices(), 0, sizeof(std::uint32_t)});
    draw(each_pixel, times, indices, picture);

    std::vector<cl_uchar4> drawn(2 * pixels);
    std::vector<float> host_times(pixels);
    std::vector<std::uint32_t> host_indices(pixels);
    opencl.download(picture, drawn);
    opencl.download(times, host_times);
    opencl.download(indices, host_indices);
    opencl.queue.finish();
    write_png(argv[1], drawn, 2 * width, height);

    const bool right = is_stable_argsort(host_indices, host_times);
    std::printf("%zu pixels, on %s: %s; %s is written\n", pixels, sorter.device().name.c_str(),
                right ? "sorted" : "WRONG", argv[1]);
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "julia: %s\n", describe(error).c_str());
    return 1;
}
