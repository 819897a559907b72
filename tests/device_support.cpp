#include "device_support.hpp"

#include <cstdio>

#include "fit.hpp"
#include "host/opencl/platform.hpp"

namespace lanesort::test {
namespace {

std::list<TestDevice> open_all() {
    std::list<TestDevice> opened;
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
        for (const cl::Device& device : devices) {
            if (!device.getInfo<CL_DEVICE_AVAILABLE>() || !device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) continue;
            const TestDevice& test_device = opened.emplace_back(device);
            std::printf("device: %s (%s)\n", test_device.info.name.c_str(), test_device.info.platform.c_str());
        }
    }
    return opened;
}

}  // namespace

TestDevice::TestDevice(const cl::Device& opened)
    : device(opened), context(opened), queue(context, opened), info(opencl::describe(opened)) {}

Sorter TestDevice::new_sorter(std::optional<Shape> shape) const {
    SorterOptions options;
    options.shape = shape;
    return opencl::make_sorter(context(), device(), options);
}

Sorter& TestDevice::shared_sorter(const std::optional<Shape>& shape) {
    for (auto& [known, sorter] : sorters_)
        if (known == shape) return sorter;
    return sorters_.emplace_back(shape, new_sorter(shape)).second;
}

std::vector<Variant> TestDevice::variants(std::size_t key_bytes, unsigned work_items) const {
    return statistics_variants(key_bytes, std::min<std::size_t>(info.local_bytes, 32768),
                               std::min(info.max_work_items, work_items));
}

bool TestDevice::can_run(const Shape& shape, std::size_t key_bytes) const {
    return fit(shape, key_bytes, info) == shape;
}

std::list<TestDevice>& test_devices() {
    static std::list<TestDevice> devices = open_all();
    if (devices.empty()) {
        ++skipped_device_cases();
        const char* const required = std::getenv("LANESORT_REQUIRE_DEVICE");
        if (required && std::string(required) == "1") FAIL("no OpenCL device, but LANESORT_REQUIRE_DEVICE is 1");
        MESSAGE("skipped: no OpenCL device");
    }
    return devices;
}

Error error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no error was thrown");
    std::abort();  // FAIL throws
}

void check_mentions(const Error& error, const std::vector<std::string>& parts) {
    const std::string sentence = error.what();
    for (const std::string& part : parts) {
        CAPTURE(sentence);
        CAPTURE(part);
        CHECK(sentence.find(part) != std::string::npos);
    }
}

}  // namespace lanesort::test
