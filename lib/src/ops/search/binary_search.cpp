// SPDX-License-Identifier: MIT
// Where keys belong in a sorted range (kernels/search/binary_search.cl).
#include <algorithm>
#include <bit>

#include <lanesort/error.hpp>

#include "binary_search_schedule.hpp"
#include "core/integers.hpp"
#include "core/require.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {

Arrays binary_search_arrays(const Request& request) {
    if (request.in_rows()) throw Error(ErrorCode::invalid_argument, "keys cannot be looked for in rows or segments");
    check_indices(request);
    const std::uint64_t places = request.operation == Operation::equal_range ? 2 : 1;
    require(!product_exceeds(request.second_count, places, most_in_64_bits), ErrorCode::too_large,
            "{} keys that are looked for need more indices than 64 bits count", request.second_count);
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    arrays[Slot::second_keys] = {request.second_count, request.key.bytes(), Access::read, "keys that are looked for"};
    arrays[Slot::indices] = {request.second_count * places, request.index_bytes, Access::write, "indices"};
    return arrays;
}

void make_binary_search(Planner& planner, const Request& request, Work& work) {
    if (request.second_count == 0) return;
    const DeviceInfo& device = planner.device();
    const bool is_processor = device.kind == DeviceKind::cpu;
    KernelParameters parameters{.family = &families::binary_search,
                                .bytes = {request.key.bytes(), 0, request.index_bytes, request.key.is_record()},
                                .wide_positions = request.count >= wide_count,
                                .shape = {.lanes = 1, .vectors = is_processor ? 2048u : 16u, .register_vectors = 2},
                                .buckets = {.sample = sample_keys(device, request.key.bytes())}};
    parameters.order_by(request);
    parameters.shape.work_items = is_processor ? 1 : std::bit_floor(std::clamp(device.max_work_items, 1u, 256u));
    const std::shared_ptr<const Program> program = planner.compile_fitting(parameters);
    const Shape& shape = program->parameters.shape;
    work.programs.push_back(program);

    // Few keys are shared by as many work-groups as keep the device busy.
    const std::uint64_t most = shape.work_items * shape.vectors, least = std::max(shape.work_items, 64u);
    const std::uint64_t wanted = ceil_div(request.second_count, std::uint64_t{device.compute_units} * 4);
    const std::uint64_t share = std::min(ceil_div(wanted, least) * least, most);
    const std::uint64_t groups = ceil_div(request.second_count, share);
    check_groups(groups, request, shape);
    const Sampling sampling = sample_of(request.count, parameters.buckets.sample);
    const KeyCoding coding = coding_of(request);
    const auto find_places = [&](bool is_upper, std::uint64_t first, std::uint64_t step) {
        add_launch(work, "find_places", groups, Slot::keys, request.count, Slot::second_keys, request.second_count,
                   share, sampling.stride, sampling.samples, coding_if(coding, true), coding.flip, is_upper,
                   Argument(Slot::indices, first), step);
    };
    if (request.operation != Operation::equal_range)
        return find_places(request.operation == Operation::upper_bound, 0, 1);
    find_places(false, 0, 2);
    find_places(true, 1, 2);
}

}  // namespace lanesort::inline v0_1::detail
