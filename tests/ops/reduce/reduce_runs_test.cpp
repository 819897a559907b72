// SPDX-License-Identifier: MIT
// Values of equal keys: their sums, of integers and by the tree of floating-point numbers, minima and maxima; groups.
#include <bit>
#include <cmath>
#include <numeric>

#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// The tree that reduce/reduce_runs.h states, in plain loops.
template <class Number>
class RunTree {
public:
    /// The sum of each run; bit i tells that one begins at value i.
    static std::vector<Number> sums(const std::vector<Number>& values, const std::vector<bool>& begins) {
        std::vector<Number> results;
        std::vector<Part> tiles;
        for (std::size_t first = 0; first < values.size(); first += 4096) {
            Part& tile = tiles.emplace_back();
            tile.rank = results.size();
            std::vector<Number> backs(256, 0);
            std::vector<bool> begin_in(256);
            const auto for_values = [&](std::size_t leaf, const auto& function) {
                for (std::size_t i = first + 16 * leaf; i < std::min(first + 16 * leaf + 16, values.size()); ++i)
                    function(i);
            };
            for (std::size_t leaf = 0; leaf < 256; ++leaf)
                for_values(leaf, [&](std::size_t i) {
                    backs[leaf] = i % 16 == 0 || begins[i] ? values[i] : backs[leaf] + values[i];
                    begin_in[leaf] = begin_in[leaf] || begins[i];
                });
            tile.back = scan(begin_in, backs);
            tile.front = tile.back;
            for (std::size_t leaf = 0; leaf < 256; ++leaf) {
                Number front = 0;
                bool in_front = true;
                for_values(leaf, [&](std::size_t i) {
                    if (begins[i]) {
                        const Number ended = i % 16 == 0 ? backs[leaf] : in_front ? backs[leaf] + front : front;
                        if (tile.begins) results.back() = ended;
                        else tile.front = ended;
                        results.push_back(0);
                        tile.begins = true;
                        in_front = false;
                        front = values[i];
                    } else {
                        front = i % 16 == 0 ? values[i] : front + values[i];
                    }
                });
            }
        }
        while (tiles.size() > 0) {
            std::vector<Part> groups;
            for (std::size_t first = 0; first < tiles.size(); first += 256) {
                Part& group = groups.emplace_back();
                group.rank = tiles[first].rank;
                std::vector<Number> backs(256, 0);
                std::vector<bool> begin_in(256);
                const std::size_t size = std::min<std::size_t>(tiles.size() - first, 256);
                for (std::size_t i = 0; i < size; ++i) {
                    backs[i] = tiles[first + i].back;
                    begin_in[i] = tiles[first + i].begins;
                }
                group.front = group.back = scan(begin_in, backs);
                for (std::size_t i = 0; i < size; ++i) {
                    if (!begin_in[i]) continue;
                    const Number ended = backs[i] + tiles[first + i].front;
                    if (group.begins) results[tiles[first + i].rank - 1] = ended;
                    else group.front = ended;
                    group.begins = true;
                }
            }
            tiles = groups;
            if (groups.size() == 1) break;
        }
        if (!results.empty()) results.back() = tiles[0].back;
        for (Number& result : results) result = result == 0 ? 0 : result;
        return results;
    }

private:
    struct Part {
        Number front = 0, back = 0;
        bool begins = false;
        std::size_t rank = 0;  // runs that begin in front of it
    };

    static Number scan(const std::vector<bool>& begins, std::vector<Number>& backs) {
        Number carry = 0;
        for (std::size_t bundle = 0; bundle < 256; bundle += 32) {
            std::vector<Number> sums(backs.begin() + static_cast<std::ptrdiff_t>(bundle),
                                     backs.begin() + static_cast<std::ptrdiff_t>(bundle) + 32);
            std::vector<bool> ends(begins.begin() + static_cast<std::ptrdiff_t>(bundle),
                                   begins.begin() + static_cast<std::ptrdiff_t>(bundle) + 32);
            for (std::size_t apart = 1; apart < 32; apart *= 2)
                for (std::size_t l = 31; l >= apart; --l)
                    if (!ends[l]) {
                        sums[l] = sums[l - apart] + sums[l];
                        ends[l] = ends[l - apart];
                    }
            for (std::size_t l = 0; l < 32; ++l)
                backs[bundle + l] = l == 0 ? carry : ends[l - 1] ? sums[l - 1] : carry + sums[l - 1];
            carry = ends[31] ? sums[31] : carry + sums[31];
        }
        return carry;
    }
};

