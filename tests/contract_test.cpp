// The contract of enqueue_sort: order, events, memory, independence.
#include <chrono>
#include <thread>

#include "created_buffers.hpp"
#include "device_support.hpp"

namespace lanesort::test {
namespace {

bool runs_out_of_order(const TestDevice& device) {
    return device.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

cl::CommandQueue out_of_order_queue(const TestDevice& device) {
    return cl::CommandQueue(device.context, device.device,
                            cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE});
}

/// In-order and, where the device has them, out-of-order.
std::vector<cl::CommandQueue> queues(const TestDevice& device) {
    std::vector<cl::CommandQueue> both{device.queue};
    if (runs_out_of_order(device)) both.push_back(out_of_order_queue(device));
    return both;
}

bool is_complete(const cl::Event& event) { return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE; }

cl::Event sort_after(const std::vector<cl::Event>& waits, Sorter& sorter, const cl::CommandQueue& queue,
                     const opencl::KeyRange& keys) {
    std::vector<cl_event> handles;
    for (const cl::Event& wait : waits) handles.push_back(wait());
    cl_event event = nullptr;
    opencl::enqueue_sort(sorter, queue(), keys, handles, &event);
    REQUIRE(event != nullptr);
    return cl::Event(event);
}

TEST_CASE("contract: waits for the wait list, also with 0 and 1 keys") {
    Random random(seed());
    for (TestDevice& device : test_devices())
        for (const cl::CommandQueue& queue : queues(device))
            for (const std::size_t count : {0, 1, 30000}) {
                CAPTURE(device.info.name);
                CAPTURE(count);
                const auto keys = random_keys<std::uint32_t>(count, random);
                const cl::Buffer buffer = buffer_of(device, keys);
                const cl::UserEvent gate(device.context), other_gate(device.context);
                const cl::Event end = sort_after({gate, other_gate}, device.sorter(), queue, {buffer(), 0, count});
                queue.flush();
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                CHECK(!is_complete(end));
                cl::UserEvent(other_gate).setStatus(CL_COMPLETE);
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                CHECK(!is_complete(end));
                cl::UserEvent(gate).setStatus(CL_COMPLETE);
                end.wait();
                CHECK(is_complete(end));
                require_same_bytes(read<std::uint32_t>(queue, buffer, count), sorted(keys, Order::ascending));
            }
}

TEST_CASE("contract: sorts what another queue's awaited command wrote") {
    Random random(seed());
    for (TestDevice& device : test_devices())
        for (const cl::CommandQueue& queue : queues(device)) {
            CAPTURE(device.info.name);
            const auto keys = random_keys<std::uint32_t>(50000, random);
            const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(keys.size()));
            const cl::CommandQueue writer(device.context, device.device);
            const cl::UserEvent gate(device.context);
            const std::vector<cl::Event> gates{gate};
            cl::Event written;
            writer.enqueueWriteBuffer(buffer, CL_FALSE, 0, keys.size() * sizeof keys[0], keys.data(), &gates, &written);
            writer.flush();
            const cl::Event end = sort_after({written}, device.sorter(), queue, {buffer(), 0, keys.size()});
            queue.flush();
            cl::UserEvent(gate).setStatus(CL_COMPLETE);
            end.wait();
            require_same_bytes(read<std::uint32_t>(queue, buffer, keys.size()), sorted(keys, Order::ascending));
        }
}

TEST_CASE("contract: an in-order queue sorts between the write before and the read behind") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const auto keys = random_keys<std::uint32_t>(100003, random);
        const std::size_t bytes = keys.size() * sizeof keys[0];
        const cl::Buffer buffer(device.context, CL_MEM_READ_WRITE, bytes);
        std::vector<std::uint32_t> result(keys.size());
        device.queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes, keys.data());
        opencl::enqueue_sort(device.sorter(), device.queue(), {buffer(), 0, keys.size()});
        device.queue.enqueueReadBuffer(buffer, CL_FALSE, 0, bytes, result.data());
        device.queue.finish();
        require_same_bytes(result, sorted(keys, Order::ascending));
    }
}

