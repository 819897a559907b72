// SPDX-License-Identifier: MIT
#include "platform.hpp"

#include "../../lib/src/core/backend.hpp"
#include "../cpu/platform.hpp"
#include "checked.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

/// From cl_ext.h, which gives it a name only in newer headers.
constexpr cl_int platform_not_found = -1001;

DeviceKind kind_of(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::gpu;
    if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::cpu;
    return DeviceKind::other;
}

class OpenClDevice final : public detail::DeviceHandle {
public:
    explicit OpenClDevice(cl::Device device) : device_(std::move(device)), info_(describe(device_)) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::unique_ptr<detail::Backend> open() const override {
        return checked([&] { return std::make_unique<Host>(cl::Context(device_), device_); });
    }

private:
    cl::Device device_;
    DeviceInfo info_;
};

std::vector<cl::Platform> platforms() {
    std::vector<cl::Platform> found;
    try {
        cl::Platform::get(&found);
    } catch (const cl::Error& failure) {
        if (failure.err() != platform_not_found) throw to_error(failure);
    }
    return found;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform) {
    std::vector<cl::Device> found;
    try {
        platform.getDevices(CL_DEVICE_TYPE_ALL, &found);
    } catch (const cl::Error& failure) {
        if (failure.err() != CL_DEVICE_NOT_FOUND) throw to_error(failure);
    }
    return found;
}

}  // namespace

DeviceInfo describe(const cl::Device& device) {
    DeviceInfo info;
    info.backend = "OpenCL";
    info.platform = cl::Platform(handle_of<cl_platform_id>(device, CL_DEVICE_PLATFORM)).getInfo<CL_PLATFORM_NAME>();
    info.name = device.getInfo<CL_DEVICE_NAME>();
    info.vendor = device.getInfo<CL_DEVICE_VENDOR>();
    info.version = device.getInfo<CL_DEVICE_VERSION>();
    info.driver = device.getInfo<CL_DRIVER_VERSION>();
    info.kind = kind_of(device.getInfo<CL_DEVICE_TYPE>());
    info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    info.max_work_items = static_cast<unsigned>(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    info.native_vector_bytes = 4 * std::max(device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_INT>(), 1u);
    info.global_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.max_allocation_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    info.local_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    // A processor's may be more than stays in its second-level cache.
    if (info.kind == DeviceKind::cpu) info.local_bytes = std::min(info.local_bytes, cpu::tile_memory());
    info.host_unified_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>();
    // Of processors' compilers PoCL's is the one that was measured (docs/decisions.md#quicksort-on-cpus).
    info.parts_vectors = info.kind == DeviceKind::cpu && info.platform == pocl && info.native_vector_bytes >= 32 &&
                         cpu::processor().instructions != cpu::Instructions::baseline;
    info.has_doubles = device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
    return info;
}

}  // namespace lanesort::inline v0_1::opencl

namespace lanesort::inline v0_1::detail {

Discovery discover_opencl() {
    return opencl::checked([] {
        Discovery discovery;
        if (const std::string& absence = opencl::loader().absence; !absence.empty()) {
            discovery.absences.push_back("OpenCL cannot be used: " + absence);
            return discovery;
        }
        const auto platforms = opencl::platforms();
        if (platforms.empty())
            discovery.absences.push_back(
                "OpenCL cannot be used: no platform is installed (a driver, or PoCL for the processor: "
                "pocl-opencl-icd)");
        for (const auto& platform : platforms) {
            const std::string& name = discovery.platforms.emplace_back(platform.getInfo<CL_PLATFORM_NAME>());
            // A broken driver must not hide the others.
            try {
                opencl::checked([&] {
                    for (const auto& device : opencl::devices_of(platform))
                        if (device.getInfo<CL_DEVICE_AVAILABLE>() && device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>())
                            discovery.devices.emplace_back(std::make_shared<opencl::OpenClDevice>(device));
                });
            } catch (const Error& error) {
                discovery.absences.push_back(name + " cannot be used: " + error.what());
            }
        }
        return discovery;
    });
}

}  // namespace lanesort::inline v0_1::detail
