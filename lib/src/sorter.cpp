#include <lanesort/sorter.hpp>

#include "sorter_core.hpp"

namespace lanesort {

Sorter::Sorter(const Device& device, SorterOptions options)
    : core_(std::make_unique<detail::SorterCore>(device.handle().open(), std::move(options))) {}
Sorter::Sorter(std::unique_ptr<detail::SorterCore> core) noexcept : core_(std::move(core)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

SortReport Sorter::sort(void* keys, std::size_t count, KeyType type, Order order) {
    return core_->sort_host(keys, count, type, order);
}

void Sorter::prepare(KeyType type, std::uint64_t count) { core_->prepare(count, type); }

Shape Sorter::shape(KeyType type, std::uint64_t count) { return core_->prepare(count, type).plan.shape; }

Plan Sorter::plan(std::uint64_t count, KeyType type) { return core_->prepare(count, type).plan; }

SyncCounts Sorter::measure(std::uint64_t count, KeyType type) { return core_->measure(count, type); }

const std::string& Sorter::note() const noexcept { return core_->note(); }

const DeviceInfo& Sorter::device() const noexcept { return core_->backend().info(); }

}  // namespace lanesort
