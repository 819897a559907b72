// SPDX-License-Identifier: MIT
// Every operation at small sizes: for implementations that are slow because they check, and for shapes that a poor
// device forces on the library.
#include <numeric>

#include "core/fit.hpp"
#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

/// Calls check(count) for an array of a few keys, of a tile, and of more.
template <class Check>
void for_each_count(const Target& target, const Shape& shape, Check check) {
    CAPTURE(target.name);
    CAPTURE(to_string(shape));
    const std::size_t tile = shape.tile_keys();
    for (const std::size_t count : {std::size_t{5}, tile, 2 * tile + 5}) {
        CAPTURE(count);
        check(count);
    }
    if (shape.columns) check(7 * tile - 3);
}

void check_keys_alone(const Target& target, const Shape& shape) {
    Random random(seed());
    Sorter sorter = target.new_sorter(shape);
    for_each_count(target, shape, [&](std::size_t count) {
        check_sort(target, sorter, random_keys<std::uint32_t>(count, random), Order::ascending, 1);
        check_sort(target, sorter, random_keys<std::uint8_t>(count, random), Order::descending, 3);
        check_sort(target, sorter, make_keys<double>(Pattern::special_values, count, random), Order::ascending);
    });
}

void check_every_operation(const Target& target, const Shape& shape) {
    Random random(seed());
    Sorter sorter = target.new_sorter(shape);
    for_each_count(target, shape, [&](std::size_t count) {
        for (const NamedProblem& named : problems_of_every_operation(count, random)) {
            CAPTURE(named.name);
            run_everywhere(target, sorter, named.problem);
        }
    });
}

/// Sums of floats, which the solver of problems cannot tell, and what an operator combines.
void check_sums_and_operators(Sorter& sorter, std::size_t count, Random& random) {
    std::vector<float> numbers(count), sums(count), sum(1), of_runs(count);
    for (float& number : numbers) number = static_cast<float>(random() % 100);
    std::vector<float> expected(count);
    std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
    sorter.inclusive_scan(numbers, sums);
    CHECK(sums == expected);
    sorter.reduce(numbers, Reduction::sum, sum);
    CHECK(sum[0] == expected.back());

    std::vector<std::uint32_t> runs(count), distinct(count);
    for (std::size_t i = 0; i < count; ++i) runs[i] = static_cast<std::uint32_t>(i / 700);
    const std::size_t found = sorter.reduce_by_key(runs, numbers, Reduction::mean, distinct, of_runs);
    CHECK(found == runs.back() + 1);
    sorter.inclusive_scan_by_key(runs, numbers, sums);
    bool is_right = true;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_last = i + 1 == count || runs[i + 1] != runs[i];
        const std::size_t first = i / 700 * 700;
        const float of_run = expected[i] - (first > 0 ? expected[first - 1] : 0);
        is_right &= sums[i] == of_run;
        if (is_last) is_right &= of_runs[runs[i]] == of_run / static_cast<float>(i + 1 - first);
    }
    CHECK(is_right);

    const std::vector<Affine> maps = random_maps(count, random);
    std::vector<Affine> composed_to_here(count), from_device(count);
    std::partial_sum(maps.begin(), maps.end(), composed_to_here.begin(), composed);
    sorter.inclusive_scan({maps, composition}, from_device);
    CHECK(bytes_of(from_device) == bytes_of(composed_to_here));
}

/// What the library chooses for work-groups of 32 work-items with 4 KB of local memory and no vectors, on this device.
Shape poor_shape(const DeviceInfo& device) {
    DeviceInfo poor = device;
    poor.kind = DeviceKind::gpu;
    poor.max_work_items = 32;
    poor.local_bytes = 4096;
    poor.native_vector_bytes = 1;
    ElementBytes widest(8, 0, 4);  // argsort of doubles
    return fit(choose_shape(poor, widest, 1000), widest, poor);
}

