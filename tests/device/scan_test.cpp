// Scans: inclusive and exclusive, of integers by look-back and of floating-point numbers by a tree.
#include <cmath>
#include <numeric>

#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "scan_schedule.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

constexpr Operation all_scans[] = {Operation::inclusive_scan, Operation::exclusive_scan};

/// The nearest half of a number, of two as near the even one: found among all of them.
half nearest_half(float number) {
    if (std::isnan(number)) return std::bit_cast<half>(std::uint16_t{0x7e00});
    const bool is_negative = std::signbit(number);
    std::uint16_t low = 0, high = 0x7c00;  // of the absolute value: at or below, above
    const float size = std::fabs(number);
    // The next half would be 65536, were it not infinite.
    const auto value = [](std::uint16_t bits) {
        return bits == 0x7c00 ? 65536.0 : static_cast<double>(number_of(std::bit_cast<half>(bits)));
    };
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (value(middle) <= static_cast<double>(size) ? low : high) = middle;
    }
    const double below = static_cast<double>(size) - value(low), above = value(high) - static_cast<double>(size);
    const std::uint16_t bits = below < above || (below == above && low % 2 == 0) ? low : high;
    return std::bit_cast<half>(static_cast<std::uint16_t>(bits | (is_negative ? 0x8000 : 0)));
}

/// The tree that scan.h states, in plain loops. `Number` is that of the sums.
template <class Number>
class Tree {
public:
    /// What is in front of blocks or of keys, by `leaf` numbers for each leaf.
    static std::vector<Number> scan(const std::vector<Number>& numbers, std::size_t leaf, std::size_t share,
                                    bool inclusive) {
        std::vector<Number> results, blocks;
        for (std::size_t begin = 0; begin < numbers.size(); begin += share)
            blocks.push_back(block(slice(numbers, begin, share), leaf, 0, false, nullptr));
        if (blocks.size() > 1) blocks = scan(blocks, leaf, blocks.size(), false);
        else blocks.assign(1, 0);
        for (std::size_t b = 0; b * share < numbers.size(); ++b)
            block(slice(numbers, b * share, share), leaf, blocks[b], inclusive, &results);
        return results;
    }

private:
    static std::vector<Number> slice(const std::vector<Number>& numbers, std::size_t begin, std::size_t size) {
        std::vector<Number> part;
        for (std::size_t i = begin; i < std::min(begin + size, numbers.size()); ++i) part.push_back(numbers[i]);
        return part;
    }

    static Number block(const std::vector<Number>& numbers, std::size_t leaf, Number in_front, bool inclusive,
                        std::vector<Number>* results) {
        Number bundles = 0;
        for (std::size_t first = 0; first < numbers.size(); first += 32 * leaf) {
            std::vector<Number> sums(32, 0);
            std::vector<std::vector<Number>> in_leaf(32, std::vector<Number>(leaf, 0));
            for (std::size_t l = 0; l < 32; ++l) {
                for (std::size_t k = 0; k < leaf; ++k) {
                    const std::size_t i = first + l * leaf + k;
                    const Number own = i < numbers.size() ? numbers[i] : 0;
                    in_leaf[l][k] = k == 0 ? own : in_leaf[l][k - 1] + own;
                }
                sums[l] = in_leaf[l][leaf - 1];
            }
            for (std::size_t apart = 1; apart < 32; apart *= 2)
                for (std::size_t l = 31; l >= apart; --l) sums[l] = sums[l - apart] + sums[l];
            for (std::size_t i = first; results && i < std::min(first + 32 * leaf, numbers.size()); ++i) {
                const std::size_t l = (i - first) / leaf, k = (i - first) % leaf;
                const Number before = l > 0 ? sums[l - 1] : 0;
                const Number own = inclusive ? in_leaf[l][k] : k > 0 ? in_leaf[l][k - 1] : 0;
                results->push_back((in_front + bundles) + (before + own));
            }
            bundles += sums[31];
        }
        return bundles;
    }
};

