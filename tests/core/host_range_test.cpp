// SPDX-License-Identifier: MIT
// Sorts of ranges in host memory.
#include <algorithm>
#include <functional>
#include <numeric>

#include "error_support.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("host range: the report says what the plan says, and the memory that was taken") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const auto unsorted = random_keys<std::uint32_t>(300007, random);
        const std::uint64_t array_bytes = target.info.host_unified_memory ? 0 : unsorted.size() * sizeof unsorted[0];
        const Plan plan = sorter.plan(KeyType::u32, unsorted.size());
        const SyncCounts counts = exact_counts(plan);
        std::vector<std::uint32_t> keys;
        for (const bool data_independent : {false, true}) {
            keys = unsorted;
            const SortReport report = sorter.sort(std::span(keys), {.data_independent = data_independent});
            CHECK(report.sort_seconds > 0);
            CHECK(report.upload_seconds >= 0);
            CHECK(report.download_seconds >= 0);
            // A quicksort's launches depend on the keys.
            const std::uint64_t quicksort_bytes = data_independent ? 0 : target.most_quicksort_bytes();
            CHECK(report.device_bytes >= array_bytes);
            CHECK(report.device_bytes <= array_bytes + quicksort_bytes);
            if (quicksort_bytes > 0) continue;
            CHECK(report.launches == plan.passes.size());
            CHECK(report.hand_overs == counts.all - counts.by_cpu);
            CHECK(report.barriers == counts.barriers);
        }

        for (const std::size_t count : {0, 1}) {
            const SortReport nothing = sorter.sort(std::span(keys).first(count));
            CHECK(nothing.launches == 0);
            CHECK(nothing.device_bytes == 0);
        }
    }
}

TEST_CASE("host range: an order, the standard's function objects and k are arguments, and totals are values") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const auto unsorted = random_keys<std::int32_t>(1001, random);
        std::vector<std::int32_t> falling = unsorted, rising = unsorted;
        std::ranges::sort(falling, std::greater<>());
        std::ranges::sort(rising);
        const auto check_sorted = [&](const std::vector<std::int32_t>& expected, const auto& order) {
            std::vector<std::int32_t> keys = unsorted;
            sorter.sort(keys, order);
            CHECK(keys == expected);
        };
        check_sorted(falling, Order::descending);
        check_sorted(rising, Order::ascending);
        check_sorted(falling, std::greater<>());
        check_sorted(falling, std::greater<std::int32_t>());
        check_sorted(falling, std::ranges::greater());
        check_sorted(rising, std::less<>());
        check_sorted(rising, std::less<std::int32_t>());
        check_sorted(rising, std::ranges::less());

        std::vector<std::int32_t> best(7);
        sorter.top_k(unsorted, 7, best);
        CHECK(std::ranges::equal(best, std::span(falling).first(7)));
        check_refused(ErrorCode::invalid_argument, "8 keys, but 7", [&] { sorter.top_k(unsorted, 8, best); });

        const std::int64_t total = sorter.sum(unsorted);
        CHECK(total == std::accumulate(unsorted.begin(), unsorted.end(), std::int64_t{0}));
        CHECK(sorter.min(unsorted) == rising.front());
        CHECK(sorter.max(unsorted) == falling.front());
        const std::vector<float> few = {2.5f, -1.0f};
        CHECK(sorter.sum(few) == 1.5f);
        CHECK(sorter.sum(std::vector<std::uint8_t>(300, 255)) == std::uint64_t{76'500});
        CHECK(sorter.sum(std::vector<double>()) == 0);
        check_refused(ErrorCode::invalid_argument, "no numbers", [&] { sorter.min(std::vector<double>()); });
    }
}

TEST_CASE("host range: progress is told after every pass") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        std::vector<std::pair<std::size_t, std::size_t>> told;
        SorterOptions options;
        options.progress = [&](std::size_t done, std::size_t all) { told.emplace_back(done, all); };
        Sorter sorter = target.new_sorter(options);
        auto keys = random_keys<std::uint32_t>(500000, random);
        const SortReport report = sorter.sort(std::span(keys));
        REQUIRE(told.size() == report.launches);
        for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i] == std::pair{i + 1, told.size()});
    }
}

TEST_CASE("host range: a prepared sorter compiles nothing more") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter();
        sorter.prepare(KeyType::u32, 100000);
        const TemporaryFolder no_kernels;
        const ScopedVariable variable("LANESORT_KERNEL_DIR", no_kernels.path().string());
        auto keys = random_keys<std::int32_t>(100000, random);
        const auto expected = sorted(keys, Order::ascending);
        CHECK_NOTHROW(sorter.sort(std::span(keys)));
        require_same_bytes(keys, expected);
        CHECK(error_of([&] { sorter.prepare(KeyType::u64); }).code() == ErrorCode::build_failed);
    }
}

TEST_CASE("host range: a type known at run time") {
    Random random(seed());
    for (Target& target : targets()) {
        auto keys = random_keys<double>(1000, random);
        const auto expected = sorted(keys, Order::descending);
        target.sorter().sort({keys.data(), keys.size(), KeyType::f64}, {.order = Order::descending});
        require_same_bytes(keys, expected);
    }
}

TEST_CASE("device selection: a sorter opens any device that devices() lists") {
    Random random(seed());
    const Targets opened = targets();
    std::vector<Device> listed = devices();
    CHECK(std::erase_if(listed, [](const Device& device) { return device.info().backend == "CPU"; }) == 1);
    REQUIRE(listed.size() == opened.size());
    for (std::size_t number = 0; number < listed.size(); ++number) {
        const DeviceInfo& info = opened[number].get().info;
        CHECK(listed[number].info().backend == info.backend);
        CHECK(listed[number].info().name == info.name);
        Sorter sorter(listed[number]);
        CHECK(sorter.device().name == info.name);
        auto keys = random_keys<float>(5000, random);
        const auto expected = sorted(keys, Order::ascending);
        sorter.sort(std::span(keys));
        require_same_bytes(keys, expected);
    }
}

TEST_CASE("device selection: by number, by a part of the name in any case of letters, and by default") {
    if (targets().empty()) return;
    const std::vector<Device> listed = devices();
    for (std::size_t number = 0; number < listed.size(); ++number)
        CHECK(find_device(std::to_string(number)).info().name == listed[number].info().name);
    const Device& first = listed.front();
    std::string part = first.info().name.substr(1, 12);
    std::ranges::transform(part, part.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    CHECK(find_device(part).info().name == first.info().name);
    CHECK(find_device("default").info().name == find_device().info().name);
}

}  // namespace
}  // namespace lanesort::test
