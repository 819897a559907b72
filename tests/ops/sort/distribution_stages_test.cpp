// SPDX-License-Identifier: MIT
// What holds after each kernel of a distribution, against plain loops. A network is proved by arrays of zeros and ones;
// what is sorted by splitters is not, so each stage is shown by what the next one needs of it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "core/sorter_core.hpp"
#include "ops/sort/distribution.hpp"
#include "ops/sort/distribution_schedule.hpp"
#include "ops/sort/sort.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

using namespace lanesort::detail;
using Keys = std::vector<std::uint32_t>;

// As kernels/sort/distribution/buckets.h has them.
constexpr std::uint32_t no_slot = 0x3fffffff, is_start = 0x40000000;
constexpr std::size_t left_over = 0, kept = 1, listed_leaves = 2, totals_begin = 4;

/// All arrays after some of the commands.
struct State {
    Keys keys;
    std::vector<std::uint64_t> tables;
    Keys pool;

    const std::uint32_t* integers(std::uint64_t table) const {
        return reinterpret_cast<const std::uint32_t*>(tables.data() + table);
    }
};

/// A distribution whose own arrays are the test's, so that they can be looked at.
class Observed {
public:
    Observed(Sorter& sorter, const Keys& keys, std::uint64_t extra_bytes, const KeyKind& kind = KeyType::u32)
        : core_(sorter.core()) {
        const Request request{.count = keys.size(),
                              .in_host_memory = true,
                              .schedule = Schedule::distribution,
                              .extra_bytes = extra_bytes,
                              .key = kind};
        // Not what the device's limits alone would make: its compiler may want smaller work-groups, and then the tables
        // lie elsewhere.
        made_ = distribution_of(core_.planner(), request, element_bytes(request, 0));
        shared_ = shared_tables(made_);
        std::uint64_t end = shared_.end;
        for (const Level& level : made_.levels) {
            own_.push_back(level_tables(level, end));
            end = own_.back().end;
        }
        work_ = *core_.planner().plan(request);
        REQUIRE(work_.arrays[Slot::own_integers].count == end);
        REQUIRE(work_.arrays[Slot::pool_keys].count == made_.splitters + made_.pool_elements);
        show(Slot::own_integers, Slot::lengths);
        show(Slot::pool_keys, Slot::results);
        state_ = {keys, std::vector<std::uint64_t>(work_.arrays[Slot::lengths].count),
                  Keys(work_.arrays[Slot::results].count)};
    }

    const Distribution& made() const { return made_; }
    const SharedTables& shared() const { return shared_; }
    const LevelTables& own(std::size_t level) const { return own_[level]; }

    /// After the next launch of that name. What work-groups leave depends on which of them comes first, so commands go
    /// on with what the ones before them left.
    State after(const std::string& kernel) {
        Work work = work_;
        const auto first = work_.commands.begin() + static_cast<std::ptrdiff_t>(next_);
        const auto last = std::find_if(first, work_.commands.end(), [&](const Command& command) {
            const auto* launch = std::get_if<Launch>(&command);
            return launch && kernel_names(work_.programs[launch->program]->parameters)[launch->kernel] == kernel;
        });
        REQUIRE(last != work_.commands.end());
        work.commands.assign(first, last + 1);
        next_ += work.commands.size();
        Bindings bindings;
        bindings[Slot::keys] = {state_.keys.data()};
        bindings[Slot::lengths] = {state_.tables.data()};
        bindings[Slot::results] = {state_.pool.data()};
        core_.backend().run_on_host_memory(work, bindings, {});
        return state_;
    }

private:
    void show(Slot own, Slot shown) {
        work_.arrays[shown] = std::exchange(work_.arrays[own], {});
        work_.arrays[shown].access = Access::change;
        for (Command& command : work_.commands)
            if (auto* launch = std::get_if<Launch>(&command))
                for (Argument& argument : launch->arguments)
                    if (argument.bytes == 0 && argument.slot == own) argument.slot = shown;
    }

    SorterCore& core_;
    Distribution made_;
    SharedTables shared_{};
    std::vector<LevelTables> own_;
    Work work_;
    std::size_t next_ = 0;  ///< of its commands
    State state_;
};

