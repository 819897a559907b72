// SPDX-License-Identifier: MIT
// From requests to works: the one place where it is decided what a call does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <lanesort/error.hpp>
#include <lanesort/request.hpp>
#include <lanesort/shape_table.hpp>

#include "backend.hpp"
#include "encoded_keys.hpp"
#include "integers.hpp"

namespace lanesort::inline v0_1 {
struct SorterOptions;
}

namespace lanesort::inline v0_1::detail {

/// One more than the largest index of 4 bytes; the largest one stands for what is beyond the end.
inline constexpr std::uint64_t most_narrow_indices = (std::uint64_t{1} << 32) - 1;

class Planner {
public:
    Planner(Backend& backend, const SorterOptions& options);

    /// The caller's arrays that a request needs; valid until the next call. Throws Error for a request that cannot be.
    const Arrays& arrays(const Request& request) { return planned(request).arrays; }

    /// The work of a request, with its kernels compiled. Throws as arrays() does, Error(unsupported) and
    /// Error(build_failed). What was made for the latest few requests is kept for equal ones.
    std::shared_ptr<const Work> plan(const Request& request);

    /// Forgets the works that were made.
    void forget() noexcept { planned_.clear(); }

    /// SorterOptions::seed, or what was drawn in its place.
    std::uint32_t seed() const noexcept { return seed_; }

    /// Why tuned shapes are not used; see Sorter::note.
    const std::string& note() const noexcept { return note_; }

    // For the operations.

    const DeviceInfo& device() const noexcept { return backend_.info(); }
    std::shared_ptr<const Program> compile(const KernelParameters& parameters) { return backend_.compile(parameters); }
    /// The same, with fewer work-items, a power of two, where the program can have no more.
    std::shared_ptr<const Program> compile_fitting(KernelParameters parameters);

    /// The shape of all sorts that the caller demands, if any.
    const std::optional<Shape>& demanded_shape() const noexcept { return shape_; }
    /// The shape that the caller or a file wants for such elements; nothing where the library is to choose.
    std::optional<Shape> wanted_shape(std::uint64_t count, const ElementBytes& bytes) const;
    /// From how many such elements on a distribution is to sort, as the same file says; nothing where it does not.
    std::optional<std::uint64_t> distribution_from(const ElementBytes& bytes) const;
    /// That shape cannot be used. Gives it up, if it is a tuned one; else throws `error` on.
    void refuse_wanted_shape(const Error& error);

private:
    struct Planned {
        std::unique_ptr<const Comparator> comparator;  ///< what `request` refers to
        std::unique_ptr<const Predicate> predicate;    ///< or this
        std::unique_ptr<const BinaryOperator> binary_operator, operator_of_values;
        Request request;
        Arrays arrays;
        std::shared_ptr<const Work> work;  ///< null until it is asked for
    };

    /// The request's place, which is the last one from now on.
    Planned& planned(const Request& request);

    Backend& backend_;
    std::optional<Shape> shape_;  ///< the caller's
    bool is_tuned_ = false;       ///< `shapes_` are what `lanesort tune` stored
    ShapeTable shapes_;
    std::string note_;
    std::uint32_t seed_;
    std::vector<Planned> planned_;  ///< the latest one last
};

/// Throws Error(invalid_argument) or Error(too_large) for what no operation can do.
void check(const Request& request);
/// Throws Error(invalid_argument) for numbers of a type that there is not.
void check_type(const KeyKind& kind);
/// Throws as check() does for indices that cannot be, or are too narrow for the keys.
void check_indices(const Request& request);
/// Throws Error(unsupported) for more work-groups than one launch can have.
void check_groups(std::uint64_t groups, const Request& request, const Shape& shape);
/// Throws Error(unsupported) where keys are f64, and the device has no such numbers to do that with: "add f64".
void check_doubles(const DeviceInfo& device, KeyType type, const char* what);

}  // namespace lanesort::inline v0_1::detail
