// SPDX-License-Identifier: MIT
#include <lanesort/opencl.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include "opencl_trial.hpp"

namespace lanesort::bench {
namespace {

opencl::KeyRange key_range(const cl::Buffer& keys, const Problem& problem) {
    return {keys(), 0, problem.count, problem.type, Order::ascending, problem.row_length()};
}

class QueueTrial final : public OpenClTrial {
public:
    QueueTrial(Sorter& sorter, const OpenClDevice& device, const Input& input)
        : OpenClTrial(device, input), sorter_(sorter) {}

private:
    void enqueue(Cost& cost) override {
        cost = cost_of(opencl::enqueue(sorter_, queue()(), lanesort::sort(key_range(keys_, input_.problem()))));
    }
    Sorter& sorter_;
};

class RecordedTrial final : public OpenClTrial {
public:
    RecordedTrial(Sorter& sorter, const OpenClDevice& device, const Input& input)
        : OpenClTrial(device, input),
          recorded_(sorter, device.queue(), lanesort::sort(key_range(keys_, input.problem()))) {}

private:
    void enqueue(Cost& cost) override { cost = cost_of(recorded_.enqueue()); }
    opencl::Recorded recorded_;
};

enum class Way { queue, recorded };

class LanesortOpenCl final : public Peer {
public:
    LanesortOpenCl(const cl::Device& device, Way way)
        : device_(device), way_(way), sorter_(opencl::make_sorter(device_.context(), device_.device())) {}
    std::string refusal(const Problem& problem) const override { return refusal_of(device_, problem); }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        sorter_.prepare(input.problem().type, input.problem().count, input.problem().row_length());
        if (way_ == Way::recorded) return std::make_unique<RecordedTrial>(sorter_, device_, input);
        return std::make_unique<QueueTrial>(sorter_, device_, input);
    }

private:
    OpenClDevice device_;
    Way way_;
    Sorter sorter_;
};

/// The best of some copies, by a kernel, of memory that is larger than the caches.
double copy_bytes_per_second(const OpenClDevice& device) {
    constexpr std::size_t unit = 16;  // of the kernel
    const std::size_t bytes = std::min<std::size_t>(
        std::size_t{256} << 20, device.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() / unit * unit);
    const cl::Program program = device.build({"copy.cl"}, "");
    cl::Kernel kernel(program, "copy");
    const cl::Buffer from = device.buffer(bytes), to = device.buffer(bytes);
    const cl::CommandQueue queue(device.context, device.device, CL_QUEUE_PROFILING_ENABLE);
    queue.enqueueFillBuffer(from, cl_uchar{1}, 0, bytes);
    kernel.setArg(0, from);
    kernel.setArg(1, to);
    double best = 0;
    for (int repetition = 0; repetition < 6; ++repetition) {
        cl::Event copied;
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(bytes / unit), cl::NullRange, nullptr, &copied);
        copied.wait();
        const auto nanoseconds = static_cast<double>(copied.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                                     copied.getProfilingInfo<CL_PROFILING_COMMAND_START>());
        best = std::max(best, 2e9 * static_cast<double>(bytes) / nanoseconds);
    }
    return best;
}

std::vector<cl::Device> opencl_devices() {
    std::vector<cl::Device> all;
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        return all;  // there is no platform
    }
    for (const cl::Platform& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        } catch (const cl::Error&) {
            continue;  // a platform without a device
        }
        std::ranges::move(devices, std::back_inserter(all));
    }
    return all;
}

}  // namespace

#ifndef LANESORT_BENCH_BOOST_COMPUTE
Candidates boost_compute_peers(const cl::Device&, const std::shared_ptr<const Memory>&) {
    return {absent("Boost.Compute", "built without Boost (libboost-dev)")};
}
#endif

Candidates opencl_peers() {
    Candidates candidates;
    std::map<std::string, unsigned> devices_of_platform;
    for (const cl::Device& device : opencl_devices()) {
        try {
            const OpenClDevice opened(device);
            const DeviceInfo info = opencl::make_sorter(opened.context(), device()).device();
            const unsigned number = ++devices_of_platform[where(info)];
            const auto memory =
                std::make_shared<Memory>(where(info) + (number == 1 ? "" : " #" + std::to_string(number)), info.name,
                                         info.version + ", driver " + info.driver, copy_bytes_per_second(opened));
            for (const auto& [name, way] :
                 {std::pair("lanesort, OpenCL queue, ", Way::queue), {"lanesort, OpenCL recorded, ", Way::recorded}})
                candidates.push_back({name + memory->where,
                                      memory,
                                      true,
                                      [device, way] { return std::make_unique<LanesortOpenCl>(device, way); },
                                      {}});
            for (auto* const peers : {boost_compute_peers, opencl_bitonic_peers, opencl_quicksort_peers})
                std::ranges::move(peers(device, memory), std::back_inserter(candidates));
        } catch (const std::exception& error) {
            candidates.push_back(absent(device.getInfo<CL_DEVICE_NAME>(), error.what()));
        }
    }
    return candidates;
}

}  // namespace lanesort::bench
