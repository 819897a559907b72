// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "checked.hpp"
#include "platform.hpp"

namespace lanesort::inline v0_1::opencl {

namespace {

bool is_by_nvidia(const cl::Device& device) {
    return device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_nv_compiler_options") != std::string::npos;
}

std::string platform_of(const cl::Device& device) {
    return cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
}

/// PoCL gains nothing by it, and Rusticl (22.3), which keeps a structure in memory, took six times as long.
bool gains_by_fewer_arguments(const cl::Device& device) {
    const std::string platform = platform_of(device);
    return platform != pocl && platform != "rusticl";
}

/// NVIDIA's compiler takes a limit of registers; others do not know the option.
std::string register_limit(const cl::Device& device, const detail::KernelParameters& parameters) {
    constexpr unsigned registers_of_a_multiprocessor = 65536;
    const unsigned groups = parameters.shape.resident_groups;
    if (groups == 1 || !is_by_nvidia(device)) return {};
    const unsigned limit = registers_of_a_multiprocessor / (groups * parameters.work_items());
    return fmt::format(" -cl-nv-maxrregcount={}", std::clamp(limit / 8 * 8, 32u, 255u));
}

/// PoCL's optimiser (3.1) lets work-items go past a barrier alone where it depends on the same condition whether they
/// have work before and behind it.
std::string optimisation(const cl::Device& device, const detail::KernelParameters& parameters) {
    return parameters.family->has_conditional_barriers && platform_of(device) == pocl ? " -cl-opt-disable" : "";
}

/// What the compiler said; nothing where that cannot be read.
std::string log_of(const cl::Program& program, const cl::Device& device) {
    try {
        return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
    } catch (const cl::Error&) {
        return {};
    }
}

/// A build may also fail without the compiler's doing: for want of memory, or of the device.
bool compiler_refused(cl_int status, const cl::Program& program, const cl::Device& device) {
    cl_build_status of_device = CL_BUILD_NONE;
    return status == CL_BUILD_PROGRAM_FAILURE ||
           (clGetProgramBuildInfo(program(), device(), CL_PROGRAM_BUILD_STATUS, sizeof of_device, &of_device,
                                  nullptr) == CL_SUCCESS &&
            of_device == CL_BUILD_ERROR);
}

}  // namespace

Program::Program(const cl::Context& context, const cl::Device& device, const detail::KernelParameters& wanted)
    : detail::Program(wanted), integers_in_one(gains_by_fewer_arguments(device)) {
    const std::string text = detail::source(parameters);
    const cl::Program program(context, text);
    const std::string options = "-cl-std=CL1.2" + register_limit(device, parameters) +
                                optimisation(device, parameters) + (integers_in_one ? "" : " -DINTEGERS_IN_ONE=0");
    // CL/opencl.hpp reads the log after every build, and where that fails tells nothing of the build.
    const cl_int status = clBuildProgram(program(), 1, &device(), options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS && compiler_refused(status, program, device))
        throw build_error(status, log_of(program, device), parameters, text);
    check(status, "clBuildProgram");
    max_work_items = std::numeric_limits<unsigned>::max();
    for (const char* name : detail::kernel_names(parameters)) {
        const cl::Kernel& kernel = kernels.emplace_back(program, name);
        const std::size_t limit = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
        max_work_items = static_cast<unsigned>(std::min<std::size_t>(max_work_items, limit));
    }
    // NVIDIA's runtime (580) says 256 of every kernel, and runs what a kernel requires, for which it was compiled. Tile
    // passes gain by larger groups; a distribution of 2^26 keys took a tenth longer with them
    // (docs/decisions.md#nvidias-opencl).
    if (is_by_nvidia(device) && max_work_items == 256 && detail::kernel_file(parameters) == "sort/tile_in_local.cl")
        max_work_items = std::max(max_work_items, parameters.work_items());
    launched_.resize(kernels.size());
    last_arguments.resize(kernels.size());
}

bool Program::is_first_launch(std::size_t kernel, std::uint64_t groups) const {
    return !std::exchange(launched_[kernel][groups * parameters.work_items() >= many_work_items], true);
}

}  // namespace lanesort::inline v0_1::opencl
