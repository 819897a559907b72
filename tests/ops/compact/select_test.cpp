// SPDX-License-Identifier: MIT
// Elements by flags or a predicate: select and partition.
#include <string>

#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

constexpr Operation both[] = {Operation::select, Operation::partition};

struct Particle {
    float speed;
    std::uint32_t id, group;
};
const Predicate is_fast{.type = "particle",
                        .bytes = sizeof(Particle),
                        .holds = "a.speed > 3 && is_in_group(a)",
                        .declarations =
                            "typedef struct { float speed; uint id; uint group; } particle;\n"
                            "static int is_in_group(particle a) { return a.group != 1; }"};
struct Colour {
    std::uint8_t red, green, blue;
};
const Predicate is_red{.type = "colour",
                       .bytes = sizeof(Colour),
                       .holds = "a.red > a.blue",
                       .declarations = "typedef struct { uchar red, green, blue; } colour;"};
const Predicate is_positive{.type = "float", .bytes = 4, .holds = "a > 0"};
const Predicate is_below{
    .type = "float", .bytes = 4, .holds = "a < p", .parameter_type = "float", .parameter_bytes = 4};
struct Bounds {
    std::uint64_t first, last;
    std::uint8_t step;
};
/// Of a parameter that is wider than the elements, and of a type of the caller's.
const Predicate is_between{.type = "uchar",
                           .bytes = 1,
                           .holds = "a >= p.first && a < p.last && a % p.step == 0",
                           .declarations = "typedef struct { ulong first, last; uchar step; } bounds;",
                           .parameter_type = "bounds",
                           .parameter_bytes = sizeof(Bounds)};
const Predicate is_odd{.type = "ulong", .bytes = 8, .holds = "a & 1"};
/// Of a value whose lower bits are 0, which an int would lose.
const Predicate has_high_bits{.type = "ulong", .bytes = 8, .holds = "a & 0xffff000000000000"};

/// Sets what is to come out of a problem of elements of which `is_marked` says, by their numbers, whether they are
/// flagged or a predicate holds.
template <class T, class IsMarked>
void solve(Problem& problem, const std::vector<T>& elements, IsMarked is_marked) {
    const Request& request = problem.request;
    problem.after = problem.before;
    std::vector<std::size_t> places(elements.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto is_wanted = [&](std::size_t i) { return is_marked(i) != request.inverted; };
    const auto end = std::stable_partition(places.begin(), places.end(), is_wanted);
    const auto wanted = static_cast<std::uint64_t>(end - places.begin());
    if (request.operation == Operation::select) places.resize(wanted);
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::memcpy(problem.after.results.data() + i * sizeof(T), &elements[places[i]], sizeof(T));
        if (const std::size_t width = request.value_bytes; width > 0)
            std::memcpy(problem.after.result_values.data() + i * width,
                        problem.before.values.data() + places[i] * width, width);
    }
    std::memcpy(problem.after.answers.data(), &wanted, sizeof wanted);
}

/// A problem of elements of which `holds`, in C++, says what the predicate says.
template <class T, class Holds>
Problem parted_by(Request request, const Predicate& predicate, const std::vector<T>& elements, Holds holds) {
    Problem problem = problem_of(request, predicate, elements, [](const T&, const T&) { return false; });
    problem.before.flags.clear();
    solve(problem, elements, [&](std::size_t i) { return holds(elements[i]); });
    return problem;
}

/// The same of a predicate with a parameter, of which `holds` is asked, too.
template <class T, class P, class Holds>
Problem parted_by(const Request& request, const Predicate& predicate, const P& parameter,
                  const std::vector<T>& elements, Holds holds) {
    Problem problem = parted_by(request, predicate, elements, [&](const T& a) { return holds(a, parameter); });
    problem.before.parameter = problem.after.parameter = bytes_of(std::vector<P>{parameter});
    return problem;
}

