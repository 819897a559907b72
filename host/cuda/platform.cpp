// SPDX-License-Identifier: MIT
#include "platform.hpp"

#include <fmt/core.h>

#include <lanesort/cuda.hpp>

#include "../../lib/src/core/backend.hpp"
#include "checked.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::cu {
namespace {

class CudaDevice final : public detail::DeviceHandle {
public:
    explicit CudaDevice(CUdevice device) : device_(device), info_(describe(device)) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::unique_ptr<detail::Backend> open() const override { return std::make_unique<Host>(device_); }

private:
    CUdevice device_;
    DeviceInfo info_;
};

}  // namespace

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    LANESORT_CU(cuDeviceGetAttribute, &value, which, device);
    return value;
}

DeviceInfo describe(CUdevice device) {
    DeviceInfo info;
    char name[256] = {};
    int driver_version = 0;
    std::size_t bytes = 0;
    LANESORT_CU(cuDeviceGetName, name, sizeof name, device);
    LANESORT_CU(cuDriverGetVersion, &driver_version);
    LANESORT_CU(cuDeviceTotalMem, &bytes, device);
    info.backend = "CUDA";
    info.platform = "NVIDIA CUDA driver";
    info.name = name;
    info.vendor = "NVIDIA Corporation";
    info.version =
        fmt::format("compute capability {}.{}", attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                    attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    info.driver = fmt::format("CUDA {}.{}", driver_version / 1000, driver_version % 1000 / 10);
    info.kind = DeviceKind::gpu;
    info.compute_units = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    info.max_work_items = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    info.native_vector_bytes = 4;
    info.global_bytes = info.max_allocation_bytes = bytes;
    info.local_bytes =
        static_cast<std::uint64_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    return info;
}

Installation installation() {
    Installation found{driver().absence, compiler().absence, 0, 0};
    // A driver that does not start still knows its version.
    if (driver().cuDriverGetVersion) driver().cuDriverGetVersion(&found.driver_version);
    if (int major = 0, minor = 0; compiler().nvrtcVersion && compiler().nvrtcVersion(&major, &minor) == NVRTC_SUCCESS)
        found.compiler_version = 1000 * major + 10 * minor;
    return found;
}

CUdevice device_of_number(int number) {
    for (const std::string& absence : {driver().absence, compiler().absence})
        if (!absence.empty()) throw Error(ErrorCode::no_device, fmt::format("CUDA cannot be used: {}", absence));
    int count = 0;
    LANESORT_CU(cuDeviceGetCount, &count);
    if (number < 0 || number >= count)
        throw Error(ErrorCode::no_device, fmt::format("there is no CUDA device {}; there are {}", number, count));
    CUdevice device{};
    LANESORT_CU(cuDeviceGet, &device, number);
    return device;
}

}  // namespace lanesort::inline v0_1::cu

namespace lanesort::inline v0_1::detail {

Discovery discover_cuda() {
    Discovery discovery;
    for (const std::string& absence : {cu::driver().absence, cu::compiler().absence})
        if (!absence.empty()) {
            discovery.absences.push_back(fmt::format("CUDA cannot be used: {}", absence));
            return discovery;
        }
    discovery.platforms.push_back("NVIDIA CUDA driver");
    try {
        int count = 0;
        LANESORT_CU(cuDeviceGetCount, &count);
        for (int number = 0; number < count; ++number)
            discovery.devices.emplace_back(std::make_shared<cu::CudaDevice>(cu::device_of_number(number)));
    } catch (const Error& error) {
        discovery.absences.push_back(fmt::format("CUDA cannot be used: {}", error.what()));
    }
    return discovery;
}

}  // namespace lanesort::inline v0_1::detail
