// Sorts that move values with their keys, and those that only number them.
#include <array>
#include <numeric>
#include <optional>

#include "error_support.hpp"
#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

using Wide = std::array<std::uint64_t, 2>;  ///< a value of 16 bytes, its low half first

template <class V>
V random_value(Random& random) {
    if constexpr (std::same_as<V, Wide>) return {random() % 3, random() % 3};
    else return static_cast<V>(random());
}

template <class V>
bool value_before(const V& a, const V& b) {
    if constexpr (std::same_as<V, Wide>) return std::pair(a[1], a[0]) < std::pair(b[1], b[0]);
    else return a < b;
}

template <Key K, class V>
struct Pairs {
    std::vector<K> keys;
    std::vector<V> values;

    friend bool operator==(const Pairs&, const Pairs&) = default;
};

/// Some keys are random, some all equal, some of few values: equal keys are where values go astray.
template <Key K, class V>
Pairs<K, V> random_pairs(std::size_t count, Random& random) {
    Pairs<K, V> pairs{random_keys<K>(count, random), {}};
    for (std::size_t i = 0; i < count / 2; ++i) pairs.keys[i] = pairs.keys[count - 1 - i % 7];
    for (std::size_t i = 0; i < count; ++i) pairs.values.push_back(random_value<V>(random));
    return pairs;
}

/// Keys and values at the ends of their ranges, where they meet what lies beyond the array.
template <Key K, class V>
Pairs<K, V> extreme_pairs(std::size_t count, Random& random) {
    return {make_keys<K>(Pattern::special_values, count, random), make_keys<V>(Pattern::special_values, count, random)};
}

template <Key K, class V>
Pairs<K, V> sorted_pairs(const Pairs<K, V>& pairs, Order order) {
    std::vector<std::uint64_t> indices(pairs.keys.size());
    std::iota(indices.begin(), indices.end(), 0);
    std::ranges::sort(indices, [&](std::uint64_t i, std::uint64_t j) {
        const K a = pairs.keys[i], b = pairs.keys[j];
        if (before(a, b) || before(b, a)) return order == Order::ascending ? before(a, b) : before(b, a);
        return value_before(pairs.values[i], pairs.values[j]);
    });
    Pairs<K, V> result;
    for (const std::uint64_t i : indices) {
        result.keys.push_back(pairs.keys[i]);
        result.values.push_back(pairs.values[i]);
    }
    return result;
}

template <class T>
Bytes raw(const std::vector<T>& items) {
    const auto bytes = std::as_bytes(std::span(items));
    return {bytes.begin(), bytes.end()};
}

/// Keys, then values, in one memory, each with others of their kind around them.
template <Key K, class V>
struct Layout {
    static constexpr std::size_t zone = 19;
    std::size_t offset, count;
    std::size_t first_value;  ///< in values from the start of the memory

    Layout(std::size_t keys_before, std::size_t keys) : offset(keys_before), count(keys) {
        const std::size_t end_of_keys = (offset + count + zone) * sizeof(K);
        first_value = (end_of_keys + sizeof(V) - 1) / sizeof(V) + zone;
    }
    std::size_t bytes() const { return (first_value + count + zone) * sizeof(V); }

    Bytes noise(Random& random) const {
        Bytes memory(bytes());
        for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
        return memory;
    }
    void put_keys(Bytes& memory, const std::vector<K>& keys) const {
        std::ranges::copy(raw(keys), memory.begin() + static_cast<std::ptrdiff_t>(offset * sizeof(K)));
    }
    void put_values(Bytes& memory, const std::vector<V>& values) const {
        std::ranges::copy(raw(values), memory.begin() + static_cast<std::ptrdiff_t>(first_value * sizeof(V)));
    }
};

template <Key K, class V>
void check_sort_by_key(const Target& target, Sorter& sorter, const Pairs<K, V>& pairs, Order order, std::size_t offset,
                       Random& random) {
    const std::size_t count = pairs.keys.size();
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<K>));
    CAPTURE(sizeof(V));
    CAPTURE(count);
    CAPTURE(static_cast<int>(order));
    const Pairs<K, V> expected = sorted_pairs(pairs, order);
    {
        INFO("host range");
        Pairs<K, V> sorted = pairs;
        sorter.sort_by_key(std::span(sorted.keys), std::span(sorted.values), {.order = order});
        REQUIRE(raw(sorted.keys) == raw(expected.keys));
        REQUIRE((sorted.values == expected.values));
    }
    INFO("device memory");
    const Layout<K, V> layout(offset, count);
    Bytes before = layout.noise(random);
    Bytes after = before;
    layout.put_keys(before, pairs.keys);
    layout.put_values(before, pairs.values);
    layout.put_keys(after, expected.keys);
    layout.put_values(after, expected.values);
    const auto memory = target.memory(before);
    const SortReport report =
        memory->enqueue_sort_by_key(sorter, {offset, count, key_type_v<K>, order}, {layout.first_value, sizeof(V)});
    CHECK(report.device_bytes == 0);
    REQUIRE((memory->read() == after));
}

