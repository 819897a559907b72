// SPDX-License-Identifier: MIT
// Bitonic sorts as they are commonly written, by kernels of our own.
#include <algorithm>
#include <bit>
#include <optional>

#include "opencl_trial.hpp"

namespace lanesort::bench {
namespace {

constexpr std::size_t most_keys = std::size_t{1} << 31;  ///< the kernels' indices are 32 bits wide

std::string refusal_by_type(const OpenClDevice& device, const Problem& problem) {
    if (problem.rows() != 1) return "sorts one range";
    const bool has_double = device.device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_fp64") != std::string::npos;
    return problem.type == KeyType::f64 && !has_double ? "the device has no double precision" : "";
}

/// One launch for each step of the network.
class LaunchPerStep : public OpenClTrial {
public:
    static std::string refusal(const OpenClDevice& device, const Problem& problem) {
        if (!std::has_single_bit(problem.count) || problem.count < 2) return "sorts powers of two only";
        if (problem.count > most_keys) return "sorts at most 2^31 keys";
        return refusal_by_type(device, problem);
    }

protected:
    /// `work_items` of them in each launch, in groups of `group` or fewer.
    LaunchPerStep(const OpenClDevice& device, const Input& input, std::string_view file, const char* kernel,
                  std::size_t work_items, std::size_t group)
        : OpenClTrial(device, input),
          kernel_(device.build({file}, key_options(input.problem().type)), kernel),
          global_(work_items),
          local_(std::min({work_items, group, device.max_work_items()})) {
        kernel_.setArg(0, keys_);
    }

private:
    void enqueue(Cost& cost) override {
        cost = {0, std::nullopt, 0};
        const auto count = static_cast<cl_uint>(input_.problem().count);
        for (cl_uint half_run = 1; half_run < count; half_run *= 2)
            for (cl_uint stride = half_run; stride > 0; stride /= 2) {
                kernel_.setArg(1, stride);
                kernel_.setArg(2, 2 * half_run);
                queue().enqueueNDRangeKernel(kernel_, cl::NullRange, global_, local_);
                ++*cost.launches;
            }
    }

    cl::Kernel kernel_;
    cl::NDRange global_, local_;
};

class GlobalBitonic final : public LaunchPerStep {
public:
    GlobalBitonic(const OpenClDevice& device, const Input& input)
        : LaunchPerStep(device, input, "global_bitonic.cl", "global_bitonic_step", input.problem().count, 512) {}
};

class ScalarBitonic final : public LaunchPerStep {
public:
    ScalarBitonic(const OpenClDevice& device, const Input& input)
        : LaunchPerStep(device, input, "scalar_bitonic.cl", "scalar_bitonic_step", input.problem().count / 2, 256) {}
};

/// In local memory up to 1024 keys, above that in global memory.
class OneGroupBitonic final : public OpenClTrial {
public:
    static std::string refusal(const OpenClDevice& device, const Problem& problem) {
        if (problem.count > std::size_t{1} << 16) return "one work-group is of no use above 2^16 keys";
        return refusal_by_type(device, problem);
    }

    OneGroupBitonic(const OpenClDevice& device, const Input& input)
        : OpenClTrial(device, input),
          in_local_(input.problem().count <= 1024),
          kernel_(device.build({"bitonic_in_local.h", "one_group_bitonic.cl"}, key_options(input.problem().type)),
                  in_local_ ? "sort_in_local" : "sort_in_global") {
        const std::size_t count = input.problem().count, size = std::bit_ceil(count),
                          width = key_bytes(input.problem().type);
        kernel_.setArg(0, keys_);
        kernel_.setArg(1, static_cast<cl_uint>(count));
        kernel_.setArg(2, static_cast<cl_uint>(size));
        if (in_local_) {
            kernel_.setArg(3, cl::Local(size * width));
        } else {
            side_bytes_ = (size - count) * width;
            side_ = device.buffer(std::max(side_bytes_, width));  // no buffer may be empty
            kernel_.setArg(3, side_);
        }
        work_items_ = std::min<std::size_t>(1024, kernel_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device.device));
    }

private:
    void enqueue(Cost& cost) override {
        cost = {1, std::nullopt, side_bytes_};
        queue().enqueueNDRangeKernel(kernel_, cl::NullRange, work_items_, work_items_);
    }

    bool in_local_;
    cl::Kernel kernel_;
    cl::Buffer side_;
    std::size_t side_bytes_ = 0, work_items_ = 0;
};

}  // namespace

Candidates opencl_bitonic_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory) {
    return {opencl_candidate<GlobalBitonic>("global bitonic", device, memory),
            opencl_candidate<ScalarBitonic>("scalar bitonic", device, memory),
            opencl_candidate<OneGroupBitonic>("one-work-group bitonic", device, memory)};
}

}  // namespace lanesort::bench
