// SPDX-License-Identifier: MIT
#include "bucket_layout.hpp"

#include <algorithm>
#include <iterator>

namespace lanesort::inline v0_1::detail {
namespace {

constexpr Extent everywhere{0, ~std::uint64_t{0}};

}  // namespace

void append(std::vector<Extent>& extents, Extent more) {
    if (more.count == 0) return;
    if (!extents.empty() && extents.back().end() == more.first) extents.back().count += more.count;
    else extents.push_back(more);
}

void ExtentSet::add(Extent extent) {
    if (extent.count == 0) return;
    std::uint64_t first = extent.first, end = extent.end();
    auto next = ends_.lower_bound(first);
    if (next != ends_.end() && next->first == end) {
        end = next->second;
        next = ends_.erase(next);
    }
    if (next != ends_.begin() && std::prev(next)->second == first) std::prev(next)->second = end;
    else ends_.emplace_hint(next, first, end);
}

std::vector<Extent> ExtentSet::take(Extent within, std::uint64_t most) {
    std::vector<Extent> taken;
    auto next = ends_.upper_bound(within.first);
    if (next != ends_.begin() && std::prev(next)->second > within.first) --next;
    while (most > 0 && next != ends_.end() && next->first < within.end()) {
        const auto [first, end] = *next;
        const std::uint64_t begin = std::max(first, within.first);
        const std::uint64_t count = std::min(std::min(end, within.end()) - begin, most);
        most -= count;
        taken.push_back({begin, count});
        next = ends_.erase(next);
        if (first < begin) ends_.emplace_hint(next, first, begin);
        if (begin + count < end) next = ends_.emplace_hint(next, begin + count, end);
    }
    return taken;
}

BucketLayout::BucketLayout(std::span<const std::uint64_t> expected, bool is_apart) : buckets_(expected.size()) {
    std::uint64_t first = 0;
    for (const std::uint64_t count : expected) {
        homes_.push_back({first, count});
        if (is_apart) free_.add(homes_.back());
        first += count;
    }
    unread_ = homes_;
    free_at_home_.assign(homes_.size(), 0);
    if (is_apart) std::ranges::copy(expected, free_at_home_.begin());
}

std::vector<Extent> BucketLayout::read(std::span<const std::uint64_t> wanted) {
    std::vector<std::uint64_t> counts(homes_.size());
    std::uint64_t lacking = 0;
    for (std::size_t home = 0; home < homes_.size(); ++home) {
        counts[home] = std::min(wanted[home], unread_[home].count);
        lacking += wanted[home] - counts[home];
    }
    while (lacking > 0) {
        std::size_t most = 0;
        const auto left = [&](std::size_t home) { return unread_[home].count - counts[home]; };
        for (std::size_t home = 1; home < homes_.size(); ++home)
            if (left(home) > left(most)) most = home;
        const std::uint64_t more = std::min(lacking, left(most));
        if (more == 0) break;
        counts[most] += more;
        lacking -= more;
    }
    std::vector<Extent> all;
    for (std::size_t home = 0; home < homes_.size(); ++home) {
        append(all, {unread_[home].first, counts[home]});
        unread_[home] = {unread_[home].first + counts[home], unread_[home].count - counts[home]};
    }
    return all;
}

void BucketLayout::release(std::span<const Extent> extents) {
    for (const Extent& extent : extents) {
        free_.add(extent);
        for (std::size_t home = 0; home < homes_.size(); ++home) {
            const std::uint64_t first = std::max(extent.first, homes_[home].first),
                                end = std::min(extent.end(), homes_[home].end());
            if (first < end) free_at_home_[home] += end - first;
        }
    }
}

std::vector<Extent> BucketLayout::place(std::size_t bucket, std::uint64_t count) {
    std::vector<Extent> all;
    for (std::size_t home = bucket; count > 0;
         home = static_cast<std::size_t>(std::ranges::max_element(free_at_home_) - free_at_home_.begin())) {
        for (const Extent& extent : free_.take(homes_[home], count)) {
            append(all, extent);
            append(buckets_[bucket], extent);
            free_at_home_[home] -= extent.count;
            count -= extent.count;
        }
    }
    return all;
}

BucketOrder::BucketOrder(std::span<const std::vector<Extent>> buckets) {
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
        for (const Extent& extent : buckets[bucket]) pieces_.emplace(extent.first, Piece{extent.count, bucket});
}

std::vector<Extent> BucketOrder::read(std::size_t bucket) {
    std::vector<Extent> all;
    std::erase_if(pieces_, [&](const auto& piece) {
        if (piece.second.bucket != bucket) return false;
        append(all, {piece.first, piece.second.count});
        return true;
    });
    return all;
}

void BucketOrder::release(std::span<const Extent> extents) {
    for (const Extent& extent : extents)
        if (const std::uint64_t first = std::max(extent.first, begin_); first < extent.end())
            free_.add({first, extent.end() - first});
}

std::vector<BucketOrder::Move> BucketOrder::clear(Extent target) {
    begin_ = target.end();
    free_.take(target, target.count);
    std::vector<Move> moves;
    // Nothing begins before the target any more.
    while (!pieces_.empty() && pieces_.begin()->first < begin_) {
        const auto [first, piece] = *pieces_.begin();
        pieces_.erase(pieces_.begin());
        const std::uint64_t count = std::min(piece.count, begin_ - first);
        if (count < piece.count) pieces_.emplace(begin_, Piece{piece.count - count, piece.bucket});
        std::uint64_t from = first;
        for (const Extent& to : free_.take(everywhere, count)) {
            pieces_.emplace(to.first, Piece{to.count, piece.bucket});
            moves.push_back({from, to.first, to.count});
            from += to.count;
        }
    }
    return moves;
}

}  // namespace lanesort::inline v0_1::detail
