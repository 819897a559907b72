// SPDX-License-Identifier: MIT
// Histograms: how many keys lie in each bin (kernels/histogram/count_keys.h).
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/integers.hpp"
#include "histogram_schedule.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"
#include "ops/search/binary_search_schedule.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Keys of one launch, which counters of 32 bits can count.
constexpr std::uint64_t most_keys = std::uint64_t{1} << 30;

/// Who counts what.
struct Counting {
    std::uint64_t share = 1;  ///< keys that are counted together
    std::uint64_t parts = 1;  ///< such shares
    unsigned copies = 1;      ///< counters of a bin in each; 0: those in memory alone
    unsigned windows = 1;     ///< work-groups of a share, for a part of the bins each
};

/// Of work-groups that have a work-item each, and counters of their own.
Counting on_processor(const DeviceInfo& device, std::uint64_t count, std::uint64_t bins) {
    constexpr std::uint64_t few_bins = 4096, least_keys = 1 << 14;
    Counting counting;
    counting.copies = bins <= few_bins ? 4 : 1;
    // To zero and to add counters shall take less than to count.
    const std::uint64_t most = std::max(count / std::max(least_keys, 4 * bins), std::uint64_t{1});
    counting.share = ceil_div(count, std::min<std::uint64_t>(most, std::uint64_t{4} * device.compute_units));
    counting.parts = ceil_div(count, counting.share);
    return counting;
}

/// Of work-groups that count in local memory, with room for so many counters. They count so many bins, or all values
/// of bytes, whose bins are found in the end.
Counting in_local_memory(const DeviceInfo& device, const Shape& shape, std::size_t key_bytes, std::uint64_t count,
                         std::uint64_t bins, std::uint64_t counted) {
    constexpr unsigned most_windows = 4, most_copies = 32;
    const std::uint64_t tile = std::uint64_t{shape.work_items} * (16 / key_bytes), counters = shape.vectors;
    const std::uint64_t groups = std::uint64_t{device.compute_units} * std::max(2048 / shape.work_items, 1u);
    Counting counting;
    counting.windows = static_cast<unsigned>(std::min<std::uint64_t>(ceil_div(counted, counters), most_windows + 1));
    const bool all_in_memory = counting.windows > most_windows || count / groups < std::min(bins, counted) / 16;
    if (all_in_memory) counting.windows = 1;
    counting.share =
        ceil_div(ceil_div(count, 2 * tile), std::max<std::uint64_t>(groups / counting.windows, 1)) * 2 * tile;
    counting.parts = ceil_div(count, counting.share);
    if (all_in_memory) counting.copies = 0;
    else if (counting.windows == 1)
        counting.copies = std::bit_floor(static_cast<unsigned>(
            std::clamp<std::uint64_t>(std::min(counters, counting.share) / counted, 1, most_copies)));
    return counting;
}

}  // namespace

Arrays histogram_arrays(const Request& request) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
    if (request.key.is_record()) refuse("records cannot be counted in bins, but numbers can");
    if (request.order) refuse("a histogram has no order: its bins ascend");
    if (request.in_rows()) refuse("the bins of rows and segments cannot be told, but those of a range can");
    if (request.length_bytes != 4 && request.length_bytes != 8)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the counts have {} bytes, but must have 4 or 8", request.length_bytes));
    if (request.length_bytes == 4 && request.count >> 32 != 0)
        throw Error(ErrorCode::too_large,
                    fmt::format("{} keys cannot be counted by integers of 4 bytes", request.count));
    constexpr std::uint64_t most_bins = std::uint64_t{1} << 30;
    if (request.bins < 1 || request.bins > most_bins)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("a histogram has 1 to {} bins, but not {}", most_bins, request.bins));
    Arrays arrays;
    arrays[Slot::keys] = {request.count, request.key.bytes(), Access::read, "keys"};
    arrays[Slot::lengths] = {request.bins, request.length_bytes, Access::write, "counts", false, true};
    if (request.bounded) {
        if (request.lower != 0 || request.upper != 0) refuse("keys bound the bins, so these are not even");
        arrays[Slot::second_keys] = {request.bins + 1, request.key.bytes(), Access::read, "bounds of bins"};
    } else {
        (void)rule_of(request);
    }
    return arrays;
}

