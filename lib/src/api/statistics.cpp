// SPDX-License-Identifier: MIT
#include <lanesort/statistics.hpp>

#include <bit>

#include <fmt/core.h>

#include "ops/sort/rounds.hpp"

namespace lanesort::inline v0_1 {

PrintedCounts printed_counts(std::uint64_t count, const Shape& shape) {
    if (count < 2) return {};
    // The patent sorts 2N keys, so its lg N is one less than the phases of the network.
    const std::int64_t lg_n = static_cast<std::int64_t>(std::bit_width(count - 1)) - 1;
    const std::int64_t lg_lanes = log2(shape.lanes), lg_items = log2(shape.work_items);
    const std::int64_t vector_levels = lg_n - 2 * lg_lanes;
    PrintedCounts printed;
    if (shape.steps_per_pass > 1 || shape.walks_in_cache()) return printed;

    const std::int64_t all = (2 + vector_levels) * (vector_levels + 1) / 2 - 1;
    if (!shape.local_sync) {
        printed.all = all;
        if (shape.lanes == 1) printed.by_cpu = all;
        return printed;
    }
    const std::int64_t global_levels = vector_levels - lg_items;
    const std::int64_t by_cpu = global_levels <= 0 ? 0 : (1 + global_levels) * global_levels / 2;
    if (shape.vectors == 1) {
        printed.all = all;
        printed.by_cpu = by_cpu;
    } else {
        const std::int64_t lg_vectors = log2(shape.vectors);
        const std::int64_t saved = (1 + 2 * lg_n - 2 * lg_items - 2 * lg_vectors) * lg_vectors;
        if (saved <= by_cpu) printed.by_cpu = by_cpu - saved;
    }
    return printed;
}

SyncCounts exact_counts(const Plan& plan) {
    SyncCounts counts;
    if (plan.passes.empty()) return counts;
    counts.by_cpu = counts.all = plan.passes.size() - 1;
    for (const Pass& pass : plan.passes) {
        counts.all += pass.hand_overs;
        counts.barriers += pass.barriers;
    }
    return counts;
}

std::vector<Variant> statistics_variants(std::size_t key_bytes, std::size_t local_bytes, unsigned max_work_items) {
    std::vector<Variant> variants;
    const auto add = [&](std::string name, Shape shape) {
        shape.register_vectors = 2 * shape.vectors;
        while (shape.work_items > max_work_items || shape.local_bytes(key_bytes) > local_bytes) {
            if (shape.work_items == 1) return;
            shape.work_items /= 2;
        }
        if (shape.steps_per_pass <= log2(shape.tile_vectors())) variants.push_back({std::move(name), shape});
    };
    Shape shape{.work_items = 256, .local_sync = false};
    add("scalar, every step by the CPU", shape);
    shape.local_sync = true;
    add("scalar, local barriers", shape);
    for (const unsigned lanes : {2u, 4u, 8u, 16u}) {
        shape.lanes = lanes;
        add(fmt::format("vectors, L={}", lanes), shape);
    }
    shape.lanes = 4;
    for (const unsigned vectors : {2u, 4u}) {
        shape.vectors = vectors;
        add(fmt::format("L=4, M={}", vectors), shape);
    }
    shape.remap = true;
    add("L=4, M=4, remapped", shape);
    shape.bank_swap = true;
    add("L=4, M=4, remapped, bank swap", shape);
    for (const unsigned steps : {2u, 4u}) {
        shape.steps_per_pass = steps;
        add(fmt::format("L=4, M=4, remapped, bank swap, r={}", steps), shape);
    }
    return variants;
}

}  // namespace lanesort::inline v0_1
