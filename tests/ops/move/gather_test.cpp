// SPDX-License-Identifier: MIT
// Values that are moved by indices: gather, scatter and permute.
#include <numeric>

#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

using Places = std::vector<std::uint64_t>;

constexpr std::size_t widths[] = {1, 2, 4, 8, 16};

Bytes random_bytes(std::size_t count, Random& random) {
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

/// 0 .. count - 1 in any order.
Places shuffled(std::size_t count, Random& random) {
    Places places(count);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    std::ranges::shuffle(places, random);
    return places;
}

/// Any places, of which some are beyond the end.
Places some_places(std::size_t count, std::size_t of, Random& random) {
    Places places(count);
    for (std::uint64_t& place : places) place = random() % (of + of / 8 + 1);
    for (std::size_t i = 0; i < count; i += 97) places[i] = ~std::uint32_t{0} - i;
    return places;
}

Problem problem_of(Operation operation, std::size_t width, std::size_t index_bytes, std::size_t count,
                   const Places& indices, Random& random) {
    const std::size_t values = operation == Operation::scatter ? indices.size() : count;
    return problem_of_indices({.operation = operation, .value_bytes = width, .index_bytes = index_bytes}, count,
                              random_bytes(values * width, random), indices);
}

/// On any device, of several numbers of values and indices, by `run`.
void try_all(std::size_t index_bytes, std::size_t width, Random& random,
             const std::function<void(const Problem&)>& run) {
    for (const std::size_t count : {0, 1, 255, 256, 5003}) {
        for (const std::size_t indices : {0, 1, 257, 9001})
            run(problem_of(Operation::gather, width, index_bytes, count, some_places(indices, count, random), random));
        run(problem_of(Operation::permute, width, index_bytes, count, shuffled(count, random), random));
        run(problem_of(Operation::permute, width, index_bytes, count, some_places(count, count, random), random));
        // Each place once, and some beyond the end.
        Places places = shuffled(count + count / 4, random);
        places.resize(places.size() - places.size() / 3);
        run(problem_of(Operation::scatter, width, index_bytes, count, places, random));
    }
}

TEST_SUITE("gather") {
    TEST_CASE("gather: values of every width by indices of both") {
        Random random(seed());
        for (Target& target : targets())
            for (const std::size_t width : widths)
                for (const std::size_t index_bytes : {4, 8})
                    try_all(index_bytes, width, random, [&](const Problem& problem) {
                        run_everywhere(target, target.sorter(), problem, random() % 3);
                    });
    }

    TEST_CASE("gather: the built-in device moves the same, from any address") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for (const std::size_t width : widths)
            for (const std::size_t index_bytes : {4, 8}) {
                try_all(index_bytes, width, random,
                        [&](const Problem& problem) { run_on_host(sorter, problem, random() % 3); });
                run_on_host(sorter, problem_of(Operation::permute, width, index_bytes, 100'003,
                                               shuffled(100'003, random), random));
            }
        std::vector<std::byte> memory(4096);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
        const std::vector<std::uint32_t> indices{3, 0, 2, 1};
        std::memcpy(memory.data() + 1001, indices.data(), 16);
        sorter.gather(ConstValues(memory.data() + 3, 4, 16), ConstIndices(memory.data() + 1001, 4, 4),
                      Values(memory.data() + 2005, 4, 16));
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(std::memcmp(memory.data() + 2005 + 16 * i, memory.data() + 3 + 16 * indices[i], 16) == 0);
    }

    TEST_CASE("gather: argsort moves any number of arrays") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            const auto keys = random_keys<float>(3001, random);
            std::vector<std::uint32_t> order(keys.size());
            target.sorter().argsort(keys, order);
            std::vector<float> sorted = keys, gathered(keys.size());
            std::vector<std::uint16_t> places(keys.size());
            std::iota(places.begin(), places.end(), std::uint16_t{0});
            target.sorter().permute(sorted, order);
            target.sorter().permute(places, order);
            CHECK(std::ranges::is_sorted(sorted, [](float a, float b) { return before(a, b); }));
            CHECK(std::ranges::equal(places, order));
            target.sorter().gather(keys, order, gathered);
            CHECK(bytes_of(gathered) == bytes_of(sorted));
            target.sorter().scatter(sorted, order, gathered);
            CHECK(bytes_of(gathered) == bytes_of(keys));
        }
    }

    TEST_CASE("gather: of several values that are scattered to one place, one is there") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            std::vector<std::uint64_t> values(5000), places(7, 99);
            std::vector<std::uint32_t> indices(values.size());
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = i, indices[i] = static_cast<std::uint32_t>(i % 5);
            target.sorter().scatter(values, indices, places);
            for (std::size_t place = 0; place < 5; ++place) CHECK((places[place] < 5000 && places[place] % 5 == place));
            CHECK((places[5] == 99 && places[6] == 99));
        }
    }

    TEST_CASE("gather: what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint32_t> values(10), results(5);
            const std::vector<std::uint32_t> indices(5);
            std::vector<std::uint16_t> narrow(5);
            check_refused(ErrorCode::invalid_argument, "there are 5 indices, but there must be 10",
                          [&] { sorter.permute(values, indices); });
            check_refused(ErrorCode::invalid_argument, "there are 10 results, but there must be 5",
                          [&] { sorter.gather(values, indices, values); });
            check_refused(ErrorCode::invalid_argument, "4 bytes in one array, but 2 in another",
                          [&] { sorter.gather(values, indices, narrow); });
            check_refused(ErrorCode::invalid_argument, "overlap",
                          [&] { sorter.gather(values, indices, std::span(values).first(5)); });
            Request request{.operation = Operation::gather, .count = 10, .index_bytes = 4, .second_count = 5};
            check_refused(ErrorCode::invalid_argument, "there must be values", [&] { sorter.prepare(request); });
            request.value_bytes = 3;
            check_refused(ErrorCode::invalid_argument, "values have 3 bytes", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
