// SPDX-License-Identifier: MIT
#include "rounds.hpp"

#include <algorithm>

namespace lanesort::inline v0_1 {

unsigned field_start(const Shape& shape, unsigned top) {
    const unsigned field_bits = log2(shape.register_vectors);
    return std::min(std::max(top + 1, field_bits), log2(shape.tile_vectors())) - field_bits;
}

bool keeps_slots(const Shape& shape) { return !shape.walks_in_cache() && shape.tile_work_items() > 1 && !shape.remap; }

bool shares_rounds(const Shape& shape) {
    return keeps_slots(shape) && shape.tile_work_items() >= shape.register_vectors && shape.tile_work_items() <= 256;
}

unsigned round_bottom(const Shape& shape, unsigned start) {
    const unsigned field_bits = log2(shape.register_vectors);
    return shares_rounds(shape) ? (start + field_bits - 1) / field_bits * field_bits : start;
}

unsigned store_start(const Shape& shape) {
    const unsigned contiguous = log2(shape.tile_work_items());
    return shares_rounds(shape) ? std::min(contiguous, warp_bits) : contiguous;
}

unsigned rounds(const Shape& shape, unsigned phase, unsigned bottom) {
    unsigned rounds = 1;
    for (unsigned start = field_start(shape, phase - 1); start > bottom; start = field_start(shape, start - 1))
        ++rounds;
    return rounds;
}

namespace {

unsigned slot_of_pairs(const Shape& shape, unsigned v, unsigned row_bits) {
    const unsigned bit = std::min(log2(shape.tile_work_items()), row_bits + log2(shape.register_vectors) - 1);
    const unsigned above = v >> (bit + 1) << (bit + 1);
    return above | (v & 1) << bit | ((v - above) >> 1);
}

}  // namespace

bool stores_pairs(const Shape& shape) {
    const unsigned field_bits = log2(shape.register_vectors);
    return shape.coalesced_store && shape.remap && shape.tile_work_items() > 1 && shape.lanes == 1 && field_bits > 1 &&
           log2(shape.tile_vectors()) % field_bits == 1;
}

unsigned held_vector(const Shape& shape, unsigned t, unsigned m, unsigned start, bool mirrored) {
    if (start == in_pairs) return m / 2 * 2 * shape.tile_work_items() | 2 * t | (m & 1);
    const unsigned low = (1u << start) - 1;
    const unsigned v = (t >> start) << (start + log2(shape.register_vectors)) | m << start | (t & low);
    return mirrored && m >= shape.register_vectors / 2 ? v ^ low : v;
}

unsigned remapped_slot(const Shape& shape, unsigned v, unsigned start) {
    const unsigned field_bits = log2(shape.register_vectors);
    const unsigned field = (v >> start) & (shape.register_vectors - 1);
    return field << (log2(shape.tile_vectors()) - field_bits) | (v >> (start + field_bits)) << start |
           (v & ((1u << start) - 1));
}

unsigned padding_shift(const Shape& shape, unsigned from, unsigned to, unsigned row_bits) {
    if (to == in_pairs) return row_bits;
    const int field_bits = static_cast<int>(log2(shape.register_vectors));
    const int contiguous_start = static_cast<int>(log2(shape.tile_vectors())) - field_bits;
    const int start = static_cast<int>(to), row = static_cast<int>(row_bits);
    const int lowest = to < from             ? start
                       : start <= field_bits ? start - field_bits
                                             : std::max(start - std::max(field_bits, row), 0);
    return static_cast<unsigned>(std::max(contiguous_start - lowest, row));
}

unsigned padded_slot(const Shape& shape, unsigned v, unsigned from, unsigned to, unsigned row_bits) {
    const unsigned slot = to == in_pairs ? slot_of_pairs(shape, v, row_bits)
                          : shape.remap  ? remapped_slot(shape, v, to)
                                         : v;
    if (!shape.bank_padding) return slot;
    if (!shape.remap) return slot + (slot >> log2(shape.register_vectors));
    const unsigned shift = padding_shift(shape, from, to, row_bits);
    const bool twice = to != in_pairs && shift > row_bits && from < to && to > log2(shape.register_vectors);
    return slot + (slot >> shift) + (twice ? slot >> row_bits : 0);
}

bool may_have_columns(const Shape& shape) {
    return shape.walks_in_cache() || (shape.lanes == 1 && shape.tile_work_items() > 1);
}

unsigned most_column_bits(const Shape& shape) {
    const unsigned lane_bits = log2(shape.lanes), tile_bits = log2(shape.tile_keys());
    const unsigned smallest_strip = std::max(2 * lane_bits, lane_bits + log2(shape.register_vectors));
    if (!shape.columns || tile_bits <= smallest_strip) return 0;
    const unsigned possible = std::min(tile_bits - smallest_strip, (tile_bits - std::max(lane_bits, 2u) + 1) / 2);
    return shape.most_columns > 0 ? std::min(possible, log2(shape.most_columns)) : possible;
}

unsigned column_bits(const Shape& shape, unsigned phases) {
    const unsigned most = most_column_bits(shape), tile_bits = log2(shape.tile_keys());
    if (phases <= tile_bits) return 0;
    const unsigned bits = std::min(phases - tile_bits, most);
    return bits >= least_column_bits || bits + 1 >= most || shape.walks_in_cache() ? bits : 0;
}

}  // namespace lanesort::inline v0_1
