// Pairs, indices, rows, the largest keys and the first ones in host memory beside the standard library, and reductions,
// scans and selections beside copies by all cores: medians of wall time, one call of each in turn, on every device that
// works in host memory.
//
// usage: lanesort_host_family_bench [REPETITIONS]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

using namespace lanesort;

struct Trial {
    std::string name;
    std::function<void()> restore, run;
    std::vector<double> seconds = {};
};

/// Prints the first trial's median, and how often it fits into the others'.
void compare(const std::string& title, std::size_t keys, int repetitions, std::vector<Trial> trials) {
    for (int repetition = -1; repetition < repetitions; ++repetition)
        for (Trial& trial : trials) {
            trial.restore();
            const auto start = std::chrono::steady_clock::now();
            trial.run();
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            if (repetition >= 0) trial.seconds.push_back(seconds.count());
        }
    std::printf("%-34s", title.c_str());
    double first = 0;
    for (Trial& trial : trials) {
        std::ranges::sort(trial.seconds);
        const double median = trial.seconds[trial.seconds.size() / 2];
        if (first == 0) std::printf(" %.1f M/s", static_cast<double>(keys) / (first = median) / 1e6);
        else std::printf(" | %s x%.2f", trial.name.c_str(), median / first);
    }
    std::printf("\n");
    std::fflush(stdout);
}

std::vector<std::uint32_t> random_keys(std::size_t count) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::vector<std::uint32_t> keys(count);
    std::ranges::generate(keys, random);
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
    const auto copy = [&] {
        const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u), part = count / cores;
        std::vector<std::jthread> threads;
        for (std::size_t core = 0; core < cores; ++core)
            threads.emplace_back([&, core] { std::ranges::copy_n(&keys[core * part], part, &results[core * part]); });
    };
    struct Stream {
        const char* name;
        std::size_t bytes;
        std::function<void()> run;
        std::vector<double> seconds = {};
    };
    const std::size_t n = 4 * count;
    std::vector<Stream> streams{
        {"copy", 2 * n, copy},
        {"reduce", n, [&] { sorter.reduce(keys, Reduction::sum, sum); }},
        {"inclusive_scan", 2 * n, [&] { sorter.inclusive_scan(keys, results); }},
        {"exclusive_scan", 2 * n, [&] { sorter.exclusive_scan(keys, results); }},
        {"select", n + count + 4 * selected, [&] { sorter.select(keys, flags, results); }},
    };
    for (int repetition = -1; repetition < repetitions; ++repetition)
        for (Stream& stream : streams) {
            const auto start = std::chrono::steady_clock::now();
            stream.run();
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            if (repetition >= 0) stream.seconds.push_back(seconds.count());
        }
    std::printf("%-34s", ("bytes a second, " + std::to_string(count)).c_str());
    double of_copies = 0;
    for (Stream& stream : streams) {
        std::ranges::sort(stream.seconds);
        const double speed = static_cast<double>(stream.bytes) / stream.seconds[stream.seconds.size() / 2];
        if (of_copies == 0) std::printf(" copy %.1f G/s", (of_copies = speed) / 1e9);
        else std::printf(" | %s x%.2f", stream.name, speed / of_copies);
    }
    std::printf("\n");
    std::fflush(stdout);
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
    for (const Device& device : devices()) {
        if (!device.info().host_unified_memory) continue;
        std::printf("%s (%s)\n", device.info().name.c_str(), device.info().platform.c_str());
        Sorter sorter(device);
        for (const int exponent : {16, 20, 22}) measure(sorter, std::size_t{1} << exponent, repetitions);
        measure_first_keys(sorter, std::size_t{1} << 24, repetitions);
        measure_streams(sorter, std::size_t{1} << 24, repetitions);
    }
}
