// SPDX-License-Identifier: MIT
// Keys on which the pivots of kernels/cpu/quicksort.h are as bad as can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "support.hpp"

namespace lanesort::test {

/// Follows the quicksort in plain loops: which elements it draws as a sample, and where each goes when a range is
/// parted. So an element gets its rank only when it is drawn: then the worst one is known.
class WorstKeys {
public:
    struct Range {
        std::size_t begin, end;
        std::size_t size() const { return end - begin; }
    };

    WorstKeys(std::size_t count, std::size_t lanes) : lanes_(lanes), elements_(count), ranks_(count) {
        std::iota(elements_.begin(), elements_.end(), std::size_t{0});
    }

    Range all() const { return {0, elements_.size()}; }

    /// The sample is what comes first in the range: little is parted from it. Gives the rest.
    Range part_badly(Range range) {
        std::vector<std::size_t> drawn = sample(range);
        for (const std::size_t element : drawn)
            if (!ranks_[element]) ranks_[element] = next_++;
        std::ranges::sort(drawn, {}, [&](std::size_t element) { return *ranks_[element]; });
        return {part(range, *ranks_[drawn[drawn.size() / 2]]), range.end};
    }

    /// The same, but what is drawn is all equal: nothing comes before the pivot.
    Range part_equal(Range range) {
        for (const std::size_t element : sample(range)) ranks_[element] = next_;
        part(range, next_);
        return {part(range, ++next_), range.end};
    }

    /// A good pivot, and random ranks in front of it. It is parted in so many pairs of stripes. Gives what is behind.
    Range part_evenly(Range range, std::size_t pairs, Random& random) {
        std::vector<std::size_t> drawn = sample(range);
        std::ranges::sort(drawn);
        const std::size_t middle = drawn[drawn.size() / 2];
        const std::uint64_t pivot = next_ += range.size();
        ranks_[middle] = next_++;
        for (const std::size_t element : drawn)
            if (element > middle) ranks_[element] = next_++;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            std::optional<std::uint64_t>& rank = ranks_[elements_[i]];
            const bool is_drawn = std::ranges::binary_search(drawn, elements_[i]);
            if (!rank && (is_drawn || random() % 2 == 0)) rank = pivot - 1 - random() % range.size();
        }
        return {pairs < 2 ? part(range, pivot) : part_stripes(range, pairs, pivot), range.end};
    }

