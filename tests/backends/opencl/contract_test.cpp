// SPDX-License-Identifier: MIT
// The contract of enqueue() on a caller's OpenCL queue: order, events, memory, contexts.
#include <chrono>
#include <thread>

#include "created_buffers.hpp"
#include "opencl_target.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// In-order and, where the device has them, out-of-order.
std::vector<cl::CommandQueue> queues(const OpenClTarget& target) {
    std::vector<cl::CommandQueue> both{target.queue};
    if (const auto out_of_order = out_of_order_queue(target)) both.push_back(*out_of_order);
    return both;
}

bool is_complete(const cl::Event& event) { return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE; }

cl::Event sort_after(const std::vector<cl::Event>& waits, Sorter& sorter, const cl::CommandQueue& queue,
                     const opencl::KeyRange& keys) {
    std::vector<cl_event> handles;
    for (const cl::Event& wait : waits) handles.push_back(wait());
    cl_event event = nullptr;
    opencl::enqueue(sorter, queue(), sort(keys), handles, &event);
    REQUIRE(event != nullptr);
    return cl::Event(event);
}

TEST_CASE("contract: waits for the wait list, also with 0 and 1 keys") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices())
        for (const cl::CommandQueue& queue : queues(target))
            for (const std::size_t count : {0, 1, 30000}) {
                CAPTURE(target.name);
                CAPTURE(count);
                const auto keys = random_keys<std::uint32_t>(count, random);
                const cl::Buffer buffer = buffer_of(target, keys);
                const cl::UserEvent gate(target.context), other_gate(target.context);
                const cl::Event end =
                    sort_after({gate, other_gate}, target.sorter(), queue, {buffer(), 0, count, KeyType::u32});
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
    for (OpenClTarget& target : opencl_devices())
        for (const cl::CommandQueue& queue : queues(target)) {
            CAPTURE(target.name);
            const auto keys = random_keys<std::uint32_t>(50000, random);
            const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(keys.size()));
            const cl::CommandQueue writer(target.context, target.device);
            const cl::UserEvent gate(target.context);
            const std::vector<cl::Event> gates{gate};
            cl::Event written;
            writer.enqueueWriteBuffer(buffer, CL_FALSE, 0, keys.size() * sizeof keys[0], keys.data(), &gates, &written);
            writer.flush();
            const cl::Event end =
                sort_after({written}, target.sorter(), queue, {buffer(), 0, keys.size(), KeyType::u32});
            queue.flush();
            cl::UserEvent(gate).setStatus(CL_COMPLETE);
            end.wait();
            require_same_bytes(read<std::uint32_t>(queue, buffer, keys.size()), sorted(keys, Order::ascending));
        }
}

TEST_CASE("contract: an in-order queue sorts between the write before and the read behind") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(100003, random);
        const std::size_t bytes = keys.size() * sizeof keys[0];
        const cl::Buffer buffer(target.context, CL_MEM_READ_WRITE, bytes);
        std::vector<std::uint32_t> result(keys.size());
        target.queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes, keys.data());
        opencl::enqueue(target.sorter(), target.queue(),
                        sort(opencl::KeyRange{buffer(), 0, keys.size(), KeyType::u32}));
        target.queue.enqueueReadBuffer(buffer, CL_FALSE, 0, bytes, result.data());
        target.queue.finish();
        require_same_bytes(result, sorted(keys, Order::ascending));
    }
}

