// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include "core/operation_table.hpp"

namespace lanesort::inline v0_1::c {
namespace {

using detail::OperationRow;

/// C++ numbers types alike. `member` has it.
KeyType type_of(lanesort_key_type type, const char* member) {
    if (type == 0)
        throw Error(ErrorCode::invalid_argument, fmt::format("`{}` is 0, but must say what the numbers are", member));
    if (type < LANESORT_U8 || type > LANESORT_F64)
        throw Error(ErrorCode::invalid_argument, fmt::format("there is no type of keys {}", type));
    return static_cast<KeyType>(type);
}
static_assert(LANESORT_U8 == static_cast<int>(KeyType::u8) && LANESORT_F64 == static_cast<int>(KeyType::f64));

/// The enumerator of that number, which C++ numbers alike: the last one says so.
template <class Enumeration>
Enumeration numbered(std::int32_t number, Enumeration last, const char* what) {
    if (number < 0 || number > static_cast<std::int32_t>(last))
        throw Error(ErrorCode::invalid_argument, fmt::format("there is no {} {}", what, number));
    return static_cast<Enumeration>(number);
}
static_assert(LANESORT_EXCLUSIVE_SCAN_BY_KEY == static_cast<int>(Operation::exclusive_scan_by_key));
static_assert(LANESORT_MEAN == static_cast<int>(Reduction::mean));
static_assert(LANESORT_DISTRIBUTION == static_cast<int>(Schedule::distribution));

std::optional<Order> order_of(lanesort_order order) {
    switch (order) {
        case LANESORT_DEFAULT_ORDER: return std::nullopt;
        case LANESORT_ASCENDING: return Order::ascending;
        case LANESORT_DESCENDING: return Order::descending;
        default: throw Error(ErrorCode::invalid_argument, fmt::format("there is no order {}", order));
    }
}

Comparator comparator_of(const lanesort_comparator& comparator) {
    return {.type = given(comparator.type, "the comparator's type"),
            .bytes = comparator.bytes,
            .before = given(comparator.before, "the comparator's expression"),
            .declarations = comparator.declarations ? comparator.declarations : ""};
}

Predicate predicate_of(const lanesort_predicate& predicate) {
    return {.type = given(predicate.type, "the predicate's type"),
            .bytes = predicate.bytes,
            .holds = given(predicate.holds, "the predicate's expression"),
            .declarations = predicate.declarations ? predicate.declarations : "",
            .parameter_type = predicate.parameter_type ? predicate.parameter_type : "",
            .parameter_bytes = predicate.parameter_bytes};
}

BinaryOperator binary_operator_of(const lanesort_binary_operator& combining) {
    return {.type = given(combining.type, "the operator's type"),
            .bytes = combining.bytes,
            .combine = given(combining.combine, "the operator's expression"),
            .identity = given(combining.identity, "the operator's identity"),
            .declarations = combining.declarations ? combining.declarations : "",
            .transform = combining.transform ? combining.transform : ""};
}

// An array of which not all is zero is one of the call's, so that a null pointer is found. Null values of so many bytes
// are also what a call is prepared for before its memory is there.
bool is_given(const lanesort_place& array) { return array.memory || array.offset > 0; }
bool is_given(const lanesort_values& array) { return array.memory || array.offset > 0 || array.bytes > 0; }
bool is_given(const lanesort_segments& array) {
    return array.memory || array.offset > 0 || array.count > 0 || array.longest > 0 || array.bytes > 0;
}

/// The width of an array's elements; 0 where there is none.
std::size_t bytes_of(const lanesort_values& array, bool is_needed, const char* member) {
    if (array.bytes == 0 && (is_needed || is_given(array)))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("`{}.bytes` is 0, but must be an element's width", member));
    return array.bytes;
}

/// Throws Error(invalid_argument) for a member that is not zero and that the operation does not use, as far as a
/// Request does not tell that.
void check_unused(const lanesort_request& request, const OperationRow& row) {
    using namespace detail;
    const auto check = [&](bool uses, bool is_given, const char* member) {
        if (is_given && !uses)
            throw Error(ErrorCode::invalid_argument, fmt::format("{} does not use `{}`", row.name, member));
    };
    check(row.uses(first), request.first > 0, "first");
    check(row.uses(k), request.k > 0, "k");
    check(row.uses(second_keys), is_given(request.second), "second");
    check(row.uses(second_keys) && row.uses(values), is_given(request.second_values), "second_values");
    if (row.uses(keyless) && request.memory)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} has values and no keys, so `memory` must be null", row.name));
    check(row.uses(results), is_given(request.results), "results");
    check(row.uses(answers), is_given(request.answers), "answers");
    check(row.uses(flags), is_given(request.flags), "flags");
    check(row.uses(result_values), is_given(request.result_values), "result_values");
    check(row.uses(in_place), request.in_place != 0, "in_place");
    if (request.in_place != 0 && (is_given(request.results) || is_given(request.result_values)))
        throw Error(ErrorCode::invalid_argument,
                    "in place, the results are the keys, so `results` and `result_values` must be zero");
    if (row.uses(apart) && request.apart == 0 &&
        (is_given(request.second) || is_given(request.second_values) || is_given(request.results) ||
         is_given(request.result_values)))
        throw Error(ErrorCode::invalid_argument,
                    "the call is not `apart`, so `second`, `results` and their values must be zero");
    if ((is_given(request.second_values) || is_given(request.result_values)) && !is_given(request.values))
        throw Error(ErrorCode::invalid_argument,
                    "there are no `values`, so `second_values` and `result_values` must be zero");
    if (row.uses(binning) && request.bounded == 0 && is_given(request.second))
        throw Error(ErrorCode::invalid_argument, "the bins are not `bounded` by keys, so `second` must be zero");
    if (request.limited == 0 && is_given(request.limit))
        throw Error(ErrorCode::invalid_argument, "the call is not `limited`, so `limit` must be zero");
    if (request.comparator && request.type != 0)
        throw Error(ErrorCode::invalid_argument, "records have the type of their comparator, so `type` must be zero");
    if (is_given(request.parameter) && !(request.predicate && request.predicate->parameter_bytes > 0))
        throw Error(ErrorCode::invalid_argument, "no predicate has a parameter, so `parameter` must be zero");
    if (request.predicate && (request.type != 0 || request.comparator || is_given(request.flags)))
        throw Error(ErrorCode::invalid_argument,
                    "a predicate says what the keys are and which are selected, so `type`, `comparator` and `flags` "
                    "must be zero");
    if (request.binary_operator && row.uses(operators_of_values)) {
        if (request.value_type != 0)
            throw Error(ErrorCode::invalid_argument,
                        "an operator says what the values are, so `value_type` must be zero");
    } else if (request.binary_operator && (request.type != 0 || request.comparator || request.predicate))
        throw Error(ErrorCode::invalid_argument,
                    "an operator says what the keys are, so `type`, `comparator` and `predicate` must be zero");
}

}  // namespace

