// SPDX-License-Identifier: MIT
// A queue of the library's own, with memory, for works and the copies around them.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "../../lib/src/core/backend.hpp"
#include "clhpp.hpp"

namespace lanesort::inline v0_1::opencl {

class QueueLane final : public detail::Lane {
public:
    QueueLane(const cl::Context& context, const cl::Device& device);
    ~QueueLane() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const detail::Rows& all, const detail::Binding& there) override;
    void download(const detail::Binding& there, const detail::Rows& all) override;
    void run(const detail::Work& work, const detail::Bindings& bindings) override;
    std::shared_ptr<const detail::LaneEnd> end() override;
    void await(std::shared_ptr<const detail::LaneEnd> end) override;

private:
    template <class Enqueue>
    void add(const Enqueue& enqueue);

    cl::Context context_;
    cl::CommandQueue queue_;
    std::list<cl::Buffer> memory_;
    std::vector<cl::Event> ends_;  ///< of what was enqueued since the last end was asked for
};

}  // namespace lanesort::inline v0_1::opencl
