// SPDX-License-Identifier: MIT
// The CUDA kernels as machine code for several generations, without a device: they compile, and the shapes that the
// library chooses spill no registers.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <tuple>

#include <lanesort/device.hpp>
#include <lanesort/options.hpp>

#include "core/described_device.hpp"
#include "core/planner.hpp"
#include "error_support.hpp"
#include "host/cuda/program.hpp"
#include "ops/kernels.hpp"
#include "ops/search/binary_search_schedule.hpp"
#include "ops/sort/rounds.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

struct Generation {
    const char* architecture;
    std::size_t local_kilobytes;  ///< of a work-group at the most
};
constexpr Generation generations[] = {{"sm_75", 64}, {"sm_80", 163}, {"sm_90", 227}, {"sm_100", 227}};
constexpr const Generation& measured_generation = generations[2];

/// Shapes were measured on that generation. For the others not all is compiled, but what differs most.
bool is_measured(const Generation& generation) { return &generation == &measured_generation; }

/// The widths of elements to compile for: of other generations, the usual keys of 4 and 8 bytes and the widest
/// elements.
std::vector<std::size_t> widths(const Generation& generation, std::vector<std::size_t> all) {
    const std::size_t widest = all.back();
    if (!is_measured(generation))
        std::erase_if(all, [&](std::size_t bytes) { return bytes != 4 && bytes != 8 && bytes != widest; });
    return all;
}

/// Whether to compile for elements of so many bytes with indices or positions of 64 bits, or of 32: of other
/// generations, the usual keys of 4 bytes have narrow ones, and the others wide ones.
bool compiles_wide(const Generation& generation, std::size_t bytes, bool is_wide) {
    return is_measured(generation) || is_wide == (bytes != 4);
}

/// Whether there is no compiler, which it prints and counts.
bool no_compiler() {
    const std::string& absence = cu::compiler().absence;
    if (absence.empty()) return false;
    fmt::print("skipped: {}\n", absence);
    ++skipped_device_cases();
    return true;
}

/// The compiler's file, as it is named and as large as it is: others may say something else of a text.
std::string compiler_file() {
    Dl_info found{};
    REQUIRE(dladdr(reinterpret_cast<void*>(cu::compiler().nvrtcCompileProgram), &found) != 0);
    const std::filesystem::path file = std::filesystem::canonical(found.dli_fname);
    return fmt::format("{} {}", file.filename().string(), std::filesystem::file_size(file));
}

/// What the compiler says of the kernels. It takes minutes for all of them, so where LANESORT_COMPILER_LOGS names a
/// folder, this keeps there what is said of each text, as compiler caches do, and reads it the next time.
std::string compiler_log(const lanesort::detail::KernelParameters& parameters, const std::string& architecture) {
    const std::vector<std::string> more{"--ptxas-options=-v", "--no-cache"};
    const auto compiled = [&] {
        const cu::MachineCode made = cu::compile(parameters, architecture, more);
        CHECK(!made.code.empty());
        return made.code.empty() ? std::string() : made.log;
    };
    const char* const folder = std::getenv("LANESORT_COMPILER_LOGS");
    if (!folder) return compiled();
    const std::string asked =
        fmt::format("{}\n{}\n{}\n{}\n", compiler_file(), fmt::join(cu::compiler_options(parameters, architecture), " "),
                    fmt::join(more, " "), lanesort::detail::source(parameters));
    std::filesystem::create_directories(folder);
    const std::filesystem::path file =
        std::filesystem::path(folder) / fmt::format("{:016x}", std::hash<std::string>()(asked));
    std::ifstream kept(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(kept), {}};
    if (text.starts_with(asked)) return text.substr(asked.size());
    const std::string log = compiled();
    if (log.empty()) return log;
    // Another process that compiles the same meanwhile keeps the same.
    const std::filesystem::path unfinished = fmt::format("{}.{}", file.string(), getpid());
    std::ofstream keeping(unfinished, std::ios::binary);
    keeping << asked << log;
    keeping.close();
    if (keeping) std::filesystem::rename(unfinished, file);
    return log;
}

