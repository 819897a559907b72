// SPDX-License-Identifier: MIT
#include "planner.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

#include <lanesort/options.hpp>
#include <lanesort/tuning.hpp>

#include "fit.hpp"
#include "float_environment.hpp"
#include "integers.hpp"
#include "operation_table.hpp"
#include "require.hpp"

namespace lanesort::inline v0_1 {
namespace detail {
namespace {

/// An option that a call does not use is a mistake of the caller's, not to be passed over.
void check_options(const Request& request, const OperationRow& row) {
    const auto check = [&](unsigned options, bool is_given, const char* member) {
        if (is_given && !row.uses(options))
            throw Error(ErrorCode::invalid_argument, fmt::format("{} does not use `{}`", row.name, member));
    };
    check(stable, request.stable, "stable");
    check(first | k, request.first != all_keys, "first");
    check(middle, request.middle != 0, "middle");
    check(values, request.value_bytes != 0, "values");
    check(indices, request.index_bytes != 0, "indices");
    check(lengths, request.length_bytes != 0, "lengths");
    check(in_place, request.in_place, "in_place");
    check(apart, request.apart, "apart");
    check(limit, request.limited, "limit");
    check(nan, request.nan_last, "nan_last");
    check(counters, request.counts_syncs, "counts_syncs");
    check(schedules, request.schedule != Schedule::automatic, "schedule");
    check(reductions, request.reduction != Reduction::sum, "reduction");
    check(value_types, request.value_type != KeyType::u32, "value_type");
    check(inversion, request.inverted, "inverted");
    check(independence, request.data_independent, "data_independent");
    check(schedules, request.extra_bytes != 0, "extra_bytes");
    check(middle, request.part != MergePart::whole, "part");
    check(second_range, request.second_count != 0, "second_count");
    check(predicates, request.key.predicate() != nullptr, "predicate");
    check(operators, request.key.binary_operator() != nullptr, "binary_operator");
    check(operators_of_values, request.value_type.binary_operator() != nullptr, "binary_operator");
    check(binning, request.bins != 0, "bins");
    check(binning, request.bounded, "bounded");
    check(binning, request.lower != 0, "lower");
    check(binning, request.upper != 0, "upper");
}

/// By the clock, whose last digits nobody knows. std::random_device may throw, and takes glibc 2.36 where 2.34
/// suffices.
std::uint32_t drawn_seed() noexcept {
    const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
    return static_cast<std::uint32_t>(
        static_cast<std::uint64_t>(now.time_since_epoch().count()) * 0x9e3779b97f4a7c15u >> 32);
}

}  // namespace

Planner::Planner(Backend& backend, const SorterOptions& options)
    : backend_(backend), shape_(options.shape), seed_(options.seed.value_or(drawn_seed())) {
    if (shape_) {
        check_shape(*shape_);
        require_fit(*shape_, 1, device());
    } else if (!options.shape_file.empty()) {
        shapes_ = read_shape_file(options.shape_file, device());
    } else if (options.use_tuned) {
        is_tuned_ = true;
        TunedShapes tuned = find_tuned(device());
        shapes_ = std::move(tuned.table);
        note_ = std::move(tuned.note);
    }
}

Planner::Planned& Planner::planned(const Request& request) {
    constexpr std::size_t most_planned = 16;
    if (const auto known = std::ranges::find(planned_, request, &Planned::request); known != planned_.end()) {
        std::rotate(known, known + 1, planned_.end());
        return planned_.back();
    }
    const DefaultFloatEnvironment default_environment;
    check(request);
    const OperationRow& row = row_of(request.operation);
    check_options(request, row);
    Planned described{nullptr, nullptr, nullptr, nullptr, request, row.arrays(request), nullptr};
    if (const Comparator* const comparator = request.key.comparator()) {
        described.comparator = std::make_unique<const Comparator>(*comparator);
        described.request.key = KeyKind(*described.comparator);
    }
    if (const Predicate* const predicate = request.key.predicate()) {
        described.predicate = std::make_unique<const Predicate>(*predicate);
        described.request.key = KeyKind(*described.predicate);
    }
    if (const BinaryOperator* const combining = request.key.binary_operator()) {
        described.binary_operator = std::make_unique<const BinaryOperator>(*combining);
        described.request.key = KeyKind(*described.binary_operator);
    }
    if (const BinaryOperator* const combining = request.value_type.binary_operator()) {
        described.operator_of_values = std::make_unique<const BinaryOperator>(*combining);
        described.request.value_type = KeyKind(*described.operator_of_values);
    }
    if (planned_.size() == most_planned) planned_.erase(planned_.begin());
    return planned_.emplace_back(std::move(described));
}

std::shared_ptr<const Work> Planner::plan(const Request& request) {
    if (const Planned& known = planned(request); known.work) return known.work;
    const DefaultFloatEnvironment default_environment;
    auto work = std::make_shared<Work>();
    work->arrays = planned_.back().arrays;
    for (const Array& array : work->arrays)
        require(!product_exceeds(array.count, array.bytes, most_in_64_bits / 2), ErrorCode::too_large,
                "{} {} of {} bytes are more than memory can have", array.count, array.name, array.bytes);
    row_of(request.operation).make(*this, request, *work);
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (is_own(static_cast<Slot>(slot))) work->report.device_bytes += work->arrays[slot].size();
    backend_.rehearse(*work);
    return planned(request).work = std::move(work);
}

std::shared_ptr<const Program> Planner::compile_fitting(KernelParameters parameters) {
    for (;;) {
        std::shared_ptr<const Program> program = compile(parameters);
        const unsigned most = std::bit_floor(std::max(program->max_work_items, 1u));
        if (parameters.shape.work_items <= most) return program;
        parameters.shape.work_items = most;
    }
}

std::optional<Shape> Planner::wanted_shape(std::uint64_t count, const ElementBytes& bytes) const {
    // Files have shapes for plain keys only.
    if (shape_ || bytes.all() > bytes.key) return shape_;
    return shapes_.find(bytes.key, count);
}

std::optional<std::uint64_t> Planner::distribution_from(const ElementBytes& bytes) const {
    if (bytes.all() > bytes.key) return std::nullopt;
    const auto limit = shapes_.distribution_from.find(bytes.key);
    return limit != shapes_.distribution_from.end() ? std::optional(limit->second) : std::nullopt;
}

void Planner::refuse_wanted_shape(const Error& error) {
    if (!is_tuned_ || (error.code() != ErrorCode::unsupported && error.code() != ErrorCode::build_failed)) throw error;
    note_ = fmt::format("tuned shapes are not used: {}", error.what());
    shapes_ = {};
    planned_.clear();
}

void check_groups(std::uint64_t groups, const Request& request, const Shape& shape) {
    // The limit of CUDA, and enough for any shape that is worth running.
    constexpr std::uint64_t most_groups = (std::uint64_t{1} << 31) - 1;
    if (groups > most_groups)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{} keys in shape {} need {} work-groups in one launch; {} are possible", request.count,
                                to_string(shape), groups, most_groups));
}

void check_doubles(const DeviceInfo& device, KeyType type, const char* what) {
    if (type == KeyType::f64 && !device.has_doubles)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{} cannot {}: it has no floating-point numbers of 64 bits", device.name, what));
}

}  // namespace detail

const char* name(Schedule schedule) noexcept {
    switch (schedule) {
        case Schedule::automatic: return "automatic";
        case Schedule::network: return "network";
        case Schedule::columns: return "columns";
        case Schedule::distribution: return "distribution";
    }
    return "none";
}

}  // namespace lanesort::inline v0_1
