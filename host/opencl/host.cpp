#include "host.hpp"

#include <algorithm>
#include <optional>

#include "../../lib/src/launch.hpp"
#include "../../lib/src/sorter_core.hpp"
#include "../../lib/src/stopwatch.hpp"
#include "../../lib/src/sync_counter.hpp"
#include "checked.hpp"
#include "host_range.hpp"
#include "platform.hpp"

namespace lanesort::opencl {

Host::Host(cl::Context context, cl::Device device)
    : context_(std::move(context)), device_(std::move(device)), info_(describe(device_)) {}

const cl::CommandQueue& Host::queue() {
    if (!queue_) queue_.emplace(context_, device_);
    return *queue_;
}

unsigned Host::prepare(const detail::KernelParameters& parameters) {
    const auto known = std::ranges::find(
        programs_, parameters, [](const auto& p) -> const auto& { return p->parameters; });
    if (known != programs_.end()) return (*known)->max_work_items;
    return checked([&] {
        return programs_.emplace_back(std::make_shared<Program>(context_, device_, parameters))->max_work_items;
    });
}

const std::shared_ptr<Program>& Host::shared_program(const detail::KernelParameters& parameters) {
    return *std::ranges::find(
        programs_, parameters, [](const auto& p) -> const auto& { return p->parameters; });
}

void Host::release() {
    // The runtime keeps a kernel until the last command that uses it has ended.
    std::erase_if(programs_, [](const auto& program) { return program.use_count() == 1; });
}

SortReport Host::sort_host(const detail::HostArrays& arrays, std::uint64_t count, const Plan& plan,
                           const detail::KernelParameters& parameters, KeyCoding coding,
                           const std::function<void(std::size_t, std::size_t)>& progress) {
    return checked([&] {
        const ElementBytes& bytes = parameters.bytes;
        HostRange keys(*this, queue(), arrays.keys, count * bytes.key,
                       arrays.keys_stay ? HostUse::change_a_copy : HostUse::change);
        std::optional<HostRange> values, numbers, segments;
        if (bytes.value > 0) values.emplace(*this, queue(), arrays.values, count * bytes.value);
        if (arrays.numbers) numbers.emplace(*this, queue(), arrays.numbers, count * bytes.number);
        if (arrays.offsets)
            segments.emplace(*this, queue(), const_cast<std::uint64_t*>(arrays.offsets),
                             (plan.rows + 1) * sizeof(std::uint64_t), HostUse::change_a_copy);
        Arrays in_memory{{keys.buffer()}, count, coding};
        if (values) in_memory.values = {values->buffer()};
        if (numbers) in_memory.numbers = {numbers->buffer()};
        if (segments) in_memory.segments = {segments->buffer()};
        std::uint64_t device_bytes = keys.device_bytes();
        for (const auto* const range : {&values, &numbers, &segments})
            if (*range) device_bytes += (*range)->device_bytes();
        if (parameters.stores_numbers() && !numbers) {
            in_memory.numbers = {cl::Buffer(context_, CL_MEM_READ_WRITE, count * bytes.number)};
            device_bytes += count * bytes.number;
        }
        const FinishAtEnd finish_at_end(queue());
        const bool copies = !info().host_unified_memory;
        std::vector<cl::Event> ends;
        SortReport report = detail::report_of(plan);
        detail::Stopwatch watch;
        keys.upload(ends);
        if (values) values->upload(ends);
        if (segments) segments->upload(ends);
        if (copies) {
            finish(queue(), ends);
            report.upload_seconds = watch.lap();
        }

        QueueExecutor executor(program(parameters), queue(), in_memory);
        std::vector<cl::Event> passes;
        if (progress) executor.after_enqueue = [&](const Pass&, const cl::Event& event) { passes.push_back(event); };
        executor.run(plan);
        ends.push_back(executor.finished());
        queue().flush();
        for (std::size_t done = 0; done < passes.size(); ++done) {
            passes[done].wait();
            progress(done + 1, passes.size());
        }
        if (copies) {
            finish(queue(), ends);
            report.sort_seconds = watch.lap();
        }

        if (!arrays.keys_stay) keys.download(ends);
        if (values) values->download(ends);
        if (numbers) numbers->download(ends);
        finish(queue(), ends);
        (copies ? report.download_seconds : report.sort_seconds) = watch.lap();
        report.launches = executor.launches();
        report.device_bytes = device_bytes;
        return report;
    });
}

SortReport Host::select_host(const void* keys, const detail::HostArrays& selected, const detail::Selection& selection,
                             const detail::KernelParameters& parameters, KeyCoding coding) {
    return checked([&] {
        const ElementBytes& bytes = parameters.bytes;
        const std::uint64_t count = selection.rows * selection.count, results = selection.rows * selection.k;
        HostRange from(*this, queue(), const_cast<void*>(keys), count * bytes.key, HostUse::read);
        HostRange best(*this, queue(), selected.keys, results * bytes.key, HostUse::change_a_copy);
        SortReport report = selection.report();
        report.device_bytes = from.device_bytes() + best.device_bytes();
        const auto scratch = [&](std::uint64_t elements, std::size_t width) {
            report.device_bytes += elements * width;
            return Array{cl::Buffer(context_, CL_MEM_READ_WRITE, elements * width)};
        };
        const auto left_over = detail::left_over_of<Arrays>(selection, parameters, scratch);
        Arrays to{{best.buffer()}, results, coding};
        if (parameters.stores_numbers()) to.numbers = scratch(results, bytes.number);
        const FinishAtEnd finish_at_end(queue());
        const bool copies = !info().host_unified_memory;
        std::vector<cl::Event> ends;
        detail::Stopwatch watch;
        from.upload(ends);
        if (copies) {
            finish(queue(), ends);
            report.upload_seconds = watch.lap();
        }
        ends.push_back(enqueue_selection(program(parameters), queue(), selection, {{from.buffer()}, count, coding},
                                         left_over, to));
        if (copies) {
            finish(queue(), ends);
            report.sort_seconds = watch.lap();
        }
        best.download(ends);
        if (selected.numbers)
            queue().enqueueReadBuffer(to.numbers.buffer, CL_FALSE, 0, results * bytes.number, selected.numbers, nullptr,
                                      &ends.emplace_back());
        finish(queue(), ends);
        (copies ? report.download_seconds : report.sort_seconds) = watch.lap();
        return report;
    });
}

SyncCounts Host::count_host(void* keys, const Plan& plan, const detail::KernelParameters& parameters,
                            KeyCoding coding) {
    return checked([&] {
        HostRange range(*this, queue(), keys, plan.keys() * parameters.bytes.key);
        const FinishAtEnd finish_at_end(queue());
        std::vector<cl::Event> ends;
        range.upload(ends);

        QueueExecutor executor(program(parameters), queue(), {{range.buffer()}, plan.count, coding});
        detail::PassCounters counters;
        executor.counters = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof counters, &counters);
        SyncCounts counted;
        executor.after_enqueue = [&](const Pass& pass, const cl::Event&) {
            queue().enqueueReadBuffer(executor.counters, CL_TRUE, 0, sizeof counters, &counters);
            detail::add(counted, pass, counters);
            counters = {};
            queue().enqueueWriteBuffer(executor.counters, CL_TRUE, 0, sizeof counters, &counters);
        };
        executor.run(plan);
        counted.by_cpu = executor.launches() - 1;
        counted.all += counted.by_cpu;
        ends.push_back(executor.finished());
        range.download(ends);
        finish(queue(), ends);
        return counted;
    });
}

}  // namespace lanesort::opencl
