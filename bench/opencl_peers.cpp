#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <lanesort/opencl.hpp>

#include "peer.hpp"

namespace lanesort::bench {
namespace {

class QueueTrial final : public Trial {
public:
    QueueTrial(Sorter& sorter, cl::CommandQueue queue, const Input& input)
        : sorter_(sorter),
          queue_(std::move(queue)),
          input_(input),
          pristine_(queue_.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_ONLY, input.keys.size()),
          keys_(queue_.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE, input.keys.size()) {
        queue_.enqueueWriteBuffer(pristine_, CL_TRUE, 0, input.keys.size(), input.keys.data());
    }

    double run() override {
        cl::Event start, end;
        queue_.enqueueCopyBuffer(pristine_, keys_, 0, 0, input_.keys.size(), nullptr, &start);
        const opencl::KeyRange range{keys_(), 0, input_.count, input_.type, Order::ascending};
        opencl::enqueue_sort(sorter_, queue_, range, static_cast<const std::vector<cl::Event>*>(nullptr), &end);
        end.wait();
        return 1e-9 * static_cast<double>(end.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                          start.getProfilingInfo<CL_PROFILING_COMMAND_END>());
    }
    std::vector<std::byte> result() override {
        std::vector<std::byte> bytes(input_.keys.size());
        queue_.enqueueReadBuffer(keys_, CL_TRUE, 0, bytes.size(), bytes.data());
        return bytes;
    }

private:
    Sorter& sorter_;
    cl::CommandQueue queue_;
    const Input& input_;
    cl::Buffer pristine_, keys_;
};

class Queue final : public Peer {
public:
    explicit Queue(const cl::Device& device)
        : context_(device),
          queue_(context_, device, CL_QUEUE_PROFILING_ENABLE),
          sorter_(opencl::make_sorter(context_(), device())) {}

    std::string name() const override { return "lanesort, OpenCL queue, " + sorter_.device().platform; }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        sorter_.prepare(input.type, input.count);
        return std::make_unique<QueueTrial>(sorter_, queue_, input);
    }

private:
    cl::Context context_;
    cl::CommandQueue queue_;
    Sorter sorter_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> opencl_peers() {
    std::vector<std::unique_ptr<Peer>> peers;
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        return peers;
    }
    for (const cl::Platform& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_GPU, &devices);
        } catch (const cl::Error&) {
            continue;
        }
        for (const cl::Device& device : devices) peers.push_back(std::make_unique<Queue>(device));
    }
    return peers;
}

}  // namespace lanesort::bench
