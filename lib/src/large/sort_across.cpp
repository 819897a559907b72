// SPDX-License-Identifier: MIT
// A sort across devices: checks all of it, then has each device do its steps of the plan (across_schedule.hpp).
#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include <lanesort/across.hpp>

#include "across_schedule.hpp"
#include "api/host_ranges.hpp"
#include "core/integers.hpp"
#include "core/require.hpp"
#include "core/sorter_core.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1 {
namespace detail {
namespace {

/// Bytes of the elements that are exchanged at a time, and of those that cross in memory of both devices.
constexpr std::uint64_t bytes_at_once = std::uint64_t{32} << 20, bytes_crossing = std::uint64_t{4} << 20;

/// Keys and, where there are any, values; where each begins, in elements.
struct Elements {
    Binding keys, values;

    Elements from(std::uint64_t first) const noexcept {
        return {{keys.memory, keys.offset + first}, {values.memory, values.offset + first}};
    }
};

/// A part, and what the sort needs to know of it.
struct DevicePart {
    SorterCore* core;
    void* callers;  ///< queue
    std::uint64_t count;
    Elements given;
    Elements block;     ///< the caller's, or memory of the library's
    Elements crossing;  ///< what comes here for an exchange, where this device does not reach another's memory
    std::unique_ptr<DeviceQueue> queue;
};

class SortAcross {
public:
    SortAcross(std::span<const PartAcross> parts, const char* backend)
        : parts_(parts), of_part_(parts[0].call.request) {
        for (const PartAcross& part : parts) {
            const Bindings bindings = bindings_of(part.call);
            const Elements given{bindings[Slot::keys], bindings[Slot::values]};
            devices_.push_back({&core_of(*part.sorter, backend),
                                part.queue.handle,
                                part.call.request.count,
                                given,
                                given,
                                {},
                                nullptr});
        }
        check_requests();
        for (std::size_t i = 0; i < parts.size(); ++i) check_part(i);
        check_apart();
        reaches_all_ = find_reach([](const DevicePart& device) { return device.given; });
        std::vector<std::uint64_t> counts;
        for (const DevicePart& device : devices_) counts.push_back(device.count);
        plan_ = plan_across(counts, at_once());
        for (const StepAcross& step : plan_.steps) prepare(step);
    }

    AcrossReport run() {
        report_.link_bytes.assign(devices_.size() * devices_.size(), 0);
        for (DevicePart& device : devices_) device.queue = device.core->backend().use_queue(device.callers);
        allocate();
        const std::shared_ptr<const Work> nothing = std::make_shared<Work>();
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (!parts_[i].queue.wait_list.empty()) backend(i).enqueue(*nothing, {}, parts_[i].queue, nullptr);
            devices_[i].queue->settle();
        }
        try {
            for (const StepAcross& step : plan_.steps)
                std::visit([this](const auto& of_its_kind) { enqueue(of_its_kind); }, step);
        } catch (...) {
            // What is enqueued already may use memory of every device, which goes back behind all of it.
            try {
                enqueue(MeetAll{});
            } catch (const Error&) {
            }
            throw;
        }
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            if (!parts_[i].event) continue;
            try {
                backend(i).enqueue(*nothing, {}, {devices_[i].callers, {}}, parts_[i].event);
            } catch (...) {
                // Nobody gets any event, also none that is there already.
                for (std::size_t made = 0; made < i; ++made)
                    if (parts_[made].event) backend(made).discard(*parts_[made].event);
                throw;
            }
        }
        for (const DevicePart& device : devices_) device.core->note(report_.all);
        return std::move(report_);
    }

private:
    Backend& backend(std::uint64_t device) noexcept { return devices_[device].core->backend(); }
    std::uint64_t key_bytes() const noexcept { return of_part_.key.bytes(); }
    std::uint64_t element_bytes() const noexcept { return key_bytes() + of_part_.value_bytes; }
    std::uint64_t at_once() const noexcept { return (reaches_all_ ? bytes_at_once : bytes_crossing) / element_bytes(); }

