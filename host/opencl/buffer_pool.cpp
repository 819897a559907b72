// SPDX-License-Identifier: MIT
#include "buffer_pool.hpp"

#include <algorithm>
#include <utility>

#include "checked.hpp"

namespace lanesort::inline v0_1::opencl {
namespace {

constexpr std::uint64_t most_idle_bytes = std::uint64_t{64} << 20;

/// An event that cannot be asked counts as one under way.
bool has_ended(const cl::Event& end) noexcept {
    cl_int status = CL_QUEUED;
    return clGetEventInfo(end(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS &&
           status <= CL_COMPLETE;
}

}  // namespace

std::vector<BufferPool::Taken> BufferPool::take(const cl::Context& context, const cl::CommandQueue& queue,
                                                const detail::Arrays& arrays, detail::Bindings& bindings) {
    const bool in_order = !(queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    std::vector<Taken> taken;
    for (std::size_t slot = 0; slot < detail::slots; ++slot)
        if (is_own(static_cast<detail::Slot>(slot)) && arrays[slot].size() > 0) {
            taken.push_back(take(context, in_order ? queue() : nullptr, arrays[slot].size()));
            bindings[slot] = {taken.back().buffer(), 0};
        }
    std::uint64_t idle_bytes = 0;
    std::erase_if(kept_, [&](const Kept& kept) {
        if (!has_ended(*kept.end)) return false;
        if (idle_bytes + kept.taken.bytes > most_idle_bytes) return true;
        idle_bytes += kept.taken.bytes;
        return false;
    });
    return taken;
}

void BufferPool::trim() noexcept {
    std::erase_if(kept_, [](const Kept& kept) { return has_ended(*kept.end); });
}

BufferPool::Taken BufferPool::take(const cl::Context& context, cl_command_queue in_order, std::uint64_t bytes) {
    const auto serves = [&](const Kept& kept) {
        return kept.taken.bytes >= bytes && kept.taken.bytes / 2 <= bytes &&
               (kept.queue == in_order || has_ended(*kept.end));
    };
    if (const auto found = std::ranges::find_if(kept_, serves); found != kept_.end()) {
        Taken taken = std::move(found->taken);
        kept_.erase(found);
        return taken;
    }
    trim();
    Taken taken{{}, bytes};
    allocate_first([&] { taken.buffer = cl::Buffer(context, CL_MEM_READ_WRITE, bytes); });
    return taken;
}

void BufferPool::give_back(std::vector<Taken> taken, const cl::CommandQueue& queue, cl::Event end) {
    const auto shared_end = std::make_shared<const cl::Event>(std::move(end));
    for (Taken& one : taken) kept_.push_back({std::move(one), queue(), shared_end});
}

}  // namespace lanesort::inline v0_1::opencl
