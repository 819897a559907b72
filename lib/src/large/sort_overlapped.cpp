// SPDX-License-Identifier: MIT
// Sorts of keys in host memory that fit the device: tiles are sorted while others come, and what belongs together in
// the end, a bucket, while others go back. So of a sort's time little is seen beside that of the copies.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/encoded_keys.hpp"
#include "core/integers.hpp"
#include "core/queue_memory.hpp"
#include "core/sorter_core.hpp"
#include "core/stopwatch.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

constexpr std::uint64_t tiles_at_most = 16;
/// So many buckets have memory: while one is sorted and one goes back, the next waits to.
constexpr std::uint64_t buckets_at_once = 3;
/// Samples of a tile: buckets differ by as much as lies between two in each of the tiles.
constexpr std::uint64_t samples_of_tile = 256;

/// A work that copies rows of elements from the keys to the results.
Work copying(std::size_t bytes, std::uint64_t rows, std::uint64_t width, std::uint64_t pitch, std::uint64_t front) {
    Work work;
    work.arrays[Slot::keys] = {0, bytes, Access::read};
    work.arrays[Slot::results] = {0, bytes, Access::write};
    work.commands.push_back(Copy{.from = Slot::keys,
                                 .to = Slot::results,
                                 .width = width * bytes,
                                 .height = rows,
                                 .pitch = pitch * bytes,
                                 .front = front * bytes});
    return work;
}

/// A sample's key as an ordered integer, and its place among all samples, which orders equal ones.
using Sample = std::pair<std::uint64_t, std::uint64_t>;

/// Tiles of the array, each of which gives a sample every `stride` elements.
struct SampledTiles {
    std::uint64_t count, tiles, tile, stride;

    explicit SampledTiles(std::uint64_t all)
        : count(all),
          tiles(tiles_at_most),
          tile(ceil_div(all, tiles)),
          stride(std::max<std::uint64_t>(tile / samples_of_tile, 1)) {}

    std::uint64_t size(std::uint64_t i) const noexcept { return std::min(tile, count - i * tile); }
    std::uint64_t samples(std::uint64_t i) const noexcept { return size(i) / stride; }
    std::uint64_t first_sample(std::uint64_t i) const noexcept { return i * (tile / stride); }
    std::uint64_t all_samples() const noexcept { return first_sample(tiles - 1) + samples(tiles - 1); }
    /// Elements of a bucket: as many as lie between its samples, and in each tile those up to the next one, or up to
    /// the end, where up to two strides are left.
    std::uint64_t most_in_bucket() const noexcept { return (ceil_div(all_samples(), tiles) + 2 * tiles) * stride; }
};

}  // namespace

bool SorterCore::is_overlapped(const Request& request, const Arrays& arrays) const noexcept {
    const std::uint64_t bytes = arrays[Slot::keys].size();
    // Values order pairs whose keys are equal, and a bucket may end between these.
    const bool can_be = is_sort(request) && !request.key.is_record() && request.value_bytes == 0 &&
                        !request.in_rows() && !request.counts_syncs && request.first >= request.count &&
                        request.schedule == Schedule::automatic && !request.data_independent;
    return can_be && bytes >= overlapped_from_ && request.count >= 2 * tiles_at_most * samples_of_tile &&
           bytes + bytes / 4 <= memory_limit();
}

