// SPDX-License-Identifier: MIT
#include "opencl_target.hpp"

#include "host/opencl/platform.hpp"

namespace lanesort::test {
namespace {

class OpenClRecording final : public Recording {
public:
    explicit OpenClRecording(opencl::Recorded recorded) : recorded_(std::move(recorded)) {}
    SortReport enqueue() override { return recorded_.enqueue(); }

private:
    opencl::Recorded recorded_;
};

class OpenClMemory final : public DeviceMemory {
public:
    OpenClMemory(const OpenClTarget& target, const Bytes& bytes)
        : target_(target),
          queue_(target.context, target.device),
          size_(bytes.size()),
          buffer_(target.context, CL_MEM_READ_WRITE, std::max<std::size_t>(size_, 1)) {
        write(bytes);
    }

    void write(const Bytes& bytes) override {
        if (!bytes.empty()) queue_.enqueueWriteBuffer(buffer_, CL_TRUE, 0, bytes.size(), bytes.data());
    }
    Bytes read() override {
        Bytes bytes(size_);
        if (size_ > 0) queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, size_, bytes.data());
        return bytes;
    }
    SortReport enqueue(Sorter& sorter, const Call& call) override {
        return opencl::enqueue(sorter, queue_(), call_in<opencl::Memory>(buffer_(), call));
    }
    std::unique_ptr<Recording> record(Sorter& sorter, const Call& call) override {
        return std::make_unique<OpenClRecording>(
            test::record(target_, sorter, queue_, call_in<opencl::Memory>(buffer_(), call)));
    }

private:
    const OpenClTarget& target_;
    cl::CommandQueue queue_;
    std::size_t size_;
    cl::Buffer buffer_;
};

std::list<OpenClTarget> open_all() {
    std::list<OpenClTarget> opened;
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        return opened;  // the loader found no platform
    }
    for (const cl::Platform& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        } catch (const cl::Error&) {
            continue;  // the platform has no device
        }
        for (const cl::Device& device : devices)
            if (device.getInfo<CL_DEVICE_AVAILABLE>() && device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>())
                opened.emplace_back(device);
    }
    return opened;
}

std::list<OpenClTarget>& opened() {
    static std::list<OpenClTarget> all = open_all();
    for (const OpenClTarget& target : all) note_run("OpenCL queue", target.info);
    return all;
}

}  // namespace

OpenClTarget::OpenClTarget(const cl::Device& opened)
    : Target(opencl::describe(opened)), device(opened), context(opened), queue(context, opened) {}

Sorter OpenClTarget::new_sorter(SorterOptions options) const {
    return opencl::make_sorter(context(), device(), with_seed(std::move(options)));
}

std::unique_ptr<DeviceMemory> OpenClTarget::memory(const Bytes& bytes) const {
    return std::make_unique<OpenClMemory>(*this, bytes);
}

Targets opencl_targets() { return {opened().begin(), opened().end()}; }

std::list<OpenClTarget>& opencl_devices() {
    if (opened().empty()) skip_without("OpenCL device");
    return opened();
}

std::optional<cl::CommandQueue> out_of_order_queue(const OpenClTarget& target) {
    constexpr cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (!(target.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & out_of_order)) return std::nullopt;
    return cl::CommandQueue(target.context, target.device, out_of_order);
}

opencl::Recorded record(const OpenClTarget& target, Sorter& sorter, const cl::CommandQueue& queue,
                        const opencl::Call& call) {
    opencl::Recorded recorded(sorter, queue(), call);
    const char* const way =
        recorded.is_replayed() ? "OpenCL command buffer" : "OpenCL recorded sort without a command buffer";
    if (call.request.count > 1) note_run(way, target.info);  // of fewer, none has commands
    return recorded;
}

}  // namespace lanesort::test
