// SPDX-License-Identifier: MIT
// The first of the heads of many sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// A tournament of the heads of sequences. To replace the winner takes one comparison for each doubling of the
/// sequences, each with the loser of an earlier match. A head has a member `run`, the number of its sequence, and
/// `Before` says of two heads whether the first one comes first.
///
/// Source: Knuth, "The Art of Computer Programming", volume 3, 5.4.1: a tree of losers.
template <class Head, class Before>
class LoserTree {
public:
    /// Takes the first head of each sequence, in their order: at least one.
    explicit LoserTree(const std::vector<Head>& heads, Before before = {})
        : leaves_(heads.size()), losers_(heads.size()), before_(std::move(before)) {
        std::vector<Head> winners(heads.size());
        winners.insert(winners.end(), heads.begin(), heads.end());
        for (std::size_t node = leaves_; node-- > 1;) {
            const bool right = before_(winners[2 * node + 1], winners[2 * node]);
            winners[node] = winners[2 * node + right];
            losers_[node] = winners[2 * node + !right];
        }
        winner_ = winners[1];
    }

    const Head& winner() const noexcept { return winner_; }

    /// Puts the next head of the winner's sequence in its place.
    void replace(Head head) {
        for (std::size_t node = (leaves_ + head.run) / 2; node > 0; node /= 2) {
            Head& loser = losers_[node];
            const Head other = loser;
            const bool loses = before_(other, head);
            loser = loses ? head : other;
            head = loses ? other : head;
        }
        winner_ = head;
    }

private:
    std::size_t leaves_;
    std::vector<Head> losers_;  ///< of each inner node; from 1 on
    Head winner_{};
    Before before_;
};
