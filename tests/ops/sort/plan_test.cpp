// SPDX-License-Identifier: MIT
// The schedule, without a device.
#include <lanesort/plan.hpp>

#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/statistics.hpp>

#include "devices_made_up.hpp"
#include "plan_cases.hpp"
#include "shapes.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

using test::many_counts;
using test::many_shapes;

unsigned phases_of(std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }
unsigned lg(unsigned power_of_two) { return static_cast<unsigned>(std::bit_width(power_of_two)) - 1; }
unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

TEST_CASE("plan: as many passes as the formula of plan.hpp says") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) {
            const unsigned tile = lg(shape.tile_keys());
            std::size_t passes = 1;
            for (unsigned phase = tile + 1; phase <= phases_of(count); ++phase)
                passes += ceil_div(phase - tile, shape.steps_per_pass) + 1;
            CAPTURE(to_string(shape));
            CAPTURE(count);
            CHECK(make_plan(count, shape).passes.size() == passes);
        }
}

TEST_CASE("plan: every step of the network once, in order") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) {
            CAPTURE(to_string(shape));
            CAPTURE(count);
            const Plan plan = make_plan(count, shape);
            using PhaseAndStride = std::pair<unsigned, unsigned>;
            std::vector<PhaseAndStride> planned;
            for (const Pass& pass : plan.passes) {
                const std::vector<Step> of_pass = steps(pass, shape);
                CHECK(pass.steps == of_pass.size());
                CHECK(pass.mirrored == (pass.top_stride + 1 == pass.last_phase));
                for (const Step& step : of_pass) {
                    CHECK(step.mirrored == (step.stride + 1 == step.phase));
                    planned.emplace_back(step.phase, step.stride);
                }
            }
            // The first pass may run phases beyond the last one that the count needs; they change nothing.
            std::vector<PhaseAndStride> network;
            for (unsigned phase = 1; phase <= plan.passes.back().last_phase; ++phase)
                for (unsigned stride = phase; stride-- > 0;) network.emplace_back(phase, stride);
            CHECK(planned == network);
            CHECK(plan.passes.back().last_phase >= phases_of(count));
        }
}

/// Keys that met each other, also by way of others.
class Meetings {
public:
    explicit Meetings(std::size_t keys) : above_(keys), sizes_(keys, 1) {
        std::iota(above_.begin(), above_.end(), std::size_t{0});
    }
    void meet(std::size_t a, std::size_t b) {
        a = top(a), b = top(b);
        if (a == b) return;
        above_[a] = b;
        sizes_[b] += sizes_[a];
        most_ = std::max(most_, sizes_[b]);
    }
    /// The most keys that met.
    std::size_t most() const { return most_; }

private:
    std::size_t top(std::size_t key) const {
        while (above_[key] != key) key = above_[key];
        return key;
    }
    std::vector<std::size_t> above_, sizes_;
    std::size_t most_ = 1;
};

TEST_CASE("plan: between hand-overs meet no more keys than a work-item holds, in a pass no more than a tile does") {
    for (const auto& shapes : {test::tiny_shapes(), test::small_shapes()})
        for (const Shape& shape : shapes)
            for (const std::uint64_t count : {2, 7, 16, 100, 512, 1500})
                for (const std::uint64_t first : {all_keys, std::uint64_t{1}, std::uint64_t{9}}) {
                    CAPTURE(to_string(shape));
                    CAPTURE(count);
                    CAPTURE(first);
                    const Plan plan = make_plan(count, shape, first);
                    for (const Pass& pass : plan.passes) {
                        std::size_t keys = std::size_t{pass.tiles} * shape.tile_keys();
                        if (pass.kind == Pass::Kind::merge_strips) keys = std::bit_ceil(count);
                        const std::vector<Step> of_pass = steps(pass, shape);
                        Meetings in_pass(keys), in_round(keys);
                        unsigned hand_overs = 0;
                        const auto end_round = [&] {
                            if (shape.tile_work_items() > 1)
                                CHECK(in_round.most() <= shape.register_vectors * shape.lanes);
                        };
                        for (const Step& step : of_pass) {
                            if (step.handed_over) {
                                end_round();
                                in_round = Meetings(keys);
                                ++hand_overs;
                            }
                            const std::size_t mask =
                                step.mirrored ? (std::size_t{2} << step.stride) - 1 : std::size_t{1} << step.stride;
                            for (std::size_t i = 0; i < keys; ++i)
                                if (const std::size_t partner = i ^ mask; partner > i && partner < keys) {
                                    in_round.meet(i, partner);
                                    in_pass.meet(i, partner);
                                }
                        }
                        end_round();
                        CHECK(in_pass.most() <= shape.tile_keys());
                        CHECK(pass.hand_overs >= hand_overs);
                        CHECK(pass.hand_overs - hand_overs <= (shape.coalesced_store ? 1u : 0u));
                    }
                }
}

