// The CUDA backend of a library that was built without CUDA's headers.
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "../../lib/src/backend.hpp"

namespace lanesort {
namespace {

constexpr const char* sentence = "CUDA cannot be used: the library was built without CUDA's headers";

[[noreturn]] void refuse() { throw Error(ErrorCode::unsupported, sentence); }

}  // namespace

namespace cuda {

struct RecordedSort::State {};

Installation installation() { return {sentence, sentence, 0, 0, false}; }

Sorter make_sorter(int, SorterOptions) { throw Error(ErrorCode::no_device, sentence); }

SortReport enqueue_sort(Sorter&, Stream, const KeyRange&, std::span<const Event>, Event) { refuse(); }
SortReport enqueue_sort_by_key(Sorter&, Stream, const KeyRange&, const ValueRange&, std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_merge(Sorter&, Stream, const KeyRange&, std::size_t, std::span<const Event>, Event) { refuse(); }
SortReport enqueue_merge_by_key(Sorter&, Stream, const KeyRange&, const ValueRange&, std::size_t,
                                std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_argsort(Sorter&, Stream, const KeyRange&, const ValueRange&, std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_top_k(Sorter&, Stream, const KeyRange&, std::size_t, const Selected&, std::span<const Event>,
                         Event) {
    refuse();
}
SortReport enqueue_is_sorted(Sorter&, Stream, const KeyRange&, const Integers&, std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_is_sorted_until(Sorter&, Stream, const KeyRange&, const Integers&, std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_unique(Sorter&, Stream, const KeyRange&, const Distinct&, std::span<const Event>, Event) {
    refuse();
}
SortReport enqueue_run_lengths(Sorter&, Stream, const KeyRange&, const Distinct&, const ValueRange&,
                               std::span<const Event>, Event) {
    refuse();
}

RecordedSort::RecordedSort(Sorter&, const KeyRange&) { refuse(); }
RecordedSort::RecordedSort(Sorter&, const KeyRange&, const ValueRange&) { refuse(); }
RecordedSort::RecordedSort(RecordedSort&&) noexcept = default;
RecordedSort& RecordedSort::operator=(RecordedSort&&) noexcept = default;
RecordedSort::~RecordedSort() = default;
SortReport RecordedSort::enqueue(Stream) { refuse(); }

}  // namespace cuda

namespace detail {

Discovery discover_cuda() { return {{}, {}, {sentence}}; }

}  // namespace detail
}  // namespace lanesort
