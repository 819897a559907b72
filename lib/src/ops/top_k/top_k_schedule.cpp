// SPDX-License-Identifier: MIT
#include "top_k_schedule.hpp"

#include <algorithm>
#include <bit>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Work-items select by themselves; else those of a group do so together, in local memory.
bool in_registers(const DeviceInfo& device) { return device.kind == DeviceKind::cpu || device.max_work_items < 32; }

unsigned lanes_for(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) {
    if (!in_registers(device) || bytes.is_record) return 1;
    if (!device.compiles) {
        // What is compiled ahead has the vectors of AVX2 or none, and in these indices of 4 bytes.
        const bool is_wide = bytes.index == 8 && count >= wide_count;
        if (device.native_vector_bytes < 32 || is_wide) return 1;
        bytes.index = std::min<std::size_t>(bytes.index, 4);
    }
    const auto widest = static_cast<unsigned>(std::max(bytes.key, bytes.index));
    const unsigned vector_bytes = device.compiles ? device.native_vector_bytes : 32;
    return std::clamp<unsigned>(std::bit_floor(vector_bytes / widest), 1, bytes.index > 0 ? 8 : 16);
}

/// Vectors that a work-item of a processor keeps, at most: its first-level cache holds what its registers do not.
constexpr unsigned most_vectors = 128;
/// Elements that a work-item has in registers at a time, and in local memory the steps of a round on them.
constexpr unsigned register_vectors = 8, steps_of_round = 3;
constexpr unsigned least_bucket_bits = 3;

/// Elements of the largest tile that a work-group has in local memory: several work-groups fit a multiprocessor.
std::uint64_t most_in_tile(const DeviceInfo& device, ElementBytes bytes) {
    const std::size_t local_bytes = std::min<std::size_t>(device.local_bytes, 36 << 10);
    return std::min<std::uint64_t>(std::bit_floor(local_bytes * 8 / 9 / bytes.all()), 4096);
}

unsigned work_items_for(const DeviceInfo& device, std::uint64_t tile) {
    return static_cast<unsigned>(std::min<std::uint64_t>(
        {tile / register_vectors, std::uint64_t{512}, std::bit_floor(std::uint64_t{device.max_work_items})}));
}

/// The power of two from k on that a work-group keeps of its tile.
std::uint64_t run_for(std::uint64_t k) { return std::max<std::uint64_t>(std::bit_ceil(k), register_vectors); }

/// lg of an integer's square root, rounded down.
unsigned half_bits(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value) - 1) / 2; }

/// Two arrays of sqrt(k * count) elements are left to select among if buckets have sqrt(count / k).
unsigned bucket_bits_for(const DeviceInfo& device, ElementBytes bytes, std::uint64_t rows, std::uint64_t count,
                         std::uint64_t k) {
    const bool alone = in_registers(device);
    // Fewer elements are selected among sooner than three passes are launched.
    const std::uint64_t least_elements = std::uint64_t{1} << (alone ? 14 : 19);
    const std::uint64_t least_length = alone ? 16 * register_vectors * lanes_for(device, bytes, count) : 0;
    if (rows * count < least_elements || count < least_length) return 0;
    unsigned bits = half_bits(count / k);
    // A graphics card reads fast only if many work-items do.
    const std::uint64_t least_buckets = alone ? 1 : device.compute_units * std::uint64_t{2048};
    while (bits > 0 && rows * count >> bits < least_buckets) --bits;
    // A row has a whole group of buckets, however many work-items the shape will have; so indices stay narrow.
    const std::uint64_t most_buckets =
        alone ? lanes_for(device, bytes, count) : work_items_for(device, most_in_tile(device, bytes));
    while (bits > 0 && most_buckets << bits > count) --bits;
    return bits < least_bucket_bits ? 0 : bits;
}

Shape shape_in_registers(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count, std::uint64_t k) {
    Shape shape;
    shape.lanes = lanes_for(device, bytes, count);
    shape.vectors =
        std::max(static_cast<unsigned>(std::bit_ceil(ceil_div(k, std::uint64_t{shape.lanes}))), register_vectors);
    shape.register_vectors = register_vectors;
    shape.work_items = 1;
    return shape;
}

Shape shape_in_local(const DeviceInfo& device, ElementBytes bytes, std::uint64_t most, std::uint64_t k) {
    constexpr std::uint64_t least_tile = 32 * register_vectors;
    const std::uint64_t run = run_for(k), largest = std::max(most_in_tile(device, bytes), run);
    const std::uint64_t tile = std::min(std::max({std::bit_ceil(most), run, least_tile}), largest);
    Shape shape;
    shape.register_vectors = register_vectors;
    shape.work_items = work_items_for(device, tile);
    shape.vectors = static_cast<unsigned>(tile / shape.work_items);
    // 4-byte registers of a work-item, and of a multiprocessor.
    const std::size_t registers = 2 * register_vectors * bytes.all() / 4 + 40;
    shape.resident_groups =
        static_cast<unsigned>(std::clamp<std::size_t>(65536 / (shape.work_items * registers), 1, 8));
    return shape;
}

