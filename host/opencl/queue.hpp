// SPDX-License-Identifier: MIT
// A command queue, with memory, for works and the copies around them.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "host.hpp"

namespace lanesort::inline v0_1::opencl {

class OpenclQueue final : public detail::DeviceQueue {
public:
    /// An own one, or the caller's.
    OpenclQueue(Host& host, cl::CommandQueue queue, bool is_own);
    ~OpenclQueue() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const detail::Rows& all, const detail::Binding& there) override;
    void download(const detail::Binding& there, const detail::Rows& all) override;
    void copy(const detail::Binding& from, const detail::Binding& to, std::uint64_t bytes) override;
    void run(const detail::Work& work, const detail::Bindings& bindings) override;
    std::shared_ptr<const detail::QueueEnd> end() override;
    void await(std::shared_ptr<const detail::QueueEnd> end) override;
    void settle() override;

private:
    template <class Enqueue>
    void add(const Enqueue& enqueue);

    Host& host_;
    cl::CommandQueue queue_;
    bool is_own_;
    std::list<cl::Buffer> memory_;  ///< the runtime keeps it until nothing uses it
    std::vector<cl::Event> ends_;   ///< of what an own queue was given since the last end was asked for
};

}  // namespace lanesort::inline v0_1::opencl