Keys sorted(Keys keys) {
    std::ranges::sort(keys);
    return keys;
}

/// One batch of a level, stage by stage.
void check_batch(Observed& observed, std::size_t level_number, std::uint64_t batch) {
    const Level& level = observed.made().levels[level_number];
    const SharedTables& shared = observed.shared();
    const std::uint64_t parents = level.batch(), first_parent = batch * parents, block = level.buckets.block;
    const std::uint64_t children = std::uint64_t{1} << level.buckets.bits, first_child = first_parent * children;
    const auto bounds_in = [&](const State& state) {
        return state.tables.data() +
               (level_number == 0 ? shared.bounds : observed.own(level_number - 1).children + first_parent);
    };
    const auto part = [](const Keys& keys, std::uint64_t begin, std::uint64_t end) {
        return Keys(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.begin() + static_cast<std::ptrdiff_t>(end));
    };

    const State chosen = observed.after("choose_splitters");
    const std::vector<std::uint64_t> bounds(bounds_in(chosen), bounds_in(chosen) + parents + 1);
    const std::uint32_t* const divided = chosen.integers(shared.divided);
    const std::uint32_t* const first_stripes = chosen.integers(shared.first_stripes);
    const std::uint32_t* const first_entries = first_stripes + parents + 1;
    const std::uint64_t entries = first_entries[parents], stripe_slots = first_entries[parents + 1];
    CHECK(entries <= level.slots);
    CHECK(first_stripes[parents] <= level.most_stripes);
    std::vector<Keys> splitters(parents);
    std::vector<std::vector<std::uint64_t>> sizes(parents, std::vector<std::uint64_t>(children));
    const auto child_of = [&](std::uint64_t parent, std::uint32_t key) {
        return static_cast<std::uint64_t>(std::ranges::upper_bound(splitters[parent], key) - splitters[parent].begin());
    };
    const auto is_of_child = [&](const Keys& keys, std::uint64_t begin, std::uint64_t end, std::uint64_t parent,
                                 std::uint64_t child) {
        return std::ranges::all_of(part(keys, begin, end),
                                   [&](std::uint32_t key) { return child_of(parent, key) == child; });
    };
    for (std::uint64_t p = 0; p < parents; ++p)
        if (divided[p]) {
            splitters[p] = part(chosen.pool, p * children, (p + 1) * children - 1);
            CHECK(std::ranges::is_sorted(splitters[p]));
            CHECK(bounds[p + 1] - bounds[p] <= observed.made().largest(level_number));
            for (std::uint64_t i = bounds[p]; i < bounds[p + 1]; ++i) ++sizes[p][child_of(p, chosen.keys[i])];
        }

    // Blocks of one child each, behind each other in each stripe; the numbers of elements; no element is lost.
    const State classified = observed.after("classify_elements");
    const Keys children_of_blocks(classified.integers(shared.table), classified.integers(shared.table) + entries);
    std::vector<std::uint64_t> slot_of(entries), parent_of(entries);
    for (std::uint64_t p = 0; p < parents; ++p) {
        if (!divided[p]) continue;
        CHECK(sorted(part(classified.keys, bounds[p], bounds[p + 1])) ==
              sorted(part(chosen.keys, bounds[p], bounds[p + 1])));
        const std::uint32_t* const counts = classified.integers(shared.counts) + 2 * children * p;
        for (std::uint64_t c = 0; c < children; ++c) CHECK(counts[c] * block + counts[children + c] == sizes[p][c]);
        const std::uint64_t first_slot = ceil_div(bounds[p], block), slots = first_entries[p + 1] - first_entries[p];
        for (std::uint64_t s = 0; s < slots; ++s) {
            const std::uint64_t entry = first_entries[p] + s;
            slot_of[entry] = first_slot + s;
            parent_of[entry] = p;
            if (children_of_blocks[entry] == no_slot) {
                if ((s + 1) % stripe_slots > 0 && s + 1 < slots) CHECK(children_of_blocks[entry + 1] == no_slot);
                continue;
            }
            CHECK(is_of_child(classified.keys, slot_of[entry] * block, (slot_of[entry] + 1) * block, p,
                              children_of_blocks[entry]));
        }
    }

    // Children lie behind each other.
    const State found = observed.after("find_children");
    const std::uint64_t* const begins = found.tables.data() + observed.own(level_number).children + first_child;
    for (std::uint64_t p = 0; p < parents; ++p) {
        std::uint64_t begin = bounds[p];
        for (std::uint64_t c = 0; c < children; ++c) {
            CHECK(begins[p * children + c] == begin);
            begin += divided[p] ? sizes[p][c] : c == 0 ? bounds[p + 1] - bounds[p] : 0;
        }
    }

    // Each block has a slot of its own, which is wholly its child's; or it stays in the pool, one of a child at most.
    const State placed = observed.after("find_slots");
    std::map<std::uint64_t, std::uint64_t> source_of;
    std::set<std::uint64_t> keeps;
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
        if (children_of_blocks[entry] == no_slot) continue;
        const std::uint64_t child = parent_of[entry] * children + children_of_blocks[entry];
        const std::uint32_t to = placed.integers(shared.table)[entry];
        if (to == no_slot) {
            CHECK(keeps.insert(child).second);
            continue;
        }
        REQUIRE(to < entries);
        CHECK(source_of.emplace(to, entry).second);
        CHECK(slot_of[to] * block >= begins[child]);
        CHECK((slot_of[to] + 1) * block <= begins[child + 1]);
    }
    CHECK(placed.integers(shared.totals)[kept] == keeps.size());

    // Paths begin with the blocks in slots that no block goes to.
    const State with_paths = observed.after("find_paths");
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
        const std::uint32_t to = with_paths.integers(shared.table)[entry];
        CHECK((to & ~is_start) == placed.integers(shared.table)[entry]);
        CHECK(((to & is_start) != 0) == (to != no_slot && !source_of.contains(entry)));
    }

    // From starts, cuts and cycles' starts on, every block is moved once.
    const State cut = observed.after("find_cuts");
    const std::uint32_t* const totals = cut.integers(shared.totals);
    const bool fits = totals[kept] + ceil_div(std::uint64_t{totals[left_over]}, block) <= level.pool_blocks;
    const std::uint32_t* const saved = cut.integers(shared.saved);
    const std::uint32_t* const table = cut.integers(shared.table);
    const State moved = observed.after("move_blocks");
    if (fits) {
        const std::set<std::uint64_t> cuts(saved, saved + totals[kept]);
        std::vector<unsigned> moves(entries);
        const auto follow = [&](std::uint64_t start) {
            for (std::uint64_t entry = start;;) {
                if (table[entry] == no_slot) return;
                ++moves[entry];
                entry = table[entry] & no_slot;
                if (entry == start || cuts.contains(entry)) return;
            }
        };
        for (const std::uint64_t entry : cuts) follow(entry);
        for (std::uint64_t entry = 0; entry < entries; ++entry) {
            const bool starts_cycle = cut.integers(shared.cycle_starts)[entry / 32] >> entry % 32 & 1;
            const bool starts = table[entry] != no_slot && (table[entry] & is_start);
            CHECK(!(starts && starts_cycle));
            if ((starts || starts_cycle) && !cuts.contains(entry)) follow(entry);
        }
        for (std::uint64_t entry = 0; entry < entries; ++entry) {
            const bool is_there = table[entry] == no_slot || (table[entry] & no_slot) == entry;
            CHECK(moves[entry] == (is_there ? 0 : 1));
        }
        for (const auto& [to, from] : source_of)
            CHECK(part(moved.keys, slot_of[to] * block, (slot_of[to] + 1) * block) ==
                  part(classified.keys, slot_of[from] * block, (slot_of[from] + 1) * block));
    } else {
        CHECK(moved.keys == classified.keys);
    }

    // Each child has its elements, all of them.
    const State filled = observed.after("fill_gaps");
    CHECK(sorted(filled.keys) == sorted(chosen.keys));
    const std::uint64_t* const ends = filled.tables.data() + observed.own(level_number).children + first_child;
    for (std::uint64_t p = 0; p < parents; ++p)
        for (std::uint64_t c = 0; divided[p] && c < children; ++c) {
            const std::uint64_t child = p * children + c;
            CHECK(ends[child] == (fits ? begins[child] : bounds[c == 0 ? p : p + 1]));
            if (fits) CHECK(is_of_child(filled.keys, ends[child], ends[child + 1], p, c));
        }
}

