// SPDX-License-Identifier: MIT
// A machine without libOpenCL and without a device of CUDA's: the built-in device sorts, and the others are told about.
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

TEST_CASE("without libOpenCL: the library has the built-in device, and says why there is no other") {
    const Discovery found = discover();
    CHECK(found.platforms == std::vector<std::string>{"built-in"});
    CHECK(found.devices.size() == 1);
    CHECK(std::ranges::count(found.absences, why) == 1);
    std::vector<float> numbers = {3, 1, 2};
    Sorter(find_device()).sort(numbers);
    CHECK(numbers == std::vector<float>{1, 2, 3});
    const Error none = error_of([] { find_device("compiling"); });
    CHECK(none.code() == ErrorCode::no_device);
    check_mentions(none, {why});
    const Error no_loader = error_of([] { opencl::make_sorter(context, device); });
    CHECK(no_loader.code() == ErrorCode::no_platform);
    check_mentions(no_loader, {why});
}

TEST_CASE("without libOpenCL: C sorts, and has a status and the same sentence") {
    lanesort_sorter* sorter = nullptr;
    CHECK(lanesort_opencl_create(&sorter, context, device, nullptr) == LANESORT_NO_PLATFORM);
    CHECK(contains(lanesort_last_error(), why));
    CHECK(sorter == nullptr);
    CHECK(lanesort_create(&sorter, nullptr, nullptr) == LANESORT_SUCCESS);
    lanesort_destroy(sorter);
}

TEST_CASE("without libOpenCL: the command sorts, and says why other devices are not there") {
    const Scene scene;
    CHECK(contains(scene.run({"devices", "--format", "json"}).out, "built-in"));
    CHECK(scene.run({"plan", "--count", "1000"}).status == 0);
    const Words sort = {"sort", "--type", "u8", scene.file("in", "zyxa"), scene.path("out")};
    CHECK(scene.run(sort).status == 0);
    CHECK(read_file(scene.path("out")) == "axyz");
    Words with_shape = sort;
    with_shape.insert(with_shape.end(), {"--device", "compiling"});
    require_refused(scene.run(with_shape), why, 1);

    const Result doctor = scene.run({"doctor"});
    CHECK(doctor.status == 0);
    CHECK(contains(doctor.out, std::string("warning  OpenCL           ") + why));
    CHECK(contains(doctor.out, "-> install OpenCL's loader (Debian: ocl-icd-libopencl1)"));
    CHECK(contains(doctor.out, "Devices that sort right: 1 of 1"));
}

}  // namespace
}  // namespace lanesort::test
