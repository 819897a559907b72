// SPDX-License-Identifier: MIT
// Sorts keys in the middle of the caller's own buffer, on the caller's own queue. The host gives the queue an upload, a
// sort and a download, each after the event of the one before, and waits once, at the end.
//
//     build/release/examples/own_queue
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <lanesort/opencl.hpp>

namespace {

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gave status " + std::to_string(status));
}

cl_device_id first_device() {
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count > 0) check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (const cl_platform_id platform : platforms) {
        cl_device_id device = nullptr;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS) return device;
    }
    throw std::runtime_error("there is no OpenCL device");
}

struct Release {
    void operator()(cl_context context) const { clReleaseContext(context); }
    void operator()(cl_command_queue queue) const {
        clFinish(queue);
        clReleaseCommandQueue(queue);
    }
    void operator()(cl_mem buffer) const { clReleaseMemObject(buffer); }
    void operator()(cl_event event) const { clReleaseEvent(event); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

}  // namespace

int main() try {
    // The caller's own OpenCL.
    cl_int status = CL_SUCCESS;
    const cl_device_id device = first_device();
    const Owned<cl_context> context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "clCreateContext");

    // A header, the keys, and a trailer: only the keys are to be sorted.
    constexpr std::size_t header = 5, keys = 500'000, trailer = 3;
    std::vector<std::uint64_t> data(header + keys + trailer);
    std::mt19937_64 random(1);
    std::ranges::generate(data, [&] { return random() % keys; });
    std::vector<std::uint64_t> expected = data;
    const std::size_t bytes = data.size() * sizeof data[0];
    const Owned<cl_mem> buffer(clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    check(status, "clCreateBuffer");

    // Compiling is the one thing that would block later, so it comes first.
    lanesort::Sorter sorter = lanesort::opencl::make_sorter(context.get(), device);
    sorter.prepare(lanesort::KeyType::u64, keys);

    // Events alone keep the order where the device has out-of-order queues. All that the commands use is made before
    // the queue. So if a call throws, the queue goes first: it waits for them, and then the sorter and the memory go.
    cl_command_queue_properties properties = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
          "clGetDeviceInfo");
    properties &= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const Owned<cl_command_queue> queue(clCreateCommandQueue(context.get(), device, properties, &status));
    check(status, "clCreateCommandQueue");

    cl_event uploaded = nullptr, sorted = nullptr, downloaded = nullptr;
    check(clEnqueueWriteBuffer(queue.get(), buffer.get(), CL_FALSE, 0, bytes, data.data(), 0, nullptr, &uploaded),
          "clEnqueueWriteBuffer");
    const Owned<cl_event> release_uploaded(uploaded);

    const lanesort::opencl::KeyRange range{buffer.get(), header, keys, lanesort::KeyType::u64};
    const lanesort::SortReport report =
        lanesort::opencl::enqueue(sorter, queue.get(), sort(range), std::span(&uploaded, 1), &sorted);
    const Owned<cl_event> release_sorted(sorted);

    check(clEnqueueReadBuffer(queue.get(), buffer.get(), CL_FALSE, 0, bytes, data.data(), 1, &sorted, &downloaded),
          "clEnqueueReadBuffer");
    const Owned<cl_event> release_downloaded(downloaded);
    check(clWaitForEvents(1, &downloaded), "clWaitForEvents");

    std::sort(expected.begin() + header, expected.end() - trailer);
    const bool right = data == expected;
    std::printf("%zu u64 keys at offset %zu of a buffer, on %s: %s\n", keys, header, sorter.device().name.c_str(),
                right ? "sorted, and nothing else touched" : "WRONG");
    std::printf("%llu kernel launches, %llu bytes of device memory taken, one wait\n",
                static_cast<unsigned long long>(report.launches), static_cast<unsigned long long>(report.device_bytes));
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_queue: %s\n", error.what());
    return 1;
}
