// SPDX-License-Identifier: MIT
#include "quicksort.hpp"

#include <bit>

#include <fmt/format.h>

#include "core/encoded_keys.hpp"
#include "distribution.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// From so many keys on it is faster than the network (docs/decisions.md#quicksort-on-cpus).
constexpr std::uint64_t least_count = (1 << 14) + 1;

/// One tile of the network takes as long for every count up to the next power of two, so towards that it is faster; but
/// for more than so many elements threads are, where there are more than two: one of two may be busy
/// (docs/decisions.md#quicksort-on-cpus).
constexpr std::uint64_t most_for_few_threads = 1 << 15;
constexpr unsigned few_threads = 2;

bool is_full_tile(const DeviceInfo& device, const Shape& shape, std::uint64_t count) {
    return count <= shape.tile_keys() && 4 * count > 3 * std::bit_ceil(count) &&
           (device.compute_units <= few_threads || count <= most_for_few_threads);
}

/// A range of its own for each of these, if each thread has several of them.
constexpr std::uint64_t elements_of_range = 1 << 13;
constexpr std::uint64_t ranges_of_thread = 8;

/// Threads share a range where several are there for each, a pair of stripes a thread, of so many elements or more.
constexpr std::uint64_t stripes_of_thread = 2;
constexpr std::uint64_t elements_of_pair = 1 << 16;

/// The kernels are compiled for these (kernels/cpu/quicksort.h).
bool has_kernels(const DeviceInfo& device, const ElementBytes& bytes) {
    const std::size_t beside_key = bytes.value + bytes.index;
    return device.parts_vectors && !bytes.is_record &&
           (beside_key == 0 ? bytes.key >= 4 : bytes.key == 4 && beside_key == 4);
}

/// Why there are none.
std::string why_no_kernels(const DeviceInfo& device, const ElementBytes& bytes) {
    if (!device.parts_vectors) return "its quicksort takes AVX2 or AVX-512";
    const std::string beside = bytes.index > 0
                                   ? fmt::format(" with indices of {}, which stable sorts have, too", bytes.index)
                               : bytes.value > 0 ? fmt::format(" with values of {}", bytes.value)
                                                 : "";
    return fmt::format("its quicksort is of keys of 4 and 8 bytes, or of 4 with values or indices of 4, not of {}",
                       bytes.is_record ? "records" : fmt::format("keys of {}{}", bytes.key, beside));
}

/// lg of the ranges that threads share out.
unsigned levels_of(const DeviceInfo& device, std::uint64_t count) {
    const std::uint64_t most = count / elements_of_range;
    if (device.compute_units < 2 || most < 2) return 0;
    const std::uint64_t wanted = std::bit_ceil(ranges_of_thread * device.compute_units);
    return static_cast<unsigned>(std::bit_width(std::min(wanted, most)) - 1);
}

/// Pairs of stripes of each of so many ranges; below 2 a work-group parts a range by itself. Their stripes are fewer
/// than half of the ranges that come of it, in whose places of the table kernels keep what they know of stripes.
std::uint64_t pairs_of(const DeviceInfo& device, std::uint64_t count, std::uint64_t ranges) {
    static_assert(2 * stripes_of_thread < ranges_of_thread &&
                  4 * stripes_of_thread * elements_of_range <= elements_of_pair);
    return std::min(device.compute_units / ranges, count / ranges / elements_of_pair);
}

}  // namespace

bool add_quicksort(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys,
                   Slot indices, Slot values, const Sources* sources) {
    const DeviceInfo& device = planner.device();
    const bool is_demanded = request.schedule == Schedule::distribution;
    // Who demands a shape wants tiles of it.
    if (device.compiles && planner.demanded_shape()) return false;
    if (!has_kernels(device, bytes)) {
        // What is compiled ahead has no other distribution.
        if (is_demanded && !device.compiles) refuse_distribution(request, device, why_no_kernels(device, bytes));
        return false;
    }
    if (!is_demanded && request.count < least_count) return false;
    const Shape shape = choose_shape(device, bytes, request.count);
    if (!is_demanded && is_full_tile(device, shape, request.count)) return false;

    const unsigned levels = levels_of(device, request.count);
    const std::uint64_t ranges = std::uint64_t{1} << levels;
    const Array table{ranges + 3, sizeof(std::uint64_t)};
    if (request.extra_bytes > 0 && request.extra_bytes < table.size()) {
        if (!is_demanded) return false;
        refuse_distribution(
            request, device,
            fmt::format("its table takes {} bytes, but `extra_bytes` says {}", table.size(), request.extra_bytes));
    }

    KernelParameters parameters{.family = &families::quicksort, .bytes = bytes, .wide_positions = true, .shape = shape};
    parameters.shape.lanes = static_cast<unsigned>(device.native_vector_bytes / bytes.all());  // of the whole width
    parameters.shape.vectors = 4 * parameters.shape.register_vectors;                          // of a leaf
    parameters.tiles_only = true;
    parameters.order_by(request);
    work.programs.push_back(planner.compile(parameters));

    if (sources) add_copies(work, *sources, keys, values);
    work.arrays[Slot::own_integers] = table;
    work.commands.emplace_back(Zero{Slot::own_integers});
    const KeyCoding coding = coding_of(request);
    const auto launch = [&](const char* kernel, std::uint64_t groups, auto... of_kernel) {
        add_launch(work, kernel, groups, keys, request.count, of_kernel...);
    };
    for (unsigned level = 0; level < levels; ++level) {
        const std::uint64_t of_level = std::uint64_t{1} << level;
        const auto part = [&](const char* kernel, std::uint64_t groups, auto... seed) {
            launch(kernel, groups, of_level, levels, coding_if(coding, level == 0), coding.flip, values, indices,
                   Slot::own_integers, seed...);
        };
        const std::uint64_t pairs = pairs_of(device, request.count, of_level);
        if (pairs < 2) {
            part("part_ranges", of_level, planner.seed());
            continue;
        }
        part("choose_pivots", of_level, planner.seed());
        part("part_stripes", of_level * pairs);
        part("exchange_misplaced", of_level * pairs);
    }
    launch("sort_ranges", ranges, ranges, coding_if(coding, levels == 0), coding_if(coding, true), coding.flip, values,
           indices, Slot::own_integers, planner.seed());

    // What was given up, if anything. Indices are there: to the network, which would make them anew, they are values.
    const bool has_indices = bytes.index > 0;
    Request again = as_sort(request);
    again.schedule = Schedule::automatic;
    again.value_bytes = bytes.value + bytes.index;
    again.index_bytes = 0;
    again.segments = 1;
    again.longest = request.count;
    again.offset_bytes = sizeof(std::uint64_t);
    Network network = make_network(planner, again, ElementBytes(bytes.key, again.value_bytes));
    network.segments = Slot::own_integers;
    network.first_segment = ranges + 1;
    add_network(work, std::move(network), again, keys, Slot::own_indices, has_indices ? indices : values);
    return true;
}

}  // namespace lanesort::inline v0_1::detail
