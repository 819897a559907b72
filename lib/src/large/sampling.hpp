// SPDX-License-Identifier: MIT
// Buckets of about as many elements each, of an array of which only samples are known. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanesort::inline v0_1::detail {

/// Places in an array of `count` elements: one in each of `samples` ranges of as many, which looks random there, so
/// that nothing in the array is as regular.
class SamplePlaces {
public:
    SamplePlaces(std::uint64_t count, std::uint64_t samples, std::uint32_t seed) noexcept
        : samples_(samples), each_(count / samples), rest_(count % samples), seed_(seed) {}

    std::uint64_t samples() const noexcept { return samples_; }
    std::uint64_t place(std::uint64_t sample) const noexcept;

private:
    std::uint64_t begin(std::uint64_t range) const noexcept { return range * each_ + range * rest_ / samples_; }

    std::uint64_t samples_, each_, rest_, seed_;
};

/// Where a bucket begins in a sorted array: at a sample's key, behind `below` of each `equal` elements that have it.
struct Cut {
    std::uint64_t sample;  ///< its rank among all
    std::uint64_t below, equal;

    std::uint64_t rank() const noexcept { return sample + below; }
    /// In an array where elements of that key are first .. end.
    std::uint64_t in(std::uint64_t first, std::uint64_t end) const noexcept {
        return below == equal ? end : first + (end - first) / equal * below + (end - first) % equal * below / equal;
    }
};

/// Returns the cuts between buckets of which, as far as samples can tell, none will have more than `capacity` of
/// `count` elements: with random samples, a larger one is as rare as what is five standard deviations off.
/// `keeps_equal`: equal keys are to be in one bucket. Nothing where that needs more buckets than samples can tell
/// apart. `samples` are in order.
std::optional<std::vector<Cut>> make_cuts(std::span<const std::uint64_t> samples, std::uint64_t count,
                                          std::uint64_t capacity, bool keeps_equal);

/// The fewest buckets that make_cuts() makes of that, where no keys are equal; nothing likewise.
std::optional<std::uint64_t> fewest_buckets(std::uint64_t samples, std::uint64_t count, std::uint64_t capacity);

/// Returns the elements of each bucket, as samples tell.
std::vector<std::uint64_t> expected_counts(std::span<const Cut> cuts, std::uint64_t samples, std::uint64_t count);

}  // namespace lanesort::inline v0_1::detail
