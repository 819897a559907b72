// SPDX-License-Identifier: MIT
// What a caller can get wrong about memory and enumerations: found before anything is done, whatever the memory is.
#include "core/memory_check.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

/// The call is refused as an invalid argument, in a sentence with these words.
void check_refused(const std::vector<std::string>& words, const std::function<void()>& call) {
    const Error error = error_of(call);
    CHECK(error.code() == ErrorCode::invalid_argument);
    check_mentions(error, words);
}

TEST_CASE("memory check: arrays overlap where they have a byte in common of which one is written") {
    namespace inside = lanesort::detail;
    using inside::Access, inside::Slot;
    const DeviceInfo device = processor();
    const auto check = [&](Access first, std::uintptr_t at, std::size_t bytes, Access second, std::uintptr_t other_at,
                           std::size_t other_bytes) {
        inside::Arrays arrays;
        inside::Bindings bindings;
        arrays[Slot::keys] = {bytes, 1, first, "keys"};
        arrays[Slot::values] = {other_bytes, 1, second, "values"};
        bindings[Slot::keys] = {reinterpret_cast<void*>(at)};
        bindings[Slot::values] = {reinterpret_cast<void*>(other_at)};
        inside::check_host_memory(arrays, bindings, device, {}, false);
    };
    const auto overlap = [&](Access second, std::uintptr_t at, std::size_t bytes) {
        const bool one_way = error_in([&] { check(Access::read, 100, 10, second, at, bytes); }).has_value();
        CHECK(one_way == error_in([&] { check(second, at, bytes, Access::read, 100, 10); }).has_value());
        return one_way;
    };
    CHECK(overlap(Access::write, 109, 1));
    CHECK(overlap(Access::change, 50, 51));
    CHECK(overlap(Access::change, 50, 100));
    CHECK(!overlap(Access::write, 110, 1));
    CHECK(!overlap(Access::write, 99, 1));
    CHECK(!overlap(Access::write, 105, 0));
    CHECK(!overlap(Access::read, 100, 10));
    check_refused({"values", "null"}, [&] { check(Access::read, 16, 8, Access::change, 0, 8); });
    CHECK_NOTHROW(check(Access::read, 0, 0, Access::change, 16, 8));
}

TEST_CASE("memory check: arrays in host memory end at the last address") {
    namespace inside = lanesort::detail;
    constexpr std::uint64_t last = ~std::uint64_t{0};
    const auto is_refused = [](std::uint64_t at, std::uint64_t offset, std::uint64_t count, std::size_t bytes) {
        const std::optional<Error> error = error_in([&] {
            inside::check_end({count, bytes}, {reinterpret_cast<void*>(at), offset});
        });
        if (error) CHECK(error->code() == ErrorCode::out_of_range);
        return error.has_value();
    };
    CHECK(!is_refused(4096, (last - 4096) / 4 - 5, 5, 4));
    CHECK(is_refused(4096, (last - 4096) / 4 - 4, 5, 4));
    CHECK(is_refused(4096, last / 4 + 1, 5, 4));  // 0, where it wraps
    CHECK(is_refused(4096, last, 1, 1));
    CHECK(is_refused(4096, 0, last, 4));
    CHECK(is_refused(last - 2, 1, 1, 2));
    CHECK(!is_refused(last - 2, 0, 1, 2));
}

