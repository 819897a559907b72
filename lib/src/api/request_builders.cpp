// SPDX-License-Identifier: MIT
// What the calls of lanesort/calls.hpp are built with: widths, numbers and second ranges, checked.
#include <string_view>

#include <fmt/core.h>

#include <lanesort/calls.hpp>
#include <lanesort/error.hpp>
#include <lanesort/keys.hpp>

#include "core/integers.hpp"
#include "core/planner.hpp"
#include "core/require.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

template <class... Arguments>
void enforce(bool holds, fmt::format_string<const Arguments&...> sentence, const Arguments&... arguments) {
    require(holds, ErrorCode::invalid_argument, sentence, arguments...);
}

/// The text or the function that says of keys what they are; empty for plain numbers.
std::string_view teller(const KeyKind& kind) noexcept {
    return kind.comparator()        ? "a comparator"
           : kind.predicate()       ? "a predicate"
           : kind.binary_operator() ? "an operator"
           : kind.compiled_order()  ? "a function"
                                    : "";
}

[[noreturn]] void throw_kinds_differ(const KeyKind& first, const KeyKind& second) {
    check_type(first);
    check_type(second);
    const std::string_view of_first = teller(first), of_second = teller(second);
    if (!of_first.empty() && of_first == of_second)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the two ranges have {} each, but not the same one", of_first));
    const auto described = [](const KeyKind& kind, std::string_view tells) {
        return tells.empty() ? kind.name() : fmt::format("{} with {}", kind.name(), tells);
    };
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the first range has keys of {}, but the second has keys of {}", described(first, of_first),
                            described(second, of_second)));
}

/// Throws for a second range that is not of the first one's type, or asks for something else.
void check_second(const Request& first, const Request& second) {
    if (!(first.key == second.key)) throw_kinds_differ(first.key, second.key);
    Request wanted = first, asked = second;
    asked.count = first.count;
    if (second.count != first.count) asked.longest = first.longest;  // each is its range's own
    wanted.order = first.order_or_usual();
    asked.order = second.order.value_or(*wanted.order);
    asked.stable |= first.stable;
    enforce(asked == wanted, "the second range asks for something else than the first; it may leave that to the first");
}

void check_each(const AnyArray& array, std::uint64_t keys) {
    if (array.count && *array.count != keys) throw_sizes_differ(keys, *array.count);
}

// What is wrong with the request itself is the first thing to say where a number or a width does not fit.

void check_results(const AnyArray& results, std::uint64_t wanted, const Request& request) {
    if (results.count.value_or(wanted) == wanted) return;
    check(request);
    enforce(false, "there is room for {} results, but there are {}", *results.count, wanted);
}

void check_width(const AnyArray& results, std::size_t bytes, const char* owner) {
    enforce(results.bytes.value_or(bytes) == bytes, "results have {} bytes, but {} {}", results.bytes.value_or(0),
            owner, bytes);
}

/// Numbers that are others than those which the call gives.
void check_result_type(const AnyArray& results, std::optional<KeyType> given) {
    enforce(!results.type || !given || *results.type == *given, "the results are of type {}, but this call gives {}",
            name(results.type.value_or(KeyType{})), name(given.value_or(KeyType{})));
}

/// Results of a reduction that there may not be.
void check_reduced(const AnyArray& results, const Request& request, std::optional<KeyType> type, std::size_t bytes,
                   Arrays (*arrays)(const Request&)) {
    if (results.bytes.value_or(bytes) == bytes && (!results.type || !type || *results.type == *type)) return;
    check(request);
    arrays(request);
    check_width(results, bytes, "those of this reduction have");
    check_result_type(results, type);
}

void check_number(std::optional<std::size_t> stated, std::size_t wanted, const char* what) {
    enforce(stated.value_or(wanted) == wanted, "there are {} {}, but there must be {}", stated.value_or(0), what,
            wanted);
}

}  // namespace

std::size_t width_of(std::string_view what, std::optional<std::size_t> bytes) {
    const char* const widths = what == "values" ? "1, 2, 4, 8 or 16" : "4 or 8";
    enforce(bytes.has_value(), "the `bytes` of {} are not stated: they may be {}", what, widths);
    enforce(bytes != std::size_t{0}, "{} have 0 bytes, but must have {}", what, widths);
    return *bytes;
}

std::uint64_t first_with(std::uint64_t n, const Request& request) {
    const std::uint64_t length = request.length();
    enforce(n <= length, "there is no key {} among {}", n, length);
    return n < length ? n + 1 : 0;
}

void write_results(AnyCall& call) noexcept {
    const auto differ = [](const AnyCall::Place& a, const AnyCall::Place& b) {
        return a.memory == nullptr || a.memory != b.memory || a.offset != b.offset;
    };
    call.request.apart =
        differ(call.keys, call.results) || (call.request.value_bytes > 0 && differ(call.values, call.result_values));
}

