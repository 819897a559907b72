// SPDX-License-Identifier: MIT
#include "host.hpp"

#include <algorithm>
#include <array>

#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/stopwatch.hpp"
#include "checked.hpp"
#include "executor.hpp"
#include "host_range.hpp"
#include "platform.hpp"
#include "queue.hpp"
#include "recording.hpp"

namespace lanesort::inline v0_1::opencl {

using detail::require;

namespace {

/// Of NVIDIA's runtime every copy takes some 30 us, one at a time (docs/decisions.md#pageable-host-arrays).
constexpr std::size_t staging_buffer = 2 * detail::Staging::usual_buffer;

HostUse use_of(detail::Access access) {
    switch (access) {
        case detail::Access::read: return HostUse::read;
        case detail::Access::consume: return HostUse::change_a_copy;
        default: return HostUse::change;
    }
}

bool is_large(const detail::Array& array) { return array.size() >= detail::Staging::least_bytes; }

cl::CommandQueue retained(void* queue) {
    return cl::CommandQueue(static_cast<cl_command_queue>(queue), queue != nullptr);
}

}  // namespace

Host::Host(cl::Context context, cl::Device device)
    : context_(std::move(context)),
      device_(std::move(device)),
      info_(describe(device_)),
      staging_([this](std::size_t bytes) { return allocate_buffers(bytes); }, staging_buffer) {}

std::shared_ptr<std::byte> Host::allocate_buffers(std::size_t bytes) const {
    struct Buffers {
        cl::CommandQueue queue;
        cl::Buffer buffer;
        void* memory = nullptr;

        ~Buffers() {
            if (!memory) return;
            clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr);
            clFinish(queue());
        }
    };
    try {
        return checked([&] {
            const auto buffers = std::make_shared<Buffers>();
            buffers->queue = cl::CommandQueue(context_, device_);
            buffers->buffer = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
            buffers->memory =
                buffers->queue.enqueueMapBuffer(buffers->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
            return std::shared_ptr<std::byte>(buffers, static_cast<std::byte*>(buffers->memory));
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        return nullptr;
    }
}

const cl::CommandQueue& Host::queue() {
    if (!queue_) queue_.emplace(context_, device_);
    return *queue_;
}

std::shared_ptr<const detail::Program> Host::compile(const detail::KernelParameters& parameters) {
    const auto known = std::ranges::find(
        programs_, parameters, [](const auto& program) -> const auto& { return program->parameters; });
    if (known != programs_.end()) return *known;
    return checked(
        [&] { return programs_.emplace_back(std::make_shared<const Program>(context_, device_, parameters)); });
}

void Host::release() {
    staging_.release();
    programs_.clear();  // the runtime keeps a kernel until the last command that uses it has ended
    pool_.release();
}

SortReport Host::run_on_host_memory(const detail::Work& work, const detail::Bindings& in_host_memory,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
    pool_.trim();
    return checked([&] {
        SortReport report = work.report;
        const bool copies = !info().host_unified_memory;
        std::array<std::optional<HostRange>, detail::slots> ranges;
        const std::unique_ptr<detail::DeviceQueue> of_large =
            copies && std::ranges::any_of(work.arrays, is_large) ? open_queue() : nullptr;
        detail::Bindings bindings;
        for (std::size_t slot = 0; slot < detail::slots; ++slot) {
            const detail::Array& array = work.arrays[slot];
            if (is_own(static_cast<detail::Slot>(slot)) || array.size() == 0) continue;
            const HostRange& range =
                ranges[slot].emplace(*this, queue(), is_large(array) ? of_large.get() : nullptr,
                                     in_host_memory[slot].memory, array.size(), use_of(array.access));
            bindings[slot] = {range.buffer()(), 0};
            report.device_bytes += range.device_bytes();
        }
        const OwnArrays own(context_, work.arrays, bindings);
        const FinishAtEnd finish_at_end(queue());
        std::vector<cl::Event> ends;
        const auto finish_all = [&] {
            finish(queue(), ends);
            if (of_large) of_large->end()->wait();
        };
        detail::Stopwatch watch;
        for (std::size_t slot = 0; slot < detail::slots; ++slot)
            if (ranges[slot] && work.arrays[slot].is_read()) ranges[slot]->upload(ends);
        if (copies) {
            finish_all();
            report.upload_seconds = watch.lap();
        }

        QueueExecutor executor(queue());
        std::vector<cl::Event> launches;
        if (progress) executor.after_launch = [&](const cl::Event& event) { launches.push_back(event); };
        ends.push_back(executor.run(work, bindings));
        queue().flush();
        for (std::size_t done = 0; done < launches.size(); ++done) {
            launches[done].wait();
            progress(done + 1, launches.size());
        }
        if (copies) {
            finish_all();
            report.sort_seconds = watch.lap();
        }

        // How many bytes of some arrays are to come, the answers tell.
        bool asks = false;
        for (std::size_t slot = 0; slot < detail::slots; ++slot) {
            const detail::Array& array = work.arrays[slot];
            asks |= array.as_many_as_answered;
            if (ranges[slot] && array.is_written() && !array.as_many_as_answered) ranges[slot]->download(ends);
        }
        finish_all();
        if (asks) {
            const auto answered = *static_cast<const cl_ulong*>(in_host_memory[detail::Slot::answers].memory);
            for (std::size_t slot = 0; slot < detail::slots; ++slot)
                // No bytes cannot be mapped.
                if (const detail::Array& array = work.arrays[slot];
                    ranges[slot] && array.as_many_as_answered && answered > 0)
                    ranges[slot]->download(ends, answered * array.bytes);
            finish_all();
        }
        (copies ? report.download_seconds : report.sort_seconds) = watch.lap();
        report.launches = executor.launches();
        return report;
    });
}

std::unique_ptr<detail::DeviceQueue> Host::staged(std::unique_ptr<detail::DeviceQueue> queue) {
    pool_.trim();
    if (info_.host_unified_memory) return queue;
    // OpenCL does not tell what is pinned already: that is staged, too.
    return std::make_unique<detail::StagingQueue>(std::move(queue), staging_, [](const void*) { return true; });
}

std::unique_ptr<detail::DeviceQueue> Host::open_queue() {
    cl::CommandQueue own = checked([&] { return cl::CommandQueue(context_, device_); });
    return staged(std::make_unique<OpenclQueue>(*this, std::move(own), true));
}

std::unique_ptr<detail::DeviceQueue> Host::use_queue(void* callers) {
    return staged(checked([&] { return std::make_unique<OpenclQueue>(*this, retained(callers), false); }));
}

detail::MemoryFacts Host::inspect(void* memory) const {
    return checked([&] {
        require(memory != nullptr, ErrorCode::invalid_argument, "the buffer is null");
        const cl::Buffer buffer(static_cast<cl_mem>(memory), true);
        require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, ErrorCode::invalid_argument,
                "the memory object is an image, not a buffer");
        require(handle_of<cl_context>(buffer, CL_MEM_CONTEXT) == context_(), ErrorCode::wrong_context,
                "the buffer belongs to another context than the sorter");
        const cl_mem_flags flags = buffer.getInfo<CL_MEM_FLAGS>();
        detail::MemoryFacts facts{.bytes = buffer.getInfo<CL_MEM_SIZE>(),
                                  .readable = !(flags & CL_MEM_WRITE_ONLY),
                                  .writable = !(flags & CL_MEM_READ_ONLY),
                                  .alignment = 1};
        // Sub-buffers are a part of another buffer, and several buffers may be made of the same memory of the host's.
        cl::Buffer whole = buffer;
        if (const auto parent = handle_of<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT)) {
            facts.begin = buffer.getInfo<CL_MEM_OFFSET>();
            whole = cl::Buffer(parent, true);
        }
        if (whole.getInfo<CL_MEM_FLAGS>() & CL_MEM_USE_HOST_PTR)
            facts.begin += reinterpret_cast<std::uintptr_t>(whole.getInfo<CL_MEM_HOST_PTR>());
        else facts.area = reinterpret_cast<std::uintptr_t>(whole());
        return facts;
    });
}

void Host::check(const detail::Queue& queue) const {
    checked([&] {
        const cl::CommandQueue checked_queue = retained(queue.handle);
        require(queue.handle != nullptr, ErrorCode::invalid_argument, "the command queue is null");
        require(handle_of<cl_context>(checked_queue, CL_QUEUE_CONTEXT) == context_(), ErrorCode::wrong_context,
                "the command queue belongs to another context than the sorter");
        require(handle_of<cl_device_id>(checked_queue, CL_QUEUE_DEVICE) == device_(), ErrorCode::wrong_context,
                "the command queue belongs to another device than the sorter's, {}", info_.name);
        for (void* const handle : queue.wait_list) {
            require(handle != nullptr, ErrorCode::invalid_argument, "an event of the wait list is null");
            const cl::Event event(static_cast<cl_event>(handle), true);
            require(handle_of<cl_context>(event, CL_EVENT_CONTEXT) == context_(), ErrorCode::wrong_context,
                    "an event of the wait list belongs to another context than the sorter");
        }
    });
}

void Host::enqueue(const detail::Work& work, const detail::Bindings& callers, const detail::Queue& queue,
                   void** event) {
    checked([&] {
        const cl::CommandQueue on = retained(queue.handle);
        detail::Bindings bindings = callers;
        std::vector<BufferPool::Taken> own = pool_.take(context_, on, work.arrays, bindings);
        QueueExecutor executor(on);
        executor.gives_end = event || !own.empty();
        const cl::Event end = executor.run(work, bindings, events_of(queue));
        if (!own.empty()) pool_.give_back(std::move(own), on, end);
        give(end, event);  // the last that may fail: who gets an error gets no event
    });
}

bool Host::reaches(detail::Backend& other, void*) {
    const Host& peer = static_cast<Host&>(other);
    require(peer.context_() == context_(), ErrorCode::wrong_context,
            "two sorters are of two contexts, but devices sort together in one");
    // A buffer that both use is the runtime's to bring there, all of it.
    return peer.device_() == device_();
}

std::unique_ptr<detail::Recording> Host::record(std::shared_ptr<const detail::Work> work,
                                                const detail::Bindings& bindings, void* queue) {
    pool_.trim();
    return checked([&] { return std::make_unique<QueueRecording>(*this, std::move(work), bindings, retained(queue)); });
}

}  // namespace lanesort::inline v0_1::opencl
