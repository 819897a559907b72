// The passes of a plan in plain loops, over the whole array, with no tile, lane or work-item in sight. What is done
// with two keys that meet is the caller's: exchange them, trace them, or exchange those of many inputs at once.
#pragma once

#include <cstdint>
#include <span>

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

/// Calls exchange(lower, upper) for every two keys that a pass of the plan compares, in order. The smaller one belongs
/// into `lower`, whose address is the lower one.
template <class Key, class Exchange>
void run_pass(std::span<Key> keys, const Pass& pass, const Plan& plan, Exchange exchange) {
    const PassView view(pass, plan);
    for (unsigned phase = pass.first_phase; phase <= pass.last_phase; ++phase) {
        const bool last = phase == pass.last_phase;
        const unsigned top = last ? pass.top_stride : phase - 1, bottom = last ? pass.bottom_stride : 0;
        for (unsigned stride = top + 1; stride-- > bottom;) {
            const std::uint64_t step = std::uint64_t{1} << stride;
            const std::uint64_t partner_mask = stride + 1 == phase ? 2 * step - 1 : step;
            for (std::uint64_t i = view.first(); i < view.size(); ++i) {
                const std::uint64_t partner = i ^ partner_mask;
                if (partner > i && view.place(partner) < keys.size())
                    exchange(keys[view.place(i)], keys[view.place(partner)]);
            }
        }
    }
}

}  // namespace lanesort
