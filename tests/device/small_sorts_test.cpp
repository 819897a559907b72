// Every operation at small sizes: for implementations that are slow because they check, and for shapes that a poor
// device forces on the library.
#include <numeric>

#include "fit.hpp"
#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

/// A device's memory of words, with red zones between the keys and a second array.
struct Words {
    explicit Words(std::size_t keys, Random& random)
        : count(keys), second((keys + 15) / 2 * 2), integer(second + keys / 2 * 2 + 8) {
        words = random_keys<std::uint32_t>(integer + 9, random);
        for (std::uint32_t& word : words) word %= static_cast<std::uint32_t>(2 * count + 1);  // some come often
    }
    std::uint32_t* keys_at() { return words.data() + offset; }
    std::vector<std::uint32_t> keys() const {
        return {words.begin() + offset, words.begin() + offset + static_cast<std::ptrdiff_t>(count)};
    }
    void put(std::size_t at, const std::vector<std::uint32_t>& what) {
        std::ranges::copy(what, words.begin() + static_cast<std::ptrdiff_t>(at));
    }

    static constexpr std::ptrdiff_t offset = 3;
    std::size_t count, second, integer;  ///< words before the second array, and before an integer of 64 bits
    std::vector<std::uint32_t> words;
};

/// Runs one operation on a device's copy of the words and compares all of them with what is expected.
template <class Operation>
void check_words(const Target& target, const Words& before, const Words& expected, Operation operation) {
    const auto memory = target.memory(bytes_of(before.words));
    operation(*memory, Range{Words::offset, before.count});
    require_same_bytes(keys_of<std::uint32_t>(memory->read()), expected.words);
}

void check_values(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    Words before(count, random), expected = before;
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    before.put(before.second, numbers);
    expected.put(Words::offset, sorted(before.keys(), Order::ascending));
    expected.put(before.second, stable_indices<std::uint32_t>(
                                    before.keys(), Order::ascending));  // equal keys are ordered by their values
    INFO("by key");
    check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
        memory.enqueue_sort_by_key(sorter, range, {before.second, 4});
    });
}

void check_argsort(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    const Words before(count, random);
    Words expected = before;
    expected.put(before.second, stable_indices<std::uint32_t>(before.keys(), Order::ascending));
    INFO("argsort");
    check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
        memory.enqueue_argsort(sorter, range, {before.second, 4});
    });
}

void check_top_k(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    const Words before(count, random);
    const std::size_t k = std::min<std::size_t>(count, 5);
    Words expected = before;
    std::vector<std::uint32_t> best = sorted(before.keys(), Order::descending);
    best.resize(k);
    expected.put(before.second, best);
    INFO("top-k");
    check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
        memory.enqueue_top_k(sorter, range, k, before.second, {0, 0});
    });
    const std::vector<std::uint32_t> keys = before.keys();
    std::vector<std::uint32_t> found(k);
    sorter.top_k(std::span(keys), std::span(found));
    CHECK(found == best);
}

void check_merge(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    Words before(count, random);
    const auto middle = static_cast<std::ptrdiff_t>(count / 3), end = static_cast<std::ptrdiff_t>(count);
    std::sort(before.keys_at(), before.keys_at() + middle);
    std::sort(before.keys_at() + middle, before.keys_at() + end);
    Words expected = before;
    expected.put(Words::offset, sorted(before.keys(), Order::ascending));
    {
        INFO("merge");
        check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
            memory.enqueue_merge(sorter, range, {0, 0}, count / 3);
        });
    }
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    before.put(before.second, numbers);
    expected.put(before.second, stable_indices<std::uint32_t>(before.keys(), Order::ascending));
    INFO("merge by key");
    check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
        memory.enqueue_merge(sorter, range, {before.second, 4}, count / 3);
    });
}

void check_unique(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    Words before(count, random);
    before.put(Words::offset, sorted(before.keys(), Order::ascending));
    Words expected = before;
    std::vector<std::uint32_t> distinct = before.keys();
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    expected.put(before.second, distinct);
    expected.put(before.integer, {static_cast<std::uint32_t>(distinct.size()), 0});
    INFO("unique");
    check_words(target, before, expected, [&](DeviceMemory& memory, const Range& range) {
        memory.enqueue_runs(sorter, range, {before.second, {0, 0}, before.integer / 2});
    });
}

void check_rows(const Target& target, Sorter& sorter, std::size_t count, Random& random) {
    const Words before(count / 4 * 4, random);
    Words expected = before;
    const auto length = static_cast<std::ptrdiff_t>(before.count / 4);
    for (std::ptrdiff_t row = 0; row < 4; ++row)
        std::sort(expected.keys_at() + row * length, expected.keys_at() + (row + 1) * length);
    INFO("rows");
    check_words(target, before, expected, [&](DeviceMemory& memory, Range range) {
        range.row_length = static_cast<std::size_t>(length);
        memory.enqueue_sort(sorter, range);
    });
}

