// A sort by columns or merge-splits: blocks.hpp says which keys go where; here they go. What is sent depends on the
// counts alone, so a rank whose sorter fails goes on with its part of the messages, and none waits for it in vain.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "calls.hpp"
#include "pieces.hpp"

namespace lanesort::mpi {
namespace {

/// The keys of all ranks become one order.
class BlockSort {
public:
    BlockSort(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given)
        : ranks_(ranks),
          sorter_(sorter),
          type_(all[0].type),
          order_(all[0].order),
          given_at_(intervals_of(all)),
          blocks_{.count = given_at_.back(), .blocks = all.size()},
          by_columns_(goes_by_columns(blocks_, all[0].schedule)),
          evening_(blocks_, given_at_),
          me_(ranks.rank()),
          given_(given),
          own_(given),
          read_(type_, order_),
          share_(share_in_piece(blocks_, given.bytes(), all[0].piece_bytes)),
          piece_(piece_of_exchange(blocks_, given.bytes(), all[0].piece_bytes)) {
        // Counts that are not even leave no room, and a short block has none for what passes through it.
        const bool in_place = evening_.even == given_at_ && (!by_columns_ || blocks_.size(me_) == blocks_.length);
        attempt_([&] {
            if (!in_place) {
                copy_ = std::make_unique_for_overwrite<std::byte[]>(blocks_.length * given.bytes());
                own_ = given.at(copy_.get(), blocks_.length);
            }
            if (blocks_.blocks > 1) {
                const std::uint64_t most = std::max(by_columns_ ? share_ * blocks_.blocks : 0,
                                                    std::min(piece_, by_columns_ ? blocks_.window() : piece_));
                sent_ = std::make_unique_for_overwrite<std::byte[]>(most * given.bytes());
                received_ = std::make_unique_for_overwrite<std::byte[]>(most * given.bytes());
            }
        });
        attempt_.agree(ranks_);
    }

    void run() {
        even_out();
        sort_block(size());
        if (by_columns_) columns();
        else
            for (const std::uint64_t with : blocks_.partners(me_)) merge_split(with, blocks_.length, true);
        restore();
        attempt_.agree(ranks_);
    }

private:
    std::uint64_t size() const noexcept { return blocks_.size(me_); }

    void sort_block(std::uint64_t count) {
        attempt_([&] { sort_alone(sorter_, own_, count, type_, order_); });
    }

    /// Merges two sorted ranges of the block, the first from `begin` on.
    void merge(std::uint64_t begin, std::uint64_t middle, std::uint64_t end) {
        attempt_([&] {
            const Elements from = own_.from(begin);
            const std::uint64_t count = end - begin;
            const Keys keys(from.keys, count, type_);
            if (own_.value_bytes)
                sorter_.merge_by_key(keys, Values(from.values, count, own_.value_bytes), middle - begin,
                                     {.order = order_});
            else sorter_.merge(keys, middle - begin, {.order = order_});
        });
    }

    // ---- Counts that are not even ----

    /// Interval `from[i]` of each rank i goes to the ranks whose intervals of `to` overlap with it.
    void redistribute(const Intervals& from, const Elements& source, const Intervals& to, const Elements& target) {
        std::vector<Message> received, sent;
        for (std::uint64_t i = 0; i < blocks_.blocks; ++i) {
            const auto get = overlap(from, i, to, me_), give = overlap(from, me_, to, i);
            if (i == me_) {
                source.from(get.first - from[me_]).copy(target.from(get.first - to[me_]), get.second - get.first);
                continue;
            }
            if (get.second > get.first) {
                const Elements at = target.from(get.first - to[me_]);
                at.each(at, [&](std::byte* data, std::byte*, std::size_t width) {
                    received.push_back({i, data, (get.second - get.first) * width});
                });
            }
            if (give.second > give.first) {
                const Elements at = source.from(give.first - from[me_]);
                at.each(at, [&](std::byte* data, std::byte*, std::size_t width) {
                    sent.push_back({i, data, (give.second - give.first) * width});
                });
            }
        }
        ranks_.exchange(received, sent);
    }
    void even_out() {
        if (own_.keys == given_.keys) return;
        const std::uint64_t kept = std::min(given_at_[me_ + 1] - given_at_[me_], size());
        given_.copy(own_, kept);
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
        for (const std::uint64_t first : {0, 1}) {
            const std::uint64_t with = me_ % 2 == first ? me_ + 1 : me_ - 1;
            if (with < blocks_.blocks) merge_split(with, blocks_.window(), false);
        }
    }

