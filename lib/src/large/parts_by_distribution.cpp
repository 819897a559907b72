// SPDX-License-Identifier: MIT
// Arrays in parts, by distribution: two passes over the bus. Samples cut the order into buckets that fit a part. Tile
// by tile elements are sorted and written bucket by bucket; then each bucket is sorted.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "bucket_layout.hpp"
#include "core/encoded_keys.hpp"
#include "core/integers.hpp"
#include "ops/operations.hpp"
#include "sampling.hpp"
#include "sort_in_parts.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

using Ends = std::vector<std::shared_ptr<const QueueEnd>>;

void await(DeviceQueue& queue, const Ends& ends) {
    for (const auto& end : ends) queue.await(end);
}

void wait(const Ends& ends) {
    for (const auto& end : ends) end->wait();
}

/// Extents of an array in host memory.
std::vector<HostExtent> in_host(const std::vector<Extent>& extents, void* array, std::size_t bytes) {
    std::vector<HostExtent> all;
    for (const auto& [first, count] : extents)
        if (count > 0) all.push_back({static_cast<std::byte*>(array) + first * bytes, count * bytes});
    return all;
}

/// As many of each home as it has of all, `part` elements together.
std::vector<std::uint64_t> in_proportion(const std::vector<std::uint64_t>& homes, std::uint64_t part) {
    const auto all = static_cast<double>(std::accumulate(homes.begin(), homes.end(), std::uint64_t{0}));
    std::vector<std::uint64_t> counts;
    std::uint64_t end = 0, before = 0;
    for (const std::uint64_t home : homes) {
        end += home;
        const auto next = static_cast<std::uint64_t>(static_cast<double>(part) * (static_cast<double>(end) / all));
        counts.push_back(next - before);
        before = next;
    }
    return counts;
}

bool overlap(const std::vector<Extent>& extents, const Extent& target) {
    return std::ranges::any_of(
        extents, [&](const Extent& extent) { return extent.first < target.end() && target.first < extent.end(); });
}

}  // namespace

class SortInParts::TwoPasses {
public:
    TwoPasses(SortInParts& whole, const DistributionPlan& plan);

    /// False where keys that are to stay together are too many for a bucket.
    bool find_cuts();
    /// From here on nothing is compiled, and nothing allocated on the device.
    void plan_tiles();
    /// Every element comes and goes, to where its bucket lies.
    void part_tiles();
    /// Samples did not mislead. If they did, buckets do not count in the progress.
    bool buckets_fit();
    /// Every bucket comes and goes, to where it belongs.
    void sort_buckets();

private:
    /// What is known of a tile or a bucket while it is under way.
    struct UnderWay {
        std::vector<Extent> from = {};
        std::vector<std::uint64_t> counts = {};  ///< of each bucket
        Ends uploaded = {}, back = {};
        std::shared_ptr<const QueueEnd> sorted = {};
    };

    bool is_apart() const noexcept { return sort_.request_.apart || sort_.is_argsort_; }
    /// Keys and values have queues of their own: where only one of both is staged, neither waits for the other.
    DeviceQueue& uploads(Slot slot) { return slot == Slot::keys ? *queues_.uploads : *value_uploads_; }
    DeviceQueue& downloads(Slot slot) { return slot == Slot::keys ? *queues_.downloads : *value_downloads_; }

    /// Elements of these extents of arrays come to the place of all[i]; over `instead`, if that is a queue.
    void bring(std::vector<UnderWay>& all, std::size_t i, const std::vector<Extent>& extents, const Bindings& arrays,
               DeviceQueue* instead = nullptr);
    /// all[i], when it is sorted, goes to these extents.
    void send(std::vector<UnderWay>& all, std::size_t i, const std::vector<Extent>& extents, bool keys,
              const Ends& behind = {});
    /// Returns when the first `end` of a pass are back, which those that take their places wait for, too.
    void tell_until(const std::vector<UnderWay>& all, std::size_t end);

    void bring_tile(std::size_t i);
    /// A few elements wait in host memory: so many places are free.
    void fill_reserve(const std::vector<Extent>& waiting);
    void sort_tile(std::size_t i);
    /// How many elements of a tile go to each bucket.
    void count_tile(std::size_t i);
    void send_tile(std::size_t i);
    void bring_bucket(std::size_t i);
    void clear(const UnderWay& bucket, const Extent& target);

    SortInParts& sort_;
    const DistributionPlan& plan_;
    // What queues read or write outlives them.
    std::vector<std::byte> samples_, cut_keys_;
    std::vector<std::uint64_t> ranges_;  ///< where the cuts' keys are in a tile
    std::vector<HostMemory> reserve_memory_;
    Bindings reserve_;