/// Compiles the kernels, unless they were before, prints what each takes and checks that it spills nothing.
void check_compiled(const lanesort::detail::KernelParameters& parameters, const std::string& architecture) {
    static std::set<std::string> compiled;
    if (!compiled.insert(architecture + lanesort::detail::source(parameters)).second) return;
    static const std::regex used(
        "Compiling entry function '(\\w+)'[^]*?(\\d+) bytes spill stores, (\\d+) bytes spill loads"
        "[^]*?Used (\\d+) registers");
    const std::string log = compiler_log(parameters, architecture);
    std::size_t kernels = 0;
    for (auto match = std::sregex_iterator(log.begin(), log.end(), used); match != std::sregex_iterator();
         ++match, ++kernels) {
        const int spilled = std::stoi((*match)[2]) + std::stoi((*match)[3]);
        const Shape& shape = parameters.shape;
        fmt::print("{:<8}{:>5}{:>7}  {:<15}{:>10}{:>8}{:>14}  {}\n", architecture, parameters.bytes.key * 8,
                   parameters.bytes.value * 8, (*match)[1].str(), (*match)[4].str(), spilled, parameters.local_bytes(),
                   to_string(shape));
        CAPTURE(architecture);
        CAPTURE((*match)[1].str());
        CAPTURE(to_string(shape));
        CHECK(spilled == 0);
    }
    CHECK(kernels == lanesort::detail::kernel_names(parameters).size());
}

DeviceInfo graphics_card(const Generation& generation) {
    DeviceInfo device;
    device.backend = "CUDA";
    device.vendor = "NVIDIA Corporation";
    device.kind = DeviceKind::gpu;
    device.max_work_items = 1024;
    device.local_bytes = generation.local_kilobytes * 1024;
    return device;
}

/// One with the compute units and the memory of an H100.
DeviceInfo large_card(const Generation& generation) {
    DeviceInfo device = graphics_card(generation);
    device.compute_units = 132;
    device.max_allocation_bytes = std::uint64_t{1} << 36;
    return device;
}

const Comparator by_number{.type = "record",
                           .bytes = 24,
                           .before = "a.number < b.number",
                           .declarations = "typedef struct { double number, others[2]; } record;"};
const Predicate has_number{.type = "record",
                           .bytes = by_number.bytes,
                           .holds = "a.number != p",
                           .declarations = by_number.declarations,
                           .parameter_type = "double",
                           .parameter_bytes = 8};

/// Of records of so many bytes.
BinaryOperator summed_numbers(std::size_t bytes, const char* transform) {
    const char* const number = bytes % 4 == 0 ? "uint" : "uchar";
    return {.type = "record",
            .bytes = bytes,
            .combine = "summed(a, b)",
            .identity = "none()",
            .declarations = fmt::format(R"(typedef struct {{ {0} numbers[{1} / sizeof({0})]; }} record;
record none(void) {{ record all; for (uint i = 0; i < {1} / sizeof({0}); ++i) all.numbers[i] = 0; return all; }}
record summed(record a, record b) {{ for (uint i = 0; i < {1} / sizeof({0}); ++i) a.numbers[i] += b.numbers[i]; return a; }})",
                                        number, bytes),
            .transform = transform};
}

const Comparator by_two_numbers{.type = "record",
                                .bytes = 16,
                                .before = "a.first < b.first || (a.first == b.first && a.second < b.second)",
                                .declarations = "typedef struct { double first; ulong second; } record;"};

