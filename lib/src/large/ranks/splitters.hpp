// SPDX-License-Identifier: MIT
// Where sorted ranges are cut so that the parts of the same number, of all ranges, have exactly as many elements as are
// wanted, and come in order: multi-way selection by the elements' digits, the highest first. Pure: whoever has the
// ranges counts in its own, and adds up what all have counted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "elements.hpp"
#include "large/rank_layout.hpp"
#include "pieces.hpp"

namespace lanesort::inline v0_1::mpi {

/// One range's side of it. Only the constructor takes memory.
class Splitters {
public:
    /// The range has `count` elements of so many bytes, of which `read(i)` gives element i, and cut i is to have
    /// places[i] elements of all ranges before it. The first and the last cut are the ranges' ends.
    Splitters(const Intervals& places, std::size_t key_bytes, std::size_t value_bytes, std::uint64_t count,
              std::function<Ordered(std::uint64_t)> read)
        : read_(std::move(read)),
          value_bits_(static_cast<unsigned>(8 * value_bytes)),
          bit_(static_cast<unsigned>(8 * (key_bytes + value_bytes))),
          digit_bits_(digit_bits(places.size() - 1)),
          cuts_(places.size()) {
        open_.reserve(places.size());
        cuts_.back() = count;
        for (std::size_t i = 1; i + 1 < places.size(); ++i) {
            if (places[i] == places.back()) cuts_[i] = count;
            else if (places[i] > 0) open_.push_back({.number = i, .place = places[i], .end = count});
        }
        counts_.reserve(open_.size() * numbers_of_round(digit_bits_));
        sums_.reserve(counts_.capacity());
    }

    /// All cuts are known, or all digits of those that are not.
    bool is_done() const noexcept { return open_.empty() || bit_ == 0; }

    /// A round: how many elements of this range come before each candidate of each open cut. The numbers are the
    /// caller's to change, until the next call.
    std::span<std::uint64_t> count() {
        bit_ -= digit_bits_;
        counts_.clear();
        for (const Cut& cut : open_) {
            std::uint64_t begin = cut.begin;
            for (std::uint64_t digit = 1; digit <= numbers_of_round(digit_bits_); ++digit) {
                begin = first_from(candidate(cut, digit), begin, cut.end);
                counts_.push_back(begin);
            }
        }
        sums_ = counts_;
        return sums_;
    }

    /// Ends the round with the sums of all ranges' counts.
    void narrow(std::span<const std::uint64_t> sums) {
        const std::uint64_t candidates = numbers_of_round(digit_bits_);
        std::size_t open = 0;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            Cut cut = open_[i];
            const std::uint64_t* const own = counts_.data() + i * candidates;
            const auto all = sums.subspan(i * candidates, candidates);
            // The last candidate that has no more elements before it than the cut.
            const auto digit = static_cast<std::uint64_t>(std::ranges::upper_bound(all, cut.place) - all.begin());
            if (digit < candidates) cut.end = own[digit];
            if (digit > 0) {
                cut.low = candidate(cut, digit);
                cut.begin = own[digit - 1];
                cut.before = all[digit - 1];
            }
            cuts_[cut.number] = cut.begin;
            if (cut.before != cut.place) open_[open++] = cut;
        }
        open_.resize(open);
    }

    /// Elements of this range that are equal to the one that each open cut goes through, when all digits are known; as
    /// above, the caller's to change.
    std::span<std::uint64_t> equal() {
        sums_.clear();
        for (const Cut& cut : open_) sums_.push_back(cut.end - cut.begin);
        return sums_;
    }
    /// Closes them: of equal elements, those of the first ranges come before the cut. `below` are those of the ranges
    /// before this one.
    void share_out(std::span<const std::uint64_t> below) {
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const Cut& cut = open_[i];
            const std::uint64_t wanted = cut.place - cut.before;
            cuts_[cut.number] = cut.begin + std::min(cut.end - cut.begin, wanted - std::min(wanted, below[i]));
        }
        open_.clear();
    }

    /// The parts of this range.
    const Intervals& cuts() const noexcept { return cuts_; }

private:
    struct Cut {
        std::size_t number = 0;
        std::uint64_t place = 0;           ///< elements of all ranges that are to come before it
        std::uint64_t before = 0;          ///< that come before `low`
        std::uint64_t begin = 0, end = 0;  ///< of this range, elements from `low` on that may be about the cut
        Ordered low = {};                  ///< the digits that are known
    };

    Ordered candidate(const Cut& cut, std::uint64_t digit) const noexcept {
        Ordered at = cut.low;
        if (bit_ >= value_bits_) at.key += digit << (bit_ - value_bits_);
        else if (bit_ >= 64) at.high += digit << (bit_ - 64);
        else at.low += digit << bit_;
        return at;
    }
    /// The first element, of these, that does not come before that one.
    std::uint64_t first_from(const Ordered& element, std::uint64_t begin, std::uint64_t end) const {
        while (begin < end) {
            // A multiple of as high a power of two as there is, so that many searches look at the same elements.
            const auto width = std::bit_width(begin ^ (end - 1));
            const std::uint64_t middle = width == 0 ? begin : (end - 1) >> (width - 1) << (width - 1);
            if (read_(middle) < element) begin = middle + 1;
            else end = middle;
        }
        return begin;
    }

    std::function<Ordered(std::uint64_t)> read_;
    unsigned value_bits_;
    unsigned bit_;  ///< below it, digits are not known
    unsigned digit_bits_;
    std::vector<Cut> open_;
    std::vector<std::uint64_t> counts_, sums_;
    Intervals cuts_;
};

}  // namespace lanesort::inline v0_1::mpi
