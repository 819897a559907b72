// Arrays that go through pieces of host memory that an OpenCL runtime allocates.
#include "host/opencl/staging.hpp"

#include "host/opencl/checked.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

namespace cl = opencl::cl;

constexpr std::size_t piece = 300001;  // of no whole number of shares

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

TEST_CASE("staging: every byte goes to an OpenCL device and comes back, whatever the number of pieces") {
    Random random(seed());
    for (const Opened& opened : all_opened()) {
        opencl::Staging staging(opened.context, opened.device, piece);
        CHECK(!staging.is_for(opencl::Staging::least_bytes - 1));
        REQUIRE(staging.is_for(opencl::Staging::least_bytes));
        for (const std::size_t bytes :
             {std::size_t{1}, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 1, 7 * piece + 99}) {
            CAPTURE(bytes);
            std::vector<std::byte> there(bytes + 5), back(bytes + 1, std::byte{7});
            for (std::byte& byte : there) byte = static_cast<std::byte>(random());
            const cl::Buffer buffer(opened.context, CL_MEM_READ_WRITE, 2 * bytes + 3);
            std::vector<cl::Event> ends;
            // Two arrays, one behind the other, as keys and values go; the second queue has the pieces of the first.
            const cl::CommandQueue other(opened.context, opened.device);
            staging.upload(opened.queue, buffer, 3, there.data(), bytes, ends);
            staging.upload(other, buffer, 3 + bytes, there.data() + 5, bytes, ends);
            cl::Event::waitForEvents(ends);
            staging.download(opened.queue, back.data(), buffer, 3, bytes);
            CHECK(std::equal(back.begin(), back.end() - 1, there.begin()));
            staging.download(other, back.data(), buffer, 3 + bytes, bytes);
            CHECK(std::equal(back.begin(), back.end() - 1, there.begin() + 5));
            CHECK(back.back() == std::byte{7});
        }
        staging.release();
        CHECK(staging.is_for(1, 1));
    }
}

}  // namespace
}  // namespace lanesort::test
