// SPDX-License-Identifier: MIT
// What a small call on the built-in device does besides sorting: nothing. In a program of its own, since it replaces
// the allocation functions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

std::size_t allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace lanesort::test {
namespace {

std::ptrdiff_t threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

struct Arrays {
    explicit Arrays(std::size_t count) : keys(count), values(count), indices(count), offsets{0, count / 3, count} {
        std::ranges::generate(keys, std::mt19937(static_cast<unsigned>(count)));
        std::iota(values.begin(), values.end(), 0u);
    }
    std::vector<std::uint32_t> keys, values, indices;
    std::vector<std::uint64_t> offsets;
};

struct NamedCall {
    const char* name;
    std::function<void(Sorter&, Arrays&)> run;
};

const NamedCall calls[] = {
    {"sort", [](Sorter& sorter, Arrays& arrays) { sorter.sort(arrays.keys); }},
    {"sort, descending",
     [](Sorter& sorter, Arrays& arrays) { sorter.sort(arrays.keys, {.order = Order::descending}); }},
    {"sort_by_key", [](Sorter& sorter, Arrays& arrays) { sorter.sort_by_key(arrays.keys, arrays.values); }},
    {"stable sort_by_key",
     [](Sorter& sorter, Arrays& arrays) { sorter.sort_by_key(arrays.keys, arrays.values, {.stable = true}); }},
    {"argsort", [](Sorter& sorter, Arrays& arrays) { sorter.argsort(arrays.keys, arrays.indices); }},
    {"rows", [](Sorter& sorter, Arrays& arrays) { sorter.sort(arrays.keys, {.row_length = arrays.keys.size() / 2}); }},
    {"segments", [](Sorter& sorter, Arrays& arrays) { sorter.sort(arrays.keys, {.segments = arrays.offsets}); }},
    {"merge", [](Sorter& sorter, Arrays& arrays) { sorter.merge(arrays.keys, arrays.keys.size() / 2); }},
};

TEST_CASE("a small call on the built-in device that is like an earlier one allocates nothing and starts no thread") {
    Sorter sorter(built_in_device());
    const std::ptrdiff_t threads_before = threads();
    for (const std::size_t count : {2, 16, 100, 1000, 4000, 16'384}) {
        Arrays arrays(count);
        for (const NamedCall& call : calls) {
            CAPTURE(call.name);
            CAPTURE(count);
            call.run(sorter, arrays);
            const std::size_t before = allocations;
            call.run(sorter, arrays);
            const std::size_t after = allocations;
            CHECK(after == before);
        }
        CHECK(threads() == threads_before);
    }
}

TEST_CASE("nor does a quicksort of a few more keys, or of pairs") {
    Sorter sorter(built_in_device());
    const std::ptrdiff_t threads_before = threads();
    for (const std::size_t count : {16'385, 24'000}) {
        Arrays arrays(count);
        for (const NamedCall& call : std::span(calls).first(3)) {
            CAPTURE(call.name);
            CAPTURE(count);
            call.run(sorter, arrays);
            std::ranges::generate(arrays.keys, std::mt19937(1));
            const std::size_t before = allocations;
            call.run(sorter, arrays);
            const std::size_t after = allocations;
            CHECK(after == before);
        }
        CHECK(threads() == threads_before);
    }
}

TEST_CASE("the allocations of a large call are seen") {
    Sorter sorter(built_in_device());
    Arrays arrays(100'000);
    sorter.argsort(arrays.keys, arrays.indices);
    const std::size_t before = allocations;
    sorter.argsort(arrays.keys, arrays.indices);
    const std::size_t after = allocations;
    CHECK(after == before + 1);
}

}  // namespace
}  // namespace lanesort::test