TEST_CASE("memory check: arrays in host memory that overlap") {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        std::vector<std::uint32_t> memory(300);
        std::iota(memory.begin(), memory.end(), 0u);
        const auto before = memory;
        const auto part = [&](std::size_t first, std::size_t count) { return std::span(memory).subspan(first, count); };
        const std::span<std::uint64_t> wide(reinterpret_cast<std::uint64_t*>(memory.data()), 100);
        std::vector<std::uint64_t> offsets{0, 2};
        const auto keys = part(100, 100);
        check_refused({"keys", "values", "overlap"}, [&] { sorter.sort_by_key(keys, part(199, 100)); });
        check_refused({"keys", "values", "overlap"}, [&] { sorter.sort_by_key(keys, keys); });
        check_refused({"keys", "values", "overlap"}, [&] { sorter.merge_by_key(keys, part(1, 100), 50); });
        check_refused({"keys of the first range", "merged keys", "overlap"},
                      [&] { sorter.merge(keys, part(0, 50), part(150, 150)); });
        check_refused({"keys of the second range", "merged keys", "overlap"},
                      [&] { sorter.merge(part(0, 20), part(200, 20), part(219, 40)); });
        check_refused({"keys", "indices", "overlap"}, [&] { sorter.argsort(keys, part(50, 100)); });
        check_refused({"keys", "offsets", "overlap"}, [&] { sorter.sort(std::span(offsets), {.segments = offsets}); });
        check_refused({"keys", "selected keys", "overlap"}, [&] { sorter.top_k(keys, part(99, 2)); });
        check_refused({"keys", "indices", "overlap"}, [&] { sorter.top_k(keys, part(0, 2), part(150, 2)); });
        check_refused({"selected keys", "indices", "overlap"}, [&] { sorter.top_k(keys, part(0, 2), part(1, 2)); });
        check_refused({"selected keys", "overlap"}, [&] { sorter.top_k(keys, part(0, 50), part(49, 50)); });
        check_refused({"keys", "distinct keys", "overlap"}, [&] { sorter.unique(keys, keys); });
        check_refused({"keys", "values of distinct keys", "overlap"},
                      [&] { sorter.unique_by_key(keys, part(200, 100), part(0, 100), part(1, 100)); });
        check_refused({"distinct keys", "lengths", "overlap"},
                      [&] { sorter.run_lengths(keys, part(200, 100), part(200, 100)); });
        check_refused({"keys", "results", "overlap"}, [&] { sorter.is_sorted_until(keys, wide.subspan(60, 1), {}); });
        CHECK(memory == before);
        // Side by side is apart.
        CHECK_NOTHROW(sorter.sort_by_key(keys, part(200, 100)));
        CHECK_NOTHROW(sorter.sort_by_key(keys, part(0, 100)));
        CHECK(memory == before);
    }
}

TEST_CASE("memory check: null pointers to arrays that have elements") {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        std::vector<std::uint32_t> memory(4);
        void* const keys = memory.data();
        for (const std::size_t count : {1, 4}) {
            CAPTURE(count);
            check_refused({"keys", "null"}, [&] { sorter.sort({nullptr, count, KeyType::u32}); });
            check_refused({"values", "null"}, [&] {
                sorter.sort_by_key({keys, count, KeyType::u32}, {nullptr, count, 8});
            });
            check_refused({"indices", "null"}, [&] {
                sorter.argsort({keys, count, KeyType::u32}, {nullptr, count, 4});
            });
            check_refused({"keys", "null"}, [&] { sorter.argsort({nullptr, count, KeyType::u32}, {keys, count, 4}); });
            check_refused({"selected keys", "null"}, [&] {
                sorter.top_k({keys, count, KeyType::u32}, {nullptr, 1, 4});
            });
            check_refused({"keys", "null"}, [&] { sorter.top_k({nullptr, count, KeyType::u32}, {keys, 1, 4}); });
            check_refused({"keys", "null"}, [&] { sorter.is_sorted({nullptr, count, KeyType::u32}); });
            check_refused({"distinct keys", "null"}, [&] {
                sorter.unique({keys, count, KeyType::u32}, {nullptr, count, 4});
            });
        }
        CHECK_NOTHROW(sorter.sort({nullptr, 0, KeyType::u32}));
        CHECK_NOTHROW(sorter.argsort({nullptr, 0, KeyType::u32}, {nullptr, 0, 4}));
        CHECK(sorter.unique({nullptr, 0, KeyType::u32}, {nullptr, 0, 4}) == 0);
    }
}

TEST_CASE("memory check: types, orders and calls that are none") {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        std::vector<std::uint32_t> keys(4), other(4);
        const auto type = static_cast<KeyType>(99);
        const auto order = static_cast<Order>(7);
        check_refused({"type", "99"}, [&] { sorter.sort({keys.data(), 4, type}); });
        check_refused({"type", "99"}, [&] { sorter.argsort({keys.data(), 4, type}, other); });
        check_refused({"type", "99"}, [&] { sorter.top_k({keys.data(), 4, type}, {other.data(), 1, 4}); });
        check_refused({"type", "99"}, [&] { sorter.is_sorted({keys.data(), 4, type}); });
        check_refused({"type", "99"}, [&] { sorter.prepare(type); });
        check_refused({"type", "99"}, [&] { sorter.measure(type, 100); });
        check_refused({"order", "7"}, [&] { sorter.sort(keys, {.order = order}); });
        check_refused({"order", "7"}, [&] { sorter.top_k(std::span(keys), std::span(other), {.order = order}); });
        check_refused({"order", "7"}, [&] { sorter.is_sorted(std::span(keys), {.order = order}); });
        check_refused({"operation", "99"}, [&] { sorter.prepare({.operation = static_cast<Operation>(99)}); });
        const auto memory = target.memory(bytes_of(keys));
        check_refused({"type", "99"}, [&] { memory->enqueue(sorter, sort(KeyRange{here, 0, 4, type})); });
        check_refused({"order", "7"}, [&] {
            memory->enqueue(sorter, sort(KeyRange{here, 0, 4, KeyType::u32, order}));
        });
    }
}

