// SPDX-License-Identifier: MIT
// The contract of every other call on a caller's OpenCL queue: it does not block, waits for the wait list, runs in the
// order of its queue, gives its event at its end, and takes the memory that it reports.
#include <chrono>
#include <functional>
#include <thread>

#include "created_buffers.hpp"
#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

constexpr std::size_t count = 20'003;

/// A call on a buffer of `count` keys, sorted in two halves, and three times the room behind them.
struct Call {
    std::string name;
    std::function<SortReport(Sorter&, cl_command_queue, cl_mem, std::span<const cl_event>, cl_event*)> enqueue;
};

std::vector<Call> calls() {
    using namespace opencl;
    const auto range = [](cl_mem buffer) { return opencl::KeyRange{buffer, 0, count, KeyType::f32}; };
    const auto stable = [=](cl_mem buffer) {
        opencl::KeyRange keys = range(buffer);
        keys.stable = true;
        return keys;
    };
    const auto some = [=](cl_mem buffer) {
        opencl::KeyRange keys = range(buffer);
        keys.first = 100;
        return keys;
    };
    const auto half = [](cl_mem buffer, std::size_t begin) {
        return opencl::KeyRange{buffer, begin, count / 2, KeyType::f32};
    };
    const auto behind = [](cl_mem buffer) { return ValueRange{buffer, count, 4}; };
    const auto selected = [](cl_mem buffer, bool with_indices) {
        return Selected{buffer, count, with_indices ? ValueRange{buffer, 2 * count, 4} : ValueRange{}};
    };
    const auto distinct = [](cl_mem buffer) { return Distinct{buffer, count, {buffer, (3 * count + 1) / 2}}; };
#define LANESORT_CALL(...) [=](Sorter& s, cl_command_queue q, cl_mem b, auto w, cl_event* e) { return __VA_ARGS__; }
    return {
        {"first keys", LANESORT_CALL(enqueue(s, q, sort(some(b)), w, e))},
        {"values", LANESORT_CALL(enqueue(s, q, sort_by_key(range(b), behind(b)), w, e))},
        {"stable", LANESORT_CALL(enqueue(s, q, sort_by_key(stable(b), behind(b)), w, e))},
        {"argsort", LANESORT_CALL(enqueue(s, q, argsort(range(b), behind(b)), w, e))},
        {"merge", LANESORT_CALL(enqueue(s, q, merge(range(b), count / 2), w, e))},
        {"merge of values", LANESORT_CALL(enqueue(s, q, merge_by_key(range(b), behind(b), count / 2), w, e))},
        {"merge of two", LANESORT_CALL(enqueue(s, q, merge(half(b, 0), half(b, count / 2), {b, count}), w, e))},
        {"few", LANESORT_CALL(enqueue(s, q, top_k(range(b), 5, selected(b, false)), w, e))},
        {"few with indices", LANESORT_CALL(enqueue(s, q, top_k(range(b), 5, selected(b, true)), w, e))},
        {"many with indices", LANESORT_CALL(enqueue(s, q, top_k(range(b), 9000, selected(b, true)), w, e))},
        {"order", LANESORT_CALL(enqueue(s, q, is_sorted_until(range(b), distinct(b).number), w, e))},
        {"unique", LANESORT_CALL(enqueue(s, q, unique(range(b), distinct(b)), w, e))},
        {"unique in place", LANESORT_CALL(enqueue(s, q, unique_by_key(range(b), behind(b), distinct(b).number), w, e))},
        {"lengths", LANESORT_CALL(enqueue(s, q, run_lengths(range(b), distinct(b), {b, 2 * count, 4}), w, e))},
    };
#undef LANESORT_CALL
}

std::vector<float> input() {
    Random random(seed());
    std::vector<float> keys = random_keys<float>(4 * count, random);
    for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<float>(random() % 5000);
    const auto begin = keys.begin(), middle = begin + count / 2, end = begin + count;
    std::sort(begin, middle);
    std::sort(middle, end);
    return keys;
}

TEST_CASE("contract: every call waits for its wait list, does not block, and ends with its event, on every queue") {
    for (OpenClTarget& target : opencl_devices())
        for (const Call& call : calls()) {
            CAPTURE(target.name);
            CAPTURE(call.name);
            Sorter& sorter = target.sorter();
            const std::vector<float> before = input();
            const cl::Buffer plain = buffer_of(target, before);
            call.enqueue(sorter, target.queue(), plain(), {}, nullptr);
            const std::vector<float> expected = read<float>(target.queue, plain, before.size());
            CHECK(bytes_of(expected) != bytes_of(before));

            std::vector<cl::CommandQueue> queues{target.queue};
            if (const auto out_of_order = out_of_order_queue(target)) queues.push_back(*out_of_order);
            for (const cl::CommandQueue& queue : queues) {
                const cl::Buffer buffer = buffer_of(target, std::vector<float>(before.size()));
                const cl::UserEvent gate(target.context);
                const std::vector<cl::Event> gates{gate};
                cl::Event written;
                queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, before.size() * 4, before.data(), &gates, &written);
                const cl_event waits[] = {written()};
                cl_event event = nullptr;
                const CreatedBuffers created = created_buffers();
                const SortReport report = call.enqueue(sorter, queue(), buffer(), waits, &event);
                // The second call has what the first one took.
                CHECK(created_buffers().bytes - created.bytes <= report.device_bytes);
                REQUIRE(event != nullptr);
                const std::vector<cl::Event> ends{cl::Event(event)};
                queue.flush();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                CHECK(ends[0].getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
                cl::UserEvent(gate).setStatus(CL_COMPLETE);
                std::vector<float> found(before.size());
                queue.enqueueReadBuffer(buffer, CL_TRUE, 0, found.size() * 4, found.data(), &ends);
                REQUIRE(bytes_of(found) == bytes_of(expected));
            }
        }
}

}  // namespace
}  // namespace lanesort::test
