// What a Sorter is made of, and the one way of every call: plan, check of memory, backend.
#pragma once

#include <memory>

#include <lanesort/sorter.hpp>

#include "backend.hpp"
#include "planner.hpp"

namespace lanesort::detail {

class SorterCore {
public:
    SorterCore(std::unique_ptr<Backend> backend, SorterOptions options)
        : backend_(std::move(backend)), planner_(*backend_, options), progress_(std::move(options.progress)) {}

    Backend& backend() noexcept { return *backend_; }
    Planner& planner() noexcept { return planner_; }

    /// On host memory; blocks.
    SortReport run(const Request& request, Bindings bindings);
    /// The work of a request on the device's memory. Throws for what is wrong with the queue and the arrays, too.
    std::shared_ptr<const Work> plan_for(const Queue& queue, const Request& request, const Bindings& bindings);

    /// What the latest call did, and to say that of one.
    const SortReport& last_report() const noexcept { return last_report_; }
    const SortReport& note(const SortReport& report) noexcept { return last_report_ = report; }

    /// Frees all programs but those of recordings.
    void release();

    /// Sorts random keys and counts.
    SyncCounts measure(KeyType type, std::uint64_t count);

private:
    /// The planner's work. Throws Error(too_large) where the device cannot allocate the work's own arrays.
    std::shared_ptr<const Work> plan(const Request& request);

    std::unique_ptr<Backend> backend_;
    Planner planner_;
    std::function<void(std::size_t, std::size_t)> progress_;
    SortReport last_report_;
};

/// Where the call's arrays lie.
Bindings bindings_of(const AnyCall& call);

}  // namespace lanesort::detail