template <Key K, class V>
void check_sort_by_key(const Target& target, Sorter& sorter, std::size_t count, Order order, std::size_t offset,
                       Random& random) {
    check_sort_by_key(target, sorter, random_pairs<K, V>(count, random), order, offset, random);
}

template <Key K, std::unsigned_integral I>
void check_argsort(const Target& target, Sorter& sorter, std::size_t count, Order order, std::size_t offset,
                   Random& random) {
    CAPTURE(target.name);
    CAPTURE(name(key_type_v<K>));
    CAPTURE(sizeof(I));
    CAPTURE(count);
    CAPTURE(static_cast<int>(order));
    const std::vector<K> keys = random_pairs<K, std::uint8_t>(count, random).keys;
    const std::vector<std::uint64_t> wanted = stable_indices<std::uint64_t>(keys, order);
    const std::vector<I> expected(wanted.begin(), wanted.end());
    {
        INFO("host range");
        const std::vector<K> input = keys;
        std::vector<I> indices(count, static_cast<I>(-1));
        sorter.argsort(std::span(input), std::span(indices), {.order = order});
        REQUIRE((indices == expected));
        REQUIRE(raw(input) == raw(keys));
    }
    INFO("device memory");
    const Layout<K, I> layout(offset, count);
    Bytes before = layout.noise(random);
    layout.put_keys(before, keys);
    Bytes after = before;
    layout.put_values(after, expected);
    const auto memory = target.memory(before);
    const SortReport report =
        memory->enqueue_argsort(sorter, {offset, count, key_type_v<K>, order}, {layout.first_value, sizeof(I)});
    CHECK(report.device_bytes == (count > 1 ? count * sizeof(K) : 0));
    REQUIRE((memory->read() == after));
}

void check_refused(ErrorCode code, const std::string& part, const std::function<void()>& call) {
    const Error error = error_of(call);
    CHECK(error.code() == code);
    check_mentions(error, {part});
}

constexpr std::size_t counts[] = {0, 1, 2, 3, 777, 40003};

