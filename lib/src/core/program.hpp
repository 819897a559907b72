// SPDX-License-Identifier: MIT
// Compiled kernels, and what they are compiled for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/comparator.hpp>
#include <lanesort/error.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/request.hpp>

#include "kernel_table.hpp"

namespace lanesort::inline v0_1::detail {

/// What a tile holds.
enum class Layout : std::uint8_t {
    range,       ///< a part of one range
    rows,        ///< a part of one row or segment, or all of it
    short_rows,  ///< several rows, whose length is a power of two, in one tile
};

/// What a level of a distribution divides ranges into.
struct Buckets {
    unsigned bits = 6;         ///< lg of the children of a range
    unsigned block = 64;       ///< elements of a block
    unsigned held_blocks = 2;  ///< of each child, that local memory has room for; a power of two
    unsigned sample = 0;       ///< elements of the sample that splitters are chosen from

    friend bool operator==(const Buckets&, const Buckets&) = default;
};

/// Everything that a kernel is compiled for. Strides, counts and offsets are arguments instead.
struct KernelParameters {
    const Family* family = nullptr;
    ElementBytes bytes = {};
    bool wide_positions = false;  ///< of 64 bits: for 2^31 keys and more
    bool count_sync = false;      ///< the kernels count their hand-overs and barriers
    bool unroll_rounds = false;   ///< constant local-memory addresses, for longer compilation
    Shape shape;
    std::optional<Comparator> comparator = {};           ///< where a text orders records
    const CompiledOrder* compiled_order = nullptr;       ///< where a C++ function does
    std::optional<Predicate> predicate = {};             ///< where a text says which elements are wanted
    std::optional<BinaryOperator> binary_operator = {};  ///< where a text combines them
    Layout layout = Layout::range;
    std::size_t offset_bytes = 0;  ///< of the offsets of segments, where rows are those
    unsigned tiles_per_group = 1;
    bool nan_last = false;     ///< numbers descend, but no NaN comes before one
    bool leaves = false;       ///< the rows are the leaves of a distribution
    bool apart = false;        ///< a first pass that reads other arrays than it writes
    bool tiles_only = false;   ///< a first pass alone: where it is all or APART, or by pivots
    Buckets buckets = {};      ///< of a distribution
    unsigned column_bits = 0;  ///< lg of the columns, where tiles in local memory are sorted in columns
    /// Where all rows end in the first part of a tile: the work-items that have keys of it; else 0.
    unsigned row_work_items = 0;

    /// Work-items of a work-group, and its bytes of local memory.
    unsigned work_items() const noexcept {
        return row_work_items > 0 ? row_work_items : shape.work_items * tiles_per_group;
    }
    std::size_t local_bytes() const { return family->local_bytes ? family->local_bytes(*this) : 0; }
    /// Takes the order of the request's keys, or what else a text says of them, as far as it is compiled.
    void order_by(const Request& request);
    /// The indices of the elements are kept in an array.
    bool stores_indices() const noexcept { return bytes.index > 1; }

    /// Elements are records, and the kernels compare them.
    bool orders_records() const noexcept { return bytes.is_record && family->compares; }

    friend bool operator==(const KernelParameters&, const KernelParameters&) = default;
};

/// The kernel file for these parameters.
std::string kernel_file(const KernelParameters& parameters);

/// The kernels in its program, in the order of Launch::kernel, and their names.
std::vector<const KernelRow*> kernels_of(const KernelParameters& parameters);
std::vector<const char*> kernel_names(const KernelParameters& parameters);

/// The parameters as preprocessor definitions, "NAME=value"; the same in every dialect.
std::vector<std::string> definitions(const KernelParameters& parameters);

/// The text of that kernel file with everything that it includes, the definitions and the comparator too. Throws
/// Error(unsupported) where a C++ function orders records: it has no text.
std::string source(const KernelParameters& parameters);

/// The library's error for kernels that the device's compiler refused: for that reason, by a call that returned that
/// status and wrote that log. It names the caller's text, if they hold one.
Error build_error(const KernelParameters& parameters, const std::string& reason, const std::string& call, int status,
                  const std::string& log);

/// The kernels of one set of parameters, compiled for one device.
class Program {
public:
    explicit Program(KernelParameters wanted) : parameters(std::move(wanted)) {}
    virtual ~Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const KernelParameters parameters;
    unsigned max_work_items = 0;  ///< the largest work-group in which all of them can run
};

}  // namespace lanesort::inline v0_1::detail
