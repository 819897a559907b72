// SPDX-License-Identifier: MIT
// Shapes for devices that are poorer than most.
#include <lanesort/shape.hpp>

#include <lanesort/error.hpp>
#include <lanesort/plan.hpp>

#include "core/fit.hpp"
#include "devices_made_up.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

std::vector<DeviceInfo> poor_devices() {
    DeviceInfo small_card = test::graphics_card();
    small_card.max_work_items = 32;
    small_card.local_bytes = 4096;
    DeviceInfo tiny_card = test::graphics_card();
    tiny_card.max_work_items = 1;
    tiny_card.local_bytes = 1024;
    DeviceInfo odd_card = test::graphics_card();
    odd_card.max_work_items = 192;
    odd_card.local_bytes = 49152 - 64;
    DeviceInfo plain_processor = test::processor();
    plain_processor.local_bytes = 0;
    plain_processor.max_work_items = 1;
    plain_processor.native_vector_bytes = 4;
    DeviceInfo accelerator = test::graphics_card();
    accelerator.kind = DeviceKind::other;
    accelerator.native_vector_bytes = 64;
    accelerator.local_bytes = 16384;
    return {small_card, tiny_card, odd_card, plain_processor, accelerator, test::graphics_card(), test::processor()};
}

TEST_CASE("shape: every device has one that it can run, for every key width") {
    for (const DeviceInfo& device : poor_devices())
        for (const std::size_t bytes : {1, 2, 4, 8})
            for (const std::uint64_t count : {0, 1, 1000, 4097, 100000, 10000000}) {
                const Shape shape = choose_shape(device, bytes, count);
                CAPTURE(device.name);
                CAPTURE(device.max_work_items);
                CAPTURE(device.local_bytes);
                CAPTURE(bytes);
                CAPTURE(count);
                CAPTURE(to_string(shape));
                CHECK_NOTHROW(check_shape(shape));
                CHECK_NOTHROW(require_fit(shape, bytes, device));
                CHECK(fit(shape, bytes, device) == shape);
                // Less than 32 bytes of a row would waste memory's sectors.
                const std::size_t row_bytes = (shape.tile_keys() >> shape.steps_per_pass) * bytes;
                if (bytes >= 4 && device.kind == DeviceKind::gpu) CHECK((row_bytes >= 32 || shape.steps_per_pass == 1));
            }
}

TEST_CASE("shape: large arrays get the largest tile that the local memory holds") {
    DeviceInfo device = test::graphics_card();
    device.max_work_items = 1024;
    const auto tile_keys = [&](std::size_t local_bytes, std::uint64_t count) {
        device.local_bytes = local_bytes;
        return choose_shape(device, 4, count).tile_keys();
    };
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1} << 26}) {
        CHECK(tile_keys(227 << 10, count) == 1 << 14);
        CHECK(tile_keys(48 << 10, count) == 1 << 13);
        CHECK(tile_keys(32 << 10, count) == 1 << 12);
    }
    CHECK(tile_keys(227 << 10, 1 << 16) == 1 << 11);
}

TEST_CASE("shape: a processor's tile grows with the array, but leaves room in the second-level cache") {
    DeviceInfo device = test::processor();
    device.native_vector_bytes = 64;
    const auto tile_bytes = [&](std::size_t local_bytes, unsigned exponent) {
        device.local_bytes = local_bytes;
        return choose_shape(device, 4, std::uint64_t{1} << exponent).tile_keys() * 4;
    };
    for (const std::size_t local_bytes : {1 << 20, 2 << 20}) {
        CHECK(tile_bytes(local_bytes, 22) == 1 << 18);
        CHECK(tile_bytes(local_bytes, 24) == 1 << 19);
    }
    CHECK(tile_bytes(1 << 20, 27) == 1 << 19);
    CHECK(tile_bytes((5 << 18) - 1, 27) == 1 << 19);
    CHECK(tile_bytes(5 << 18, 27) == 1 << 20);
    CHECK(tile_bytes(2 << 20, 25) == 1 << 20);
    CHECK(tile_bytes(8 << 20, 30) == 1 << 20);
}

