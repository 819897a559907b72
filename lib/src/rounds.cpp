#include "rounds.hpp"

#include <algorithm>

namespace lanesort {

unsigned field_start(const Shape& shape, unsigned top, unsigned bottom) {
    const unsigned field_bits = log2(shape.register_vectors);
    const unsigned start = std::max(top + 1, field_bits) - field_bits;
    return std::min(std::max(start, bottom), log2(shape.tile_vectors()) - field_bits);
}

unsigned rounds(const Shape& shape, unsigned phase, unsigned bottom) {
    unsigned rounds = 1;
    for (unsigned start = field_start(shape, phase - 1, bottom); start > bottom;
         start = field_start(shape, start - 1, bottom))
        ++rounds;
    return rounds;
}

unsigned held_vector(const Shape& shape, unsigned t, unsigned m, unsigned start, bool mirrored) {
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

unsigned padded_slot(const Shape& shape, unsigned slot, unsigned bank_bits) {
    return shape.bank_padding ? slot + (slot >> (5 - bank_bits)) + (slot >> (8 - bank_bits)) : slot;
}

}  // namespace lanesort
