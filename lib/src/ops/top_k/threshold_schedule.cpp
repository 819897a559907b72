// SPDX-License-Identifier: MIT
#include "threshold_schedule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

constexpr unsigned threshold_registers = 8;
/// Elements of a buffer: fewer would be a poor sample; more, and fewer groups are resident.
constexpr std::uint64_t least_buffer = 2048, usual_buffer = 4096;
/// Elements of rows: shorter ones are better sorted, and those that are shared out among work-groups are longer.
constexpr std::uint64_t least_by_threshold = 8192, least_shared = 32768;
/// Of fewer than so many of a shared row, the best of buckets are found sooner.
constexpr std::uint64_t least_shared_first = 64;

std::size_t buffer_bytes(std::uint64_t capacity, ElementBytes bytes) {
    const std::uint64_t slots = capacity + capacity / 8;
    const auto aligned = [](std::size_t size) { return (size + 15) / 16 * 16; };
    return aligned(slots * bytes.key) + aligned(slots * bytes.index) + 2 * sizeof(std::uint32_t);
}

/// The most that a work-group selects: a buffer has twice as many.
std::uint64_t most_in_buffer(const DeviceInfo& device, ElementBytes bytes) {
    constexpr std::uint64_t least = 32, most = 4096;
    std::uint64_t k = most;
    while (k >= least && buffer_bytes(2 * k, bytes) > device.local_bytes) k /= 2;
    return k < least ? 0 : k;
}

Shape shape_of(const DeviceInfo& device, ElementBytes bytes, std::uint64_t capacity, std::uint64_t most_items) {
    Shape shape;
    shape.register_vectors = threshold_registers;
    shape.work_items = static_cast<unsigned>(
        std::min({capacity / threshold_registers, most_items, std::bit_floor(std::uint64_t{device.max_work_items})}));
    shape.vectors = static_cast<unsigned>(capacity / shape.work_items);
    // 4-byte registers of a work-item, and of a multiprocessor.
    const std::size_t registers = bytes.is_record ? 255 : bytes.key == 4 && bytes.index == 4 ? 48 : 80;
    shape.resident_groups =
        static_cast<unsigned>(std::clamp<std::size_t>(65536 / (shape.work_items * registers), 1, 8));
    return shape;
}

}  // namespace

std::optional<ThresholdSchedule> make_threshold_schedule(const DeviceInfo& device, ElementBytes bytes,
                                                         std::uint64_t rows, std::uint64_t count, std::uint64_t k) {
    constexpr std::uint64_t most_length = std::uint64_t{1} << 31;
    if (device.kind == DeviceKind::cpu || device.max_work_items < 32 || count < least_by_threshold ||
        count >= most_length)
        return std::nullopt;
    ThresholdSchedule schedule{rows, count, k, bytes, {}};
    if (schedule.bytes.index < 4) schedule.bytes.index = count >> 32 == 0 ? 4 : 8;
    const std::uint64_t most = most_in_buffer(device, schedule.bytes);
    if (most == 0) return std::nullopt;
    schedule.sorts = k > most;
    const bool is_shared = count >= least_shared && (schedule.sorts || rows < device.compute_units * std::uint64_t{2});
    // Work-groups of few rows leave most of the device idle.
    if (!is_shared && rows < device.compute_units) return std::nullopt;
    if (schedule.sorts && (!is_shared || bytes.is_record)) return std::nullopt;
    if (is_shared && k < least_shared_first) return std::nullopt;

    // More than twice the first k leave room for a fairer sample, up to where fewer groups are resident. In a long row
    // that several share, a fairer sample lets pass less for the one that comes last.
    std::uint64_t capacity = std::clamp(4 * std::bit_ceil(k), least_buffer, usual_buffer);
    while (capacity < 2 * k || (is_shared && capacity * capacity < 8 * count)) capacity *= 2;
    capacity = std::min(capacity, 2 * most);
    schedule.shape = shape_of(device, schedule.bytes, capacity, is_shared && schedule.bytes.all() <= 8 ? 512 : 256);
    if (!is_shared) return schedule;

    constexpr std::uint64_t groups_per_unit = 4;
    const std::uint64_t batch = std::uint64_t{schedule.shape.work_items} * threshold_registers;
    const std::uint64_t most_parts = ceil_div(device.compute_units * groups_per_unit, rows);
    schedule.share = ceil_div(ceil_div(count, std::min(ceil_div(count, 2 * batch), most_parts)), batch) * batch;
    schedule.parts = ceil_div(count, schedule.share);
    // So much passes nearly always, as in sample_for of the kernel.
    const double of_sample = static_cast<double>(count) / static_cast<double>(capacity), first = static_cast<double>(k);
    const double passing = first + 5 * std::sqrt(first * (of_sample + first / 128)) + 16 * of_sample;
    schedule.room = static_cast<std::uint64_t>(passing * 1.25) + capacity;
    if (schedule.sorts && schedule.room > count / 4) return std::nullopt;
    return schedule;
}

constexpr unsigned digit_bits = 8;

std::vector<ThresholdDigit> digits_of(const ThresholdSchedule& schedule) {
    std::vector<ThresholdDigit> digits;
    const auto add = [&](bool in_index, unsigned bits) {
        for (unsigned shift = (bits + digit_bits - 1) / digit_bits * digit_bits; shift > 0; shift -= digit_bits)
            digits.push_back({in_index, shift - digit_bits});
    };
    add(false, static_cast<unsigned>(schedule.bytes.key * 8));
    add(true, static_cast<unsigned>(std::bit_width(schedule.count - 1)));
    return digits;
}

std::uint64_t state_units(const ThresholdSchedule& schedule) noexcept {
    constexpr std::uint64_t of_row = (4 + (1U << digit_bits)) / 2;
    return schedule.rows * of_row;
}

Shape with_more_registers(Shape shape) noexcept {
    shape.resident_groups = std::max(shape.resident_groups, 2u) - 1;
    return shape;
}

std::size_t threshold_local_bytes(const Shape& shape, ElementBytes bytes) noexcept {
    return buffer_bytes(std::uint64_t{shape.vectors} * shape.work_items, bytes);
}

}  // namespace lanesort::inline v0_1::detail