/// The scan of numbers of a type, or of its rows.
template <Key T>
Problem scan_of(Operation operation, const std::vector<T>& keys, std::size_t row_length = 0, bool in_place = false) {
    Problem problem = problem_of({.operation = operation, .in_place = in_place, .row_length = row_length}, keys);
    if constexpr (is_floating<T>) {
        using Number = std::conditional_t<sizeof(T) == 8, double, float>;
        const std::size_t length = row_length > 0 ? row_length : keys.size(), tile = 4096 / sizeof(T);
        const std::size_t share = std::max<std::size_t>(((length + tile - 1) / tile + 4095) / 4096, 4) * tile;
        std::vector<T> all;
        for (std::size_t row = 0; row < keys.size(); row += length) {
            std::vector<Number> numbers;
            for (std::size_t i = row; i < row + length; ++i) numbers.push_back(static_cast<Number>(number_of(keys[i])));
            const bool inclusive = operation == Operation::inclusive_scan;
            for (const Number sum : Tree<Number>::scan(numbers, 16 / sizeof(T), share, inclusive))
                if constexpr (std::same_as<T, half>) all.push_back(nearest_half(sum));
                else all.push_back(std::isnan(sum) ? std::numeric_limits<T>::quiet_NaN() : sum);
        }
        (in_place ? problem.after.keys : problem.after.results) = bytes_of(all);
    }
    return problem;
}

bool can(const DeviceInfo& device, KeyType type) { return type != KeyType::f64 || device.has_doubles; }

/// A graphics card of so many work-items, which every device can stand for.
DeviceInfo card_of(unsigned work_items) {
    DeviceInfo card = graphics_card();
    card.max_work_items = work_items;
    return card;
}

/// Runs a scan by look-back whose groups look so often at the tiles in front.
template <Key T>
void check_with_tries(Sorter& sorter, Operation operation, const std::vector<T>& keys, std::uint32_t tries) {
    CAPTURE(tries);
    const Problem problem = scan_of(operation, keys);
    Request request = problem.request;
    request.in_host_memory = true;
    inside::Work work = *sorter.core().planner().plan(request);
    REQUIRE(work.commands.size() == 2);
    inside::Launch& launch = std::get<inside::Launch>(work.commands[1]);
    REQUIRE(launch.arguments[3].value == inside::ScanSchedule::usual_tries);
    launch.arguments[3].value = tries;
    Bytes results = other_bytes(problem.before.results.size());
    inside::Bindings bindings;
    bindings[inside::Slot::keys] = {const_cast<T*>(keys.data())};
    bindings[inside::Slot::results] = {results.data()};
    sorter.core().backend().run_on_host_memory(work, bindings, nullptr);
    CHECK(results == problem.after.results);
}

