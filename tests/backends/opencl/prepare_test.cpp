// SPDX-License-Identifier: MIT
// After prepare() a call compiles nothing. PoCL, which leaves most of its work to the first launch of a kernel, keeps
// what it compiled in a folder: here one of this process.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

namespace fs = std::filesystem;

/// A new folder that PoCL takes for its cache, since it is named before anything asks for a device.
class CacheFolder {
public:
    CacheFolder() {
        std::string name = (fs::temp_directory_path() / "lanesort-prepare-XXXXXX").string();
        if (::mkdtemp(name.data())) path_ = name;
        ::setenv("POCL_CACHE_DIR", path_.c_str(), 1);
    }
    ~CacheFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

    /// What the compiler made: programs, and kernels of them as machine code.
    std::set<std::string> compiled() const {
        std::set<std::string> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_))
            if (entry.path().extension() == ".so" || entry.path().extension() == ".bc")
                files.insert(fs::relative(entry.path(), path_).string());
        return files;
    }

private:
    fs::path path_;
};
const CacheFolder cache;

std::vector<OpenClTarget*> pocl_devices() {
    std::vector<OpenClTarget*> found;
    for (OpenClTarget& target : opencl_devices()) {
        const cl::Platform platform(opencl::handle_of<cl_platform_id>(target.device, CL_DEVICE_PLATFORM));
        if (platform.getInfo<CL_PLATFORM_NAME>() == "Portable Computing Language") found.push_back(&target);
    }
    if (found.empty()) ++skipped_device_cases();
    return found;
}

/// A call that was prepared for; `compiles` where nothing before it had the same kernels.
struct Case {
    std::string name;
    std::function<void(Sorter&)> prepare, call;
    bool compiles = true;
};

void check_prepared(Sorter& sorter, const std::vector<Case>& cases) {
    for (const Case& prepared : cases) {
        CAPTURE(prepared.name);
        const std::set<std::string> nothing = cache.compiled();
        prepared.prepare(sorter);
        const std::set<std::string> ready = cache.compiled();
        CHECK((ready != nothing) == prepared.compiles);
        prepared.call(sorter);
        CHECK(cache.compiled() == ready);
    }
}

std::function<void(Sorter&)> for_call(const KeyKind& type, Request request) {
    request.key = type;
    return [=](Sorter& sorter) { sorter.prepare(request); };
}

template <Key T>
std::vector<T> keys_of(std::size_t count) {
    Random random(seed());
    return random_keys<T>(count, random);
}

constexpr std::size_t few = 3000, many = 200'000;

