// SPDX-License-Identifier: MIT
// Sorts across OpenCL devices of one context: sub-devices, where the machine has no others.
#include <algorithm>
#include <cstring>
#include <map>

#include "error_support.hpp"
#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

/// Some drivers refuse a context of which a device is named twice.
std::vector<cl::Device> each_once(const std::vector<cl::Device>& devices) {
    std::vector<cl::Device> different;
    for (const cl::Device& device : devices)
        if (std::ranges::find(different, device(), [](const cl::Device& one) { return one(); }) == different.end())
            different.push_back(device);
    return different;
}

/// Devices that share a context, with a sorter and a queue for each.
struct Several {
    explicit Several(const std::vector<cl::Device>& devices, cl_command_queue_properties properties = 0)
        : context(each_once(devices)) {
        for (const cl::Device& device : devices) {
            sorters.push_back(opencl::make_sorter(context(), device()));
            queues.emplace_back(context, device, properties);
        }
    }

    template <class T>
    cl::Buffer buffer(const std::vector<T>& elements, std::size_t offset) const {
        cl::Buffer made(context, CL_MEM_READ_WRITE, (elements.size() + offset + 1) * sizeof(T));
        if (!elements.empty())
            queues[0].enqueueWriteBuffer(made, CL_TRUE, offset * sizeof(T), elements.size() * sizeof(T),
                                         elements.data());
        return made;
    }

    cl::Context context;
    std::vector<Sorter> sorters;
    std::vector<cl::CommandQueue> queues;
};

/// All devices of a platform that has several, or the parts of one; empty where there are none.
std::vector<cl::Device> several_devices() {
    std::map<cl_platform_id, std::vector<cl::Device>> by_platform;
    for (OpenClTarget& target : opencl_devices()) {
        auto& others = by_platform[opencl::handle_of<cl_platform_id>(target.device, CL_DEVICE_PLATFORM)];
        others.push_back(target.device);
        if (others.size() > 1) return others;
    }
    for (OpenClTarget& target : opencl_devices()) {
        cl_device_id parts[16] = {};
        cl_uint count = 0;
        const cl_device_partition_property one_core_each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
        if (clCreateSubDevices(target.device(), one_core_each, 16, parts, &count) != CL_SUCCESS || count < 2) continue;
        return {parts, parts + count};
    }
    ++skipped_device_cases();
    return {};
}

template <Key K, class V>
void check_across(Several& several, const std::vector<std::uint64_t>& counts, Order order, bool data_independent,
                  Random& random, bool with_values) {
    std::vector<std::pair<K, V>> pairs;
    std::vector<cl::Buffer> keys, values;
    std::vector<opencl::DevicePart> parts;
    std::vector<cl::Event> ends(counts.size());
    std::vector<cl::UserEvent> begins;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::vector<K> some = keys_with_twins<K>(counts[i], random);
        std::vector<V> of_them(counts[i]);
        for (V& value : of_them) value = static_cast<V>(random() % 5);
        for (std::size_t k = 0; k < counts[i]; ++k) pairs.emplace_back(some[k], of_them[k]);
        keys.push_back(several.buffer(some, i));
        values.push_back(several.buffer(of_them, 2 * i));
        begins.emplace_back(several.context);
        opencl::KeyRange range{.memory = keys[i], .offset = i, .count = counts[i], .type = key_type_v<K>};
        range.order = order;
        range.data_independent = data_independent;
        opencl::DevicePart part{several.sorters[i], several.queues[i], range};
        if (with_values) part.values = {values[i], 2 * i, sizeof(V)};
        part.wait_list = opencl::WaitList(&begins[i](), 1);
        part.event = &ends[i];
        parts.push_back(part);
    }
    const AcrossReport report =
        with_values ? opencl::enqueue_sort_by_key_across(parts) : opencl::enqueue_sort_across(parts);
    CHECK(report.link_bytes == link_bytes_across(counts, sizeof(K) + (with_values ? sizeof(V) : 0)));
    for (const cl::CommandQueue& queue : several.queues) queue.flush();
    for (cl::UserEvent& begin : begins) begin.setStatus(CL_COMPLETE);
    cl::Event::waitForEvents(ends);
    std::ranges::stable_sort(pairs, [&](const auto& a, const auto& b) {
        if (comes_before(a.first, b.first, order)) return true;
        return with_values && !comes_before(b.first, a.first, order) && a.second < b.second;
    });
    std::size_t place = 0;
    bool is_right = true;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto found_keys = read<K>(several.queues[i], keys[i], counts[i], i);
        const auto found_values = read<V>(several.queues[i], values[i], counts[i], 2 * i);
        for (std::size_t k = 0; k < counts[i]; ++k, ++place) {
            is_right &= std::memcmp(&found_keys[k], &pairs[place].first, sizeof(K)) == 0;
            is_right &= !with_values || found_values[k] == pairs[place].second;
        }
    }
    CHECK(is_right);
}