SortReport SorterCore::run_overlapped(const Request& request, const Bindings& bindings) {
    const SampledTiles tiling(request.count);
    const std::uint64_t tiles = tiling.tiles, bytes = request.key.bytes(), cuts = tiles - 1;
    const auto of_count = [&](std::uint64_t count) {
        Request smaller = request;
        smaller.count = count;
        smaller.apart = false;
        return smaller;
    };
    std::vector<std::shared_ptr<const Work>> sort_tile, search_tile;
    for (std::uint64_t i = 0; i < tiles; ++i) {
        sort_tile.push_back(plan(of_count(tiling.size(i))));
        search_tile.push_back(plan(as_search(request, tiling.size(i), cuts)));
    }

    SortReport report;
    report.schedule = Schedule::distribution;
    // What queues read or write outlives them, and their memory what is done with it on other queues.
    std::vector<std::byte> sample_keys, splitter_keys;
    std::vector<std::uint64_t> places;
    const std::unique_ptr<DeviceQueue> sorts = backend_->open_queue(), uploads = backend_->open_queue(),
                                       downloads = backend_->open_queue();
    QueueMemory memory(*sorts);
    memory.need(Slot::keys, request.count * bytes);
    memory.need(Slot::results, tiling.all_samples() * bytes);
    memory.need(Slot::second_keys, cuts * bytes);
    memory.need(Slot::indices, tiles * cuts * 2 * sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < tiles; ++i) {
        memory.need(*sort_tile[i], Slot::own_keys);
        memory.need(*search_tile[i], Slot::own_keys);
    }
    memory.allocate();
    QueueMemory buckets[buckets_at_once] = {QueueMemory(*sorts), QueueMemory(*sorts), QueueMemory(*sorts)};
    for (QueueMemory& bucket : buckets) {
        bucket.need(Slot::keys, tiling.most_in_bucket() * bytes);
        bucket.allocate();
    }
    const std::size_t all = 2 * tiles;
    std::size_t done = 0;
    const auto tell = [&](const std::shared_ptr<const QueueEnd>& end) {
        end->wait();
        if (progress_) progress_(++done, all);
    };
    Stopwatch watch;

    // Tiles are sorted as they come.
    auto* const keys = static_cast<std::byte*>(bindings[Slot::keys].memory);
    Bindings on_device = memory.bindings();
    std::vector<std::shared_ptr<const QueueEnd>> uploaded, ends;
    for (std::uint64_t i = 0; i < tiles; ++i) {
        const std::uint64_t first = i * tiling.tile;
        uploads->upload(one_row(keys + first * bytes, tiling.size(i) * bytes),
                        {on_device[Slot::keys].memory, first * bytes});
        uploaded.push_back(uploads->end());
    }
    for (std::uint64_t i = 0; i < tiles; ++i) {
        sorts->await(uploaded[i]);
        on_device[Slot::keys].offset = i * tiling.tile;
        sorts->run(*sort_tile[i], on_device);
        sorts->run(copying(bytes, tiling.samples(i), 1, tiling.stride, tiling.first_sample(i)), on_device);
        add_launches(report, *sort_tile[i]);
        ends.push_back(sorts->end());
    }
    for (std::uint64_t i = 0; i + 1 < tiles; ++i) tell(ends[i]);
    for (const auto& end : uploaded) end->wait();
    report.upload_seconds = watch.lap();
    tell(ends.back());

    // Keys are ordered as in the sort, equal ones by where they lie. So samples part them into buckets of about as
    // many.
    sample_keys.resize(tiling.all_samples() * bytes);
    sorts->download({on_device[Slot::results].memory}, one_row(sample_keys.data(), sample_keys.size()));
    sorts->end()->wait();
    std::vector<Sample> samples;
    for (const std::uint64_t key : encode_keys(sample_keys, bytes, coding_of(request)))
        samples.emplace_back(key, samples.size());
    std::ranges::sort(samples);
    std::vector<std::uint64_t> splitters;
    for (std::uint64_t j = 1; j < tiles; ++j) {
        const std::uint64_t sample = samples[samples.size() * j / tiles].second;
        splitters.push_back(sample);
        const std::byte* const key = sample_keys.data() + sample * bytes;
        splitter_keys.insert(splitter_keys.end(), key, key + bytes);
    }
    sorts->upload(one_row(splitter_keys.data(), splitter_keys.size()), {on_device[Slot::second_keys].memory});
    places.resize(tiles * cuts * 2);
    for (std::uint64_t i = 0; i < tiles; ++i) {
        on_device[Slot::keys].offset = i * tiling.tile;
        on_device[Slot::indices].offset = i * cuts * 2;
        sorts->run(*search_tile[i], on_device);
        add_launches(report, *search_tile[i]);
    }
    sorts->download({on_device[Slot::indices].memory}, one_row(places.data(), places.size() * sizeof places[0]));
    sorts->end()->wait();
    // Where bucket j begins in tile i.
    const auto cut = [&](std::uint64_t i, std::uint64_t j) {
        if (j == 0) return std::uint64_t{0};
        if (j == tiles) return tiling.size(i);
        const std::uint64_t tile = splitters[j - 1] / (tiling.tile / tiling.stride);
        const std::uint64_t* const range = &places[(i * cuts + j - 1) * 2];
        return i < tile   ? range[1]
               : i > tile ? range[0]
                          : splitters[j - 1] % (tiling.tile / tiling.stride) * tiling.stride;
    };
    // Buckets take the tiles' schedule, so that there is nothing more to compile. A larger one may need more memory for
    // a distribution than it may take.
    const auto plan_bucket = [&](Request bucket) {
        bucket.schedule = sort_tile.front()->report.schedule;
        if (bucket.schedule != Schedule::distribution) bucket.extra_bytes = 0;
        try {
            return plan(bucket);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::unsupported) throw;
            bucket.schedule = Schedule::automatic;
            return plan(bucket);
        }
    };
    std::vector<std::shared_ptr<const Work>> sort_bucket;
    for (std::uint64_t j = 0; j < tiles; ++j) {
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < tiles; ++i) count += cut(i, j + 1) - cut(i, j);
        sort_bucket.push_back(plan_bucket(of_count(count)));
        buckets[j % buckets_at_once].need(*sort_bucket.back());
    }
    for (QueueMemory& bucket : buckets) {
        bucket.allocate();
        report.device_bytes += bucket.bytes();
    }
    report.device_bytes += memory.bytes();

    // Buckets go back as they are sorted; from here on the caller's keys are written.
    std::vector<std::shared_ptr<const QueueEnd>> sorted, back;
    std::vector<std::uint64_t> counts;
    const auto sort_next = [&] {
        const std::uint64_t j = sorted.size();
        const Bindings& bucket = buckets[j % buckets_at_once].bindings();
        if (j >= buckets_at_once) sorts->await(back[j - buckets_at_once]);
        Bindings gathered;
        gathered[Slot::results] = bucket[Slot::keys];
        std::uint64_t front = 0;
        for (std::uint64_t i = 0; i < tiles; ++i) {
            const std::uint64_t begin = cut(i, j), count = cut(i, j + 1) - begin;
            if (count == 0) continue;
            gathered[Slot::keys] = {on_device[Slot::keys].memory, i * tiling.tile + begin};
            sorts->run(copying(bytes, 1, count, count, front), gathered);
            front += count;
        }
        sorts->run(*sort_bucket[j], bucket);
        add_launches(report, *sort_bucket[j]);
        sorted.push_back(sorts->end());
        counts.push_back(front);
    };
    try {
        sort_next();
        auto* to = static_cast<std::byte*>(bindings[request.apart ? Slot::results : Slot::keys].memory);
        for (std::uint64_t j = 0; j < tiles; ++j) {
            if (j + 1 < tiles) sort_next();  // ahead of a copy that may block
            if (j == 0) {
                sorted[j]->wait();
                report.sort_seconds = watch.lap();
            }
            downloads->await(sorted[j]);
            downloads->download({buckets[j % buckets_at_once].bindings()[Slot::keys].memory},
                                one_row(to, counts[j] * bytes));
            back.push_back(downloads->end());
            to += counts[j] * bytes;
        }
        for (std::uint64_t j = 0; j < tiles; ++j) {
            sorted[j]->wait();
            tell(back[j]);
        }
    } catch (const NoMemoryForWork& error) {
        if (back.empty()) throw;
        throw Error(error);  // it is too late for another way
    }
    report.download_seconds = watch.lap();
    return report;
}

}  // namespace lanesort::inline v0_1::detail
