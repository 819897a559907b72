// lanesort/opencl.hpp.
#include <lanesort/opencl.hpp>

#include <algorithm>

#include "../../lib/src/core/device_calls.hpp"
#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/sorter_core.hpp"
#include "checked.hpp"
#include "host.hpp"

namespace lanesort::opencl {
namespace {

/// The core of a sorter of this backend.
detail::SorterCore& core_of(Sorter& sorter) {
    detail::require(dynamic_cast<Host*>(&sorter.core().backend()) != nullptr, ErrorCode::unsupported,
                    "the sorter is not one of an OpenCL device");
    return sorter.core();
}

}  // namespace

Sorter make_sorter(cl_context context, cl_device_id device, SorterOptions options) {
    return checked([&] {
        detail::require(context != nullptr && device != nullptr, ErrorCode::invalid_argument,
                        "the context or the device is null");
        const cl::Context retained(context, true);
        const auto devices = retained.getInfo<CL_CONTEXT_DEVICES>();
        detail::require(std::ranges::any_of(devices, [&](const cl::Device& d) { return d() == device; }),
                        ErrorCode::wrong_context, "the device is not one of the context's");
        auto host = std::make_unique<Host>(retained, cl::Device(device, true));
        return Sorter(std::make_unique<detail::SorterCore>(std::move(host), std::move(options)));
    });
}

SortReport enqueue(Sorter& sorter, Queue queue, const Call& call, WaitList wait_list, EndEvent event) {
    return core_of(sorter).enqueue(call.request, detail::bindings_of(call), detail::queue_of(queue, wait_list),
                                   reinterpret_cast<void**>(event));
}

struct Recorded::State {
    detail::SorterCore& core;
    Queue queue;
    SortReport report;
    std::unique_ptr<detail::Recording> recording;
};

Recorded::Recorded(Sorter& sorter, Queue queue, const Call& call)
    : state_(new State{core_of(sorter), queue, {}, nullptr}) {
    state_->recording = state_->core.record(call.request, detail::bindings_of(call), queue, state_->report);
}
Recorded::Recorded(Recorded&&) noexcept = default;
Recorded& Recorded::operator=(Recorded&&) noexcept = default;
Recorded::~Recorded() = default;

SortReport Recorded::enqueue(WaitList wait_list, EndEvent event) {
    state_->recording->enqueue(detail::queue_of(state_->queue, wait_list), reinterpret_cast<void**>(event));
    return state_->core.note(state_->report);
}

bool Recorded::is_replayed() const noexcept { return state_->recording->is_replayed(); }

}  // namespace lanesort::opencl
