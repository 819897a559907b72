// Pairs, indices, rows and the largest keys in host memory beside the standard library: medians of wall time, one call
// of each in turn, on every device that works in host memory.
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
    }
}
