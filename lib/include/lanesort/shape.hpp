// SPDX-License-Identifier: MIT
/// @file
/// The shape of a sort: how its comparators are laid over lanes, registers, work-items and passes.
#pragma once

#include <cstddef>
#include <string>

namespace lanesort::inline v0_1 {

/// The widths, in bytes, of what a sort moves: a key, the value that belongs to it and its index, if it has them.
struct ElementBytes {
    std::size_t key = 4;     ///< of a key
    std::size_t value = 0;   ///< of the value that belongs to it; 0: there is none
    std::size_t index = 0;   ///< of the index that keeps equal keys apart; 0: there is none
    bool is_record = false;  ///< the key is a record that a comparator orders

    /// The members in their order. Keys alone convert from their bytes.
    constexpr ElementBytes(std::size_t key_bytes = 4, std::size_t value_bytes = 0, std::size_t index_bytes = 0,
                           bool keys_are_records = false) noexcept
        : key(key_bytes), value(value_bytes), index(index_bytes), is_record(keys_are_records) {}

    /// Bytes of an element: key, value and index together.
    constexpr std::size_t all() const noexcept { return key + value + index; }

    friend bool operator==(const ElementBytes&, const ElementBytes&) = default;
};

/// The parameters of the method (patent CN102750131A) and of its continuation over several global steps a pass.
/// Any valid shape sorts any n to the same bytes; shapes differ in speed and in synchronisations only.
/// All numbers but `steps_per_pass` and `resident_groups` are powers of two, or 0 where that has a meaning.
struct Shape {
    unsigned lanes = 1;             ///< L: keys in a vector; 1, 2, 4, 8 or 16
    unsigned vectors = 1;           ///< M: vectors in each of the two groups of a work-item
    unsigned work_items = 32;       ///< ITEMS: work-items in a work-group
    unsigned register_vectors = 2;  ///< vectors held in registers at a time: 2·M, or fewer where one work-item alone
                                    ///< walks its tile in the cache (then work_items is 1)
    unsigned steps_per_pass = 1;    ///< r: the most global steps that one pass runs
    unsigned resident_groups = 1;   ///< work-groups that are to share a multiprocessor: where the compiler can be told
                                    ///< (NVIDIA), it keeps the registers low enough for that many
    bool local_sync = true;         ///< the work-items of a group share a tile, with barriers; if not, each has its
                                    ///< own, and every exchange between work-items is a new pass
    bool remap = false;             ///< remap write-back addresses so that the next round reads contiguously
    bool bank_swap = false;         ///< half of the work-items write their two groups in the other order
    bool bank_padding = false;      ///< unused words between keys in local memory, against bank conflicts; lanes 1
    bool coalesced_store = false;  ///< neighbouring work-items store neighbouring vectors, after one more hand-over, or
                                   ///< pairs, where the last round can hold them (kernels/README.md)
    bool columns = false;       ///< sort as many tiles as possible in columns, in four passes, and only what is more by
                                ///< merging; where one work-item walks its tile, or with lanes 1 a group shares it
    unsigned most_columns = 0;  ///< s: no more columns than that, and so no more tiles at a time; 0: as many as can be

    friend bool operator==(const Shape&, const Shape&) = default;

    /// One work-item walks its tile in the cache instead of sharing it through local memory.
    bool walks_in_cache() const noexcept { return register_vectors < 2 * vectors; }
    /// Work-items that share a tile.
    unsigned tile_work_items() const noexcept { return local_sync ? work_items : 1; }
    /// Vectors of a tile: 2·M for each work-item that shares it.
    unsigned tile_vectors() const noexcept { return 2 * vectors * tile_work_items(); }
    /// Keys of a tile.
    unsigned tile_keys() const noexcept { return tile_vectors() * lanes; }
    /// Bytes of local memory that a tile of such elements takes.
    std::size_t local_bytes(ElementBytes bytes) const noexcept;
};

/// Does nothing if the shape is possible.
///
/// Errors: Error(invalid_argument) that says which number of the shape cannot be, and why.
void check_shape(const Shape& shape);

/// Returns a line for a person: "L=1 M=8 ITEMS=256 r=8 remap ...".
std::string to_string(const Shape& shape);

}  // namespace lanesort::inline v0_1
