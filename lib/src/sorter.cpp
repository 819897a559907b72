#include <lanesort/sorter.hpp>

#include "element_type.hpp"
#include "sorter_core.hpp"

namespace lanesort {

Sorter::Sorter(const Device& device, SorterOptions options)
    : core_(std::make_unique<detail::SorterCore>(device.handle().open(), std::move(options))) {}
Sorter::Sorter(std::unique_ptr<detail::SorterCore> core) noexcept : core_(std::move(core)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

SortReport Sorter::sort(void* keys, std::size_t count, KeyType type, Order order, std::size_t row_length) {
    return core_->sort_host({keys}, {count, row_length}, {type}, order);
}

SortReport Sorter::sort_by_key(void* keys, void* values, std::size_t count, KeyType type, std::size_t value_bytes,
                               Order order, std::size_t row_length) {
    const detail::ElementType element{type, value_bytes};
    check(element);
    return core_->sort_host({keys, values}, {count, row_length}, element, order);
}

SortReport Sorter::argsort(const void* keys, void* indices, std::size_t count, KeyType type, std::size_t index_bytes,
                           Order order, std::size_t row_length) {
    const detail::ElementType element{type, index_bytes, true};
    check(element);
    detail::check_index({count, row_length}, index_bytes);
    return core_->sort_host({const_cast<void*>(keys), indices, true}, {count, row_length}, element, order);
}

void Sorter::prepare(KeyType type, std::uint64_t count, std::uint64_t row_length) {
    core_->prepare({count, row_length}, {type});
}

void Sorter::prepare_sort_by_key(KeyType type, std::size_t value_bytes, std::uint64_t count, std::uint64_t row_length) {
    const detail::ElementType element{type, value_bytes};
    check(element);
    core_->prepare({count, row_length}, element);
}

void Sorter::prepare_argsort(KeyType type, std::size_t index_bytes, std::uint64_t count, std::uint64_t row_length) {
    const detail::ElementType element{type, index_bytes, true};
    check(element);
    core_->prepare({count, row_length}, element);
}

Shape Sorter::shape(KeyType type, std::uint64_t count) { return core_->prepare({count}, {type}).plan.shape; }

Plan Sorter::plan(std::uint64_t count, KeyType type) { return core_->prepare({count}, {type}).plan; }

SyncCounts Sorter::measure(std::uint64_t count, KeyType type) { return core_->measure(count, type); }

const std::string& Sorter::note() const noexcept { return core_->note(); }

const DeviceInfo& Sorter::device() const noexcept { return core_->backend().info(); }

}  // namespace lanesort
