// SPDX-License-Identifier: MIT
// Callers with CL/opencl.hpp of their own, here without exceptions, beside the library's with exceptions.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <lanesort/error.hpp>
#include <lanesort/opencl.hpp>

#include "support.hpp"

namespace lanesort::test {
namespace {

cl::Device any_device() {
    std::vector<cl::Platform> platforms;
    std::vector<cl::Device> devices;
    cl::Platform::get(&platforms);
    for (const cl::Platform& platform : platforms)
        if (platform.getDevices(CL_DEVICE_TYPE_ALL, &devices) == CL_SUCCESS && !devices.empty()) return devices.front();
    ++skipped_device_cases();
    return {};
}

template <class T>
cl::Buffer buffer_of(const cl::Context& context, std::vector<T> elements) {
    return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, elements.size() * sizeof(T), elements.data()};
}

template <class T>
std::vector<T> elements_of(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t count) {
    std::vector<T> elements(count);
    REQUIRE(queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(T), elements.data()) == CL_SUCCESS);
    return elements;
}

TEST_CASE("CL/opencl.hpp: its queues, buffers and events, in the caller's own version") {
    const cl::Device device = any_device();
    if (!device()) return;
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    Sorter sorter = opencl::make_sorter(context, device);

    Random random(seed());
    const auto keys = random_keys<float>(5000, random);
    const cl::Buffer buffer = buffer_of(context, keys);
    cl::UserEvent gate(context), former(context);
    const std::vector<cl::Event> waits{gate};
    cl::Event end = former;
    opencl::enqueue(sorter, queue, sort(opencl::KeyRange{buffer, 0, keys.size(), KeyType::f32}), &waits, &end);
    CHECK(end() != former());
    CHECK(former.getInfo<CL_EVENT_REFERENCE_COUNT>() == 1);  // what `end` was is released
    queue.flush();
    CHECK(end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    CHECK(end.wait() == CL_SUCCESS);
    require_same_bytes(elements_of<float>(queue, buffer, keys.size()), sorted(keys, Order::ascending));

    // Where the call fails, the event stays.
    const cl_event before = end();
    CHECK_THROWS_AS(
        opencl::enqueue(sorter, queue, sort(opencl::KeyRange{buffer, 1, keys.size(), KeyType::f32}), &waits, &end),
        Error);
    CHECK(end() == before);

    opencl::enqueue(sorter, queue, sort(opencl::KeyRange{buffer, 0, keys.size(), KeyType::f32, Order::descending}),
                    nullptr);
    require_same_bytes(elements_of<float>(queue, buffer, keys.size()), sorted(keys, Order::descending));

    // Errors here are statuses, not exceptions: this translation unit has its own version of the wrappers.
    CHECK(queue.enqueueReadBuffer(cl::Buffer(), CL_TRUE, 0, 4, &random) != CL_SUCCESS);

    former.setStatus(CL_COMPLETE);  // else NVIDIA's driver waits for it for ever when the context is released
}

TEST_CASE("CL/opencl.hpp: every call takes its wrappers") {
    const cl::Device device = any_device();
    if (!device()) return;
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Sorter sorter = opencl::make_sorter(context, device);

    constexpr std::size_t count = 1000, k = 10;
    Random random(seed());
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % 100);
    const cl::Buffer buffer = buffer_of(context, keys), values = buffer_of(context, keys),
                     indices = buffer_of(context, keys), found = buffer_of(context, keys),
                     lengths = buffer_of(context, keys), answers = buffer_of(context, std::vector<cl_ulong>(4));

    // Each call waits for the one before it.
    std::vector<cl::Event> waits;
    cl::Event end;
    using namespace opencl;
    const KeyRange range{.memory = buffer, .count = count, .type = KeyType::u32};
    const auto then = [&](const auto& enqueue) {
        enqueue(&waits, &end);
        waits = {end};
    };
    then([&](auto w, auto e) { enqueue(sorter, queue, argsort(range, {indices, 0, 4}), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, top_k(range, k, {found, 0, {lengths, 0, 4}}), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, is_sorted(range, {answers}), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, partial_sort(range, k), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, nth_element(range, k), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, sort_by_key(range, {values, 0, 4}), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, merge(range, k), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, merge_by_key(range, {values, 0, 4}, k), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, is_sorted_until(range, {answers, 1}), w, e); });
    then([&](auto w, auto e) { enqueue(sorter, queue, unique(range, {found, 0, {answers, 2}}), w, e); });
    then([&](auto w, auto e) {
        enqueue(sorter, queue, run_lengths(range, {found, 0, {answers, 3}}, {lengths, 0, 4}), w, e);
    });
    Recorded recorded(sorter, queue, sort(range));
    then([&](auto w, auto e) { recorded.enqueue(w, e); });
    REQUIRE(end.wait() == CL_SUCCESS);

    std::vector<std::uint32_t> in_order = keys, distinct;
    std::ranges::sort(in_order);
    std::ranges::unique_copy(in_order, std::back_inserter(distinct));
    CHECK(elements_of<std::uint32_t>(queue, buffer, count) == in_order);
    CHECK(elements_of<std::uint32_t>(queue, found, distinct.size()) == distinct);
    CHECK(elements_of<cl_ulong>(queue, answers, 4) ==
          std::vector<cl_ulong>{0, count, distinct.size(), distinct.size()});
}

}  // namespace
}  // namespace lanesort::test
