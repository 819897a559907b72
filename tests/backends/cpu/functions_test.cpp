// SPDX-License-Identifier: MIT
// Records in the order of a C++ function, on the built-in device, beside the standard library.
#include "functions.hpp"

#include <array>
#include <atomic>
#include <cfenv>
#include <numeric>
#include <span>
#include <thread>

#include <lanesort/cpu.hpp>

#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "sorter_on.hpp"

namespace lanesort::test {
namespace {

/// Many are equal to the function, few in all bytes.
template <std::size_t bytes>
struct Sized {
    std::array<std::uint8_t, bytes> data;
};
template <std::size_t bytes>
Sized<bytes> random_record(Random& random, Sized<bytes>) {
    Sized<bytes> record{};
    for (std::uint8_t& byte : record.data) byte = static_cast<std::uint8_t>(random() % 3);
    record.data.back() = static_cast<std::uint8_t>(random());
    return record;
}
struct ByLastByte {
    template <std::size_t bytes>
    bool operator()(const Sized<bytes>& a, const Sized<bytes>& b) const {
        return a.data.back() % 16 > b.data.back() % 16;
    }
};

Particle random_record(Random& random, Particle) {
    return {static_cast<float>(random() % 50), static_cast<std::uint32_t>(random() % 3),
            static_cast<std::uint32_t>(random() % 4)};
}

struct Wide {
    std::uint64_t key;
    double others[2];
};
Wide random_record(Random& random, Wide) { return {random() % 1000, {1.5, static_cast<double>(random() % 2)}}; }

struct ByKey {
    bool operator()(const Wide& a, const Wide& b) const { return a.key < b.key; }
};

template <class T>
std::vector<T> random_records(std::size_t count, Random& random) {
    std::vector<T> records(count);
    for (T& record : records) record = random_record(random, T{});
    return records;
}

/// Runs problems of records of one type in the order of one function.
template <class T, class Function>
class Runner {
public:
    Runner(Sorter& sorter, const Function& function) : sorter_(sorter), function_(function) {}

    void run(const Request& request, const std::vector<T>& records, const Offsets& segments = {},
             const std::vector<T>& needles = {}) {
        run_on_host(sorter_, problem(request, records, segments, needles), 1 + records.size() % 3);
    }
    void run_apart(const Request& request, const std::vector<T>& records) {
        run_on_host(sorter_, apart(problem(request, records, {})), 1);
    }

private:
    Problem problem(const Request& request, const std::vector<T>& records, const Offsets& segments,
                    const std::vector<T>& needles = {}) const {
        return problem_of(request, ConstKeys(records, function_).kind(), records, function_, segments, {}, 0,
                          bytes_of(needles));
    }

