// Arrays that begin wherever their own C++ type may: structures of characters at any address, those of floats at any
// multiple of 4, however wide they are. In host memory, in buffers that are the caller's memory (CL_MEM_USE_HOST_PTR),
// and through the C interface.
#include <lanesort/lanesort.h>

#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

/// Memory that begins so many bytes behind a multiple of 64, between bytes that are to stay.
class Placed {
public:
    Placed(const Bytes& bytes, std::size_t misalignment)
        : memory_(bytes.size() + 2 * zone + misalignment, std::byte{0xa5}), size_(bytes.size()) {
        const std::size_t excess = reinterpret_cast<std::uintptr_t>(memory_.data()) % zone;
        begin_ = (excess == 0 ? 0 : zone - excess) + misalignment;
        std::ranges::copy(bytes, begin());
    }
    std::byte* begin() { return memory_.data() + begin_; }
    std::size_t size() const { return size_; }
    /// These bytes are in it, and nothing else was touched.
    bool holds(const Bytes& bytes) {
        Bytes expected(memory_.size(), std::byte{0xa5});
        std::ranges::copy(bytes, expected.begin() + static_cast<std::ptrdiff_t>(begin_));
        return memory_ == expected;
    }

private:
    static constexpr std::size_t zone = 64;
    Bytes memory_;
    std::size_t begin_, size_;
};

using Numbers = std::vector<std::uint32_t>;

/// Element i is made of numbers[i], as far as there is room.
Bytes elements(const Numbers& numbers, std::size_t width) {
    Bytes all;
    for (const std::uint32_t number : numbers)
        for (std::size_t b = 0; b < width; ++b) all.push_back(static_cast<std::byte>(b < 4 ? number >> 8 * b : b));
    return all;
}

/// The order of elements() as records.
Comparator by_number(std::size_t width) {
    // A type that the device's compiler aligns to 16.
    if (width == 16) return {.type = "uint4", .bytes = 16, .before = "a.x < b.x"};
    return {.type = "packed",
            .bytes = width,
            .before = "number(a) < number(b)",
            .declarations = "typedef struct { uchar bytes[" + std::to_string(width) + "]; } packed;\n" +
                            "static inline uint number(packed a) { return a.bytes[0]" +
                            (width > 1 ? " | (uint)a.bytes[1] << 8" : "") + "; }"};
}

struct Call {
    KeyKind kind = KeyType::u32;
    std::size_t key_alignment = 4;
    std::size_t value_bytes = 0;
    SortOptions options = {};
    bool merges = false;
    std::optional<Shape> shape = {};
};

/// What is sorted: the numbers from 0 on, out of order in each row or in all; of two halves each in order.
Numbers unsorted(const Call& call, std::size_t count) {
    Random random(seed());
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    const std::size_t row = call.options.row_length > 0 ? call.options.row_length : count;
    if (call.merges)
        std::stable_partition(numbers.begin(), numbers.end(), [](std::uint32_t number) { return number % 2 == 0; });
    else
        for (auto first = numbers.begin(); first != numbers.end(); first += static_cast<std::ptrdiff_t>(row))
            std::shuffle(first, first + static_cast<std::ptrdiff_t>(row), random);
    return numbers;
}

void sort_in_host_memory(Sorter& sorter, const Call& call, Placed& keys, Placed& values) {
    const std::size_t count = keys.size() / call.kind.bytes();
    const lanesort::Keys all(keys.begin(), count, call.kind);
    const lanesort::Values belonging(values.begin(), count, call.value_bytes);
    if (call.merges) sorter.merge_by_key(all, belonging, count / 2, call.options);
    else if (call.value_bytes > 0) sorter.sort_by_key(all, belonging, call.options);
    else sorter.sort(all, call.options);
}

