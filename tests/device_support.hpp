// The OpenCL devices of this machine, and sorts on them between red zones.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/opencl.hpp>

#include "host/opencl/clhpp.hpp"
#include "support.hpp"

namespace lanesort::test {

namespace cl = opencl::cl;

/// A device, opened, with a sorter for each shape that a case asked for: compiling takes seconds, so cases share them.
class TestDevice {
public:
    explicit TestDevice(const cl::Device& opened);

    /// The sorter of the shape that the library chooses.
    Sorter& sorter() { return shared_sorter({}); }
    Sorter& sorter(const Shape& shape) { return shared_sorter(shape); }
    /// A sorter that no other case has.
    Sorter new_sorter(std::optional<Shape> shape = {}) const;
    /// The rows of the statistics table that this device can run, in work-groups of at most so many work-items.
    std::vector<Variant> variants(std::size_t key_bytes, unsigned work_items = 256) const;
    bool can_run(const Shape& shape, std::size_t key_bytes) const;

    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;  ///< in-order
    DeviceInfo info;

private:
    Sorter& shared_sorter(const std::optional<Shape>& shape);

    std::list<std::pair<std::optional<Shape>, Sorter>> sorters_;
};

/// All devices, each opened once. Without any, counts the case as skipped, or fails it where the environment variable
/// LANESORT_REQUIRE_DEVICE is 1.
std::list<TestDevice>& test_devices();

template <Key T>
cl::Buffer buffer_of(const TestDevice& device, const std::vector<T>& keys) {
    std::vector<T> copy = keys;
    if (copy.empty()) copy.resize(1);  // there are no buffers of no bytes
    return cl::Buffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, copy.size() * sizeof(T), copy.data());
}

template <Key T>
std::vector<T> read(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t count,
                    std::size_t offset = 0) {
    std::vector<T> keys(count);
    if (count > 0) queue.enqueueReadBuffer(buffer, CL_TRUE, offset * sizeof(T), count * sizeof(T), keys.data());
    return keys;
}

/// The keys as enqueue_sort leaves them at that offset in a buffer; fails if anything around them changes.
template <Key T>
std::vector<T> sort_between_red_zones(TestDevice& device, Sorter& sorter, const std::vector<T>& keys, Order order,
                                      std::size_t offset) {
    constexpr std::size_t zone = 67;  // keys behind: more than the widest vector
    Random random(seed() + keys.size());
    std::vector<T> memory = random_keys<T>(offset + keys.size() + zone, random);
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(offset);
    std::ranges::copy(keys, first);

    const cl::Buffer buffer = buffer_of(device, memory);
    opencl::enqueue_sort(sorter, device.queue(), {buffer(), offset, keys.size(), key_type_v<T>, order});
    const std::vector<T> after = read<T>(device.queue, buffer, memory.size());

    const auto range = after.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::vector<T> result(range, range + static_cast<std::ptrdiff_t>(keys.size()));
    std::ranges::copy(result, first);
    INFO("the red zones before and behind the keys");
    require_same_bytes(after, memory);
    return result;
}

/// Sorts so and compares with std::sort.
template <Key T>
void check_sort(TestDevice& device, Sorter& sorter, const std::vector<T>& keys, Order order, std::size_t offset = 0) {
    CAPTURE(name(key_type_v<T>));
    CAPTURE(keys.size());
    CAPTURE(static_cast<int>(order));
    CAPTURE(offset);
    require_same_bytes(sort_between_red_zones(device, sorter, keys, order, offset), sorted(keys, order));
}

/// The error that `call` throws; fails if it throws none.
Error error_of(const std::function<void()>& call);

/// Checks that the error's sentence has all these parts.
void check_mentions(const Error& error, const std::vector<std::string>& parts);

}  // namespace lanesort::test
