// SPDX-License-Identifier: MIT
#include "target.hpp"

#include "core/sorter_core.hpp"
#include "ops/sort/sort.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/fit.hpp"

namespace lanesort::test {

namespace inside = lanesort::detail;

Sorter Target::new_sorter(const Shape& shape) const {
    SorterOptions options;
    options.shape = shape;
    return new_sorter(options);
}

SorterOptions with_seed(SorterOptions options) {
    if (!options.seed) options.seed = static_cast<std::uint32_t>(seed());
    return options;
}

Sorter& Target::shared_sorter(const std::optional<Shape>& shape) {
    for (auto& [known, sorter] : sorters_)
        if (known == shape) return sorter;
    SorterOptions options;
    options.shape = shape;
    return sorters_.emplace_back(shape, new_sorter(options)).second;
}

std::vector<Variant> Target::variants(std::size_t key_bytes, unsigned work_items) const {
    return statistics_variants(key_bytes, std::min<std::size_t>(info.local_bytes, 32768),
                               std::min(info.max_work_items, work_items));
}

bool Target::can_run(const Shape& shape, std::size_t key_bytes) const { return fit(shape, key_bytes, info) == shape; }

Targets targets() {
    Targets all = cuda_targets();
    for (Target& target : opencl_targets()) all.emplace_back(target);
    if (all.empty()) skip_without("device");
    return all;
}

std::uint64_t Target::most_quicksort_bytes() const {
    return info.compiles && info.parts_vectors ? 24 + 128 * std::uint64_t{info.compute_units} : 0;
}

void skip_without(const std::string& kind) {
    ++skipped_device_cases();
    const char* const required = std::getenv("LANESORT_REQUIRE_DEVICE");
    if (required && std::string(required) == "1") FAIL("no ", kind, ", but LANESORT_REQUIRE_DEVICE is 1");
    MESSAGE("skipped: no ", kind);
}

void note_run(const std::string& way, const DeviceInfo& device) {
    ran_on().insert(way + ": " + device.name + " (" + device.platform + ")");
}

std::vector<Bytes> states_of(Sorter& sorter, const inside::KernelParameters& parameters, const Plan& plan,
                             const Request& request, std::size_t offset, Bytes memory) {
    inside::Backend& backend = sorter.core().backend();
    inside::Work all;
    inside::add_network(all, {plan, backend.compile(parameters)}, request, inside::Slot::keys, inside::Slot::indices);
    all.arrays[inside::Slot::keys] = {memory.size() / request.key.bytes(), request.key.bytes()};
    inside::Bindings bindings;
    bindings[inside::Slot::keys] = {memory.data()};
    std::vector<Bytes> states;
    for (const inside::Command& command : all.commands) {
        auto launch = std::get<inside::Launch>(command);
        launch.arguments[0].value = offset;
        inside::Work one{all.programs, {launch}, all.arrays, {}, {}};
        backend.run_on_host_memory(one, bindings, {});
        states.push_back(memory);
    }
    return states;
}

namespace {

/// Does what another backend does, but says that it is another device.
class Disguise final : public inside::Backend {
public:
    Disguise(inside::Backend& real, DeviceInfo info, bool wide_positions)
        : real_(real), info_(std::move(info)), wide_positions_(wide_positions) {}

    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<const inside::Program> compile(const inside::KernelParameters& parameters) override {
        inside::KernelParameters wanted = parameters;
        wanted.wide_positions |= wide_positions_;
        return real_.compile(wanted);
    }
    void rehearse(const inside::Work& work) override { real_.rehearse(work); }
    void release() override { real_.release(); }
    SortReport run_on_host_memory(const inside::Work& work, const inside::Bindings& bindings,
                                  const std::function<void(std::size_t, std::size_t)>& progress) override {
        return real_.run_on_host_memory(work, bindings, progress);
    }
    bool has_queues() const noexcept override { return real_.has_queues(); }
    std::unique_ptr<inside::DeviceQueue> open_queue() override { return real_.open_queue(); }
    std::shared_ptr<void> pin(void* memory, std::uint64_t bytes, const std::function<void()>& write_first) override {
        return real_.pin(memory, bytes, write_first);
    }
    inside::MemoryFacts inspect(void* memory) const override { return real_.inspect(memory); }
    void check(const inside::Queue& queue) const override { real_.check(queue); }
    void enqueue(const inside::Work& work, const inside::Bindings& bindings, const inside::Queue& queue,
                 void** event) override {
        real_.enqueue(work, bindings, queue, event);
    }
    std::unique_ptr<inside::Recording> record(std::shared_ptr<const inside::Work> work,
                                              const inside::Bindings& bindings, void* queue) override {
        return real_.record(std::move(work), bindings, queue);
    }

private:
    inside::Backend& real_;
    DeviceInfo info_;
    bool wide_positions_;
};

}  // namespace

Sorter sorter_as(Sorter& real, const DeviceInfo& other, bool wide_positions) {
    return Sorter(std::make_unique<inside::SorterCore>(
        std::make_unique<Disguise>(real.core().backend(), other, wide_positions), SorterOptions{.use_tuned = false}));
}

}  // namespace lanesort::test
