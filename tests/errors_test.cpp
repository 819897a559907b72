// What a caller can get wrong: each is told in a sentence, and the sorter sorts as before.
#include <cstdlib>
#include <fstream>

#include "device_support.hpp"
#include "kernel_source.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

/// A sorter that has seen an error sorts nevertheless.
void check_still_sorts(TestDevice& device, Sorter& sorter) {
    Random random(seed());
    check_sort(device, sorter, random_keys<std::uint32_t>(3001, random), Order::ascending, 1);
}

/// enqueue_sort throws that error with these parts in its sentence, and the sorter is none the worse for it.
void check_refused(TestDevice& device, ErrorCode code, const std::vector<std::string>& parts,
                   const cl_command_queue queue, const opencl::KeyRange& keys,
                   const std::vector<cl_event>& wait_list = {}) {
    Sorter& sorter = device.sorter();
    const Error error = error_of([&] { opencl::enqueue_sort(sorter, queue, keys, wait_list); });
    CHECK(error.code() == code);
    check_mentions(error, parts);
    check_still_sorts(device, sorter);
}

TEST_CASE("errors: a range that reaches past the end of the buffer") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(100));
        const auto refused = [&](std::size_t offset, std::size_t count) {
            check_refused(device, ErrorCode::out_of_range, {std::to_string(offset), std::to_string(count), "100"},
                          device.queue(), {buffer(), offset, count});
        };
        refused(0, 101);
        refused(101, 0);
        refused(60, 41);
        refused(50, ~std::size_t{0} - 10);  // their sum wraps round
        refused(~std::size_t{0}, 1);
        refused(0, std::size_t{1} << 62);  // so does the number of bytes
        check_refused(device, ErrorCode::out_of_range, {"51", "50"}, device.queue(), {buffer(), 0, 51, KeyType::u64});
        CHECK_NOTHROW(opencl::enqueue_sort(device.sorter(), device.queue(), {buffer(), 100, 0}));
        device.queue.finish();
    }
}

TEST_CASE("errors: a read-only buffer") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const cl::Buffer buffer(device.context, CL_MEM_READ_ONLY, 400);
        check_refused(device, ErrorCode::not_writable, {"read-only"}, device.queue(), {buffer(), 0, 100});
    }
}

TEST_CASE("errors: a queue, a buffer and an event of another context") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const cl::Context other(device.device);
        const cl::CommandQueue other_queue(other, device.device);
        const cl::Buffer other_buffer(other, CL_MEM_READ_WRITE, 400);
        cl::UserEvent other_event(other);
        const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(100));
        check_refused(device, ErrorCode::wrong_context, {"queue", "context"}, other_queue(), {buffer(), 0, 100});
        check_refused(device, ErrorCode::wrong_context, {"buffer", "context"}, device.queue(),
                      {other_buffer(), 0, 100});
        check_refused(device, ErrorCode::wrong_context, {"event", "context"}, device.queue(), {buffer(), 0, 100},
                      {other_event()});
        other_event.setStatus(CL_COMPLETE);
    }
}

TEST_CASE("errors: no queue, no buffer, no event") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(100));
        check_refused(device, ErrorCode::invalid_argument, {"queue", "null"}, nullptr, {buffer(), 0, 100});
        check_refused(device, ErrorCode::invalid_argument, {"buffer", "null"}, device.queue(), {nullptr, 0, 100});
        check_refused(device, ErrorCode::invalid_argument, {"event", "null"}, device.queue(), {buffer(), 0, 100},
                      {nullptr});
    }
}

TEST_CASE("errors: three in a row leave the sorter and the keys as they were") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        Sorter& sorter = device.sorter();
        const auto keys = random_keys<std::uint32_t>(100, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        const cl::Buffer read_only(device.context, CL_MEM_READ_ONLY, 400);
        const auto enqueue = [&](const opencl::KeyRange& range) {
            return error_of([&] { opencl::enqueue_sort(sorter, device.queue(), range); }).code();
        };
        CHECK(enqueue({buffer(), 0, 101}) == ErrorCode::out_of_range);
        CHECK(enqueue({read_only(), 0, 100}) == ErrorCode::not_writable);
        CHECK(enqueue({nullptr, 0, 100}) == ErrorCode::invalid_argument);
        require_same_bytes(read<std::uint32_t>(device.queue, buffer, keys.size()), keys);
        check_still_sorts(device, sorter);
    }
}

TEST_CASE("errors: a sorter for a device that its context does not have, or for nothing") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        CHECK(error_of([&] { opencl::make_sorter(nullptr, device.device()); }).code() == ErrorCode::invalid_argument);
        CHECK(error_of([&] { opencl::make_sorter(device.context(), nullptr); }).code() == ErrorCode::invalid_argument);
        for (TestDevice& other : test_devices()) {
            if (&other == &device) continue;
            CHECK(error_of([&] { opencl::make_sorter(device.context(), other.device()); }).code() ==
                  ErrorCode::wrong_context);
        }
    }
}