TEST_CASE("contract: an out-of-order queue keeps the passes of a sort in order, and sorts apart") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto out_of_order = out_of_order_queue(target);
        if (!out_of_order) continue;
        const cl::CommandQueue& queue = *out_of_order;
        constexpr std::size_t count = 40001;
        const auto keys = random_keys<std::uint32_t>(2 * count, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        Sorter& sorter = target.sorter(target.variants(4).back().shape);
        const cl::Event first = sort_after({}, sorter, queue, {buffer(), 0, count, KeyType::u32});
        // PoCL 5 now and then aborts when one kernel runs in two commands at once (pocl_release_dlhandle_cache).
        const bool one_at_a_time =
            target.info.platform == "Portable Computing Language" && target.info.driver.starts_with("5.");
        const std::vector<cl::Event> gates = one_at_a_time ? std::vector{first} : std::vector<cl::Event>{};
        const std::vector<cl::Event> ends{
            first, sort_after(gates, sorter, queue, {buffer(), count, count, KeyType::u32, Order::descending})};
        std::vector<std::uint32_t> result(keys.size()), expected;
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, keys.size() * sizeof keys[0], result.data(), &ends);
        expected = sorted(std::vector(keys.begin(), keys.begin() + count), Order::ascending);
        const auto second = sorted(std::vector(keys.begin() + count, keys.end()), Order::descending);
        expected.insert(expected.end(), second.begin(), second.end());
        require_same_bytes(result, expected);
    }
}

TEST_CASE("contract: a device-side sort allocates no device memory, or a quicksort's") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(200001, random);
        const cl::Buffer buffer = buffer_of(target, keys);
        Sorter sorter = target.new_sorter();
        sorter.prepare(KeyType::u32, keys.size());
        sorter.prepare({.count = keys.size(), .data_independent = true});
        opencl::KeyRange range{buffer(), 0, keys.size(), KeyType::u32};
        const SortReport report = opencl::enqueue(sorter, target.queue(), sort(range));
        CHECK(report.device_bytes <= target.most_quicksort_bytes());
        require_same_bytes(read<std::uint32_t>(target.queue, buffer, keys.size()), sorted(keys, Order::ascending));
        target.queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, keys.size() * 4, keys.data());
        const CreatedBuffers before = created_buffers();
        range.data_independent = true;
        CHECK(opencl::enqueue(sorter, target.queue(), sort(range)).device_bytes == 0);
        target.queue.finish();
        CHECK(created_buffers().number == before.number);
        require_same_bytes(read<std::uint32_t>(target.queue, buffer, keys.size()), sorted(keys, Order::ascending));
    }
}

TEST_CASE("contract: what a call takes for itself serves the queue's next call, or that behind its end") {
    Random random(seed());
    constexpr std::size_t count = 3001;
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        for (const cl::CommandQueue& queue : queues(target)) {
            const bool in_order = queue() == target.queue();
            CAPTURE(in_order);
            Sorter sorter = target.new_sorter();
            sorter.prepare({.operation = Operation::argsort, .count = count, .index_bytes = 4});
            const cl::UserEvent gate(target.context);
            std::vector<cl_event> waits{gate()};
            std::vector<cl::Buffer> buffers;
            std::vector<cl::Event> ends;
            const auto argsort_one_more = [&] {
                auto keys = random_keys<std::uint32_t>(count, random);
                keys.resize(2 * count);
                const cl::Buffer& buffer = buffers.emplace_back(buffer_of(target, keys));
                const CreatedBuffers before = created_buffers();
                const SortReport report = opencl::enqueue(
                    sorter, queue(), argsort(opencl::KeyRange{buffer(), 0, count, KeyType::u32}, {buffer(), count, 4}),
                    waits, &ends.emplace_back());
                CHECK(report.device_bytes == count * 4);
                waits.push_back(ends.back()());
                return created_buffers().bytes - before.bytes;
            };
            const auto check_last = [&] {
                const auto found = read<std::uint32_t>(target.queue, buffers.back(), 2 * count);
                const std::vector<std::uint32_t> keys(found.begin(), found.begin() + count);
                for (std::size_t i = 1; i < count; ++i) {
                    const std::uint32_t a = found[count + i - 1], b = found[count + i];
                    REQUIRE(std::pair(keys[a], a) < std::pair(keys[b], b));
                }
            };
            CHECK(argsort_one_more() == count * 4);
            CHECK(argsort_one_more() == (in_order ? 0 : count * 4));
            queue.flush();
            cl::UserEvent(gate).setStatus(CL_COMPLETE);
            cl::Event::waitForEvents(ends);
            check_last();
            CHECK(argsort_one_more() == 0);
            cl::Event::waitForEvents(ends);
            check_last();
        }
    }
}

