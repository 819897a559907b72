// SPDX-License-Identifier: MIT
// Exact equals measured: what a plan says of synchronisations is what kernels that count them meet.
#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

const std::uint64_t counts[] = {0, 1, 2, 1000, 1 << 10, 5000, (1 << 14) + 1, 1 << 17, 1 << 20};

void check_measured(Sorter& sorter, const Plan& plan) {
    CAPTURE(to_string(plan.shape));
    CAPTURE(plan.count);
    const SyncCounts exact = exact_counts(plan);
    const SyncCounts measured = sorter.measure(KeyType::u32, plan.count);
    CHECK(measured.by_cpu == exact.by_cpu);
    CHECK(measured.all == exact.all);
    CHECK(measured.barriers == exact.barriers);
}

TEST_SUITE("measured counts") {
    TEST_CASE("exact counts equal measured ones for every variant") {
        for (Target& target : targets())
            for (const auto& [name, shape] : target.variants(4)) {
                CAPTURE(target.name);
                CAPTURE(name);
                Sorter sorter = target.new_sorter(shape);
                for (const std::uint64_t count : counts) check_measured(sorter, make_plan(count, shape));
                if (shape.lanes >= 4) check_measured(sorter, make_plan(1 << 22, shape));
            }
    }

    // Coalesced stores, padding and columns, which no variant has.
    TEST_CASE("exact counts equal measured ones for shapes with other features") {
        std::vector<Shape> shapes = small_shapes();
        for (const Shape& shape : column_shapes_in_local()) shapes.push_back(shape);
        for (Target& target : targets())
            for (const Shape& shape : shapes) {
                if (!target.can_run(shape, 4)) continue;
                CAPTURE(target.name);
                Sorter sorter = target.new_sorter(shape);
                for (const std::uint64_t count : {2, 33, 1000, 1 << 10, 5000})
                    check_measured(sorter, make_plan(count, shape));
            }
    }

    TEST_CASE("exact counts equal measured ones for the chosen shape") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            for (const std::uint64_t count : counts) check_measured(sorter, sorter.plan(KeyType::u32, count));
            check_measured(sorter, sorter.plan(KeyType::u32, 1 << 22));
        }
    }
}

}  // namespace
}  // namespace lanesort::test