    Request of_samples_;
    std::shared_ptr<const Work> sort_samples_;
    Queues queues_;
    /// Each does what nobody else is to wait for, or to be staged for.
    const std::unique_ptr<DeviceQueue> value_uploads_, value_downloads_, reserve_uploads_, answers_;
    QueueMemory searches_;  ///< the cuts' keys, and where they are in tiles

    std::vector<Cut> cuts_;
    std::vector<std::uint64_t> expected_, counts_;  ///< elements of buckets

    std::vector<std::uint64_t> sizes_;  ///< of tiles; the reserve is the last one
    std::vector<std::shared_ptr<const Work>> sort_tile_, search_tile_;
    std::vector<UnderWay> tiles_, parts_;
    std::size_t told_ = 0;  ///< of a pass
    std::optional<BucketLayout> layout_;
    std::optional<BucketOrder> order_;
};

bool SortInParts::distribute(const DistributionPlan& plan) {
    std::optional<TwoPasses> passes;
    try {
        passes.emplace(*this, plan);
        watch_.lap();
        if (!passes->find_cuts()) return false;
        report_.sort_seconds += watch_.lap();
        passes->plan_tiles();
        watch_.lap();
    } catch (const NoMemoryForWork&) {
        return false;  // columns take less
    }
    take_host_memory();
    passes->part_tiles();
    // From here on all elements are where they are to be sorted, as pairs if they have indices.
    from_ = to_;
    is_numbered_ = is_argsort_;
    const bool fit = passes->buckets_fit();
    if (fit) passes->sort_buckets();
    report_.sort_seconds += watch_.lap();
    if (fit) report_.schedule = Schedule::distribution;
    return fit;
}

SortInParts::TwoPasses::TwoPasses(SortInParts& whole, const DistributionPlan& plan)
    : sort_(whole),
      plan_(plan),
      of_samples_(whole.of_part_),
      queues_(whole.core_.backend(), plan.at_once),
      value_uploads_(whole.core_.backend().open_queue()),
      value_downloads_(whole.core_.backend().open_queue()),
      reserve_uploads_(whole.core_.backend().open_queue()),
      answers_(whole.core_.backend().open_queue()),
      searches_(*queues_.sorts) {
    // Samples are sorted as keys of their own.
    of_samples_.count = plan.samples;
    of_samples_.value_bytes = 0;
    sort_samples_ = whole.core_.plan(of_samples_);
    for (QueueMemory& place : queues_.places) {
        sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) { place.need(slot, plan.capacity * bytes); });
        place.need(*sort_samples_);
    }
    queues_.allocate();
}

bool SortInParts::TwoPasses::find_cuts() {
    const std::uint64_t count = sort_.request_.count;
    const std::size_t bytes = of_samples_.key.bytes();
    const SamplePlaces sampling(count, plan_.samples, sort_.core_.planner().seed());
    samples_.resize(sampling.samples() * bytes);
    const auto* const keys = static_cast<const std::byte*>(sort_.from_[Slot::keys].memory);
    constexpr std::uint64_t share = 4096;
    sort_.in_shares(sampling.samples(), share, [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end; ++i)
            std::memcpy(samples_.data() + i * bytes, keys + sampling.place(i) * bytes, bytes);
    });
    const Rows in_a_row = one_row(samples_.data(), samples_.size());
    const Binding on_device{queues_.place(0)[Slot::keys].memory};
    queues_.sorts->upload(in_a_row, on_device);
    queues_.sorts->run(*sort_samples_, queues_.place(0));
    queues_.sorts->download(on_device, in_a_row);
    queues_.sorts->end()->wait();
    add_launches(sort_.report_, *sort_samples_);

    // Pairs whose keys are equal are in the order of their values, which no cut knows.
    const bool keeps_equal = sort_.of_part_.value_bytes > 0;
    std::optional<std::vector<Cut>> cuts =
        make_cuts(encode_keys(samples_, bytes, coding_of(sort_.request_)), count, plan_.capacity, keeps_equal);
    if (!cuts || cuts->size() > plan_.most_cuts) return false;
    cuts_ = std::move(*cuts);
    for (const Cut& cut : cuts_) {
        const std::byte* const key = samples_.data() + cut.sample * bytes;
        cut_keys_.insert(cut_keys_.end(), key, key + bytes);
    }
    expected_ = expected_counts(cuts_, sampling.samples(), count);
    return true;
}

