// The common way of every sort: checks, shape, plan.
#pragma once

#include <memory>
#include <string>

#include <lanesort/tuning.hpp>

#include "backend.hpp"

namespace lanesort::detail {

class SorterCore {
public:
    SorterCore(std::unique_ptr<Backend> backend, SorterOptions options);

    Backend& backend() noexcept { return *backend_; }

    /// Why tuned shapes are not used; see Sorter::note.
    const std::string& note() const noexcept { return note_; }

    /// The plan of a sort and the kernels for it, compiled.
    struct Prepared {
        Plan plan;
        KernelParameters parameters;
    };
    Prepared prepare(const Extent& extent, const ElementType& type, bool count_sync = false);

    /// A selection and the kernel for it, compiled; nothing where the elements are to be sorted instead, because k is
    /// too large for registers. Throws Error(invalid_argument) for a k that cannot be.
    struct PreparedSelection {
        Selection selection;
        KernelParameters parameters;
    };
    std::optional<PreparedSelection> prepare_selection(const Extent& extent, const ElementType& type, std::uint64_t k);

    /// A selection, or where k is too large for one the sort of a copy, of which the first k elements of each row are
    /// then taken; neither where nothing is to be sorted.
    struct PreparedTopK {
        std::optional<PreparedSelection> selection;
        std::optional<Prepared> sort;
    };
    PreparedTopK prepare_top_k(const Extent& extent, const ElementType& type, std::uint64_t k);

    /// What is to be found out of sorted ranges and the kernels for it, compiled. Throws Error(invalid_argument) for
    /// segments, and for rows unless it is their order.
    struct PreparedRuns {
        RunsSchedule schedule;
        KernelParameters parameters;
    };
    PreparedRuns prepare_runs(const Extent& extent, const KeyKind& type, RunsTask task, std::size_t length_bytes = 0);

    void runs_host(const void* keys, const HostRuns& found, const Extent& extent, const KeyKind& type, RunsTask task,
                   std::size_t length_bytes, Order order);
    SortReport select_host(const void* keys, const HostArrays& selected, const Extent& extent, const ElementType& type,
                           std::uint64_t k, Order order);
    SortReport sort_host(const HostArrays& arrays, const Extent& extent, const ElementType& type, Order order);
    SyncCounts measure(std::uint64_t count, KeyType type);

private:
    /// Throws Error(too_large) for keys that do not fit into one allocation of the device.
    void check_size(std::uint64_t count, const ElementType& type) const;

    /// The shape that the caller or a file wants for such keys; nothing where the library is to choose.
    std::optional<Shape> wanted_shape(std::uint64_t count, const ElementType& type) const;
    /// As prepare(), with that shape; `adapt`: with a smaller one where its kernels need that.
    Prepared prepare_with(Shape shape, bool adapt, const Extent& extent, const ElementType& type, bool count_sync);

    std::unique_ptr<Backend> backend_;
    SorterOptions options_;
    ShapeTable shapes_;  ///< what the shape file or the tuned file has
    std::string note_;
};

/// What the plan says of its launches, hand-overs and barriers.
SortReport report_of(const Plan& plan);

}  // namespace lanesort::detail
