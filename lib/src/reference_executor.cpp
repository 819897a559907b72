#include "reference_executor.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace lanesort {
namespace {

template <class Bits>
void exchange_pairs(std::span<Bits> keys, std::uint64_t partner_mask) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t partner = i ^ partner_mask;
        if (i < partner && partner < keys.size() && keys[partner] < keys[i]) std::swap(keys[i], keys[partner]);
    }
}

/// The steps of one phase with strides 2^top .. 2^bottom; the phase's first step is mirrored.
template <class Bits>
void run_steps(std::span<Bits> keys, unsigned phase, unsigned top, unsigned bottom) {
    for (unsigned stride = top + 1; stride-- > bottom;)
        exchange_pairs(keys, stride + 1 == phase ? (std::uint64_t{2} << stride) - 1 : std::uint64_t{1} << stride);
}

template <class Bits>
void run_plan(std::span<Bits> keys, const Plan& plan, KeyCoding coding,
              const std::function<void(const Pass&)>& after_pass) {
    if (plan.passes.empty()) return;
    for (Bits& key : keys) key = encode(key, coding);
    for (const Pass& pass : plan.passes) {
        for (unsigned phase = pass.first_phase; phase < pass.last_phase; ++phase) run_steps(keys, phase, phase - 1, 0);
        run_steps(keys, pass.last_phase, pass.top_stride, pass.bottom_stride);
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