TEST_CASE("memory check: sub-buffers of one buffer, and buffers of one host memory") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const cl_command_queue queue = target.queue();
        const std::size_t page = target.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
        const std::size_t count = page / 4;
        cl::Buffer whole(target.context, CL_MEM_READ_WRITE, 4 * page);
        const auto part = [&](std::size_t first, std::size_t pages) {
            const cl_buffer_region region{first * page, pages * page};
            return whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
        };
        const cl::Buffer first = part(0, 2), second = part(1, 2), third = part(2, 2);
        const opencl::KeyRange keys{first(), 0, 2 * count, KeyType::u32};
        check_refused({"keys", "values", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, sort_by_key(keys, {second(), 0, 4}));
        });
        check_refused({"keys", "values", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, sort_by_key(keys, {whole(), count, 4}));
        });
        check_refused({"keys", "indices", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, argsort(keys, {second(), 0, 4}));
        });
        check_refused({"keys", "selected keys", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, top_k(keys, 3, {second(), count - 1, {}}));
        });
        check_refused({"keys", "distinct keys", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, unique(keys, {second(), 0, {third(), 0}}));
        });
        check_refused({"keys", "results", "overlap"}, [&] {
            opencl::enqueue(sorter, queue, is_sorted(keys, {second(), 0}));
        });
        CHECK_NOTHROW(opencl::enqueue(sorter, queue, sort_by_key(keys, {third(), 0, 4})));
        CHECK_NOTHROW(opencl::enqueue(
            sorter, queue, sort_by_key(opencl::KeyRange{first(), 0, count, KeyType::u32}, {second(), 0, 4})));
        target.queue.finish();

        std::vector<std::uint32_t> memory(4 * count);
        const auto made_of = [&](std::size_t begin) {
            return cl::Buffer(target.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2 * page, memory.data() + begin);
        };
        const cl::Buffer low = made_of(0), middle = made_of(count);
        check_refused({"keys", "values", "overlap"}, [&] {
            opencl::enqueue(sorter, queue,
                            sort_by_key(opencl::KeyRange{low(), 0, 2 * count, KeyType::u32}, {middle(), 0, 4}));
        });
        CHECK_NOTHROW(opencl::enqueue(sorter, queue,
                                      sort_by_key(opencl::KeyRange{low(), 0, count, KeyType::u32}, {middle(), 0, 4})));
        target.queue.finish();
    }
}

TEST_CASE("memory check: buffers that kernels may only write") {
    for (OpenClTarget& target : opencl_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const cl_command_queue queue = target.queue();
        const cl::Buffer keys = buffer_of(target, std::vector<std::uint32_t>(100));
        const cl::Buffer written(target.context, CL_MEM_WRITE_ONLY, 800), other(target.context, CL_MEM_WRITE_ONLY, 800);
        check_refused({"write-only"}, [&] {
            opencl::enqueue(sorter, queue, sort(opencl::KeyRange{written(), 0, 100, KeyType::u32}));
        });
        check_refused({"write-only"}, [&] {
            opencl::enqueue(sorter, queue, is_sorted(opencl::KeyRange{written(), 0, 100, KeyType::u32}, {other()}));
        });
        check_refused({"write-only"}, [&] {
            opencl::enqueue(sorter, queue,
                            sort_by_key(opencl::KeyRange{keys(), 0, 100, KeyType::u32}, {written(), 0, 4}));
        });
        check_refused({"write-only"}, [&] {
            opencl::enqueue(sorter, queue, argsort(opencl::KeyRange{keys(), 0, 100, KeyType::u32}, {written(), 0, 4}));
        });
        check_refused({"write-only"}, [&] {
            opencl::enqueue(
                sorter, queue,
                sort(opencl::KeyRange{
                    .memory = keys(), .count = 100, .type = KeyType::u32, .segments = {written(), 0, 2, 50, 4}}));
        });
        // What is only written may be so.
        CHECK_NOTHROW(opencl::enqueue(
            sorter, queue, top_k(opencl::KeyRange{keys(), 0, 100, KeyType::u32}, 3, {written(), 0, {other(), 0, 4}})));
        CHECK_NOTHROW(opencl::enqueue(
            sorter, queue, unique(opencl::KeyRange{keys(), 0, 100, KeyType::u32}, {written(), 0, {other(), 0}})));
        target.queue.finish();
    }
}

}  // namespace
}  // namespace lanesort::test