TEST_SUITE("values") {
    TEST_CASE("sort by key: every width of values, every width of keys") {
        Random random(seed());
        for (Target& target : targets()) {
            const auto check = [&]<Key K, class V>() {
                for (const Order order : both_orders)
                    for (const std::size_t count : counts)
                        check_sort_by_key<K, V>(target, target.sorter(), count, order, count % 5, random);
            };
            check.template operator()<std::int8_t, std::uint8_t>();
            check.template operator()<half, std::uint64_t>();
            check.template operator()<std::uint32_t, std::uint32_t>();
            check.template operator()<double, std::uint16_t>();
            check.template operator()<double, Wide>();
        }
    }

    TEST_CASE("sort by key: the shapes that graphics cards have for many") {
        Random random(seed());
        for (Target& target : targets()) {
            if (target.info.kind != DeviceKind::gpu) continue;
            for (const std::size_t count : {300'003, 7'000'003})
                for (const std::size_t offset : {1, 2}) {
                    check_sort_by_key<std::uint32_t, std::uint32_t>(target, target.sorter(), count, Order::ascending,
                                                                    offset, random);
                    check_argsort<float, std::uint32_t>(target, target.sorter(), count, Order::descending, offset,
                                                        random);
                }
        }
    }

    TEST_CASE("argsort: numbers the keys stably and leaves them alone") {
        Random random(seed());
        for (Target& target : targets())
            for (const Order order : both_orders)
                for (const std::size_t count : counts) {
                    check_argsort<std::uint8_t, std::uint32_t>(target, target.sorter(), count, order, 3, random);
                    check_argsort<float, std::uint64_t>(target, target.sorter(), count, order, 0, random);
                    check_argsort<std::int64_t, std::uint32_t>(target, target.sorter(), count, order, 7, random);
                }
    }

    TEST_CASE("sort by key: every shape gives the same bytes") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<Shape> shapes{
                {.lanes = 1, .vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 3},
                {.lanes = 4,
                 .vectors = 2,
                 .work_items = 4,
                 .register_vectors = 4,
                 .steps_per_pass = 2,
                 .remap = true,
                 .bank_swap = true,
                 .coalesced_store = true},
                {.lanes = 1,
                 .vectors = 4,
                 .work_items = 16,
                 .register_vectors = 8,
                 .steps_per_pass = 6,
                 .remap = true,
                 .bank_padding = true,
                 .coalesced_store = true},
                {.lanes = 2, .vectors = 1, .work_items = 4, .steps_per_pass = 1, .local_sync = false},
                {.lanes = 4, .vectors = 64, .work_items = 1, .register_vectors = 8, .steps_per_pass = 4},
                {.lanes = 8, .vectors = 16, .work_items = 1, .register_vectors = 8, .steps_per_pass = 3}};
            for (const Shape& shape : shapes) {
                if (!target.can_run(shape, 16)) continue;
                CAPTURE(to_string(shape));
                Sorter sorter = target.new_sorter(shape);
                for (const std::size_t count : {1, 2, 15, 17, 511, 513, 5003}) {
                    check_sort_by_key<std::uint16_t, std::uint32_t>(target, sorter, count, Order::ascending, count % 3,
                                                                    random);
                    check_argsort<float, std::uint32_t>(target, sorter, count, Order::descending, count % 2, random);
                }
            }
        }
    }

    TEST_CASE("sort by key: values as wide as their keys, with which processors sort them as one integer") {
        Random random(seed());
        for (Target& target : targets()) {
            std::vector<std::optional<Shape>> shapes{std::nullopt};
            for (const Shape& shape : small_shapes())
                if (shape.walks_in_cache() && target.info.kind == DeviceKind::cpu) shapes.push_back(shape);
            for (const std::optional<Shape>& shape : shapes) {
                CAPTURE((shape ? to_string(*shape) : "as chosen"));
                std::optional<Sorter> own;
                if (shape) own.emplace(target.new_sorter(*shape));
                Sorter& sorter = own ? *own : target.sorter();
                const auto check = [&]<Key K, Key V>() {
                    for (const Order order : both_orders)
                        for (const std::size_t count : {2, 63, 257, 1024, 5003}) {
                            const auto extreme = extreme_pairs<K, V>(count, random);
                            check_sort_by_key(target, sorter, extreme, order, count % 3, random);
                            check_sort_by_key<K, V>(target, sorter, count, order, count % 2, random);
                        }
                };
                check.template operator()<std::int8_t, std::uint8_t>();
                check.template operator()<half, std::uint16_t>();
                check.template operator()<float, std::uint32_t>();
                check.template operator()<std::uint32_t, std::uint32_t>();
            }
        }
    }

    TEST_CASE("values: what cannot be is refused, and the sorter goes on") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            std::vector<std::uint32_t> keys(10), values(9);
            std::vector<std::byte> odd(1000);
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9",
                          [&] { sorter.sort_by_key(std::span(keys), std::span(values)); });
            check_refused(ErrorCode::invalid_argument, "10 keys, but 9",
                          [&] { sorter.argsort(std::span(keys), std::span(values)); });
            for (const std::size_t bytes : {0, 3, 32})
                check_refused(ErrorCode::invalid_argument, "1, 2, 4, 8 or 16", [&] {
                    sorter.sort_by_key({keys.data(), 10, KeyType::u32}, {odd.data(), 10, bytes});
                });
            for (const std::size_t bytes : {0, 2, 16})
                check_refused(ErrorCode::invalid_argument, "4 or 8", [&] {
                    sorter.argsort({keys.data(), 10, KeyType::u32}, {odd.data(), 10, bytes});
                });
            check_refused(ErrorCode::too_large, "cannot be numbered", [&] {
                constexpr std::uint64_t many = (std::uint64_t{1} << 32) + 1;
                sorter.argsort({keys.data(), many, KeyType::u8}, {odd.data(), many, 4});
            });
            const auto memory = target.memory(Bytes(400));
            check_refused(ErrorCode::invalid_argument, "overlap", [&] {
                memory->enqueue_sort_by_key(sorter, {0, 40}, {39, 4});
            });
            check_refused(ErrorCode::out_of_range, "60 values at offset 41", [&] {
                memory->enqueue_sort_by_key(sorter, {0, 60, KeyType::u8}, {41, 4});
            });
            check_refused(ErrorCode::out_of_range, "keys", [&] { memory->enqueue_argsort(sorter, {90, 11}, {0, 4}); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