void sort_in_buffers(const OpenClTarget& target, Sorter& sorter, const Call& call, Placed& keys, Placed& values) {
    const auto buffer_in = [&](Placed& place) {
        return cl::Buffer(target.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                          std::max<std::size_t>(place.size(), 1), place.begin());
    };
    const cl::Buffer key_buffer = buffer_in(keys), value_buffer = buffer_in(values);
    const std::size_t count = keys.size() / call.kind.bytes();
    const opencl::KeyRange range{.memory = key_buffer(),
                                 .count = count,
                                 .type = call.kind,
                                 .row_length = call.options.row_length,
                                 .stable = call.options.stable};
    const opencl::ValueRange value_range{value_buffer(), 0, call.value_bytes};
    const cl_command_queue queue = target.queue();
    if (call.merges) opencl::enqueue_merge_by_key(sorter, queue, range, value_range, count / 2);
    else if (call.value_bytes > 0) opencl::enqueue_sort_by_key(sorter, queue, range, value_range);
    else opencl::enqueue_sort(sorter, queue, range);
    for (const cl::Buffer& buffer : {key_buffer, value_buffer}) {
        const std::size_t size = buffer.getInfo<CL_MEM_SIZE>();
        target.queue.enqueueUnmapMemObject(buffer,
                                           target.queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ, 0, size));
    }
    target.queue.finish();
}

/// In host memory and in buffers there, at every address modulo 16 that the keys' type permits.
void check_everywhere(OpenClTarget& target, const Call& call) {
    const std::size_t key_bytes = call.kind.bytes();
    CAPTURE(target.name);
    CAPTURE(key_bytes);
    CAPTURE(call.value_bytes);
    const Numbers numbers = unsorted(call, key_bytes == 1 ? 240 : 9000);
    Numbers in_order = numbers;
    std::ranges::sort(in_order);
    const Bytes keys = elements(numbers, key_bytes), values = elements(numbers, call.value_bytes);
    const Bytes sorted_keys = elements(in_order, key_bytes), sorted_values = elements(in_order, call.value_bytes);
    Sorter& sorter = call.shape ? target.sorter(*call.shape) : target.sorter();
    for (std::size_t misalignment = 0; misalignment < 16; ++misalignment) {
        CAPTURE(misalignment);
        const std::size_t of_keys = misalignment / call.key_alignment * call.key_alignment;
        for (const bool in_buffers : {false, true}) {
            CAPTURE(in_buffers);
            Placed key_place(keys, of_keys), value_place(values, misalignment);
            if (in_buffers) sort_in_buffers(target, sorter, call, key_place, value_place);
            else sort_in_host_memory(sorter, call, key_place, value_place);
            CHECK(key_place.holds(sorted_keys));
            CHECK(value_place.holds(sorted_values));
        }
    }
}

/// Compiled sooner than what the library takes, and as it is on processors: a tile is walked in the cache.
Shape small_shape(unsigned lanes) {
    return {
        .lanes = lanes, .vectors = 64, .work_items = 1, .register_vectors = std::max(lanes, 2u), .steps_per_pass = 3};
}

TEST_CASE("misalignment: values of every width, at any address") {
    for (OpenClTarget& target : opencl_devices()) {
        for (const std::size_t bytes : {1, 2, 4, 8})
            check_everywhere(target, {.value_bytes = bytes, .shape = small_shape(4)});
        check_everywhere(target, {.value_bytes = 16});
    }
}

TEST_CASE("misalignment: values of 16 bytes in stable sorts, rows, merges, and with keys of every width") {
    const Shape shape = small_shape(1);
    for (OpenClTarget& target : opencl_devices()) {
        check_everywhere(target, {.value_bytes = 16, .options = {.stable = true}, .shape = shape});
        check_everywhere(target, {.value_bytes = 16, .options = {.row_length = 90}, .shape = shape});
        check_everywhere(target, {.value_bytes = 16, .merges = true, .shape = shape});
        for (const KeyType type : {KeyType::u8, KeyType::u16, KeyType::u64})
            check_everywhere(target,
                             {.kind = type, .key_alignment = key_bytes(type), .value_bytes = 16, .shape = shape});
    }
}

