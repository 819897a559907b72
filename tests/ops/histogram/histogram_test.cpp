// SPDX-License-Identifier: MIT
// Histograms: how many keys lie in each bin.
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

bool can(const Target& target, KeyType type) { return type != KeyType::f64 || target.info.has_doubles; }

template <Key T>
std::uint64_t bits_in_64(T key) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof key);
    return bits;
}

template <Key T>
Problem even_bins(const std::vector<T>& keys, std::uint64_t bins, T lower, T upper, std::size_t count_bytes = 4) {
    return problem_of({.operation = Operation::histogram,
                       .length_bytes = count_bytes,
                       .bins = bins,
                       .lower = bits_in_64(lower),
                       .upper = bits_in_64(upper)},
                      keys);
}

template <Key T>
Problem bounded_bins(const std::vector<T>& keys, std::vector<T> bounds, std::size_t count_bytes = 4) {
    std::ranges::sort(bounds, [](T a, T b) { return before(a, b); });
    return problem_of(
        {.operation = Operation::histogram, .length_bytes = count_bytes, .bins = bounds.size() - 1, .bounded = true},
        keys, {}, {}, 0, bytes_of(bounds));
}

/// A number of the type, as far as it has one.
template <Key T>
T as(double number) {
    if constexpr (std::same_as<T, half>) {
        // 1, 2, 3 and 6 and their negatives are what the tests need.
        const std::uint16_t sign = number < 0 ? 0x8000 : 0;
        const double size = std::abs(number);
        const std::uint16_t bits = size == 0   ? 0
                                   : size == 1 ? 0x3c00
                                   : size == 2 ? 0x4000
                                   : size == 3 ? 0x4200
                                               : 0x4600;
        return std::bit_cast<half>(static_cast<std::uint16_t>(sign | bits));
    } else return static_cast<T>(number);
}

/// Numbers from -8 to 8, or all integers.
template <Key T>
std::vector<T> keys_around(std::size_t count, Random& random) {
    std::vector<T> keys = make_keys<T>(Pattern::special_values, count, random);
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 5 == 0) continue;
        if constexpr (std::same_as<T, half>)
            keys[i] = std::bit_cast<half>(static_cast<std::uint16_t>(random() & 0xc7ff));
        else if constexpr (is_floating<T>)
            keys[i] = static_cast<T>(std::ldexp(static_cast<double>(random() >> 11), -49) - 8.0);
        else keys[i] = static_cast<T>(random() >> random() % (8 * sizeof(T)));
    }
    return keys;
}

