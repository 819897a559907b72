// SPDX-License-Identifier: MIT
#include "platform.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include <lanesort/version.h>

#include "../../lib/src/core/backend.hpp"
#include "../../lib/src/core/threads.hpp"
#include "host.hpp"
#include "table.hpp"

namespace lanesort::inline v0_1::cpu {
namespace {

struct InstructionsRow {
    Instructions instructions;
    const char* name;        ///< in devices' names
    const char* short_name;  ///< in LANESORT_INSTRUCTIONS
    unsigned vector_bytes;
};
constexpr InstructionsRow instruction_sets[] = {
#ifdef __x86_64__
    {Instructions::baseline, "SSE2", "baseline", 16},
    {Instructions::avx2, "AVX2", "avx2", 32},
    {Instructions::avx512, "AVX-512", "avx512", 64},
#elif defined(__aarch64__)
    {Instructions::baseline, "NEON", "baseline", 16},
#else
    {Instructions::baseline, "no vectors known", "baseline", 16},
#endif
};

const InstructionsRow& row_of(Instructions instructions) {
    return *std::ranges::find(instruction_sets, instructions, &InstructionsRow::instructions);
}

bool has([[maybe_unused]] Instructions instructions) {
#ifdef __x86_64__
    if (instructions == Instructions::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (instructions == Instructions::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return true;
}

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

class BuiltInDevice final : public detail::DeviceHandle {
public:
    explicit BuiltInDevice(const Processor& processor) : processor_(processor), info_(describe(processor)) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::unique_ptr<detail::Backend> open() const override { return std::make_unique<Host>(processor_); }

private:
    Processor processor_;
    DeviceInfo info_;
};

}  // namespace

Processor processor() {
    const std::span<const Instructions> compiled = compiled_instructions();
    Processor found{compiled.back(), detail::UsableCpus().count()};
    const std::string_view most = variable("LANESORT_INSTRUCTIONS");
    for (const InstructionsRow& row : instruction_sets) {
        if (has(row.instructions) && std::ranges::count(compiled, row.instructions) > 0)
            found.instructions = row.instructions;
        if (most == row.short_name) break;
    }
    const std::string_view limit = variable("LANESORT_THREADS");
    unsigned threads = 0;
    if (std::from_chars(limit.data(), limit.data() + limit.size(), threads).ec == std::errc{} && threads > 0)
        found.threads = std::min(found.threads, threads);
    return found;
}

std::uint64_t tile_memory() {
    long bytes = 1 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE  // glibc's; some kernels and virtual machines do not tell it
    bytes = std::max(bytes, sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
    return static_cast<std::uint64_t>(bytes);
}

DeviceInfo describe(const Processor& processor) {
    const InstructionsRow& row = row_of(processor.instructions);
    DeviceInfo info;
    info.backend = "CPU";
    info.platform = "built-in";
    info.name = fmt::format("built-in, {}, {} thread{}", row.name, processor.threads, processor.threads > 1 ? "s" : "");
    info.vendor = "lanesort";
    info.version = row.name;
    info.driver = LANESORT_VERSION;
    info.kind = DeviceKind::cpu;
    info.compute_units = processor.threads;
    info.max_work_items = 1;
    info.native_vector_bytes = row.vector_bytes;
    info.global_bytes =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    info.max_allocation_bytes = info.global_bytes;
    info.local_bytes = tile_memory();
    info.host_unified_memory = true;
    info.parts_vectors = processor.instructions != Instructions::baseline;
    info.compiles = false;
    return info;
}

}  // namespace lanesort::inline v0_1::cpu

namespace lanesort::inline v0_1 {

Device built_in_device() { return Device(std::make_shared<cpu::BuiltInDevice>(cpu::processor())); }

namespace detail {

Discovery discover_cpu() { return {{"built-in"}, {built_in_device()}, {}}; }

}  // namespace detail
}  // namespace lanesort::inline v0_1
