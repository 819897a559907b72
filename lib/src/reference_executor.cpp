#include "reference_executor.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace lanesort {
namespace {

/// Where the keys of a pass are: all of the array, with a front before it, or the heads of its runs side by side.
class View {
public:
    View(const Pass& pass, const Plan& plan)
        : row_stride_(pass.kind == Pass::Kind::merge_heads ? pass.row_stride : 0),
          column_bits_(row_stride_ > 0 ? pass.column_bits : 0),
          front_(plan.front),
          size_(row_stride_ > 0 ? pass.tiles * plan.shape.tile_keys() : plan.front + plan.count) {}

    std::uint64_t first() const { return front_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t place(std::uint64_t i) const {
        const std::uint64_t column = i & ((std::uint64_t{1} << column_bits_) - 1);
        return row_stride_ > 0 ? ((i >> column_bits_) << row_stride_) + column : i - front_;
    }

private:
    unsigned row_stride_, column_bits_;
    std::uint64_t front_, size_;
};

template <class Bits>
void exchange_pairs(std::span<Bits> keys, const View& view, std::uint64_t partner_mask) {
    for (std::uint64_t i = view.first(); i < view.size(); ++i) {
        const std::uint64_t partner = i ^ partner_mask;
        if (partner < i || view.place(partner) >= keys.size()) continue;
        Bits &lower = keys[view.place(i)], &upper = keys[view.place(partner)];
        if (upper < lower) std::swap(lower, upper);
    }
}

/// The steps of one phase with strides 2^top .. 2^bottom; the phase's first step is mirrored.
template <class Bits>
void run_steps(std::span<Bits> keys, const View& view, unsigned phase, unsigned top, unsigned bottom) {
    for (unsigned stride = top + 1; stride-- > bottom;)
        exchange_pairs(keys, view, stride + 1 == phase ? (std::uint64_t{2} << stride) - 1 : std::uint64_t{1} << stride);
}

template <class Bits>
void run_plan(std::span<Bits> keys, const Plan& plan, KeyCoding coding,
              const std::function<void(const Pass&)>& after_pass) {
    if (plan.passes.empty()) return;
    for (Bits& key : keys) key = encode(key, coding);
    for (const Pass& pass : plan.passes) {
        const View view(pass, plan);
        for (unsigned phase = pass.first_phase; phase < pass.last_phase; ++phase)
            run_steps(keys, view, phase, phase - 1, 0);
        run_steps(keys, view, pass.last_phase, pass.top_stride, pass.bottom_stride);
        if (&pass == &plan.passes.back())
            for (Bits& key : keys) key = decode(key, coding);
        if (after_pass) after_pass(pass);
    }
}

}  // namespace

ReferenceExecutor::ReferenceExecutor(void* keys, std::size_t bytes, KeyCoding coding,
                                     std::function<void(const Pass&)> after_pass)
    : keys_(keys), bytes_(bytes), coding_(coding), after_pass_(std::move(after_pass)) {}

void ReferenceExecutor::run(const Plan& plan) {
    const auto run_as = [&]<class Bits>(Bits* keys) {
        run_plan(std::span<Bits>(keys, plan.count), plan, coding_, after_pass_);
    };
    switch (bytes_) {
        case 1: return run_as(static_cast<std::uint8_t*>(keys_));
        case 2: return run_as(static_cast<std::uint16_t*>(keys_));
        case 4: return run_as(static_cast<std::uint32_t*>(keys_));
        default: return run_as(static_cast<std::uint64_t*>(keys_));
    }
}

}  // namespace lanesort