void make_histogram(Planner& planner, const Request& request, Work& work) {
    const KeyType type = request.key.type();
    const std::size_t bytes = request.key.bytes();
    if (!request.bounded) check_doubles(planner.device(), type, "divide f64 into even bins");
    DeviceInfo device = planner.device();
    const unsigned sample = request.bounded ? sample_keys(device, bytes) : 1;
    KernelParameters parameters{.family = request.bounded     ? &families::bins_by_bounds
                                          : is_floating(type) ? &families::float_bins
                                                              : &families::integer_bins,
                                .bytes = {bytes, 0, request.length_bytes},
                                .shape = {.lanes = 1, .vectors = 1, .work_items = 1, .register_vectors = 2},
                                .buckets = {.sample = sample}};
    Shape& shape = parameters.shape;
    const std::uint64_t count = std::clamp<std::uint64_t>(request.count, 1, most_keys);  // of no keys, counts are zeros
    Counting counting;
    std::shared_ptr<const Program> program;
    const bool is_processor = device.kind == DeviceKind::cpu;
    for (;;) {
        if (is_processor || device.max_work_items < 2) {
            shape.work_items = 1;
            counting = on_processor(device, count, request.bins);
        } else {
            // Many bins take most of the local memory, and a work-group all of the multiprocessor.
            constexpr std::uint64_t usual_counters = 8192;
            const std::uint64_t room = std::bit_floor((device.local_bytes - sample * bytes) / 4);
            const std::uint64_t counted = bytes == 1 && room >= 256 ? 256 : request.bins;
            const bool are_many = counted > usual_counters;
            const std::uint64_t wanted = are_many ? std::bit_ceil(counted) : usual_counters;
            shape.vectors = static_cast<unsigned>(std::min(room, wanted));
            shape.work_items = std::bit_floor(std::min(device.max_work_items, are_many ? 1024u : 512u));
            counting = in_local_memory(device, shape, bytes, count, request.bins, counted);
            if (counting.copies == 0) {
                shape.vectors = 4;  // the sample lies behind 16 bytes
                shape.work_items = std::min(shape.work_items, 512u);
            }
            shape.resident_groups = counting.copies == 0 || !are_many ? 4 : 1;
        }
        program = planner.compile(parameters);
        if (shape.work_items <= program->max_work_items) break;
        device.max_work_items = std::bit_floor(std::max(program->max_work_items, 1u));
    }
    work.programs.push_back(program);
    const bool has_own_tables = shape.work_items == 1;
    const std::uint64_t groups = counting.parts * counting.windows;
    check_groups(groups, request, shape);
    // Counts of 4 bytes are counters themselves, if work-groups share these.
    const bool counts_in_place = !has_own_tables && request.length_bytes == 4 && request.count <= most_keys;
    const std::uint64_t tables = has_own_tables ? counting.parts * counting.copies : 1;
    const Slot table = counts_in_place ? Slot::lengths : Slot::own_integers;
    if (!counts_in_place) work.arrays[table] = {request.bins * tables, 4};

    const BinRule rule = request.bounded ? BinRule{} : rule_of(request);
    const Sampling sampling = request.bounded ? sample_of(request.bins + 1, sample) : Sampling{};
    const KeyCoding coding = key_coding(type, Order::ascending);
    std::uint64_t first = 0;
    do {
        work.commands.emplace_back(Zero{table});
        add_launch(work, "count_keys", groups, Argument(Slot::keys, first), std::min(request.count - first, most_keys),
                   counting.share, coding_if(coding, true), coding.flip, rule.lower, rule.span, rule.factor, rule.shift,
                   request.bounded ? Slot::second_keys : Slot::keys, sampling.stride, sampling.samples, request.bins,
                   counting.copies, counting.windows, table);
        if (counts_in_place) return;
        constexpr std::uint64_t additions = 1 << 14;  // of a work-item, so that several threads have some
        const std::uint64_t share = has_own_tables ? ceil_div(additions, tables) : std::uint64_t{shape.work_items} * 4;
        add_launch(work, "add_counts", ceil_div(request.bins, share), Slot::own_integers, request.bins,
                   has_own_tables ? counting.parts : 1, has_own_tables ? counting.copies : 1, share, first > 0,
                   Slot::lengths);
        first += most_keys;
    } while (first < request.count);
}

}  // namespace lanesort::inline v0_1::detail
