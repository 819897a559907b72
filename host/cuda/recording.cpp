// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "memory.hpp"

namespace lanesort::inline v0_1::cu {

GraphRecording::GraphRecording(Host& host, std::shared_ptr<const detail::Work> work, const detail::Bindings& bindings)
    : host_(host), work_(std::move(work)) {
    const CurrentContext current(host.context());
    // A stream of its own is captured, so that nothing of the caller's is.
    CUstream stream = nullptr;
    LANESORT_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    const std::unique_ptr<CUstream_st, decltype(driver().cuStreamDestroy)> owner(stream, driver().cuStreamDestroy);
    LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    try {
        host.enqueue_on(*work_, bindings, stream);
    } catch (...) {
        // A thread with an unfinished capture could not allocate any more.
        driver().cuStreamEndCapture(stream, &graph_);
        driver().cuGraphDestroy(graph_);
        throw;
    }
    LANESORT_CU(cuStreamEndCapture, stream, &graph_);
    if (const CUresult made = driver().cuGraphInstantiateWithFlags(&executable_, graph_, 0); made != CUDA_SUCCESS) {
        driver().cuGraphDestroy(graph_);
        allocate_first([&] { check(made, "cuGraphInstantiateWithFlags"); });
    }
}

GraphRecording::~GraphRecording() {
    driver().cuGraphExecDestroy(executable_);
    driver().cuGraphDestroy(graph_);
}

void GraphRecording::enqueue(const detail::Queue& queue, void** event) {
    const CurrentContext current(host_.context());
    host_.check(queue);
    between_events(queue, event, [&](CUstream stream) { LANESORT_CU(cuGraphLaunch, executable_, stream); });
}

}  // namespace lanesort::inline v0_1::cu