    Sorter& sorter_;
    const Function& function_;
};

template <class Each>
void for_each_size(const Each& each) {
    each(Sized<1>{});
    each(Sized<3>{});
    each(Sized<16>{});
    each(Sized<100>{});
}

TEST_CASE("built-in device: functions order records of many sizes") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for_each_size([&]<class T>(T) {
        const ByLastByte function;
        Runner<T, ByLastByte> runner(sorter, function);
        for (const std::size_t count : {0, 1, 2, 3, 16, 17, 255, 1000, 4097, 20'001})
            for (const bool stable : {false, true}) runner.run({.stable = stable}, random_records<T>(count, random));
    });
    const auto by_score = [](const Particle& a, const Particle& b) { return a.score < b.score; };
    Runner<Particle, decltype(by_score)> runner(sorter, by_score);
    for (std::size_t count = 0; count <= 300; ++count)
        for (const bool stable : {false, true}) runner.run({.stable = stable}, random_records<Particle>(count, random));
    for (const bool stable : {false, true})
        for (const std::size_t count : {65'536, 131'149, 300'001})
            runner.run({.stable = stable}, random_records<Particle>(count, random));
}

TEST_CASE("built-in device: functions order records with values and indices of every width") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto check = [&]<class T>(T) {
        const ByLastByte function;
        Runner<T, ByLastByte> runner(sorter, function);
        for (const std::size_t count : {0, 1, 2, 100, 5000}) {
            const auto records = random_records<T>(count, random);
            for (const std::size_t value_bytes : {1, 2, 4, 8, 16})
                for (const bool stable : {false, true})
                    runner.run({.stable = stable, .value_bytes = value_bytes}, records);
            for (const std::size_t index_bytes : {4, 8})
                runner.run({.operation = Operation::argsort, .index_bytes = index_bytes}, records);
        }
    };
    check(Sized<3>{});
    check(Sized<16>{});
    check(Sized<100>{});
}

TEST_CASE("built-in device: every operation on records that a function orders") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const ByKey function;
    Runner<Wide, ByKey> runner(sorter, function);
    for (const std::size_t count : {0, 1, 2, 30, 300, 9000, 40'000}) {
        auto records = random_records<Wide>(count, random);
        for (const std::size_t first : {std::size_t{1}, count / 3, count})
            if (first <= count) runner.run({.first = first}, records);
        if (count > 0) {
            Offsets segments = {0, count / 7, count / 7, count / 2, count};
            for (const bool stable : {false, true}) {
                runner.run({.stable = stable}, records, segments);
                runner.run({.stable = stable, .value_bytes = 4}, records, segments);
            }
        }
        for (const std::size_t length : {1, 2, 30})
            if (count % length == 0) {
                runner.run({.row_length = length}, records);
                runner.run({.operation = Operation::argsort, .row_length = length, .index_bytes = 4}, records);
                runner.run({.operation = Operation::is_sorted, .row_length = length}, records);
                if (count > 0) runner.run({.operation = Operation::top_k, .row_length = length, .first = 1}, records);
            }
        for (const std::size_t k : {1, 9, 300})
            for (const std::size_t index_bytes : {0, 4, 8})
                if (k <= count)
                    runner.run({.operation = Operation::top_k, .first = k, .index_bytes = index_bytes}, records);
        for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until})
            runner.run({.operation = operation}, records);
        for (const std::size_t middle : {std::size_t{0}, count / 5, count})
            for (const bool stable : {false, true}) {
                // What decides between equal elements is a part of the order, if they are not to keep theirs.
                auto two = records;
                sort_two(two, middle, [&](const Wide& a, const Wide& b) {
                    return a.key < b.key || (!stable && a.key == b.key && a.others[1] < b.others[1]);
                });
                for (const std::size_t value_bytes : {0, 2, 16}) {
                    if (!stable && value_bytes > 0) continue;
                    const Request merge{
                        .operation = Operation::merge, .stable = stable, .middle = middle, .value_bytes = value_bytes};
                    runner.run(merge, two);
                    runner.run_apart(merge, two);
                }
            }
        std::ranges::stable_sort(records, function);
        for (const Operation operation : {Operation::is_sorted, Operation::is_sorted_until})
            runner.run({.operation = operation}, records);
        for (const bool in_place : {false, true})
            for (const std::size_t value_bytes : {0, 1, 16})
                runner.run({.operation = Operation::unique, .in_place = in_place, .value_bytes = value_bytes}, records);
        for (const std::size_t length_bytes : {4, 8})
            runner.run({.operation = Operation::run_lengths, .length_bytes = length_bytes}, records);
        for (const Operation operation : {Operation::lower_bound, Operation::upper_bound, Operation::equal_range})
            runner.run({.operation = operation, .index_bytes = count % 2 > 0 ? 4u : 8u}, records, {},
                       random_records<Wide>(99, random));
    }
}

TEST_CASE("built-in device: functions order records at every address") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const ByKey function;
    const auto records = random_records<Wide>(3000, random);
    auto sorted = records;
    std::ranges::stable_sort(sorted, function);
    for (std::size_t address = 0; address < 16; ++address) {
        std::vector<std::byte> memory(16 + records.size() * sizeof(Wide));
        std::memcpy(memory.data() + address, records.data(), records.size() * sizeof(Wide));
        sorter.sort(Keys(memory.data() + address, records.size(), ConstKeys(records, function).kind()),
                    {.stable = true});
        CHECK(std::memcmp(memory.data() + address, sorted.data(), sorted.size() * sizeof(Wide)) == 0);
    }
}

bool by_group(const Particle& a, const Particle& b) { return a.group < b.group; }

TEST_CASE("functions: lambdas, functions, pointers to them, and two files of one program") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto records = random_records<Particle>(5000, random);
    auto by_score = records, grouped = records;
    std::ranges::stable_sort(by_score, std::less<Particle>());
    std::ranges::stable_sort(grouped, by_group);

