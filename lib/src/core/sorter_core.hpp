// SPDX-License-Identifier: MIT
// What a Sorter is made of, and the one way of every call: plan, check of memory, backend.
#pragma once

#include <memory>
#include <string_view>

#include <lanesort/options.hpp>
#include <lanesort/statistics.hpp>

#include "backend.hpp"
#include "planner.hpp"

namespace lanesort::inline v0_1 {
class Sorter;
}

namespace lanesort::inline v0_1::detail {

class SorterCore {
public:
    SorterCore(std::unique_ptr<Backend> backend, SorterOptions options)
        : backend_(std::move(backend)),
          planner_(*backend_, options),
          device_bytes_(options.device_bytes),
          overlapped_from_(backend_->has_queues() && !backend_->info().host_unified_memory ? usual_overlap : no_limit),
          progress_(std::move(options.progress)) {}

    Backend& backend() noexcept { return *backend_; }
    Planner& planner() noexcept { return planner_; }

    /// On host memory; blocks.
    SortReport run(const Request& request, Bindings bindings);
    /// The planner's work. Throws Error(too_large) where the device cannot allocate the work's own arrays.
    std::shared_ptr<const Work> plan(const Request& request);
    /// Throws for what is wrong with these arrays in host memory.
    void check_on_host(const Request& request, const Arrays& arrays, const Bindings& bindings) const;
    /// Throws for what is wrong with the queue, or with arrays on the device's memory.
    void check(const Queue& queue, const Request& request, const Bindings& bindings);
    /// Returns run(work) for the request's work. Where there is no memory for a distribution that nobody demanded, and
    /// nothing was done yet, the same for work that takes none.
    template <class Run>
    auto with_work(const Request& request, const Run& run) {
        const std::shared_ptr<const Work> work = plan(request);
        try {
            return run(work);
        } catch (const NoMemoryForWork&) {
            const bool is_choice =
                request.schedule == Schedule::automatic && work->report.schedule == Schedule::distribution;
            if (!is_choice) throw;
        }
        Request without = request;
        without.data_independent = true;
        without.extra_bytes = 0;
        return run(plan(without));
    }

    /// What the latest call did, and to say that of one.
    const SortReport& last_report() const noexcept { return last_report_; }
    const SortReport& note(const SortReport& report) noexcept { return last_report_ = report; }

    /// Frees all programs but those of recordings.
    void release();

    /// From how many bytes of keys in host memory on they are sorted while others are copied.
    void overlap_from(std::uint64_t bytes) noexcept { overlapped_from_ = bytes; }
    /// From how many bytes of keys on, that a part has of a bucket, arrays that go in parts are distributed.
    void distribute_parts_from(std::uint64_t bytes) noexcept { least_bucket_bytes_ = bytes; }

    /// Sorts random keys and counts.
    SyncCounts measure(KeyType type, std::uint64_t count);

    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};

private:
    /// With fewer there is less to gain, and it was not measured (docs/decisions.md#arrays-that-fit).
    static constexpr std::uint64_t usual_overlap = std::uint64_t{1} << 30;
    /// Fewer take longer to copy than columns take for a third pass (docs/decisions.md#arrays-larger-than-the-device).
    static constexpr std::uint64_t usual_bucket = std::uint64_t{64} << 10;

    /// The device memory that arrays in host memory may take.
    std::uint64_t memory_limit() const noexcept;
    /// They take more, and can be sorted part by part.
    bool goes_in_parts(const Request& request, const Arrays& arrays) const noexcept;
    SortReport run_in_parts(const Request& request, const Bindings& bindings);
    /// They fit, and can be sorted while others are copied.
    bool is_overlapped(const Request& request, const Arrays& arrays) const noexcept;
    /// Throws NoMemoryForWork before anything of the caller's is written.
    SortReport run_overlapped(const Request& request, const Bindings& bindings);

    std::unique_ptr<Backend> backend_;
    Planner planner_;
    std::uint64_t device_bytes_;
    std::uint64_t overlapped_from_;
    std::uint64_t least_bucket_bytes_ = usual_bucket;
    std::function<void(std::size_t, std::size_t)> progress_;
    SortReport last_report_;
};

/// The core of a sorter of that backend. Throws Error(unsupported) for one of another.
SorterCore& core_of(Sorter& sorter, std::string_view backend);

/// Where the call's arrays lie.
Bindings bindings_of(const AnyCall& call);

}  // namespace lanesort::inline v0_1::detail
