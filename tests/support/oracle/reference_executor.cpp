// SPDX-License-Identifier: MIT
#include "reference_executor.hpp"

#include <cstdint>
#include <span>
#include <utility>

#include "reference_network.hpp"

namespace lanesort {
namespace {

template <class Bits>
void run_plan(std::span<Bits> keys, const Plan& plan, KeyCoding coding,
              const std::function<void(const Pass&)>& after_pass) {
    if (plan.passes.empty()) return;
    const auto encode_all = [&] {
        for (Bits& key : keys) key = encode(key, coding);
    };
    encode_all();
    for (const Pass& pass : plan.passes) {
        run_pass(keys, pass, plan, [](Bits& lower, Bits& upper) {
            if (upper < lower) std::swap(lower, upper);
        });
        // What lies about borders is few keys: where that pass is the last, the one before it decodes.
        const bool is_last = &pass == &plan.passes.back();
        const bool decodes =
            is_last || (&pass + 1 == &plan.passes.back() && plan.passes.back().kind == Pass::Kind::merge_borders);
        if (decodes)
            for (Bits& key : keys) key = decode(key, coding);
        if (after_pass) after_pass(pass);
        if (decodes && !is_last) encode_all();
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