TEST_CASE("plan: tiles cover the keys, and a pass takes no more steps than a tile has room for") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) {
            CAPTURE(to_string(shape));
            CAPTURE(count);
            for (const Pass& pass : make_plan(count, shape).passes) {
                CHECK(pass.tiles >= (count - 1) / shape.tile_keys() + 1);
                const std::uint64_t tiles_of_group = shape.local_sync ? 1 : shape.work_items;
                CHECK(pass.groups * tiles_of_group >= pass.tiles);
                CHECK((pass.groups - 1) * tiles_of_group < pass.tiles);
                if (pass.first_phase == 1) continue;
                CHECK(pass.top_stride - pass.bottom_stride + pass.strip_bits + 1 == lg(shape.tile_keys()));
                CHECK((pass.kind == Pass::Kind::merge_strips) == (pass.bottom_stride > 0));
                if (pass.bottom_stride > 0) CHECK(pass.steps <= shape.steps_per_pass);
            }
        }
}

TEST_CASE("plan: a round runs as many steps as the registers allow") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) {
            CAPTURE(to_string(shape));
            CAPTURE(count);
            const unsigned steps_of_round = lg(shape.register_vectors);
            for (const Pass& pass : make_plan(count, shape).passes) {
                unsigned rounds = 1;
                if (pass.first_phase == 1) {
                    const unsigned phases = pass.last_phase - lg(shape.lanes);  // of vectors
                    for (unsigned phase = steps_of_round + 1; phase <= phases; ++phase)
                        rounds += ceil_div(phase, steps_of_round);
                } else {
                    const unsigned steps = pass.bottom_stride > 0 ? pass.steps : lg(shape.tile_vectors());
                    rounds = ceil_div(steps, steps_of_round);
                }
                CHECK(pass.rounds == rounds);
            }
        }
}

TEST_CASE("plan: work-items synchronise between rounds, and only where they share a tile") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) {
            CAPTURE(to_string(shape));
            CAPTURE(count);
            for (const Pass& pass : make_plan(count, shape).passes) {
                if (shape.tile_work_items() == 1) {
                    CHECK(pass.hand_overs == 0);
                    CHECK(pass.barriers == 0);
                    continue;
                }
                // Keys of rows far apart are stored as they lie: neighbouring work-items hold neighbouring columns.
                const bool stores_through_local = shape.coalesced_store && pass.kind != Pass::Kind::merge_strips;
                // A last round of a single step of a whole tile holds pairs, which are stored as they are held.
                const unsigned steps = lg(shape.tile_vectors()), steps_of_round = lg(shape.register_vectors);
                const bool whole = pass.kind == Pass::Kind::merge_tiles || pass.last_phase == lg(shape.tile_keys());
                const bool pairs = stores_through_local && shape.remap && shape.lanes == 1 && steps_of_round > 1 &&
                                   steps % steps_of_round == 1;
                CHECK(pass.hand_overs == pass.rounds - 1 + (stores_through_local && !(whole && pairs)));
                // Remapped keys change places, so every hand-over but the first also waits until all were read.
                const unsigned second_barriers = shape.remap && pass.hand_overs > 0 ? pass.hand_overs - 1 : 0;
                CHECK(pass.barriers == pass.hand_overs + second_barriers);
            }
        }
}

