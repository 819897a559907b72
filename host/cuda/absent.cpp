// The CUDA backend of a library that was built without CUDA's headers.
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>

#include "../../lib/src/core/backend.hpp"

namespace lanesort {
namespace {

constexpr const char* sentence = "CUDA cannot be used: the library was built without CUDA's headers";

[[noreturn]] void refuse() { throw Error(ErrorCode::unsupported, sentence); }

}  // namespace

namespace cu {

struct Recorded::State {};

Installation installation() { return {sentence, sentence, 0, 0, false}; }

Sorter make_sorter(int, SorterOptions) { throw Error(ErrorCode::no_device, sentence); }

SortReport enqueue(Sorter&, Queue, const Call&, WaitList, EndEvent) { refuse(); }

Recorded::Recorded(Sorter&, Queue, const Call&) { refuse(); }
Recorded::Recorded(Recorded&&) noexcept = default;
Recorded& Recorded::operator=(Recorded&&) noexcept = default;
Recorded::~Recorded() = default;
SortReport Recorded::enqueue(WaitList, EndEvent) { refuse(); }
bool Recorded::is_replayed() const noexcept { return false; }

}  // namespace cu

namespace detail {

Discovery discover_cuda() { return {{}, {}, {sentence}}; }

}  // namespace detail
}  // namespace lanesort