TEST_CASE("contract: an out-of-order queue keeps the passes of a sort in order, and sorts apart") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        if (!runs_out_of_order(device)) continue;
        CAPTURE(device.info.name);
        const cl::CommandQueue queue = out_of_order_queue(device);
        constexpr std::size_t count = 40001;
        const auto keys = random_keys<std::uint32_t>(2 * count, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        Sorter& sorter = device.sorter(device.variants(4).back().shape);
        const std::vector<cl::Event> ends{
            sort_after({}, sorter, queue, {buffer(), 0, count}),
            sort_after({}, sorter, queue, {buffer(), count, count, KeyType::u32, Order::descending})};
        std::vector<std::uint32_t> result(keys.size()), expected;
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, keys.size() * sizeof keys[0], result.data(), &ends);
        expected = sorted(std::vector(keys.begin(), keys.begin() + count), Order::ascending);
        const auto second = sorted(std::vector(keys.begin() + count, keys.end()), Order::descending);
        expected.insert(expected.end(), second.begin(), second.end());
        require_same_bytes(result, expected);
    }
}

TEST_CASE("contract: a device-side sort allocates no device memory") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const auto keys = random_keys<std::uint32_t>(200001, random);
        const cl::Buffer buffer = buffer_of(device, keys);
        Sorter sorter = device.new_sorter();
        const CreatedBuffers before = created_buffers();
        const SortReport report = opencl::enqueue_sort(sorter, device.queue(), {buffer(), 0, keys.size()});
        device.queue.finish();
        CHECK(created_buffers().number == before.number);
        CHECK(report.device_bytes == 0);
        require_same_bytes(read<std::uint32_t>(device.queue, buffer, keys.size()), sorted(keys, Order::ascending));
    }
}

TEST_CASE("contract: a sort of a host range takes at most one buffer of its size") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        auto keys = random_keys<std::uint32_t>(200001, random);
        Sorter& sorter = device.sorter();
        const CreatedBuffers before = created_buffers();
        sorter.sort(std::span(keys));
        CHECK(created_buffers().number - before.number <= 1);
        CHECK(created_buffers().bytes - before.bytes <= keys.size() * sizeof keys[0]);
    }
}

TEST_CASE("contract: sorters in two threads are independent") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const auto keys = random_keys<std::uint32_t>(60000, random);
        std::vector<std::uint32_t> results[2];
        std::string failures[2];
        const auto sort_repeatedly = [&](std::size_t number) {
            try {
                Sorter sorter = device.new_sorter();
                const cl::CommandQueue queue(device.context, device.device);
                for (int repetition = 0; repetition < 10; ++repetition) {
                    const cl::Buffer buffer = buffer_of(device, keys);
                    opencl::enqueue_sort(sorter, queue(),
                                         {buffer(), 0, keys.size(), KeyType::u32, both_orders[number]});
                    results[number] = read<std::uint32_t>(queue, buffer, keys.size());
                }
            } catch (const std::exception& failure) {
                failures[number] = failure.what();
            }
        };
        std::thread first(sort_repeatedly, 0), second(sort_repeatedly, 1);
        first.join();
        second.join();
        for (const std::size_t number : {0, 1}) {
            REQUIRE(failures[number] == "");
            require_same_bytes(results[number], sorted(keys, both_orders[number]));
        }
    }
}

TEST_CASE("contract: a sorter can be moved") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        const auto keys = random_keys<std::uint32_t>(3000, random);
        Sorter original = device.new_sorter();
        original.prepare(KeyType::u32);
        Sorter moved = std::move(original);
        check_sort(device, moved, keys, Order::ascending);
        Sorter assigned = device.new_sorter();
        assigned = std::move(moved);
        check_sort(device, assigned, keys, Order::descending);
    }
}

TEST_CASE("contract: sorters of two contexts of one device live side by side") {
    Random random(seed());
    for (TestDevice& device : test_devices()) {
        CAPTURE(device.info.name);
        TestDevice second(device.device);
        const auto keys = random_keys<std::uint32_t>(3000, random);
        check_sort(second, second.sorter(), keys, Order::ascending);
        check_sort(device, device.sorter(), keys, Order::ascending);
        check_sort(second, second.sorter(), keys, Order::descending);
    }
}

TEST_CASE("contract: an event that is not asked for is not needed, nor is a wait list") {
    for (TestDevice& device : test_devices())
        for (const std::size_t count : {0, 1, 100}) {
            CAPTURE(device.info.name);
            const cl::Buffer buffer = buffer_of(device, std::vector<std::uint32_t>(count, 7));
            CHECK(opencl::enqueue_sort(device.sorter(), device.queue(), {buffer(), 0, count}).launches == (count > 1));
            device.queue.finish();
        }
}

}  // namespace
}  // namespace lanesort::test