TEST_CASE("errors: more keys in host memory than the device can allocate, found before they are touched") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        Sorter& sorter = device.sorter();
        const std::uint64_t limit = device.info.max_allocation_bytes;
        std::uint64_t key = 42;  // far fewer than the count says
        for (const std::uint64_t count :
             {limit / sizeof key + 1, ~std::uint64_t{0}, ~std::uint64_t{0} / sizeof key + 2}) {
            const Error error = error_of([&] { sorter.sort(&key, count, KeyType::u64); });
            CHECK(error.code() == ErrorCode::too_large);
            check_mentions(error, {std::to_string(count), std::to_string(limit)});
        }
        CHECK(key == 42);
        check_still_sorts(device, sorter);
    }
}

TEST_CASE("errors: a shape that cannot be, or that the device cannot run") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const Error impossible = error_of([&] { device.new_sorter(Shape{.lanes = 3}); });
        CHECK(impossible.code() == ErrorCode::invalid_argument);
        check_mentions(impossible, {"lanes", "3"});

        const auto unsupported = [&](const Shape& shape, const std::vector<std::string>& parts) {
            const Error error = error_of([&] { device.new_sorter(shape).prepare(KeyType::u64); });
            CHECK(error.code() == ErrorCode::unsupported);
            check_mentions(error, parts);
        };
        if (device.info.max_work_items < 4096)
            unsupported({.work_items = 4096}, {"4096", std::to_string(device.info.max_work_items)});
        Shape tile_too_large{.vectors = 16,
                             .work_items = std::bit_floor(std::min(device.info.max_work_items, 4096u)),
                             .register_vectors = 32};
        while (tile_too_large.lanes < 16 && tile_too_large.local_bytes(8) <= device.info.local_bytes)
            tile_too_large.lanes *= 2;
        if (tile_too_large.tile_keys() <= 1 << 20 && tile_too_large.local_bytes(8) > device.info.local_bytes)
            unsupported(tile_too_large,
                        {std::to_string(tile_too_large.local_bytes(8)), std::to_string(device.info.local_bytes)});
    }
}

TEST_CASE("errors: an unknown device, answered with those that there are") {
    if (test_devices().empty()) return;
    for (const std::string selector : {"no such device", "4711"}) {
        const Error error = error_of([&] { find_device(selector); });
        CHECK(error.code() == ErrorCode::unknown_device);
        check_mentions(error, {selector, test_devices().front().info.name});
    }
}

TEST_CASE("errors: a kernel that does not build, with the compiler's log") {
    const Shape in_local = small_shapes().front(), in_cache = small_shapes().back();
    for (TestDevice& device : test_devices())
        for (const auto& [file, shape] : {std::pair<std::string, Shape>{"tile_in_local.cl", in_local},
                                          std::pair<std::string, Shape>{"tile_in_cache.cl", in_cache}}) {
            if (!device.can_run(shape, 4)) continue;
            CAPTURE(device.info.name);
            CAPTURE(file);
            Sorter sorter = device.new_sorter(shape);
            {
                const TemporaryFolder folder;
                for (const auto& kernel : lanesort::detail::embedded_kernels()) {
                    std::ofstream copy(folder.path() / kernel.name);
                    copy << kernel.text;
                    if (kernel.name == file) copy << "no_such_type nothing;\n";
                }
                const ScopedVariable variable("LANESORT_KERNEL_DIR", folder.path().string());
                const auto check_build_error = [&](const std::function<void()>& call) {
                    const Error error = error_of(call);
                    CHECK(error.code() == ErrorCode::build_failed);
                    CHECK(!error.call().empty());
                    CHECK(error.status() != 0);
                    check_mentions(error, {file});
                    CHECK(error.build_log().find("no_such_type") != std::string::npos);
                };
                std::vector<std::uint32_t> keys{2, 1};
                const cl::Buffer buffer = buffer_of(device, keys);
                check_build_error([&] { sorter.prepare(KeyType::u32); });
                check_build_error([&] { sorter.sort(std::span(keys)); });
                check_build_error([&] { opencl::enqueue_sort(sorter, device.queue(), {buffer(), 0, 2}); });
                CHECK(keys == std::vector<std::uint32_t>{2, 1});
                CHECK(read<std::uint32_t>(device.queue, buffer, 2) == keys);
            }
            check_still_sorts(device, sorter);
        }
}

// Run by the case below, in a process that finds no platform.
TEST_CASE("child: no OpenCL platform" * doctest::skip()) {
    if (!devices().empty()) return;  // those of another backend
    const Error error = error_of([] { find_device(); });
    CHECK(error.code() == ErrorCode::no_platform);
    check_mentions(error, {"OpenCL", "install"});
    CHECK(error_of([] { find_device("pocl"); }).code() == ErrorCode::no_platform);
}

TEST_CASE("errors: no OpenCL platform") {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string child =
        "OCL_ICD_VENDORS=/nonexistent '" + self + "' --no-skip --test-case='child: no OpenCL platform'";
    CHECK(std::system((child + " >/dev/null 2>&1").c_str()) == 0);
}

}  // namespace
}  // namespace lanesort::test