CallBuilder::CallBuilder(Operation operation, std::size_t count, const AnyArray& values, const AnyArray& indices,
                         std::size_t index_count) {
    check_number(indices.count, index_count, "indices");
    call_.request.operation = operation;
    call_.request.count = count;
    call_.request.value_bytes = width_of("values", values.bytes);
    value_type_ = values.type;
    call_.request.index_bytes = width_of("indices", indices.bytes);
    call_.values = values.place;
    call_.indices = indices.place;
}

void CallBuilder::add_segments(const AnyCall::Place& offsets, std::size_t count, std::size_t longest,
                               std::size_t bytes) {
    Request& request = call_.request;
    request.segments = count;
    request.longest = longest > 0 && longest < request.count ? longest : request.count;
    request.offset_bytes = width_of("offsets", bytes);
    call_.segments = offsets;
}

void CallBuilder::require_room(const AnyArray& array, Room room) const {
    if (!array.count) return;
    const Request& request = call_.request;
    const std::uint64_t have = *array.count, keys = request.count;
    switch (room) {
        case Room::each: return check_each(array, keys);
        case Room::best: return check_each(array, request.first * request.ranges());
        case Room::some:
            if (have < keys) throw_too_few(keys, have);
            return;
        case Room::both:
            return enforce(have >= keys, "the two ranges have {} keys, but there is room for only {}", keys, have);
        case Room::all: return check_results(array, keys, request);
        case Room::rows: return check_results(array, request.ranges(), request);
    }
}

void CallBuilder::check_same_values(const AnyArray& others) const {
    const std::size_t bytes = call_.request.value_bytes, other_bytes = width_of("values", others.bytes);
    enforce(bytes == other_bytes, "the values have {} bytes in one array, but {} in another", bytes, other_bytes);
    enforce(!value_type_ || !others.type || *value_type_ == *others.type,
            "the values are of type {} in one array, but of {} in another", name(value_type_.value_or(KeyType{})),
            name(others.type.value_or(KeyType{})));
}

CallBuilder& CallBuilder::values(const AnyArray& values, std::size_t keys) {
    check_each(values, keys);
    call_.values = values.place;
    value_type_ = values.type;
    return set(&Request::value_bytes, width_of("values", values.bytes));
}

CallBuilder& CallBuilder::second_values(const AnyArray& values, std::size_t keys) {
    check_each(values, keys);
    check_same_values(values);
    call_.second_values = values.place;
    return *this;
}

CallBuilder& CallBuilder::result_values(const AnyArray& values, Room room) {
    require_room(values, room);
    check_same_values(values);
    call_.result_values = values.place;
    return *this;
}

CallBuilder& CallBuilder::add_numbers(std::size_t count, const KeyKind& type, bool by_operator) {
    if (count != call_.request.count) throw_sizes_differ(call_.request.count, count);
    enforce(!type.is_record() || (by_operator && type.binary_operator()),
            "values that are records cannot be combined, but numbers can");
    call_.request.value_type = type;
    return set(&Request::value_bytes, type.bytes());
}

CallBuilder& CallBuilder::result_numbers(const AnyArray& values, Room room) {
    require_room(values, room);
    const Request& request = call_.request;
    if (room == Room::all) {
        check_width(values, request.value_bytes, "the values have");
        if (!request.value_type.is_record()) check_result_type(values, request.value_type.type());
    } else {
        const KeyType type = reduced_type(request.value_type.type(), request.reduction);
        check_reduced(values, request, type, request.reduced_bytes(), reduce_run_arrays);
    }
    call_.result_values = values.place;
    return *this;
}

CallBuilder& CallBuilder::indices(const AnyArray& indices, Room room) {
    require_room(indices, room);
    call_.indices = indices.place;
    return set(&Request::index_bytes, width_of("indices", indices.bytes));
}

CallBuilder& CallBuilder::lengths(const AnyArray& lengths) {
    require_room(lengths, Room::some);
    call_.lengths = lengths.place;
    return set(&Request::length_bytes, width_of("lengths", lengths.bytes));
}

CallBuilder& CallBuilder::results(const AnyArray& results, Room room) {
    const std::optional<KeyType> type = call_.request.result_type();
    if (room == Room::rows) check_reduced(results, call_.request, type, call_.request.result_bytes(), reduce_arrays);
    require_room(results, room);
    const std::size_t bytes = call_.request.key.bytes();
    if (bytes == 0) check(call_.request);
    if (room != Room::rows) check_width(results, bytes, "the keys have");
    check_result_type(results, type);
    call_.results = results.place;
    return *this;
}

CallBuilder& CallBuilder::sorted(const AnyArray& results) {
    this->results(results, Room::all);
    write_results(call_);
    return *this;
}

CallBuilder& CallBuilder::merged(const CallBuilder& second, const AnyArray& results) {
    Request& request = call_.request;
    const std::uint64_t more = second.call_.request.count;
    check_second(request, second.call_.request);
    require(request.count <= most_in_64_bits - more, ErrorCode::too_large,
            "the two ranges have {} and {} keys, which are more than 64 bits count", request.count, more);
    request.apart = true;
    request.middle = request.count;
    request.count += more;
    call_.second_keys = second.call_.keys;
    return this->results(results, Room::both);
}

