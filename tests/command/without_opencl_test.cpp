// A machine without libOpenCL and without a device of CUDA's: what the library, C and the command say of it.
#include <algorithm>

#include <lanesort/lanesort.h>
#include <lanesort/opencl.hpp>

#include "command_support.hpp"
#include "error_support.hpp"

namespace lanesort::test {
namespace {

constexpr const char* why = "OpenCL cannot be used: libOpenCL.so.1 is not installed";

/// A caller's own handles, which nothing may look at.
const cl_context context = reinterpret_cast<cl_context>(1);
const cl_device_id device = reinterpret_cast<cl_device_id>(1);

TEST_CASE("without libOpenCL: the library finds no device and says why") {
    const Discovery found = discover();
    CHECK(found.platforms.empty());
    CHECK(found.devices.empty());
    CHECK(std::ranges::count(found.absences, why) == 1);
    for (const Error& error :
         {error_of([] { find_device(); }), error_of([] { opencl::make_sorter(context, device); })}) {
        CHECK(error.code() == ErrorCode::no_platform);
        check_mentions(error, {why});
    }
}

TEST_CASE("without libOpenCL: C has a status and the same sentence") {
    lanesort_sorter* sorter = nullptr;
    CHECK(lanesort_create(&sorter, nullptr, nullptr) == LANESORT_NO_PLATFORM);
    CHECK(contains(lanesort_last_error(), why));
    CHECK(lanesort_opencl_create(&sorter, context, device, nullptr) == LANESORT_NO_PLATFORM);
    CHECK(contains(lanesort_last_error(), why));
    CHECK(sorter == nullptr);
}

TEST_CASE("without libOpenCL: the command sorts what needs no device, and else says why it cannot") {
    const Scene scene;
    CHECK(scene.run({"devices", "--format", "json"}).out == "[]\n");
    CHECK(scene.run({"plan", "--count", "1000"}).status == 0);
    const Words sort = {"sort", "--type", "u8", scene.file("in", "zyxa"), scene.path("out")};
    CHECK(scene.run(sort).status == 0);
    CHECK(read_file(scene.path("out")) == "axyz");
    Words on_device = sort;
    on_device.insert(on_device.end(), {"--device", "0"});
    require_refused(scene.run(on_device), why, 1);

    const Result doctor = scene.run({"doctor"});
    CHECK(doctor.status == 1);
    CHECK(contains(doctor.out, std::string("warning  OpenCL           ") + why));
    CHECK(contains(doctor.out, "-> install OpenCL's loader (Debian: ocl-icd-libopencl1)"));
    CHECK(contains(doctor.out, "Devices that sort right: 0 of 0"));
}

}  // namespace
}  // namespace lanesort::test