/// As kernels/sort/distribution/buckets.h has it.
std::uint32_t scrambled(std::uint32_t x) {
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    return x ^ (x >> 13);
}

/// Keys of which the first level's sample sees none but the `few` smallest values: all others are of one child.
Keys hidden_from_sample(std::size_t count, std::uint32_t sample, std::uint32_t few, std::uint32_t seed,
                        Random& random) {
    Keys keys(count);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(few + random() % 1'000'000);
    const auto step = static_cast<std::uint32_t>(std::max<std::size_t>(count / sample, 1));
    for (std::uint32_t i = 0; i < sample; ++i)
        keys[std::uint64_t{i} * count / sample + scrambled(i ^ seed) % step] = i * 7919u % few;
    return keys;
}

/// What is to be sorted in the end is in order but for leaves, which are no larger than a tile, and what is listed.
/// Returns whether all of it is to be sorted once more.
bool check_leaves(Observed& observed) {
    const Distribution& made = observed.made();
    const State state = observed.after("list_leaves");
    const std::uint64_t* const begins = state.tables.data() + observed.own(made.levels.size() - 1).children;
    const std::uint64_t* const leaves = state.tables.data() + observed.shared().leaves;
    const std::uint64_t* const whole = state.tables.data() + observed.shared().totals + totals_begin / 2;
    const std::uint64_t* const few = whole + 2;
    const std::uint32_t listed = state.integers(observed.shared().totals)[listed_leaves];
    std::set<std::pair<std::uint64_t, std::uint64_t>> large;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(listed, made.few()); ++i)
        large.emplace(few[2 * i], few[2 * i + 1]);
    CHECK((whole[1] == 0 || whole[1] == state.keys.size()));
    Keys keys = state.keys;
    const auto sort = [&](std::uint64_t begin, std::uint64_t end) {
        std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.begin() + static_cast<std::ptrdiff_t>(end));
    };
    for (std::uint64_t leaf = 0; leaf < made.leaves(); ++leaf) {
        CHECK(leaves[2 * leaf] == begins[leaf]);
        CHECK((leaves[2 * leaf + 1] == begins[leaf] || leaves[2 * leaf + 1] == begins[leaf + 1]));
        CHECK(leaves[2 * leaf + 1] - leaves[2 * leaf] <= made.leaf);
        sort(leaves[2 * leaf], leaves[2 * leaf + 1]);
    }
    for (const auto& [begin, end] : large) sort(begin, end);
    if (whole[1] == 0) CHECK(std::ranges::is_sorted(keys));
    return whole[1] > 0;
}

