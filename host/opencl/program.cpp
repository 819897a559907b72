#include "program.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../../lib/src/kernel_source.hpp"

namespace lanesort::opencl {

Program::Program(const cl::Context& context, const cl::Device& device, const detail::KernelParameters& wanted)
    : parameters(wanted) {
    const cl::Program program(context, detail::kernel_source(detail::kernel_file(parameters.shape)));
    const std::string options = fmt::format("-cl-std=CL1.2 -D{}", fmt::join(detail::definitions(parameters), " -D"));
    program.build(std::vector<cl::Device>{device}, options.c_str());
    sort_tiles = cl::Kernel(program, "sort_tiles");
    merge_tiles = cl::Kernel(program, "merge_tiles");
    max_work_items = static_cast<unsigned>(std::min(sort_tiles.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device),
                                                    merge_tiles.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device)));
}

}  // namespace lanesort::opencl
