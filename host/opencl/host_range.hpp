// SPDX-License-Identifier: MIT
// Host memory as an OpenCL device sees it.
#pragma once

#include <vector>

#include "clhpp.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::opencl {

/// What kernels do to a host array.
enum class HostUse { change, read, change_a_copy };

/// A host array as the device sees it: where it is, if the device works in host memory, else a copy.
class HostRange {
public:
    /// It is copied by that other queue, or on the queue if there is none.
    HostRange(const Host& host, const cl::CommandQueue& queue, detail::DeviceQueue* copies, void* keys,
              std::size_t bytes, HostUse use)
        : queue_(queue),
          keys_(keys),
          bytes_(bytes),
          in_place_(host.info().host_unified_memory && use != HostUse::change_a_copy),
          copies_(copies),
          buffer_(host.context(),
                  (use == HostUse::read ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE) |
                      (in_place_ ? CL_MEM_USE_HOST_PTR : cl_mem_flags{0}),
                  bytes, in_place_ ? keys : nullptr) {}

    const cl::Buffer& buffer() const { return buffer_; }
    std::size_t device_bytes() const { return in_place_ ? 0 : bytes_; }

    /// What is to be done before the kernels and after them, enqueued on an in-order queue, or given to the other one; the
    /// events to wait for are appended. To wait costs as much as a small sort each time, so the caller does it once
    /// (docs/decisions.md#launches-and-waits).
    void upload(std::vector<cl::Event>& ends) {
        if (in_place_) return;
        if (copies_) copies_->upload(detail::one_row(keys_, bytes_), {buffer_()});
        else queue_.enqueueWriteBuffer(buffer_, CL_FALSE, 0, bytes_, keys_, nullptr, &ends.emplace_back());
    }
    void download(std::vector<cl::Event>& ends) { download(ends, bytes_); }
    /// The first so many bytes.
    void download(std::vector<cl::Event>& ends, std::size_t bytes) {
        if (in_place_) hand_back(ends, bytes);
        else if (copies_) copies_->download({buffer_()}, detail::one_row(keys_, bytes));
        else queue_.enqueueReadBuffer(buffer_, CL_FALSE, 0, bytes, keys_, nullptr, &ends.emplace_back());
    }

private:
    void hand_back(std::vector<cl::Event>& ends, std::size_t bytes) {
        cl::Event& mapped = ends.emplace_back();
        void* const address = queue_.enqueueMapBuffer(buffer_, CL_FALSE, CL_MAP_READ, 0, bytes, nullptr, &mapped);
        cl_event unmapped = nullptr;
        cl_int status = clEnqueueUnmapMemObject(queue_(), buffer_(), address, 0, nullptr, &unmapped);
        if (status == CL_INVALID_VALUE) {  // Mesa 22's rusticl knows no address before the map has ended
            mapped.wait();
            status = clEnqueueUnmapMemObject(queue_(), buffer_(), address, 0, nullptr, &unmapped);
        }
        check(status, "clEnqueueUnmapMemObject");
        ends.emplace_back(unmapped);
    }

    cl::CommandQueue queue_;
    void* keys_;
    std::size_t bytes_;
    bool in_place_;
    detail::DeviceQueue* copies_;
    cl::Buffer buffer_;
};

/// Waits once for all that was enqueued; what any of it failed with, its event tells better than the queue.
inline void finish(const cl::CommandQueue& queue, const std::vector<cl::Event>& ends) {
    clFinish(queue());
    if (!ends.empty()) cl::Event::waitForEvents(ends);
}

/// Waits until nothing that was enqueued can touch the caller's memory any more, also when an error passes through.
class FinishAtEnd {
public:
    explicit FinishAtEnd(const cl::CommandQueue& queue) : queue_(queue) {}
    ~FinishAtEnd() { clFinish(queue_()); }
    FinishAtEnd(const FinishAtEnd&) = delete;
    FinishAtEnd& operator=(const FinishAtEnd&) = delete;

private:
    const cl::CommandQueue& queue_;
};

}  // namespace lanesort::inline v0_1::opencl
