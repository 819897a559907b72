// SPDX-License-Identifier: MIT
// Where the buckets of a distribution lie in an array that exceeds the memory of who distributes it: tile by tile its
// elements are read, parted, and written where others were read before. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace lanesort::inline v0_1::detail {

/// Elements of an array that lie one behind another.
struct Extent {
    std::uint64_t first, count;

    std::uint64_t end() const noexcept { return first + count; }
    friend bool operator==(const Extent&, const Extent&) = default;
};

/// Adds an extent, to the last one if it lies behind that.
void append(std::vector<Extent>& extents, Extent more);

/// Elements of an array, as extents that lie apart.
class ExtentSet {
public:
    void add(Extent extent);
    /// Those within an extent, at most so many, the first ones; they are in the set no more.
    std::vector<Extent> take(Extent within, std::uint64_t most);

private:
    std::map<std::uint64_t, std::uint64_t> ends_;  ///< by where they begin
};

/// An array while its elements become buckets. Each bucket has a home: where it would lie in the order of buckets, if
/// it had as many elements as are expected of it.
class BucketLayout {
public:
    /// `is_apart`: what is written is another array than what is read.
    BucketLayout(std::span<const std::uint64_t> expected, bool is_apart);

    /// As many elements as `wanted` of each home, which nobody took yet; where fewer are left, others in their place.
    std::vector<Extent> read(std::span<const std::uint64_t> wanted);
    /// Elements were read: others may lie there.
    void release(std::span<const Extent> extents);
    /// Where elements of a bucket are to lie: at home, as far as there is room, else where most is. There must be room
    /// for all.
    std::vector<Extent> place(std::size_t bucket, std::uint64_t count);

    /// Where each bucket lies.
    const std::vector<std::vector<Extent>>& buckets() const noexcept { return buckets_; }

private:
    std::vector<Extent> homes_, unread_;
    std::vector<std::uint64_t> free_at_home_;
    ExtentSet free_;
    std::vector<std::vector<Extent>> buckets_;
};

/// An array while its buckets are read, in their order, and written where they belong.
class BucketOrder {
public:
    struct Move {
        std::uint64_t from, to, count;
    };

    explicit BucketOrder(std::span<const std::vector<Extent>> buckets);

    /// Where the bucket lies. Each is read once.
    std::vector<Extent> read(std::size_t bucket);
    /// Elements were read: others may lie there, if that is behind all targets.
    void release(std::span<const Extent> extents);
    /// Moves after which nothing lies in the target but what was read. Targets follow one another from the first
    /// element on; as many elements as they have must have been released.
    std::vector<Move> clear(Extent target);

private:
    struct Piece {
        std::uint64_t count;
        std::size_t bucket;
    };
    std::map<std::uint64_t, Piece> pieces_;  ///< that were not read, by where they begin
    ExtentSet free_;
    std::uint64_t begin_ = 0;  ///< behind all targets
};

}  // namespace lanesort::inline v0_1::detail
