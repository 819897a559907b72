#include "selection.hpp"

#include <algorithm>
#include <bit>

#include "integers.hpp"

namespace lanesort::detail {
namespace {

bool is_processor(const DeviceInfo& device) { return device.kind == DeviceKind::cpu; }

unsigned lanes_for(const DeviceInfo& device, ElementBytes bytes) {
    if (!is_processor(device) || bytes.is_record) return 1;
    const auto widest = static_cast<unsigned>(std::max(bytes.key, bytes.number));
    return std::clamp<unsigned>(std::bit_floor(device.native_vector_bytes / widest), 1, bytes.number > 0 ? 8 : 16);
}

/// Vectors that a work-item keeps, at most: half of a graphics card's registers hold them, and the first-level cache of
/// a processor what its registers do not.
unsigned most_vectors(const DeviceInfo& device, ElementBytes bytes) {
    constexpr std::size_t register_bytes = 512;
    if (is_processor(device)) return 32;
    return static_cast<unsigned>(std::clamp<std::size_t>(std::bit_floor(register_bytes / bytes.all()), 2, 64));
}

}  // namespace

std::uint64_t most_selected(const DeviceInfo& device, ElementBytes bytes) noexcept {
    return std::uint64_t{most_vectors(device, bytes)} * lanes_for(device, bytes);
}

Selection make_selection(const DeviceInfo& device, ElementBytes bytes, std::uint64_t rows, std::uint64_t count,
                         std::uint64_t k) {
    Selection selection{rows, count, k, {}, {}};
    Shape& shape = selection.shape;
    shape.lanes = lanes_for(device, bytes);
    const unsigned usual = std::min(is_processor(device) ? 8u : 16u, most_vectors(device, bytes));
    const auto needed = static_cast<unsigned>(std::bit_ceil(ceil_div(k, shape.lanes)));
    shape.vectors = std::max(needed, usual);
    // Longer batches are merged less often; there is room for them where the best are few or narrow.
    shape.register_vectors = std::min(shape.vectors, !is_processor(device) && bytes.all() <= 8 ? 32u : usual);
    shape.work_items = is_processor(device) ? 1 : 128;
    // 4-byte registers of a work-item, and of a multiprocessor.
    const std::size_t registers =
        (shape.vectors + shape.register_vectors) * bytes.all() / 4 + (bytes.all() <= 4 ? 32 : 48);
    shape.resident_groups = static_cast<unsigned>(std::clamp<std::size_t>(65536 / (128 * registers), 1, 8));
    const auto batch = [&] { return std::uint64_t{shape.work_items} * shape.register_vectors * shape.lanes; };
    while (shape.work_items > 32 && batch() >= 2 * count) shape.work_items /= 2;
    while (shape.work_items > 1 &&
           (shape.work_items > device.max_work_items || selection_local_bytes(shape, bytes) > device.local_bytes))
        shape.work_items /= 2;

    // A part is worth a work-group of its own if it reads a multiple of what it leaves.
    const std::uint64_t kept = std::uint64_t{shape.work_items} * shape.vectors * shape.lanes;
    const std::uint64_t groups = std::uint64_t{device.compute_units} * (is_processor(device) ? 2 : 4);
    const std::uint64_t most_parts = std::max<std::uint64_t>(groups / std::max<std::uint64_t>(rows, 1), 1);
    const std::uint64_t parts = std::clamp<std::uint64_t>(count / (2 * kept), 1, most_parts);
    selection.passes.push_back({count, parts});
    if (parts > 1) selection.passes.push_back({parts * k, 1});
    return selection;
}

SortReport Selection::report() const noexcept {
    SortReport report;
    report.launches = passes.size();
    // Half of the work-items hand over to the other half, until one has all; those wait before the next half writes.
    report.hand_overs = passes.size() * static_cast<unsigned>(std::countr_zero(shape.work_items));
    report.barriers = 2 * report.hand_overs;
    return report;
}

std::size_t selection_local_bytes(const Shape& shape, ElementBytes bytes) noexcept {
    if (shape.work_items == 1) return 0;
    const std::size_t elements = std::size_t{shape.vectors} * shape.lanes * (shape.work_items / 2);
    const auto aligned = [](std::size_t size) { return (size + 15) / 16 * 16; };
    return aligned(elements * bytes.key) + aligned(elements * bytes.number);
}

}  // namespace lanesort::detail
