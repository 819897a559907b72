// SPDX-License-Identifier: MIT
#include "shape_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <lanesort/error.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/shape_table.hpp>

namespace {

using namespace lanesort;

bool can_run(const Shape& shape, const DeviceInfo& device, std::size_t key_bytes) {
    try {
        check_shape(shape);
    } catch (const Error&) {
        return false;
    }
    return shape.work_items <= device.max_work_items && shape.local_bytes(key_bytes) <= device.local_bytes;
}

/// For one work-item that walks its tile in the cache: how much of the cache, in how many registers, how wide.
std::vector<Shape> neighbours_in_cache(const Shape& shape) {
    std::vector<Shape> found;
    const auto add = [&](auto change) { change(found.emplace_back(shape)); };
    add([](Shape& s) { s.vectors *= 2; });
    add([](Shape& s) { s.vectors /= 2; });
    add([](Shape& s) { s.register_vectors *= 2, s.steps_per_pass += 1; });
    add([](Shape& s) { s.register_vectors /= 2, s.steps_per_pass -= 1; });
    add([](Shape& s) { s.lanes *= 2, s.vectors /= 2; });
    add([](Shape& s) { s.lanes /= 2, s.vectors *= 2; });
    add([](Shape& s) { s.steps_per_pass += 1; });
    add([](Shape& s) { s.steps_per_pass -= 1; });
    return found;
}

/// For work-items that share a tile. Where the number of resident groups counts, registers are a budget: what takes
/// more of them in a group leaves room for fewer groups.
std::vector<Shape> neighbours_in_local(const Shape& shape, bool residents_count) {
    std::vector<Shape> found;
    const auto add = [&](auto change) { change(found.emplace_back(shape)); };
    const auto larger_groups = [=](Shape& s) {
        if (residents_count) s.resident_groups = std::max(s.resident_groups / 2, 1u);
    };
    const auto smaller_groups = [=](Shape& s) {
        if (residents_count) s.resident_groups = std::min(s.resident_groups * 2, 32u);
    };
    add([&](Shape& s) { s.vectors *= 2, s.register_vectors *= 2, larger_groups(s); });
    add([&](Shape& s) { s.work_items *= 2, larger_groups(s); });
    add([&](Shape& s) { s.vectors /= 2, s.register_vectors /= 2, smaller_groups(s); });
    add([&](Shape& s) { s.work_items /= 2, smaller_groups(s); });
    add([](Shape& s) { s.steps_per_pass += 1; });
    add([](Shape& s) { s.steps_per_pass -= 1; });
    if (residents_count) {
        const unsigned step = std::max(shape.resident_groups / 4, 1u);
        add([=](Shape& s) { s.resident_groups += step; });
        add([=](Shape& s) { s.resident_groups -= step; });
    }
    const auto local_memory = [&](bool remap, bool bank_swap, bool bank_padding) {
        add([=](Shape& s) { s.remap = remap, s.bank_swap = bank_swap, s.bank_padding = bank_padding; });
    };
    local_memory(true, false, shape.lanes == 1);
    local_memory(true, true, false);
    local_memory(false, false, shape.lanes == 1);
    return found;
}

/// The network alone, or half and twice as many columns.
std::vector<Shape> with_other_columns(const Shape& shape, std::uint64_t count) {
    const auto columns_of = [count](const Shape& of) {
        const Plan plan = make_plan(count, of);
        return plan.passes.empty() ? 1 : 1u << plan.passes.front().column_bits;
    };
    Shape other = shape, unlimited = shape;
    other.columns = !shape.columns;
    other.most_columns = unlimited.most_columns = 0;
    std::vector<Shape> found{other};
    const unsigned columns = columns_of(shape);
    if (columns == 1) return found;
    found.insert(found.end(), 2, shape);
    found[1].most_columns = columns / 2;
    found[2].most_columns = 2 * columns < columns_of(unlimited) ? 2 * columns : 0;
    return found;
}

}  // namespace

std::vector<Shape> neighbours(const Shape& shape, const DeviceInfo& device, std::size_t key_bytes,
                              std::uint64_t count) {
    // Another schedule first, which matters most where the time ends early.
    std::vector<Shape> found = with_other_columns(shape, count);
    std::ranges::copy(
        shape.walks_in_cache() ? neighbours_in_cache(shape) : neighbours_in_local(shape, device.backend == "CUDA"),
        std::back_inserter(found));
    std::erase_if(found, [&](const Shape& other) { return other == shape || !can_run(other, device, key_bytes); });
    return found;
}

ShapeSearch::ShapeSearch(std::vector<Shape> first, std::size_t counts, Neighbours neighbours)
    : first_(std::move(first)), neighbours_(std::move(neighbours)), counts_(counts) {}

std::optional<Shape> ShapeSearch::next() {
    const auto new_one = [this](const std::vector<Shape>& shapes) -> std::optional<Shape> {
        const auto found = std::ranges::find_if(shapes, [this](const Shape& shape) { return !was_tried(shape); });
        return found != shapes.end() ? std::optional(*found) : std::nullopt;
    };
    if (const auto shape = new_one(first_)) return shape;
    for (std::size_t asked = 0; asked < counts_; ++asked) {
        const std::size_t count = turn_++ % counts_;
        const std::vector<Shape> best = fastest(count, 1);
        if (best.empty()) continue;
        if (const auto shape = new_one(neighbours_(best.front(), count))) return shape;
    }
    return std::nullopt;
}

void ShapeSearch::tried(const Shape& shape, std::span<const std::optional<double>> seconds) {
    trials_.push_back({shape, {seconds.begin(), seconds.end()}});
}

std::vector<Shape> ShapeSearch::fastest(std::size_t count, std::size_t most) const {
    std::vector<std::pair<double, Shape>> usable;
    for (const Trial& trial : trials_)
        if (trial.seconds[count]) usable.emplace_back(*trial.seconds[count], trial.shape);
    std::ranges::stable_sort(usable, {}, &std::pair<double, Shape>::first);
    std::vector<Shape> shapes;
    for (const auto& [seconds, shape] : usable)
        if (shapes.size() < most) shapes.push_back(shape);
    return shapes;
}

bool ShapeSearch::was_tried(const Shape& shape) const {
    return std::ranges::find(trials_, shape, &Trial::shape) != trials_.end();
}

std::vector<CountRange> ranges_around(std::span<const std::uint64_t> counts) {
    constexpr std::uint64_t reach = 4, like_all_larger = std::uint64_t{1} << 24;
    const auto border = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::uint64_t>(
            std::ceil(std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b))));
    };
    std::vector<CountRange> ranges;
    for (const std::uint64_t count : counts)
        ranges.push_back({count / reach, count > ShapeTable::no_end / reach ? ShapeTable::no_end : count * reach});
    for (std::size_t i = 1; i < counts.size(); ++i) {
        const std::uint64_t middle = border(counts[i - 1], counts[i]);
        ranges[i].from = std::max(ranges[i].from, middle);
        ranges[i - 1].below = std::min(ranges[i - 1].below, middle);
    }
    if (!counts.empty() && counts.back() >= like_all_larger) ranges.back().below = ShapeTable::no_end;
    return ranges;
}