    // ---- Before anything is enqueued ----

    void check_requests() const {
        require(!of_part_.key.is_record(), ErrorCode::unsupported,
                "keys are records; across devices, numbers are sorted");
        require(!of_part_.in_rows() && of_part_.first == all_keys && !of_part_.stable, ErrorCode::invalid_argument,
                "across devices whole ranges are sorted: no rows, segments or first keys, and no stable sort");
        for (std::size_t i = 1; i < parts_.size(); ++i) {
            Request other = parts_[i].call.request;
            require(other.key == of_part_.key && other.value_bytes == of_part_.value_bytes, ErrorCode::invalid_argument,
                    "part 0 has keys of {} with values of {} bytes, but part {} has keys of {} with values of {}",
                    of_part_.key.name(), of_part_.value_bytes, i, other.key.name(), other.value_bytes);
            other.count = of_part_.count;
            require(other == of_part_, ErrorCode::invalid_argument,
                    "part {} asks for another order or schedule than part 0", i);
        }
    }

    void check_part(std::size_t number) {
        const PartAcross& part = parts_[number];
        try {
            devices_[number].core->check(part.queue, part.call.request, bindings_of(part.call));
        } catch (const Error& error) {
            throw Error(error.code(), fmt::format("part {}: {}", number, error.what()), error.call(), error.status());
        }
    }