TEST_SUITE("across") {
    TEST_CASE("across: OpenCL devices of one context, in buffers that cross") {
        const std::vector<cl::Device> devices = several_devices();
        if (devices.empty()) return;
        Random random(seed());
        Several several({devices[0], devices[1]});
        for (const auto& counts :
             {std::vector<std::uint64_t>{0, 0}, {1, 1}, {0, 3}, {2001, 2000}, {70000, 70000}, {30000, 1}, {5, 60001}})
            for (const bool data_independent : {false, true}) {
                check_across<std::uint32_t, std::uint32_t>(several, counts, Order::ascending, data_independent, random,
                                                           false);
                check_across<std::uint32_t, std::uint32_t>(several, counts, Order::descending, data_independent, random,
                                                           true);
            }
        // More than a buffer that crosses holds.
        check_across<std::uint64_t, std::uint32_t>(several, {1'200'001, 1'200'001}, Order::ascending, false, random,
                                                   false);
        check_across<std::uint64_t, std::uint32_t>(several, {1'500'000, 800'001}, Order::ascending, true, random,
                                                   false);
    }

    TEST_CASE("across: OpenCL queues that are out of order, and a device twice") {
        const std::vector<cl::Device> devices = several_devices();
        if (devices.empty()) return;
        Random random(seed());
        Several several({devices[0], devices[1]}, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        several.sorters.push_back(opencl::make_sorter(several.context(), devices[0]()));
        several.queues.emplace_back(several.context, devices[0]);
        for (const auto& counts : {std::vector<std::uint64_t>{4000, 4000, 3999}, {100, 9000, 0}})
            check_across<float, std::uint16_t>(several, counts, Order::ascending, false, random, true);
    }

    TEST_CASE("across: OpenCL parts on one device, each with a queue of its own that is out of order") {
        Random random(seed());
        for (OpenClTarget& target : opencl_devices()) {
            if (!out_of_order_queue(target)) continue;
            CAPTURE(target.name);
            Several several(std::vector<cl::Device>(3, target.device), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
            for (int repetition = 0; repetition < 5; ++repetition)
                for (const bool data_independent : {false, true})
                    for (const auto& counts : {std::vector<std::uint64_t>{1000, 1000, 1000}, {20'000, 19'000, 20'000}})
                        check_across<std::uint32_t, std::uint32_t>(several, counts, Order::ascending, data_independent,
                                                                   random, false);
        }
    }

    TEST_CASE("across: OpenCL parts on one device, on queues of either kind, of which some are shared") {
        Random random(seed());
        for (OpenClTarget& target : opencl_devices()) {
            if (!out_of_order_queue(target)) continue;
            CAPTURE(target.name);
            Several several(std::vector<cl::Device>(4, target.device));
            for (int repetition = 0; repetition < 12; ++repetition) {
                for (std::size_t i = 0; i < several.queues.size(); ++i) {
                    const std::size_t other = random() % several.queues.size();
                    several.queues[i] = other < i          ? several.queues[other]
                                        : random() % 3 > 0 ? cl::CommandQueue(several.context, target.device,
                                                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
                                                           : cl::CommandQueue(several.context, target.device);
                }
                std::vector<std::uint64_t> counts(2 + random() % 3);
                for (std::uint64_t& count : counts) count = random() % (repetition % 2 ? 300 : 9000);
                check_across<std::uint32_t, std::uint32_t>(several, counts, Order::descending, random() % 2 > 0, random,
                                                           random() % 2 > 0);
            }
        }
    }

    TEST_CASE("across: OpenCL parts that cannot be one order") {
        const std::vector<cl::Device> devices = several_devices();
        if (devices.empty()) return;
        Several several({devices[0], devices[1]}), elsewhere({devices[0], devices[1]});
        const std::vector<std::uint32_t> before{3, 1, 2};
        const cl::Buffer a = several.buffer(before, 0), b = several.buffer(before, 0),
                         far = elsewhere.buffer(before, 0);
        const auto refuse = [&](ErrorCode code, const char* sentence, const std::vector<opencl::DevicePart>& parts) {
            check_refused(code, sentence, [&] { opencl::enqueue_sort_across(parts); });
            CHECK(read<std::uint32_t>(several.queues[0], a, 3) == before);
        };
        const opencl::DevicePart one{
            several.sorters[0], several.queues[0], {.memory = a, .count = 3, .type = KeyType::u32}};
        refuse(ErrorCode::wrong_context, "two contexts",
               {one, {elsewhere.sorters[1], elsewhere.queues[1], {.memory = far, .count = 3, .type = KeyType::u32}}});
        refuse(ErrorCode::wrong_context, "context",
               {one, {several.sorters[1], several.queues[1], {.memory = far, .count = 3, .type = KeyType::u32}}});
        refuse(ErrorCode::wrong_context, "device",
               {one, {several.sorters[1], several.queues[0], {.memory = b, .count = 3, .type = KeyType::u32}}});
        refuse(ErrorCode::out_of_range, "part 1: 9 keys at offset 0 reach past the end",
               {one, {several.sorters[1], several.queues[1], {.memory = b, .count = 9, .type = KeyType::u32}}});
        refuse(
            ErrorCode::invalid_argument, "part 1: there are values, which enqueue_sort_by_key_across() sorts",
            {one,
             {several.sorters[1], several.queues[1], {.memory = b, .count = 3, .type = KeyType::u32}, {.memory = a}}});
        refuse(ErrorCode::invalid_argument, "overlap",
               {one,
                {several.sorters[1], several.queues[1], {.memory = a, .offset = 2, .count = 1, .type = KeyType::u32}}});
        refuse(ErrorCode::invalid_argument, "f32",
               {one, {several.sorters[1], several.queues[1], {.memory = b, .count = 3, .type = KeyType::f32}}});
        Sorter built_in(built_in_device());
        refuse(ErrorCode::unsupported, "CPU",
               {one, {built_in, several.queues[1], {.memory = b, .count = 3, .type = KeyType::u32}}});
    }
}

}  // namespace
}  // namespace lanesort::test
