// SPDX-License-Identifier: MIT
// A sort by columns or merge-splits: rank_layout.hpp says which keys go where; here they go. What is sent depends on
// the counts alone, so a rank whose sorter fails goes on with its part of the messages, and none waits for it in vain.
#include <algorithm>
#include <optional>
#include <vector>

#include "calls.hpp"
#include "pieces.hpp"

namespace lanesort::inline v0_1::mpi {
namespace {

/// The keys of all ranks become one order. What takes memory is done in the constructor: later the other ranks wait for
/// messages.
class BlockSort {
public:
    BlockSort(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given)
        : ranks_(ranks),
          store_(store),
          given_at_(intervals_of(all)),
          blocks_{.count = given_at_.back(), .blocks = all.size()},
          by_columns_(goes_by_columns(blocks_, all[0].schedule)),
          evening_(blocks_, given_at_),
          me_(ranks.rank()),
          given_(given),
          own_(given),
          share_(share_in_piece(blocks_, given.bytes(), all[0].piece_bytes)),
          piece_(piece_of_exchange(blocks_, given.bytes(), all[0].piece_bytes)) {
        // Counts that are not even leave no room, and a short block has none for what passes through it.
        const bool is_even = evening_.even == given_at_;
        const bool in_place = is_even && (!by_columns_ || blocks_.size(me_) == blocks_.length);
        if (!in_place) own_ = given.at(store_.allocate(blocks_.length * given.bytes()), blocks_.length);
        if (blocks_.blocks == 1) return;
        const std::uint64_t most = std::max(by_columns_ ? share_ * blocks_.blocks : 0,
                                            std::min(piece_, by_columns_ ? blocks_.window() : piece_));
        sent_ = store_.allocate(most * given.bytes());
        received_ = store_.allocate(most * given.bytes());
        const std::uint64_t mine = given_at_[me_ + 1] - given_at_[me_];
        const std::uint64_t bytes = std::max(most, is_even ? 0 : std::max(mine, blocks_.length)) * given.bytes();
        // Keys and values for each rank, where counts are evened out.
        const std::uint64_t messages = is_even ? 1 : 2 * blocks_.blocks;
        get_.reserve(messages);
        give_.reserve(messages);
        store_.expect_messages(messages, bytes);
        ranks_.expect_messages(2 * (messages + bytes / most_bytes));
        if (by_columns_) {
            given_parts_.reserve(blocks_.blocks);
            taken_.reserve(2 * blocks_.blocks);
            holes_.reserve(blocks_.blocks);
        } else partners_ = blocks_.partners(me_);
    }

    void run() {
        even_out();
        sort_block(size());
        if (by_columns_) columns();
        else
            for (const std::uint64_t with : partners_) merge_split(with, blocks_.length, true);
        restore();
        store_.steps.agree(ranks_);
    }

private:
    std::uint64_t size() const noexcept { return blocks_.size(me_); }

    void sort_block(std::uint64_t count) {
        store_.steps([&] { store_.sort_here(own_, count); });
    }
    void copy(const Elements& from, const Elements& to, std::uint64_t count) {
        store_.steps([&] { store_.copy(from, to, count); });
    }

    // ---- Counts that are not even ----

    /// Interval `from[i]` of each rank i goes to the ranks whose intervals of `to` overlap with it.
    void redistribute(const Intervals& from, const Elements& source, const Intervals& to, const Elements& target) {
        get_.clear(), give_.clear();
        for (std::uint64_t i = 0; i < blocks_.blocks; ++i) {
            const auto get = overlap(from, i, to, me_), give = overlap(from, me_, to, i);
            if (i == me_) {
                copy(source.from(get.first - from[me_]), target.from(get.first - to[me_]), get.second - get.first);
                continue;
            }
            if (get.second > get.first) {
                const Elements at = target.from(get.first - to[me_]);
                at.each(at, [&](std::byte* data, std::byte*, std::size_t width) {
                    get_.push_back({i, data, (get.second - get.first) * width});
                });
            }
            if (give.second > give.first) {
                const Elements at = source.from(give.first - from[me_]);
                at.each(at, [&](std::byte* data, std::byte*, std::size_t width) {
                    give_.push_back({i, data, (give.second - give.first) * width});
                });
            }
        }
        store_.exchange(ranks_, get_, give_);
    }
    void even_out() {
        if (own_.keys == given_.keys) return;
        const std::uint64_t kept = std::min(given_at_[me_ + 1] - given_at_[me_], size());
        copy(given_, own_, kept);
        redistribute(evening_.surplus, given_.from(kept), evening_.lack, own_.from(kept));
    }
    void restore() {
        if (own_.keys != given_.keys) redistribute(evening_.even, own_, given_at_, given_);
    }

    // ---- Columns ----

