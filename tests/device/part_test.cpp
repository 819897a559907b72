// Elements by flags: select and partition.
#include <string>

#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

constexpr Operation both[] = {Operation::select, Operation::partition};

TEST_SUITE("part") {
    TEST_CASE("part: keys of every type, of any number, with values of every width") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                for (const Operation operation : both)
                    for (const std::size_t count : {0, 1, 2, 255, 4097, 20'011})
                        run_everywhere(target, target.sorter(),
                                       problem_of({.operation = operation, .inverted = count % 2 == 0},
                                                  make_keys<T>(Pattern::special_values, count, random)),
                                       count % 5);
            });
        for (Target& target : targets())
            for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
                for (const Operation operation : both)
                    run_everywhere(target, target.sorter(),
                                   problem_of({.operation = operation, .value_bytes = value_bytes},
                                              random_keys<std::uint32_t>(30'011, random)));
    }

    TEST_CASE("part: the built-in device does the same") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const Operation operation : both)
                for (const std::size_t count : {0, 1, 2, 255, 4097, 100'003})
                    for (const std::size_t value_bytes : {0, 1, 2, 4, 8, 16})
                        run_on_host(sorter,
                                    problem_of({.operation = operation, .inverted = true, .value_bytes = value_bytes},
                                               make_keys<T>(Pattern::special_values, count, random)),
                                    count % 5);
        });
    }

    TEST_CASE("part: many keys, all of them and none, from any address") {
        Random random(seed());
        for (Target& target : targets())
            for (const Operation operation : both)
                for (const std::size_t offset : {0, 16, 3}) {
                    Problem problem =
                        problem_of({.operation = operation}, random_keys<std::uint32_t>(1'000'003, random));
                    run_everywhere(target, target.sorter(), problem, offset);
                    std::ranges::fill(problem.before.flags, std::byte{1});
                    problem.after = problem.before;
                    problem.after.results = problem.before.keys;
                    const std::uint64_t all = problem.request.count;
                    std::memcpy(problem.after.answers.data(), &all, sizeof all);
                    run_everywhere(target, target.sorter(), problem, offset);
                    if (operation == Operation::select) {
                        problem.request.inverted = true;
                        const std::uint64_t none = 0;
                        problem.after.results = problem.before.results;
                        std::memcpy(problem.after.answers.data(), &none, sizeof none);
                        run_everywhere(target, target.sorter(), problem, offset);
                    }
                }
    }

    TEST_CASE("part: in work-groups of every size, with positions of either width") {
        Random random(seed());
        for (Target& target : targets())
            for (const auto& [work_items, wide] : {std::pair{1u, true}, {8u, false}, {64u, true}}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                DeviceInfo card = graphics_card();
                card.max_work_items = work_items;
                card.compute_units = 1;
                Sorter disguised = sorter_as(target.sorter(), card, wide);
                for (const Operation operation : both)
                    for (const std::size_t count : {std::size_t{1}, 70 * std::size_t{work_items} * 16 + 1})
                        run_on_host(disguised, problem_of({.operation = operation, .value_bytes = 2},
                                                          random_keys<std::uint32_t>(count, random)));
            }
    }

    TEST_CASE("part: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<float> keys(10), results(10);
            const std::vector<std::uint8_t> flags(10, 1);
            CHECK(sorter.select(keys, flags, results) == 10);
            CHECK(sorter.partition(keys, flags, results, true) == 0);
            check_refused(ErrorCode::invalid_argument, "there are 10 keys, but 9 flags",
                          [&] { sorter.select(keys, std::span(flags).first(9), results); });
            check_refused(ErrorCode::invalid_argument, "room for only 9 results",
                          [&] { sorter.partition(keys, flags, std::span(results).first(9)); });
            Request request{.operation = Operation::select, .count = 10, .row_length = 5};
            check_refused(ErrorCode::invalid_argument, "cannot be selected by flags", [&] { sorter.prepare(request); });
            request = {.operation = Operation::sort, .count = 10, .inverted = true};
            check_refused(ErrorCode::invalid_argument, "does not use `inverted`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
