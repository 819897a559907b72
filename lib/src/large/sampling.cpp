// SPDX-License-Identifier: MIT
#include "sampling.hpp"

#include <algorithm>
#include <cmath>

#include "core/integers.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// With fewer samples of a bucket its size is anybody's guess.
constexpr std::uint64_t least_samples_of_bucket = 32;

/// What a bucket of so many samples may have at most.
bool fits(std::uint64_t of_bucket, std::uint64_t samples, std::uint64_t count, std::uint64_t capacity) {
    const double share = static_cast<double>(of_bucket) / static_cast<double>(samples);
    const double deviation = 1 / std::sqrt(static_cast<double>(of_bucket));
    return static_cast<double>(count) * share * (1 + 5 * deviation) <= static_cast<double>(capacity);
}

std::uint64_t times(std::uint64_t count, std::uint64_t part, std::uint64_t all) {
    return count / all * part + count % all * part / all;
}

/// Source of the constants: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
std::uint64_t hash_of(std::uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

}  // namespace

std::uint64_t SamplePlaces::place(std::uint64_t sample) const noexcept {
    const std::uint64_t first = begin(sample);
    return first + hash_of(seed_ << 32 | sample) % (begin(sample + 1) - first);
}

std::optional<std::uint64_t> fewest_buckets(std::uint64_t samples, std::uint64_t count, std::uint64_t capacity) {
    if (capacity == 0) return {};
    for (std::uint64_t buckets = std::max<std::uint64_t>(ceil_div(count, capacity), 1);; ++buckets) {
        const std::uint64_t of_bucket = samples / buckets;
        if (of_bucket < least_samples_of_bucket) return {};
        if (fits(of_bucket, samples, count, capacity)) return buckets;
    }
}

std::optional<std::vector<Cut>> make_cuts(std::span<const std::uint64_t> samples, std::uint64_t count,
                                          std::uint64_t capacity, bool keeps_equal) {
    const std::uint64_t all = samples.size();
    const std::optional<std::uint64_t> fewest = fewest_buckets(all, count, capacity);
    if (!fewest) return {};
    for (std::uint64_t buckets = *fewest; all / buckets >= least_samples_of_bucket; buckets += ceil_div(buckets, 8)) {
        std::vector<Cut> cuts;
        std::uint64_t largest = 0, before = 0;
        for (std::uint64_t i = 1; i <= buckets; ++i) {
            std::uint64_t rank = all;
            if (i < buckets) {
                rank = all * i / buckets;
                const auto [first, end] = std::equal_range(samples.begin(), samples.end(), samples[rank]);
                Cut cut{static_cast<std::uint64_t>(first - samples.begin()), 0,
                        static_cast<std::uint64_t>(end - first)};
                cut.below = rank - cut.sample;
                if (keeps_equal) cut.below = 2 * cut.below < cut.equal ? 0 : cut.equal;
                cuts.push_back(cut);
                rank = cut.rank();
            }
            largest = std::max(largest, rank - before);
            before = rank;
        }
        // Where they divide equal keys, buckets are as large as can be told.
        if (largest <= ceil_div(all, buckets) || fits(largest, all, count, capacity)) return cuts;
    }
    return {};
}

std::vector<std::uint64_t> expected_counts(std::span<const Cut> cuts, std::uint64_t samples, std::uint64_t count) {
    std::vector<std::uint64_t> counts;
    std::uint64_t before = 0;
    for (const Cut& cut : cuts) {
        const std::uint64_t next = times(count, cut.rank(), samples);
        counts.push_back(next - before);
        before = next;
    }
    counts.push_back(count - before);
    return counts;
}

}  // namespace lanesort::inline v0_1::detail