void check_host_memory(Sorter& sorter, std::size_t count, Random& random) {
    INFO("host memory");
    const std::vector<std::uint32_t> keys = Words(count, random).keys(), expected = sorted(keys, Order::ascending);
    const auto numbers = stable_indices<std::uint32_t>(keys, Order::ascending);
    std::vector<std::uint32_t> found = keys, values(count), distinct(count);
    std::iota(values.begin(), values.end(), 0u);
    sorter.sort_by_key(std::span(found), std::span(values));
    CHECK(found == expected);
    CHECK(values == numbers);
    found = keys;
    sorter.argsort(std::span(found), std::span(values));
    CHECK(found == keys);
    CHECK(values == numbers);
    sorter.sort(std::span(found));
    CHECK(found == expected);
    distinct.resize(sorter.unique(std::span(found), std::span(distinct)));
    found.erase(std::unique(found.begin(), found.end()), found.end());
    CHECK(distinct == found);
}

/// Calls check(count) for an array of a few keys, of a tile, and of more.
template <class Check>
void for_each_count(const Target& target, const Shape& shape, Check check) {
    CAPTURE(target.name);
    CAPTURE(to_string(shape));
    const std::size_t tile = shape.tile_keys();
    for (const std::size_t count : {std::size_t{5}, tile, 2 * tile + 5}) {
        CAPTURE(count);
        check(count);
    }
}

void check_keys_alone(const Target& target, const Shape& shape) {
    Random random(seed());
    Sorter sorter = target.new_sorter(shape);
    for_each_count(target, shape, [&](std::size_t count) {
        check_sort(target, sorter, random_keys<std::uint32_t>(count, random), Order::ascending, 1);
        check_sort(target, sorter, random_keys<std::uint8_t>(count, random), Order::descending, 3);
        check_sort(target, sorter, make_keys<double>(Pattern::special_values, count, random), Order::ascending);
    });
}

void check_other_operations(const Target& target, const Shape& shape) {
    Random random(seed());
    Sorter sorter = target.new_sorter(shape);
    for_each_count(target, shape, [&](std::size_t count) {
        check_values(target, sorter, count, random);
        check_argsort(target, sorter, count, random);
        check_merge(target, sorter, count, random);
        check_unique(target, sorter, count, random);
        check_host_memory(sorter, count, random);
    });
    check_rows(target, sorter, std::size_t{2} * shape.tile_keys() + 4, random);
}

/// What the library chooses for work-groups of 32 work-items with 4 KB of local memory and no vectors, on this device.
Shape poor_shape(const DeviceInfo& device) {
    DeviceInfo poor = device;
    poor.kind = DeviceKind::gpu;
    poor.max_work_items = 32;
    poor.local_bytes = 4096;
    poor.native_vector_bytes = 1;
    ElementBytes widest(8, 0, 4);  // argsort of doubles
    return fit(choose_shape(poor, widest, 1000), widest, poor);
}

TEST_SUITE("small sorts") {
    TEST_CASE("small sorts: keys alone, in vectors, in local memory and in the cache") {
        for (Target& target : targets())
            for (const std::size_t i : {0, 2, 5})
                if (target.can_run(small_shapes()[i], 8)) check_keys_alone(target, small_shapes()[i]);
    }

    TEST_CASE("small sorts: other operations, in vectors, in local memory and in the cache") {
        for (Target& target : targets())
            for (const std::size_t i : {0, 2, 5})
                if (target.can_run(small_shapes()[i], 8)) check_other_operations(target, small_shapes()[i]);
    }

    TEST_CASE("small sorts: on a poor device") {
        for (Target& target : targets()) {
            const Shape shape = poor_shape(target.info);
            CHECK(shape.lanes == 1);
            CHECK(shape.work_items <= 32);
            CHECK(shape.local_bytes({8, 0, 4}) <= 4096);
            if (!target.can_run(shape, 8)) continue;
            check_keys_alone(target, shape);
            check_other_operations(target, shape);
        }
    }

    TEST_CASE("small selections: in vectors, and on a poor device") {
        Random random(seed());
        for (Target& target : targets())
            for (const Shape& shape : {small_shapes()[0], poor_shape(target.info)}) {
                if (!target.can_run(shape, 4)) continue;
                Sorter sorter = target.new_sorter(shape);
                for (const std::size_t count : {3, 100, 1000}) check_top_k(target, sorter, count, random);
            }
    }
}

}  // namespace
}  // namespace lanesort::test