/// Sorted keys in runs of about that many.
template <Key K>
std::vector<K> keys_in_runs(std::size_t count, std::size_t length, Random& random) {
    std::vector<K> keys(count);
    std::size_t number = 0, left = 0;
    for (K& key : keys) {
        if (left == 0) {
            left = 1 + random() % (2 * length - 1);
            ++number;
        }
        --left;
        key = static_cast<K>(number);
    }
    return keys;
}

/// The reduction of values of a type; of floating-point numbers by the tree.
template <Key K, Key V>
Problem reduction_of(Reduction reduction, const std::vector<K>& keys, const std::vector<V>& values) {
    Problem problem = problem_of({.operation = Operation::reduce_by_key,
                                  .value_bytes = sizeof(V),
                                  .reduction = reduction,
                                  .value_type = key_type_v<V>},
                                 keys, {}, bytes_of(values));
    if constexpr (is_floating<V>) {
        std::vector<bool> begins(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i)
            begins[i] = i == 0 || std::memcmp(&keys[i - 1], &keys[i], sizeof(K)) != 0;
        Bytes all;
        if (reduction == Reduction::count) return problem;
        if (reduction == Reduction::sum || reduction == Reduction::mean) {
            using Number = std::conditional_t<sizeof(V) == 8, double, float>;
            std::vector<Number> numbers;
            for (const V value : values) numbers.push_back(static_cast<Number>(number_of(value)));
            std::vector<Number> sums = RunTree<Number>::sums(numbers, begins);
            if (reduction == Reduction::mean) {
                std::vector<Number> lengths;
                for (const bool begin : begins)
                    if (begin) lengths.push_back(1);
                    else ++lengths.back();
                for (std::size_t run = 0; run < sums.size(); ++run)
                    sums[run] = sums[run] == 0 ? 0 : sums[run] / lengths[run];
            }
            for (Number& sum : sums) sum = std::isnan(sum) ? std::numeric_limits<Number>::quiet_NaN() : sum;
            all = bytes_of(sums);
        } else {
            std::vector<V> best;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                if (begins[i]) best.push_back(values[i]);
                V& so_far = best.back();
                const bool is_before = reduction == Reduction::min ? comes_before(values[i], so_far, Order::ascending)
                                                                   : comes_before(values[i], so_far, Order::descending);
                if (is_nan(so_far) ? !is_nan(values[i]) : !is_nan(values[i]) && is_before) so_far = values[i];
            }
            all = bytes_of(best);
        }
        std::copy(all.begin(), all.end(), problem.after.result_values.begin());
    }
    return problem;
}

constexpr Reduction reductions[] = {Reduction::sum, Reduction::min, Reduction::max, Reduction::count, Reduction::mean};

bool can(const DeviceInfo& device, KeyType type) { return type != KeyType::f64 || device.has_doubles; }

/// Of no keys there is none, on a queue, too; a sorter of host arrays has nothing to do and asks nobody.
void check_no_keys(Sorter& sorter) {
    const Problem none = reduction_of(Reduction::sum, std::vector<std::uint32_t>(), std::vector<float>());
    std::uint64_t answer = 1;
    lanesort::detail::Bindings bindings;
    bindings[lanesort::detail::Slot::answers] = {&answer};
    sorter.core().backend().run_on_host_memory(*sorter.core().plan(none.request), bindings, {});
    CHECK(answer == 0);
}

