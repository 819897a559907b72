#include "opencl_target.hpp"

#include "host/opencl/executor.hpp"
#include "host/opencl/platform.hpp"

namespace lanesort::test {
namespace {

class OpenClRecording final : public Recording {
public:
    explicit OpenClRecording(opencl::RecordedSort recorded) : recorded_(std::move(recorded)) {}
    SortReport enqueue() override { return recorded_.enqueue(); }

private:
    opencl::RecordedSort recorded_;
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
    SortReport enqueue_sort(Sorter& sorter, const Range& range) override {
        return opencl::enqueue_sort(sorter, queue_(), keys(range));
    }
    SortReport enqueue_sort_by_key(Sorter& sorter, const Range& range, const Values& values) override {
        return opencl::enqueue_sort_by_key(sorter, queue_(), keys(range), {buffer_(), values.offset, values.bytes});
    }
    SortReport enqueue_merge(Sorter& sorter, const Range& range, const Values& values, std::size_t middle) override {
        if (values.bytes == 0) return opencl::enqueue_merge(sorter, queue_(), keys(range), middle);
        return opencl::enqueue_merge_by_key(sorter, queue_(), keys(range), {buffer_(), values.offset, values.bytes},
                                            middle);
    }
    SortReport enqueue_argsort(Sorter& sorter, const Range& range, const Values& indices) override {
        return opencl::enqueue_argsort(sorter, queue_(), keys(range), {buffer_(), indices.offset, indices.bytes});
    }
    SortReport enqueue_top_k(Sorter& sorter, const Range& range, std::size_t k, std::size_t selected,
                             const Values& indices) override {
        opencl::Selected to{buffer_(), selected, {}};
        if (indices.bytes > 0) to.indices = {buffer_(), indices.offset, indices.bytes};
        return opencl::enqueue_top_k(sorter, queue_(), keys(range), k, to);
    }
    SortReport enqueue_is_sorted(Sorter& sorter, const Range& range, std::size_t integers) override {
        return opencl::enqueue_is_sorted(sorter, queue_(), keys(range), {buffer_(), integers});
    }
    SortReport enqueue_is_sorted_until(Sorter& sorter, const Range& range, std::size_t integers) override {
        return opencl::enqueue_is_sorted_until(sorter, queue_(), keys(range), {buffer_(), integers});
    }
    SortReport enqueue_runs(Sorter& sorter, const Range& range, const Found& found) override {
        const opencl::Distinct distinct{buffer_(), found.distinct, {buffer_(), found.integers}};
        if (found.lengths.bytes == 0) return opencl::enqueue_unique(sorter, queue_(), keys(range), distinct);
        return opencl::enqueue_run_lengths(sorter, queue_(), keys(range), distinct,
                                           {buffer_(), found.lengths.offset, found.lengths.bytes});
    }
    std::unique_ptr<Recording> record(Sorter& sorter, const Range& range) override {
        return std::make_unique<OpenClRecording>(test::record(target_, sorter, queue_, keys(range)));
    }
    std::unique_ptr<Recording> record_sort_by_key(Sorter& sorter, const Range& range, const Values& values) override {
        return std::make_unique<OpenClRecording>(
            opencl::RecordedSort(sorter, queue_(), keys(range), {buffer_(), values.offset, values.bytes}));
    }

private:
    opencl::KeyRange keys(const Range& range) const {
        opencl::KeyRange keys{buffer_(), range.offset, range.count, range.type, range.order, range.row_length};
        const Segments& segments = range.segments;
        if (segments.bytes > 0)
            keys.segments = {buffer_(), segments.offset, segments.count, segments.longest, segments.bytes};
        keys.stable = range.stable;
        keys.first = range.first;
        return keys;
    }

    const OpenClTarget& target_;
    cl::CommandQueue queue_;
    std::size_t size_;
    cl::Buffer buffer_;
};

class OpenClKernels final : public Kernels {
public:
    OpenClKernels(const OpenClTarget& target, const lanesort::detail::KernelParameters& parameters)
        : target_(target), program_(target.context, target.device, parameters) {}

    std::vector<Bytes> run(const Plan& plan, KeyCoding coding, std::size_t offset, const Bytes& memory) override {
        const cl::CommandQueue& queue = target_.queue;
        const cl::Buffer buffer(target_.context, CL_MEM_READ_WRITE, memory.size());
        queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, memory.size(), memory.data());
        opencl::QueueExecutor executor(program_, queue, {{buffer, offset}, plan.count, coding});
        std::vector<Bytes> states;
        executor.after_enqueue = [&](const Pass&, const cl::Event& event) {
            event.wait();
            queue.enqueueReadBuffer(buffer, CL_TRUE, 0, memory.size(), states.emplace_back(memory.size()).data());
        };
        executor.run(plan);
        return states;
    }

private:
    const OpenClTarget& target_;
    opencl::Program program_;
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
    return opencl::make_sorter(context(), device(), std::move(options));
}

std::unique_ptr<DeviceMemory> OpenClTarget::memory(const Bytes& bytes) const {
    return std::make_unique<OpenClMemory>(*this, bytes);
}

std::unique_ptr<Kernels> OpenClTarget::compile(const lanesort::detail::KernelParameters& parameters) const {
    return std::make_unique<OpenClKernels>(*this, parameters);
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

opencl::RecordedSort record(const OpenClTarget& target, Sorter& sorter, const cl::CommandQueue& queue,
                            const opencl::KeyRange& keys) {
    opencl::RecordedSort recorded(sorter, queue(), keys);
    const char* const way =
        recorded.uses_command_buffer() ? "OpenCL command buffer" : "OpenCL recorded sort without a command buffer";
    if (keys.count > 1) note_run(way, target.info);  // of fewer, none has commands
    return recorded;
}

}  // namespace lanesort::test