/// Work-groups of a row, and their share, in a pass that selects among `count` elements of each row: what passes before
/// it left of more, if it `follows` one.
TopKPass pass_among(const DeviceInfo& device, const TopKSchedule& selection, std::uint64_t count, bool follows) {
    const Shape& shape = selection.shape;
    TopKPass pass{.count = count};
    if (in_registers(device)) {
        // As many work-items as there are cores, twice, but each reads no less than is read after them.
        const std::uint64_t kept = std::uint64_t{shape.vectors} * shape.lanes;
        const std::uint64_t batch = std::uint64_t{shape.register_vectors} * shape.lanes;
        const std::uint64_t most_parts =
            ceil_div(std::max(device.compute_units, 1u) * std::uint64_t{2}, selection.rows);
        const std::uint64_t parts =
            follows ? 1 : std::min(std::uint64_t{1} << half_bits(std::max<std::uint64_t>(count / kept, 1)), most_parts);
        // What is passed over takes less time than another launch.
        const std::uint64_t least_share = selection.skips ? std::uint64_t{1} << 16 : 0;
        pass.share = ceil_div(std::max(ceil_div(count, parts), std::min(least_share, count)), batch) * batch;
    } else {
        const std::uint64_t tile = std::uint64_t{shape.vectors} * shape.work_items;
        pass.share = std::clamp(std::bit_ceil(count), run_for(selection.k), tile);
    }
    pass.parts = ceil_div(count, pass.share);
    pass.left = pass.parts * selection.k;
    return pass;
}

}  // namespace

std::uint64_t most_selected(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) noexcept {
    if (in_registers(device)) return std::uint64_t{most_vectors} * lanes_for(device, bytes, count);
    // A whole work-group leaves a quarter at most.
    const std::uint64_t tile = most_in_tile(device, bytes);
    return tile < 4 * register_vectors ? 0 : tile / 4;
}

TopKSchedule make_top_k_schedule(const DeviceInfo& device, ElementBytes bytes, std::uint64_t rows, std::uint64_t count,
                                 std::uint64_t k, bool data_independent) {
    ElementBytes indexed = bytes;
    if (indexed.index < 4) indexed.index = count >> 32 == 0 ? 4 : 8;
    const bool may_have_buckets =
        k <= most_selected(device, indexed, count) && (data_independent || !in_registers(device));
    const unsigned bucket_bits = may_have_buckets ? bucket_bits_for(device, indexed, rows, count, k) : 0;
    const bool in_buckets = bucket_bits > 0;
    TopKSchedule selection{rows, count, k, !data_independent, in_buckets ? indexed : bytes, {}, {}};
    const std::uint64_t of_buckets = k << bucket_bits;
    const std::uint64_t most =
        in_buckets ? std::max(ceil_div(count, std::uint64_t{1} << bucket_bits), of_buckets) : count;
    selection.shape = in_registers(device) ? shape_in_registers(device, selection.bytes, count, k)
                                           : shape_in_local(device, selection.bytes, most, k);

    std::uint64_t place = 0;
    const auto add = [&](TopKPass pass) {
        pass.reads_keys = selection.passes.empty() || pass.bucket_bits > 0;
        if (!selection.passes.empty()) pass.read_place = selection.passes.back().left_place;
        pass.left_place = place;
        place += rows * pass.left;
        selection.passes.push_back(pass);
    };
    const auto select_among = [&](std::uint64_t among, unsigned bits) {
        TopKPass pass = pass_among(device, selection, among, false);
        pass.bucket_bits = bits;
        if (bits > 0) pass.count = count;
        add(pass);
        while (selection.passes.back().parts > 1)
            add(pass_among(device, selection, selection.passes.back().left, true));
    };
    if (!in_buckets) {
        select_among(count, 0);
        return selection;
    }
    const std::uint64_t buckets = std::uint64_t{selection.shape.work_items} * selection.shape.lanes;
    TopKPass pass{.kind = TopKPass::Kind::best_of_buckets, .count = count, .share = buckets << bucket_bits};
    pass.parts = ceil_div(count, pass.share);
    pass.bucket_bits = bucket_bits;
    pass.left = pass.parts * buckets;
    add(pass);
    select_among(pass.left, 0);
    select_among(of_buckets, bucket_bits);
    return selection;
}

std::uint64_t TopKSchedule::left_over() const noexcept { return passes.back().left_place; }

SortReport TopKSchedule::report() const noexcept {
    SortReport report;
    report.launches = passes.size();
    if (shape.work_items == 1) return report;
    const auto rounds_of = [](unsigned steps) { return (steps + steps_of_round - 1) / steps_of_round; };
    const auto run_bits = static_cast<unsigned>(std::countr_zero(run_for(k)));
    for (const TopKPass& pass : passes) {
        if (pass.kind != TopKPass::Kind::select_best) continue;
        const auto halvings = static_cast<unsigned>(std::countr_zero(pass.share)) - run_bits;
        unsigned rounds = halvings * rounds_of(run_bits);
        for (unsigned phase = steps_of_round + 1; phase <= run_bits; ++phase) rounds += rounds_of(phase);
        report.hand_overs += 1 + rounds;
    }
    report.barriers = report.hand_overs;
    return report;
}

std::size_t top_k_local_bytes(const Shape& shape, ElementBytes bytes) noexcept {
    if (shape.work_items == 1) return 0;
    const std::size_t elements = std::size_t{shape.vectors} * shape.work_items, places = elements + elements / 8;
    const auto aligned = [](std::size_t size) { return (size + 15) / 16 * 16; };
    return aligned(places * bytes.key) + aligned(places * bytes.index);
}

}  // namespace lanesort::inline v0_1::detail
