// SPDX-License-Identifier: MIT
// The OpenCL devices of this machine.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include <lanesort/opencl.hpp>

#include "host/opencl/clhpp.hpp"
#include "target.hpp"

namespace lanesort::test {

namespace cl = opencl::cl;

class OpenClTarget final : public Target {
public:
    explicit OpenClTarget(const cl::Device& opened);

    using Target::new_sorter;
    Sorter new_sorter(SorterOptions options = {}) const override;
    std::unique_ptr<DeviceMemory> memory(const Bytes& bytes) const override;

    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;  ///< in-order
};

/// All OpenCL devices, for the cases of OpenCL alone; without any, as targets().
std::list<OpenClTarget>& opencl_devices();

/// Nothing where the device has only in-order queues.
std::optional<cl::CommandQueue> out_of_order_queue(const OpenClTarget& target);

/// A recorded sort; main() is told how.
opencl::Recorded record(const OpenClTarget& target, Sorter& sorter, const cl::CommandQueue& queue,
                        const opencl::Call& call);

template <class T>
cl::Buffer buffer_of(const OpenClTarget& target, const std::vector<T>& keys) {
    std::vector<T> copy = keys;
    if (copy.empty()) copy.resize(1);  // there are no buffers of no bytes
    return cl::Buffer(target.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, copy.size() * sizeof(T), copy.data());
}

template <class T>
std::vector<T> read(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t count,
                    std::size_t offset = 0) {
    std::vector<T> keys(count);
    if (count > 0) queue.enqueueReadBuffer(buffer, CL_TRUE, offset * sizeof(T), count * sizeof(T), keys.data());
    return keys;
}

}  // namespace lanesort::test
