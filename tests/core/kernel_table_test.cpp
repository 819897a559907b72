// SPDX-License-Identifier: MIT
// Launches and the rows of their kernels. tests/kernels/arguments.sh compares the rows with the kernels' source.
#include "core/kernel_table.hpp"

#include <set>

#include <fmt/format.h>

#include "core/kernel_source.hpp"
#include "core/work.hpp"
#include "error_support.hpp"
#include "ops/kernels.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

/// A work with the kernels for keys of 4 bytes, values of 8 and narrow positions.
Work work_of(const Family& family) {
    Work work;
    work.programs.push_back(std::make_shared<Program>(
        KernelParameters{.family = &family, .bytes = {4, 8, 4}, .shape = {.work_items = 64}}));
    work.arrays[Slot::keys] = {100, 4};
    work.arrays[Slot::values] = {100, 8};
    work.arrays[Slot::own_integers] = {100, 8};
    return work;
}

TEST_CASE("kernel table: a launch has its kernel's widths, counts and order") {
    Work work = work_of(families::equal_runs);
    add_launch(work, "mark_runs", 7, Slot::keys, 100, 16, Slot::own_begins, Argument(Slot::own_integers, 3));
    REQUIRE(work.commands.size() == 1);
    const Launch& launch = std::get<Launch>(work.commands.front());
    CHECK(std::string(kernel_names(work.programs[0]->parameters)[launch.kernel]) == "mark_runs");
    CHECK(launch.groups == 7);
    CHECK(!launch.awaits);
    CHECK(work.report.launches == 1);
    REQUIRE(launch.all_arguments().size() == 5);
    CHECK(launch.arguments[0].bytes == 0);
    CHECK(launch.arguments[1].bytes == 4);
    CHECK(launch.arguments[1].is_count);
    CHECK(!launch.arguments[2].is_count);
    CHECK(launch.arguments[4].value == 3);
}

TEST_CASE("kernel table: arguments that are not the kernel's are refused by its name, place and type") {
    const auto check_mistake = [](const std::string& words, const Family& family, const char* kernel,
                                  auto... arguments) {
        Work work = work_of(family);
        const Error error = test::error_of([&] { add_launch(work, kernel, 1, arguments...); });
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK(std::string(error.what()) == words);
        CHECK(work.commands.empty());
    };
    using enum Slot;
    const std::string mark = "the kernel mark_runs of compact/equal_runs.cl ";
    check_mistake(mark + "takes 5 arguments, but got 4", families::equal_runs, "mark_runs", keys, 1, 2, own_begins);
    check_mistake(mark + "takes key_t* as argument 1, but got an integer", families::equal_runs, "mark_runs", 0, 1, 2,
                  own_begins, own_bases);
    check_mistake(mark + "takes position_t as argument 3, but got an array", families::equal_runs, "mark_runs", keys, 1,
                  own_begins, own_begins, own_bases);
    check_mistake(mark + "takes position_t as argument 2, but got a larger integer", families::equal_runs, "mark_runs",
                  keys, std::uint64_t{1} << 32, 2, own_begins, own_bases);
    check_mistake(mark + "takes ulong* as argument 5, but got an array of other elements", families::equal_runs,
                  "mark_runs", keys, 1, 2, own_begins, keys);
    check_mistake("the kernel sort_tiles of compact/equal_runs.cl is not in the program", families::equal_runs,
                  "sort_tiles");
    check_mistake(
        "the kernel write_iota of move/iota.cl takes index_t* as argument 1, but got an array of other elements",
        families::iota, "write_iota", values, 1, 2, 3);
}

TEST_CASE("kernel table: kernels await the last launch as their rows say") {
    using namespace families;
    std::set<std::string> seen;
    for (const Family* const family : {&binary_search,
                                       &bins_by_bounds,
                                       &classify,
                                       &equal_runs,
                                       &find_runs,
                                       &float_bins,
                                       &float_run_scan,
                                       &float_runs,
                                       &float_scan,
                                       &float_sum,
                                       &gather,
                                       &integer_bins,
                                       &integer_run_scan,
                                       &integer_runs,
                                       &integer_scan,
                                       &integer_sum,
                                       &iota,
                                       &mark_segments,
                                       &merge_across,
                                       &min_max,
                                       &min_max_place,
                                       &min_max_run_scan,
                                       &min_max_runs,
                                       &min_max_scan,
                                       &move_blocks,
                                       &operator_reduction,
                                       &operator_run_scan,
                                       &operator_scan,
                                       &order_test,
                                       &permute,
                                       &place_blocks,
                                       &quicksort,
                                       &select,
                                       &top_k_by_threshold,
                                       &sort,
                                       &sort_first,
                                       &top_k_in_local,
                                       &top_k_in_registers,
                                       &two_ranges})
        for (const char* const file : {family->file, family->file_in_cache}) {
            if (!file) continue;
            const std::string source = kernel_source(file);
            for (const KernelRow& kernel : family->kernels) {
                const std::size_t begin = source.find(fmt::format("KERNEL void {}(", kernel.name));
                CAPTURE(file);
                CAPTURE(kernel.name);
                REQUIRE(begin != std::string::npos);
                const std::string_view body = std::string_view(source).substr(begin, source.find("\n}", begin) - begin);
                CHECK((body.find("AWAIT_LAST_LAUNCH();") != std::string_view::npos) == kernel.awaits);
                seen.insert(fmt::format("{} {}", file, kernel.name));
            }
        }
    CHECK(seen.size() > 60);
}

}  // namespace
}  // namespace lanesort::detail
