// Arrays in parts, by distribution: two passes over the bus. Samples cut the order into buckets that fit a part. Tile
// by tile elements are sorted and written bucket by bucket; then each bucket is sorted.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "../bucket_layout.hpp"
#include "../encoded_keys.hpp"
#include "../integers.hpp"
#include "../sampling.hpp"
#include "sort_in_parts.hpp"

namespace lanesort::detail {
namespace {

using Ends = std::vector<std::shared_ptr<const LaneEnd>>;

void await(Lane& lane, const Ends& ends) {
    for (const auto& end : ends) lane.await(end);
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
    const auto all = static_cast<double>(std::reduce(homes.begin(), homes.end()));
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

class SortInParts::Distribution {
public:
    Distribution(SortInParts& sort, const Buckets& buckets);

    /// False where keys that are to stay together are too many for a bucket.
    bool make_cuts();
    void plan_tiles();
    /// Every element comes and goes, to where its bucket lies.
    void part_tiles();
    bool buckets_fit() const { return *std::ranges::max_element(counts_) <= buckets_.capacity; }
    /// Every bucket comes and goes, to where it belongs.
    void sort_buckets();

private:
    /// What is known of a tile or a bucket while it is under way.
    struct UnderWay {
        std::vector<Extent> from = {};
        std::vector<std::uint64_t> counts = {};  ///< of each bucket
        Ends uploaded = {}, back = {};
        std::shared_ptr<const LaneEnd> sorted = {};
    };

    bool is_apart() const noexcept { return sort_.request_.apart || sort_.is_argsort_; }
    /// Keys and values have lanes of their own: where only one of both is staged, neither waits for the other.
    Lane& uploads(Slot slot) { return slot == Slot::keys ? *lanes_.uploads : *value_uploads_; }
    Lane& downloads(Slot slot) { return slot == Slot::keys ? *lanes_.downloads : *value_downloads_; }

    void bring_tile(std::size_t i);
    /// A few elements wait in host memory: so many places are free.
    void keep_reserve(const std::vector<Extent>& waiting);
    void sort_tile(std::size_t i);
    /// How many elements of a tile go to each bucket.
    void count_tile(std::size_t i);
    void send_tile(std::size_t i);
    void bring_bucket(std::size_t i);
    void clear(const UnderWay& bucket, const Extent& target);

    SortInParts& sort_;
    const Buckets& buckets_;
    // What lanes read or write outlives them.
    std::vector<std::byte> samples_, cut_keys_;
    std::vector<std::uint64_t> ranges_;  ///< where the cuts' keys are in a tile
    std::vector<std::pair<Slot, HostMemory>> reserve_;

    Request of_samples_;
    std::shared_ptr<const Work> sort_samples_;
    Lanes lanes_;
    const std::unique_ptr<Lane> value_uploads_, value_downloads_, answers_;
    LaneMemory searches_;  ///< the cuts' keys, and where they are in tiles

    std::vector<Cut> cuts_;
    std::vector<std::uint64_t> expected_, counts_;  ///< elements of buckets

    std::vector<std::uint64_t> sizes_;  ///< of tiles; the reserve is the last one
    std::vector<std::shared_ptr<const Work>> sort_tile_, search_tile_;
    std::vector<UnderWay> tiles_, parts_;
    std::optional<BucketLayout> layout_;
    std::optional<BucketOrder> order_;
};

bool SortInParts::distribute(const Buckets& buckets) {
    Distribution distribution(*this, buckets);
    if (!distribution.make_cuts()) return false;
    distribution.plan_tiles();
    has_written_ = true;
    distribution.part_tiles();
    // From here on all elements are where they are to be sorted, as pairs if they have indices.
    from_ = to_;
    is_numbered_ = is_argsort_;
    if (!distribution.buckets_fit()) return false;
    distribution.sort_buckets();
    report_.schedule = Schedule::distribution;
    return true;
}

SortInParts::Distribution::Distribution(SortInParts& sort, const Buckets& buckets)
    : sort_(sort),
      buckets_(buckets),
      of_samples_(sort.of_part_),
      lanes_(sort.core_.backend(), buckets.at_once),
      value_uploads_(sort.core_.backend().open_lane()),
      value_downloads_(sort.core_.backend().open_lane()),
      answers_(sort.core_.backend().open_lane()),
      searches_(*lanes_.sorts) {
    // Samples are sorted as keys of their own.
    of_samples_.count = buckets.samples;
    of_samples_.value_bytes = 0;
    sort_samples_ = sort.core_.plan(of_samples_);
    for (LaneMemory& place : lanes_.places) {
        sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) { place.need(slot, buckets.capacity * bytes); });
        place.need(*sort_samples_);
    }
    lanes_.allocate();
}

bool SortInParts::Distribution::make_cuts() {
    const std::uint64_t count = sort_.request_.count;
    const std::size_t bytes = of_samples_.key.bytes();
    const Sampling sampling(count, buckets_.samples, sort_.core_.planner().seed());
    samples_.resize(sampling.samples() * bytes);
    const auto* const keys = static_cast<const std::byte*>(sort_.from_[Slot::keys].memory);
    constexpr std::uint64_t share = 4096;
    sort_.in_shares(sampling.samples(), share, [&](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t i = first; i < end; ++i)
            std::memcpy(samples_.data() + i * bytes, keys + sampling.place(i) * bytes, bytes);
    });
    const Rows in_a_row = one_row(samples_.data(), samples_.size());
    const Binding on_device{lanes_.place(0)[Slot::keys].memory};
    lanes_.sorts->upload(in_a_row, on_device);
    lanes_.sorts->run(*sort_samples_, lanes_.place(0));
    lanes_.sorts->download(on_device, in_a_row);
    lanes_.sorts->end()->wait();
    add_launches(sort_.report_, *sort_samples_);

