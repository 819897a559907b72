// SPDX-License-Identifier: MIT
#include <lanesort/shape.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include <fmt/core.h>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>

#include "core/fit.hpp"
#include "core/integers.hpp"
#include "ops/sort/rounds.hpp"

namespace lanesort::inline v0_1 {
namespace {

void require(bool holds, std::string_view name, unsigned value, std::string_view allowed) {
    if (!holds)
        throw Error(ErrorCode::invalid_argument, fmt::format("shape: {} is {}, but must be {}", name, value, allowed));
}

constexpr unsigned most_vectors = 1 << 16;

bool power_of_two_up_to(unsigned value, unsigned limit) { return std::has_single_bit(value) && value <= limit; }

/// Records, which have numbers of one byte if no others, and values of 16 bytes have no vectors.
bool has_vectors(ElementBytes bytes) { return !bytes.is_record && bytes.value <= 8; }

/// With records that a C++ function orders: one program has values and indices of every width.
constexpr std::size_t most_beside_key = 16 + 8;

/// So many keys are sorted in columns of its tiles.
bool suffices(const Shape& shape, std::uint64_t count) {
    return count > 0 && count <= std::uint64_t{shape.tile_keys()} << most_column_bits(shape);
}

/// Takes a tile of so many bytes of the second-level cache, one twice as large where the keys are more than are
/// sorted in columns of it, and four times where that is not enough either and that cache has room beside it. It
/// takes a smaller one where there would be too few tiles for all compute units: of those few, where each is compiled
/// when it is first used.
void choose_tile(Shape& shape, std::size_t element_bytes, std::uint64_t count, const DeviceInfo& device) {
    constexpr std::size_t usual_bytes = 1 << 18;
    constexpr unsigned least_keys = 1 << 13;
    constexpr std::uint64_t few_keys = 1 << 16;  // that one unit sorts sooner than several meet four times
    shape.vectors = static_cast<unsigned>(usual_bytes / std::bit_ceil(element_bytes) / shape.lanes / 2);
    if (!suffices(shape, count)) {
        const bool has_room = device.local_bytes >= 5 * usual_bytes;
        shape.vectors = std::min(2 * shape.vectors, most_vectors);
        if (count > 0 && has_room && !suffices(shape, count)) shape.vectors = std::min(2 * shape.vectors, most_vectors);
        return;
    }
    const bool is_shared = device.compute_units > 1 && count > few_keys;
    const std::uint64_t tiles = is_shared ? std::uint64_t{4} * device.compute_units : 1;
    const unsigned smaller = device.compiles ? 8 : 2;
    while (shape.tile_keys() / smaller >= least_keys && shape.tile_keys() / smaller * tiles >= count) {
        shape.vectors /= smaller;
        if (suffices(shape, count)) continue;
        shape.vectors *= smaller;
        return;
    }
}

/// The shape for a processor with caches: native vectors, as many in registers as the widest instruction sets have.
Shape cpu_shape(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) {
    std::size_t moved = bytes.all();
    Shape shape;
    const auto widest = static_cast<unsigned>(std::max({bytes.key, bytes.value, bytes.index}));
    shape.lanes = std::clamp<unsigned>(std::bit_floor(device.native_vector_bytes / widest), 1, 16);
    shape.register_vectors = device.native_vector_bytes >= 64 ? 16 : std::max(shape.lanes, 8u);
    if (bytes.all() > bytes.key) {
        // Several vectors for each element, or one of twice the width: half of the registers, and a third of the time
        // to compile.
        shape.lanes = has_vectors(bytes) ? std::min(shape.lanes, 8u) : 1;
        // What is compiled ahead has values and indices in 4 or 8 bytes, whatever their arrays have.
        if (!device.compiles && bytes.is_record) {
            if (bytes.all() > bytes.key + 1) moved = bytes.key + most_beside_key;
        } else if (!device.compiles && has_vectors(bytes)) {
            const std::size_t beside_key = bytes.value + bytes.index;
            const bool is_packed = bytes.key <= 4 && (beside_key <= 4 || (bytes.index > 0 && count < wide_count));
            const std::size_t in_registers = is_packed && beside_key == bytes.key ? 2 * bytes.key : 8;
            moved = is_packed ? in_registers : 16;
            shape.lanes = device.native_vector_bytes < 32
                              ? 1
                              : std::min(static_cast<unsigned>(device.native_vector_bytes / in_registers), 8u);
        }
        shape.register_vectors = 8;
    }
    shape.work_items = 1;
    shape.steps_per_pass = 2 * log2(shape.register_vectors);
    shape.columns = true;
    choose_tile(shape, moved, count, device);
    return shape;
}

enum class Use { everywhere, by_opencl, without_columns };

/// What was the fastest on an NVIDIA H200 for fewer than `below` keys (docs/decisions.md#shapes). One key a vector,
/// since a GPU's vectors are the work-items. Small arrays want small groups, to fill the device, but tiles that suffice
/// for columns; of large ones each pass above columns runs at the speed of a copy, and they want large tiles. As many
/// groups are resident as the registers allow without spilling.
struct Measured {
    std::uint64_t below;
    unsigned vectors, work_items, steps_per_pass, resident_groups;
    Use use = Use::everywhere;
};
constexpr std::uint64_t any = ~std::uint64_t{0};
constexpr Measured of_1_or_2_bytes[] = {{4097, 8, 256, 8, 3},    {8193, 2, 128, 6, 8},    {40'000, 4, 128, 8, 8},
                                        {300'000, 4, 256, 8, 6}, {700'000, 8, 256, 8, 3}, {any, 16, 256, 9, 4}};
// By NVIDIA's OpenCL a launch takes 5 to 7 us of the host's time, and larger tiles have fewer.
constexpr Measured of_4_bytes[] = {{2049, 4, 256, 8, 6},        {4097, 8, 256, 8, 6},
                                   {8193, 2, 128, 6, 8},        {30'000, 4, 128, 8, 8},
                                   {65'537, 4, 256, 8, 4},      {262'145, 4, 512, 8, 3, Use::by_opencl},
                                   {300'000, 4, 256, 8, 4},     {1'700'000, 8, 512, 9, 2, Use::by_opencl},
                                   {700'000, 8, 256, 8, 6},     {4'200'000, 16, 256, 9, 4},
                                   {8'000'000, 16, 256, 10, 4}, {any, 16, 512, 11, 2},
                                   {any, 16, 256, 10, 4}};
constexpr Measured of_8_bytes[] = {{513, 2, 128, 6, 8},       {1025, 4, 128, 8, 8},   {2049, 4, 256, 8, 4},
                                   {8193, 2, 128, 6, 8},      {32'769, 4, 128, 8, 8}, {300'000, 4, 256, 8, 4},
                                   {6'000'000, 8, 256, 9, 4}, {any, 8, 512, 11, 2},   {any, 8, 256, 10, 4}};
// With values or numbers, and records: by the bytes of all together. Those of 8 bytes were measured as u32 keys with
// u32 values; those of more were chosen by the registers that they take.
constexpr Measured of_8_bytes_in_parts[] = {{513, 2, 128, 6, 8},       {1025, 4, 128, 8, 8},   {2049, 4, 256, 8, 4},
                                            {8193, 2, 128, 6, 8},      {32'769, 4, 128, 8, 8}, {300'000, 4, 256, 8, 4},
                                            {6'000'000, 8, 256, 9, 4}, {any, 8, 512, 10, 2},   {any, 8, 256, 9, 4}};
constexpr Measured of_16_bytes_in_parts[] = {{700'000, 4, 256, 8, 3}, {any, 8, 256, 8, 2}, {any, 4, 256, 8, 3}};
// Records, which were measured with 16 bytes: tiles of 2^12 take the compiler three times as long and sort by columns
// at two thirds of the speed. The network takes 85 to 91 % of the columns' time.
constexpr Measured of_records_of_16_bytes[] = {{any, 4, 256, 8, 3, Use::without_columns}};
constexpr Measured of_32_bytes_in_parts[] = {{any, 4, 256, 8, 2}, {any, 4, 128, 8, 4}};
constexpr Measured of_88_bytes_in_parts[] = {{any, 2, 128, 6, 3}};

/// AMD's and other graphics cards have the same tiles, but no columns: these were measured on NVIDIA's alone.
Shape shape_of(const Measured& row, const DeviceInfo& device) {
    Shape shape;
    shape.lanes = 1;
    shape.vectors = row.vectors;
    shape.work_items = row.work_items;
    shape.register_vectors = 2 * row.vectors;
    shape.steps_per_pass = row.steps_per_pass;
    shape.resident_groups = row.resident_groups;
    // Where every key keeps its slot, hand-overs take half of the barriers, and most are a warp's own: which gains with
    // many registers, and in large groups.
    shape.remap = shape.register_vectors < 16 && row.work_items < 512;
    shape.bank_padding = true;
    shape.coalesced_store = true;
    shape.columns = row.use != Use::without_columns && device.vendor.find("NVIDIA") != std::string::npos &&
                    row.below > shape.tile_keys() + 1;
    return shape;
}

std::span<const Measured> measured(ElementBytes bytes) {
    if (bytes.all() > bytes.key) {
        if (bytes.all() <= 8) return of_8_bytes_in_parts;
        if (bytes.all() <= 17)
            return bytes.is_record ? std::span<const Measured>(of_records_of_16_bytes) : of_16_bytes_in_parts;
        if (bytes.all() <= 33) return of_32_bytes_in_parts;
        return of_88_bytes_in_parts;
    }
    switch (bytes.key) {
        case 1:
        case 2: return of_1_or_2_bytes;
        case 4: return of_4_bytes;
        default: return of_8_bytes;
    }
}

/// The first row for so many keys (0: very many) that the device can run, or else the last one. Most were measured by
/// CUDA. By OpenCL a launch takes twice as long: there one with larger tiles is better, if these suffice for columns.
Shape gpu_shape(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) {
    const std::span<const Measured> rows = measured(bytes);
    const bool is_opencl = device.backend == "OpenCL";
    std::optional<Shape> chosen;
    for (const Measured& row : rows) {
        const Shape shape = shape_of(row, device);
        const bool for_count = count == 0 ? row.below == any : count < row.below;
        if (!for_count || row.work_items > device.max_work_items || shape.local_bytes(bytes) > device.local_bytes ||
            (row.use == Use::by_opencl && !(is_opencl && shape.columns)))
            continue;
        if (!chosen) chosen = shape;
        if (!is_opencl || !chosen->columns) break;
        if (row.use == Use::by_opencl || suffices(shape, count)) return shape;
    }
    return chosen.value_or(shape_of(rows.back(), device));
}

}  // namespace

void check_shape(const Shape& shape) {
    require(power_of_two_up_to(shape.lanes, 16), "lanes", shape.lanes, "1, 2, 4, 8 or 16");
    require(power_of_two_up_to(shape.vectors, most_vectors), "vectors", shape.vectors, "a power of two up to 65536");
    require(power_of_two_up_to(shape.work_items, 4096), "work_items", shape.work_items, "a power of two up to 4096");
    require(power_of_two_up_to(shape.register_vectors, 32) && shape.register_vectors >= 2, "register_vectors",
            shape.register_vectors, "2, 4, 8, 16 or 32");
    require(shape.register_vectors <= 2 * shape.vectors, "register_vectors", shape.register_vectors,
            "at most twice the vectors");
    require(!shape.walks_in_cache() || shape.register_vectors >= shape.lanes, "register_vectors",
            shape.register_vectors, "at least lanes, or twice the vectors");
    require(!shape.walks_in_cache() || shape.work_items == 1, "work_items", shape.work_items,
            "1 where register_vectors is less than twice the vectors");
    require(shape.tile_keys() <= 1u << 20, "keys of a tile", shape.tile_keys(), "at most 1048576");
    require(shape.steps_per_pass >= 1 && shape.steps_per_pass <= log2(shape.tile_vectors()), "steps_per_pass",
            shape.steps_per_pass,
            fmt::format("from 1 to {}, as a tile has {} vectors", log2(shape.tile_vectors()), shape.tile_vectors()));
    require(shape.resident_groups >= 1 && shape.resident_groups <= 32, "resident_groups", shape.resident_groups,
            "from 1 to 32");
    require(!shape.bank_swap || shape.remap, "bank_swap", shape.bank_swap, "off where remap is off");
    require(!shape.bank_padding || shape.lanes == 1, "bank_padding", shape.bank_padding, "off where lanes is not 1");
    require(!shape.columns || may_have_columns(shape), "columns", shape.columns,
            "off where lanes is not 1 or work-items share no tile, unless one walks it");
    require(shape.most_columns == 0 || (std::has_single_bit(shape.most_columns) && shape.most_columns > 1),
            "most_columns", shape.most_columns, "a power of two from 2 on, or 0");
}

std::size_t Shape::local_bytes(ElementBytes bytes) const noexcept {
    unsigned slots = tile_vectors();
    if (walks_in_cache()) slots += (slots - 1) >> cache_padding_shift;
    else if (tile_work_items() == 1) return 0;
    // Where vectors change places, a hand-over may leave slots unused after a row of banks, and after twice as many or
    // more besides; else there is one for each work-item's.
    if (bank_padding && !remap) slots += slots >> log2(register_vectors);
    else if (bank_padding)
        slots += ((slots - 1) >> row_of_banks_bits(bytes)) + ((slots - 1) >> (row_of_banks_bits(bytes) + 1));
    const std::size_t elements = std::size_t{slots} * lanes;
    if (bytes.all() == bytes.key) return elements * bytes.key;
    const auto aligned = [](std::size_t size) { return (size + 15) / 16 * 16; };
    return aligned(elements * bytes.key) + aligned(elements * bytes.value) + aligned(elements * bytes.index);
}

std::string to_string(const Shape& shape) {
    std::string text =
        fmt::format("L={} M={} ITEMS={} r={}", shape.lanes, shape.vectors, shape.work_items, shape.steps_per_pass);
    if (shape.walks_in_cache()) text += fmt::format(" registers={}", shape.register_vectors);
    if (shape.resident_groups > 1) text += fmt::format(" resident={}", shape.resident_groups);
    if (!shape.local_sync) text += " no-local-sync";
    if (shape.remap) text += " remap";
    if (shape.bank_swap) text += " bank-swap";
    if (shape.bank_padding) text += " bank-padding";
    if (shape.coalesced_store) text += " coalesced-store";
    if (shape.columns) text += " columns";
    if (shape.columns && shape.most_columns > 0) text += fmt::format("={}", shape.most_columns);
    return text;
}

Shape choose_shape(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count) {
    return fit(device.kind == DeviceKind::cpu ? cpu_shape(device, bytes, count) : gpu_shape(device, bytes, count),
               bytes, device);
}

Shape fit(Shape shape, ElementBytes bytes, const DeviceInfo& device) {
    const bool in_registers = !shape.walks_in_cache();
    const unsigned tile_bits = log2(shape.tile_vectors());
    while (shape.work_items > device.max_work_items && shape.work_items > 1) shape.work_items /= 2;
    while (shape.local_bytes(bytes) > device.local_bytes) {
        if (shape.vectors > 1) shape.vectors /= 2;
        else if (shape.work_items > 1) shape.work_items /= 2;
        else break;
        if (in_registers) shape.register_vectors = 2 * shape.vectors;
    }
    shape.columns = shape.columns && may_have_columns(shape);
    // Each halving of the tile takes a step from a pass, so that rows stay as long as they were wanted.
    const unsigned halvings = tile_bits - log2(shape.tile_vectors());
    shape.steps_per_pass = std::max(shape.steps_per_pass, halvings + 1) - halvings;
    return shape;
}

Shape fit_row(Shape shape, std::uint64_t length, bool may_hold_rows) {
    const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(length, 2));
    const bool in_registers = !shape.walks_in_cache();
    const std::uint64_t registers = std::uint64_t{shape.register_vectors} * shape.lanes;
    while (shape.lanes > 1 && std::uint64_t{shape.register_vectors} * shape.lanes > slots) shape.lanes /= 2;
    while (shape.register_vectors > slots) shape.register_vectors /= 2;
    if (in_registers) shape.vectors = shape.register_vectors / 2;
    // One program for rows of all lengths: what a walk finds beyond the end of a row it skips.
    else if (std::uint64_t{shape.register_vectors} * shape.lanes == registers) return shape;
    const bool holds_rows = may_hold_rows && slots == length && length > 1;
    while (shape.tile_keys() > slots && !holds_rows) {
        if (shape.tile_work_items() > 1) shape.work_items /= 2;
        else shape.vectors /= 2;
    }
    shape.register_vectors = std::min(shape.register_vectors, 2 * shape.vectors);
    shape.columns = shape.columns && may_have_columns(shape);
    shape.steps_per_pass = std::min(shape.steps_per_pass, log2(shape.tile_vectors()));
    return shape;
}

Shape fit_long_row(Shape shape, std::uint64_t length, ElementBytes bytes, const DeviceInfo& device) {
    constexpr std::uint64_t most_keys = 1 << 15;
    if (!keeps_slots(shape) || shape.lanes > 1 || length > most_keys) return shape;
    Shape larger = shape;
    while (larger.tile_keys() < length) larger.work_items *= 2;
    larger.resident_groups = std::max(shape.resident_groups * shape.work_items / larger.work_items, 1u);
    const bool fits = larger.work_items <= device.max_work_items && larger.local_bytes(bytes) <= device.local_bytes;
    return fits ? larger : shape;
}

void require_fit(const Shape& shape, ElementBytes bytes, const DeviceInfo& device) {
    if (shape.lanes > 1 && !has_vectors(bytes))
        throw Error(
            ErrorCode::unsupported,
            fmt::format("records and values of 16 bytes need a shape with one lane, but lanes is {}", shape.lanes));
    if (shape.work_items > device.max_work_items)
        throw Error(ErrorCode::unsupported, fmt::format("a work-group of {} work-items was asked for, but {} allows {}",
                                                        shape.work_items, device.name, device.max_work_items));
    if (shape.local_bytes(bytes) > device.local_bytes)
        throw Error(ErrorCode::unsupported,
                    fmt::format("a tile of {} bytes of local memory was asked for, but {} has {}",
                                shape.local_bytes(bytes), device.name, device.local_bytes));
    // PoCL holds a group's registers on a thread's stack of 8 MiB, several times: 1 MiB of them overflowed it.
    constexpr std::size_t most_on_stack = 3 << 18;
    const std::size_t held = std::size_t{shape.work_items} * shape.register_vectors * shape.lanes * bytes.all();
    if (device.kind == DeviceKind::cpu && shape.work_items > 1 && held > most_on_stack)
        throw Error(
            ErrorCode::unsupported,
            fmt::format("the registers of a work-group take {} bytes, of which {}, a processor, has room for {}", held,
                        device.name, most_on_stack));
}

}  // namespace lanesort::inline v0_1
