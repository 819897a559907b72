#include "host.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "../../lib/src/stopwatch.hpp"

namespace lanesort::cpu {
namespace {

using detail::Bindings, detail::Launch, detail::Slot, detail::Work;

/// Bytes of alignment of arrays that works take for themselves: a line of the cache.
constexpr std::align_val_t line{64};

struct FreeLines {
    void operator()(std::byte* memory) const noexcept { operator delete[](memory, line); }
};
using OwnMemory = std::unique_ptr<std::byte[], FreeLines>;

OwnMemory allocate(std::size_t bytes) { return OwnMemory(new (line) std::byte[bytes]); }

/// For fewer elements, to wake threads takes longer than they save.
constexpr std::uint64_t few_elements = 1 << 15;

[[noreturn]] void refuse_queues() {
    throw Error(ErrorCode::unsupported, "the built-in device sorts host memory, and has no queues");
}

class Executor {
public:
    Executor(const Work& work, const Bindings& bindings, Threads& threads)
        : work_(work), bindings_(bindings), threads_(threads) {
        for (const detail::Array& array : work.arrays) elements_ = std::max(elements_, array.count);
    }

    void operator()(const Launch& launch) {
        std::array<unsigned long, 2 * Launch::most_arguments> values;
        std::size_t count = 0;
        for (const detail::Argument& argument : launch.all_arguments()) {
            if (argument.bytes > 0) {
                values[count++] = argument.value;
            } else {
                const auto [memory, offset] = bindings_[argument.slot];
                values[count++] = reinterpret_cast<std::uintptr_t>(memory);
                values[count++] = offset + argument.value;
            }
        }
        const Kernel kernel = static_cast<const Program&>(*work_.programs[launch.program]).kernels[launch.kernel];
        const auto run = [&](std::uint64_t first, std::uint64_t end) {
            kernel(values.data(), first, end, launch.groups);
        };
        if (elements_ < few_elements) run(0, launch.groups);
        else threads_.share_out(launch.groups, run);
    }

    void operator()(const detail::Copy& copy) {
        for (std::uint64_t row = 0; row < copy.height; ++row)
            std::memcpy(address(copy.to) + copy.front + row * copy.width, address(copy.from) + row * copy.pitch,
                        copy.width);
    }

    void operator()(const detail::Zero& zero) { std::memset(address(zero.array), 0, work_.arrays[zero.array].size()); }

private:
    std::byte* address(Slot slot) const {
        return static_cast<std::byte*>(bindings_[slot].memory) + bindings_[slot].offset * work_.arrays[slot].bytes;
    }

    const Work& work_;
    const Bindings& bindings_;
    Threads& threads_;
    std::uint64_t elements_ = 0;  ///< of the longest array
};

}  // namespace

Host::Host(const Processor& processor)
    : instructions_(processor.instructions), info_(describe(processor)), threads_(processor.threads) {}

std::shared_ptr<const detail::Program> Host::compile(const detail::KernelParameters& parameters) {
    const auto known =
        std::ranges::find(programs_, parameters, [](const auto& program) { return program->parameters; });
    if (known != programs_.end()) return *known;
    return programs_.emplace_back(std::make_shared<const Program>(parameters, instructions_));
}

SortReport Host::run_on_host_memory(const Work& work, const Bindings& callers,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
    SortReport report = work.report;
    Bindings bindings = callers;
    std::array<OwnMemory, detail::slots> own;
    for (std::size_t slot = 0; slot < detail::slots; ++slot) {
        const detail::Array& array = work.arrays[slot];
        const bool is_consumed = array.access == detail::Access::consume;
        if (array.size() == 0 || !(is_consumed || is_own(static_cast<Slot>(slot)))) continue;
        own[slot] = allocate(array.size());
        if (is_consumed) {
            std::memcpy(own[slot].get(), bindings[slot].memory, array.size());
            report.device_bytes += array.size();
        }
        bindings[slot] = {own[slot].get(), 0};
    }
    // Kernels read offsets of 8 bytes.
    std::vector<std::uint64_t> wide_offsets;
    if (const detail::Array& offsets = work.arrays[Slot::segments]; offsets.bytes == 4) {
        wide_offsets.resize(offsets.count);
        const auto* const narrow = static_cast<const std::byte*>(callers[Slot::segments].memory);
        for (std::size_t i = 0; i < wide_offsets.size(); ++i) std::memcpy(&wide_offsets[i], narrow + 4 * i, 4);
        bindings[Slot::segments] = {wide_offsets.data(), 0};
    }
    detail::Stopwatch watch;
    Executor executor(work, bindings, threads_);
    std::size_t done = 0;
    for (const detail::Command& command : work.commands) {
        std::visit(executor, command);
        if (progress && std::holds_alternative<Launch>(command)) progress(++done, work.report.launches);
    }
    report.sort_seconds = watch.lap();
    return report;
}

detail::MemoryFacts Host::inspect(void*) const { refuse_queues(); }
void Host::check(const detail::Queue&) const { refuse_queues(); }
void Host::enqueue(const Work&, const Bindings&, const detail::Queue&, void**) { refuse_queues(); }
std::unique_ptr<detail::Recording> Host::record(std::shared_ptr<const Work>, const Bindings&, void*) {
    refuse_queues();
}

}  // namespace lanesort::cpu
