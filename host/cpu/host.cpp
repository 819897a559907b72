// SPDX-License-Identifier: MIT
#include "host.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/stopwatch.hpp"
#include "../../lib/src/ops/sort/rounds.hpp"

namespace lanesort::inline v0_1::cpu {
namespace {

using detail::Bindings, detail::Launch, detail::Slot, detail::Threads, detail::Work;

/// Bytes of a line of the cache, from which on arrays lie that works take for themselves.
constexpr std::size_t line = 64;

/// So many bytes of these arrays stay for later calls, which then allocate nothing.
constexpr std::size_t kept_bytes = 1 << 16;

Memory memory_of(std::size_t bytes) { return Memory(new (std::align_val_t{line}) std::byte[bytes]); }

/// What an array takes for itself: those of the work's own, copies of what is consumed, and offsets of 8 bytes where
/// the caller's have 4. Else 0.
std::size_t own_bytes(const Work& work, Slot slot) {
    const detail::Array& array = work.arrays[slot];
    const bool is_widened = slot == Slot::segments && array.bytes == 4;
    if (is_widened) return 2 * array.size();
    return array.access == detail::Access::consume || is_own(slot) ? array.size() : 0;
}

/// What that array holds before the work begins.
void fill(std::byte* own, const Work& work, Slot slot, const void* callers) {
    const detail::Array& array = work.arrays[slot];
    if (slot == Slot::segments) {
        for (std::size_t i = 0; i < array.count; ++i) {
            std::uint32_t narrow = 0;
            std::memcpy(&narrow, static_cast<const std::byte*>(callers) + sizeof narrow * i, sizeof narrow);
            const std::uint64_t wide = narrow;
            std::memcpy(own + sizeof wide * i, &wide, sizeof wide);
        }
    } else if (array.access == detail::Access::consume) {
        std::memcpy(own, callers, array.size());
    }
}

/// The next place after so many bytes that is a line.
constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

/// With fewer elements, to wake threads takes longer than they save.
constexpr std::uint64_t many_elements = 1 << 15;

class Executor {
public:
    Executor(const Work& work, const Bindings& bindings, Threads& threads, std::span<const Memory> local_memory)
        : work_(work), bindings_(bindings), threads_(threads), local_memory_(local_memory) {}

    void operator()(const Launch& launch) {
        std::array<unsigned long, 2 * detail::ArgumentTypes::most> values;
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
        const auto& program = static_cast<const Program&>(*work_.programs[launch.program]);
        const detail::Kernel kernel = program.kernels[launch.kernel];
        const detail::Context context{bindings_[Slot::order].memory, program.parameters.bytes.value,
                                      program.parameters.stores_indices() ? program.parameters.bytes.index : 0,
                                      lanesort::log2(program.parameters.shape.tile_vectors())};
        const auto run = [&](std::uint64_t first, std::uint64_t end, unsigned thread) {
            const detail::WorkGroups groups{first, end, launch.groups, local_memory_[thread].get()};
            kernel(values.data(), groups, context);
        };
        if (launch.groups > 1 && has_many_elements()) threads_.share_out(launch.groups, run);
        else run(0, launch.groups, 0);
    }

    void operator()(const detail::Copy& copy) {
        for (std::uint64_t row = 0; row < copy.height; ++row)
            std::memcpy(address(copy.to) + copy.front + row * copy.width, address(copy.from) + row * copy.pitch,
                        copy.width);
    }

    void operator()(const detail::Zero& zero) { std::memset(address(zero.array), 0, work_.arrays[zero.array].size()); }

private:
    /// So many that threads are woken for them.
    bool has_many_elements() const {
        return std::ranges::any_of(work_.arrays, [](const auto& array) { return array.count >= many_elements; });
    }

    std::byte* address(Slot slot) const {
        return static_cast<std::byte*>(bindings_[slot].memory) + bindings_[slot].offset * work_.arrays[slot].bytes;
    }