TEST_CASE("misalignment: keys of every width, at multiples of it") {
    for (OpenClTarget& target : opencl_devices())
        for (const KeyType type : {KeyType::u8, KeyType::u16, KeyType::u32, KeyType::u64})
            check_everywhere(target, {.kind = type, .key_alignment = key_bytes(type), .shape = small_shape(4)});
}

TEST_CASE("misalignment: records of many widths, at any address, also of a type that the device aligns to more") {
    const Shape shape = small_shape(1);
    for (OpenClTarget& target : opencl_devices())
        for (const std::size_t bytes : {1, 2, 3, 4, 7, 8, 12, 16, 31, 64}) {
            const Comparator order = by_number(bytes);
            check_everywhere(target, {.kind = order, .key_alignment = 1, .shape = shape});
            if (bytes == 16)
                check_everywhere(target, {.kind = order, .key_alignment = 1, .value_bytes = 16, .shape = shape});
        }
}

TEST_CASE("misalignment: indices, selections and runs of records at any address") {
    const Comparator order = by_number(16);
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const Numbers numbers = unsorted({}, 9000);
        Numbers in_order = numbers;
        std::ranges::sort(in_order);
        Numbers indices(numbers.size());
        for (std::uint32_t i = 0; i < numbers.size(); ++i) indices[numbers[i]] = i;
        const Bytes keys = elements(numbers, 16), sorted_keys = elements(in_order, 16);
        for (std::size_t misalignment = 0; misalignment < 16; ++misalignment) {
            CAPTURE(misalignment);
            const std::size_t count = numbers.size(), k = 10;
            Placed from(keys, misalignment), number_place(Bytes(count * 4), misalignment / 4 * 4);
            sorter.argsort({from.begin(), count, order}, {number_place.begin(), count, 4});
            CHECK(from.holds(keys));
            CHECK(number_place.holds(elements(indices, 4)));

            Placed best(Bytes(k * 16), 15 - misalignment), best_numbers(Bytes(k * 8), misalignment / 8 * 8);
            sorter.top_k({from.begin(), count, order}, {best.begin(), k, 16}, {best_numbers.begin(), k, 8});
            CHECK(from.holds(keys));
            CHECK(best.holds({sorted_keys.begin(), sorted_keys.begin() + k * 16}));

            Placed runs(sorted_keys, misalignment), distinct(Bytes(count * 16), 15 - misalignment);
            Placed lengths(Bytes(count * 8), misalignment / 8 * 8);
            CHECK(sorter.is_sorted({runs.begin(), count, order}));
            CHECK(sorter.run_lengths({runs.begin(), count, order}, {distinct.begin(), count, 16},
                                     {lengths.begin(), count, 8}) == count);
            CHECK(distinct.holds(sorted_keys));
        }
    }
}

TEST_CASE("misalignment: values of 16 bytes at any address, by the C interface") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const Numbers numbers = unsorted({}, 9000);
        Numbers in_order = numbers;
        std::ranges::sort(in_order);
        lanesort_sorter* sorter = nullptr;
        lanesort_options options{};
        options.ignore_tuned = 1;
        REQUIRE(lanesort_opencl_create(&sorter, target.context(), target.device(), &options) == LANESORT_SUCCESS);
        for (std::size_t misalignment = 0; misalignment < 16; ++misalignment) {
            CAPTURE(misalignment);
            Placed keys(elements(numbers, 4), 4), values(elements(numbers, 16), misalignment);
            lanesort_request request{};
            request.memory = keys.begin();
            request.count = numbers.size();
            request.values = {values.begin(), 0, 16};
            CHECK(lanesort_run(sorter, &request) == LANESORT_SUCCESS);
            CHECK(keys.holds(elements(in_order, 4)));
            CHECK(values.holds(elements(in_order, 16)));
        }
        lanesort_destroy(sorter);
    }
}

}  // namespace
}  // namespace lanesort::test
