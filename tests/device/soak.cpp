// Random sorts without end in sight: not run by CTest. LANESORT_SOAK_SORTS says how many (100,000 if it does not).
//
// Blocks of sorts share a device, a shape, a type and an operation, since these are compiled. Each block has a seed of
// its own, which is printed: LANESORT_TEST_SEED=that seed begins with that block.
#include <cstdio>
#include <numeric>

#include "shapes.hpp"
#include "target.hpp"

namespace lanesort::test {
namespace {

enum class Operation : std::uint8_t { sort, first, merge, by_key, argsort };
constexpr const char* operation_names[] = {"sort", "first keys", "merge", "sort by key", "argsort"};

/// Random bytes with an array of keys in them, and one of 32-bit numbers behind it.
template <Key T>
struct Layout {
    Layout(std::size_t key_count, Random& random)
        : offset(random() % 9), count(key_count), numbers((offset + count) * sizeof(T) / 4 + 5) {}

    std::size_t bytes() const { return (numbers + count + 5) * 4; }
    void put_keys(Bytes& memory, const std::vector<T>& keys) const { put(memory, offset * sizeof(T), keys); }
    void put_numbers(Bytes& memory, const std::vector<std::uint32_t>& values) const {
        put(memory, numbers * 4, values);
    }
    std::vector<T> keys_in(const Bytes& memory) const {
        const auto first = memory.begin() + static_cast<std::ptrdiff_t>(offset * sizeof(T));
        return keys_of<T>(Bytes(first, first + static_cast<std::ptrdiff_t>(count * sizeof(T))));
    }

    std::size_t offset, count, numbers;

private:
    template <class Of>
    static void put(Bytes& memory, std::size_t at, const std::vector<Of>& what) {
        std::ranges::copy(std::as_bytes(std::span(what)), memory.begin() + static_cast<std::ptrdiff_t>(at));
    }
};

template <Key T>
bool comes_before(T a, T b, Order order) {
    return order == Order::ascending ? before(a, b) : before(b, a);
}

/// One random sort; whether all bytes are as they must be.
template <Key T>
bool is_right(DeviceMemory& memory, Sorter& sorter, Operation operation, std::size_t count, Random& random) {
    const Order order = both_orders[random() % 2];
    const Pattern pattern = all_patterns[random() % std::size(all_patterns)];
    const Layout<T> layout(count, random);
    Range range{layout.offset, count, key_type_v<T>, order};
    std::vector<T> keys = make_keys<T>(pattern, count, random);
    const std::size_t part = random() % (count + 1);
    if (operation == Operation::merge) {
        const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(part);
        std::ranges::copy(sorted(std::vector<T>(keys.begin(), middle), order), keys.begin());
        std::ranges::copy(sorted(std::vector<T>(middle, keys.end()), order), middle);
    }
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    Bytes wanted(layout.bytes(), std::byte(random() & 255));
    layout.put_keys(wanted, keys);
    if (operation == Operation::by_key) layout.put_numbers(wanted, numbers);
    memory.write(wanted);

    const std::vector<T> in_order = sorted(keys, order);
    std::ranges::stable_sort(numbers,
                             [&](std::uint32_t i, std::uint32_t j) { return comes_before(keys[i], keys[j], order); });
    if (operation != Operation::argsort) layout.put_keys(wanted, in_order);
    if (operation == Operation::by_key || operation == Operation::argsort) layout.put_numbers(wanted, numbers);
    switch (operation) {
        case Operation::first: range.first = part; [[fallthrough]];
        case Operation::sort: memory.enqueue_sort(sorter, range); break;
        case Operation::merge: memory.enqueue_merge(sorter, range, {0, 0}, part); break;
        case Operation::by_key: memory.enqueue_sort_by_key(sorter, range, {layout.numbers, 4}); break;
        case Operation::argsort: memory.enqueue_argsort(sorter, range, {layout.numbers, 4}); break;
    }
    Bytes found = memory.read();
    found.resize(wanted.size());
    if (operation == Operation::first) {  // the others may be anywhere behind
        std::vector<T> arranged = layout.keys_in(found);
        const auto rest = arranged.begin() + static_cast<std::ptrdiff_t>(part);
        std::ranges::copy(sorted(std::vector<T>(rest, arranged.end()), order), rest);
        layout.put_keys(found, arranged);
    }
    return found == wanted;
}

std::size_t sorts_wanted() {
    const char* const text = std::getenv("LANESORT_SOAK_SORTS");
    return text ? std::strtoull(text, nullptr, 0) : 100'000;
}

TEST_CASE("soak: random sorts") {
    constexpr std::size_t sorts_of_block = 2500, most_bits = 13;
    const Targets all = targets();
    const std::size_t wanted = sorts_wanted();
    std::size_t sorts = 0;
    for (std::uint64_t block_seed = seed(); sorts < wanted && !all.empty(); ++block_seed) {
        Random random(block_seed);
        Target& target = all[random() % all.size()];
        std::vector<Shape> shapes = small_shapes();
        const std::size_t choice = random() % (shapes.size() + 1);
        const bool chosen = choice == shapes.size() || !target.can_run(shapes[choice], 8);
        Sorter& sorter = chosen ? target.sorter() : target.sorter(shapes[choice]);
        const std::size_t operation = random() % std::size(operation_names), type = random() % 11;
        std::size_t turn = 0;
        for_each_key_type([&]<class T>() {
            if (turn++ != type) return;
            std::printf("seed %llu: %zu sorts done, now: %s of %s, %s, on %s\n",
                        static_cast<unsigned long long>(block_seed), sorts, operation_names[operation],
                        std::string(name(key_type_v<T>)).c_str(),
                        chosen ? "the shape of the library" : to_string(shapes[choice]).c_str(), target.name.c_str());
            std::fflush(stdout);  // before anything can crash
            const auto memory = target.memory(Bytes((std::size_t{1} << most_bits) * (sizeof(T) + 4) + 256));
            for (std::size_t i = 0; i < sorts_of_block; ++i, ++sorts) {
                const std::size_t count = random() >> (64 - most_bits) >> random() % most_bits;
                CAPTURE(block_seed);
                CAPTURE(i);
                CAPTURE(count);
                REQUIRE(is_right<T>(*memory, sorter, static_cast<Operation>(operation), count, random));
            }
        });
    }
    std::printf("%zu random sorts were right\n", sorts);
}

}  // namespace
}  // namespace lanesort::test
