// SPDX-License-Identifier: MIT
// Arrays that go through staging buffers to OpenCL devices.
#include "large/staging.hpp"

#include <memory>
#include <vector>

#include "host/opencl/checked.hpp"
#include "host/opencl/queue.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

namespace cl = opencl::cl;

constexpr std::size_t buffer_bytes = 30001;

struct Opened {
    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;

    explicit Opened(const cl::Device& of) : device(of), context(device), queue(context, device) {}
};

/// All devices, each opened.
std::vector<Opened> all_opened() {
    std::vector<cl::Platform> platforms;
    if (opencl::loader().absence.empty()) opencl::checked([&] { cl::Platform::get(&platforms); });
    std::vector<Opened> all;
    for (const cl::Platform& platform : platforms) {
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        for (const cl::Device& device : devices) all.emplace_back(device);
    }
    return all;
}

TEST_CASE("staging: every byte goes to an OpenCL device and comes back, in rows and in one") {
    Random random(seed());
    for (const Opened& opened : all_opened()) {
        inside::Staging staging(
            [](std::size_t bytes) {
                return std::shared_ptr<std::byte>(new std::byte[bytes], [](const std::byte* all) { delete[] all; });
            },
            buffer_bytes, 3);
        opencl::Host host(opened.context, opened.device);
        const auto open_queue = [&] {
            return inside::StagingQueue(
                std::make_unique<opencl::OpenclQueue>(host, cl::CommandQueue(opened.context, opened.device), true),
                staging, [](const void*) { return true; });
        };
        for (const std::uint64_t width : {buffer_bytes - 1, buffer_bytes, buffer_bytes + 1}) {
            CAPTURE(width);
            const std::uint64_t height = 9, pitch = width + 5, all = pitch * height;
            std::vector<std::byte> there(all), back(all, std::byte{7}), whole(all);
            for (std::byte& byte : there) byte = static_cast<std::byte>(random());
            inside::StagingQueue ups = open_queue(), downs = open_queue();
            const inside::Binding place{ups.allocate(all + 3), 3};
            ups.upload({there.data(), width, height, pitch, width}, place);
            downs.await(ups.end());
            downs.download(place, {back.data(), width, height, pitch, width});
            downs.download(place, {whole.data(), width * height, 1, width * height, width * height});
            downs.end()->wait();
            bool is_right = true;
            for (std::uint64_t i = 0; i < all; ++i) {
                const std::uint64_t row = i / pitch, column = i % pitch;
                is_right &= back[i] == (column < width ? there[i] : std::byte{7});
                if (column < width) is_right &= whole[row * width + column] == there[i];
            }
            CHECK(is_right);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
