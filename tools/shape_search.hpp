// SPDX-License-Identifier: MIT
// Which shapes `lanesort tune` tries, in what order, and what counts the fastest ones are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

/// The shapes that differ from this one in one respect and that the device can run, the most promising first. Those
/// with fewer columns are among them only where so many keys are sorted in another way then.
std::vector<lanesort::Shape> neighbours(const lanesort::Shape& shape, const lanesort::DeviceInfo& device,
                                        std::size_t key_bytes, std::uint64_t count);

/// Descends from the shapes known to be good, for several counts at once: compiling takes longer than sorting, so each
/// shape is tried with all counts. Next come the neighbours of the fastest shape of each count in turn, until all of
/// them were tried.
class ShapeSearch {
public:
    /// Those of a shape that is the fastest for the count of that number.
    using Neighbours = std::function<std::vector<lanesort::Shape>(const lanesort::Shape&, std::size_t count)>;

    ShapeSearch(std::vector<lanesort::Shape> first, std::size_t counts, Neighbours neighbours);

    /// A shape that was not tried; nothing when the search is at its end.
    std::optional<lanesort::Shape> next();

    /// Says what became of it: the seconds of a sort for each count, or nothing where it cannot be used.
    void tried(const lanesort::Shape& shape, std::span<const std::optional<double>> seconds);

    /// The fastest shapes for a count, at most so many, the fastest first.
    std::vector<lanesort::Shape> fastest(std::size_t count, std::size_t most) const;

private:
    struct Trial {
        lanesort::Shape shape;
        std::vector<std::optional<double>> seconds;
    };

    bool was_tried(const lanesort::Shape& shape) const;

    std::vector<lanesort::Shape> first_;
    Neighbours neighbours_;
    std::vector<Trial> trials_;
    std::size_t counts_, turn_ = 0;
};

/// The counts that a measurement speaks for: from `from` to `below` - 1, or without end.
struct CountRange {
    std::uint64_t from, below;

    friend bool operator==(const CountRange&, const CountRange&) = default;
};

/// For each of these ascending counts the range of those that are nearer to it than to the others, by their ratio, but
/// no farther than by a factor of 4. A largest count of 2^24 or more speaks for all larger ones, too: they only take
/// more passes of the same kind.
std::vector<CountRange> ranges_around(std::span<const std::uint64_t> counts);
