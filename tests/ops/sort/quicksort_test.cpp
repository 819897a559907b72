// SPDX-License-Identifier: MIT
// The quicksort (kernels/cpu/quicksort.h) where OpenCL has it, on processors through PoCL. That of the built-in device,
// which is the same text, is looked at in every detail (tests/ops/sort/quicksort_stages_test.cpp): here is what another
// compiler may make of it.
#include <lanesort/commands.hpp>

#include "quicksort_inputs.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// Calls check(target) with every device that has it, but for the built-in one.
void on_each_with_quicksort(const std::function<void(Target&)>& check) {
    for (Target& target : targets())
        if (target.info.compiles && target.info.parts_vectors) check(target);
}

/// Keys in a vector, and of a range that the network sorts.
std::size_t lanes_of(const DeviceInfo& device, std::size_t element_bytes) {
    return device.native_vector_bytes / element_bytes;
}
std::size_t keys_of_leaf(const DeviceInfo& device, std::size_t element_bytes) {
    const Shape shape = choose_shape(device, ElementBytes(element_bytes), 1);
    return std::size_t{8} * shape.register_vectors * lanes_of(device, element_bytes);
}

template <Key K>
void check_on_host(Sorter& sorter, const Request& request, const std::vector<K>& keys, std::size_t offset = 3) {
    CHECK(run_on_host(sorter, problem_of(request, keys), offset).schedule == Schedule::distribution);
}

TEST_SUITE("quicksort") {
    TEST_CASE("quicksort: every remainder of a vector, up to three leaves") {
        on_each_with_quicksort([](Target& target) {
            Random random(seed());
            const auto check_type = [&]<Key K>(K) {
                const std::size_t leaf = keys_of_leaf(target.info, sizeof(K));
                std::vector<std::size_t> counts = {2, 3, 15, 17, leaf - 1, leaf, leaf + 1, 2 * leaf + 1};
                for (std::size_t count = 2; count <= 3 * leaf; count += 97) counts.push_back(count);
                for (const std::size_t count : counts) {
                    CAPTURE(count);
                    const Order order = both_orders[count % 2];
                    const auto keys = keys_with_twins<K>(count, random);
                    check_on_host(target.sorter(), by_distribution(order), keys, count % 5);
                    if (sizeof(K) > 4) continue;
                    check_on_host(target.sorter(), pairs_by_distribution(order), keys, count % 5);
                    check_on_host(target.sorter(), argsort_by_distribution(order), keys, count % 5);
                }
            };
            check_type(std::uint32_t{});
            check_type(float{});
            check_type(std::int64_t{});
            check_type(double{});
        });
    }

    TEST_CASE("quicksort: keys in many orders, most of them equal, and such that every pivot is bad") {
        on_each_with_quicksort([](Target& target) {
            Random random(seed());
            Sorter sorter = target.new_sorter({.seed = 0});
            const auto check_type = [&]<Key K>(K) {
                const auto check_all = [&](const NamedKeys<K>& input, Order order) {
                    CAPTURE(input.name);
                    check_on_host(sorter, by_distribution(order), input.keys);
                    if (sizeof(K) > 4) return;
                    check_on_host(sorter, pairs_by_distribution(order), input.keys);
                    check_on_host(sorter, argsort_by_distribution(order), input.keys);
                };
                std::size_t number = 0;
                for (const NamedKeys<K>& input : inputs<K>(40'009, random)) check_all(input, both_orders[number++ % 2]);
                for (const NamedKeys<K>& input : equal_inputs<K>(32'769, random))
                    check_all(input, both_orders[number++ % 2]);
                for (const std::size_t element_bytes : {sizeof(K), std::size_t{8}})
                    for (const Order order : both_orders) {
                        const WorstKeys worst = worst_keys(70'001, lanes_of(target.info, element_bytes));
                        check_all({"keys on which every pivot is bad", worst.keys<K>(order, random)}, order);
                    }
            };
            check_type(std::uint32_t{});
            check_type(double{});
        });
    }

    TEST_CASE("quicksort: sixteen threads share ranges") {
        on_each_with_quicksort([](Target& target) {
            Random random(seed());
            DeviceInfo large = target.info;
            large.compute_units = 16;
            large.native_vector_bytes = 32;  // what AVX2 has
            Sorter sorter = sorter_as(target.sorter(), large);
            std::size_t number = 0;
            for (const auto& input : inputs_of_stripes<std::uint32_t>(4 * keys_of_pair + 13, random)) {
                CAPTURE(input.name);
                const Order order = both_orders[number++ % 2];
                check_on_host(sorter, by_distribution(order), input.keys);
                check_on_host(sorter, pairs_by_distribution(order), input.keys);
                check_on_host(sorter, argsort_by_distribution(order), input.keys);
            }
            check_on_host(sorter, by_distribution(Order::descending),
                          random_keys<double>(8 * keys_of_pair + 5, random));
        });
    }

    TEST_CASE("quicksort: on a queue, recorded, and to another place") {
        on_each_with_quicksort([](Target& target) {
            Random random(seed());
            const auto keys = keys_with_twins<float>(40'013, random);
            for (const Order order : both_orders) {
                for (const Request& request :
                     {by_distribution(order), pairs_by_distribution(order), argsort_by_distribution(order)})
                    CHECK(run_everywhere(target, target.sorter(), problem_of(request, keys), 5).schedule ==
                          Schedule::distribution);
                for (const Request& request : {by_distribution(order), pairs_by_distribution(order)})
                    CHECK(run_everywhere(target, target.sorter(), apart(problem_of(request, keys))).schedule ==
                          Schedule::distribution);
            }
        });
    }

    TEST_CASE("quicksort: what it is taken for") {
        on_each_with_quicksort([](Target& target) {
            Random random(seed());
            const auto is_taken = [&](Request request) {
                request.count = 100'003;
                request.in_host_memory = true;
                const auto commands = commands_of(target.info, request).commands;
                return std::ranges::find(commands, "sort_ranges", &PlannedCommand::name) != commands.end();
            };
            CHECK(is_taken({}));
            CHECK(is_taken({.value_bytes = 4}));
            CHECK_FALSE(is_taken({.data_independent = true}));
            CHECK_FALSE(is_taken({.key = KeyType::u16}));
            CHECK_FALSE(is_taken({.value_bytes = 2}));
            // Who demands a shape wants tiles of it.
            Sorter shaped = target.new_sorter(choose_shape(target.info, ElementBytes(4), 100'003));
            const auto keys = random_keys<std::uint32_t>(100'003, random);
            CHECK(run_on_host(shaped, problem_of({}, keys)).schedule != Schedule::distribution);
        });
    }
}

}  // namespace
}  // namespace lanesort::test
