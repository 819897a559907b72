// SPDX-License-Identifier: MIT
// Sorts structs in the order of a C++ function, on the processor: the tasks of a queue, by the urgency of their kind,
// which the function looks up in a table, and of the same urgency in the order of arrival.
//
//     build/release/examples/function
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include <lanesort/cpu.hpp>
#include <lanesort/lanesort.hpp>

struct Task {
    std::uint32_t kind;
    std::uint32_t size;
    std::uint64_t arrival;
    friend bool operator==(const Task&, const Task&) = default;
};

int main() try {
    std::mt19937 random(1);
    std::array<std::uint32_t, 16> urgency{};
    for (std::uint32_t& of_kind : urgency) of_kind = static_cast<std::uint32_t>(random() % 8);
    std::vector<Task> tasks(100'000);
    for (std::size_t i = 0; i < tasks.size(); ++i)
        tasks[i] = {static_cast<std::uint32_t>(random() % urgency.size()), static_cast<std::uint32_t>(random()), i};

    // The kernels are compiled here, with the function in them. Devices that compile kernels take its order as text.
    const auto more_urgent = [&](const Task& a, const Task& b) { return urgency[a.kind] > urgency[b.kind]; };
    lanesort::Sorter sorter(lanesort::built_in_device());
    std::vector<Task> queue = tasks;
    sorter.sort(queue, more_urgent, {.stable = true});

    std::ranges::stable_sort(tasks, more_urgent);
    const bool right = queue == tasks;
    std::printf("%zu tasks, on %s: %s\n", queue.size(), sorter.device().name.c_str(), right ? "sorted" : "WRONG");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "function: %s\n", error.what());
    return 1;
}
