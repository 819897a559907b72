// SPDX-License-Identifier: MIT
// What sorters take from the machine: host memory, and whether they give all of it back.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "large/staging.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

/// A figure of /proc/self/status, in bytes.
std::size_t status_bytes(const std::string& name) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == name + ":") {
            std::size_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes << 10;
        }
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    throw std::runtime_error("/proc/self/status has no " + name);
}

std::size_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// Begins a new maximum of the memory in use.
void forget_peak() {
    std::ofstream file("/proc/self/clear_refs");
    file << 5 << std::flush;
    REQUIRE(file.good());
}

TEST_SUITE("resources") {
    TEST_CASE("resources: a sort in host memory takes no second array of it") {
        Random random(seed());
        constexpr std::size_t count = std::size_t{1} << 26, bytes = count * sizeof(std::uint32_t);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter sorter = target.new_sorter();
            std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(count, random);
            std::vector<std::uint32_t> few(keys.begin(), keys.begin() + (1 << 21));
            sorter.sort(std::span(few));
            // The kernels for so many keys are compiled before the figure is taken.
            sorter.prepare(KeyType::u32, count);
            forget_peak();
            const std::size_t before = status_bytes("VmHWM");
            sorter.sort(std::span(keys));
            const std::size_t after = status_bytes("VmHWM");
            CAPTURE(before);
            CAPTURE(after);
            // Memory to stage through there is besides: two pieces each way for each thread, by OpenCL of twice the
            // size (docs/memory.md).
            using lanesort::detail::Staging;
            const std::size_t piece = Staging::usual_buffer * (sorter.device().backend == "OpenCL" ? 2 : 1);
            const std::size_t staged = Staging::threads_that_copy() * 2 * Staging::buffers_each_way * piece;
            CHECK(after - before < (sorter.device().host_unified_memory ? bytes / 8 : staged + bytes / 16));
            CHECK(std::ranges::is_sorted(keys));
        }
    }

    // On every backend; what is held of OpenCL's objects is counted behind a layer, in faults_test.cpp.
    TEST_CASE("resources: a thousand sorters leave nothing behind") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const auto keys = random_keys<std::uint32_t>(1000, random);
            const auto expected = sorted(keys, Order::ascending);
            // Building a program takes PoCL a tenth of a second, so that only some of the sorters sort.
            const auto make = [&](int number) {
                Sorter sorter = target.new_sorter();
                if (number % 20 != 0) return;
                auto sorted_keys = keys;
                sorter.sort(std::span(sorted_keys));
                REQUIRE(sorted_keys == expected);
            };
            // The allocators of the library and the driver reach their size.
            for (int i = 0; i < 200; ++i) make(i);
            const std::size_t memory = status_bytes("VmRSS"), files = open_files();
            for (int i = 0; i < 1000; ++i) make(i);
            const std::size_t in_the_end = status_bytes("VmRSS");
            CAPTURE(memory);
            CAPTURE(in_the_end);
            MESSAGE("grown by ", static_cast<std::ptrdiff_t>(in_the_end - memory), " bytes");
            CHECK(in_the_end < memory + (std::size_t{4} << 20));
            CHECK(open_files() == files);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