TEST_CASE("CUDA: chosen shapes compile for every generation and spill nothing") {
    if (no_compiler()) return;
    fmt::print("{:<8}{:>5}{:>7}  {:<15}{:>10}{:>8}{:>14}  shape\n", "arch", "keys", "values", "kernel", "registers",
               "spills", "local bytes");
    struct Element {
        std::size_t key_bytes, value_bytes;
        std::vector<std::uint64_t> counts;
    };
    // Narrower ones are as those of 4 bytes, with less in registers.
    const Element elements[] = {{1, 0, {0}},
                                {2, 0, {0}},
                                {4, 0, {100'000, 1'000'000, 5'000'000, 0}},
                                {8, 0, {50'000, 500'000, 5'000'000, 0}},
                                {4, 4, {100'000, 500'000, 5'000'000, 0}},
                                {8, 8, {0}},
                                {8, 16, {0}}};
    for (const Generation& generation : generations)
        for (const auto& [bytes, value_bytes, counts] : elements)
            for (const std::uint64_t count : counts) {
                // Of other generations, the smallest and the largest.
                if (!is_measured(generation) && count != counts.front() && count != 0) continue;
                const Shape shape = choose_shape(graphics_card(generation), {bytes, value_bytes}, count);
                check_compiled({.family = &lanesort::detail::families::sort,
                                .bytes = {bytes, value_bytes},
                                .unroll_rounds = true,
                                .shape = shape,
                                .column_bits = most_column_bits(shape)},
                               generation.architecture);
            }
}

TEST_CASE("CUDA: selections compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 4, 8, 24}))
            for (const std::size_t index_bytes : {0, 4, 8}) {
                const bool is_record = bytes == by_number.bytes;
                if (is_record && index_bytes == 0) continue;
                for (const std::uint64_t count : {5'000, 1 << 24}) {
                    const TopKSchedule selection = make_top_k_schedule(
                        graphics_card(generation), {bytes, 0, index_bytes, is_record}, 1, count, 64);
                    KernelParameters parameters{.family = &families::top_k_in_local,
                                                .bytes = selection.bytes,
                                                .wide_positions = index_bytes == 8,
                                                .shape = selection.shape};
                    if (is_record) parameters.comparator = by_number;
                    check_compiled(parameters, generation.architecture);
                }
            }
}

TEST_CASE("CUDA: top-k by a threshold compiles for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 4, 8, 24}))
            for (const std::size_t index_bytes : {4, 8}) {
                const bool is_record = bytes == by_number.bytes;
                if (!compiles_wide(generation, bytes, index_bytes == 8)) continue;
                for (const std::uint64_t k : {100, 1000}) {
                    const std::optional<ThresholdSchedule> schedule = make_threshold_schedule(
                        graphics_card(generation), {bytes, 0, index_bytes, is_record}, k == 100 ? 4096 : 1, 1 << 20, k);
                    if (!schedule && is_record) continue;  // more than sm_75 has room for
                    REQUIRE(schedule);
                    KernelParameters parameters{.family = &families::top_k_by_threshold,
                                                .bytes = schedule->bytes,
                                                .wide_positions = index_bytes == 8,
                                                .shape = schedule->shape};
                    if (is_record) parameters.comparator = by_number;
                    check_compiled(parameters, generation.architecture);
                    parameters.nan_last = true;
                    parameters.shape = with_more_registers(parameters.shape);
                    if (bytes == 4) check_compiled(parameters, generation.architecture);
                }
            }
}

TEST_CASE("CUDA: kernels for sorted ranges compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 2, 4, 8, 24}))
            for (const auto& [value_bytes, length_bytes] :
                 {std::pair<std::size_t, std::size_t>{0, 0}, {0, 4}, {0, 8}, {1, 0}, {4, 0}, {16, 0}}) {
                const bool is_record = bytes == by_number.bytes;
                // These are between the others.
                if (!is_measured(generation) && (value_bytes == 4 || length_bytes == 4)) continue;
                const SortedRangesSchedule schedule = make_sorted_ranges_schedule(
                    graphics_card(generation), bytes, SortedRangesTask::run_lengths, 1, 1 << 20);
                for (const Family* const family : {&families::order_test, &families::equal_runs}) {
                    KernelParameters parameters{.family = family,
                                                .bytes = {bytes, value_bytes, length_bytes, is_record},
                                                .wide_positions = length_bytes == 8,
                                                .shape = schedule.shape};
                    if (is_record) parameters.comparator = by_number;
                    check_compiled(parameters, generation.architecture);
                }
                KernelParameters parameters{.family = &families::find_runs,
                                            .bytes = {bytes, value_bytes, length_bytes, is_record},
                                            .wide_positions = length_bytes == 0 && value_bytes == 1,
                                            .shape = {}};
                if (is_record) parameters.comparator = by_number;
                for (const std::uint64_t most_keys : {most_tile_keys, most_marked_tile_keys}) {
                    parameters.shape = find_runs_shape(graphics_card(generation), parameters.bytes, most_keys);
                    check_compiled(parameters, generation.architecture);
                }
                if (length_bytes > 0) continue;
                parameters.family = &families::select;
                parameters.shape =
                    make_select_schedule(graphics_card(generation), parameters.bytes, 1 << 20, false).shape;
                parameters.comparator = {};
                if (is_record) parameters.predicate = has_number;
                check_compiled(parameters, generation.architecture);
            }
}

TEST_CASE("CUDA: reductions compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 2, 4, 8}))
            for (const Family* const family :
                 {&families::min_max, &families::min_max_place, &families::integer_sum, &families::float_sum}) {
                if (family == &families::float_sum && bytes == 1) continue;
                KernelParameters parameters{
                    .family = family,
                    .bytes = {bytes},
                    .shape = {.lanes = 1, .vectors = 1, .work_items = tree_leaves, .register_vectors = 2}};
                for (const bool wide : {false, true})
                    for (const std::size_t offset_bytes : {0, wide ? 8 : 4}) {
                        if (!compiles_wide(generation, bytes, wide)) continue;
                        parameters.wide_positions = wide;
                        parameters.layout = offset_bytes > 0 ? Layout::rows : Layout::range;
                        parameters.offset_bytes = offset_bytes;
                        check_compiled(parameters, generation.architecture);
                    }
            }
}

TEST_CASE("CUDA: reductions by an operator compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 3, 4, 8, 12, 16, 64}))
            for (const std::size_t offset_bytes : {0, 8})
                for (const char* const transform : {"", "summed(b, a)"}) {
                    const KernelParameters parameters{
                        .family = &families::operator_reduction,
                        .bytes = {bytes, 0, 0, true},
                        .shape = {.lanes = 1, .vectors = 1, .work_items = tree_leaves, .register_vectors = 2},
                        .binary_operator = summed_numbers(bytes, transform),
                        .layout = offset_bytes > 0 ? Layout::rows : Layout::range,
                        .offset_bytes = offset_bytes};
                    check_compiled(parameters, generation.architecture);
                }
}

TEST_CASE("CUDA: a text that the compiler refuses is named, and the build log has the words") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    const KernelParameters parameters{
        .family = &families::operator_reduction,
        .bytes = {4, 0, 0, true},
        .shape = {.lanes = 1, .vectors = 1, .work_items = tree_leaves, .register_vectors = 2},
        .binary_operator = BinaryOperator{.type = "uint", .bytes = 4, .combine = "a + no_such_name", .identity = "0"}};
    const Error error = error_of([&] { cu::compile(parameters, measured_generation.architecture); });
    CHECK(error.code() == ErrorCode::build_failed);
    check_mentions(error, {"reduce/operator_reduction.cl, with the caller's operator in it", "the build log has"});
    CHECK(error.build_log().find("no_such_name") != std::string::npos);
}

TEST_CASE("CUDA: exchanges compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 2, 4, 8}))
            for (const std::size_t value_bytes : {0, 4, 16})
                check_compiled(
                    {.family = &families::merge_across, .bytes = {bytes, value_bytes}, .shape = {.work_items = 256}},
                    generation.architecture);
}

TEST_CASE("CUDA: scans compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 2, 4, 8}))
            for (const Family* const family :
                 {&families::integer_scan, &families::float_scan, &families::min_max_scan, &families::integer_run_scan,
                  &families::float_run_scan, &families::min_max_run_scan}) {
                const bool adds_floats = family->numbers == lanesort::detail::Numbers::floating;
                if (adds_floats && bytes == 1) continue;
                const Shape shape =
                    make_scan_schedule(
                        graphics_card(generation),
                        {.bytes = {bytes}, .has_tree = adds_floats, .has_runs = family->has_runs, .count = 1 << 20})
                        .shape;
                for (const bool wide : {false, true})
                    if (compiles_wide(generation, bytes, wide))
                        check_compiled({.family = family, .bytes = {bytes}, .wide_positions = wide, .shape = shape},
                                       generation.architecture);
            }
}

TEST_CASE("CUDA: scans by an operator, and what marks runs, compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations) {
        for (const std::size_t offset_bytes : {4, 8})
            check_compiled({.family = &families::mark_segments,
                            .bytes = {1},
                            .shape = {.lanes = 1, .vectors = 1, .work_items = 256, .register_vectors = 2},
                            .layout = Layout::rows,
                            .offset_bytes = offset_bytes},
                           generation.architecture);
        for (const std::size_t bytes : widths(generation, {1, 3, 8, 12, 24, 64}))
            for (const Family* const family : {&families::operator_scan, &families::operator_run_scan}) {
                const ScanTask task{.bytes = {bytes, 0, 0, true},
                                    .has_tree = true,
                                    .has_runs = family == &families::operator_run_scan,
                                    .count = 1 << 20};
                KernelParameters parameters{.family = family,
                                            .bytes = task.bytes,
                                            .shape = make_scan_schedule(graphics_card(generation), task).shape};
                parameters.binary_operator = BinaryOperator{
                    .type = "element",
                    .bytes = bytes,
                    .combine = "b.bytes[0] & 1 ? b : a",
                    .identity = "none()",
                    .declarations = fmt::format("typedef struct {{ unsigned char bytes[{}]; }} element;\n"
                                                "inline element none() {{ element e = {{{{0}}}}; return e; }}",
                                                bytes)};
                check_compiled(parameters, generation.architecture);
            }
    }
}

TEST_CASE("CUDA: searches, moves and histograms compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : widths(generation, {1, 2, 4, 8, 24}))
            for (const std::size_t index_bytes : {4, 8}) {
                const bool is_record = bytes == by_number.bytes;
                if (!compiles_wide(generation, bytes, index_bytes == 8)) continue;
                KernelParameters parameters{
                    .family = &families::binary_search,
                    .bytes = {bytes, 0, index_bytes, is_record},
                    .wide_positions = index_bytes == 8,
                    .shape = {.lanes = 1, .vectors = 16, .work_items = 256, .register_vectors = 2},
                    .buckets = {.sample = sample_keys(graphics_card(generation), bytes)}};
                if (is_record) parameters.comparator = by_number;
                check_compiled(parameters, generation.architecture);
                if (is_record) continue;
                check_compiled({.family = &families::gather,
                                .bytes = {bytes, 0, index_bytes},
                                .shape = {.work_items = 64},
                                .layout = Layout::rows},
                               generation.architecture);
                parameters.wide_positions = false;
                for (const Family* const family :
                     {&families::integer_bins, &families::float_bins, &families::bins_by_bounds})
                    for (const bool are_many : {false, true}) {
                        if (family == &families::float_bins && bytes == 1) continue;
                        parameters.family = family;
                        parameters.shape.vectors = are_many ? 1 << 14 : 1 << 13;
                        parameters.shape.work_items = are_many ? 1024 : 512;
                        parameters.shape.resident_groups = are_many ? 1 : 4;
                        check_compiled(parameters, generation.architecture);
                    }
            }
}

TEST_CASE("CUDA: the kernels of a distribution compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    constexpr std::uint64_t count = std::uint64_t{1} << 27;
    for (const Generation& generation : generations)
        for (const ElementBytes& bytes :
             {ElementBytes(4), ElementBytes(8), ElementBytes(4, 4), ElementBytes(8, 8), ElementBytes(16, 0, 1, true)}) {
            const DeviceInfo card = graphics_card(generation);
            const auto made = make_distribution(card, bytes, count, choose_shape(card, bytes, count).tile_keys(),
                                                most_distribution_bytes(count, bytes));
            // Turing has too little local memory for children of wide elements.
            CHECK((made || (generation.local_kilobytes < 100 && bytes.key + bytes.value > 8)));
            if (!made) continue;
            for (const Family* const family : {&families::classify, &families::place_blocks, &families::move_blocks}) {
                KernelParameters parameters{.family = family,
                                            .bytes = bytes,
                                            .shape = made->levels.back().shape,
                                            .buckets = made->levels.back().buckets};
                if (bytes.is_record) parameters.comparator = by_two_numbers;
                if (family == &families::place_blocks) parameters.shape = place_blocks_shape(parameters.shape);
                if (family == &families::move_blocks)
                    parameters.shape = move_blocks_shape(parameters.shape, bytes, parameters.buckets);
                check_compiled(parameters, generation.architecture);
            }
        }
}

TEST_CASE("CUDA: levels of a distribution in batches compile and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    const DeviceInfo card = large_card(measured_generation);
    for (const ElementBytes& bytes : {ElementBytes(4), ElementBytes(8)}) {
        const std::uint64_t count = (std::uint64_t{1} << 35) / bytes.all();
        const auto made = make_distribution(card, bytes, count, choose_shape(card, bytes, count).tile_keys(),
                                            most_distribution_bytes(count, bytes));
        REQUIRE(made);
        CHECK(made->levels.back().batches > 1);
        for (const Level& level : made->levels)
            check_compiled({.family = &families::classify,
                            .bytes = bytes,
                            .wide_positions = true,
                            .shape = level.shape,
                            .buckets = level.buckets},
                           measured_generation.architecture);
    }
}

TEST_CASE("CUDA: what sorts records, their leaves, and larger leaves, compiles and spills nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    const Generation& generation = measured_generation;
    DescribedDevice described(large_card(generation));
    Planner planner(described, {.use_tuned = false});
    const Request records{.count = 1 << 24, .schedule = Schedule::distribution, .key = by_two_numbers};
    const Request in_columns{.count = 1 << 20, .schedule = Schedule::columns, .key = by_two_numbers};
    // Leaves of twice the work-items save a level.
    const Request pairs{.count = 1 << 28, .value_bytes = 4, .schedule = Schedule::distribution, .key = KeyType::u32};
    for (const Request& request : {records, in_columns, pairs}) {
        const auto work = planner.plan(request);
        std::set<std::string> compiled;
        for (const auto& program : work->programs) {
            const KernelParameters& parameters = program->parameters;
            if (parameters.family != &families::sort || !compiled.insert(source(parameters)).second) continue;
            if (request.value_bytes > 0) CHECK(parameters.work_items() == 1024);
            check_compiled(parameters, generation.architecture);
        }
        // Leaves and, of numbers, all that is nearly never left.
        CHECK(compiled.size() == (request.key.is_record() ? 1 : 2));
    }
}

TEST_CASE("CUDA: first passes that read other arrays than they write compile and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    const Generation& generation = measured_generation;
    DescribedDevice described(large_card(generation));
    Planner planner(described, {.use_tuned = false});
    std::vector<Request> requests;
    for (const std::uint64_t length : {100, 512, 1000, 2048, 4096})
        requests.push_back({.operation = Operation::top_k,
                            .count = length << 16,
                            .row_length = length,
                            .first = length / 2,
                            .index_bytes = 4,
                            .key = KeyType::f32});
    for (const std::uint64_t count : {100'000, 5'000'000, 1 << 25})
        for (const std::size_t value_bytes : {0, 4}) {
            requests.push_back({.count = count, .apart = true, .value_bytes = value_bytes, .key = KeyType::f32});
            requests.push_back({.count = count, .apart = true, .value_bytes = 2 * value_bytes, .key = KeyType::u64});
        }
    for (const Request& request : requests) {
        const auto work = planner.plan(request);
        CHECK(std::ranges::none_of(work->commands,
                                   [](const Command& command) { return std::holds_alternative<Copy>(command); }));
        const auto program = std::ranges::find_if(work->programs, [](const auto& p) { return p->parameters.apart; });
        REQUIRE(program != work->programs.end());
        check_compiled((*program)->parameters, generation.architecture);
    }
}

TEST_CASE("CUDA: rows of few tiles, in as many columns, compile and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    const Generation& generation = measured_generation;
    DescribedDevice described(large_card(generation));
    Planner planner(described, {.use_tuned = false});
    constexpr std::uint64_t count = std::uint64_t{1} << 26;
    for (const auto& [key, value_bytes, tile] :
         {std::tuple(KeyType::u32, 0u, 1u << 14), {KeyType::u64, 0u, 1u << 13}, {KeyType::u32, 4u, 1u << 13}}) {
        const auto work = planner.plan(
            {.count = count, .row_length = std::uint64_t{16} * tile, .value_bytes = value_bytes, .key = key});
        REQUIRE(work->programs.size() == 1);
        CHECK(work->programs[0]->parameters.column_bits == 4);
        check_compiled(work->programs[0]->parameters, generation.architecture);
    }
}

TEST_CASE("CUDA: short rows, by work-items with many keys, compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations) {
        DescribedDevice described(large_card(generation));
        Planner planner(described, {.use_tuned = false});
        for (const std::uint64_t length : {64, 100, 777, 1024, 3000}) {
            const auto work = planner.plan({.count = (std::uint64_t{1} << 26) / length * length, .row_length = length});
            REQUIRE(work->programs.size() == 1);
            const KernelParameters& parameters = work->programs[0]->parameters;
            CHECK(parameters.shape.register_vectors == (length > 64 ? 32 : 8));
            check_compiled(parameters, generation.architecture);
        }
        // Few rows want small groups, and pairs were not measured.
        for (const Request& request : {Request{.count = 10'000, .row_length = 100},
                                       Request{.count = 100'000'000, .row_length = 100, .value_bytes = 4}})
            CHECK(planner.plan(request)->programs[0]->parameters.shape.register_vectors < 32);
    }
}

TEST_CASE("CUDA: rows that end in a tile have no work-items for the rest, compile and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    struct Rows {
        KeyType key;
        std::size_t value_bytes;
        std::uint64_t length;
        unsigned work_items;
    };
    for (const Generation& generation : generations) {
        DescribedDevice described(large_card(generation));
        Planner planner(described, {.use_tuned = false});
        for (const Rows& rows : {Rows{KeyType::u32, 0, 3000, 96},
                                 {KeyType::f32, 0, 5000, 160},
                                 {KeyType::u32, 0, 7000, 224},
                                 {KeyType::u32, 0, 8000, 256},
                                 {KeyType::u32, 0, 10'000, 320},
                                 {KeyType::u32, 0, 20'000, 640},
                                 {KeyType::u32, 0, 32'768, 1024},
                                 {KeyType::u64, 0, 5000, 320},
                                 {KeyType::u32, 4, 5000, 320}}) {
            const auto work = planner.plan({.count = (std::uint64_t{1} << 26) / rows.length * rows.length,
                                            .row_length = rows.length,
                                            .value_bytes = rows.value_bytes,
                                            .key = rows.key});
            REQUIRE(work->programs.size() == 1);
            const KernelParameters& parameters = work->programs[0]->parameters;
            CAPTURE(rows.length);
            // Others may have no room for the largest tiles: there several make a row.
            if (is_measured(generation) || work->commands.size() == 1)
                CHECK(parameters.work_items() == rows.work_items);
            check_compiled(parameters, generation.architecture);
        }
    }
}

TEST_CASE("CUDA: the kernels that permute values compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t value_bytes : {1, 16})
            for (const std::size_t index_bytes : {4, 8})
                check_compiled({.family = &families::permute,
                                .bytes = ElementBytes(1, value_bytes, index_bytes),
                                .wide_positions = index_bytes == 8,
                                .shape = {.work_items = 1}},
                               generation.architecture);
}

TEST_CASE("CUDA: integers that count compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t bytes : {4, 8})
            check_compiled(
                {.family = &families::iota, .bytes = ElementBytes(1, 0, bytes), .shape = {.work_items = 256}},
                generation.architecture);
}

TEST_CASE("CUDA: the kernels that gather elements compile for every generation and spill nothing") {
    using namespace lanesort::detail;
    if (no_compiler()) return;
    for (const Generation& generation : generations)
        for (const std::size_t word : {1, 8})
            for (const std::size_t offset_bytes : {0, 4})
                check_compiled({.family = &families::gather,
                                .bytes = ElementBytes(word, 0, 4 + offset_bytes),
                                .wide_positions = offset_bytes == 4,
                                .shape = {.work_items = 64},
                                .layout = lanesort::detail::Layout::rows,
                                .offset_bytes = offset_bytes},
                               generation.architecture);
}

}  // namespace
}  // namespace lanesort::test
