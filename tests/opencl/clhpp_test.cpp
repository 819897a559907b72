// Callers with CL/opencl.hpp of their own, here without exceptions, beside the library's with exceptions.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <lanesort/opencl.hpp>

#include "support.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("CL/opencl.hpp: its queues, buffers and events, in the caller's own version") {
    cl::Device device;
    {
        std::vector<cl::Platform> platforms;
        std::vector<cl::Device> devices;
        cl::Platform::get(&platforms);
        for (const cl::Platform& platform : platforms)
            if (platform.getDevices(CL_DEVICE_TYPE_ALL, &devices) == CL_SUCCESS && !devices.empty())
                device = devices.front();
    }
    if (!device()) {
        ++skipped_device_cases();
        return;
    }
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    Sorter sorter = opencl::make_sorter(context(), device());

    Random random(seed());
    const auto keys = random_keys<float>(5000, random);
    auto copy = keys;
    const cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, copy.size() * sizeof copy[0],
                            copy.data());
    cl::UserEvent gate(context);
    const std::vector<cl::Event> waits{gate};
    cl::Event end;
    opencl::enqueue_sort(sorter, queue, {buffer(), 0, keys.size(), KeyType::f32}, &waits, &end);
    queue.flush();
    CHECK(end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    CHECK(end.wait() == CL_SUCCESS);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, copy.size() * sizeof copy[0], copy.data());
    require_same_bytes(copy, sorted(keys, Order::ascending));

    opencl::enqueue_sort<cl::CommandQueue, cl::Event>(
        sorter, queue, {buffer(), 0, keys.size(), KeyType::f32, Order::descending}, nullptr);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, copy.size() * sizeof copy[0], copy.data());
    require_same_bytes(copy, sorted(keys, Order::descending));

    // Errors here are statuses, not exceptions: this translation unit has its own version of the wrappers.
    CHECK(queue.enqueueReadBuffer(cl::Buffer(), CL_TRUE, 0, 4, copy.data()) != CL_SUCCESS);
}

}  // namespace
}  // namespace lanesort::test