TEST_CASE("plan: synchronisations by the CPU for 2^24 keys of 32 bits") {
    const auto by_cpu = [](const Shape& shape) { return make_plan(1u << 24, shape).passes.size() - 1; };
    CHECK(by_cpu(statistics_variants(4).front().shape) == 299);
    CHECK(by_cpu(choose_shape(test::processor(), 4)) <= 60);
    CHECK(by_cpu(choose_shape(test::graphics_card(), 4)) <= 40);
}

TEST_CASE("plan: 0 and 1 keys need no pass") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : {0, 1}) {
            const Plan plan = make_plan(count, shape);
            CHECK(plan.passes.empty());
            CHECK(plan.count == count);
            CHECK(plan.shape == shape);
        }
}

TEST_CASE("plan: the same plan twice") {
    for (const Shape& shape : many_shapes())
        for (const std::uint64_t count : many_counts()) CHECK(make_plan(count, shape) == make_plan(count, shape));
}

TEST_CASE("plan: around the counts at which 32 bits end") {
    Shape shape;
    shape.vectors = 8;
    shape.work_items = 128;
    shape.register_vectors = 16;
    shape.steps_per_pass = 8;
    constexpr std::uint64_t power = std::uint64_t{1} << 31;
    for (const std::uint64_t count : {power - 1, power, power + 1, 2 * power - 1, 2 * power, 2 * power + 1}) {
        CAPTURE(count);
        const auto phases = static_cast<unsigned>(std::bit_width(count - 1));
        std::uint64_t steps = 0;
        for (const Pass& pass : make_plan(count, shape).passes) {
            CHECK(pass.groups == pass.tiles);
            CHECK(pass.tiles >= (count - 1) / shape.tile_keys());
            CHECK(pass.last_phase <= phases);
            steps += pass.steps;
        }
        CHECK(steps == phases * (phases + 1) / 2);
    }
}

TEST_CASE("plan: more than 2^62 keys are too many") {
    const Shape shape = test::small_shapes().front();
    CHECK(make_plan(std::uint64_t{1} << 62, shape).passes.size() > 1);
    for (const std::uint64_t count : {(std::uint64_t{1} << 62) + 1, ~std::uint64_t{0}}) {
        try {
            make_plan(count, shape);
            FAIL("planned ", count, " keys");
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::too_large);
            CHECK(std::string(error.what()).find("2^62") != std::string::npos);
        }
    }
}

TEST_CASE("plan: a shape that cannot be is refused in a sentence that names the number") {
    const struct {
        std::string field;
        Shape shape;
    } impossible[] = {
        {"lanes is 3", {.lanes = 3}},
        {"lanes is 0", {.lanes = 0}},
        {"lanes is 32", {.lanes = 32}},
        {"vectors is 0", {.vectors = 0}},
        {"vectors is 6", {.vectors = 6, .register_vectors = 4}},
        {"vectors is 131072", {.vectors = 131072, .work_items = 1}},
        {"work_items is 0", {.work_items = 0}},
        {"work_items is 100", {.work_items = 100}},
        {"work_items is 8192", {.work_items = 8192}},
        {"register_vectors is 1", {.register_vectors = 1}},
        {"register_vectors is 6", {.vectors = 4, .work_items = 1, .register_vectors = 6}},
        {"register_vectors is 64", {.vectors = 32, .register_vectors = 64}},
        {"register_vectors is 4", {.vectors = 1, .register_vectors = 4}},
        {"work_items is 32", {.vectors = 4, .work_items = 32, .register_vectors = 2}},
        {"keys of a tile is 2097152", {.lanes = 16, .vectors = 65536, .work_items = 1, .register_vectors = 16}},
        {"register_vectors is 4", {.lanes = 8, .vectors = 4, .work_items = 1, .register_vectors = 4}},
        {"steps_per_pass is 0", {.steps_per_pass = 0}},
        {"steps_per_pass is 7", {.steps_per_pass = 7}},
        {"steps_per_pass is 2", {.steps_per_pass = 2, .local_sync = false}},
        {"resident_groups is 0", {.resident_groups = 0}},
        {"resident_groups is 33", {.resident_groups = 33}},
        {"bank_swap is 1", {.bank_swap = true}},
        {"bank_padding is 1", {.lanes = 2, .remap = true, .bank_padding = true}},
    };
    for (const auto& [words, shape] : impossible) {
        const std::string& field = words;
        CAPTURE(field);
        try {
            make_plan(1000, shape);
            FAIL_CHECK("was planned");
        } catch (const Error& error) {
            const std::string sentence = error.what();
            CAPTURE(sentence);
            CHECK(error.code() == ErrorCode::invalid_argument);
            CHECK(sentence.find(field) != std::string::npos);
        }
    }
}

