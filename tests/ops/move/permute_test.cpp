// SPDX-License-Identifier: MIT
// Values in the order of indices (kernels/move/permute.cl), and the stable sorts of pairs that are made of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "host/cpu/host.hpp"
#include "ops/kernels.hpp"
#include "run_everywhere.hpp"
#include "sorter_on.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

using Places = std::vector<std::uint64_t>;

Places shuffled(std::size_t count, Random& random) {
    Places places(count);
    std::iota(places.begin(), places.end(), 0u);
    std::ranges::shuffle(places, random);
    return places;
}

/// Of no cycle, of short ones, of long ones, and of cycles that all or no cuts are on.
std::vector<std::pair<const char*, Places>> permutations(std::size_t count, Random& random) {
    const auto made = [&](auto place) {
        Places places(count);
        for (std::size_t i = 0; i < count; ++i) places[i] = place(i);
        return places;
    };
    Places one_cycle(count);
    const Places way = shuffled(count, random);
    for (std::size_t i = 0; i < count; ++i) one_cycle[way[i]] = way[(i + 1) % count];
    Places columns = made([](std::size_t i) { return i; });
    std::ranges::stable_sort(columns, {}, [](std::uint64_t i) { return i % 8; });
    return {{"none moves", made([](std::size_t i) { return i; })},
            {"backwards", made([&](std::size_t i) { return count - 1 - i; })},
            {"neighbours change places", made([&](std::size_t i) { return (i ^ 1) < count ? i ^ 1 : i; })},
            {"one up", made([&](std::size_t i) { return (i + 1) % count; })},
            {"one down", made([&](std::size_t i) { return (i + count - 1) % count; })},
            {"half round", made([&](std::size_t i) { return (i + count / 2) % count; })},
            {"columns", columns},
            {"one long cycle", one_cycle},
            {"shuffled", shuffled(count, random)}};
}

/// The kernels as they are launched on so many rows; of each index it is the low bytes that count.
class Permuter {
public:
    Permuter(std::size_t value_bytes, std::size_t index_bytes)
        : program_(inside::KernelParameters{.family = &inside::families::permute,
                                            .bytes = ElementBytes(1, value_bytes, index_bytes),
                                            .shape = {.work_items = 1}},
                   cpu::Instructions::baseline) {}

    /// Between other bytes, which it checks.
    Bytes run(const Bytes& values, const Places& indices, std::size_t rows, unsigned group_bits) const {
        const auto [key_bytes, value_bytes, index_bytes, is_record] = program_.parameters.bytes;
        const std::size_t count = indices.size(), room = 3;
        Bytes narrow(count * index_bytes);
        for (std::size_t i = 0; i < count; ++i) std::memcpy(&narrow[i * index_bytes], &indices[i], index_bytes);
        const auto between = [&](const Bytes& bytes, std::size_t width) {
            Bytes all = other_bytes(bytes.size() + 2 * room * width);
            std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(room * width));
            return all;
        };
        Bytes all_values = between(values, value_bytes), all_indices = between(narrow, index_bytes);
        const std::uint64_t cuts = 128, groups = rows << group_bits;
        Bytes saved = between(Bytes(groups * cuts * value_bytes), value_bytes), keys(count);
        const auto address = [](Bytes& bytes) { return reinterpret_cast<std::uintptr_t>(bytes.data()); };
        const std::size_t length = count / rows;
        const unsigned long arguments[] = {address(keys),
                                           0,
                                           address(all_values),
                                           room,
                                           address(all_indices),
                                           room,
                                           length,
                                           rows > 1 ? rows : 0,
                                           count,
                                           group_bits,
                                           0,
                                           0,
                                           address(saved),
                                           room,
                                           group_bits > 0};
        const auto launch = [&](int kernel, std::uint64_t of_groups) {
            program_.kernels[static_cast<std::size_t>(kernel)](arguments, {0, of_groups, of_groups, nullptr}, {});
        };
        if (group_bits > 0) launch(0, groups);
        launch(1, rows);
        for (auto [bytes, width] :
             {std::pair{&all_values, value_bytes}, {&all_indices, index_bytes}, {&saved, value_bytes}}) {
            const Bytes untouched = other_bytes(bytes->size());
            const auto edge = static_cast<std::ptrdiff_t>(room * width);
            CHECK(std::equal(bytes->begin(), bytes->begin() + edge, untouched.begin()));
            CHECK(std::equal(bytes->end() - edge, bytes->end(), untouched.end() - edge));
        }
        return Bytes(all_values.begin() + static_cast<std::ptrdiff_t>(room * value_bytes),
                     all_values.end() - static_cast<std::ptrdiff_t>(room * value_bytes));
    }

private:
    cpu::Program program_;
};