TEST_CASE("shape: by OpenCL NVIDIA's GPUs take tiles that suffice for columns, whose launches are few") {
    DeviceInfo device = test::graphics_card();
    device.vendor = "NVIDIA Corporation";
    device.max_work_items = 1024;
    device.local_bytes = 48 << 10;
    const auto passes = [&](std::uint64_t count) {
        return make_plan(count, choose_shape(device, 4, count)).passes.size();
    };
    for (const std::uint64_t count : {std::uint64_t{65'536}, std::uint64_t{65'537}, std::uint64_t{100'000},
                                      std::uint64_t{1} << 17, std::uint64_t{1} << 18, std::uint64_t{1} << 19}) {
        CAPTURE(count);
        device.backend = "OpenCL";
        // Of 2^18, twice as many tiles of half the size were faster, where groups may have 512 work-items.
        for (const unsigned most : {256, 1024}) {
            CAPTURE(most);
            device.max_work_items = most;
            CHECK(passes(count) == (most > 256 && count == 1 << 18 ? 6 : 4));
        }
        device.backend = "CUDA";
        CHECK(passes(count) >= 4);
    }
    CHECK(passes(std::uint64_t{1} << 18) > 6);
    // One work-group alone sorts no more than before, on other vendors' cards neither.
    device.backend = "OpenCL";
    CHECK(choose_shape(device, 4, 5000).tile_keys() == 512);
    device.vendor = "another";
    CHECK(choose_shape(device, 4, 5000).tile_keys() == 512);
}

TEST_CASE("shape: records of 16 bytes have no columns of their own, pairs as wide have") {
    DeviceInfo device = test::graphics_card();
    device.vendor = "NVIDIA Corporation";
    device.backend = "CUDA";
    device.max_work_items = 1024;
    device.local_bytes = 227 << 10;
    for (const std::uint64_t count : {5'000, 1 << 20, 0}) {
        CHECK_FALSE(choose_shape(device, ElementBytes(16, 0, 1, true), count).columns);
        CHECK(choose_shape(device, ElementBytes(8, 8), count).columns);
    }
}

TEST_CASE("shape: fitting makes smaller, never larger") {
    const Shape wanted{.lanes = 4, .vectors = 4, .work_items = 256, .register_vectors = 8, .steps_per_pass = 4};
    for (const DeviceInfo& device : poor_devices())
        for (const std::size_t bytes : {1, 2, 4, 8}) {
            const Shape shape = fit(wanted, bytes, device);
            CHECK_NOTHROW(check_shape(shape));
            CHECK(shape.vectors <= wanted.vectors);
            CHECK(shape.work_items <= std::min(wanted.work_items, device.max_work_items));
            CHECK(shape.steps_per_pass <= wanted.steps_per_pass);
            CHECK(shape.local_bytes(bytes) <= device.local_bytes);
        }
}

TEST_CASE("shape: a processor's work-item is a whole work-group, and walks a tile that all of them have one of") {
    DeviceInfo device = test::processor();
    device.local_bytes = 1 << 20;
    device.compute_units = 2;
    for (const bool compiles : {false, true})
        for (const std::size_t bytes : {1, 2, 4, 8})
            for (const std::uint64_t count : {0, 1000, 30'000, 100'000, 1'000'000, 1 << 30}) {
                device.compiles = compiles;
                const Shape shape = choose_shape(device, bytes, count);
                CAPTURE(to_string(shape));
                CHECK(shape.work_items == 1);
                CHECK(shape.walks_in_cache());
                CHECK(shape.columns);
                CHECK(shape.local_bytes(bytes) <= 540'000);
                if (count == 100'000 && bytes == 4) CHECK(shape.tile_keys() == 1 << (compiles ? 16 : 14));
                if (count > 100'000 && count < 1 << 30) CHECK(make_plan(count, shape).passes.size() == 4);
            }
}

TEST_CASE("shape: what does not fit is refused with both numbers") {
    const auto refusal = [](const Shape& shape, std::size_t bytes, const DeviceInfo& device) -> std::string {
        try {
            require_fit(shape, bytes, device);
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::unsupported);
            return error.what();
        }
        return "accepted";
    };
    const std::string work_items = refusal({.work_items = 512}, 4, test::graphics_card());
    CAPTURE(work_items);
    CHECK(work_items.find("512") != std::string::npos);
    CHECK(work_items.find("256") != std::string::npos);

    const Shape large{.lanes = 16, .vectors = 4, .work_items = 256, .register_vectors = 8};
    const std::string local_memory = refusal(large, 8, test::graphics_card());
    CAPTURE(local_memory);
    CHECK(local_memory.find(std::to_string(large.local_bytes(8))) != std::string::npos);
    CHECK(local_memory.find("32768") != std::string::npos);

    // What PoCL has no stack for.
    const Shape deep{.lanes = 16, .vectors = 16, .work_items = 512, .register_vectors = 32};
    DeviceInfo processor = test::processor();
    processor.local_bytes = 1 << 24;
    processor.max_work_items = 4096;
    const std::string stack = refusal(deep, 4, processor);
    CAPTURE(stack);
    CHECK(stack.find("1048576") != std::string::npos);
    CHECK(stack.find("786432") != std::string::npos);
    CHECK(refusal(deep, 2, processor) == "accepted");
}

TEST_CASE("shape: the line for a person has every number") {
    const Shape shape{.lanes = 4,
                      .vectors = 8,
                      .work_items = 64,
                      .register_vectors = 16,
                      .steps_per_pass = 3,
                      .remap = true,
                      .bank_swap = true};
    const std::string line = to_string(shape);
    for (const std::string part : {"L=4", "M=8", "ITEMS=64", "r=3", "remap", "swap"}) {
        CAPTURE(line);
        CAPTURE(part);
        CHECK(line.find(part) != std::string::npos);
    }
}

}  // namespace
}  // namespace lanesort
