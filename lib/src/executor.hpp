// What runs a plan.
#pragma once

#include <lanesort/plan.hpp>

namespace lanesort {

/// Runs plans on the keys that it was made for. The first pass encodes the keys, the last one decodes them.
class Executor {
public:
    virtual ~Executor() = default;
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// Runs, or enqueues, every pass in order.
    virtual void run(const Plan& plan) = 0;
};

}  // namespace lanesort