    /// No two parts share memory, nor a buffer that devices do not see alike.
    void check_apart() {
        struct Place {
            std::size_t part;
            void* memory;
            std::uintptr_t area;
            std::uint64_t begin, end;
        };
        std::vector<Place> places;
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            DevicePart& device = devices_[i];
            const auto add = [&](const Binding& array, std::uint64_t bytes) {
                if (device.count == 0 || bytes == 0) return;
                const MemoryFacts facts = device.core->backend().inspect(array.memory);
                const std::uint64_t begin = facts.begin + array.offset * bytes;
                places.push_back({i, array.memory, facts.area, begin, begin + device.count * bytes});
            };
            add(device.given.keys, key_bytes());
            add(device.given.values, of_part_.value_bytes);
        }
        for (const Place& a : places)
            for (const Place& b : places) {
                if (a.part >= b.part) continue;
                require(a.area != b.area || a.end <= b.begin || b.end <= a.begin, ErrorCode::invalid_argument,
                        "parts {} and {} overlap in memory, but have to be apart", a.part, b.part);
                require(a.memory != b.memory || backend(a.part).reaches(backend(b.part), b.memory),
                        ErrorCode::invalid_argument, "parts {} and {} are in one buffer, but on two devices", a.part,
                        b.part);
            }
    }

    /// Whether every device reaches those elements of every other one.
    template <class ElementsOf>
    bool find_reach(const ElementsOf& elements_of) {
        bool all = true;
        for (std::size_t i = 0; i < devices_.size(); ++i)
            for (std::size_t j = 0; j < devices_.size(); ++j) {
                if (i == j) continue;
                const Elements elements = elements_of(devices_[j]);
                for (const Binding& array : {elements.keys, elements.values})
                    all &= backend(i).reaches(backend(j), array.memory);
            }
        return all;
    }

    Request sort_of(std::uint64_t device) const {
        Request request = of_part_;
        request.count = plan_.blocks.size(device);
        return request;
    }
    Request request_of(const Exchange& step) const {
        const bool is_bound = of_part_.data_independent || of_part_.schedule == Schedule::network ||
                              of_part_.schedule == Schedule::columns;
        return as_merge(of_part_, is_bound ? MergePart::first_step : MergePart::first_step_where_needed, step.count);
    }
    Request request_of(const FinishBlock& step) const {
        return as_merge(of_part_, step.is_lower ? MergePart::lower_half : MergePart::upper_half,
                        plan_.blocks.size(step.device));
    }

    /// Compiles what the step needs.
    void prepare(const StepAcross& step) {
        if (const auto* const block = std::get_if<SortBlock>(&step))
            devices_[block->device].core->plan(sort_of(block->device));
        else if (const auto* const exchange = std::get_if<Exchange>(&step))
            devices_[exchange->on].core->plan(request_of(*exchange));
        else if (const auto* const finish = std::get_if<FinishBlock>(&step))
            devices_[finish->device].core->plan(request_of(*finish));
    }

    void allocate() {
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            DevicePart& device = devices_[i];
            const auto take = [&](std::uint64_t count, std::uint64_t bytes) -> Binding {
                if (count == 0 || bytes == 0) return {};
                report_.all.device_bytes += count * bytes;
                return {device.queue->allocate(count * bytes), 0};
            };
            const auto take_elements = [&](std::uint64_t count) -> Elements {
                return {take(count, key_bytes()), take(count, of_part_.value_bytes)};
            };
            if (!plan_.is_in_place) device.block = take_elements(plan_.blocks.size(i));
            if (!reaches_all_) device.crossing = take_elements(std::min(at_once(), plan_.blocks.length));
        }
        if (!plan_.is_in_place) find_reach([](const DevicePart& device) { return device.block; });
    }

    // ---- Steps ----

    void await(std::uint64_t device, std::uint64_t other) {
        devices_[device].queue->await(devices_[other].queue->end());
    }

    void run(std::uint64_t device, const Request& request, const Bindings& bindings) {
        SorterCore& core = *devices_[device].core;
        core.with_work(request, [&](const std::shared_ptr<const Work>& work) {
            if (work->commands.empty()) return;
            devices_[device].queue->run(*work, bindings);
            report_.all.launches += work->report.launches;
            report_.all.hand_overs += work->report.hand_overs;
            report_.all.barriers += work->report.barriers;
            report_.all.device_bytes += work->report.device_bytes;
            if (is_sort(request)) report_.all.schedule = work->report.schedule;
        });
        devices_[device].queue->settle();
    }

    void enqueue(const SortBlock& step) {
        Bindings bindings;
        bindings[Slot::keys] = devices_[step.device].block.keys;
        bindings[Slot::values] = devices_[step.device].block.values;
        run(step.device, sort_of(step.device), bindings);
    }

    void enqueue(const FinishBlock& step) {
        Bindings bindings;
        bindings[Slot::keys] = devices_[step.device].block.keys;
        bindings[Slot::values] = devices_[step.device].block.values;
        run(step.device, request_of(step), bindings);
    }

    void enqueue(const Meet& step) {
        await(step.one, step.other);
        await(step.other, step.one);
    }

    void enqueue(const MeetAll&) {
        // By way of the first one.
        for (std::uint64_t i = 1; i < devices_.size(); ++i) await(0, i);
        for (std::uint64_t i = 1; i < devices_.size(); ++i) await(i, 0);
    }

    void enqueue(const Exchange& step) {
        Elements lower = devices_[step.lower].block.from(plan_.blocks.size(step.lower) - step.first - step.count);
        Elements upper = devices_[step.upper].block.from(step.first);
        const std::uint64_t with = step.on == step.lower ? step.upper : step.lower;
        Elements& far = step.on == step.lower ? upper : lower;
        const Elements there = far;
        if (!reaches_all_) {
            far = devices_[step.on].crossing;
            copy(with, there, far, step.count);
            await(step.on, with);
        }
        Bindings bindings;
        bindings[Slot::keys] = lower.keys;
        bindings[Slot::values] = lower.values;
        bindings[Slot::second_keys] = upper.keys;
        bindings[Slot::second_values] = upper.values;
        run(step.on, request_of(step), bindings);
        if (!reaches_all_) {
            await(with, step.on);
            copy(with, far, there, step.count);
            await(step.on, with);
        }
        count(with, step.on, step.count);
        count(step.on, with, step.count);
    }

    void enqueue(const Move& step) {
        const DevicePart &from = devices_[step.from], &to = devices_[step.to];
        const Elements source = (step.restores ? from.block : from.given).from(step.from_first);
        const Elements target = (step.restores ? to.given : to.block).from(step.to_first);
        count(step.from, step.to, step.count);
        if (reaches_all_ || step.from == step.to) {
            copy(step.to, source, target, step.count);
            return;
        }
        const std::uint64_t most = std::min(at_once(), plan_.blocks.length);
        for (std::uint64_t first = 0; first < step.count; first += most) {
            const std::uint64_t some = std::min(most, step.count - first);
            await(step.from, step.to);  // what came there before has gone on
            copy(step.from, source.from(first), to.crossing, some);
            await(step.to, step.from);
            copy(step.to, to.crossing, target.from(first), some);
        }
    }

    /// Copies elements on the device's queue.
    void copy(std::uint64_t on, const Elements& from, const Elements& to, std::uint64_t elements) {
        const auto one = [&](const Binding& source, const Binding& target, std::uint64_t bytes) {
            if (bytes == 0) return;
            devices_[on].queue->copy({source.memory, source.offset * bytes}, {target.memory, target.offset * bytes},
                                     elements * bytes);
        };
        one(from.keys, to.keys, key_bytes());
        one(from.values, to.values, of_part_.value_bytes);
        devices_[on].queue->settle();
    }

    void count(std::uint64_t from, std::uint64_t to, std::uint64_t elements) {
        if (from != to) report_.link_bytes[from * devices_.size() + to] += elements * element_bytes();
    }

    std::span<const PartAcross> parts_;
    Request of_part_;
    std::vector<DevicePart> devices_;
    bool reaches_all_ = true;
    PlanAcross plan_;
    AcrossReport report_;
};

}  // namespace