    /// Keys of these ranks, those of equal ones equal. What was never drawn comes last, in any order.
    template <Key K>
    std::vector<K> keys(Order order, Random& random) const {
        std::vector<std::uint64_t> ranks;
        for (const std::optional<std::uint64_t>& rank : ranks_) ranks.push_back(rank ? *rank : next_ + random() % 1000);
        std::vector<std::uint64_t> distinct = ranks;
        std::ranges::sort(distinct);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        std::vector<K> in_order = sorted(random_keys<K>(2 * distinct.size(), random), order);
        const auto are_equal = [](K a, K b) { return bits_of(a) == bits_of(b); };
        in_order.erase(std::unique(in_order.begin(), in_order.end(), are_equal), in_order.end());
        REQUIRE(in_order.size() >= distinct.size());
        std::vector<K> keys;
        for (const std::uint64_t rank : ranks)
            keys.push_back(
                in_order[static_cast<std::size_t>(std::ranges::lower_bound(distinct, rank) - distinct.begin())]);
        return keys;
    }

private:
    /// choose_pivot(), with the seed 0.
    std::vector<std::size_t> sample(Range range) const {
        const std::uint64_t size = range.size();
        const std::size_t vectors = size < 1024 * lanes_ ? 2 : size < 8192 * lanes_ ? 4 : 8;
        std::uint64_t random = size * 0x9e3779b97f4a7c15u + range.begin;
        std::vector<std::size_t> drawn(vectors * lanes_);
        for (std::size_t& element : drawn) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            element = elements_[range.begin + ((random >> 32) * (size >> 4) >> 28)];
        }
        return drawn;
    }

    bool is_below(std::size_t element, std::uint64_t pivot) const {
        return ranks_[element] && *ranks_[element] < pivot;
    }

    /// What comes before the pivot, in its order from the left, and what does not, from the right.
    struct Parted {
        std::vector<std::size_t> below;
        std::deque<std::size_t> others;
    };

    static constexpr std::size_t at_once = 8;

    void put(Parted& parted, std::size_t first, std::size_t count, std::uint64_t pivot) const {
        const std::vector<std::size_t> vector = copy_of(first, count);
        for (const std::size_t element : vector)
            if (is_below(element, pivot)) parted.below.push_back(element);
        for (auto element = vector.rbegin(); element != vector.rend(); ++element)
            if (!is_below(*element, pivot)) parted.others.push_front(*element);
    }

    /// part_next()
    void put_next(Parted& parted, Range range, Range& unread, std::uint64_t pivot) const {
        const std::size_t left_room = unread.begin - range.begin - parted.below.size();
        const std::size_t right_room = range.end - parted.others.size() - unread.end;
        const bool is_left = left_room <= right_room;
        const std::size_t from = is_left ? unread.begin : unread.end - at_once * lanes_;
        (is_left ? unread.begin : unread.end) = is_left ? from + at_once * lanes_ : from;
        for (std::size_t i = 0; i < at_once; ++i) put(parted, from + i * lanes_, lanes_, pivot);
    }

    std::vector<std::size_t> copy_of(std::size_t first, std::size_t count) const {
        const auto begin = elements_.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }

    void write(const auto& elements, std::size_t first) {
        std::ranges::copy(elements, elements_.begin() + static_cast<std::ptrdiff_t>(first));
    }

    /// part() and put_held(): gives where the elements begin that do not come before the pivot.
    std::size_t part(Range range, std::uint64_t pivot) {
        Parted parted;
        const std::size_t rest = range.size() % lanes_, end = range.end - rest;
        const std::size_t held = range.size() - rest < 2 * at_once * lanes_ ? 0 : at_once;
        Range unread = {range.begin + held * lanes_, end - held * lanes_};
        while (held > 0 && unread.size() >= at_once * lanes_) put_next(parted, range, unread, pivot);
        put(parted, end, rest, pivot);
        for (std::size_t i = 0; i < held; ++i) put(parted, range.begin + i * lanes_, lanes_, pivot);
        for (std::size_t i = 1; i <= held; ++i) put(parted, end - i * lanes_, lanes_, pivot);
        for (; unread.begin < unread.end; unread.begin += lanes_) put(parted, unread.begin, lanes_, pivot);
        const std::size_t middle = range.begin + parted.below.size();
        write(parted.below, range.begin);
        write(parted.others, middle);
        return middle;
    }

    /// part_two(): gives how many elements come before the pivot.
    std::size_t part_two(Range left, Range right, std::uint64_t pivot) {
        Parted parted;
        const std::size_t length = at_once * lanes_;
        Range unread = {left.begin + length, right.end - length};
        std::vector<std::size_t> held = copy_of(left.begin, length);
        for (std::size_t i = 1; i <= at_once; ++i) {
            const std::vector<std::size_t> vector = copy_of(right.end - i * lanes_, lanes_);
            held.insert(held.end(), vector.begin(), vector.end());
        }
        while (left.end - unread.begin >= length && unread.end - right.begin >= length)
            put_next(parted, {left.begin, right.end}, unread, pivot);
        const Range left_rest = {left.begin + parted.below.size(), left.end};
        const Range right_rest = {right.begin, right.end - parted.others.size()};
        const auto of_right = held.begin() + static_cast<std::ptrdiff_t>(unread.begin - left_rest.begin);
        write(parted.below, left.begin);
        write(std::vector(held.begin(), of_right), left_rest.begin);
        write(std::vector(of_right, held.end()), unread.end);
        write(parted.others, right_rest.end);
        return part(left_rest, pivot) - left.begin + part(right_rest, pivot) - right.begin;
    }

    /// stripe_of(), part_two() of each pair, and what their work-groups exchange then.
    std::size_t part_stripes(Range range, std::size_t pairs, std::uint64_t pivot) {
        const std::size_t length = range.size() / (2 * pairs) / lanes_ * lanes_;
        std::size_t middle = range.begin;
        for (std::size_t i = 0; i < pairs; ++i) {
            const std::size_t left = range.begin + i * length, right = range.begin + (2 * pairs - 1 - i) * length;
            middle += part_two({left, left + length}, {right, i == 0 ? range.end : right + length}, pivot);
        }
        std::size_t behind = middle;
        for (std::size_t i = range.begin; i < middle; ++i) {
            if (is_below(elements_[i], pivot)) continue;
            while (!is_below(elements_[behind], pivot)) ++behind;
            std::swap(elements_[i], elements_[behind++]);
        }
        return middle;
    }

    std::size_t lanes_;
    std::vector<std::size_t> elements_;  ///< in their places, by their numbers
    std::vector<std::optional<std::uint64_t>> ranks_;
    std::uint64_t next_ = 1;
};

}  // namespace lanesort::test
