// lanesort/cuda.hpp.
#include <lanesort/cuda.hpp>

#include "../../lib/src/core/device_calls.hpp"
#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/sorter_core.hpp"
#include "host.hpp"
#include "platform.hpp"

namespace lanesort::cu {
namespace {

/// The core of a sorter of this backend.
detail::SorterCore& core_of(Sorter& sorter) {
    detail::require(dynamic_cast<Host*>(&sorter.core().backend()) != nullptr, ErrorCode::unsupported,
                    "the sorter is not one of a CUDA device");
    return sorter.core();
}

}  // namespace

Sorter make_sorter(int device, SorterOptions options) {
    return Sorter(
        std::make_unique<detail::SorterCore>(std::make_unique<Host>(device_of_number(device)), std::move(options)));
}

SortReport enqueue(Sorter& sorter, Queue stream, const Call& call, WaitList wait_list, EndEvent event) {
    void* end = event;
    return core_of(sorter).enqueue(call.request, detail::bindings_of(call), detail::queue_of(stream, wait_list), &end);
}

struct Recorded::State {
    detail::SorterCore& core;
    Queue stream;
    SortReport report;
    std::unique_ptr<detail::Recording> recording;
};

Recorded::Recorded(Sorter& sorter, Queue stream, const Call& call)
    : state_(new State{core_of(sorter), stream, {}, nullptr}) {
    state_->recording = state_->core.record(call.request, detail::bindings_of(call), stream, state_->report);
}
Recorded::Recorded(Recorded&&) noexcept = default;
Recorded& Recorded::operator=(Recorded&&) noexcept = default;
Recorded::~Recorded() = default;

SortReport Recorded::enqueue(WaitList wait_list, EndEvent event) {
    void* end = event;
    state_->recording->enqueue(detail::queue_of(state_->stream, wait_list), &end);
    return state_->core.note(state_->report);
}

bool Recorded::is_replayed() const noexcept { return state_->recording->is_replayed(); }

}  // namespace lanesort::cu