void SortInParts::TwoPasses::plan_tiles() {
    const std::uint64_t all = sort_.request_.count - plan_.reserve, tiles = ceil_div(all, plan_.tile);
    sizes_.assign(tiles, plan_.tile);
    sizes_.back() = all - (tiles - 1) * plan_.tile;
    if (plan_.reserve > 0) sizes_.push_back(plan_.reserve);
    searches_.need(Slot::second_keys, cut_keys_.size());
    searches_.need(Slot::indices, plan_.at_once * cuts_.size() * 2 * sizeof(std::uint64_t));
    for (const std::uint64_t size : sizes_) {
        sort_tile_.push_back(sort_.plan_part(size));
        search_tile_.push_back(sort_.core_.plan(as_search(of_samples_, size, cuts_.size())));
        for (QueueMemory& place : queues_.places) place.need(*sort_tile_.back());
        searches_.need(*search_tile_.back(), Slot::own_keys);
    }
    const auto [least, most] = std::ranges::minmax(expected_);
    for (const std::uint64_t size : {least, most, plan_.capacity}) {
        const std::shared_ptr<const Work> work = sort_.plan_part(size);
        for (QueueMemory& place : queues_.places) place.need(*work);
    }
    if (sort_.is_argsort_) sort_.numbering(*sort_tile_.front(), 0);
    if (plan_.reserve > 0)
        sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
            reserve_[slot] = {reserve_memory_.emplace_back(new_memory(plan_.reserve * bytes)).get()};
        });
    queues_.allocate();
    searches_.allocate();
    sort_.report_.device_bytes = queues_.bytes() + searches_.bytes();
    tiles_.resize(sizes_.size());
    sort_.all_ += sizes_.size() + expected_.size();
}

void SortInParts::TwoPasses::part_tiles() {
    queues_.sorts->upload(one_row(cut_keys_.data(), cut_keys_.size()),
                          {searches_.bindings()[Slot::second_keys].memory});
    layout_.emplace(expected_, is_apart());
    std::vector<Extent> waiting;
    if (!is_apart()) waiting = layout_->read(in_proportion(expected_, plan_.reserve));
    bring_tile(0);
    fill_reserve(waiting);  // while the first tile goes up
    for (std::size_t i = 1; i < std::min(plan_.at_once, tiles_.size()); ++i) bring_tile(i);
    sort_tile(0);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        count_tile(i);
        send_tile(i);
        if (i + 1 < tiles_.size()) sort_tile(i + 1);  // which waits until that is on the way
        if (i + plan_.at_once < tiles_.size()) bring_tile(i + plan_.at_once);
        if (i >= plan_.at_once) tell_until(tiles_, i - plan_.at_once + 1);
    }
    tell_until(tiles_, tiles_.size());
    counts_.resize(expected_.size());
    for (const UnderWay& tile : tiles_)
        for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) counts_[bucket] += tile.counts[bucket];
}

bool SortInParts::TwoPasses::buckets_fit() {
    if (*std::ranges::max_element(counts_) <= plan_.capacity) return true;
    sort_.all_ -= counts_.size();
    return false;
}

void SortInParts::TwoPasses::bring(std::vector<UnderWay>& all, std::size_t i, const std::vector<Extent>& extents,
                                   const Bindings& arrays, DeviceQueue* instead) {
    const bool values = !sort_.is_argsort_ || &all == &parts_;  // indices begin on the device
    sort_.each_array(true, values, [&](Slot slot, std::size_t bytes) {
        DeviceQueue& queue = instead ? *instead : uploads(slot);
        if (i >= plan_.at_once) await(queue, all[i - plan_.at_once].back);
        queue.upload_extents(in_host(extents, arrays[slot].memory, bytes), {queues_.place(i)[slot].memory});
        all[i].uploaded.push_back(queue.end());
    });
}

void SortInParts::TwoPasses::send(std::vector<UnderWay>& all, std::size_t i, const std::vector<Extent>& extents,
                                  bool keys, const Ends& behind) {
    sort_.each_array(keys, true, [&](Slot slot, std::size_t bytes) {
        DeviceQueue& queue = downloads(slot);
        queue.await(all[i].sorted);
        await(queue, behind);
        queue.download_extents({queues_.place(i)[slot].memory}, in_host(extents, sort_.to_[slot].memory, bytes));
        all[i].back.push_back(queue.end());
    });
}

void SortInParts::TwoPasses::tell_until(const std::vector<UnderWay>& all, std::size_t end) {
    for (; told_ < end; ++told_) {
        wait(all[told_].uploaded);
        wait(all[told_].back);
        sort_.tell_progress();
    }
}

void SortInParts::TwoPasses::bring_tile(std::size_t i) {
    if (plan_.reserve > 0 && i + 1 == tiles_.size()) {
        bring(tiles_, i, {{0, sizes_[i]}}, reserve_, reserve_uploads_.get());
        return;
    }
    UnderWay& tile = tiles_[i];
    if (is_apart()) tile.from = {{i * plan_.tile, sizes_[i]}};
    else
        // What a tile gave to buckets comes next from their homes, so that there is always room.
        tile.from =
            layout_->read(i < plan_.at_once ? in_proportion(expected_, sizes_[i]) : tiles_[i - plan_.at_once].counts);
    bring(tiles_, i, tile.from, sort_.from_);
}

