// The first keys of the order in their places: partial sorts, and key n of the order.
#include <algorithm>
#include <numeric>

#include "error_support.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

/// A shape of small tiles for that device, so that few keys already have many runs.
Shape shape_of_small_tiles(const Target& target, unsigned lanes = 4) {
    if (target.info.kind == DeviceKind::cpu)
        return {.lanes = lanes, .vectors = 64, .work_items = 1, .register_vectors = 8, .steps_per_pass = 4};
    return {.lanes = 1,
            .vectors = 4,
            .work_items = 128,
            .register_vectors = 8,
            .steps_per_pass = 5,
            .remap = true,
            .bank_padding = true,
            .coalesced_store = true};
}

template <Key T>
bool is_permutation(const std::vector<T>& a, const std::vector<T>& b) {
    const auto bits = [](const std::vector<T>& keys) {
        std::vector<BitsOf<T>> all;
        for (const T key : keys) all.push_back(bits_of(key));
        std::ranges::sort(all);
        return all;
    };
    return bits(a) == bits(b);
}

/// Of each row the first keys are those of a sort, and the others are there.
template <Key T>
void require_first(const std::vector<T>& found, const std::vector<T>& before, std::size_t length, std::size_t first,
                   Order order) {
    REQUIRE(found.size() == before.size());
    for (std::size_t row = 0; row < before.size(); row += length) {
        const auto part = [&](const std::vector<T>& keys) {
            const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(row);
            return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(length));
        };
        const std::vector<T> expected = sorted(part(before), order), got = part(found);
        const auto wanted = static_cast<std::ptrdiff_t>(std::min(first, length));
        require_same_bytes(std::vector<T>(got.begin(), got.begin() + wanted),
                           std::vector<T>(expected.begin(), expected.begin() + wanted));
        REQUIRE(is_permutation(got, expected));
    }
}

/// On the host and, between red zones, in device memory, enqueued and recorded.
template <Key T>
void check_partial_sort(const Target& target, Sorter& sorter, std::size_t rows, std::size_t length, std::size_t first,
                        Order order, Random& random) {
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<T>));
    CAPTURE(rows);
    CAPTURE(length);
    CAPTURE(first);
    CAPTURE(static_cast<int>(order));
    constexpr std::size_t zone = 35;
    const std::vector<T> keys = make_keys<T>(all_patterns[random() % std::size(all_patterns)], rows * length, random);
    const SortOptions options{.order = order, .row_length = rows == 1 ? 0 : length};
    std::vector<T> found = keys;
    sorter.partial_sort(std::span(found), first, options);
    require_first(found, keys, length, first, order);

    std::vector<T> before(zone + keys.size() + zone, T{});
    std::ranges::copy(keys, before.begin() + zone);
    std::vector<T> expected = before;
    std::ranges::copy(found, expected.begin() + zone);
    Range range{zone, keys.size(), key_type_v<T>, order, options.row_length};
    range.first = first;
    const auto memory = target.memory(bytes_of(before));
    memory->enqueue_sort(sorter, range);
    require_same_bytes(keys_of<T>(memory->read()), expected);
    memory->write(bytes_of(before));
    memory->record(sorter, range)->enqueue();
    require_same_bytes(keys_of<T>(memory->read()), expected);
}

/// Keys of which many are equal, with indices and with values, which ascend in the order of equal keys.
template <Key K>
void check_partial_sort_by_key(Sorter& sorter, Random& random) {
    CAPTURE(name(key_type_v<K>));
    constexpr std::size_t count = 50'001, first = 77;
    std::vector<K> keys(count);
    for (K& key : keys) key = static_cast<K>(random() % 256);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const std::vector<std::uint32_t> all = order;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });

    std::vector<std::uint32_t> indices(count);
    sorter.argsort(std::span(std::as_const(keys)), std::span(indices), {.first = first});
    CHECK(std::equal(indices.begin(), indices.begin() + first, order.begin()));
    CHECK(is_permutation(indices, order));

    std::vector<K> sorted_keys = keys;
    std::vector<std::uint32_t> values = all;
    sorter.sort_by_key(std::span(sorted_keys), std::span(values), {.first = first});
    for (std::size_t i = 0; i < count; ++i) REQUIRE(sorted_keys[i] == keys[values[i]]);
    CHECK(std::equal(values.begin(), values.begin() + first, order.begin()));
    CHECK(is_permutation(values, order));

    sorted_keys = keys;
    for (std::uint32_t i = 0; i < count; ++i) values[i] = ~i;
    sorter.sort_by_key(std::span(sorted_keys), std::span(values), {.stable = true, .first = first});
    for (std::size_t i = 0; i < count; ++i) REQUIRE(sorted_keys[i] == keys[~values[i]]);
    for (std::size_t i = 0; i < first; ++i) REQUIRE(values[i] == ~order[i]);
}

struct Particle {
    float depth;
    std::uint32_t id;
};
const Comparator farthest_first{.type = "particle",
                                .bytes = sizeof(Particle),
                                .before = "a.depth > b.depth",
                                .declarations = "typedef struct { float depth; uint id; } particle;"};

