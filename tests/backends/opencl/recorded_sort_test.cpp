// SPDX-License-Identifier: MIT
// Recorded sorts on a caller's OpenCL queue: order, events, memory, errors.
#include "created_buffers.hpp"
#include "error_support.hpp"
#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("recorded sort: gives an event of its end, and its replays allocate no device memory") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(100003, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        opencl::Recorded recorded = record(target, target.sorter(), target.queue,
                                           sort(opencl::KeyRange{buffer(), 0, keys.size(), KeyType::u32}));
        const CreatedBuffers before = created_buffers();
        for (int repetition = 0; repetition < 2; ++repetition) {
            cl_event event = nullptr;
            recorded.enqueue({}, &event);
            REQUIRE(event != nullptr);
            cl::Event(event).wait();
        }
        CHECK(created_buffers().number == before.number);
        require_same_bytes(read<std::uint32_t>(target.queue, buffer, keys.size()), sorted(keys, Order::ascending));
    }
}

TEST_CASE("recorded sort: waits for the wait list, also with 0 and 1 keys") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices())
        for (const std::size_t count : {0, 1, 20000}) {
            CAPTURE(target.name);
            CAPTURE(count);
            const auto keys = random_keys<std::uint32_t>(count, random);
            const cl::Buffer buffer = buffer_of(target, keys);
            opencl::Recorded recorded =
                record(target, target.sorter(), target.queue, sort(opencl::KeyRange{buffer(), 0, count, KeyType::u32}));
            cl::UserEvent gate(target.context);
            const cl_event waits[] = {gate()};
            cl_event event = nullptr;
            recorded.enqueue(waits, &event);
            REQUIRE(event != nullptr);
            const cl::Event end(event);
            target.queue.flush();
            CHECK(end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
            gate.setStatus(CL_COMPLETE);
            end.wait();
            require_same_bytes(read<std::uint32_t>(target.queue, buffer, count), sorted(keys, Order::ascending));
        }
}

TEST_CASE("recorded sort: out-of-order queues") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto queue = out_of_order_queue(target);
        if (!queue) continue;
        const auto keys = random_keys<std::uint32_t>(60000, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        Sorter& sorter = target.sorter(target.variants(4).back().shape);
        opencl::Recorded recorded =
            record(target, sorter, *queue, sort(opencl::KeyRange{buffer(), 0, keys.size(), KeyType::u32}));
        cl_event event = nullptr;
        recorded.enqueue({}, &event);
        cl::Event(event).wait();
        require_same_bytes(read<std::uint32_t>(*queue, buffer, keys.size()), sorted(keys, Order::ascending));
    }
}

TEST_CASE("recorded sort: calls with copies are enqueued command by command, the others replayed where sorts are") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(1000, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        const cl::Buffer others(target.context, CL_MEM_READ_WRITE, keys.size() * 4);
        const opencl::KeyRange range{buffer(), 0, keys.size(), KeyType::u32};
        const auto is_replayed = [&](const opencl::Call& call) {
            return opencl::Recorded(target.sorter(), target.queue(), call).is_replayed();
        };
        CHECK(!is_replayed(unique(range, opencl::ValueRange{others()})));  // in place
        CHECK(is_replayed(argsort(range, {others(), 0, 4})) == is_replayed(sort(range)));
        CHECK(is_replayed(top_k(range, 1, {others()})) == is_replayed(sort(range)));
    }
}

TEST_CASE("recorded sort: refuses what enqueue() refuses") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(100));
        const auto code = [&](cl_command_queue queue, const opencl::KeyRange& keys) {
            return error_of([&] { opencl::Recorded(sorter, queue, sort(keys)); }).code();
        };
        CHECK(code(target.queue(), {buffer(), 1, 100, KeyType::u32}) == ErrorCode::out_of_range);
        CHECK(code(nullptr, {buffer(), 0, 100, KeyType::u32}) == ErrorCode::invalid_argument);
        const cl::Context other(target.device);
        CHECK(code(cl::CommandQueue(other, target.device)(), {buffer(), 0, 100, KeyType::u32}) ==
              ErrorCode::wrong_context);

        opencl::Recorded recorded =
            record(target, sorter, target.queue, sort(opencl::KeyRange{buffer(), 0, 100, KeyType::u32}));
        const cl_event no_event[] = {nullptr};
        CHECK(error_of([&] { recorded.enqueue(no_event); }).code() == ErrorCode::invalid_argument);
        opencl::Recorded moved = std::move(recorded);
        CHECK_NOTHROW(moved.enqueue());
        target.queue.finish();
    }
}

}  // namespace
}  // namespace lanesort::test
