// SPDX-License-Identifier: MIT
// Shapes whose tiles are small, so that few keys already make many passes.
#pragma once

#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::test {

/// Tiles of 2 and 4 keys.
inline std::vector<Shape> tiny_shapes() {
    return {
        {.work_items = 1},
        {.work_items = 2, .local_sync = false},
        {.work_items = 2, .steps_per_pass = 2, .remap = true, .bank_swap = true},
        {.vectors = 2, .work_items = 1, .register_vectors = 2, .steps_per_pass = 2},
    };
}

/// Leaves of a distribution that have few elements, so that few keys take several levels.
inline constexpr Shape small_leaves{
    .lanes = 1, .vectors = 4, .work_items = 64, .register_vectors = 8, .steps_per_pass = 4, .coalesced_store = true};

/// Tiles of 16 to 512 keys, each shape with other features.
inline std::vector<Shape> small_shapes() {
    return {
        {.lanes = 4,
         .vectors = 2,
         .work_items = 4,
         .register_vectors = 4,
         .steps_per_pass = 2,
         .remap = true,
         .bank_swap = true,
         .coalesced_store = true},
        {.lanes = 2, .work_items = 4, .steps_per_pass = 3},
        {.vectors = 4,
         .work_items = 16,
         .register_vectors = 8,
         .steps_per_pass = 5,
         .remap = true,
         .bank_padding = true,
         .coalesced_store = true},
        {.lanes = 8, .vectors = 2, .work_items = 2, .register_vectors = 4, .coalesced_store = true},
        {.lanes = 4, .vectors = 2, .work_items = 8, .register_vectors = 4, .local_sync = false},
        {.lanes = 4, .vectors = 8, .work_items = 1, .register_vectors = 4, .steps_per_pass = 2},
        {.lanes = 8, .vectors = 16, .work_items = 1, .register_vectors = 16, .steps_per_pass = 3},
        {.lanes = 16, .vectors = 16, .work_items = 1, .register_vectors = 16, .steps_per_pass = 5},
    };
}

/// Tiles of 16 to 512 keys in local memory that are sorted in columns.
inline std::vector<Shape> column_shapes_in_local() {
    std::vector<Shape> shapes = {
        {.work_items = 8},
        {.vectors = 2, .work_items = 16, .register_vectors = 4, .remap = true, .bank_swap = true},
        {.vectors = 4,
         .work_items = 16,
         .register_vectors = 8,
         .remap = true,
         .bank_padding = true,
         .coalesced_store = true},
        {.vectors = 2,
         .work_items = 8,
         .register_vectors = 4,
         .remap = true,
         .bank_padding = true,
         .coalesced_store = true},
        {.vectors = 4, .work_items = 64, .register_vectors = 8, .coalesced_store = true},
        {.vectors = 2, .work_items = 8, .register_vectors = 4, .bank_padding = true, .coalesced_store = true},
        {.vectors = 4, .work_items = 16, .register_vectors = 8, .bank_padding = true, .coalesced_store = true},
    };
    for (Shape& shape : shapes) {
        shape.steps_per_pass = 3;
        shape.columns = true;
    }
    shapes[2].most_columns = 4;  // of 8
    return shapes;
}

/// Tiles of 16 to 4096 keys that are sorted in columns.
inline std::vector<Shape> column_shapes() {
    std::vector<Shape> shapes = {
        {.vectors = 8, .register_vectors = 2},
        {.vectors = 32, .register_vectors = 4},
        {.lanes = 2, .vectors = 16, .register_vectors = 4},
        {.lanes = 4, .vectors = 32, .register_vectors = 4},
        {.lanes = 4, .vectors = 128, .register_vectors = 8},
        {.lanes = 8, .vectors = 128, .register_vectors = 16},
        {.lanes = 16, .vectors = 128, .register_vectors = 16},
    };
    for (Shape& shape : shapes) {
        shape.work_items = 1;
        shape.steps_per_pass = 3;
        shape.columns = true;
    }
    shapes[5].most_columns = 8;  // of 16
    for (const Shape& shape : column_shapes_in_local()) shapes.push_back(shape);
    return shapes;
}

/// Every shape of tiles of so many keys and fewer, but for the switches that leave the steps of passes as they are.
inline std::vector<Shape> shapes_of_tiles_up_to(unsigned keys) {
    std::vector<Shape> shapes;
    const auto add_if_valid = [&](const Shape& shape) {
        try {
            check_shape(shape);
            shapes.push_back(shape);
        } catch (const Error&) {  // there is no such shape
        }
    };
    for (unsigned lanes = 1; lanes <= 16; lanes *= 2)
        for (unsigned vectors = 1; 2 * vectors * lanes <= keys; vectors *= 2)
            for (unsigned registers = 2; registers <= 2 * vectors; registers *= 2)
                for (unsigned steps = 1; 1u << steps <= keys; ++steps) {
                    Shape shape{.lanes = lanes,
                                .vectors = vectors,
                                .work_items = 2,
                                .register_vectors = registers,
                                .steps_per_pass = steps,
                                .local_sync = false};
                    add_if_valid(shape);
                    shape.local_sync = true;
                    for (shape.work_items = 1; shape.tile_keys() <= keys; shape.work_items *= 2) add_if_valid(shape);
                    shape.work_items = 1;
                    shape.columns = true;
                    add_if_valid(shape);
                    shape.most_columns = 2;
                    add_if_valid(shape);
                }
    return shapes;
}

}  // namespace lanesort::test
