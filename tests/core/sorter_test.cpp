// SPDX-License-Identifier: MIT
// What every sorter promises, whatever its backend: it can be moved, others do not disturb it, and what a caller gets
// wrong is told in a sentence, after which it sorts as before.
#include <bit>
#include <fstream>

#include "core/kernel_source.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("sorter: can be moved") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(3000, random);
        Sorter original = target.new_sorter();
        original.prepare(KeyType::u32);
        Sorter moved = std::move(original);
        check_sort(target, moved, keys, Order::ascending);
        Sorter assigned = target.new_sorter();
        assigned = std::move(moved);
        check_sort(target, assigned, keys, Order::descending);
    }
}

TEST_CASE("sorter: more keys in host memory than the device can allocate, found before they are touched") {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const std::uint64_t limit = target.info.max_allocation_bytes;
        std::uint64_t key = 42;  // far fewer than the count says
        for (const std::uint64_t count :
             {limit / sizeof key + 1, ~std::uint64_t{0}, ~std::uint64_t{0} / sizeof key + 2}) {
            const Error error = error_of([&] { sorter.sort({&key, count, KeyType::u64}, {.row_length = count}); });
            CHECK(error.code() == ErrorCode::too_large);
            check_mentions(error, {std::to_string(count), std::to_string(limit)});
        }
        // One range of keys would be sorted in parts, but for one that no memory holds.
        CHECK(error_of([&] { sorter.sort({&key, ~std::uint64_t{0}, KeyType::u64}); }).code() == ErrorCode::too_large);
        CHECK(key == 42);
        check_still_sorts(target, sorter);
    }
}

TEST_CASE("sorter: a shape that cannot be, or that the device cannot run") {
    for (Target& target : targets()) {
        CAPTURE(target.name);
        const Error impossible = error_of([&] { target.new_sorter(Shape{.lanes = 3}); });
        CHECK(impossible.code() == ErrorCode::invalid_argument);
        check_mentions(impossible, {"lanes", "3"});

        const auto unsupported = [&](const Shape& shape, const std::vector<std::string>& parts) {
            const Error error = error_of([&] { target.new_sorter(shape).prepare(KeyType::u64); });
            CHECK(error.code() == ErrorCode::unsupported);
            check_mentions(error, parts);
        };
        if (target.info.max_work_items < 4096)
            unsupported({.work_items = 4096}, {"4096", std::to_string(target.info.max_work_items)});
        Shape tile_too_large{.vectors = 16,
                             .work_items = std::bit_floor(std::min(target.info.max_work_items, 4096u)),
                             .register_vectors = 32};
        while (tile_too_large.lanes < 16 && tile_too_large.local_bytes(8) <= target.info.local_bytes)
            tile_too_large.lanes *= 2;
        if (tile_too_large.tile_keys() <= 1 << 20 && tile_too_large.local_bytes(8) > target.info.local_bytes)
            unsupported(tile_too_large,
                        {std::to_string(tile_too_large.local_bytes(8)), std::to_string(target.info.local_bytes)});
    }
}

TEST_CASE("sorter: an unknown device, answered with those that there are") {
    if (targets().empty()) return;
    for (const std::string selector : {"no such device", "4711"}) {
        const Error error = error_of([&] { find_device(selector); });
        CHECK(error.code() == ErrorCode::unknown_device);
        check_mentions(error, {selector, devices().front().info().name});
    }
}

TEST_CASE("sorter: a kernel that does not build, with the compiler's log") {
    const Shape in_local = small_shapes().front(), in_cache = small_shapes().back();
    for (Target& target : targets())
        for (const auto& [file, shape] : {std::pair<std::string, Shape>{"sort/tile_in_local.cl", in_local},
                                          std::pair<std::string, Shape>{"sort/tile_in_cache.cl", in_cache}}) {
            if (!target.can_run(shape, 4)) continue;
            CAPTURE(target.name);
            CAPTURE(file);
            Sorter sorter = target.new_sorter(shape);
            {
                const TemporaryFolder folder;
                for (const auto& kernel : lanesort::detail::embedded_kernels()) {
                    const auto path = folder.path() / kernel.name;
                    std::filesystem::create_directories(path.parent_path());
                    std::ofstream copy(path);
                    copy << kernel.text;
                    if (kernel.name == file) copy << "no_such_type nothing;\n";
                }
                const ScopedVariable variable("LANESORT_KERNEL_DIR", folder.path().string());
                const auto check_build_error = [&](const std::function<void()>& call) {
                    const Error error = error_of(call);
                    CHECK(error.code() == ErrorCode::build_failed);
                    CHECK(!error.call().empty());
                    CHECK(error.status() != 0);
                    check_mentions(error, {file});
                    CHECK(error.build_log().find("no_such_type") != std::string::npos);
                };
                std::vector<std::uint32_t> keys{2, 1};
                const auto memory = target.memory(bytes_of(keys));
                check_build_error([&] { sorter.prepare(KeyType::u32); });
                check_build_error([&] { sorter.sort(std::span(keys)); });
                check_build_error([&] { memory->enqueue(sorter, sort(KeyRange{here, 0, 2, KeyType::u32})); });
                check_build_error([&] { memory->record(sorter, sort(KeyRange{here, 0, 2, KeyType::u32})); });
                CHECK(keys == std::vector<std::uint32_t>{2, 1});
                CHECK(keys_of<std::uint32_t>(memory->read()) == keys);
            }
            check_still_sorts(target, sorter);
        }
}

}  // namespace
}  // namespace lanesort::test
