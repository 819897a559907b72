// SPDX-License-Identifier: MIT
// The passes of a plan in plain loops, over the whole array, with no tile, lane or work-item in sight. What is done
// with two keys that meet is the caller's: exchange them, trace them, or exchange those of many inputs at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <lanesort/plan.hpp>

namespace lanesort {

/// Where the keys of a pass are: all of the array, with a front before it, or the heads of its runs side by side.
class PassView {
public:
    PassView(const Pass& pass, const Plan& plan)
        : strip_stride_(pass.kind == Pass::Kind::merge_heads ? pass.strip_stride : 0),
          strip_bits_(strip_stride_ > 0 ? pass.strip_bits : 0),
          front_(plan.front),
          size_(strip_stride_ > 0 ? pass.tiles * plan.shape.tile_keys() : plan.front + plan.count) {}

    std::uint64_t first() const { return front_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t place(std::uint64_t i) const {
        const std::uint64_t column = i & ((std::uint64_t{1} << strip_bits_) - 1);
        return strip_stride_ > 0 ? ((i >> strip_bits_) << strip_stride_) + column : i - front_;
    }

private:
    unsigned strip_stride_, strip_bits_;
    std::uint64_t front_, size_;
};

/// Where the keys of a column lie: a strip of each of as many whole tiles as there are columns, and of a tile that is
/// not whole every key that is as many behind the last one as there are columns.
class ColumnView {
public:
    ColumnView(const Pass& pass, const Plan& plan, std::uint64_t number)
        : pass_(pass),
          count_(plan.count),
          column_(number & ((std::uint64_t{1} << pass.column_bits) - 1)),
          first_(number >> pass.column_bits << (pass.strip_stride + pass.column_bits)) {}

    std::uint64_t place(std::uint64_t i) const {
        const std::uint64_t tile = first_ + (i >> pass_.strip_bits << pass_.strip_stride);
        const std::uint64_t in_strip = i & ((std::uint64_t{1} << pass_.strip_bits) - 1);
        const bool is_whole = tile + (std::uint64_t{1} << pass_.strip_stride) <= count_;
        return is_whole ? tile + (column_ << pass_.strip_bits) + in_strip
                        : tile + column_ + (in_strip << pass_.column_bits);
    }

private:
    const Pass& pass_;
    std::uint64_t count_, column_, first_;
};

/// Brings the keys of whole tiles into columns, or back: rank k lies in column k mod the columns.
template <class Key>
void move_columns(std::span<Key> keys, const Pass& pass, std::size_t tile, bool back) {
    const std::size_t columns = std::size_t{1} << pass.column_bits;
    std::vector<Key> moved(tile);
    for (std::size_t first = 0; first + tile <= keys.size(); first += tile) {
        const auto keys_of_tile = keys.subspan(first, tile);
        for (std::size_t k = 0; k < tile; ++k) {
            const std::size_t place = k % columns * (tile / columns) + k / columns;
            moved[back ? k : place] = keys_of_tile[back ? place : k];
        }
        std::ranges::copy(moved, keys_of_tile.begin());
    }
}

/// The steps of one phase, of `size` keys from `first` on, of which those exist whose place(i) is before the end.
template <class Key, class Place, class Exchange>
void run_phase(std::span<Key> keys, unsigned phase, unsigned top, unsigned bottom, std::uint64_t first,
               std::uint64_t size, Place place, Exchange exchange) {
    for (unsigned stride = top + 1; stride-- > bottom;) {
        const std::uint64_t step = std::uint64_t{1} << stride;
        const std::uint64_t partner_mask = stride + 1 == phase ? 2 * step - 1 : step;
        for (std::uint64_t i = first; i < size; ++i) {
            const std::uint64_t partner = i ^ partner_mask;
            if (partner > i && place(partner) < keys.size()) exchange(keys[place(i)], keys[place(partner)]);
        }
    }
}

/// The truncated odd-even merges of a tile whose columns are in order.
template <class Key, class Exchange>
void merge_tile_columns(std::span<Key> keys, unsigned column_bits, Exchange exchange) {
    for (std::size_t p = std::size_t{1} << column_bits >> 1; p > 0; p /= 2)
        for (std::size_t h = std::size_t{1} << column_bits >> 1; h > 0; h /= 2)
            for (std::size_t x = 0; x < keys.size(); ++x)
                if (const std::size_t y = x + (2 * h - 1) * p; (x & p) && y < keys.size()) exchange(keys[x], keys[y]);
}

/// Calls exchange(lower, upper) for every two keys that a pass of the plan compares, in order. The smaller one belongs
/// into `lower`, whose address is the lower one. Where keys are sorted in columns, they change places besides.
template <class Key, class Exchange>
void run_pass(std::span<Key> keys, const Pass& pass, const Plan& plan, Exchange exchange) {
    const std::size_t tile = plan.shape.tile_keys();
    if (pass.kind == Pass::Kind::merge_columns) {
        for (std::uint64_t number = 0; number < pass.tiles; ++number) {
            const ColumnView view(pass, plan, number);
            const auto place = [&](std::uint64_t i) { return view.place(i); };
            for (unsigned phase = pass.first_phase; phase <= pass.last_phase; ++phase)
                run_phase(keys, phase, phase - 1, 0, 0, tile, place, exchange);
        }
    } else if (pass.kind == Pass::Kind::merge_tile_columns && plan.shape.walks_in_cache()) {
        move_columns(keys, pass, tile, true);
        for (std::size_t first = 0; first < keys.size(); first += tile)
            merge_tile_columns(keys.subspan(first, std::min(tile, keys.size() - first)), pass.column_bits, exchange);
    } else if (pass.kind == Pass::Kind::merge_tile_columns) {
        // What is left of a tile that the array ends in is sorted from the start: its columns do not lie side by side.
        for (std::size_t first = 0; first < keys.size(); first += tile) {
            const auto place = [&](std::uint64_t i) { return first + i; };
            const bool whole = first + tile <= keys.size();
            for (unsigned phase = whole ? pass.first_phase : 1; phase <= pass.last_phase; ++phase)
                run_phase(keys, phase, phase - 1, 0, 0, tile, place, exchange);
        }
    } else if (pass.kind == Pass::Kind::merge_borders) {
        const std::size_t half = std::size_t{1} << pass.last_phase >> 1;
        for (std::size_t border = tile; border < keys.size(); border += tile) {
            if (border / tile % (std::size_t{1} << pass.column_bits) == 0) continue;
            const auto place = [&](std::uint64_t i) { return border - half + i; };
            run_phase(keys, pass.last_phase, pass.top_stride, 0, 0, 2 * half, place, exchange);
        }
    } else {
        const PassView view(pass, plan);
        const auto place = [&](std::uint64_t i) { return view.place(i); };
        for (unsigned phase = pass.first_phase; phase <= pass.last_phase; ++phase) {
            const bool last = phase == pass.last_phase;
            run_phase(keys, phase, last ? pass.top_stride : phase - 1, last ? pass.bottom_stride : 0, view.first(),
                      view.size(), place, exchange);
        }
        if (pass.column_bits > 0) move_columns(keys, pass, tile, false);
    }
}

}  // namespace lanesort