TEST_SUITE("distribution") {
    TEST_CASE("distribution: what each kernel leaves is what plain loops say") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            Sorter sorter = target.new_sorter(small_leaves);
            for (const std::size_t count : {20'001, 250'007})
                for (const std::uint64_t extra : {3u << 20, 600'000u, 400'000u})
                    for (const std::uint32_t values : {0u, 1u, 40u, 700u}) {
                        CAPTURE(target.name);
                        CAPTURE(count);
                        CAPTURE(extra);
                        CAPTURE(values);
                        Keys keys(count);
                        for (std::uint32_t& key : keys)
                            key = static_cast<std::uint32_t>(values > 0 ? random() % values * 1000 : random());
                        Observed observed(sorter, keys, extra);
                        for (std::size_t level = 0; level < observed.made().levels.size(); ++level)
                            for (std::uint64_t batch = 0; batch < observed.made().levels[level].batches; ++batch)
                                check_batch(observed, level, batch);
                        check_leaves(observed);
                    }
        }
    }

    TEST_CASE("distribution: keys that its sample does not see are left to columns") {
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            CAPTURE(target.name);
            Sorter sorter = target.new_sorter(small_leaves);
            constexpr std::uint64_t extra = 3 << 20;
            // One level, or two: then the second one has nothing to do.
            for (const std::size_t count : {20'001, 250'007}) {
                const Request request{.count = count, .schedule = Schedule::distribution, .extra_bytes = extra};
                const Distribution made = distribution_of(sorter.core().planner(), request, ElementBytes(4));
                REQUIRE(made.levels.size() == (count > 100'000 ? 2 : 1));
                const unsigned sample = made.levels[0].buckets.sample;
                REQUIRE(count - sample > made.largest(1));
                // The sample is of one value, of two, of few, or of as many as there are.
                for (const std::uint32_t few : {1u, 2u, 100u, sample}) {
                    CAPTURE(count);
                    CAPTURE(few);
                    const Keys keys = hidden_from_sample(count, sample, few, sorter.core().planner().seed(), random);
                    Observed observed(sorter, keys, extra);
                    for (std::size_t level = 0; level < made.levels.size(); ++level)
                        for (std::uint64_t batch = 0; batch < made.levels[level].batches; ++batch)
                            check_batch(observed, level, batch);
                    CHECK(check_leaves(observed));
                    run_everywhere(target, sorter,
                                   problem_of({.schedule = Schedule::distribution, .extra_bytes = extra}, keys), 3);
                    // Who does not know the seed hides them from another sample.
                    Observed seen(
                        sorter, hidden_from_sample(count, sample, few, ~sorter.core().planner().seed(), random), extra);
                    CHECK(!check_leaves(seen));
                }
            }
        }
    }

    TEST_CASE("distribution: records that its sample does not see are left to the network") {
        const Comparator number{.type = "uint", .bytes = 4, .before = "a < b"};
        struct Pair {
            std::uint64_t second, first;
        };
        const Comparator by_first{.type = "pair",
                                  .bytes = sizeof(Pair),
                                  .before = "a.first < b.first",
                                  .declarations = "typedef struct { ulong second, first; } pair;"};
        Random random(seed());
        for (Target& target : targets()) {
            if (!target.info.compiles) continue;
            CAPTURE(target.name);
            Sorter sorter = target.new_sorter(small_leaves);
            constexpr std::uint64_t extra = 3 << 20;
            // The last tile and the last run are whole, or not.
            for (const std::size_t count : {16'384, 20'001, 30'011}) {
                const auto hidden = [&](const KeyKind& kind, std::uint32_t few) {
                    const Request request{
                        .count = count, .schedule = Schedule::distribution, .extra_bytes = extra, .key = kind};
                    const Distribution made =
                        distribution_of(sorter.core().planner(), request, element_bytes(request, 0));
                    // With little local memory records take a second level, which has samples of its own.
                    if (kind.is_record() && made.levels.size() > 1) return Keys();
                    REQUIRE(made.levels.size() == 1);
                    return hidden_from_sample(count, made.levels[0].buckets.sample, few, sorter.core().planner().seed(),
                                              random);
                };
                for (const std::uint32_t few : {1u, 2u, 100u}) {
                    CAPTURE(count);
                    CAPTURE(few);
                    const Request request{.schedule = Schedule::distribution, .extra_bytes = extra};
                    const Keys numbers = hidden(number, few);
                    Observed observed(sorter, numbers, extra, number);
                    CHECK(check_leaves(observed));
                    run_everywhere(target, sorter, problem_of(request, number, numbers, std::less<std::uint32_t>()), 3);
                    std::vector<Pair> pairs;
                    for (const std::uint32_t first : hidden(by_first, few)) pairs.push_back({random() % 3, first});
                    if (pairs.empty()) continue;
                    const auto is_before = [](const Pair& a, const Pair& b) { return a.first < b.first; };
                    const SortReport report =
                        run_everywhere(target, sorter, problem_of(request, by_first, pairs, is_before), 3);
                    CHECK(report.schedule == Schedule::distribution);
                }
            }
        }
    }
}

}  // namespace
}  // namespace lanesort::test
