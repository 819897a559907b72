// SPDX-License-Identifier: MIT
// How ranges are divided, without a device: what the kernels do to random keys has room in the tables.
#include "ops/sort/distribution_schedule.hpp"

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "core/integers.hpp"
#include "devices_made_up.hpp"
#include "distribution_rules.hpp"

namespace lanesort::detail {
namespace {

DeviceInfo large_card() {
    DeviceInfo card = test::graphics_card();
    card.compute_units = 132;
    card.max_work_items = 1024;
    card.local_bytes = 227 << 10;
    return card;
}

/// How many ranges there are among the first so many that there may be, after levels of so many children each.
std::uint64_t ranges_among(std::uint64_t first, const std::vector<Level>& levels,
                           std::span<const std::uint64_t> children) {
    if (children.empty()) return std::min<std::uint64_t>(first, 1);
    const unsigned bits = levels[children.size() - 1].buckets.bits;
    const std::uint64_t whole = first >> bits, rest = first - (whole << bits);
    const auto before = children.first(children.size() - 1);
    const std::uint64_t of_whole = ranges_among(whole, levels, before);
    const bool has_rest = ranges_among(whole + 1, levels, before) > of_whole;
    return of_whole * children.back() + (has_rest ? std::min(rest, children.back()) : 0);
}

TEST_CASE("distribution: ranges that are as long as samples make them have room in every batch") {
    for (const DeviceInfo& device : {large_card(), test::graphics_card()})
        for (const ElementBytes& bytes : {ElementBytes(4), ElementBytes(8), ElementBytes(4, 4), ElementBytes(1)})
            for (const std::uint64_t power : {20, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34})
                for (const std::uint64_t eighths : {8, 9, 10, 11, 13, 15}) {
                    const std::uint64_t count = (std::uint64_t{1} << power) / 8 * eighths;
                    CAPTURE(count);
                    CAPTURE(bytes.all());
                    CAPTURE(device.compute_units);
                    const std::uint64_t leaf = choose_shape(device, bytes, count).tile_keys();
                    const auto made =
                        make_distribution(device, bytes, count, leaf, most_distribution_bytes(count, bytes));
                    if (!made) continue;
                    // Each range of random keys is divided into as many children as its size wants. They are the first
                    // of those that it may have, so the first batch has the most of them.
                    std::vector<std::uint64_t> children;
                    std::uint64_t size = count;
                    for (const Level& level : made->levels) {
                        CHECK(level.most_stripes >= level.batch());
                        CHECK(ranges_among(level.batch(), made->levels, children) * (size / level.buckets.block) <=
                              level.slots);
                        children.push_back(ceil_div(size, level.child));
                        CHECK(children.back() <= std::uint64_t{1} << level.buckets.bits);
                        size = ceil_div(size, children.back());
                    }
                    CHECK(size <= leaf * 3 / 4);
                }
}

TEST_CASE("distribution: batches have room for random keys, whose samples are not quite what the keys are") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<> key;
    for (const DeviceInfo& device : {large_card(), test::graphics_card()})
        for (const ElementBytes& bytes : {ElementBytes(4), ElementBytes(8), ElementBytes(4, 4)})
            for (const std::uint64_t power : {27, 28, 29, 30, 31, 32, 33}) {
                const std::uint64_t count = std::uint64_t{1} << power;
                CAPTURE(count);
                CAPTURE(bytes.all());
                CAPTURE(device.compute_units);
                const std::uint64_t leaf = choose_shape(device, bytes, count).tile_keys();
                const auto made = make_distribution(device, bytes, count, leaf, most_distribution_bytes(count, bytes));
                if (!made || made->levels.size() < 2 || made->levels[1].batches == 1) continue;
                const Level& first = made->levels.front();
                const std::uint64_t children = ceil_div(count, first.child), batches = made->levels[1].batches;
                const std::uint64_t of_batch = first.children() / batches;
                std::vector<double> sample(first.buckets.sample);
                for (int i = 0; i < 200; ++i) {
                    for (double& k : sample) k = key(random);
                    std::sort(sample.begin(), sample.end());
                    // Where a child begins, of keys from 0 to 1.
                    const auto begin = [&](std::uint64_t child) {
                        return child == 0 ? 0. : child >= children ? 1. : sample[child * sample.size() / children];
                    };
                    double most = 0;
                    for (std::uint64_t b = 0; b < batches; ++b)
                        most = std::max(most, begin((b + 1) * of_batch) - begin(b * of_batch));
                    for (std::size_t l = 1; l < made->levels.size(); ++l) {
                        const Level& level = made->levels[l];
                        CHECK(most * static_cast<double>(count / level.buckets.block) <= level.slots);
                    }
                }
            }
}

TEST_CASE("distribution: on poor devices, and however little or much memory it may take") {
    for (const std::uint64_t local : {4096u, 8192u, 16384u, 32768u, 227u << 10})
        for (const unsigned items : {32u, 128u, 256u, 1024u})
            for (const ElementBytes& bytes :
                 {ElementBytes(1), ElementBytes(4), ElementBytes(8, 8, 4), ElementBytes(16, 16)})
                for (const std::uint64_t count : {10'000ull, 38'546ull, 1'000'003ull, 1ull << 26})
                    for (const std::uint64_t most : {1000ull, 100'000ull, 10'000'000ull, 1ull << 40}) {
                        DeviceInfo device = test::graphics_card();
                        device.local_bytes = local;
                        device.max_work_items = items;
                        const auto made = make_distribution(device, bytes, count, 512, most);
                        if (!made) continue;
                        const char* const broken = test::broken_rule(*made, device, bytes, count, 512, most);
                        CHECK_MESSAGE(broken == nullptr, broken);
                        std::uint64_t units = shared_tables(*made).end;
                        for (const Level& level : made->levels) units = level_tables(level, units).end;
                        const std::uint64_t taken =
                            8 * units + (made->splitters + made->pool_elements) * bytes_in_memory(bytes);
                        // What is of no use is not taken.
                        CHECK(taken <= std::max<std::uint64_t>(4 * count * bytes.all(), 4 << 20));
                    }
}

TEST_CASE("distribution: within the limits of the kernels, whatever the device, or none") {
    std::size_t made_in_all = 0;
    for (const std::uint64_t local : {4096u, 6000u, 8192u, 16384u, 32768u, 65536u, 227u << 10})
        for (const unsigned items : {32u, 128u, 256u, 1024u})
            for (const unsigned units : {1u, 20u, 132u, 1u << 16, 1u << 31})
                for (const ElementBytes& bytes :
                     {ElementBytes(1), ElementBytes(4), ElementBytes(8, 8, 4), ElementBytes(64, 0, 1, true)})
                    for (const std::uint64_t leaf : {1ull, 64ull, 512ull, 16384ull, 1ull << 20, 1ull << 63})
                        for (const std::uint64_t count : {0ull, 300ull, 70'001ull, (1ull << 31) - 1, (1ull << 32) + 1,
                                                          1ull << 34, (1ull << 34) + 1, ~0ull})
                            for (const std::uint64_t most : {0ull, 1ull << 20, 1ull << 40}) {
                                DeviceInfo device = test::graphics_card();
                                device.local_bytes = local;
                                device.max_work_items = items;
                                device.compute_units = units;
                                const auto made = make_distribution(device, bytes, count, leaf, most);
                                if (!made) continue;
                                ++made_in_all;
                                CAPTURE(local);
                                CAPTURE(items);
                                CAPTURE(units);
                                CAPTURE(bytes.all());
                                CAPTURE(leaf);
                                CAPTURE(count);
                                CAPTURE(most);
                                const char* const broken = test::broken_rule(*made, device, bytes, count, leaf, most);
                                CHECK_MESSAGE(broken == nullptr, broken);
                            }
    CHECK(made_in_all > 1000);
    MESSAGE(made_in_all, " plans");
}

TEST_CASE("distribution: 32 and 48 KB of local memory are enough for arrays of up to 256 MiB") {
    for (const std::uint64_t local : {32u << 10, 48u << 10})
        for (const ElementBytes& bytes : {ElementBytes(4), ElementBytes(8), ElementBytes(4, 4), ElementBytes(8, 8)})
            for (const unsigned power : {22, 24, 26, 28}) {
                CAPTURE(local);
                CAPTURE(bytes.all());
                CAPTURE(power);
                DeviceInfo device = test::graphics_card();
                device.local_bytes = local;
                device.max_work_items = 1024;
                const std::uint64_t count = (std::uint64_t{1} << power) / bytes.all();
                const std::uint64_t leaf = choose_shape(device, bytes, count).tile_keys();
                CHECK(make_distribution(device, bytes, count, leaf, most_distribution_bytes(count, bytes)));
            }
}

}  // namespace
}  // namespace lanesort::detail
