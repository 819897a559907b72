// SPDX-License-Identifier: MIT
// Pairs, indices, rows, the largest keys and the first ones in host memory beside the standard library, reductions,
// scans and selections beside copies by all cores, and schedules beside each other: medians of wall time, one call of
// each in turn, on every device that works in host memory.
//
// usage: lanesort_host_family_bench [REPETITIONS [GROUP]]
//   GROUP   calls, first-keys, streams, schedules; all unless given
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanesort/lanesort.hpp>

#include "host_copy.hpp"

namespace {

using namespace lanesort;

struct Trial {
    std::string name;
    std::function<void()> restore, run;
    double seconds = 0;
};

/// Runs one after the other, again and again, the first time unmeasured. Each then has its median.
void run_by_turns(std::vector<Trial>& trials, int repetitions) {
    std::vector<std::vector<double>> seconds(trials.size());
    for (int repetition = -1; repetition < repetitions; ++repetition)
        for (std::size_t i = 0; i < trials.size(); ++i) {
            if (trials[i].restore) trials[i].restore();
            const auto start = std::chrono::steady_clock::now();
            trials[i].run();
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            if (repetition >= 0) seconds[i].push_back(taken.count());
        }
    for (std::size_t i = 0; i < trials.size(); ++i) {
        std::ranges::sort(seconds[i]);
        trials[i].seconds = seconds[i][seconds[i].size() / 2];
    }
}

/// Prints the first trial's median, and how often it fits into the others'.
void compare(const std::string& title, std::size_t keys, int repetitions, std::vector<Trial> trials) {
    run_by_turns(trials, repetitions);
    const double first = trials.front().seconds;
    std::printf("%-34s %.1f M/s", title.c_str(), static_cast<double>(keys) / first / 1e6);
    for (const Trial& trial : std::span(trials).subspan(1))
        std::printf(" | %s x%.2f", trial.name.c_str(), trial.seconds / first);
    std::printf("\n");
    std::fflush(stdout);
}

template <class Key = std::uint32_t>
std::vector<Key> random_keys(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<Key> keys(count);
    std::ranges::generate(keys, [&] { return static_cast<Key>(random()); });
    return keys;
}

/// The first keys in their places, the others behind them.
void measure_first_keys(Sorter& sorter, std::size_t count, int repetitions) {
    const std::vector<std::uint32_t> pristine = random_keys(count);
    std::vector<std::uint32_t> keys;
    const auto restore = [&] { keys = pristine; };
    for (const std::ptrdiff_t first : {10, 1000})
        compare("partial_sort " + std::to_string(first) + " of " + std::to_string(count), count, repetitions,
                {{"", restore, [&] { sorter.partial_sort(std::span(keys), static_cast<std::size_t>(first)); }},
                 {"std::partial_sort", restore, [&] { std::ranges::partial_sort(keys, keys.begin() + first); }}});
}

/// Prints how many bytes a second each call reads and writes, over those of copies by all cores.
void measure_streams(Sorter& sorter, std::size_t count, int repetitions) {
    const std::vector<std::uint32_t> keys = random_keys(count);
    std::vector<std::uint32_t> results(count);
    std::vector<std::uint8_t> flags(count);
    for (std::size_t i = 0; i < count; ++i) flags[i] = keys[i] & 1;
    std::vector<std::uint64_t> sum(1);
    const std::uint64_t selected = sorter.select(keys, flags, results);
    const std::size_t bytes = 4 * count;
    std::vector<Trial> trials{
        {"copy", {}, [&] { bench::copy_by_all_cores(keys.data(), results.data(), bytes); }},
        {"reduce", {}, [&] { sorter.reduce(keys, Reduction::sum, sum); }},
        {"inclusive_scan", {}, [&] { sorter.inclusive_scan(keys, results); }},
        {"exclusive_scan", {}, [&] { sorter.exclusive_scan(keys, results); }},
        {"select", {}, [&] { sorter.select(keys, flags, results); }},
    };
    const std::size_t moved[] = {2 * bytes, bytes, 2 * bytes, 2 * bytes, bytes + count + 4 * selected};
    run_by_turns(trials, repetitions);
    const auto speed = [&](std::size_t i) { return static_cast<double>(moved[i]) / trials[i].seconds; };
    std::printf("bytes a second, %-18zu copy %.1f G/s", count, speed(0) / 1e9);
    for (std::size_t i = 1; i < trials.size(); ++i)
        std::printf(" | %s x%.2f", trials[i].name.c_str(), speed(i) / speed(0));
    std::printf("\n");
    std::fflush(stdout);
}

/// The schedule that the planner chooses, and those by name that compare the same positions whatever the keys are.
template <class Key>
void measure_schedules(Sorter& sorter, std::size_t count, int repetitions) {
    const std::vector<Key> pristine = random_keys<Key>(count);
    std::vector<Key> keys;
    const auto by = [&](Schedule schedule) {
        return Trial{schedule == Schedule::automatic ? "" : name(schedule), [&] { keys = pristine; },
                     [&, schedule] { sorter.sort(std::span(keys), {.schedule = schedule}); }};
    };
    compare("sort, u" + std::to_string(8 * sizeof(Key)) + ", " + std::to_string(count), count, repetitions,
            {by(Schedule::automatic), by(Schedule::columns), by(Schedule::network)});
}

void measure(Sorter& sorter, std::size_t count, int repetitions) {
    const std::vector<std::uint32_t> pristine = random_keys(count);
    std::vector<std::uint32_t> keys, values(count), indices(count);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(count);
    const auto restore = [&] { keys = pristine; };
    const auto restore_pairs = [&] {
        for (std::size_t i = 0; i < count; ++i) pairs[i] = {pristine[i], static_cast<std::uint32_t>(i)};
    };
    const auto sort_pairs = [&] { std::ranges::sort(pairs); };
    const std::string size = std::to_string(count);
    compare("sort_by_key, u32 + u32, " + size, count, repetitions,
            {{"", restore, [&] { sorter.sort_by_key(std::span(keys), std::span(values)); }},
             {"std::sort of pairs", restore_pairs, sort_pairs}});
    compare("stable sort_by_key, " + size, count, repetitions,
            {{"", restore, [&] { sorter.sort_by_key(std::span(keys), std::span(values), {.stable = true}); }},
             {"std::stable_sort of pairs by keys", restore_pairs,
              [&] { std::ranges::stable_sort(pairs, {}, &std::pair<std::uint32_t, std::uint32_t>::first); }}});
    compare("argsort, " + size, count, repetitions,
            {{"", restore, [&] { sorter.argsort(std::span(keys), std::span(indices)); }},
             {"std::sort of pairs", restore_pairs, sort_pairs}});
    for (const std::size_t length : {64, 1024, 1000}) {
        if (count % length != 0 && count < length) continue;
        const std::size_t whole = count / length * length;
        compare("rows of " + std::to_string(length) + ", " + std::to_string(whole), whole, repetitions,
                {{"", restore, [&] { sorter.sort(std::span(keys).first(whole), {.row_length = length}); }},
                 {"a loop of std::sort", restore, [&] {
                      for (std::size_t first = 0; first < whole; first += length)
                          std::ranges::sort(std::span(keys).subspan(first, length));
                  }}});
    }
    for (const std::size_t k : {16, 64}) {
        std::vector<std::uint32_t> best(k), places(k);
        compare("top-" + std::to_string(k) + " of " + size, count, repetitions,
                {{"", restore, [&] { sorter.top_k(std::span(keys), std::span(best)); }},
                 {"with indices", restore, [&] { sorter.top_k(std::span(keys), std::span(best), std::span(places)); }},
                 {"std::partial_sort_copy", restore,
                  [&] { std::ranges::partial_sort_copy(keys, best, std::ranges::greater()); }}});
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int repetitions = argc > 1 ? std::atoi(argv[1]) : 5;
    const std::string_view group = argc > 2 ? argv[2] : "";
    const auto wanted = [&](std::string_view name) { return group.empty() || group == name; };
    for (const Device& device : devices()) {
        if (!device.info().host_unified_memory) continue;
        std::printf("%s (%s)\n", device.info().name.c_str(), device.info().platform.c_str());
        Sorter sorter(device);
        const auto two_to = [](int exponent) { return std::size_t{1} << exponent; };
        if (wanted("calls"))
            for (const int exponent : {16, 20, 22}) measure(sorter, two_to(exponent), repetitions);
        if (wanted("first-keys")) measure_first_keys(sorter, two_to(24), repetitions);
        if (wanted("streams")) measure_streams(sorter, two_to(24), repetitions);
        if (!wanted("schedules")) continue;
        for (const int exponent : {20, 24, 27}) measure_schedules<std::uint32_t>(sorter, two_to(exponent), repetitions);
        for (const int exponent : {20, 24, 26}) measure_schedules<std::uint64_t>(sorter, two_to(exponent), repetitions);
    }
}
