#include "target.hpp"

#include <algorithm>
#include <cstdlib>

#include "fit.hpp"

namespace lanesort::test {

Sorter Target::new_sorter(const Shape& shape) const {
    SorterOptions options;
    options.shape = shape;
    return new_sorter(options);
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

void skip_without(const std::string& kind) {
    ++skipped_device_cases();
    const char* const required = std::getenv("LANESORT_REQUIRE_DEVICE");
    if (required && std::string(required) == "1") FAIL("no ", kind, ", but LANESORT_REQUIRE_DEVICE is 1");
    MESSAGE("skipped: no ", kind);
}

void note_run(const std::string& way, const DeviceInfo& device) {
    ran_on().insert(way + ": " + device.name + " (" + device.platform + ")");
}

void check_still_sorts(const Target& target, Sorter& sorter) {
    Random random(seed());
    check_sort(target, sorter, random_keys<std::uint32_t>(3001, random), Order::ascending, 1);
}

}  // namespace lanesort::test
