// SPDX-License-Identifier: MIT
// A plan in plain loops: the oracle that every device's state is compared with.
#pragma once

#include <cstddef>
#include <functional>

#include <lanesort/key_order.hpp>
#include <lanesort/plan.hpp>

namespace lanesort {

/// Runs a plan on a host array, step by step over the whole array, with no tile, lane or work-item in sight.
class ReferenceExecutor {
public:
    /// `keys` points to the plan's count of keys of `bytes` bytes each. `after_pass`, if given, is called after each
    /// pass, when the array holds encoded keys (decoded after the last).
    ReferenceExecutor(void* keys, std::size_t bytes, KeyCoding coding,
                      std::function<void(const Pass&)> after_pass = {});

    /// Runs every pass in order. The first one encodes the keys, the last one decodes them.
    void run(const Plan& plan);

private:
    void* keys_;
    std::size_t bytes_;
    KeyCoding coding_;
    std::function<void(const Pass&)> after_pass_;
};

}  // namespace lanesort