TEST_CASE("contract: a sort of a host range takes at most one buffer of its size, and a quicksort's") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        auto keys = random_keys<std::uint32_t>(200001, random);
        Sorter& sorter = target.sorter();
        // Programs that are new are tried on a buffer of a few bytes.
        for (const bool data_independent : {false, true}) {
            sorter.prepare({.count = keys.size(), .in_host_memory = true, .data_independent = data_independent});
            const CreatedBuffers before = created_buffers();
            sorter.sort(std::span(keys), {.data_independent = data_independent});
            const std::uint64_t besides = data_independent ? 0 : target.most_quicksort_bytes();
            CHECK(created_buffers().number - before.number <= (besides > 0 ? 2u : 1u));
            CHECK(created_buffers().bytes - before.bytes <= keys.size() * sizeof keys[0] + besides);
        }
    }
}

TEST_CASE("contract: sorters of two contexts of one device live side by side") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        OpenClTarget second(target.device);
        const auto keys = random_keys<std::uint32_t>(3000, random);
        check_sort(second, second.sorter(), keys, Order::ascending);
        check_sort(target, target.sorter(), keys, Order::ascending);
        check_sort(second, second.sorter(), keys, Order::descending);
    }
}

TEST_CASE("contract: runs of keys that kernels may only read, after the wait list and before the event") {
    Random random(seed());
    for (OpenClTarget& target : opencl_devices())
        for (const cl::CommandQueue& queue : queues(target))
            for (const std::size_t count : {0, 1, 30000}) {
                CAPTURE(target.name);
                CAPTURE(count);
                // One more than there are, since there are no buffers of no bytes.
                std::vector<std::uint32_t> keys(count + 1);
                for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 100);
                std::ranges::sort(keys);
                const cl::Buffer buffer(target.context, CL_MEM_READ_ONLY, keys.size() * 4);
                const cl::Buffer results(target.context, CL_MEM_READ_WRITE, keys.size() * 8 + 8);
                const cl::UserEvent gate(target.context);
                const std::vector<cl::Event> gates{gate};
                cl::Event written;
                queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, keys.size() * 4, keys.data(), &gates, &written);
                const cl_event waits[] = {written()};
                cl_event event = nullptr;
                opencl::enqueue(target.sorter(), queue(),
                                run_lengths(opencl::KeyRange{buffer(), 0, count, KeyType::u32},
                                            {results(), 0, {results(), count + 1}}, {results(), count, 4}),
                                waits, &event);
                REQUIRE(event != nullptr);
                const std::vector<cl::Event> ends{cl::Event(event)};
                queue.flush();
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                CHECK(!is_complete(ends[0]));
                cl::UserEvent(gate).setStatus(CL_COMPLETE);
                std::uint64_t number = 0;
                queue.enqueueReadBuffer(results, CL_TRUE, (count + 1) * 8, 8, &number, &ends);
                keys.pop_back();
                keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
                REQUIRE(number == keys.size());
                require_same_bytes(read<std::uint32_t>(queue, results, number), keys);
            }
}

TEST_CASE("contract: an event that is not asked for is not needed, nor is a wait list") {
    for (OpenClTarget& target : opencl_devices())
        for (const std::size_t count : {0, 1, 100}) {
            CAPTURE(target.name);
            const cl::Buffer buffer = buffer_of(target, std::vector<std::uint32_t>(count, 7));
            CHECK(opencl::enqueue(target.sorter(), target.queue(),
                                  sort(opencl::KeyRange{buffer(), 0, count, KeyType::u32}))
                      .launches == (count > 1));
            target.queue.finish();
        }
}

}  // namespace
}  // namespace lanesort::test
