// SPDX-License-Identifier: MIT
// Arrays that begin wherever their own C++ type may: structures of characters at any address, those of floats at any
// multiple of 4, however wide they are. In host memory, in buffers that are the caller's memory (CL_MEM_USE_HOST_PTR),
// and through the C interface.
#include <list>
#include <numeric>

#include <lanesort/lanesort.h>

#include "opencl_target.hpp"
#include "run_everywhere.hpp"

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

/// The numbers from 0 on, in the order that the call finds them in.
Numbers numbers_for(const Request& request, std::size_t count) {
    Random random(seed());
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (request.operation == Operation::merge)
        std::stable_partition(numbers.begin(), numbers.end(), [](std::uint32_t number) { return number % 2 == 0; });
    else if (request.operation <= Operation::top_k) std::ranges::shuffle(numbers, random);
    return numbers;
}

Problem problem_of_numbers(Request request, const KeyKind& kind) {
    request.key = kind;
    const std::size_t width = kind.bytes();
    const Numbers numbers = numbers_for(request, width == 1 ? 240 : 9000);
    if (request.operation == Operation::merge) request.middle = numbers.size() / 2;
    const auto is_before = [width](const std::byte* a, const std::byte* b) {
        std::uint16_t x = 0, y = 0;
        std::memcpy(&x, a, std::min<std::size_t>(width, 2));
        std::memcpy(&y, b, std::min<std::size_t>(width, 2));
        return x < y;
    };
    return problem_of_bytes(request, elements(numbers, width), is_before, {}, elements(numbers, request.value_bytes));
}

/// In host memory and in buffers there, at every address modulo 16 that the types of the arrays permit. Keys that are
/// records, and values, may be anywhere.
void check_everywhere(OpenClTarget& target, const Request& request, const KeyKind& kind,
                      const std::optional<Shape>& shape = {}) {
    const Problem problem = problem_of_numbers(request, kind);
    Sorter& sorter = shape ? target.sorter(*shape) : target.sorter();
    CAPTURE(target.name);
    CAPTURE(kind.name());
    CAPTURE(request.value_bytes);
    for (std::size_t misalignment = 0; misalignment < 16; ++misalignment)
        for (const bool in_buffers : {false, true}) {
            CAPTURE(misalignment);
            CAPTURE(in_buffers);
            Call on_host;
            on_host.request = problem.request;
            opencl::Call on_queue;
            on_queue.request = problem.request;
            std::list<Placed> placed;
            std::list<cl::Buffer> buffers;
            const auto place = [&](const Bytes& bytes, std::size_t alignment, auto& host_place, auto& queue_place) {
                if (bytes.empty()) return;
                Placed& memory = placed.emplace_back(bytes, misalignment / alignment * alignment);
                host_place.memory = memory.begin();
                if (!in_buffers) return;
                buffers.emplace_back(target.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.size(),
                                     memory.begin());
                queue_place.memory = buffers.back()();
            };
            const std::size_t of_key = kind.comparator() ? 1 : kind.bytes();
            const Contents& before = problem.before;
            place(before.keys, of_key, on_host.keys, on_queue.keys);
            place(before.values, 1, on_host.values, on_queue.values);
            place(before.second_keys, of_key, on_host.second_keys, on_queue.second_keys);
            place(before.second_values, 1, on_host.second_values, on_queue.second_values);
            place(before.indices, std::max<std::size_t>(request.index_bytes, 1), on_host.indices, on_queue.indices);
            place(before.results, of_key, on_host.results, on_queue.results);
            place(before.result_values, 1, on_host.result_values, on_queue.result_values);
            place(before.lengths, std::max<std::size_t>(request.length_bytes, 1), on_host.lengths, on_queue.lengths);
            place(before.answers, 8, on_host.answers, on_queue.answers);
            if (in_buffers) opencl::enqueue(sorter, target.queue(), on_queue);
            else sorter.run(on_host);
            for (const cl::Buffer& buffer : buffers) {
                const auto size = buffer.getInfo<CL_MEM_SIZE>();
                void* const mapped = target.queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ, 0, size);
                target.queue.enqueueUnmapMemObject(buffer, mapped);
            }
            target.queue.finish();
            auto memory = placed.begin();
            for (const auto& [contents, place_of, element, width] : arrays_of(problem.request)) {
                if ((before.*contents).empty()) continue;
                const std::string name = element;  // clang 14 captures no binding
                CAPTURE(name);
                CHECK(memory++->holds(problem.after.*contents));
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
            check_everywhere(target, {.value_bytes = bytes}, KeyType::u32, small_shape(4));
        check_everywhere(target, {.value_bytes = 16}, KeyType::u32);
    }
}

TEST_CASE("misalignment: values of 16 bytes in stable sorts, rows, merges, and with keys of every width") {
    const Shape shape = small_shape(1);
    for (OpenClTarget& target : opencl_devices()) {
        check_everywhere(target, {.stable = true, .value_bytes = 16}, KeyType::u32, shape);
        check_everywhere(target, {.row_length = 90, .value_bytes = 16}, KeyType::u32, shape);
        check_everywhere(target, {.operation = Operation::merge, .value_bytes = 16}, KeyType::u32, shape);
        for (const KeyType type : {KeyType::u8, KeyType::u16, KeyType::u64})
            check_everywhere(target, {.value_bytes = 16}, type, shape);
    }
}

TEST_CASE("misalignment: keys of every width, at multiples of it") {
    for (OpenClTarget& target : opencl_devices())
        for (const KeyType type : {KeyType::u8, KeyType::u16, KeyType::u32, KeyType::u64})
            check_everywhere(target, {}, type, small_shape(4));
}

TEST_CASE("misalignment: records of many widths, at any address, also of a type that the device aligns to more") {
    const Shape shape = small_shape(1);
    for (OpenClTarget& target : opencl_devices())
        for (const std::size_t bytes : {1, 2, 3, 4, 7, 8, 12, 16, 31, 64}) {
            const Comparator order = by_number(bytes);
            check_everywhere(target, {}, order, shape);
            if (bytes == 16) check_everywhere(target, {.value_bytes = 16}, order, shape);
        }
}

TEST_CASE("misalignment: indices, selections and runs of records at any address") {
    const Comparator order = by_number(16);
    for (OpenClTarget& target : opencl_devices()) {
        check_everywhere(target, {.operation = Operation::argsort, .index_bytes = 4}, order);
        check_everywhere(target, {.operation = Operation::top_k, .first = 10, .index_bytes = 8}, order);
        check_everywhere(target, {.operation = Operation::is_sorted}, order);
        check_everywhere(target, {.operation = Operation::unique, .value_bytes = 16}, order);
        check_everywhere(target, {.operation = Operation::run_lengths, .length_bytes = 8}, order);
    }
}

TEST_CASE("misalignment: values of 16 bytes at any address, by the C interface") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        const Numbers numbers = numbers_for({}, 9000);
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
            request.type = LANESORT_U32;
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