void SortInParts::TwoPasses::fill_reserve(const std::vector<Extent>& waiting) {
    std::vector<HostCopy> copies;
    sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
        auto* to = static_cast<std::byte*>(reserve_[slot].memory);
        for (const HostExtent& extent : in_host(waiting, sort_.from_[slot].memory, bytes)) {
            copies.push_back({to, extent.host, extent.bytes});
            to += extent.bytes;
        }
    });
    sort_.copy(copies);
    layout_->release(waiting);
}

void SortInParts::TwoPasses::sort_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    await(*queues_.sorts, tile.uploaded);
    if (sort_.is_argsort_) {
        const Work numbering = sort_.numbering(*sort_tile_[i], i * plan_.tile);
        queues_.sorts->run(numbering, queues_.place(i));
        add_launches(sort_.report_, numbering);
    }
    queues_.sorts->run(*sort_tile_[i], queues_.place(i));
    Bindings searched = searches_.bindings();
    searched[Slot::keys] = queues_.place(i)[Slot::keys];
    searched[Slot::indices].offset = i % plan_.at_once * cuts_.size() * 2;
    queues_.sorts->run(*search_tile_[i], searched);
    tile.sorted = queues_.sorts->end();
    add_launches(sort_.report_, *sort_tile_[i]);
    add_launches(sort_.report_, *search_tile_[i]);
}

void SortInParts::TwoPasses::count_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    ranges_.resize(cuts_.size() * 2);
    const std::uint64_t bytes = ranges_.size() * sizeof ranges_[0];
    answers_->await(tile.sorted);
    answers_->download(Binding{searches_.bindings()[Slot::indices].memory, i % plan_.at_once * bytes},
                       one_row(ranges_.data(), bytes));
    answers_->end()->wait();
    std::uint64_t before = 0;
    for (std::size_t j = 0; j <= cuts_.size(); ++j) {
        const std::uint64_t next = j < cuts_.size() ? cuts_[j].in(ranges_[2 * j], ranges_[2 * j + 1]) : sizes_[i];
        if (next < before || next > sizes_[i])
            throw Error(ErrorCode::device_failed,
                        sort_.core_.backend().info().name + " found keys of a sorted tile where none can be");
        tile.counts.push_back(next - before);
        before = next;
    }
}

void SortInParts::TwoPasses::send_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    if (!is_apart()) layout_->release(tile.from);
    std::vector<Extent> to;
    for (std::size_t bucket = 0; bucket < expected_.size(); ++bucket)
        for (const Extent& extent : layout_->place(bucket, tile.counts[bucket])) to.push_back(extent);
    send(tiles_, i, to, true);
}

void SortInParts::TwoPasses::sort_buckets() {
    std::vector<std::shared_ptr<const Work>> works;
    for (const std::uint64_t count : counts_) {
        works.push_back(sort_.plan_part(count));
        if (!queues_.places.front().holds(*works.back())) works.back() = sort_.plan_part_without_extra(count);
        add_launches(sort_.report_, *works.back());
    }
    order_.emplace(layout_->buckets());
    parts_.resize(counts_.size());
    told_ = 0;
    bring_bucket(0);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        UnderWay& part = parts_[i];
        if (i + 1 < parts_.size()) bring_bucket(i + 1);
        await(*queues_.sorts, part.uploaded);
        queues_.sorts->run(*works[i], queues_.place(i));
        part.sorted = queues_.sorts->end();

        const Extent target{first, counts_[i]};
        first += counts_[i];
        clear(part, target);
        const bool may_be_read = i + 1 < parts_.size() && overlap(parts_[i + 1].from, target);
        // Of indices nobody wants the keys in the end.
        send(parts_, i, {target}, !sort_.is_argsort_, may_be_read ? parts_[i + 1].uploaded : Ends{});
        if (i >= plan_.at_once) tell_until(parts_, i - plan_.at_once + 1);
    }
    tell_until(parts_, parts_.size());
}

void SortInParts::TwoPasses::bring_bucket(std::size_t i) {
    parts_[i].from = order_->read(i);
    bring(parts_, i, parts_[i].from, sort_.to_);
}

void SortInParts::TwoPasses::clear(const UnderWay& bucket, const Extent& target) {
    order_->release(bucket.from);
    const std::vector<BucketOrder::Move> moves = order_->clear(target);
    if (moves.empty()) return;
    wait(bucket.uploaded);  // what is moved goes there
    sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
        auto* const array = static_cast<std::byte*>(sort_.to_[slot].memory);
        std::vector<HostCopy> copies;
        for (const BucketOrder::Move& move : moves)
            copies.push_back({array + move.to * bytes, array + move.from * bytes, move.count * bytes});
        sort_.copy(copies);
    });
}

}  // namespace lanesort::inline v0_1::detail