TEST_CASE("plan: rows share the launches of one row") {
    const Shape shape{.vectors = 4, .work_items = 8, .register_vectors = 8, .steps_per_pass = 2};  // tiles of 64 keys
    for (const std::uint64_t length : {33, 64, 65, 1000}) {
        CAPTURE(length);
        const Plan one = make_plan(length, shape), many = make_row_plan(10, length, shape, 4);
        CHECK(many.count == length);
        CHECK(many.keys() == 10 * length);
        REQUIRE(many.passes.size() == one.passes.size());
        for (std::size_t i = 0; i < one.passes.size(); ++i) {
            Pass pass = many.passes[i];
            CHECK(pass.tiles == 10 * std::bit_ceil((length + 63) / 64));
            CHECK(pass.groups == (pass.tiles + 3) / 4);
            pass.tiles = one.passes[i].tiles;
            pass.groups = one.passes[i].groups;
            CHECK(pass == one.passes[i]);
        }
    }
    CHECK(make_row_plan(0, 100, shape).passes.empty());
    CHECK(make_row_plan(100, 1, shape).passes.empty());
    CHECK(make_row_plan(100, 0, shape).passes.empty());
    CHECK_THROWS_AS(make_row_plan(3, 31, shape), Error);
    CHECK_THROWS_AS(make_row_plan(3, 4, shape), Error);
    CHECK_THROWS_AS(make_row_plan(std::uint64_t{1} << 40, std::uint64_t{1} << 40, shape), Error);
}

TEST_CASE("plan: a tile holds several rows of a power of two of keys") {
    Shape shape{.vectors = 4, .work_items = 8, .register_vectors = 8, .steps_per_pass = 2};  // tiles of 64 keys
    for (const unsigned phases : {3u, 4u, 5u}) {
        CAPTURE(phases);
        const Plan plan = make_row_plan(11, std::uint64_t{1} << phases, shape);
        CHECK(plan.short_rows);
        REQUIRE(plan.passes.size() == 1);
        const Pass& pass = plan.passes.front();
        CHECK(pass.kind == Pass::Kind::sort_tiles);
        CHECK(pass.last_phase == phases);
        CHECK(pass.steps == phases * (phases + 1) / 2);
        CHECK(pass.tiles == ((11u << phases) + 63) / 64);
        CHECK(pass.groups == pass.tiles);
    }
    CHECK(!make_row_plan(11, 64, shape).short_rows);
    // Loaded as one tile, which takes one more hand-over.
    const unsigned hand_overs = make_row_plan(11, 32, shape).passes.front().hand_overs;
    shape.coalesced_store = true;
    CHECK(make_row_plan(11, 32, shape).passes.front().hand_overs == hand_overs + 2);
}

}  // namespace
}  // namespace lanesort