TEST_SUITE("prepared calls") {
    TEST_CASE("prepared calls on host memory compile nothing") {
        const std::vector<Case> cases{
            {"sort of a tile", [](Sorter& sorter) { sorter.prepare(KeyType::u32, few); },
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(few);
                 sorter.sort(std::span(keys));
                 CHECK(std::ranges::is_sorted(keys));
             }},
            {"sort", [](Sorter& sorter) { sorter.prepare(KeyType::u32, many); },
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(many);
                 sorter.sort(std::span(keys));
                 CHECK(std::ranges::is_sorted(keys));
             }},
            {"sort of keys of the same width", [](Sorter& sorter) { sorter.prepare(KeyType::f32, many); },
             [](Sorter& sorter) {
                 auto keys = keys_of<float>(many);
                 sorter.sort(std::span(keys), {.order = Order::descending});
             },
             false},
            {"sort of as many keys, about", [](Sorter& sorter) { sorter.prepare(KeyType::u16, 11 * many); },
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint16_t>(10 * many);
                 sorter.sort(std::span(keys));
                 CHECK(std::ranges::is_sorted(keys));
             }},
            {"merge", for_call(KeyType::u32, {.operation = Operation::merge, .count = 60'000}),
             [](Sorter& sorter) {
                 for (const std::size_t middle : {1, 30'000, 59'999}) {
                     auto keys = keys_of<std::uint32_t>(60'000);
                     std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle));
                     std::sort(keys.begin() + static_cast<std::ptrdiff_t>(middle), keys.end());
                     sorter.merge(std::span(keys), middle);
                     CHECK(std::ranges::is_sorted(keys));
                 }
             }},
            {"sort_by_key", for_call(KeyType::u32, {.count = many, .value_bytes = 4}),
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(many);
                 auto values = keys;
                 sorter.sort_by_key(std::span(keys), std::span(values));
                 CHECK(keys == values);
             }},
            {"stable sort_by_key", for_call(KeyType::u32, {.count = few, .stable = true, .value_bytes = 4}),
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(few);
                 auto values = keys;
                 sorter.sort_by_key(std::span(keys), std::span(values), {.stable = true});
                 CHECK(keys == values);
             }},
            {"argsort", for_call(KeyType::u32, {.operation = Operation::argsort, .count = few, .index_bytes = 4}),
             [](Sorter& sorter) {
                 const auto keys = keys_of<std::uint32_t>(few);
                 std::vector<std::uint32_t> indices(few);
                 sorter.argsort(std::span(keys), std::span(indices));
                 CHECK(std::ranges::is_sorted(indices, {}, [&](std::uint32_t i) { return keys[i]; }));
             }},
            {"top_k",
             for_call(KeyType::u32, {.operation = Operation::top_k, .count = many, .first = 10, .index_bytes = 4}),
             [](Sorter& sorter) {
                 const auto keys = keys_of<std::uint32_t>(many);
                 std::vector<std::uint32_t> best(10), indices(10);
                 sorter.top_k(std::span(keys), std::span(best), std::span(indices));
                 CHECK(best[0] == *std::ranges::max_element(keys));
             }},
            {"rows", [](Sorter& sorter) { sorter.prepare(KeyType::u32, 300 * 1000, 300); },
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(300 * 1000);
                 sorter.sort(std::span(keys), {.row_length = 300});
                 CHECK(std::is_sorted(keys.end() - 300, keys.end()));
             }},
            {"more rows than PoCL has a short way for",
             [](Sorter& sorter) { sorter.prepare(KeyType::u32, 3 * 70'000, 3); },
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(3 * 70'000);
                 sorter.sort(std::span(keys), {.row_length = 3});
                 CHECK(std::is_sorted(keys.end() - 3, keys.end()));
             }},
            {"segments", for_call(KeyType::u32, {.count = 4000, .longest = 1501, .offset_bytes = 8}),
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(4000);
                 const std::vector<std::uint64_t> offsets{0, 1, 1001, 1500, 4000 - 999, 4000};
                 sorter.sort(std::span(keys), {.segments = offsets});
                 CHECK(std::is_sorted(keys.begin() + 1, keys.begin() + 1001));
             }},
            {"a scan of segments, of which nothing is said",
             for_call(KeyType::u32, {.operation = Operation::inclusive_scan, .count = many, .offset_bytes = 8}),
             [](Sorter& sorter) {
                 const std::vector<std::uint32_t> keys(many, 1);
                 std::vector<std::uint32_t> sums(many);
                 const std::vector<std::uint64_t> offsets{0, 3, 700, many};
                 sorter.inclusive_scan(std::span(keys), std::span(sums), {.segments = offsets});
                 CHECK(sums[699] == 697);
             }},
            {"sums of segments, likewise",
             for_call(KeyType::u32, {.operation = Operation::reduce, .count = many, .offset_bytes = 8}),
             [](Sorter& sorter) {
                 const std::vector<std::uint32_t> keys(many, 1);
                 std::vector<std::uint64_t> sums(3);
                 const std::vector<std::uint64_t> offsets{0, 3, 700, many};
                 sorter.reduce(std::span(keys), Reduction::sum, std::span(sums), {.segments = offsets});
                 CHECK(sums[1] == 697);
             }},
            {"is_sorted", for_call(KeyType::u32, {.operation = Operation::is_sorted, .count = many}),
             [](Sorter& sorter) {
                 auto keys = keys_of<std::uint32_t>(many);
                 CHECK_FALSE(sorter.is_sorted(std::span(keys)));
             }},
            {"unique", for_call(KeyType::u32, {.operation = Operation::unique, .count = many}),
             [](Sorter& sorter) {
                 std::vector<std::uint32_t> keys(many, 7), distinct(many);
                 CHECK(sorter.unique(std::span(keys), std::span(distinct)) == 1);
             }},
            {"run_lengths",
             for_call(KeyType::u32, {.operation = Operation::run_lengths, .count = many, .length_bytes = 4}),
             [](Sorter& sorter) {
                 std::vector<std::uint32_t> keys(many, 7), distinct(many), lengths(many);
                 CHECK(sorter.run_lengths(std::span(keys), std::span(distinct), std::span(lengths)) == 1);
                 CHECK(lengths[0] == many);
             }},
        };
        for (const OpenClTarget* const target : pocl_devices()) {
            Sorter sorter = target->new_sorter();
            check_prepared(sorter, cases);
        }
    }

    TEST_CASE("prepared calls on a queue compile nothing") {
        for (const OpenClTarget* const target : pocl_devices()) {
            // Kernels that no other case has, as the folder is one for all.
            const auto keys = keys_of<std::uint64_t>(many);
            const cl::CommandQueue& queue = target->queue;
            cl::Buffer buffer = buffer_of(*target, keys), others = buffer_of(*target, keys),
                       results = buffer_of(*target, keys);
            const opencl::KeyRange range{.memory = buffer(), .count = many, .type = KeyType::u64};
            const auto finished = [&](const auto&) { queue.finish(); };
            const std::vector<Case> cases{
                {"sort on a queue", for_call(KeyType::u64, {.count = many}),
                 [&](Sorter& sorter) { finished(opencl::enqueue(sorter, queue(), sort(range))); }},
                {"Recorded", for_call(KeyType::u64, {.count = many}),
                 [&](Sorter& sorter) { finished(record(*target, sorter, queue, sort(range)).enqueue()); }, false},
                {"sort_by_key on a queue", for_call(KeyType::u64, {.count = many, .value_bytes = 8}),
                 [&](Sorter& sorter) {
                     finished(opencl::enqueue(sorter, queue(), sort_by_key(range, {others(), 0, 8})));
                 }},
                {"merge on a queue", for_call(KeyType::u64, {.operation = Operation::merge, .count = many}),
                 [&](Sorter& sorter) { finished(opencl::enqueue(sorter, queue(), merge(range, many / 3))); }},
                {"argsort on a queue",
                 for_call(KeyType::u64, {.operation = Operation::argsort, .count = many, .index_bytes = 4}),
                 [&](Sorter& sorter) {
                     finished(opencl::enqueue(sorter, queue(), argsort(range, {others(), 0, 4})));
                 }},
                {"top_k on a queue",
                 for_call(KeyType::u64, {.operation = Operation::top_k, .count = many, .first = 10}),
                 [&](Sorter& sorter) {
                     finished(opencl::enqueue(sorter, queue(), top_k(range, 10, {others(), 0, {}})));
                 }},
                {"is_sorted_until on a queue",
                 for_call(KeyType::u64, {.operation = Operation::is_sorted, .count = many}),
                 [&](Sorter& sorter) {
                     finished(opencl::enqueue(sorter, queue(), is_sorted_until(range, {results(), 0})));
                 }},
                {"unique on a queue", for_call(KeyType::u64, {.operation = Operation::unique, .count = many}),
                 [&](Sorter& sorter) {
                     finished(opencl::enqueue(sorter, queue(), unique(range, {others(), 0, {results(), 0}})));
                 }},
            };
            Sorter sorter = target->new_sorter();
            check_prepared(sorter, cases);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
