// SPDX-License-Identifier: MIT
// Sorts of OpenCL buffers.
#pragma once

#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <initializer_list>

#include "peer.hpp"

namespace lanesort::bench {

/// A device with a context and a queue of its own.
struct OpenClDevice {
    explicit OpenClDevice(const cl::Device& opened);

    /// The named files of bench/kernels, one after the other, as one program. Throws std::runtime_error with the
    /// compiler's log.
    cl::Program build(std::initializer_list<std::string_view> files, const std::string& options) const;

    cl::Buffer buffer(std::size_t bytes) const;

    std::size_t max_work_items() const { return device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(); }

    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;
};

/// Compiler options that tell bench/kernels the type of the keys and its largest value.
std::string key_options(KeyType type);

/// Why the device cannot hold or compute with the problem's keys; empty if it can.
std::string refusal_of(const OpenClDevice& device, const Problem& problem);

/// Sorts a buffer on a queue.
class OpenClTrial : public DeviceTrial {
public:
    OpenClTrial(const OpenClDevice& device, const Input& input);
    /// What other work and the sort take longer than that work alone: events would want a queue that profiles, on which
    /// launches take longer. None on processors.
    std::optional<double> device_seconds(std::size_t turn) override;
    std::span<const std::byte> result() override;
    Cost cost() const override { return cost_; }

protected:
    /// Enqueues the sort of keys_, and tells its cost.
    virtual void enqueue(Cost& cost) = 0;

    void restore(std::size_t turn) override;
    void sort() override { enqueue(cost_); }
    void finish() override { queue().finish(); }
    const cl::CommandQueue& queue() const { return device_.queue; }

    const OpenClDevice& device_;
    const Input& input_;
    cl::Buffer keys_;

private:
    cl::Buffer pristine_, number_;
    cl::Kernel work_;
    std::vector<std::byte> result_;
    Cost cost_;
};

/// Sorts on one OpenCL device; `T(device, input)` is the trial.
template <class T>
class OpenClPeer final : public Peer {
public:
    explicit OpenClPeer(const cl::Device& device) : device_(device) {}
    std::string refusal(const Problem& problem) const override {
        const std::string why = refusal_of(device_, problem);
        return why.empty() ? T::refusal(device_, problem) : why;
    }
    std::unique_ptr<Trial> prepare(const Input& input) override { return std::make_unique<T>(device_, input); }

private:
    OpenClDevice device_;
};

template <class T>
Candidate opencl_candidate(const std::string& name, const cl::Device& device,
                           const std::shared_ptr<const Memory>& memory) {
    return {
        name + ", " + memory->where, memory, true, [device] { return std::make_unique<OpenClPeer<T>>(device); }, {}};
}

/// The peers on one device.
Candidates opencl_bitonic_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory);
Candidates opencl_quicksort_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory);
Candidates boost_compute_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory);

}  // namespace lanesort::bench