    void columns() {
        const std::uint64_t last = blocks_.blocks - 1;
        transpose([&](std::uint64_t to) { return blocks_.to_class(me_, to); },
                  [&](std::uint64_t from) { return blocks_.to_class(from, me_); },
                  [&](std::uint64_t from) { return from == last ? blocks_.size(last) : blocks_.length; });
        sort_block(blocks_.class_size(me_));
        transpose([&](std::uint64_t to) { return blocks_.to_block(me_, to); },
                  [&](std::uint64_t from) { return blocks_.to_block(from, me_); },
                  [&](std::uint64_t from) { return blocks_.class_size(from); });
        sort_block(size());
        // Block 0 with 1, 2 with 3, and then 1 with 2.
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}}) {
            const std::uint64_t with = me_ % 2 == first ? me_ + 1 : me_ - 1;
            if (with < blocks_.blocks) merge_split(with, blocks_.window(), false);
        }
    }

    /// Gives each rank its share and puts what comes where that was. `sizes` are the keys of each rank's block, whose
    /// places behind them are empty; what comes from there leaves a hole, and the last keys fill the holes.
    template <class Give, class Get, class Sizes>
    void transpose(const Give& give, const Get& get, const Sizes& sizes) {
        holes_.clear();
        for (std::uint64_t begin = 0; begin < blocks_.largest_share(); begin += share_) {
            const std::uint64_t count = std::min(share_, blocks_.largest_share() - begin);
            const std::uint64_t message = count * own_.bytes();
            // The part of a share that is in this piece.
            const auto part = [&](const Share& share) {
                const std::uint64_t skipped = std::min(begin, share.count);
                return Share{share.first + skipped * share.stride, share.stride,
                             std::min(count, share.count - skipped)};
            };
            given_parts_.clear(), taken_.clear();
            for (std::uint64_t to = 0; to < blocks_.blocks; ++to)
                given_parts_.push_back({part(give(to)), own_.at(sent_ + to * message, count)});
            store_.steps([&] { store_.pack(own_, given_parts_); });
            store_.all_to_all(ranks_, sent_, received_, message);
            std::uint64_t from = 0, done = 0;
            for (const Packed& vacated : given_parts_)
                for (std::uint64_t filled = 0; filled < vacated.places.count;) {
                    const auto [first, stride, all] = vacated.places;
                    const Share came = part(get(from));
                    const std::uint64_t n = std::min(all - filled, came.count - done);
                    taken_.push_back(
                        {{first + filled * stride, stride, n}, own_.at(received_ + from * message, count).from(done)});
                    for (std::uint64_t k = done + n; k > done; --k) {
                        if (came.first + (k - 1) * came.stride < sizes(from)) break;
                        holes_.push_back(first + (filled + k - 1 - done) * stride);
                    }
                    filled += n, done += n;
                    if (done == came.count) ++from, done = 0;
                }
            store_.steps([&] { store_.unpack(own_, taken_); });
        }
        fill_holes();
    }

    void fill_holes() {
        std::sort(holes_.begin(), holes_.end());
        std::uint64_t end = blocks_.length;
        for (std::size_t low = 0, high = holes_.size(); low < high; --end) {
            if (holes_[high - 1] == end - 1) --high;
            else copy(own_.from(end - 1), own_.from(holes_[low++]), 1);
        }
    }

    // ---- Merges with another rank ----

    /// The rank of the lower number keeps the first keys of both, within the `most` keys at the ends that meet.
    /// `whole`: what is kept may belong anywhere in the block, else within these keys.
    void merge_split(std::uint64_t with, std::uint64_t most, bool whole) {
        if (with == me_) return;
        const bool is_low = me_ < with;
        const std::uint64_t all = size();
        const std::uint64_t meet = std::min({most, all, blocks_.size(with)});
        if (meet == 0) return;
        std::uint64_t moved = 0;
        for (std::uint64_t begin = 0; begin < meet; begin += piece_) {
            const std::uint64_t count = std::min(piece_, meet - begin);
            const Elements mine = own_.from(is_low ? all - begin - count : begin);
            copy(mine, own_.at(sent_, count), count);
            const std::uint64_t bytes = count * own_.bytes();
            get_.assign(1, {with, received_, bytes});
            give_.assign(1, {with, sent_, bytes});
            store_.exchange(ranks_, get_, give_);
            store_.steps([&] { moved += store_.keep_half(mine, own_.at(received_, count), count, is_low); });
        }
        const std::uint64_t merged = whole ? all : meet;
        store_.steps([&] { store_.restore_order(own_.from(is_low ? all - merged : 0), merged, moved, is_low); });
    }

    Ranks& ranks_;
    Store& store_;
    Intervals given_at_;  ///< the places of the caller's counts in the order
    Blocks blocks_;
    bool by_columns_;
    Evening evening_;
    std::uint64_t me_;
    Elements given_;       ///< the caller's
    Elements own_;         ///< the rank's block: the caller's, or a copy
    std::uint64_t share_;  ///< elements for each rank in a piece of an all-to-all
    std::uint64_t piece_;  ///< elements in a piece of an exchange
    std::byte *sent_ = nullptr, *received_ = nullptr;
    std::vector<Message> get_, give_;          ///< of an exchange
    std::vector<Packed> given_parts_, taken_;  ///< of a piece of an all-to-all
    std::vector<std::uint64_t> holes_;         ///< places that stay empty in a transposition, at most one for each rank
    std::vector<std::uint64_t> partners_;      ///< in merges of blocks, one after the other
};

}  // namespace

void sort_in_blocks(Ranks& ranks, Store& store, const std::vector<Description>& all, const Elements& given) {
    std::optional<BlockSort> blocks;
    store.steps([&] { blocks.emplace(ranks, store, all, given); });
    store.steps.agree(ranks);
    blocks->run();
}

}  // namespace lanesort::inline v0_1::mpi
