// Each kernel launch alone: the keys after every pass, against the reference executor's.
#include "device_support.hpp"
#include "host/opencl/executor.hpp"
#include "reference_executor.hpp"
#include "rounds.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

template <Key T>
std::vector<std::vector<T>> states_of_reference(std::vector<T> keys, const Plan& plan, KeyCoding coding) {
    std::vector<std::vector<T>> states;
    ReferenceExecutor(keys.data(), sizeof(T), coding, [&](const Pass&) { states.push_back(keys); }).run(plan);
    return states;
}

/// The keys as kernels of that shape leave them between two passes.
template <Key T>
std::vector<T> between_passes(const std::vector<T>& keys, const Shape& shape) {
    std::vector<T> placed(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) placed[place_between_passes(shape, keys.size(), i)] = keys[i];
    return placed;
}

template <Key T>
void check_passes(TestDevice& device, opencl::Program& program, std::size_t count, Order order) {
    constexpr std::size_t offset = 5;
    CAPTURE(name(key_type_v<T>));
    CAPTURE(count);
    Random random(seed() + count);
    const std::vector<T> keys = random_keys<T>(count, random);
    const Plan plan = make_plan(count, program.parameters.shape);
    const KeyCoding coding = key_coding(key_type_v<T>, order);
    const std::vector<std::vector<T>> expected = states_of_reference(keys, plan, coding);

    std::vector<T> memory(offset + count);
    std::ranges::copy(keys, memory.begin() + offset);
    const cl::Buffer buffer = buffer_of(device, memory);
    opencl::QueueExecutor executor(program, device.queue, {buffer, offset, coding});
    std::size_t passes = 0;
    executor.after_enqueue = [&](const Pass& pass, const cl::Event& event) {
        event.wait();
        CAPTURE(passes);
        CAPTURE(pass.last_phase);
        CAPTURE(pass.top_stride);
        CAPTURE(pass.bottom_stride);
        const std::vector<T>& state = expected.at(passes++);
        require_same_bytes(read<T>(device.queue, buffer, count, offset),
                           passes == expected.size() ? state : between_passes(state, plan.shape));
    };
    executor.run(plan);
    CHECK(passes == plan.passes.size());
    CHECK(executor.launches() == plan.passes.size());
}

template <Key T>
void check_shape(TestDevice& device, lanesort::detail::KernelParameters parameters, const Shape& shape, Order order) {
    if (!device.can_run(shape, sizeof(T))) return;
    CAPTURE(device.info.name);
    CAPTURE(to_string(shape));
    parameters.key_bytes = sizeof(T);
    parameters.shape = shape;
    opencl::Program program(device.context, device.device, parameters);
    const std::size_t tile = shape.tile_keys();
    for (const std::size_t count :
         {std::size_t{2}, std::size_t{3}, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 5, 8 * tile, 11 * tile - 3})
        if (count > 1) check_passes<T>(device, program, count, order);
}

TEST_CASE("passes: every launch leaves the reference's keys") {
    for (TestDevice& device : test_devices()) {
        for (const Shape& shape : small_shapes()) check_shape<std::uint32_t>(device, {}, shape, Order::ascending);
        for (const Shape& shape : tiny_shapes()) check_shape<float>(device, {}, shape, Order::descending);
    }
}

TEST_CASE("passes: keys of every width and coding") {
    const Shape in_local = small_shapes()[1], in_cache = small_shapes()[5];
    for (TestDevice& device : test_devices())
        for (const Shape& shape : {in_local, in_cache}) {
            check_shape<std::int8_t>(device, {}, shape, Order::ascending);
            check_shape<half>(device, {}, shape, Order::descending);
            check_shape<double>(device, {}, shape, Order::ascending);
        }
}

TEST_CASE("passes: kernels with 64-bit indices, which counts of 2^31 and more need") {
    lanesort::detail::KernelParameters parameters;
    parameters.wide_index = true;
    for (TestDevice& device : test_devices())
        for (const std::size_t i : {0, 4, 5})
            check_shape<std::uint32_t>(device, parameters, small_shapes()[i], Order::ascending);
}

TEST_CASE("passes: kernels with unrolled rounds, which graphics cards get") {
    lanesort::detail::KernelParameters parameters;
    parameters.unroll_rounds = true;
    for (TestDevice& device : test_devices())
        for (const std::size_t i : {0, 2})
            check_shape<std::uint32_t>(device, parameters, small_shapes()[i], Order::ascending);
}

}  // namespace
}  // namespace lanesort::test
