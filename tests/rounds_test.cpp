// Which vectors a work-item holds in a round, and where a remapped hand-over puts them.
#include "rounds.hpp"

#include <vector>

#include "support.hpp"

namespace lanesort {
namespace {

Shape shared_tile(unsigned vectors, unsigned work_items) {
    return {.vectors = vectors, .work_items = work_items, .register_vectors = 2 * vectors, .remap = true};
}

/// Calls check(shape, start, mirrored) for every field that a round of such a shape can work on.
template <class Check>
void for_every_round(Check check) {
    for (const unsigned vectors : {1, 2, 4, 8})
        for (const unsigned work_items : {1, 2, 8, 32, 256}) {
            const Shape shape = shared_tile(vectors, work_items);
            CAPTURE(to_string(shape));
            for (unsigned start = 0; start <= log2(shape.tile_vectors()) - log2(shape.register_vectors); ++start)
                for (const bool mirrored : {false, true}) {
                    CAPTURE(start);
                    CAPTURE(mirrored);
                    check(shape, start, mirrored);
                }
        }
}

TEST_CASE("rounds: the work-items hold every vector once") {
    for_every_round([](const Shape& shape, unsigned start, bool mirrored) {
        std::vector<unsigned> held(shape.tile_vectors(), 0);
        for (unsigned t = 0; t < shape.work_items; ++t)
            for (unsigned m = 0; m < shape.register_vectors; ++m) ++held.at(held_vector(shape, t, m, start, mirrored));
        CHECK(std::ranges::count(held, 1u) == shape.tile_vectors());
    });
}

TEST_CASE("rounds: a work-item holds both operands of each of its comparators") {
    for_every_round([](const Shape& shape, unsigned start, bool mirrored) {
        const unsigned registers = shape.register_vectors;
        for (unsigned t = 0; t < shape.work_items; ++t)
            for (unsigned m = 0; m < registers; ++m) {
                // The first step of a phase pairs a vector with its mirror image in the run; all others, at one stride.
                const unsigned partner = mirrored ? registers - 1 - m : m ^ (registers / 2);
                const unsigned distance = mirrored ? (registers << start) - 1 : (registers / 2) << start;
                REQUIRE((held_vector(shape, t, m, start, mirrored) ^ held_vector(shape, t, partner, start, mirrored)) ==
                        distance);
            }
    });
}

// In a mirrored round the upper registers hold what the mirror image of the work-item's number would: contiguous too.
TEST_CASE("rounds: remapped slots are a permutation, read contiguously by the next round") {
    for_every_round([](const Shape& shape, unsigned start, bool mirrored) {
        std::vector<unsigned> taken(shape.tile_vectors(), 0);
        for (unsigned v = 0; v < shape.tile_vectors(); ++v) ++taken.at(remapped_slot(shape, v, start));
        CHECK(std::ranges::count(taken, 1u) == shape.tile_vectors());
        for (unsigned t = 0; t < shape.work_items; ++t)
            for (unsigned m = 0; m < shape.register_vectors; ++m) {
                const bool inverted = mirrored && m >= shape.register_vectors / 2;
                const unsigned number = inverted ? t ^ ((1u << start) - 1) : t;
                REQUIRE(remapped_slot(shape, held_vector(shape, t, m, start, mirrored), start) ==
                        number + m * shape.work_items);
            }
    });
}

// The patent's text, for L = 8 and ITEMS = 256, with its own names; see patent.md.
TEST_CASE("rounds: remapping equals the patent's rules (a) and (b)") {
    Shape shape = shared_tile(1, 256);
    shape.lanes = 8;
    const auto printed = [](unsigned id, unsigned s, unsigned upper) {
        return (id >> s) % 2 == 0 ? id - ((id >> s) >> 1) * (1u << s)
                                  : id + (((1u << upper) - (id >> s)) >> 1) * (1u << s);
    };
    for (unsigned id = 0; id < 512; ++id) {
        for (unsigned jg_3 = 1; jg_3 <= 8; ++jg_3) {
            const unsigned s = jg_3 - 1;
            REQUIRE(remapped_slot(shape, id, s) == printed(id, s, 10 - jg_3));
        }
        for (unsigned ig_3 = 0; ig_3 <= 7; ++ig_3) {
            const unsigned s = ig_3 + 1;
            REQUIRE(remapped_slot(shape, id, s) == printed(id, s, 8 - ig_3));
        }
    }
}

TEST_CASE("rounds: padded slots are apart, and fit the local memory that the shape asks for") {
    Shape shape = shared_tile(8, 256);
    for (unsigned slot = 0; slot < shape.tile_vectors(); ++slot) CHECK(padded_slot(shape, slot, 0) == slot);
    shape.bank_padding = true;
    for (const std::size_t bytes : {1, 2, 4, 8}) {
        CAPTURE(bytes);
        const unsigned bank_bits = bytes == 8 ? 1 : 0;
        for (unsigned slot = 1; slot < shape.tile_vectors(); ++slot)
            REQUIRE(padded_slot(shape, slot, bank_bits) > padded_slot(shape, slot - 1, bank_bits));
        CHECK(shape.local_bytes(bytes) > shape.tile_keys() * bytes);
        CHECK(shape.local_bytes(bytes) == (padded_slot(shape, shape.tile_vectors() - 1, bank_bits) + 1) * bytes);
    }
}

TEST_CASE("rounds: fields stay inside the tile and descend to the last step") {
    for_every_round([](const Shape& shape, unsigned bottom, bool) {
        const unsigned tile = log2(shape.tile_vectors()), field = log2(shape.register_vectors);
        for (unsigned phase = bottom + 1; phase <= tile; ++phase) {
            unsigned count = 0, top = phase;
            do {
                const unsigned start = field_start(shape, top - 1, bottom);
                REQUIRE(start + field <= tile);
                REQUIRE(start < top);
                REQUIRE(top <= start + field);
                top = start;
                ++count;
            } while (top > bottom);
            CHECK(rounds(shape, phase, bottom) == count);
        }
    });
}

}  // namespace
}  // namespace lanesort
