// SPDX-License-Identifier: MIT
// The plan of a sort across devices, run on plain arrays.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <lanesort/across.hpp>

#include "large/across_schedule.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

using namespace lanesort::detail;

using Array = std::vector<int>;

/// Devices in plain loops. Whoever works on another one's array met it since that one's latest step.
class Machine {
public:
    Machine(const PlanAcross& plan, std::vector<Array> arrays)
        : given(std::move(arrays)), bytes(given.size() * given.size()), known_(given.size()) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            blocks_.push_back(plan.is_in_place ? given[i] : Array(plan.blocks.size(i)));
            known_[i].assign(given.size(), 0);
        }
        for (const StepAcross& step : plan.steps) std::visit([&](const auto& one) { run(one); }, step);
        if (plan.is_in_place) given = blocks_;
    }

    std::vector<Array> given;
    std::vector<std::uint64_t> bytes;

private:
    void run(const SortBlock& step) {
        std::ranges::sort(blocks_[step.device]);
        ++known_[step.device][step.device];
    }
    void run(const Meet& step) {
        missed_[step.one].erase(step.other);
        missed_[step.other].erase(step.one);
        for (std::size_t i = 0; i < known_.size(); ++i)
            known_[step.one][i] = known_[step.other][i] = std::max(known_[step.one][i], known_[step.other][i]);
    }
    void run(const MeetAll&) {
        for (std::size_t i = 1; i < known_.size(); ++i) run(Meet{0, i});
        for (std::size_t i = 1; i < known_.size(); ++i) run(Meet{0, i});
    }
    void run(const Exchange& step) {
        Array &lower = blocks_[step.lower], &upper = blocks_[step.upper];
        CHECK((step.on == step.lower || step.on == step.upper));
        CHECK(known_[step.on][step.lower] == known_[step.lower][step.lower]);
        CHECK(known_[step.on][step.upper] == known_[step.upper][step.upper]);
        for (std::uint64_t k = step.first; k < step.first + step.count; ++k) {
            int &a = lower.at(lower.size() - 1 - k), &b = upper.at(k);
            if (b < a) std::swap(a, b);
        }
        // Who goes on with either block has to have met whoever exchanged.
        const std::uint64_t with = step.on == step.lower ? step.upper : step.lower;
        missed_[with].insert(step.on);
        for (const auto& [from, to] : {std::pair{step.lower, step.upper}, {step.upper, step.lower}})
            bytes[from * given.size() + to] += step.count;
    }
    void run(const FinishBlock& step) {
        CHECK(missed_[step.device].empty());
        run(SortBlock{step.device});
    }
    void run(const Move& step) {
        const Array& from = (step.restores ? blocks_ : given)[step.from];
        Array& to = (step.restores ? given : blocks_)[step.to];
        CHECK(known_[step.to][step.from] == known_[step.from][step.from]);
        for (std::uint64_t i = 0; i < step.count; ++i) to.at(step.to_first + i) = from.at(step.from_first + i);
        if (step.from != step.to) bytes[step.from * given.size() + step.to] += step.count;
    }

    std::vector<Array> blocks_;
    std::map<std::uint64_t, std::set<std::uint64_t>> missed_;
    std::vector<std::vector<int>> known_;  ///< how many steps of each device each one has waited for
};

void check_plan(const std::vector<std::uint64_t>& counts, std::uint64_t at_once, Random& random) {
    CAPTURE(counts.size());
    CAPTURE(at_once);
    const PlanAcross plan = plan_across(counts, at_once);
    for (const int values : {1000, 3, 2}) {
        std::vector<Array> arrays;
        Array all;
        for (const std::uint64_t count : counts) {
            Array& array = arrays.emplace_back(count);
            for (int& key : array) key = static_cast<int>(random() % static_cast<unsigned>(values));
            all.insert(all.end(), array.begin(), array.end());
        }
        const Machine machine(plan, arrays);
        Array found;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            CHECK(machine.given[i].size() == counts[i]);
            found.insert(found.end(), machine.given[i].begin(), machine.given[i].end());
        }
        std::ranges::sort(all);
        CHECK(found == all);
        CHECK(machine.bytes == link_bytes_across(counts, 1));
    }
}

TEST_SUITE("across") {
    TEST_CASE("across: even counts, of which the last are short, in place") {
        Random random(seed());
        for (std::uint64_t devices = 1; devices <= 9; ++devices)
            for (std::uint64_t count = 0; count <= 40; ++count) {
                const Blocks blocks{.count = count, .blocks = devices};
                std::vector<std::uint64_t> counts;
                for (std::uint64_t i = 0; i < devices; ++i) counts.push_back(blocks.size(i));
                CHECK(plan_across(counts, 3).is_in_place);
                check_plan(counts, 3, random);
                check_plan(counts, 1000, random);
            }
    }

    TEST_CASE("across: counts that are not even, or nothing") {
        Random random(seed());
        for (int i = 0; i < 300; ++i) {
            std::vector<std::uint64_t> counts(1 + random() % 7);
            for (std::uint64_t& count : counts) count = random() % 3 == 0 ? 0 : random() % 50;
            check_plan(counts, 1 + random() % 30, random);
        }
    }

    TEST_CASE("across: what crosses a link, by the formula of docs/several-devices.md") {
        // Two devices: half of all, each way.
        CHECK(link_bytes_across(std::vector<std::uint64_t>{500, 500}, 4) ==
              std::vector<std::uint64_t>{0, 2000, 2000, 0});
        // Four: 0 and 2, 1 and 3; 0 and 1, 2 and 3; 1 and 2.
        CHECK(link_bytes_across(std::vector<std::uint64_t>{10, 10, 10, 9}, 1) ==
              std::vector<std::uint64_t>{0, 10, 10, 0, 10, 0, 10, 9, 10, 10, 0, 9, 0, 9, 9, 0});
        // All on one: the other half goes there, meets, and comes back.
        CHECK(link_bytes_across(std::vector<std::uint64_t>{100, 0}, 1) == std::vector<std::uint64_t>{0, 100, 100, 0});
        CHECK(link_bytes_across(std::vector<std::uint64_t>{0, 0, 0}, 4) == std::vector<std::uint64_t>(9));
        CHECK(link_bytes_across({}, 4).empty());
    }
}

}  // namespace
}  // namespace lanesort::test