TEST_CASE("permute: values of every width, by indices of every width, along all kinds of cycles") {
    Random random(seed());
    for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
        for (const std::size_t index_bytes : {4, 8}) {
            const Permuter permuter(value_bytes, index_bytes);
            for (const std::size_t count : {1, 2, 3, 15, 16, 17, 128, 129, 1000, 4097, 20'011})
                for (const auto& [kind, places] : permutations(count, random)) {
                    const std::string name = kind;  // Clang 14 captures no structured binding
                    CAPTURE(name);
                    CAPTURE(count);
                    CAPTURE(value_bytes);
                    CAPTURE(index_bytes);
                    const Bytes values = other_bytes(count * value_bytes);
                    Bytes expected(values.size());
                    for (std::size_t i = 0; i < count; ++i)
                        std::memcpy(&expected[i * value_bytes], &values[places[i] * value_bytes], value_bytes);
                    for (const unsigned group_bits : {0, 1, 3})
                        CHECK(permuter.run(values, places, 1, group_bits) == expected);
                }
        }
}

TEST_CASE("permute: whatever the indices are, nothing else is touched") {
    Random random(seed());
    const Permuter permuter(4, 4);
    for (const std::size_t count : {1, 2, 17, 5000})
        for (const std::size_t rows : {1, 3})
            for (const unsigned group_bits : {0, 2}) {
                Places indices(count * rows);
                const Bytes values = other_bytes(indices.size() * 4);
                for (const std::uint64_t most : {count, 2 * count, std::size_t{0xffffffff}}) {
                    std::ranges::generate(indices, [&] { return random() % most; });
                    permuter.run(values, indices, rows, group_bits);
                }
                std::ranges::fill(indices, 0xffffffff);
                permuter.run(values, indices, rows, group_bits);
                std::ranges::fill(indices, count / 2);
                permuter.run(values, indices, rows, group_bits);
            }
}

/// Stable, with values that are all different, if their width allows.
template <Key K>
SortReport check_stable(Sorter& sorter, Request request, const std::vector<K>& keys, const Offsets& segments = {}) {
    request.stable = true;
    Bytes values(keys.size() * request.value_bytes);
    for (std::size_t i = 0; i < keys.size(); ++i)
        std::memcpy(&values[i * request.value_bytes], &i, std::min(request.value_bytes, sizeof i));
    return run_on_host(sorter, problem_of(request, keys, segments, values), keys.size() % 3);
}

TEST_CASE("built-in device: stable sorts of pairs, on one thread and on several") {
    Random random(seed());
    for (const unsigned threads : {1, 2, 5}) {
        CAPTURE(threads);
        Sorter sorter = sorter_on(threads);
        for (const std::size_t count : {2, 17, 65'535, 65'536, 100'003})
            for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
                for (const Order order : both_orders) {
                    const Request request{.order = order, .value_bytes = value_bytes};
                    check_stable(sorter, request, keys_with_twins<std::uint32_t>(count, random));
                    check_stable(sorter, request, make_keys<half>(Pattern::special_values, count, random));
                    if (value_bytes != 4) continue;
                    check_stable(sorter, request, make_keys<std::int64_t>(Pattern::all_equal, count, random));
                    check_stable(sorter, request, make_keys<double>(Pattern::special_values, count, random));
                    check_stable(sorter, request, make_keys<std::uint8_t>(Pattern::descending, count, random));
                }
        for (const auto& [kind, places] : permutations(70'001, random)) {
            const std::string name = kind;
            CAPTURE(name);
            std::vector<std::uint32_t> keys(places.size());
            for (std::size_t i = 0; i < places.size(); ++i) keys[places[i]] = static_cast<std::uint32_t>(i);
            check_stable(sorter, {.value_bytes = 8}, keys);
        }
    }
}

TEST_CASE("built-in device: stable sorts of pairs in rows and segments, few and many, and of the first keys") {
    Random random(seed());
    for (const unsigned threads : {1, 2, 5}) {
        CAPTURE(threads);
        Sorter sorter = sorter_on(threads);
        for (const std::size_t value_bytes : {2, 8, 16})
            for (const auto& [rows, length] :
                 {std::pair<std::size_t, std::size_t>{3, 70'001}, {2, 65'536}, {1, 66'000}, {500, 33}, {40, 1000}}) {
                const Request request{.order = both_orders[rows % 2], .row_length = length, .value_bytes = value_bytes};
                const auto keys = keys_with_twins<float>(rows * length, random);
                check_stable(sorter, request, keys);
                Request first = request;
                first.first = 10;
                first.stable = true;
                run_on_host(sorter, problem_of(first, keys));
            }
        for (const std::size_t count : {1000, 200'003}) {
            const auto keys = keys_with_twins<std::int16_t>(count, random);
            // Uneven ones, in front of and behind which pairs stay as they are.
            check_stable(sorter, {.value_bytes = 4}, keys, {5, 5, 9, count / 2, count / 2 + 1, count - 1});
            check_stable(sorter, {.first = 100, .value_bytes = 16}, keys);
        }
    }
}

TEST_CASE("built-in device: stable merges of pairs, in place and apart") {
    Random random(seed());
    for (const unsigned threads : {1, 2}) {
        Sorter sorter = sorter_on(threads);
        for (const std::size_t count : {3, 1000, 100'003})
            for (const std::size_t middle : {std::size_t{1}, count / 3, count - 1})
                for (const std::size_t value_bytes : {1, 4, 16})
                    for (const Order order : both_orders) {
                        auto keys = make_keys<float>(Pattern::special_values, count, random);
                        const Request request{.operation = Operation::merge,
                                              .order = order,
                                              .stable = true,
                                              .middle = middle,
                                              .value_bytes = value_bytes};
                        sort_two(keys, middle, [&](float a, float b) { return comes_before(a, b, order); });
                        const Problem problem = problem_of(request, keys, {}, other_bytes(count * value_bytes));
                        run_on_host(sorter, problem);
                        run_on_host(sorter, apart(problem));
                    }
    }
}

TEST_CASE("permute: a stable sort of pairs takes its indices, and a little for each thread that shares a range") {
    Random random(seed());
    constexpr std::size_t count = 100'003;
    const auto keys = random_keys<std::uint16_t>(count, random);
    for (const unsigned threads : {1, 2, 5, 64}) {
        Sorter sorter = sorter_on(threads);
        for (const std::size_t value_bytes : {1, 16}) {
            const SortReport report = check_stable(sorter, {.value_bytes = value_bytes}, keys);
            CHECK(report.device_bytes >= 4 * count);
            CHECK(report.device_bytes <= 4 * count + (threads > 1 ? threads * 256 * value_bytes : 0));
        }
    }
}

}  // namespace
}  // namespace lanesort::test