TEST_SUITE("small sorts") {
    TEST_CASE("small sorts: keys alone, in vectors, in local memory and in the cache") {
        for (Target& target : targets())
            for (const std::size_t i : {0, 2, 5})
                if (target.can_run(small_shapes()[i], 8)) check_keys_alone(target, small_shapes()[i]);
    }

    TEST_CASE("small sorts: keys alone, in columns, in local memory and in the cache") {
        for (Target& target : targets())
            for (const Shape& shape : {column_shapes_in_local()[0], column_shapes_in_local()[3], column_shapes()[2]})
                if (target.can_run(shape, 8)) check_keys_alone(target, shape);
    }

    TEST_CASE("small sorts: every operation, in vectors and in the cache") {
        for (Target& target : targets())
            for (const std::size_t i : {0, 5})
                if (target.can_run(small_shapes()[i], 8)) check_every_operation(target, small_shapes()[i]);
    }

    TEST_CASE("small sorts: top-k by a threshold, in one work-group a row and in several, and sorted") {
        Random random(seed());
        DeviceInfo card = graphics_card();
        card.kind = DeviceKind::other;  // whose rounds are not unrolled
        card.compute_units = 2;
        card.max_work_items = 32;
        card.local_bytes = 4096;
        struct Few {
            std::size_t rows, length, k, launches;
        };
        for (Target& target : targets()) {
            Sorter sorter = sorter_as(target.sorter(), card);
            // The last one's sample lies where the keys are larger: it is sorted after digits were counted.
            for (const Few& few : {Few{2, 8200, 90, 1}, Few{1, 32'770, 90, 3}, Few{1, 32'768, 200, 18}}) {
                std::vector<float> keys(few.rows * few.length);
                for (std::size_t i = 0; i < keys.size(); ++i)
                    keys[i] = few.k == 200 && i / 8 % 16 == 0 ? 2.0F : static_cast<float>(random() % 100) / 100;
                CAPTURE(few.k);
                const auto report = run_on_host(sorter, problem_of({.operation = Operation::top_k,
                                                                    .order = Order::ascending,
                                                                    .row_length = few.length,
                                                                    .first = few.k,
                                                                    .index_bytes = 4},
                                                                   keys));
                CHECK(report.launches >= few.launches);
            }
        }
    }

    TEST_CASE("small sorts: operations but sorts, in several work-groups, with positions of either width") {
        Random random(seed());
        constexpr std::size_t count = 8200;  // three of the largest blocks
        for (Target& target : targets())
            for (DeviceInfo device : {graphics_card(), processor()}) {
                CAPTURE(target.name);
                CAPTURE(device.name);
                const bool is_processor = device.kind == DeviceKind::cpu;
                device.compute_units = 4;
                device.max_work_items = 32;
                device.local_bytes = 4096;
                Sorter narrow = sorter_as(target.sorter(), device), wide = sorter_as(target.sorter(), device, true);
                for (const NamedProblem& named : problems_of_every_operation(count, random)) {
                    const Request& request = named.problem.request;
                    // Oclgrind cannot run a processor's selections.
                    const bool selects_few = request.operation == Operation::top_k && request.first <= 5 &&
                                             !request.has_segments() && !is_processor;
                    const bool sorts =
                        request.operation <= Operation::top_k || request.operation == Operation::group_by;
                    if (sorts && !selects_few) continue;
                    // Histograms have narrow positions alone.
                    const bool is_wide = is_processor ? request.operation != Operation::histogram
                                                      : selects_few && request.value_bytes > 0;
                    CAPTURE(named.name);
                    run_on_host(is_wide ? wide : narrow, named.problem);
                }
                check_sums_and_operators(is_processor ? wide : narrow, count, random);
            }
    }

    TEST_CASE("small sorts: the first step of a merge of arrays that lie apart") {
        Random random(seed());
        for (Target& target : targets())
            for (const MergePart part : {MergePart::first_step, MergePart::first_step_where_needed})
                for (const std::size_t count : {3, 300, 4500}) {
                    CAPTURE(target.name);
                    auto lower = sorted(random_keys<std::uint32_t>(count, random), Order::ascending);
                    auto upper = sorted(random_keys<std::uint32_t>(count, random), Order::ascending);
                    auto expected_lower = lower, expected_upper = upper;
                    for (std::size_t k = 0; k < count; ++k)
                        if (expected_upper[k] < expected_lower[count - 1 - k])
                            std::swap(expected_upper[k], expected_lower[count - 1 - k]);
                    CallIn<void*> call;
                    call.request.operation = Operation::merge;
                    call.request.count = count;
                    call.request.part = part;
                    call.keys = {lower.data()};
                    call.second_keys = {upper.data()};
                    target.sorter().run(call);
                    CHECK(lower == expected_lower);
                    CHECK(upper == expected_upper);
                }
    }

    TEST_CASE("small sorts: on a poor device") {
        for (Target& target : targets()) {
            const Shape shape = poor_shape(target.info);
            CHECK(shape.lanes == 1);
            CHECK(shape.work_items <= 32);
            CHECK(shape.local_bytes({8, 0, 4}) <= 4096);
            if (!target.can_run(shape, 8)) continue;
            check_keys_alone(target, shape);
            check_every_operation(target, shape);
        }
    }
}

TEST_SUITE("every operation") {
    TEST_CASE("every operation, in the shapes that the library chooses for the device") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t count : {5, 9001})
                for (const NamedProblem& named : problems_of_every_operation(count, random)) {
                    CAPTURE(target.name);
                    CAPTURE(count);
                    CAPTURE(named.name);
                    run_everywhere(target, target.sorter(), named.problem);
                }
    }
}

TEST_SUITE("small distributions") {
    TEST_CASE(
        "small distributions: in two levels where local memory is 32 KB, and where the pool has too little room") {
        const Shape leaves{.vectors = 2, .work_items = 16, .register_vectors = 4, .steps_per_pass = 4};
        Random random(seed());
        const auto is_possible = [](Sorter& sorter, const Request& request) {
            try {
                sorter.core().planner().plan(request);
                return true;
            } catch (const Error&) {
                return false;
            }
        };
        for (Target& target : targets()) {
            if (!target.can_run(leaves, 4)) continue;
            Sorter sorter = target.new_sorter(leaves);
            Request request{.count = 2703, .schedule = Schedule::distribution, .extra_bytes = 1 << 20};
            std::uint64_t least = 0;  // is too little
            for (std::uint64_t enough = request.extra_bytes; enough - least > 16;) {
                request.extra_bytes = least + (enough - least) / 2;
                (is_possible(sorter, request) ? enough : least) = request.extra_bytes;
            }
            for (const std::uint64_t extra : {std::uint64_t{1} << 20, least + 16}) {
                request.extra_bytes = extra;
                const Layout layout(problem_of(request, random_keys<std::uint32_t>(request.count, random)));
                const auto memory = target.memory(layout.before());
                CHECK(memory->enqueue(sorter, layout.call()).schedule == Schedule::distribution);
                layout.check(memory->read());
            }
        }
    }
}

}  // namespace
}  // namespace lanesort::test
