// The schedule of a selection: the first k elements of an array or of each of its rows (kernels/select.cl). Pure.
#pragma once

#include <cstdint>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/shape.hpp>
#include <lanesort/sorter.hpp>

namespace lanesort::detail {

/// One launch: `parts` work-groups for each row select among its elements.
struct SelectionPass {
    std::uint64_t count = 0;  ///< elements of a row before it
    std::uint64_t parts = 0;  ///< work-groups of a row; each leaves k elements

    friend bool operator==(const SelectionPass&, const SelectionPass&) = default;
};

struct Selection {
    std::uint64_t rows = 1;
    std::uint64_t count = 0;  ///< elements of a row
    std::uint64_t k = 0;      ///< of them are wanted, fewer than `count`
    Shape shape;              ///< a work-item keeps `vectors` vectors and reads `register_vectors` at a time
    std::vector<SelectionPass> passes;

    /// Elements that the first pass leaves for the second; 0 where there is none.
    std::uint64_t left_over() const noexcept { return passes.size() > 1 ? rows * passes[0].parts * k : 0; }
    /// Its launches, and where the work-items of a group synchronise in them.
    SortReport report() const noexcept;
};

/// The most elements that a work-item of that device can keep in its registers; a sort is to be used for more.
std::uint64_t most_selected(const DeviceInfo& device, ElementBytes bytes) noexcept;

/// Needs 0 < k <= most_selected() and k < count. A pass that would leave a row in many parts is followed by one that
/// leaves one.
Selection make_selection(const DeviceInfo& device, ElementBytes bytes, std::uint64_t rows, std::uint64_t count,
                         std::uint64_t k);

/// Bytes of local memory that a work-group takes.
std::size_t selection_local_bytes(const Shape& shape, ElementBytes bytes) noexcept;

}  // namespace lanesort::detail