/// Calls check(sorter, many) for work-groups of several sizes and positions of either width, on every device; so many
/// elements are more than one share.
template <class Check>
void in_work_groups_of_every_size(const Check& check) {
    for (Target& target : targets())
        for (const auto& [work_items, wide] : {std::pair{1u, true}, {8u, false}, {64u, true}}) {
            if (work_items > target.info.max_work_items) continue;
            CAPTURE(target.name);
            CAPTURE(work_items);
            DeviceInfo card = graphics_card();
            card.max_work_items = work_items;
            card.compute_units = 1;
            Sorter disguised = sorter_as(target.sorter(), card, wide);
            check(disguised, 70 * std::size_t{work_items} * 16 + 1);
        }
}

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

    TEST_CASE("part: few, most and runs of them, in several shares") {
        Random random(seed());
        constexpr std::size_t count = 100'003;
        bool (*const flagged[])(std::size_t) = {
            [](std::size_t i) { return i % 1000 == 7; }, [](std::size_t i) { return i % 1000 != 7; },
            [](std::size_t i) { return i / 100 % 2 == 1; }, [](std::size_t i) { return i < 40 || i == count - 1; }};
        const auto check = [&]<class T>(Sorter& sorter, T, std::size_t value_bytes) {
            const std::vector<T> elements = random_keys<T>(count, random);
            for (const auto is_flagged : flagged)
                for (const Operation operation : both)
                    for (const bool inverted : {false, true}) {
                        Problem problem = problem_of(
                            {.operation = operation, .inverted = inverted, .value_bytes = value_bytes}, elements);
                        for (std::size_t i = 0; i < count; ++i) problem.before.flags[i] = std::byte{is_flagged(i)} << 7;
                        solve(problem, elements, is_flagged);
                        run_on_host(sorter, problem, 3);
                    }
        };
        const auto check_widths = [&](Sorter& sorter) {
            for (const std::size_t value_bytes : {0, 4, 8}) {
                check(sorter, std::uint32_t(), value_bytes);
                check(sorter, std::uint64_t(), value_bytes);
            }
            check(sorter, std::uint8_t(), 0);
        };
        for (Target& target : targets()) check_widths(target.sorter());
        Sorter sorter(built_in_device());
        check_widths(sorter);
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
        in_work_groups_of_every_size([&](Sorter& sorter, std::size_t many) {
            for (const Operation operation : both)
                for (const std::size_t count : {std::size_t{1}, many})
                    run_on_host(sorter, problem_of({.operation = operation, .value_bytes = 2},
                                                   random_keys<std::uint32_t>(count, random)));
        });
    }

    TEST_CASE("part: work-groups that do not see those in front count for themselves" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for (const unsigned work_items : {8u, 64u}) {
                if (work_items > target.info.max_work_items) continue;
                CAPTURE(target.name);
                CAPTURE(work_items);
                DeviceInfo card = graphics_card();
                card.max_work_items = work_items;
                Sorter disguised = sorter_as(target.sorter(), card);
                for (const std::uint32_t tries : {0, 1}) {
                    const std::size_t count = 70 * std::size_t{work_items} * 16 + 1;
                    run_with_tries(
                        disguised,
                        problem_of({.operation = Operation::select}, random_keys<std::uint32_t>(count, random)), tries);
                    run_with_tries(disguised,
                                   parted_by({.operation = Operation::select, .inverted = true}, is_positive,
                                             random_keys<float>(count, random), [](float a) { return a > 0; }),
                                   tries);
                    run_with_tries(disguised,
                                   parted_by({.operation = Operation::select}, is_below, 0.5F,
                                             random_keys<float>(count, random), [](float a, float p) { return a < p; }),
                                   tries);
                }
            }
    }

    TEST_CASE("part: by a predicate") {
        Random random(seed());
        for (Target& target : targets())
            for (const Operation operation : both)
                for (const std::size_t count : {0, 1, 255, 4097, 70'003}) {
                    const std::size_t offset = count % 5;
                    const Request request{.operation = operation};
                    run_everywhere(
                        target, target.sorter(),
                        parted_by(request, is_positive, make_keys<float>(Pattern::special_values, count, random),
                                  [](float a) { return a > 0; }),
                        offset);
                    run_everywhere(target, target.sorter(),
                                   parted_by({.operation = operation, .inverted = true, .value_bytes = 2}, is_odd,
                                             random_keys<std::uint64_t>(count, random),
                                             [](std::uint64_t a) { return a % 2 == 1; }),
                                   offset);
                    std::vector<Particle> particles(count);
                    for (Particle& particle : particles)
                        particle = {static_cast<float>(random() % 7), static_cast<std::uint32_t>(random()),
                                    static_cast<std::uint32_t>(random() % 3)};
                    run_everywhere(target, target.sorter(),
                                   parted_by({.operation = operation, .value_bytes = 16}, is_fast, particles,
                                             [](const Particle& a) { return a.speed > 3 && a.group != 1; }),
                                   offset);
                    std::vector<Colour> colours(count);
                    for (Colour& colour : colours)
                        colour = {static_cast<std::uint8_t>(random()), 1, static_cast<std::uint8_t>(random())};
                    run_everywhere(target, target.sorter(),
                                   parted_by(request, is_red, colours, [](const Colour& a) { return a.red > a.blue; }),
                                   offset);
                }
    }

    TEST_CASE("part: by a predicate with a parameter") {
        Random random(seed());
        const auto is_less = [](float a, float p) { return a < p; };
        for (Target& target : targets())
            for (const Operation operation : both)
                for (const std::size_t count : {0, 1, 255, 4097, 70'003}) {
                    const std::vector<float> numbers = make_keys<float>(Pattern::special_values, count, random);
                    for (const float pivot : {0.0F, 1.5F, -std::numeric_limits<float>::infinity(), std::nanf("")})
                        run_everywhere(target, target.sorter(),
                                       parted_by({.operation = operation}, is_below, pivot, numbers, is_less),
                                       count % 5);
                    for (const Bounds& bounds : {Bounds{3, 200, 3}, Bounds{0, 1'000'000'000'000, 1}, Bounds{9, 9, 1}})
                        run_everywhere(target, target.sorter(),
                                       parted_by({.operation = operation, .inverted = true, .value_bytes = 8},
                                                 is_between, bounds, random_keys<std::uint8_t>(count, random),
                                                 [](std::uint8_t a, const Bounds& p) {
                                                     return a >= p.first && a < p.last && a % p.step == 0;
                                                 }),
                                       count % 3);
                }
        in_work_groups_of_every_size([&](Sorter& sorter, std::size_t many) {
            for (const Operation operation : both)
                for (const std::size_t count : {std::size_t{0}, std::size_t{1}, many}) {
                    run_on_host(
                        sorter,
                        parted_by({.operation = operation}, is_below, 0.5F, random_keys<float>(count, random), is_less),
                        3);
                    std::vector<Colour> colours(count);
                    for (Colour& colour : colours)
                        colour = {static_cast<std::uint8_t>(random()), 1, static_cast<std::uint8_t>(random())};
                    run_on_host(sorter,
                                parted_by({.operation = operation, .inverted = true, .value_bytes = 2}, is_red, colours,
                                          [](const Colour& a) { return a.red > a.blue; }),
                                3);
                }
        });
    }

    TEST_CASE("part: by one of the elements") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Layout layout(parted_by({.operation = Operation::partition}, is_below, 0.0F,
                                    random_keys<float>(10'001, random), [](float, float) { return false; }));
            Call call = layout.call();
            for (const std::size_t pivot : {0, 777, 10'000}) {
                call.parameter = {call.keys.memory, call.keys.offset + pivot};
                const auto memory = target.memory(layout.before());
                memory->enqueue(target.sorter(), call);
                const Bytes found = memory->read();
                const auto array = [&](const Call::Place& place, std::size_t count) {
                    std::vector<float> numbers(count);
                    std::memcpy(numbers.data(), found.data() + place.offset * 4, count * 4);
                    return numbers;
                };
                std::vector<float> numbers = array(call.keys, 10'001);
                const float least = numbers[pivot];
                const auto end = std::ranges::stable_partition(numbers, [&](float a) { return a < least; });
                std::uint64_t below = 0;
                std::memcpy(&below, found.data() + call.answers.offset * 8, 8);
                CHECK(below == static_cast<std::uint64_t>(end.begin() - numbers.begin()));
                CHECK(bytes_of(array(call.results, 10'001)) == bytes_of(numbers));
            }
        }
    }

    TEST_CASE("part: what a predicate gives is true where it is not 0") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<std::uint64_t> keys(1001);
            for (std::uint64_t& key : keys) key = (random() % 2) << 50 | random() % 2;
            run_everywhere(target, target.sorter(),
                           parted_by({.operation = Operation::select}, has_high_bits, keys,
                                     [](std::uint64_t a) { return a >> 48 != 0; }));
        }
    }

    TEST_CASE("part: a predicate in work-groups of every size" * doctest::test_suite("long")) {
        Random random(seed());
        in_work_groups_of_every_size([&](Sorter& sorter, std::size_t many) {
            for (const Operation operation : both)
                run_on_host(sorter, parted_by({.operation = operation, .value_bytes = 2}, is_positive,
                                              random_keys<float>(many, random), [](float a) { return a > 0; }));
        });
    }

    TEST_CASE("part: predicates that cannot be") {
        std::vector<float> numbers(10, 1), results(10);
        const std::vector<std::uint8_t> flags(10, 1);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            CHECK(sorter.select({numbers, is_positive}, results) == 10);
            CHECK(sorter.partition({numbers, is_positive}, results) == 10);
            check_refused(ErrorCode::invalid_argument, "a predicate must say",
                          [&] { sorter.select(numbers, results); });
            check_refused(ErrorCode::invalid_argument, "but not both", [&] {
                sorter.select({numbers, is_positive}, flags, results);
            });
            check_refused(ErrorCode::invalid_argument, "4 bytes, but the text is for 8", [&] {
                sorter.select({numbers, is_odd}, results);
            });
            check_refused(ErrorCode::invalid_argument, "does not use `predicate`",
                          [&] { sorter.prepare({.operation = Operation::sort, .count = 10, .key = is_positive}); });
            Predicate wrong = is_positive;
            wrong.holds = "a >\n  b";
            const Error misspelt = error_of([&] { sorter.select({numbers, wrong}, results); });
            CHECK(misspelt.code() == ErrorCode::build_failed);
            check_mentions(misspelt, {"compact/select.cl, with the caller's predicate in it", "the build log has"});
            CHECK(misspelt.build_log().find("holds") != std::string::npos);
            wrong.holds = "a > 0 /*";
            check_refused(ErrorCode::invalid_argument, "a comment in the predicate's expression", [&] {
                sorter.select({numbers, wrong}, results);
            });
            CHECK(sorter.select({numbers, is_below, 2.0F}, results) == 10);
            CHECK(sorter.partition({numbers, is_below, 1.0F}, results) == 0);
            check_refused(ErrorCode::invalid_argument, "the pointer to the predicate's parameter is null", [&] {
                sorter.select({numbers, is_below}, results);
            });
            check_refused(ErrorCode::invalid_argument, "has 8 bytes, but the predicate's has 4", [&] {
                sorter.select({numbers, is_below, 2.0}, results);
            });
            check_refused(ErrorCode::invalid_argument, "has no parameter", [&] {
                sorter.select({numbers, is_positive, 2.0F}, results);
            });
            wrong = is_below;
            wrong.parameter_bytes = 65;
            check_refused(ErrorCode::invalid_argument, "must have 1 to 64", [&] {
                sorter.select({numbers, wrong}, results);
            });
            wrong = is_below;
            wrong.parameter_type.clear();
            check_refused(ErrorCode::invalid_argument, "needs a type and a size", [&] {
                sorter.select({numbers, wrong, 2.0F}, results);
            });
            wrong.parameter_type = "double";
            CHECK(error_of([&] { sorter.select({numbers, wrong, 2.0F}, results); }).code() == ErrorCode::build_failed);
            wrong.holds.clear();
            check_refused(ErrorCode::invalid_argument, "a predicate needs", [&] {
                sorter.select({numbers, wrong}, results);
            });
            check_still_sorts(target, sorter);
        }
        Sorter sorter(built_in_device());
        check_refused(ErrorCode::unsupported, "give it flags", [&] { sorter.select({numbers, is_positive}, results); });
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
            check_refused(ErrorCode::invalid_argument, "room for only 9 results; there may be one for each key",
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
