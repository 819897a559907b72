// SPDX-License-Identifier: MIT
#include "command_buffer.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace lanesort::inline v0_1::opencl {
namespace {

CommandBufferFunctions functions_of(const cl::Device& device) {
    const auto find = [platform = handle_of<cl_platform_id>(device, CL_DEVICE_PLATFORM)](auto& function,
                                                                                         const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            clGetExtensionFunctionAddressForPlatform(platform, name));
    };
    CommandBufferFunctions functions;
    find(functions.create, "clCreateCommandBufferKHR");
    find(functions.release, "clReleaseCommandBufferKHR");
    find(functions.finalize, "clFinalizeCommandBufferKHR");
    find(functions.kernel, "clCommandNDRangeKernelKHR");
    find(functions.enqueue, "clEnqueueCommandBufferKHR");
    return functions;
}

/// A bit field of the device; none where it does not know the question.
cl_bitfield bits(const cl::Device& device, cl_device_info which) {
    cl_bitfield value = 0;
    return clGetDeviceInfo(device(), which, sizeof value, &value, nullptr) == CL_SUCCESS ? value : 0;
}

}  // namespace

bool CommandBuffer::supported(const cl::CommandQueue& queue, const detail::Work& work) {
    if (!std::ranges::all_of(work.commands, [](const detail::Command& command) {
            return std::holds_alternative<detail::Launch>(command);
        }))
        return false;
    const cl::Device device(handle_of<cl_device_id>(queue, CL_QUEUE_DEVICE), true);
    if (device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_command_buffer") == std::string::npos) return false;
    const cl_bitfield properties = queue.getInfo<CL_QUEUE_PROPERTIES>();
    const cl_bitfield required = bits(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR);
    const cl_bitfield capabilities = bits(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
    const bool orders = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) ||
                        capabilities & CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR;
    return functions_of(device).complete() && orders && (properties & required) == required;
}

CommandBuffer::CommandBuffer(cl::CommandQueue queue) : queue_(std::move(queue)) {
    const cl::Device device(handle_of<cl_device_id>(queue_, CL_QUEUE_DEVICE), true);
    functions_ = functions_of(device);
    if (!functions_.complete()) throw cl::Error(CL_INVALID_OPERATION, "clGetExtensionFunctionAddressForPlatform");
    simultaneous_ =
        bits(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR) & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;
    const cl_command_buffer_properties_khr properties[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, simultaneous_ ? cl_properties{CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR} : 0, 0};
    cl_int status = CL_SUCCESS;
    commands_ = functions_.create(1, &queue_(), properties, &status);
    check(status, "clCreateCommandBufferKHR");
}

CommandBuffer::~CommandBuffer() {
    if (last_()) clWaitForEvents(1, &last_());
    functions_.release(commands_);
}

void CommandBuffer::record(const detail::Work& work, const detail::Bindings& bindings) {
    cl_sync_point_khr last = 0;
    for (const detail::Command& command : work.commands) {
        const auto& launch = std::get<detail::Launch>(command);
        const Program& of_host = program_of(work, launch);
        const cl::Program program(handle_of<cl_program>(of_host.kernels[launch.kernel], CL_KERNEL_PROGRAM), true);
        const cl::Kernel& kernel =
            kernels_.emplace_back(program, detail::kernel_names(of_host.parameters)[launch.kernel]);
        LastArguments none;
        set_arguments(kernel, launch, of_host.integers_in_one, bindings, none);
        const auto [global, local] = ranges(work, launch);
        const bool is_first = &command == &work.commands.front();
        cl_sync_point_khr point = 0;
        check(functions_.kernel(commands_, nullptr, nullptr, kernel(), 1, nullptr, &global, &local, is_first ? 0 : 1,
                                is_first ? nullptr : &last, &point, nullptr),
              "clCommandNDRangeKernelKHR");
        last = point;
    }
    check(functions_.finalize(commands_), "clFinalizeCommandBufferKHR");
}

bool CommandBuffer::ready() const {
    return simultaneous_ || !last_() || last_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
}

cl::Event CommandBuffer::enqueue(const std::vector<cl::Event>& wait_list) {
    std::vector<cl_event> waits;
    waits.reserve(wait_list.size());
    for (const cl::Event& event : wait_list) waits.push_back(event());
    cl_event finished = nullptr;
    check(functions_.enqueue(0, nullptr, commands_, static_cast<cl_uint>(waits.size()),
                             waits.empty() ? nullptr : waits.data(), &finished),
          "clEnqueueCommandBufferKHR");
    last_ = cl::Event(finished);
    return last_;
}

}  // namespace lanesort::inline v0_1::opencl