void refuse_values(std::size_t part, const void* values) {
    require(values == nullptr, ErrorCode::invalid_argument,
            "part {}: there are values, which enqueue_sort_by_key_across() sorts", part);
}

AcrossReport enqueue_across(std::span<const PartAcross> parts, const char* backend) {
    if (parts.empty()) return {};
    return SortAcross(parts, backend).run();
}

}  // namespace detail

std::vector<std::uint64_t> link_bytes_across(std::span<const std::uint64_t> counts, std::size_t element_bytes) {
    std::uint64_t room = most_in_64_bits / 2 / std::max<std::size_t>(element_bytes, 1);
    for (const std::uint64_t count : counts) {
        detail::require(count <= room, ErrorCode::too_large,
                        "the counts add up to more elements of {} bytes than memory can have", element_bytes);
        room -= count;
    }
    return counts.empty() ? std::vector<std::uint64_t>() : detail::link_bytes(counts, element_bytes);
}

namespace {

AcrossReport sort_in_host(std::span<const HostPart> parts, const SortOptions& options, bool by_key) {
    std::vector<detail::PartAcross> all;
    detail::require(options.segments.empty(), ErrorCode::invalid_argument,
                    "across devices whole ranges are sorted: no segments");
    for (const HostPart& part : parts) {
        detail::require(part.values.has_value() == by_key, ErrorCode::invalid_argument,
                        "a part has values, and sort_by_key_across() sorts them, or neither");
        const KeyRangeIn<void*> range = detail::range_of(part.keys, options);
        AnyCall call = sort(range);
        if (by_key) {
            detail::require(part.values->size() == part.keys.size(), ErrorCode::invalid_argument,
                            "a part has {} keys and {} values", part.keys.size(), part.values->size());
            call = sort_by_key(range, detail::elements_of(*part.values));
        }
        all.push_back({&part.sorter, {}, call, nullptr});
    }
    return detail::enqueue_across(all, "CPU");
}

}  // namespace

AcrossReport sort_across(std::span<const HostPart> parts, const SortOptions& options) {
    return sort_in_host(parts, options, false);
}

AcrossReport sort_by_key_across(std::span<const HostPart> parts, const SortOptions& options) {
    return sort_in_host(parts, options, true);
}

}  // namespace lanesort::inline v0_1