    auto sorted = records;
    sorter.sort(sorted, std::less<Particle>(), {.stable = true});
    CHECK(sorted == by_score);
    sorted = records;
    sort_elsewhere(sorter, sorted);
    CHECK(sorted == by_score);
    sorted = records;
    sorter.sort(sorted, by_group, {.stable = true});
    CHECK(sorted == grouped);
    sorted = records;
    sorter.sort({sorted, &by_group}, {.stable = true});
    CHECK(sorted == grouped);
    sorted = records;
    sort_elsewhere_by_group(sorter, sorted);
    CHECK(std::ranges::is_sorted(sorted, by_group));
}

TEST_CASE("functions: one with a state orders by the state that it has when it is called") {
    Random random(seed());
    Sorter sorter(built_in_device());
    for (const std::size_t count : {10, 1000, 70'000}) {
        std::vector<std::uint32_t> ranks(count), records(count);
        std::iota(records.begin(), records.end(), 0u);
        const auto by_rank = [&ranks](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; };
        for (int round = 0; round < 3; ++round) {
            for (std::uint32_t& rank : ranks) rank = static_cast<std::uint32_t>(random());
            sorter.sort(records, by_rank);
            CHECK(std::ranges::is_sorted(records, by_rank));
            // Another object of the same type, of which the call is otherwise equal.
            std::vector<std::uint32_t> others = ranks;
            std::ranges::reverse(others);
            const auto same_type = [](const std::vector<std::uint32_t>& of) {
                return [&of](std::uint32_t a, std::uint32_t b) { return of[a] < of[b]; };
            };
            sorter.sort({records, same_type(ranks)});
            CHECK(std::ranges::is_sorted(records, same_type(ranks)));
            sorter.sort({records, same_type(others)});
            CHECK(std::ranges::is_sorted(records, same_type(others)));
        }
    }
}

struct NoDefault {
    explicit NoDefault(int number) : key(number) {}
    alignas(32) int key;
};

TEST_CASE("functions: records without a default constructor, and of a large alignment") {
    Sorter sorter(built_in_device());
    std::vector<NoDefault> records;
    for (int i = 0; i < 1000; ++i) records.emplace_back(i * 7919 % 1000);
    sorter.sort(records, [](const NoDefault& a, const NoDefault& b) { return a.key < b.key; });
    for (int i = 0; i < 1000; ++i) CHECK(records[static_cast<std::size_t>(i)].key == i);
}

TEST_CASE("functions: two threads with a sorter each, and one function") {
    std::atomic<std::uint64_t> calls = 0;
    const auto counted = [&calls](const Particle& a, const Particle& b) {
        calls.fetch_add(1, std::memory_order_relaxed);
        return a < b;
    };
    bool is_right[2] = {};
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 2; ++thread)
        threads.emplace_back([&, thread] {
            Random random(thread);
            Sorter sorter(built_in_device());
            is_right[thread] = true;
            for (const std::size_t count : {100, 50'000}) {
                auto records = random_records<Particle>(count, random);
                sorter.sort({records, counted});
                is_right[thread] = is_right[thread] && std::ranges::is_sorted(records, std::less<Particle>());
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(is_right[0]);
    CHECK(is_right[1]);
    CHECK(calls > 0);
}

TEST_CASE("functions: segments of unequal lengths take no more calls than each of its own") {
    Random random(seed());
    Sorter sorter(built_in_device());
    Offsets short_ones;
    for (std::size_t offset = 0; offset <= 30'000; offset += 100) short_ones.push_back(offset);
    const Offsets long_one = {30'000, 80'000};
    Offsets all = short_ones;
    all.push_back(long_one.back());
    const auto records = random_records<Particle>(all.back(), random);
    const auto calls_for = [&](const Offsets& offsets) {
        std::atomic<std::uint64_t> calls = 0;
        const auto counted = [&calls](const Particle& a, const Particle& b) {
            calls.fetch_add(1, std::memory_order_relaxed);
            return a < b;
        };
        auto sorted = records;
        sorter.sort({sorted, counted}, {.segments = offsets});
        return calls.load();
    };
    CHECK(calls_for(all) <= calls_for(short_ones) + calls_for(long_one));
}

TEST_CASE("functions: one computes in the default floating-point environment, whatever the caller's is") {
    Random random(seed());
    auto records = random_records<Particle>(200'000, random);
    std::atomic<bool> is_default = true;
    std::fesetround(FE_UPWARD);
    sorter_on(3).sort({records, [&](const Particle& a, const Particle& b) {
                           if (std::fegetround() != FE_TONEAREST) is_default.store(false, std::memory_order_relaxed);
                           return a < b;
                       }});
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    CHECK(is_default);
    CHECK(std::ranges::is_sorted(records, std::less<Particle>()));
}

TEST_CASE("functions: whatever a function says, no record is lost and nothing else is touched") {
    Random random(seed());
    Sorter sorter(built_in_device());
    const auto check = [&](const auto& function) {
        for (const std::size_t count : {1, 2, 5, 300, 9000}) {
            const std::size_t front = 5;
            auto memory = random_records<Wide>(count + 2 * front, random);
            for (std::size_t i = 0; i < memory.size(); ++i) memory[i].key = i;
            std::vector<std::uint32_t> indices(count);
            const auto keys_of = [](std::span<const Wide> records) {
                std::vector<std::uint64_t> keys;
                for (const Wide& record : records) keys.push_back(record.key);
                return keys;
            };
            const auto before = keys_of(memory);
            const std::span<Wide> records = std::span(memory).subspan(front, count);
            for (const bool stable : {false, true}) sorter.sort({records, function}, {.stable = stable});
            sorter.argsort({records, function}, indices);
            sorter.partial_sort({records, function}, count / 2);
            sorter.merge({records, function}, count / 3);
            for (const std::uint32_t index : indices) CHECK(index < count);
            auto after = keys_of(memory);
            std::sort(after.begin() + front, after.end() - front);
            CHECK(after == before);
        }
    };
    using Answer = bool (*)(std::uint64_t, std::uint64_t);
    const Answer answers[] = {[](std::uint64_t, std::uint64_t) { return true; },
                              [](std::uint64_t, std::uint64_t) { return false; },
                              [](std::uint64_t a, std::uint64_t b) { return a <= b; },
                              [](std::uint64_t a, std::uint64_t b) { return (a * 31 + b * 17) % 3 == 0; }};
    for (const Answer answer : answers) check([answer](const Wide& a, const Wide& b) { return answer(a.key, b.key); });
}

TEST_CASE("functions: what cannot be is refused, and the sorter goes on") {
    Random random(seed());
    Sorter sorter(built_in_device());
    auto records = random_records<Particle>(1000, random);
    const auto before = records;
    const std::less<Particle> function;
    check_refused(ErrorCode::unsupported, "lanesort/cpu.hpp", [&] {
        sorter.sort({records, Comparator{"particle", sizeof(Particle), "a.id < b.id"}});
    });
    check_refused(ErrorCode::invalid_argument, "the order of their function", [&] {
        sorter.sort({records, function}, {.order = Order::descending});
    });
    check_refused(ErrorCode::unsupported, "of the shapes that the library chooses", [&] {
        const Shape small{.vectors = 32, .work_items = 1, .register_vectors = 4, .steps_per_pass = 4};
        Sorter(built_in_device(), {.shape = small}).sort({records, function});
    });
    CHECK(records == before);
    sorter.sort(records, function);
    CHECK(std::ranges::is_sorted(records, std::less<Particle>()));
}

}  // namespace
}  // namespace lanesort::test
