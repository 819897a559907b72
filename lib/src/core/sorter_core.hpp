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
    /// On the device's memory and a queue of the caller's; `event` as Backend::enqueue says.
    SortReport enqueue(const Request& request, const Bindings& bindings, const Queue& queue, void** event);
    /// Recorded for a queue; OpenCL needs to know it.
    std::unique_ptr<Recording> record(const Request& request, const Bindings& bindings, void* queue,
                                      SortReport& report);

    /// What the latest call did, and to say that of one.
    const SortReport& last_report() const noexcept { return last_report_; }
    const SortReport& note(const SortReport& report) noexcept { return last_report_ = report; }

    /// Frees all programs but those of recordings.
    void release();

    /// Sorts random keys and counts.
    SyncCounts measure(std::uint64_t count, KeyType type);

private:
    /// The planner's work. Throws Error(too_large) where the device cannot allocate the work's own arrays.
    std::shared_ptr<const Work> plan(const Request& request);

    std::unique_ptr<Backend> backend_;
    Planner planner_;
    std::function<void(std::size_t, std::size_t)> progress_;
    SortReport last_report_;
};

}  // namespace lanesort::detail