    // Pairs whose keys are equal are in the order of their values, which no cut knows.
    const bool keeps_equal = sort_.of_part_.value_bytes > 0;
    std::optional<std::vector<Cut>> cuts = detail::make_cuts(encode_keys(samples_, bytes, coding_of(sort_.request_)),
                                                             count, buckets_.capacity, keeps_equal);
    if (!cuts || cuts->size() > buckets_.most_cuts) return false;
    cuts_ = std::move(*cuts);
    for (const Cut& cut : cuts_) {
        const std::byte* const key = samples_.data() + cut.sample * bytes;
        cut_keys_.insert(cut_keys_.end(), key, key + bytes);
    }
    expected_ = expected_counts(cuts_, sampling.samples(), count);
    return true;
}

void SortInParts::Distribution::plan_tiles() {
    const std::uint64_t all = sort_.request_.count - buckets_.reserve, tiles = ceil_div(all, buckets_.tile);
    sizes_.assign(tiles, buckets_.tile);
    sizes_.back() = all - (tiles - 1) * buckets_.tile;
    if (buckets_.reserve > 0) sizes_.push_back(buckets_.reserve);
    searches_.need(Slot::second_keys, cut_keys_.size());
    searches_.need(Slot::indices, buckets_.at_once * cuts_.size() * 2 * sizeof(std::uint64_t));
    for (const std::uint64_t size : sizes_) {
        sort_tile_.push_back(sort_.plan_part(size));
        Request searched = of_samples_;
        searched.operation = Operation::equal_range;
        searched.count = size;
        searched.second_count = cuts_.size();
        searched.index_bytes = sizeof(std::uint64_t);
        searched.extra_bytes = 0;
        searched.data_independent = false;
        search_tile_.push_back(sort_.core_.plan(searched));
        for (LaneMemory& place : lanes_.places) place.need(*sort_tile_.back());
        searches_.need(*search_tile_.back(), Slot::own_keys);
    }
    // What buckets need is compiled before anything is written.
    const auto [least, most] = std::ranges::minmax(expected_);
    for (const std::uint64_t size : {least, most}) {
        const std::shared_ptr<const Work> work = sort_.plan_part(size);
        for (LaneMemory& place : lanes_.places) place.need(*work);
    }
    lanes_.allocate();
    searches_.allocate();
    tiles_.resize(sizes_.size());
    sort_.all_ += sizes_.size() + expected_.size();
}

void SortInParts::Distribution::part_tiles() {
    lanes_.sorts->upload(one_row(cut_keys_.data(), cut_keys_.size()), {searches_.bindings()[Slot::second_keys].memory});
    layout_.emplace(expected_, is_apart());
    std::vector<Extent> waiting;
    if (!is_apart()) waiting = layout_->read(in_proportion(expected_, buckets_.reserve));
    bring_tile(0);
    keep_reserve(waiting);  // while the first tile goes up
    for (std::size_t i = 1; i < std::min(buckets_.at_once, tiles_.size()); ++i) bring_tile(i);
    sort_tile(0);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        count_tile(i);
        send_tile(i);
        if (i + 1 < tiles_.size()) sort_tile(i + 1);  // which waits until that is on the way
        if (i + buckets_.at_once < tiles_.size()) bring_tile(i + buckets_.at_once);
    }
    counts_.resize(expected_.size());
    for (const UnderWay& tile : tiles_) {
        wait(tile.uploaded);
        wait(tile.back);
        for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) counts_[bucket] += tile.counts[bucket];
        sort_.tell_progress();
    }
}

void SortInParts::Distribution::bring_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    const bool is_reserve = i + 1 == tiles_.size() && !is_apart();
    if (is_apart()) tile.from = {{i * buckets_.tile, sizes_[i]}};
    else if (!is_reserve)
        // What a tile gave to buckets comes next from their homes, so that there is always room.
        tile.from = layout_->read(i < buckets_.at_once ? in_proportion(expected_, sizes_[i])
                                                       : tiles_[i - buckets_.at_once].counts);
    sort_.each_array(true, !sort_.is_argsort_, [&](Slot slot, std::size_t bytes) {
        Lane& lane = uploads(slot);
        if (i >= buckets_.at_once) await(lane, tiles_[i - buckets_.at_once].back);
        std::vector<HostExtent> extents = in_host(tile.from, sort_.from_[slot].memory, bytes);
        if (is_reserve)
            for (const auto& [of, memory] : reserve_)
                if (of == slot) extents = {{static_cast<std::byte*>(memory.get()), sizes_[i] * bytes}};
        lane.gather(extents, {lanes_.place(i)[slot].memory});
        tile.uploaded.push_back(lane.end());
    });
}