    const Work& work_;
    const Bindings& bindings_;
    Threads& threads_;
    std::span<const Memory> local_memory_;
};

}  // namespace

void FreeMemory::operator()(std::byte* memory) const noexcept { operator delete[](memory, std::align_val_t{line}); }

Host::Host(const Processor& processor)
    : instructions_(processor.instructions),
      info_(describe(processor)),
      threads_(processor.threads),
      local_memory_(processor.threads) {}

std::shared_ptr<const detail::Program> Host::compile(const detail::KernelParameters& parameters) {
    const auto known =
        std::ranges::find(programs_, parameters, [](const auto& program) { return program->parameters; });
    if (known != programs_.end()) return *known;
    return programs_.emplace_back(std::make_shared<const Program>(parameters, instructions_));
}

void Host::make_local_memory(const Work& work) {
    std::size_t bytes = 0;
    for (const auto& program : work.programs)
        bytes = std::max(bytes, static_cast<const Program&>(*program).local_bytes);
    if (bytes <= local_bytes_) return;
    local_bytes_ = 0;
    for (Memory& memory : local_memory_) memory.reset();
    for (Memory& memory : local_memory_) memory = memory_of(bytes);
    local_bytes_ = bytes;
}

SortReport Host::run_on_host_memory(const Work& work, const Bindings& callers,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
    SortReport report = work.report;
    Bindings bindings = callers;
    std::size_t bytes = 0;
    for (std::size_t slot = 0; slot < detail::slots; ++slot)
        bytes += whole_lines(own_bytes(work, static_cast<Slot>(slot)));
    Memory memory;
    if (bytes > kept_bytes) memory = memory_of(bytes);
    else if (bytes > 0 && !kept_) kept_ = memory_of(kept_bytes);
    std::byte* next = memory ? memory.get() : kept_.get();
    for (std::size_t i = 0; bytes > 0 && i < detail::slots; ++i) {
        const auto slot = static_cast<Slot>(i);
        const std::size_t own = own_bytes(work, slot);
        if (own == 0) continue;
        fill(next, work, slot, callers[slot].memory);
        if (work.arrays[slot].access == detail::Access::consume) report.device_bytes += own;
        bindings[slot] = {next, 0};
        next += whole_lines(own);
    }
    detail::Stopwatch watch;
    make_local_memory(work);
    Executor executor(work, bindings, threads_, local_memory_);
    std::size_t done = 0;
    for (const detail::Command& command : work.commands) {
        std::visit(executor, command);
        if (progress && std::holds_alternative<Launch>(command)) progress(++done, work.report.launches);
    }
    report.sort_seconds = watch.lap();
    return report;
}

detail::MemoryFacts Host::inspect(void* memory) const {
    detail::require(memory != nullptr, ErrorCode::invalid_argument, "the pointer is null");
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    return {.bytes = ~std::uint64_t{0} - begin, .begin = begin, .alignment = 1};
}

namespace {

/// Does at once what it is given.
class CallersThread final : public detail::DeviceQueue {
public:
    explicit CallersThread(Host& host) : host_(host) {}

    void* allocate(std::uint64_t bytes) override { return memory_.emplace_back(memory_of(bytes)).get(); }
    void upload(const detail::Rows& all, const detail::Binding& there) override {
        each_row(all, there,
                 [](std::byte* host, std::byte* device, std::size_t width) { std::memcpy(device, host, width); });
    }
    void download(const detail::Binding& there, const detail::Rows& all) override {
        each_row(all, there,
                 [](std::byte* host, std::byte* device, std::size_t width) { std::memcpy(host, device, width); });
    }
    void copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) override {
        std::memcpy(at(to), at(from), bytes);
    }
    void run(const detail::Work& work, const detail::Bindings& bindings) override {
        host_.enqueue(work, bindings, {}, nullptr);
    }
    std::shared_ptr<const detail::QueueEnd> end() override {
        struct Now final : detail::QueueEnd {
            void wait() const override {}
            bool has_come() const override { return true; }
        };
        return std::make_shared<const Now>();
    }
    void wait() override {}
    void await(std::shared_ptr<const detail::QueueEnd>) override {}

private:
    static std::byte* at(const detail::Binding& there) { return static_cast<std::byte*>(there.memory) + there.offset; }
    template <class Copy>
    static void each_row(const detail::Rows& all, const detail::Binding& there, const Copy& copy) {
        each_slice(all, there, [&](const detail::Rows& rows, const detail::Binding& slice) {
            for (std::uint64_t row = 0; row < rows.height; ++row)
                copy(static_cast<std::byte*>(rows.host) + row * rows.pitch, at(slice) + row * rows.device_pitch,
                     rows.width);
        });
    }

    Host& host_;
    std::vector<Memory> memory_;
};

}  // namespace

std::unique_ptr<detail::DeviceQueue> Host::use_queue(void*) { return std::make_unique<CallersThread>(*this); }

std::unique_ptr<detail::SharedMemory> Host::allocate(std::uint64_t bytes, bool) {
    struct Own final : detail::SharedMemory {
        explicit Own(Memory own) : memory(std::move(own)) { handle = memory.get(); }
        const Memory memory;
    };
    return std::make_unique<Own>(memory_of(bytes));
}

}  // namespace lanesort::inline v0_1::cpu