CallBuilder& CallBuilder::best(std::size_t k, const AnyArray& best, const AnyArray& indices, const AnyArray& limit) {
    enforce(call_.request.first == all_keys, "{} keys are to be selected, but the range says {}: k alone says how many",
            k, call_.request.first);
    first(k).results(best, Room::best);
    check_width(limit, 8, "numbers have");
    call_.request.limited = limit.place.memory != nullptr;
    call_.limit = limit.place;
    // Indices in host memory that are none may have no address.
    return indices.place.memory != nullptr || indices.count ? this->indices(indices, Room::best) : *this;
}

CallBuilder& CallBuilder::answers(const AnyArray& answers) {
    check_results(answers, call_.request.row_count(), call_.request);
    check_width(answers, 8, "numbers have");
    call_.answers = answers.place;
    return *this;
}

CallBuilder& CallBuilder::pairs(CallBuilder second) {
    AnyCall& others = second.call_;
    const Request& wanted = call_.request;
    Request& asked = others.request;
    enforce(wanted.count == asked.count, "the first range has {} keys, but the second has {}", wanted.count,
            asked.count);
    if (!asked.in_rows()) {
        asked.row_length = wanted.row_length;
        asked.segments = wanted.segments;
        asked.longest = wanted.longest;
        asked.offset_bytes = wanted.offset_bytes;
        others.segments = call_.segments;
    }
    check_second(wanted, asked);
    enforce(call_.segments.memory == others.segments.memory && call_.segments.offset == others.segments.offset,
            "the second range's segments are in another place than the first's; it may leave them to the first");
    call_.second_keys = others.keys;
    return *this;
}

CallBuilder& CallBuilder::add_flags(std::optional<std::size_t> count) {
    const std::uint64_t keys = call_.request.count;
    enforce(count.value_or(keys) == keys, "there are {} keys, but {} flags", keys, count.value_or(0));
    enforce(!call_.request.key.predicate(), "flags or a predicate say which elements are wanted, but not both");
    return *this;
}

CallBuilder& CallBuilder::predicate(const AnyArray& parameter) {
    const Predicate* const predicate = call_.request.key.predicate();
    enforce(predicate != nullptr, "without flags, a predicate must say which elements are wanted");
    if (const std::size_t bytes = parameter.bytes.value_or(predicate->parameter_bytes);
        bytes != predicate->parameter_bytes)
        throw_parameter_size(bytes, predicate->parameter_bytes);
    call_.parameter = parameter.place;
    return *this;
}

CallBuilder& CallBuilder::combined() {
    enforce(call_.request.key.binary_operator() != nullptr,
            "without a Reduction, an operator must say what two elements are combined to");
    return *this;
}

CallBuilder& CallBuilder::needles(const CallBuilder& needles, const AnyArray& indices, std::size_t places) {
    const AnyCall& others = needles.call_;
    check_second(call_.request, others.request);
    check_number(indices.count, places * others.request.count, "indices");
    call_.request.second_count = others.request.count;
    call_.request.index_bytes = width_of("indices", indices.bytes);
    call_.second_keys = others.keys;
    call_.indices = indices.place;
    return *this;
}

CallBuilder& CallBuilder::moved(std::size_t index_count, const AnyArray& results, std::size_t room) {
    check_number(results.count, room, "results");
    check_same_values(results);
    call_.request.second_count = index_count;
    call_.result_values = results.place;
    return *this;
}

CallBuilder& CallBuilder::bounds(const EvenBins& bounds) {
    Request& request = call_.request;
    check_type(request.key);
    check_type(bounds.type);
    enforce(request.key.is_record() || request.key.type() == bounds.type,
            "the bins are of type {}, but the keys are of {}", name(bounds.type), request.key.name());
    request.lower = bounds.lower;
    request.upper = bounds.upper;
    return *this;
}

CallBuilder& CallBuilder::bounds(const CallBuilder& bounds, std::size_t bins) {
    const AnyCall& others = bounds.call_;
    enforce(others.request.count == bins + 1, "there are {} bounds, but there must be {}", others.request.count,
            bins + 1);
    check_second(call_.request, others.request);
    call_.request.bounded = true;
    call_.second_keys = others.keys;
    return *this;
}

void throw_sizes_differ(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but {} values or indices; there must be one for each key", keys, others));
}

void throw_too_few(std::size_t keys, std::size_t others) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("there are {} keys, but room for only {} results; there may be one for each key", keys, others));
}

void throw_no_numbers() {
    throw Error(ErrorCode::invalid_argument, "of no numbers there is no smallest and no largest one");
}

void throw_record_size(std::size_t bytes, std::size_t stated) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the records have {} bytes, but the text is for {}", bytes, stated));
}

void throw_parameter_size(std::size_t bytes, std::size_t stated) {
    throw Error(ErrorCode::invalid_argument,
                stated == 0 ? "the predicate has no parameter"
                            : fmt::format("the parameter has {} bytes, but the predicate's has {}", bytes, stated));
}

}  // namespace lanesort::inline v0_1::detail