TEST_SUITE("reduce runs") {
    TEST_CASE("reduce runs: the built-in device, values of every type, runs of every length") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class V>() {
            for (const Reduction reduction : reductions)
                for (const std::size_t count : {0, 1, 15, 4096, 4097, 20'011})
                    for (const std::size_t length : {1, 3, 40, 700, 30'000}) {
                        const auto keys = keys_in_runs<std::uint32_t>(count, length, random);
                        run_on_host(sorter, reduction_of(reduction, keys, ordinary_keys<V>(count, random)), count % 5);
                    }
        });
    }

    TEST_CASE("reduce runs: the built-in device, keys of every type, and values of equal bits only") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class K>() {
            auto keys = make_keys<K>(Pattern::special_values, 9001, random);
            std::sort(keys.begin(), keys.end(), [](K a, K b) { return comes_before(a, b, Order::ascending); });
            run_on_host(sorter, reduction_of(Reduction::sum, keys, ordinary_keys<float>(keys.size(), random)));
        });
        const auto keys = keys_in_runs<std::uint32_t>(1'100'003, 2000, random);
        run_on_host(sorter, reduction_of(Reduction::sum, keys, ordinary_keys<float>(keys.size(), random)));
        const std::vector<std::uint16_t> one(1'100'003, 7);
        for (const Reduction reduction : {Reduction::sum, Reduction::mean})
            run_on_host(sorter, reduction_of(reduction, one, ordinary_keys<float>(one.size(), random)));
    }

    TEST_CASE("reduce runs: every device gives the same bits" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {0, 1, 4097, 40'011})
                for (const std::size_t length : {2, 900}) {
                    const auto keys = keys_in_runs<std::uint32_t>(count, length, random);
                    const auto run = [&]<class V>(Reduction reduction, V) {
                        if (can(target.info, key_type_v<V>))
                            run_everywhere(target, target.sorter(),
                                           reduction_of(reduction, keys, ordinary_keys<V>(count, random)), count % 5);
                    };
                    run(Reduction::sum, float{});
                    run(Reduction::sum, std::int16_t{});
                    run(Reduction::mean, float{});
                    run(Reduction::mean, std::int64_t{});
                    run(Reduction::count, std::int8_t{});
                    run(Reduction::max, half{});
                    if (length > 2) continue;
                    run(Reduction::mean, double{});
                    run(Reduction::sum, double{});
                    run(Reduction::sum, half{});
                    run(Reduction::min, std::int8_t{});
                    run(Reduction::min, std::uint64_t{});
                }
    }

    TEST_CASE("reduce runs: a mean is the nearest number, whatever the sum and the count are") {
        Random random(seed());
        Sorter built_in(built_in_device());
        Targets all = targets();
        std::vector<Sorter*> sorters{&built_in};
        for (Target& target : all) sorters.push_back(&target.sorter());
        for (Sorter* const sorter : sorters) {
            const auto run = [&]<class V>(std::vector<V> values, std::size_t length) {
                std::vector<std::uint32_t> keys(values.size());
                for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i / length);
                if (can(sorter->device(), key_type_v<V>))
                    run_on_host(*sorter, reduction_of(Reduction::mean, keys, values));
            };
            for (const std::size_t length : {1, 2, 3, 7, 1000, 4096}) {
                std::vector<std::uint64_t> large(8200);
                std::vector<std::int64_t> below(large.size());
                std::vector<float> tiny(large.size()), huge(large.size());
                std::vector<double> tiny_too(large.size());
                for (std::size_t i = 0; i < large.size(); ++i) {
                    // Halves between two numbers of 53 bits, and their neighbours.
                    large[i] = i % length ? 0 : ((random() >> 1 | std::uint64_t{1} << 62) & ~0x3ffULL) + 0x1ff + i % 3;
                    below[i] = static_cast<std::int64_t>(~large[i] + 1);
                    tiny[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 4000));
                    huge[i] = i % length ? 0 : std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x7f800000));
                    tiny_too[i] = std::bit_cast<double>(random() % (std::uint64_t{1} << 53));
                }
                run(large, length);
                run(below, length);
                run(huge, length);
                run(tiny_too, length);
                if (sorter == &built_in) run(tiny, length);
            }
        }
    }

    TEST_CASE("reduce runs: in work-groups of every size, whatever the device, with positions of either width" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide] : {std::pair{1u, true}, {2u, false}, {8u, false}, {256u, true}}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                DeviceInfo card = graphics_card();
                card.max_work_items = work_items;
                Sorter disguised = sorter_as(target.sorter(), card, wide);
                check_no_keys(disguised);
                for (const std::size_t length : {1, 5, 3000}) {
                    const auto keys = keys_in_runs<std::uint32_t>(30'003, length, random);
                    run_on_host(disguised, reduction_of(Reduction::sum, keys, ordinary_keys<float>(30'003, random)));
                    run_on_host(disguised,
                                reduction_of(Reduction::sum, keys, ordinary_keys<std::int8_t>(30'003, random)), 1);
                    run_on_host(disguised, reduction_of(Reduction::mean, keys, ordinary_keys<float>(30'003, random)));
                    run_on_host(disguised,
                                reduction_of(Reduction::mean, keys, ordinary_keys<std::uint64_t>(30'003, random)), 1);
                    run_on_host(disguised, reduction_of(Reduction::count, keys, ordinary_keys<half>(30'003, random)));
                }
                const auto many = keys_in_runs<std::uint8_t>(1'100'003, 5000, random);
                run_on_host(disguised, reduction_of(Reduction::sum, many, ordinary_keys<float>(many.size(), random)));
                run_on_host(disguised, reduction_of(Reduction::mean, many, ordinary_keys<float>(many.size(), random)));
            }
    }

    TEST_CASE("reduce runs: groups are those of sorted keys, and keys and values are left sorted") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {0, 1, 2, 5000, 40'011})
                for (const std::size_t different : {1, 300, 1 << 20}) {
                    std::vector<std::int32_t> keys(count);
                    for (std::int32_t& key : keys) key = static_cast<std::int32_t>(random() % different) - 100;
                    run_everywhere(target, target.sorter(),
                                   problem_of({.operation = Operation::group_by,
                                               .order = Order::descending,
                                               .value_bytes = 4,
                                               .value_type = KeyType::i32},
                                              keys));
                    run_everywhere(target, target.sorter(),
                                   problem_of({.operation = Operation::group_by,
                                               .stable = true,
                                               .value_bytes = 8,
                                               .reduction = Reduction::min,
                                               .value_type = KeyType::u64},
                                              keys));
                }
    }

    TEST_CASE("reduce runs: calls with the types of C++") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint16_t> keys{3, 3, 3, 9, 9, 4}, distinct(6);
            std::vector<float> values{1, 2, 4, -1, 0.5F, 7}, sums(6);
            CHECK(sorter.reduce_by_key(keys, values, Reduction::sum, distinct, sums) == 3);
            CHECK(std::vector(distinct.begin(), distinct.begin() + 3) == std::vector<std::uint16_t>{3, 9, 4});
            CHECK(std::vector(sums.begin(), sums.begin() + 3) == std::vector<float>{7, -0.5F, 7});
            CHECK(sorter.group_by(keys, values, Reduction::max, distinct, sums) == 3);
            CHECK(std::vector(distinct.begin(), distinct.begin() + 3) == std::vector<std::uint16_t>{3, 4, 9});
            CHECK(std::vector(sums.begin(), sums.begin() + 3) == std::vector<float>{4, 7, 0.5F});
            CHECK(std::ranges::is_sorted(keys));
            check_refused(ErrorCode::invalid_argument, "room for only 5", [&] {
                sorter.reduce_by_key(keys, values, Reduction::sum, distinct, std::span(sums).first(5));
            });
            check_refused(ErrorCode::invalid_argument, "results have 2 bytes, but those of this reduction have 4",
                          [&] { sorter.reduce_by_key(keys, values, Reduction::sum, distinct, keys); });
            std::vector<std::uint64_t> numbers(6);
            CHECK(sorter.group_by(keys, values, Reduction::count, distinct, numbers) == 3);
            CHECK(std::vector(numbers.begin(), numbers.begin() + 3) == std::vector<std::uint64_t>{3, 1, 2});
            CHECK(sorter.group_by(keys, values, Reduction::mean, distinct, sums) == 3);
            CHECK(std::vector(sums.begin(), sums.begin() + 3) == std::vector<float>{7.0F / 3, 7, -0.25F});
            check_refused(ErrorCode::invalid_argument, "but a range has none",
                          [&] { sorter.reduce(keys, Reduction::mean, std::span(numbers).first(1)); });
            check_refused(ErrorCode::invalid_argument, "a sum, a minimum, a maximum, a number or a mean alone",
                          [&] { sorter.reduce_by_key(keys, values, Reduction::arg_min, distinct, sums); });
            check_refused(ErrorCode::invalid_argument, "a sum, a minimum, a maximum, a number or a mean alone",
                          [&] { sorter.group_by(keys, values, Reduction::arg_max, distinct, numbers); });
            check_refused(ErrorCode::invalid_argument, "but those of a range can", [&] {
                sorter.reduce_by_key(keys, values, Reduction::sum, distinct, sums, {.row_length = 3});
            });
            Request request{.operation = Operation::reduce_by_key, .count = 10, .value_bytes = 2};
            check_refused(ErrorCode::invalid_argument, "those of their type have 4", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