TEST_SUITE("histogram") {
    TEST_CASE("histogram: even bins of every type, of all keys and of some") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                if (!can(target, key_type_v<T>)) return;
                for (const std::size_t count : {0, 1, 4099, 40'001}) {
                    const auto keys = keys_around<T>(count, random);
                    const auto run = [&](std::uint64_t bins, T lower, T upper, std::size_t count_bytes) {
                        run_everywhere(target, target.sorter(), even_bins(keys, bins, lower, upper, count_bytes),
                                       count % 5);
                    };
                    run(7, as<T>(1), as<T>(6), 4);
                    run(1000, as<T>(0), as<T>(3), 8);
                    if constexpr (is_floating<T>) run(256, as<T>(-6), as<T>(2), 4);
                    else {
                        using Limits = std::numeric_limits<T>;
                        run(256, Limits::min(), Limits::max(), 4);
                        run(3001, Limits::min(), Limits::max(), 4);
                        run(5, Limits::max(), Limits::max(), 4);
                        run(1, static_cast<T>(Limits::min() + 1), static_cast<T>(Limits::max() - 1), 8);
                    }
                }
            });
    }

    TEST_CASE("histogram: integers next to the ends of even bins are in the right ones") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            if constexpr (!is_floating<T>)
                for (int turn = 0; turn < 40; ++turn) {
                    T lower = static_cast<T>(random() >> random() % (8 * sizeof(T))), upper = static_cast<T>(random());
                    if (upper < lower) std::swap(lower, upper);
                    const std::uint64_t bins = 1 + random() % (turn % 2 ? 10 : 5000);
                    __extension__ typedef __int128 Integer;
                    const Integer width = Integer{upper} - lower + 1;
                    std::vector<T> keys;
                    for (std::uint64_t bin = 0; bin < bins; ++bin)
                        for (int beside = -1; beside <= 1; ++beside)
                            keys.push_back(
                                static_cast<T>(lower +
                                               (width * static_cast<Integer>(bin) + static_cast<Integer>(bins) - 1) /
                                                   static_cast<Integer>(bins) +
                                               beside));
                    run_on_host(sorter, even_bins(keys, bins, lower, upper, 4));
                }
        });
    }

    TEST_CASE("histogram: bins between keys of every type" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                for (const std::size_t count : {0, 1, 4099, 40'001})
                    for (const std::size_t bins : {1, 2, 1500}) {
                        const auto bounds =
                            make_keys<T>(bins > 2 ? Pattern::special_values : Pattern::few_values, bins + 1, random);
                        run_everywhere(target, target.sorter(),
                                       bounded_bins(keys_around<T>(count, random), bounds, bins == 2 ? 8 : 4),
                                       count % 5);
                    }
            });
    }

    TEST_CASE("histogram: few bins and many, of keys that are all equal and of others") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::uint64_t bins : {1, 2, 31, 1024, 4097, 8192, 8193, 20'000, 65'536, 70'001, 1'000'000})
                for (const bool all_equal : {false, true}) {
                    std::vector<std::uint32_t> keys(200'003, 0x8000'0001);
                    if (!all_equal) keys = random_keys<std::uint32_t>(keys.size(), random);
                    run_everywhere(target, target.sorter(), even_bins(keys, bins, 0u, ~0u, bins % 2 ? 8 : 4), bins % 3);
                }
    }

    TEST_CASE("histogram: the built-in device counts the same") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const std::size_t count_bytes : {4, 8})
                for (const std::size_t count : {0, 1, 300'007}) {
                    const auto keys = keys_around<T>(count, random);
                    for (const std::uint64_t bins : {1, 3, 300, 5000, 65'536})
                        run_on_host(sorter, even_bins(keys, bins, as<T>(1), as<T>(6), count_bytes), count % 3);
                    run_on_host(sorter,
                                bounded_bins(keys, make_keys<T>(Pattern::special_values, 100, random), count_bytes),
                                count % 3);
                }
        });
    }

    TEST_CASE("histogram: in work-groups of several work-items, whatever the device" * doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets()) {
            DeviceInfo card = graphics_card();
            card.max_work_items = std::min(64u, target.info.max_work_items);
            card.local_bytes = std::min<std::uint64_t>(card.local_bytes, target.info.local_bytes);
            Sorter disguised = sorter_as(target.sorter(), card);
            for (const std::size_t count_bytes : {4, 8}) {
                for (const std::uint64_t bins : {1, 100, 5000, 20'000, 300'000}) {
                    const auto keys = random_keys<std::uint32_t>(100'011, random);
                    run_on_host(disguised, even_bins(keys, bins, 5u, ~0u, count_bytes), count_bytes == 4 ? 0 : 3);
                    run_on_host(disguised,
                                even_bins(keys_around<float>(30'007, random), bins, -3.0F, 5.0F, count_bytes));
                    run_on_host(disguised, even_bins(random_keys<std::int8_t>(100'011, random), bins, std::int8_t{-100},
                                                     std::int8_t{90}, count_bytes));
                }
                for (const std::size_t bounds : {2, 1025, 1026, 3000, 30'000})
                    run_on_host(disguised, bounded_bins(random_keys<std::int16_t>(100'011, random),
                                                        random_keys<std::int16_t>(bounds, random), count_bytes));
                run_on_host(disguised, bounded_bins(random_keys<std::uint8_t>(100'011, random),
                                                    random_keys<std::uint8_t>(40, random), count_bytes));
                run_on_host(disguised, even_bins(std::vector<std::uint32_t>(), 3, 5u, ~0u, count_bytes));
            }
        }
    }

    TEST_CASE("histogram: bytes") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const auto bytes = random_keys<std::uint8_t>(100'003, random);
            std::vector<std::uint32_t> counts(256), expected(256);
            for (const std::uint8_t byte : bytes) ++expected[byte];
            target.sorter().histogram(bytes, EvenBins(std::uint8_t{0}, std::uint8_t{255}), counts);
            CHECK(counts == expected);
        }
    }

    TEST_CASE("histogram: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            const std::vector<float> keys(10), bounds(5);
            const std::vector<int> integers(3);
            const std::vector<std::uint8_t> bytes(10);
            std::vector<std::uint32_t> counts(5), none;
            const auto refused = [&](const char* part, const auto& call) {
                check_refused(ErrorCode::invalid_argument, part, call);
            };
            refused("there are 5 bounds, but there must be 6", [&] { sorter.histogram(keys, bounds, counts); });
            refused("the bins are of type i32, but the keys are of type f32",
                    [&] { sorter.histogram(keys, EvenBins(0, 5), counts); });
            refused("there are 3 bounds, but there must be 11", [&] {
                const KeyRangeIn<void*> range{.count = 3, .type = KeyType::f32};
                sorter.run(histogram(range, range, CountsIn<void*>{.bins = 10}));
            });
            refused("the bits of a key and no more",
                    [&] { sorter.histogram(bytes, EvenBins(KeyType::u8, 0, 300), counts); });
            refused("above the lower one", [&] { sorter.histogram(keys, EvenBins(1.0F, 1.0F), counts); });
            refused("finite",
                    [&] { sorter.histogram(keys, EvenBins(0.0F, std::numeric_limits<float>::infinity()), counts); });
            refused("finite", [&] { sorter.histogram(keys, EvenBins(-3e38F, 3e38F), counts); });
            refused("too narrow", [&] { sorter.histogram(keys, EvenBins(0.0F, 1e-44F), counts); });
            refused("must not be below", [&] { sorter.histogram(integers, EvenBins(2, 1), counts); });
            refused("a histogram has 1 to", [&] { sorter.histogram(keys, EvenBins(0.0F, 1.0F), none); });
            refused("overlap", [&] {
                sorter.histogram(keys, EvenBins(0.0F, 1.0F), Indices(const_cast<float*>(keys.data()), 5, 4));
            });
            Request request{.operation = Operation::histogram,
                            .count = 10,
                            .order = Order::descending,
                            .length_bytes = 4,
                            .bins = 3,
                            .upper = 9};
            refused("has no order", [&] { sorter.prepare(request); });
            request = {.operation = Operation::sort, .count = 10, .bins = 3};
            refused("does not use `bins`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
