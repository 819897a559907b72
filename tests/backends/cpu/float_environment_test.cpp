// SPDX-License-Identifier: MIT
// What the caller's floating-point environment is to a call on the built-in device: nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cfenv>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <vector>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <lanesort/device.hpp>
#include <lanesort/sorter.hpp>

#include "bytes.hpp"
#include "sorter_on.hpp"

namespace lanesort::test {
namespace {

/// Numbers of both signs, every 16th of which is subnormal.
template <class Number>
std::vector<Number> random_numbers(std::size_t count) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::uniform_real_distribution<Number> numbers(-1, 1);
    std::vector<Number> all(count);
    for (std::size_t i = 0; i < count; ++i)
        all[i] = numbers(random) * (i % 16 > 0 ? 1 : std::numeric_limits<Number>::min());
    return all;
}

/// The arrays of calls that compute with floating-point numbers.
template <class Number>
struct Arrays {
    explicit Arrays(std::size_t count) : numbers(random_numbers<Number>(count)), others(numbers), keys(count) {
        std::reverse(others.begin(), others.end());
        for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint32_t>(i / 100);
    }
    std::vector<Number> numbers, others;
    std::vector<std::uint32_t> keys;
};

/// The results of each of these calls.
template <class Number>
std::vector<Bytes> results_of(Sorter& sorter, const Arrays<Number>& arrays) {
    const std::size_t count = arrays.numbers.size();
    std::vector<Bytes> all;
    std::vector<Number> results(count);
    std::vector<std::uint32_t> distinct(count);
    const auto keep = [&](const auto& array) { all.push_back(bytes_of(array)); };
    const std::span<Number> one(results.data(), 1);
    sorter.reduce(arrays.numbers, Reduction::sum, one);
    keep(results);
    sorter.transform_reduce(arrays.numbers, arrays.others, one);
    keep(results);
    sorter.inclusive_scan(arrays.numbers, results);
    keep(results);
    sorter.exclusive_scan(arrays.numbers, results, {.segments = std::vector<std::uint64_t>{0, count / 3, count}});
    keep(results);
    sorter.inclusive_scan_by_key(arrays.keys, arrays.numbers, results);
    keep(results);
    for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
        sorter.reduce_by_key(arrays.keys, arrays.numbers, reduction, distinct, results);
        keep(results);
        std::vector<std::uint32_t> keys = arrays.keys;
        std::vector<Number> values = arrays.numbers;
        sorter.group_by(keys, values, reduction, distinct, results);
        keep(results);
    }
    std::vector<std::uint32_t> counts(1001);
    sorter.histogram(arrays.numbers, EvenBins(Number(-0.3), Number(0.7)), counts);
    keep(counts);
    return all;
}

void (*const environments[])() = {
    [] { std::fesetround(FE_UPWARD); },        [] { std::fesetround(FE_DOWNWARD); },
    [] { std::fesetround(FE_TOWARDZERO); },
#ifdef __SSE__
    [] { _mm_setcsr(_mm_getcsr() | 0x8040); },  // flush results, take operands to be zero: as -ffast-math has it
#endif
    [] { std::feraiseexcept(FE_ALL_EXCEPT); },
};

/// The thread's own while this lives; then the default one.
class Environment {
public:
    explicit Environment(void (*set)()) { set(); }
    ~Environment() { std::fesetenv(FE_DFL_ENV); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
};

std::uint32_t registers() {
#ifdef __SSE__
    return _mm_getcsr();
#else
    return static_cast<std::uint32_t>(std::fegetround() << 8 | std::fetestexcept(FE_ALL_EXCEPT));
#endif
}

template <class Number>
void check_everywhere(std::size_t count, unsigned threads) {
    CAPTURE(count);
    CAPTURE(threads);
    const Arrays<Number> arrays(count);
    Sorter sorter = sorter_on(threads);
    std::feclearexcept(FE_ALL_EXCEPT);
    const std::vector<Bytes> expected = results_of(sorter, arrays);
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
    for (std::size_t environment = 0; environment < std::size(environments); ++environment) {
        CAPTURE(environment);
        Sorter within = sorter_on(threads);
        std::vector<Bytes> found, found_within;
        std::uint32_t before = 0, after = 0;
        {
            const Environment of_caller(environments[environment]);
            before = registers();
            found_within = results_of(within, arrays);  // its threads start here
            found = results_of(sorter, arrays);
            after = registers();
        }
        CHECK(after == before);
        CHECK(found == expected);
        CHECK(found_within == expected);
    }
}

TEST_CASE("built-in device: results and flags do not depend on the caller's floating-point environment") {
    for (const std::size_t count : {10, 1000, 100'000})
        for (const unsigned threads : {1u, 3u}) {
            check_everywhere<float>(count, threads);
            check_everywhere<double>(count, threads);
        }
}

#ifdef __GLIBC__
TEST_CASE("built-in device: no call traps, whatever the caller traps") {
    const Arrays<float> arrays(100'000);
    Sorter planned = sorter_on(3);
    const std::vector<Bytes> expected = results_of(planned, arrays);
    std::vector<Bytes> found, found_within;
    int trapped = 0, trapped_after = 0;
    Sorter within = sorter_on(3);
    {
        // The library's random numbers may have set a flag of the x87, which would trap at once.
        const Environment of_caller([] { std::feclearexcept(FE_ALL_EXCEPT), feenableexcept(FE_ALL_EXCEPT); });
        trapped = fegetexcept();
        found = results_of(planned, arrays);
        found_within = results_of(within, arrays);
        trapped_after = fegetexcept();
    }
    CHECK(trapped_after == trapped);  // not every processor traps
    CHECK(found == expected);
    CHECK(found_within == expected);
}
#endif

}  // namespace
}  // namespace lanesort::test
