// SPDX-License-Identifier: MIT
// The built-in device, opened.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "../../lib/src/core/float_environment.hpp"
#include "../../lib/src/core/threads.hpp"
#include "platform.hpp"

namespace lanesort::inline v0_1::cpu {

/// Kernels that were compiled with the library.
class Program final : public detail::Program {
public:
    /// Throws Error(unsupported) where the library has no kernels for these parameters.
    Program(const detail::KernelParameters& parameters, Instructions instructions);

    std::vector<detail::Kernel> kernels;  ///< in the order of detail::kernel_names()
    std::size_t local_bytes = 0;          ///< that these need
};

/// Memory from a line of the cache on, as it comes.
struct FreeMemory {
    void operator()(std::byte* memory) const noexcept;
};
using Memory = std::unique_ptr<std::byte[], FreeMemory>;

class Host final : public detail::Backend {
public:
    explicit Host(const Processor& processor);

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const detail::Program> compile(const detail::KernelParameters& parameters) override;
    void release() override {
        programs_.clear();
        kept_.reset();
        for (Memory& memory : local_memory_) memory.reset();
        local_bytes_ = 0;
    }
    SortReport run_on_host_memory(const detail::Work& work, const detail::Bindings& bindings,
                                  const std::function<void(std::size_t, std::size_t)>& progress) override;

    // What a sort across several of these, or across ranks, enqueues runs at once.
    detail::MemoryFacts inspect(void* memory) const override;
    void check(const detail::Queue&) const override {}
    void enqueue(const detail::Work& work, const detail::Bindings& bindings, const detail::Queue&, void**) override {
        const detail::DefaultFloatEnvironment default_environment;
        run_on_host_memory(work, bindings, {});
    }
    bool reaches(detail::Backend&, void*) override { return true; }
    std::unique_ptr<detail::DeviceQueue> use_queue(void* callers) override;
    std::unique_ptr<detail::SharedMemory> allocate(std::uint64_t bytes, bool on_host) override;

private:
    /// Makes local memory for every kernel of the work.
    void make_local_memory(const detail::Work& work);

    Instructions instructions_;
    DeviceInfo info_;
    std::vector<std::shared_ptr<const Program>> programs_;
    detail::Threads threads_;
    Memory kept_;                       ///< for small arrays that works take for themselves
    std::vector<Memory> local_memory_;  ///< of each thread
    std::size_t local_bytes_ = 0;
};

}  // namespace lanesort::inline v0_1::cpu
