// SPDX-License-Identifier: MIT
/// @file
/// Shapes and limits that were measured, for one device. The files that hold them are in tuning.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

/// What a measured shape was measured on. Members are as in DeviceInfo, but with a space for each control character:
/// in a file, each has a line.
struct DeviceIdentity {
    std::string backend;   ///< "OpenCL" or "CUDA"
    std::string platform;  ///< the implementation
    std::string name;      ///< the device
    std::string driver;    ///< its version: with another driver another shape may be the fastest

    friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// Returns what a file of shapes says of that device.
DeviceIdentity identity(const DeviceInfo& device);

/// Shapes for one device, each for keys of one width and a range of counts.
struct ShapeTable {
    /// As Row::below: however many keys there are.
    static constexpr std::uint64_t no_end = ~std::uint64_t{0};

    /// One shape, and the keys that it is for.
    struct Row {
        std::size_t key_bytes = 4;     ///< 1, 2, 4 or 8
        std::uint64_t from = 0;        ///< the smallest count
        std::uint64_t below = no_end;  ///< the first count that is too large; no_end: none is
        Shape shape;                   ///< for that many keys

        friend bool operator==(const Row&, const Row&) = default;
    };

    DeviceIdentity device;  ///< where they were measured
    std::vector<Row> rows;  ///< by width, then by count; no two ranges of a width overlap
    /// For widths whose schedules were compared: from so many keys on a distribution is faster than the others;
    /// no_end: never. Where a width has none, the library decides.
    std::map<std::size_t, std::uint64_t> distribution_from{};

    /// The shape for `count` keys of that many bytes (0: very many); nothing where the table has none.
    std::optional<Shape> find(std::size_t key_bytes, std::uint64_t count) const;

    /// Makes that the shape of the row's keys; other keys keep theirs. Neighbouring ranges of one shape become one.
    void put(const Row& row);
    /// Leaves these keys without a shape; other keys keep theirs.
    void remove(std::size_t key_bytes, std::uint64_t from, std::uint64_t below);
};

}  // namespace lanesort::inline v0_1