CallOf::CallOf(const lanesort_request* given_request) {
    const lanesort_request& from = *given(given_request, "the request");
    Request& request = call_.request;
    request.operation = numbered(from.operation, Operation::exclusive_scan_by_key, "operation");
    const OperationRow& row = detail::row_of(request.operation);
    check_unused(from, row);
    request.count = from.count;
    request.order = order_of(from.order);
    request.stable = from.stable != 0;
    request.schedule = numbered(from.schedule, Schedule::distribution, "schedule");
    request.data_independent = from.data_independent != 0;
    request.extra_bytes = from.extra_bytes;
    request.reduction = numbered(from.reduction, Reduction::mean, "reduction");
    request.in_place = from.in_place != 0;
    request.apart = from.apart != 0;
    request.inverted = from.inverted != 0;
    request.limited = from.limited != 0;
    request.nan_last = from.nan_last != 0;
    request.row_length = from.row_length;
    request.middle = from.middle;
    if (row.uses(detail::k)) request.first = from.k;
    else if (from.first > 0) request.first = from.first;
    if (row.uses(detail::value_types)) {
        const bool has_values = is_given(from.values) || request.reduction != Reduction::count;
        if (from.binary_operator && row.uses(detail::operators_of_values)) {
            binary_operator_ = binary_operator_of(*from.binary_operator);
            request.value_type = KeyKind(*binary_operator_);
        } else if (from.value_type != 0 || has_values) {
            request.value_type = type_of(from.value_type, "value_type");
        }
        if (has_values) request.value_bytes = from.values.bytes > 0 ? from.values.bytes : request.value_type.bytes();
    } else {
        if (from.value_type != 0) request.value_type = type_of(from.value_type, "value_type");
        request.value_bytes = bytes_of(from.values, row.uses(detail::keyless), "values");
    }
    request.index_bytes = bytes_of(from.indices, row.uses(detail::indices) && !row.uses(detail::k), "indices");
    request.length_bytes = bytes_of(from.lengths, row.uses(detail::lengths), "lengths");
    request.second_count = from.second_count;
    request.bins = from.bins;
    request.bounded = from.bounded != 0;
    request.lower = from.lower;
    request.upper = from.upper;
    if (is_given(from.segments)) {
        request.segments = from.segments.count;
        request.longest = from.segments.longest > 0 ? std::min(from.segments.longest, from.count) : from.count;
        if (from.segments.bytes == 0)
            throw Error(ErrorCode::invalid_argument, "`segments.bytes` is 0, but must be the width of an offset");
        request.offset_bytes = from.segments.bytes;
    }
    if (from.comparator) {
        comparator_ = comparator_of(*from.comparator);
        request.key = KeyKind(*comparator_);
    } else if (from.predicate) {
        predicate_ = predicate_of(*from.predicate);
        request.key = KeyKind(*predicate_);
    } else if (from.binary_operator && !row.uses(detail::operators_of_values)) {
        binary_operator_ = binary_operator_of(*from.binary_operator);
        request.key = KeyKind(*binary_operator_);
    } else if (from.type != 0 || !row.uses(detail::keyless)) {
        request.key = type_of(from.type, "type");
    }
    const auto place = [](const auto& array) -> AnyCall::Place {
        return {const_cast<void*>(static_cast<const void*>(array.memory)), array.offset};
    };
    call_.keys = place(from);
    call_.values = place(from.values);
    call_.second_keys = place(from.second);
    call_.second_values = place(from.second_values);
    call_.indices = place(from.indices);
    call_.segments = place(from.segments);
    call_.results = place(from.results);
    call_.result_values = place(from.result_values);
    call_.lengths = place(from.lengths);
    call_.answers = place(from.answers);
    call_.limit = place(from.limit);
    call_.flags = place(from.flags);
    call_.parameter = place(from.parameter);
    if (request.apart && !row.uses(detail::second_keys)) detail::write_results(call_);
}

SorterOptions options_of(const lanesort_options* options) {
    if (!options) return {};
    SorterOptions translated{.shape_file = options->shape_file ? options->shape_file : "",
                             .use_tuned = options->ignore_tuned == 0};
    if (options->progress)
        translated.progress = [call = options->progress, context = options->progress_context](
                                  std::size_t done, std::size_t all) { call(done, all, context); };
    return translated;
}

}  // namespace lanesort::inline v0_1::c
