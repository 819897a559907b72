#include "executor.hpp"

#include <bit>

namespace lanesort::opencl {
namespace {

/// Sets a kernel's arguments one after the other.
class Arguments {
public:
    explicit Arguments(cl::Kernel& kernel) : kernel_(kernel) {}

    template <class T>
    Arguments& operator<<(const T& value) {
        kernel_.setArg(index_++, value);
        return *this;
    }
    /// The low bytes of an integer, as wide as the kernel's type.
    Arguments& integer(std::uint64_t value, std::size_t bytes) {
        static_assert(std::endian::native == std::endian::little);
        kernel_.setArg(index_++, bytes, &value);
        return *this;
    }

private:
    cl::Kernel& kernel_;
    cl_uint index_ = 0;
};

}  // namespace

QueueExecutor::QueueExecutor(Program& program, cl::CommandQueue queue, Keys keys, std::vector<cl::Event> wait_list)
    : program_(program), queue_(std::move(queue)),
      in_order_(!(queue_.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)),
      keys_(std::move(keys)), wait_list_(std::move(wait_list)) {}

void QueueExecutor::run(const Plan& plan) {
    for (const Pass& pass : plan.passes) {
        enqueue(pass, plan);
        // An in-order queue keeps the passes apart by itself; only the first one has to wait for the caller's events.
        wait_list_.clear();
        if (!in_order_) wait_list_.push_back(finished_);
    }
    if (plan.passes.empty()) queue_.enqueueMarkerWithWaitList(&wait_list_, &finished_);
}

void QueueExecutor::enqueue(const Pass& pass, const Plan& plan) {
    const detail::KernelParameters& parameters = program_.parameters;
    const auto coding = [&](bool applies) { return static_cast<cl_uint>(applies ? keys_.coding.coding : Coding::none); };
    const cl_uint load_coding = coding(&pass == &plan.passes.front());
    const cl_uint store_coding = coding(&pass == &plan.passes.back());

    const bool sorts = pass.kind == Pass::Kind::sort_tiles;
    cl::Kernel& kernel = sorts ? program_.sort_tiles : program_.merge_tiles;
    Arguments arguments(kernel);
    arguments << keys_.buffer;
    arguments.integer(keys_.offset, sizeof(cl_ulong)).integer(plan.count, parameters.wide_index ? 8 : 4);
    if (sorts) {
        const auto lane_bits = static_cast<cl_uint>(std::countr_zero(plan.shape.lanes));
        arguments << cl_uint{pass.last_phase - lane_bits} << load_coding;
    } else {
        arguments << cl_uint{pass.bottom_stride} << cl_uint{pass.column_bits} << cl_uint{pass.mirrored};
    }
    arguments << store_coding;
    arguments.integer(keys_.coding.flip, parameters.key_bytes);
    if (parameters.count_sync) arguments << counters;

    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(pass.groups * plan.shape.work_items),
                                cl::NDRange(plan.shape.work_items), &wait_list_, &finished_);
    ++launches_;
    if (after_enqueue) after_enqueue(pass, finished_);
}

}  // namespace lanesort::opencl