    /// Gives each rank its share and puts what comes where that was. `sizes` are the keys of each rank's block, whose
    /// places behind them are empty; what comes from there leaves a hole, and the last keys fill the holes.
    template <class Give, class Get, class Sizes>
    void transpose(const Give& give, const Get& get, const Sizes& sizes) {
        std::vector<std::uint64_t> holes;
        for (std::uint64_t begin = 0; begin < blocks_.largest_share(); begin += share_) {
            const std::uint64_t count = std::min(share_, blocks_.largest_share() - begin);
            const std::uint64_t message = count * own_.bytes();
            // The part of a share that is in this piece.
            const auto part = [&](const Share& share) {
                const std::uint64_t skipped = std::min(begin, share.count);
                return Share{share.first + skipped * share.stride, share.stride,
                             std::min(count, share.count - skipped)};
            };
            for (std::uint64_t to = 0; to < blocks_.blocks; ++to) {
                const Share sent = part(give(to));
                own_.from(sent.first)
                    .each(own_.at(sent_.get() + to * message, count),
                          [&](const std::byte* from, std::byte* place, std::size_t width) {
                              with_width(width, [&](auto element) {
                                  constexpr std::size_t bytes = sizeof(element);
                                  for (std::uint64_t k = 0; k < sent.count; ++k)
                                      std::memcpy(place + k * bytes, from + k * sent.stride * bytes, bytes);
                              });
                          });
            }
            ranks_.all_to_all(sent_.get(), received_.get(), message);
            std::uint64_t from = 0, taken = 0;
            for (std::uint64_t to = 0; to < blocks_.blocks; ++to) {
                const Share vacated = part(give(to));
                for (std::uint64_t filled = 0; filled < vacated.count;) {
                    const Share came = part(get(from));
                    const std::uint64_t n = std::min(vacated.count - filled, came.count - taken);
                    place(own_.at(received_.get() + from * message, count).from(taken),
                          {vacated.first + filled * vacated.stride, vacated.stride, n});
                    for (std::uint64_t k = taken; k < taken + n; ++k)
                        if (came.first + k * came.stride >= sizes(from))
                            holes.push_back(vacated.first + (filled + k - taken) * vacated.stride);
                    filled += n, taken += n;
                    if (taken == came.count) ++from, taken = 0;
                }
            }
        }
        fill(holes);
    }

    void place(const Elements& came, const Share& to) const {
        came.each(own_.from(to.first), [&](const std::byte* from, std::byte* place, std::size_t width) {
            with_width(width, [&](auto element) {
                constexpr std::size_t bytes = sizeof(element);
                for (std::uint64_t k = 0; k < to.count; ++k)
                    std::memcpy(place + k * to.stride * bytes, from + k * bytes, bytes);
            });
        });
    }

    void fill(std::vector<std::uint64_t>& holes) const {
        std::sort(holes.begin(), holes.end());
        std::uint64_t end = blocks_.length;
        for (std::size_t low = 0, high = holes.size(); low < high; --end) {
            if (holes[high - 1] == end - 1) --high;
            else own_.from(end - 1).copy(own_.from(holes[low++]), 1);
        }
    }

    // ---- Merges with another rank ----

    /// The rank of the lower number keeps the first keys of both, within the `most` keys at the ends that meet.
    /// `whole`: what is kept may belong anywhere in the block, else within these keys.
    void merge_split(std::uint64_t with, std::uint64_t most, bool whole) {
        if (with == me_) return;
        const bool is_low = me_ < with;
        const std::uint64_t low = size();
        const std::uint64_t meet = std::min({most, low, blocks_.size(with)});
        // Key k of the upper rank meets the k-th from the end of the lower rank. The keys that change places are a
        // number of first ones; they go in so that the others' order is reversed.
        std::uint64_t moved = 0;
        for (std::uint64_t begin = 0; begin < meet; begin += piece_) {
            const std::uint64_t count = std::min(piece_, meet - begin);
            const std::uint64_t first = is_low ? low - begin - count : begin;
            own_.from(first).copy(own_.at(sent_.get(), count), count);
            const std::uint64_t bytes = count * own_.bytes();
            ranks_.exchange({{with, received_.get(), bytes}}, {{with, sent_.get(), bytes}});
            const Elements theirs = own_.at(received_.get(), count), mine = own_.from(first);
            const auto changes = [&](std::uint64_t k) {
                return is_low ? read_(theirs, k) < read_(mine, count - 1 - k)
                              : read_(mine, k) < read_(theirs, count - 1 - k);
            };
            std::uint64_t from = 0, to = count;
            while (from < to) {
                const std::uint64_t middle = from + (to - from) / 2;
                if (changes(middle)) from = middle + 1;
                else to = middle;
            }
            for (std::uint64_t k = 0; k < from; ++k) {
                const std::uint64_t mirrored = count - 1 - k;
                theirs.from(is_low ? k : mirrored).copy(mine.from(is_low ? mirrored : k), 1);
            }
            moved += from;
        }
        if (moved == 0) return;
        const std::uint64_t first = is_low ? low - moved : 0;
        const Elements turned = own_.from(first);
        turned.each(turned, [&](std::byte* data, std::byte*, std::size_t width) {
            with_width(width, [&](auto element) {
                auto* const elements = reinterpret_cast<decltype(element)*>(data);
                std::reverse(elements, elements + moved);
            });
        });
        if (is_low) merge(whole ? 0 : low - meet, first, low);
        else merge(0, moved, whole ? low : meet);
    }

    Ranks& ranks_;
    Sorter& sorter_;
    KeyType type_;
    Order order_;
    Intervals given_at_;  ///< the places of the caller's counts in the order
    Blocks blocks_;
    bool by_columns_;
    Evening evening_;
    std::uint64_t me_;
    Elements given_;  ///< the caller's
    Elements own_;    ///< the rank's block: the caller's, or a copy
    Reader read_;
    std::uint64_t share_;  ///< elements for each rank in a piece of an all-to-all
    std::uint64_t piece_;  ///< elements in a piece of an exchange
    Attempts attempt_;
    std::unique_ptr<std::byte[]> copy_, sent_, received_;
};

}  // namespace

void sort_in_blocks(Ranks& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given) {
    BlockSort(ranks, sorter, all, given).run();
}

}  // namespace lanesort::mpi
