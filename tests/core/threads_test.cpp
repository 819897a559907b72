// SPDX-License-Identifier: MIT
// Sorters of several threads: each thread has its own, and none knows of the others.
#include <stdexcept>
#include <thread>

#include "target.hpp"

namespace lanesort::test {
namespace {

constexpr std::size_t count = 60'000;
using Words = std::vector<std::uint32_t>;

/// Runs it in two threads at a time; gives what went wrong in either.
template <class Work>
std::vector<std::string> failures_in_two_threads(Work work) {
    std::vector<std::string> failures(2);
    const auto guarded = [&](std::size_t number) {
        try {
            work(number);
        } catch (const std::exception& failure) {
            failures[number] = failure.what();
        }
    };
    std::thread first(guarded, 0), second(guarded, 1);
    first.join();
    second.join();
    return failures;
}

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

TEST_SUITE("threads") {
    TEST_CASE("threads: two sorters sort side by side, in the device's memory and in the host's") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const auto keys = random_keys<std::uint32_t>(count, random);
            const auto failures = failures_in_two_threads([&](std::size_t number) {
                const Order order = both_orders[number];
                const Words expected = sorted(keys, order);
                Sorter sorter = target.new_sorter();
                const auto memory = target.memory(bytes_of(keys));
                for (int repetition = 0; repetition < 10; ++repetition) {
                    memory->write(bytes_of(keys));
                    memory->enqueue(sorter, sort(KeyRange{here, 0, count, KeyType::u32, order}));
                    expect(keys_of<std::uint32_t>(memory->read()) == expected, "wrong order in the device's memory");
                    Words in_host_memory = keys;
                    sorter.sort(in_host_memory, {.order = order});
                    expect(in_host_memory == expected, "wrong order in host memory");
                }
            });
            for (const std::string& failure : failures) CHECK(failure == "");
        }
    }

    TEST_CASE("threads: sorters come and go, and err, while others sort") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const auto keys = random_keys<std::uint32_t>(5000, random);
            const auto expected = sorted(keys, Order::ascending);
            const auto failures = failures_in_two_threads([&](std::size_t number) {
                for (int repetition = 0; repetition < 3; ++repetition) {
                    Sorter sorter = target.new_sorter();
                    Words again = keys;
                    if (number == 0) {
                        sorter.sort(std::span(again));
                    } else {
                        bool refused = false;
                        try {
                            sorter.merge(std::span(again), again.size() + 1);
                        } catch (const Error& error) {
                            refused = error.code() == ErrorCode::out_of_range;
                        }
                        expect(refused, "a middle behind the end was not refused");
                        Words indices(keys.size());
                        sorter.argsort(std::span(again), std::span(indices));
                        for (std::size_t i = 0; i < indices.size(); ++i) again[i] = keys[indices[i]];
                    }
                    expect(again == expected, "wrong order");
                }
            });
            for (const std::string& failure : failures) CHECK(failure == "");
        }
    }

    TEST_CASE("threads: a sorter may move from one thread to the next") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Words keys = random_keys<std::uint32_t>(5000, random), reversed = keys;
            const Words expected = sorted(keys, Order::ascending), descending = sorted(keys, Order::descending);
            Sorter sorter = target.new_sorter();
            sorter.sort(std::span(keys));
            std::thread([&, moved = std::move(sorter)]() mutable {
                moved.sort(reversed, {.order = Order::descending});
            }).join();
            CHECK(keys == expected);
            CHECK(reversed == descending);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
