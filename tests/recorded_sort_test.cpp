// Sorts that are recorded once and enqueued many times.
#include "created_buffers.hpp"
#include "device_support.hpp"

namespace lanesort::test {
namespace {

void write(const cl::CommandQueue& queue, const cl::Buffer& buffer, const std::vector<std::uint32_t>& keys) {
    queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, keys.size() * sizeof keys[0], keys.data());
}

TEST_CASE("recorded sort: sorts the present keys each time") {
    Random random(seed());
    for (TestDevice& device : test_devices())
        for (const std::size_t count : {2, 1000, 100003}) {
            CAPTURE(device.info.name);
            CAPTURE(count);
            const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(count));
            opencl::RecordedSort recorded(device.sorter(), device.queue(), {buffer(), 0, count});
            const CreatedBuffers before = created_buffers();
            for (int repetition = 0; repetition < 3; ++repetition) {
                const auto keys = random_keys<std::uint32_t>(count, random);
                write(device.queue, buffer, keys);
                cl_event event = nullptr;
                const SortReport report = recorded.enqueue({}, &event);
                REQUIRE(event != nullptr);
                cl::Event(event).wait();
                CHECK(report.launches == device.sorter().plan(count, KeyType::u32).passes.size());
                require_same_bytes(read<std::uint32_t>(device.queue, buffer, count), sorted(keys, Order::ascending));
            }
            CHECK(created_buffers().number == before.number);
        }
}

TEST_CASE("recorded sort: sorters may sort otherwise between two replays") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        Sorter& sorter = device.sorter();
        const auto keys = random_keys<std::uint32_t>(5000, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        opencl::RecordedSort recorded(sorter, device.queue(), {buffer(), 100, 4000, KeyType::i32, Order::descending});
        check_sort(device, sorter, random_keys<float>(777, random), Order::ascending, 3);
        std::vector<std::int32_t> expected(4000);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = key_of<std::int32_t>(keys[100 + i]);
        recorded.enqueue();
        device.queue.finish();
        require_same_bytes(read<std::int32_t>(device.queue, buffer, 4000, 100), sorted(expected, Order::descending));
        check_sort(device, sorter, random_keys<std::uint32_t>(333, random), Order::descending, 1);
    }
}

TEST_CASE("recorded sort: two enqueued without a pause run one after the other") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const auto keys = random_keys<std::uint32_t>(30000, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        opencl::RecordedSort up(device.sorter(), device.queue(), {buffer(), 0, keys.size()});
        opencl::RecordedSort down(device.sorter(), device.queue(),
                                  {buffer(), 0, keys.size(), KeyType::u32, Order::descending});
        for (int repetition = 0; repetition < 5; ++repetition) up.enqueue(), down.enqueue();
        require_same_bytes(read<std::uint32_t>(device.queue, buffer, keys.size()), sorted(keys, Order::descending));
    }
}

TEST_CASE("recorded sort: waits for the wait list, also with 0 and 1 keys") {
    Random random(seed());
    for (TestDevice& device : test_devices())
        for (const std::size_t count : {0, 1, 20000}) {
            CAPTURE(device.info.name);
            CAPTURE(count);
            const auto keys = random_keys<std::uint32_t>(count, random);
            const cl::Buffer buffer = buffer_of(device, keys);
            opencl::RecordedSort recorded(device.sorter(), device.queue(), {buffer(), 0, count});
            cl::UserEvent gate(device.context);
            const cl_event waits[] = {gate()};
            cl_event event = nullptr;
            recorded.enqueue(waits, &event);
            REQUIRE(event != nullptr);
            const cl::Event end(event);
            device.queue.flush();
            CHECK(end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
            gate.setStatus(CL_COMPLETE);
            end.wait();
            require_same_bytes(read<std::uint32_t>(device.queue, buffer, count), sorted(keys, Order::ascending));
        }
}

TEST_CASE("recorded sort: out-of-order queues") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        if (!(device.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) continue;
        const cl::CommandQueue queue(device.context, device.device,
                                     cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE});
        const auto keys = random_keys<std::uint32_t>(60000, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        opencl::RecordedSort recorded(device.sorter(device.variants(4).back().shape), queue(),
                                      {buffer(), 0, keys.size()});
        cl_event event = nullptr;
        recorded.enqueue({}, &event);
        cl::Event(event).wait();
        require_same_bytes(read<std::uint32_t>(queue, buffer, keys.size()), sorted(keys, Order::ascending));
    }
}

TEST_CASE("recorded sort: refuses what enqueue_sort refuses") {
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        Sorter& sorter = device.sorter();
        const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(100));
        const auto code = [&](cl_command_queue queue, const opencl::KeyRange& keys) {
            return error_of([&] { opencl::RecordedSort(sorter, queue, keys); }).code();
        };
        CHECK(code(device.queue(), {buffer(), 1, 100}) == ErrorCode::out_of_range);
        CHECK(code(nullptr, {buffer(), 0, 100}) == ErrorCode::invalid_argument);
        const cl::Context other(device.device);
        CHECK(code(cl::CommandQueue(other, device.device)(), {buffer(), 0, 100}) == ErrorCode::wrong_context);

        opencl::RecordedSort recorded(sorter, device.queue(), {buffer(), 0, 100});
        const cl_event no_event[] = {nullptr};
        CHECK(error_of([&] { recorded.enqueue(no_event); }).code() == ErrorCode::invalid_argument);
        opencl::RecordedSort moved = std::move(recorded);
        CHECK_NOTHROW(moved.enqueue());
        device.queue.finish();
    }
}

}  // namespace
}  // namespace lanesort::test
