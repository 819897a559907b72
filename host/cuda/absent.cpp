// The CUDA backend of a library that was built without CUDA's headers.
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "../../lib/src/backend.hpp"

namespace lanesort {
namespace {

constexpr const char* sentence = "CUDA cannot be used: the library was built without CUDA's headers";

}  // namespace

namespace cuda {

struct RecordedSort::State {};

Sorter make_sorter(int, SorterOptions) { throw Error(ErrorCode::no_device, sentence); }

SortReport enqueue_sort(Sorter&, Stream, const KeyRange&, std::span<const Event>, Event) {
    throw Error(ErrorCode::unsupported, sentence);
}

SortReport enqueue_is_sorted(Sorter&, Stream, const KeyRange&, const Integers&, std::span<const Event>, Event) {
    throw Error(ErrorCode::unsupported, sentence);
}
SortReport enqueue_is_sorted_until(Sorter&, Stream, const KeyRange&, const Integers&, std::span<const Event>, Event) {
    throw Error(ErrorCode::unsupported, sentence);
}
SortReport enqueue_unique(Sorter&, Stream, const KeyRange&, const Distinct&, std::span<const Event>, Event) {
    throw Error(ErrorCode::unsupported, sentence);
}
SortReport enqueue_run_lengths(Sorter&, Stream, const KeyRange&, const Distinct&, const ValueRange&,
                               std::span<const Event>, Event) {
    throw Error(ErrorCode::unsupported, sentence);
}

RecordedSort::RecordedSort(Sorter&, const KeyRange&) { throw Error(ErrorCode::unsupported, sentence); }
RecordedSort::RecordedSort(RecordedSort&&) noexcept = default;
RecordedSort& RecordedSort::operator=(RecordedSort&&) noexcept = default;
RecordedSort::~RecordedSort() = default;
SortReport RecordedSort::enqueue(Stream) { throw Error(ErrorCode::unsupported, sentence); }

}  // namespace cuda

namespace detail {

Discovery discover_cuda() { return {{}, {}, {sentence}}; }

}  // namespace detail
}  // namespace lanesort