TEST_SUITE("partial sort") {
    TEST_CASE("partial sort: few and many of the keys, of every length, as std::partial_sort") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& small = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t count : {0, 1, 2, 511, 512, 1023, 1024, 1025, 5000, 65'537, 300'001})
                for (const std::size_t first : {0, 1, 2, 100, 256, 257, 100'000})
                    check_partial_sort<float>(target, small, 1, count, first,
                                              first % 2 ? Order::ascending : Order::descending, random);
            for (const std::size_t count : {100'003, 1'000'000})
                check_partial_sort<std::uint32_t>(target, target.sorter(), 1, count, 1000, Order::ascending, random);
        }
    }

    TEST_CASE("partial sort: key n of the order, on the device's memory") {
        Random random(seed());
        for (Target& target : targets()) {
            CAPTURE(target.name);
            constexpr std::size_t count = 5000, offset = 7;
            const auto keys = random_keys<std::uint32_t>(count + offset, random);
            const auto expected = sorted(std::vector(keys.begin() + offset, keys.end()), Order::ascending);
            for (const std::size_t n : {std::size_t{0}, std::size_t{60}, count / 2, count - 1, count}) {
                CAPTURE(n);
                const auto memory = target.memory(bytes_of(keys));
                memory->enqueue_nth_element(target.sorter(), {offset, count}, n);
                const auto found = keys_of<std::uint32_t>(memory->read());
                CHECK(std::equal(keys.begin(), keys.begin() + offset, found.begin()));
                if (n == count) require_same_bytes(found, keys);  // the end is no key
                const auto in_place = static_cast<std::ptrdiff_t>(n < count ? n + 1 : 0);
                CHECK(std::equal(expected.begin(), expected.begin() + in_place, found.begin() + offset));
                CHECK(sorted(std::vector(found.begin() + offset, found.end()), Order::ascending) == expected);
            }
            const auto memory = target.memory(bytes_of(keys));
            const Error beyond = error_of([&] {
                memory->enqueue_nth_element(target.sorter(), {offset, count}, count + 1);
            });
            CHECK(beyond.code() == ErrorCode::invalid_argument);
            check_mentions(beyond, {"no key 5001", "among 5000"});
        }
    }

    TEST_CASE("partial sort: of rows and of segments") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t length : {16, 1000, 1024, 3001, 40'000})
                check_partial_sort<std::int16_t>(target, sorter, 5, length, 7, Order::ascending, random);

            const std::vector<std::uint64_t> offsets{0, 1, 5000, 5000, 30'000, 30'100};
            const std::vector<std::uint64_t> keys = random_keys<std::uint64_t>(offsets.back(), random);
            std::vector<std::uint64_t> found = keys;
            sorter.partial_sort(std::span(found), 20, {.segments = offsets});
            for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
                const auto segment = [&](const std::vector<std::uint64_t>& all) {
                    return std::vector<std::uint64_t>(all.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                                                      all.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
                };
                if (offsets[i] < offsets[i + 1])
                    require_first(segment(found), segment(keys), offsets[i + 1] - offsets[i], 20, Order::ascending);
            }
        }
    }

    TEST_CASE("partial sort: values and indices go with their keys, and stay in order where that is asked for") {
        Random random(seed());
        for (Target& target : targets()) {
            check_partial_sort_by_key<std::uint8_t>(target.sorter(shape_of_small_tiles(target)), random);
            check_partial_sort_by_key<std::uint32_t>(target.sorter(shape_of_small_tiles(target)), random);
        }
    }

    TEST_CASE("partial sort: key n of the order, of numbers and of records") {
        Random random(seed());
        for (Target& target : targets()) {
            Sorter& sorter = target.sorter(shape_of_small_tiles(target));
            for (const std::size_t count : {1, 100, 20'000})
                for (const std::size_t n : {std::size_t{0}, count / 200, count / 2, count - 1}) {
                    const std::vector<double> keys = random_keys<double>(count, random);
                    std::vector<double> found = keys;
                    sorter.nth_element(std::span(found), n);
                    require_first(found, keys, count, n + 1, Order::ascending);
                }
            std::vector<Particle> particles(20'000);
            for (std::uint32_t i = 0; i < particles.size(); ++i)
                particles[i] = {static_cast<float>(random() % 1'000'000), i};
            std::vector<Particle> found = particles;
            std::ranges::sort(particles, std::greater{}, &Particle::depth);
            target.sorter(shape_of_small_tiles(target, 1)).nth_element({found, farthest_first}, 50);
            for (std::size_t i = 0; i <= 50; ++i) REQUIRE(found[i].depth == particles[i].depth);
            std::vector<bool> seen(found.size());
            for (const Particle& particle : found) seen[particle.id] = true;
            CHECK(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(seen.size()));

            // The end is no key, but std::nth_element takes it, too.
            std::vector<float> none, rows{3, 2, 1, 6, 5, 4};
            const std::vector<float> before = rows;
            sorter.nth_element(none, 0);
            sorter.nth_element(rows, 3, {.row_length = 3});
            CHECK(rows == before);
            const Error beyond = error_of([&] { sorter.nth_element(rows, 4, {.row_length = 3}); });
            CHECK(beyond.code() == ErrorCode::invalid_argument);
            check_mentions(beyond, {"no key 4", "among 3"});
        }
    }
}

}  // namespace
}  // namespace lanesort::test
