// SPDX-License-Identifier: MIT
// What a caller with an OpenCL queue can get wrong: each is told in a sentence, and the sorter sorts as before.
#include <cstdlib>

#include "error_support.hpp"
#include "opencl_target.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// A sort throws that error with these parts in its sentence, and the sorter is none the worse for it.
void check_refused(OpenClTarget& target, ErrorCode code, const std::vector<std::string>& parts,
                   const cl_command_queue queue, const opencl::KeyRange& keys,
                   const std::vector<cl_event>& wait_list = {}) {
    Sorter& sorter = target.sorter();
    const Error error = error_of([&] { opencl::enqueue(sorter, queue, sort(keys), wait_list); });
    CHECK(error.code() == code);
    check_mentions(error, parts);
    check_still_sorts(target, sorter);
}

TEST_CASE("errors: a range that reaches past the end of the buffer") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(100));
        const auto refused = [&](std::size_t offset, std::size_t count) {
            check_refused(target, ErrorCode::out_of_range, {std::to_string(offset), std::to_string(count), "100"},
                          target.queue(), {buffer(), offset, count, KeyType::u32});
        };
        refused(0, 101);
        refused(101, 0);
        refused(60, 41);
        refused(50, ~std::size_t{0} - 10);  // their sum wraps round
        refused(~std::size_t{0}, 1);
        refused(0, std::size_t{1} << 62);  // so does the number of bytes
        check_refused(target, ErrorCode::out_of_range, {"51", "50"}, target.queue(), {buffer(), 0, 51, KeyType::u64});
        CHECK_NOTHROW(
            opencl::enqueue(target.sorter(), target.queue(), sort(opencl::KeyRange{buffer(), 100, 0, KeyType::u32})));
        target.queue.finish();
    }
}

TEST_CASE("errors: so many segments that their offsets reach past the end of the buffer, or are none") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const cl::Buffer keys = buffer_of(target, std::vector<std::uint32_t>(100));
        const cl::Buffer offsets = buffer_of(target, std::vector<std::uint32_t>{0, 50, 100});
        const auto refused = [&](ErrorCode code, std::size_t segments) {
            check_refused(
                target, code, {std::to_string(code == ErrorCode::out_of_range ? segments + 1 : segments)},
                target.queue(),
                {.memory = keys(), .count = 100, .type = KeyType::u32, .segments = {offsets(), 0, segments, 50, 4}});
        };
        refused(ErrorCode::out_of_range, 3);
        refused(ErrorCode::out_of_range, ~std::size_t{0} - 1);
        refused(ErrorCode::invalid_argument, ~std::size_t{0});  // one more wraps round
    }
}

TEST_CASE("errors: a read-only buffer") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const cl::Buffer buffer(target.context, CL_MEM_READ_ONLY, 400);
        check_refused(target, ErrorCode::not_writable, {"read-only"}, target.queue(), {buffer(), 0, 100, KeyType::u32});
    }
}

TEST_CASE("errors: a queue, a buffer and an event of another context") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const cl::Context other(target.device);
        const cl::CommandQueue other_queue(other, target.device);
        const cl::Buffer other_buffer(other, CL_MEM_READ_WRITE, 400);
        cl::UserEvent other_event(other);
        const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(100));
        check_refused(target, ErrorCode::wrong_context, {"queue", "context"}, other_queue(),
                      {buffer(), 0, 100, KeyType::u32});
        check_refused(target, ErrorCode::wrong_context, {"buffer", "context"}, target.queue(),
                      {other_buffer(), 0, 100, KeyType::u32});
        check_refused(target, ErrorCode::wrong_context, {"event", "context"}, target.queue(),
                      {buffer(), 0, 100, KeyType::u32}, {other_event()});
        other_event.setStatus(CL_COMPLETE);
    }
}

TEST_CASE("errors: no queue, no buffer, no event") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(100));
        check_refused(target, ErrorCode::invalid_argument, {"queue", "null"}, nullptr,
                      {buffer(), 0, 100, KeyType::u32});
        check_refused(target, ErrorCode::invalid_argument, {"buffer", "null"}, target.queue(),
                      {nullptr, 0, 100, KeyType::u32});
        check_refused(target, ErrorCode::invalid_argument, {"event", "null"}, target.queue(),
                      {buffer(), 0, 100, KeyType::u32}, {nullptr});
    }
}

TEST_CASE("errors: three in a row leave the sorter and the keys as they were") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const auto keys = random_keys<std::uint32_t>(100, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        const cl::Buffer read_only(target.context, CL_MEM_READ_ONLY, 400);
        const auto enqueue = [&](const opencl::KeyRange& range) {
            return error_of([&] { opencl::enqueue(sorter, target.queue(), sort(range)); }).code();
        };
        CHECK(enqueue({buffer(), 0, 101, KeyType::u32}) == ErrorCode::out_of_range);
        CHECK(enqueue({read_only(), 0, 100, KeyType::u32}) == ErrorCode::not_writable);
        CHECK(enqueue({nullptr, 0, 100, KeyType::u32}) == ErrorCode::invalid_argument);
        require_same_bytes(read<std::uint32_t>(target.queue, buffer, keys.size()), keys);
        check_still_sorts(target, sorter);
    }
}

TEST_CASE("errors: a sorter for a device that its context does not have, or for nothing") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        CHECK(error_of([&] { opencl::make_sorter(nullptr, target.device()); }).code() == ErrorCode::invalid_argument);
        CHECK(error_of([&] { opencl::make_sorter(target.context(), nullptr); }).code() == ErrorCode::invalid_argument);
        for (OpenClTarget& other : opencl_devices()) {
            if (&other == &target) continue;
            CHECK(error_of([&] { opencl::make_sorter(target.context(), other.device()); }).code() ==
                  ErrorCode::wrong_context);
        }
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