void SortInParts::Distribution::keep_reserve(const std::vector<Extent>& waiting) {
    if (is_apart()) return;
    sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
        auto* to =
            static_cast<std::byte*>(reserve_.emplace_back(slot, new_memory(buckets_.reserve * bytes)).second.get());
        std::vector<HostCopy> copies;
        for (const HostExtent& extent : in_host(waiting, sort_.from_[slot].memory, bytes)) {
            copies.push_back({to, extent.host, extent.bytes});
            to += extent.bytes;
        }
        sort_.copy(copies);
    });
    layout_->release(waiting);
}

void SortInParts::Distribution::sort_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    await(*lanes_.sorts, tile.uploaded);
    if (sort_.is_argsort_) lanes_.sorts->run(sort_.numbering(*sort_tile_[i], i * buckets_.tile), lanes_.place(i));
    lanes_.sorts->run(*sort_tile_[i], lanes_.place(i));
    Bindings searched = searches_.bindings();
    searched[Slot::keys] = lanes_.place(i)[Slot::keys];
    searched[Slot::indices].offset = i % buckets_.at_once * cuts_.size() * 2;
    lanes_.sorts->run(*search_tile_[i], searched);
    tile.sorted = lanes_.sorts->end();
    add_launches(sort_.report_, *sort_tile_[i]);
    add_launches(sort_.report_, *search_tile_[i]);
}

void SortInParts::Distribution::count_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    ranges_.resize(cuts_.size() * 2);
    const std::uint64_t bytes = ranges_.size() * sizeof ranges_[0];
    answers_->await(tile.sorted);
    answers_->download(Binding{searches_.bindings()[Slot::indices].memory, i % buckets_.at_once * bytes},
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

void SortInParts::Distribution::send_tile(std::size_t i) {
    UnderWay& tile = tiles_[i];
    if (!is_apart()) layout_->release(tile.from);
    std::vector<Extent> to;
    for (std::size_t bucket = 0; bucket < expected_.size(); ++bucket)
        for (const Extent& extent : layout_->place(bucket, tile.counts[bucket])) to.push_back(extent);
    sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
        Lane& lane = downloads(slot);
        lane.await(tile.sorted);
        lane.scatter({lanes_.place(i)[slot].memory}, in_host(to, sort_.to_[slot].memory, bytes));
        tile.back.push_back(lane.end());
    });
}

void SortInParts::Distribution::sort_buckets() {
    std::vector<std::shared_ptr<const Work>> works;
    for (const std::uint64_t count : counts_) {
        works.push_back(sort_.plan_part(count));
        add_launches(sort_.report_, *works.back());
        for (LaneMemory& place : lanes_.places) place.need(*works.back());
    }
    lanes_.allocate();
    sort_.report_.device_bytes = lanes_.bytes() + searches_.bytes();
    order_.emplace(layout_->buckets());
    parts_.resize(counts_.size());
    bring_bucket(0);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        UnderWay& part = parts_[i];
        if (i + 1 < parts_.size()) bring_bucket(i + 1);
        await(*lanes_.sorts, part.uploaded);
        lanes_.sorts->run(*works[i], lanes_.place(i));
        part.sorted = lanes_.sorts->end();

        const Extent target{first, counts_[i]};
        first += counts_[i];
        clear(part, target);
        const bool may_be_read = i + 1 < parts_.size() && overlap(parts_[i + 1].from, target);
        // Nobody wants the keys of an argsort in the end.
        sort_.each_array(!sort_.is_argsort_, true, [&](Slot slot, std::size_t bytes) {
            Lane& lane = downloads(slot);
            lane.await(part.sorted);
            if (may_be_read) await(lane, parts_[i + 1].uploaded);
            lane.scatter({lanes_.place(i)[slot].memory}, in_host({target}, sort_.to_[slot].memory, bytes));
            part.back.push_back(lane.end());
        });
    }
    for (const UnderWay& part : parts_) {
        wait(part.uploaded);
        wait(part.back);
        sort_.tell_progress();
    }
}

void SortInParts::Distribution::bring_bucket(std::size_t i) {
    UnderWay& part = parts_[i];
    part.from = order_->read(i);
    sort_.each_array(true, true, [&](Slot slot, std::size_t bytes) {
        Lane& lane = uploads(slot);
        if (i >= buckets_.at_once) await(lane, parts_[i - buckets_.at_once].back);
        lane.gather(in_host(part.from, sort_.to_[slot].memory, bytes), {lanes_.place(i)[slot].memory});
        part.uploaded.push_back(lane.end());
    });
}

void SortInParts::Distribution::clear(const UnderWay& bucket, const Extent& target) {
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

}  // namespace lanesort::detail