TEST_SUITE("scan") {
    TEST_CASE("scan: keys of every type, among special values, of any number, in place and not") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                if (!can(target.info, key_type_v<T>)) return;
                for (const Operation operation : all_scans)
                    for (const std::size_t count : {1, 2, 129, 4097, 20'011}) {
                        run_everywhere(target, target.sorter(), scan_of(operation, ordinary_keys<T>(count, random)),
                                       count % 5);
                        run_everywhere(
                            target, target.sorter(),
                            scan_of(operation, make_keys<T>(Pattern::special_values, count, random), 0, true), 16);
                    }
            });
    }

    TEST_CASE("scan: the built-in device gives the same bits") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const Operation operation : all_scans)
                for (const bool in_place : {false, true}) {
                    for (const std::size_t count : {0, 1, 2, 129, 4097, 60'011})
                        run_on_host(sorter, scan_of(operation, ordinary_keys<T>(count, random), 0, in_place),
                                    count % 5);
                    for (const std::size_t length : {1, 7, 20'000})
                        run_on_host(sorter, scan_of(operation, ordinary_keys<T>(3 * length, random), length, in_place));
                }
        });
        run_on_host(sorter, scan_of(Operation::inclusive_scan, ordinary_keys<float>(1'100'003, random)));
    }

    TEST_CASE("scan: rows, of one block and of several") {
        Random random(seed());
        for (Target& target : targets())
            for (const Operation operation : all_scans)
                for (const std::size_t length : {1, 7, 64, 5001, 40'000}) {
                    const std::size_t rows = length < 100 ? 131 : 3;
                    run_everywhere(target, target.sorter(),
                                   scan_of(operation, ordinary_keys<float>(rows * length, random), length));
                    run_everywhere(
                        target, target.sorter(),
                        scan_of(operation, ordinary_keys<std::int64_t>(rows * length, random), length, true));
                }
    }

    TEST_CASE("scan: many keys, of more blocks than a tile has, from any address") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t offset : {0, 3}) {
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::exclusive_scan, ordinary_keys<float>(1'100'003, random)), offset);
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::inclusive_scan, ordinary_keys<std::uint32_t>(1'100'003, random)),
                               offset);
                run_everywhere(target, target.sorter(),
                               scan_of(Operation::inclusive_scan, ordinary_keys<std::uint64_t>(300'003, random)),
                               offset);
            }
    }

    TEST_CASE("scan: in work-groups of every size, whatever the device, with positions of either width") {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide] : {std::pair{1u, true}, {8u, false}, {64u, true}, {256u, false}}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                Sorter disguised = sorter_as(target.sorter(), card_of(work_items), wide);
                const std::vector<std::uint32_t> keys = ordinary_keys<std::uint32_t>(50'003, random);
                run_on_host(disguised, scan_of(Operation::inclusive_scan, keys), 1);
                run_on_host(disguised, scan_of(Operation::exclusive_scan, keys, 0, true));
                run_on_host(disguised, scan_of(Operation::exclusive_scan, ordinary_keys<float>(50'003, random)));
            }
    }

    TEST_CASE("scan: a group that sees nothing of those in front of it sums their keys itself") {
        Random random(seed());
        const auto check = [&](Sorter& sorter, unsigned work_items) {
            Sorter disguised = sorter_as(sorter, card_of(work_items), false);
            for (const std::uint32_t tries : {0u, 1u, 1000u})
                for (const Operation operation : all_scans) {
                    check_with_tries(disguised, operation, ordinary_keys<std::uint32_t>(50'003, random), tries);
                    check_with_tries(disguised, operation, ordinary_keys<std::uint64_t>(20'011, random), tries);
                    check_with_tries(disguised, operation, ordinary_keys<std::uint8_t>(100'003, random), tries);
                }
        };
        Sorter built_in(built_in_device());
        check(built_in, 1);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            for (const unsigned work_items : {8u, 64u})
                if (work_items <= target.info.max_work_items) check(target.sorter(), work_items);
        }
    }

    TEST_CASE("scan: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            run_everywhere(target, sorter, scan_of(Operation::exclusive_scan, std::vector<std::int32_t>()));
            std::vector<float> keys(10), sums(10);
            std::vector<double> wide(10);
            check_refused(ErrorCode::invalid_argument, "room for 9 results, but there are 10",
                          [&] { sorter.inclusive_scan(keys, std::span(sums).first(9)); });
            check_refused(ErrorCode::invalid_argument, "results have 8 bytes, but the keys have 4",
                          [&] { sorter.inclusive_scan(keys, wide); });
            check_refused(ErrorCode::invalid_argument, "no whole number of rows",
                          [&] { sorter.exclusive_scan(keys, 3); });
            check_refused(ErrorCode::invalid_argument, "the keys and the results overlap",
                          [&] { sorter.inclusive_scan(std::span(keys).first(9), std::span(keys).last(9)); });
            Request request{.operation = Operation::inclusive_scan, .count = 10, .order = Order::descending};
            check_refused(ErrorCode::invalid_argument, "has no order", [&] { sorter.prepare(request); });
            request = {.operation = Operation::exclusive_scan, .count = 10, .value_bytes = 4};
            check_refused(ErrorCode::invalid_argument, "does not use `values`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
