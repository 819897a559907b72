// SPDX-License-Identifier: MIT
// A work recorded as a CUDA graph.
#pragma once

#include <memory>

#include "checked.hpp"
#include "driver.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::cu {

/// Waits for a queue's wait list, calls, and records the event of the end that `event` points to, if there is one.
template <class Enqueue>
void between_events(const detail::Queue& queue, void** event, const Enqueue& enqueue) {
    const auto stream = static_cast<CUstream>(queue.handle);
    for (void* const waited : queue.wait_list) LANESORT_CU(cuStreamWaitEvent, stream, static_cast<CUevent>(waited), 0);
    enqueue(stream);
    if (event && *event) LANESORT_CU(cuEventRecord, static_cast<CUevent>(*event), stream);
}

class GraphRecording final : public detail::Recording {
public:
    GraphRecording(Host& host, std::shared_ptr<const detail::Work> work, const detail::Bindings& bindings);
    ~GraphRecording() override;

    void enqueue(const detail::Queue& queue, void** event) override;
    bool is_replayed() const noexcept override { return true; }

private:
    Host& host_;
    std::shared_ptr<const detail::Work> work_;  ///< whose programs the graph's kernels are
    CUgraph graph_ = nullptr;
    CUgraphExec executable_ = nullptr;
};

}  // namespace lanesort::inline v0_1::cu
