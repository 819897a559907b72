// SPDX-License-Identifier: MIT
// What no call can ask for: counts that overflow, and values that their enumerations have not.
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include <lanesort/across.hpp>
#include <lanesort/commands.hpp>

#include "api/host_ranges.hpp"
#include "core/described_device.hpp"
#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"

namespace lanesort::detail {
namespace {

Sorter sorter_on(const DeviceInfo& info) {
    return Sorter(
        std::make_unique<SorterCore>(std::make_unique<DescribedDevice>(info), SorterOptions{.use_tuned = false}));
}

/// The call is refused on every kind of device before it touches the memory, and so is preparing for it.
void check_refused_everywhere(ErrorCode code, const std::string& part, CallIn<void*> call) {
    for (const DeviceInfo& info : {test::processor(), test::graphics_card()}) {
        CAPTURE(info.name);
        Sorter sorter = sorter_on(info);
        test::check_refused(code, part, [&] { sorter.run(call); });
        test::check_refused(code, part, [&] { sorter.prepare(call.request); });
        test::check_refused(code, part, [&] { commands_of(info, call.request); });
    }
}

constexpr std::uint64_t half_of_all = std::uint64_t{1} << 63;

TEST_CASE("requests: the first keys of all segments are more than 64 bits count") {
    std::uint32_t keys[] = {3, 1, 2, 0}, best[] = {7, 7, 7, 7}, indices[] = {7, 7, 7, 7};
    const std::uint64_t offsets[] = {0, 1, 2, 3, 4};
    struct {
        std::uint64_t segments, k;
    } const cases[] = {{2, half_of_all}, {4, half_of_all / 2}, {4, half_of_all / 2 + 1}, {3, half_of_all}, {2, ~0ull}};
    for (const auto& asked : cases)
        for (const std::size_t index_bytes : {0, 4}) {
            const std::uint64_t segments = asked.segments, k = asked.k;
            CAPTURE(segments);
            CAPTURE(k);
            CallIn<void*> call;
            call.request = {.operation = Operation::top_k,
                            .count = 4,
                            .segments = segments,
                            .longest = 1,
                            .first = k,
                            .offset_bytes = 8,
                            .index_bytes = index_bytes};
            call.keys = {keys};
            call.segments = {const_cast<std::uint64_t*>(offsets)};
            call.results = {best};
            call.indices = {indices};
            check_refused_everywhere(ErrorCode::too_large, std::to_string(k), call);
        }
    for (const auto* const array : {best, indices}) CHECK(std::count(array, array + 4, 7u) == 4);
}

TEST_CASE("requests: two indices for each of 2^63 needles") {
    std::uint8_t key = 1;
    std::uint64_t index = 7;
    CallIn<void*> call;
    call.request = {.operation = Operation::equal_range,
                    .count = 1,
                    .index_bytes = 8,
                    .second_count = half_of_all,
                    .key = KeyType::u8};
    call.keys = call.second_keys = {&key};
    call.indices = {&index};
    check_refused_everywhere(ErrorCode::too_large, std::to_string(half_of_all), call);
    CHECK(index == 7);
}

TEST_CASE("requests: the counts of two ranges add up to more than 64 bits") {
    Sorter sorter = sorter_on(test::processor());
    std::uint32_t key = 1, merged = 7;
    for (const std::uint64_t count : {std::uint64_t{8}, half_of_all, ~std::uint64_t{0}})
        for (const std::uint64_t more : {0, 1, 7}) {
            const std::uint64_t other = ~count + 1 + more;
            if (other < ~count) continue;  // they do not
            CAPTURE(count);
            const auto refused = [&](const auto& call) {
                test::check_refused(ErrorCode::too_large, "two ranges", call);
                test::check_refused(ErrorCode::too_large, std::to_string(other), call);
            };
            const ConstKeys first(&key, count, KeyType::u32), second(&key, other, KeyType::u32);
            const Results results(&merged, 1, 4);
            refused([&] { sorter.merge(first, second, results); });
            refused([&] {
                sorter.merge_by_key(first, {&key, count, 4}, second, {&key, other, 4}, results, {&merged, 1, 4});
            });
            const KeyRangeIn<void*> range{.memory = &key, .count = count, .type = KeyType::u32},
                others{.memory = &key, .count = other, .type = KeyType::u32};
            refused([&] { merge(range, others, ValueRangeIn<void*>{&merged}); });
        }
    CHECK(merged == 7);
}

TEST_CASE("requests: a width or a number that an array states is that of the call") {
    std::uint64_t memory[8] = {};
    using Array = ValueRangeIn<void*>;
    const KeyRangeIn<void*> keys{.memory = memory, .count = 4, .type = KeyType::u32};
    const auto refused = [](const char* sentence, const auto& call) {
        test::check_refused(ErrorCode::invalid_argument, sentence, call);
    };
    refused("results have 8 bytes, but the keys have 4", [&] { sort(keys, Array{memory, 0, 8}); });
    refused("room for 3 results, but there are 4", [&] { sort(keys, Array{memory, 0, 4, 3}); });
    refused("4 keys, but 5 values", [&] { sort_by_key(keys, Array{memory, 0, 8, 5}); });
    refused("results have 4 bytes, but numbers have 8", [&] { is_sorted(keys, Array{memory, 0, 4}); });
    refused("results have 4 bytes, but numbers have 8", [&] {
        top_k(keys, 2, SelectedIn<void*>{.memory = memory, .limit = {memory, 0, 4}});
    });
    refused("2 keys, but 3 values or indices",
            [&] { top_k(keys, 2, SelectedIn<void*>{.memory = memory, .count = 3}); });
    const Predicate is_below{
        .type = "uint", .bytes = 4, .holds = "a < p", .parameter_type = "uint", .parameter_bytes = 4};
    const KeyRangeIn<void*> elements{.memory = memory, .count = 4, .type = is_below, .parameter = {memory, 0, 8}};
    refused("the parameter has 8 bytes, but the predicate's has 4",
            [&] { select(elements, DistinctIn<void*>{memory}); });
    CHECK(sort(keys, Array{memory, 1, 4, 4}).request.apart);
}

TEST_CASE("requests: results that are numbers have the type that the call gives") {
    Sorter sorter = sorter_on(test::processor());
    std::vector<std::uint32_t> keys(4), other_keys(4), indices(4);
    std::vector<std::int32_t> numbers(4), other_numbers(4);
    std::vector<float> floats(4), more_floats(8);
    std::vector<double> doubles(4);
    std::vector<std::int64_t> integers(4);
    const auto refused = [](const char* sentence, const auto& call) {
        test::check_refused(ErrorCode::invalid_argument, sentence, call);
    };
    const std::span one(doubles.data(), 1);
    refused("of type f64, but this call gives u64", [&] { sorter.reduce(keys, Reduction::sum, one); });
    refused("of type f64, but this call gives i64", [&] { sorter.reduce(numbers, Reduction::sum, one); });
    refused("of type i64, but this call gives f64",
            [&] { sorter.reduce_by_key(keys, numbers, Reduction::mean, other_keys, integers); });
    // As views, whose types the compiler does not see.
    const Results of_floats(floats);
    const char* const floats_for_keys = "of type f32, but this call gives u32";
    refused(floats_for_keys, [&] { sorter.sort(keys, of_floats); });
    refused(floats_for_keys, [&] { sorter.inclusive_scan(keys, of_floats); });
    refused(floats_for_keys, [&] { sorter.exclusive_scan(keys, of_floats); });
    refused(floats_for_keys, [&] { sorter.inclusive_scan_by_key(numbers, keys, floats); });
    refused(floats_for_keys, [&] { sorter.top_k(keys, of_floats); });
    refused(floats_for_keys, [&] { sorter.unique(keys, of_floats); });
    refused(floats_for_keys, [&] { sorter.run_lengths(keys, of_floats, indices); });
    refused(floats_for_keys, [&] { sorter.merge(keys, other_keys, Results(more_floats)); });
    refused(floats_for_keys, [&] { sorter.select(keys, std::vector<std::uint8_t>(4), of_floats); });
    refused("values are of type f32 in one array, but of i32 in another",
            [&] { sorter.sort_by_key(keys, floats, other_keys, numbers); });
    refused("values are of type i32 in one array, but of f32 in another",
            [&] { sorter.gather(numbers, indices, floats); });

    // Bytes and enumerations are moved as what they hold.
    enum class Color : std::uint32_t {};
    std::vector<Color> colors(4);
    std::vector<std::byte> bytes(16);
    const std::span values(reinterpret_cast<std::byte(*)[4]>(bytes.data()), 4);
    const auto built = [](const Results& results) {
        std::uint32_t memory[4] = {};
        return sort(KeyRangeIn<void*>{.memory = memory, .count = 4, .type = KeyType::u32}, elements_of(results));
    };
    CHECK_NOTHROW(built(colors));
    CHECK_NOTHROW(built(Results(bytes.data(), 4, 4)));
    CHECK_NOTHROW(built(values));
}

TEST_CASE("requests: what an array's elements are is never taken for granted") {
    std::uint32_t memory[4] = {};
    const KeyRangeIn<void*> keys{.memory = memory, .count = 4, .type = KeyType::u32};
    const ValueRangeIn<void*> array{memory};
    const auto refused = [](const char* sentence, const auto& call) {
        test::check_refused(ErrorCode::invalid_argument, sentence, call);
    };
    refused("the `bytes` of values are not stated", [&] { sort_by_key(keys, array); });
    refused("the `bytes` of indices are not stated", [&] { argsort(keys, array); });
    refused("the `bytes` of lengths are not stated", [&] { run_lengths(keys, DistinctIn<void*>{memory}, array); });
    refused("counts have 0 bytes", [&] { histogram(keys, EvenBins(0u, 9u), CountsIn<void*>{memory, 0, 3}); });
    refused("offsets have 0 bytes", [&] {
        sort(KeyRangeIn<void*>{.memory = memory, .count = 4, .type = KeyType::u32, .segments = {memory, 0, 1}});
    });
    CHECK(!std::is_default_constructible_v<KeyKind>);
}

TEST_CASE("requests: arrays of more bytes than 64 bits count are not prepared for") {
    Sorter sorter = sorter_on(test::graphics_card());
    for (const Request& request :
         {Request{.count = half_of_all / 2}, Request{.count = ~std::uint64_t{0}, .key = KeyType::u64},
          Request{.count = half_of_all / 8, .value_bytes = 16},
          Request{.operation = Operation::argsort, .count = half_of_all / 4, .index_bytes = 8},
          Request{.operation = Operation::reduce,
          .count = 1000,
          .segments = half_of_all / 4 - 1,
          .longest = 1,
          .offset_bytes = 8},
          Request{.operation = Operation::gather,
          .count = 9,
          .value_bytes = 4,
          .index_bytes = 8,
          .second_count = half_of_all / 4}})
        test::check_refused(ErrorCode::too_large, "memory", [&] { sorter.prepare(request); });
}

TEST_CASE("requests: counts across devices that add up to more than 64 bits") {
    using Counts = std::vector<std::uint64_t>;
    for (const Counts& counts :
         {Counts{half_of_all, half_of_all}, Counts{~std::uint64_t{0}, 1, 5}, Counts{half_of_all / 4, half_of_all / 4}})
        test::check_refused(ErrorCode::too_large, "counts", [&] { link_bytes_across(counts, 8); });
}

TEST_CASE("requests: what an enumeration has not is refused by its number") {
    std::uint32_t keys[] = {3, 1, 2, 0};
    std::uint32_t results[] = {7, 7, 7, 7};
    std::uint64_t number = 0;
    const auto type = static_cast<KeyType>(77);
    const auto reduction = static_cast<Reduction>(77);
    const Request of_values{.count = 4, .value_bytes = 4};
    const auto with = [&](Operation operation, auto&& set) {
        Request request = of_values;
        request.operation = operation;
        if (operation == Operation::reduce || operation == Operation::inclusive_scan) request.value_bytes = 0;
        set(request);
        return request;
    };
    const Request cases[] = {
        {.operation = static_cast<Operation>(77), .count = 4},
        {.count = 4, .order = static_cast<Order>(77)},
        {.count = 4, .schedule = static_cast<Schedule>(77)},
        {.operation = Operation::merge, .count = 4, .part = static_cast<MergePart>(77)},
        {.count = 4, .key = type},
        {.operation = Operation::histogram, .count = 4, .length_bytes = 4, .bins = 4, .key = type},
        with(Operation::reduce_by_key, [&](Request& request) { request.value_type = type; }),
        with(Operation::group_by, [&](Request& request) { request.value_type = type; }),
        with(Operation::inclusive_scan_by_key, [&](Request& request) { request.value_type = type; }),
        with(Operation::reduce, [&](Request& request) { request.reduction = reduction; }),
        with(Operation::inclusive_scan, [&](Request& request) { request.reduction = reduction; }),
        with(Operation::exclusive_scan_by_key, [&](Request& request) { request.reduction = reduction; }),
        with(Operation::reduce_by_key, [&](Request& request) { request.reduction = reduction; }),
        with(Operation::group_by, [&](Request& request) { request.reduction = reduction; }),
    };
    for (const Request& request : cases) {
        CAPTURE(name(request.operation));
        CallIn<void*> call;
        call.request = request;
        call.keys = call.values = {keys};
        call.results = call.result_values = call.lengths = {results};
        call.answers = {&number};
        check_refused_everywhere(ErrorCode::invalid_argument, "77", call);
    }

    Sorter sorter = sorter_on(test::processor());
    const auto refused = [](const auto& call) { test::check_refused(ErrorCode::invalid_argument, "77", call); };
    const ConstKeys of_no_type(keys, 4, type);
    const std::span<std::uint32_t> counts(results);
    refused([&] { sorter.histogram(std::span(keys), EvenBins(type, 0, 9), counts); });
    refused([&] { sorter.histogram(of_no_type, EvenBins(KeyType::u32, 0, 9), counts); });
    refused([&] { sorter.histogram(of_no_type, EvenBins(type, 0, 9), counts); });
    refused([&] { sorter.merge(std::span(keys), of_no_type, Results(results, 8, 4)); });
    refused([&] { sorter.lower_bound(std::span(keys), of_no_type, counts); });
    refused([&] { sorter.histogram(std::span(keys), ConstKeys(keys, 4, type), counts.first(3)); });
    refused([&] {
        histogram(KeyRangeIn<void*>{.memory = keys, .count = 4, .type = KeyType::u32}, EvenBins(type, 0, 9),
                  CountsIn<void*>{results, 0, 4, 4});
    });
    refused([&] { sorter.prepare(type); });
    refused([&] { sorter.shape(type); });
    refused([&] { sorter.plan(type, 100); });
    refused([&] { sorter.measure(type, 100); });
    CHECK(std::ranges::count(results, 7u) == 4);

    // Their names are asked for in sentences.
    CHECK(name(type) == "none");
    CHECK(name(static_cast<Operation>(77)) == std::string("none"));
    CHECK(name(static_cast<Schedule>(77)) == std::string("none"));
    CHECK(name(static_cast<Pass::Kind>(77)) == std::string("none"));
    CHECK(key_bytes(type) == 0);
}

}  // namespace
}  // namespace lanesort::detail
