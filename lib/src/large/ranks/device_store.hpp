// SPDX-License-Identifier: MIT
// Elements in the memory of a device, told by addresses (CUDA's, or the built-in device's). What MPI does not take
// there goes through host memory.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/sorter_core.hpp"
#include "store.hpp"

namespace lanesort::inline v0_1::mpi {

class DeviceStore final : public Store {
public:
    /// `own` is a sort of the rank's elements. What the store does is enqueued there, and MPI is waited for.
    DeviceStore(lanesort::detail::SorterCore& core, lanesort::detail::DeviceQueue& queue, const Request& own,
                bool is_staged)
        : core_(core), queue_(queue), sort_(own), is_staged_(is_staged), read_(own.key.type(), own.order_or_usual()) {}
    /// Waits: what was enqueued uses memory of the store.
    ~DeviceStore() override;

    std::byte* allocate(std::uint64_t bytes) override;
    void expect_messages(std::uint64_t messages, std::uint64_t bytes) override;
    void number(std::byte* integers, std::uint64_t count, std::uint64_t first) override;
    void copy(const Elements& from, const Elements& to, std::uint64_t count) override;
    void pack(const Elements& block, std::span<const Packed> parts) override;
    void unpack(const Elements& block, std::span<const Packed> parts) override;
    void sort_here(const Elements& elements, std::uint64_t count) override;
    std::uint64_t keep_half(const Elements& mine, const Elements& theirs, std::uint64_t count, bool is_low) override;
    void restore_order(const Elements& elements, std::uint64_t count, std::uint64_t moved, bool is_low) override;
    Ordered read(const Elements& sorted, std::uint64_t count, std::uint64_t i) override;
    void all_to_all(Ranks& ranks, const std::byte* from, std::byte* to, std::uint64_t bytes) override;
    void all_to_all(Ranks& ranks, const std::byte* from, const Parts& sent, std::byte* to, const Parts& received,
                    std::size_t width) override;
    void exchange(Ranks& ranks, const std::vector<Message>& received, const std::vector<Message>& sent) override;

    void wait() { queue_.wait(); }

private:
    using Memory = std::unique_ptr<lanesort::detail::SharedMemory>;

    std::byte* allocate(std::uint64_t bytes, bool on_host);
    /// The integers 0, stride, 2 stride, .. of 4 bytes, on the device: so many of them at least.
    void* multiples(std::uint64_t stride, std::uint64_t count);
    /// Copies elements from every stride-th place, or to it.
    void copy_from_every(const Elements& from, std::uint64_t stride, const Elements& to, std::uint64_t count);
    void copy_to_every(const Elements& from, const Elements& to, std::uint64_t stride, std::uint64_t count);
    /// In a message behind others, keys and values may lie at any byte. For kernels they pass through memory that is
    /// aligned: gives that, or the place itself where it is.
    std::byte* aligned(std::byte* memory, std::uint64_t count, std::size_t width);
    void copy(std::byte* from, std::byte* to, std::uint64_t bytes);
    void run(const Request& request, const lanesort::detail::Bindings& bindings);
    lanesort::detail::Bindings bindings(const Elements& elements) const;
    /// Return when that is done.
    void download(const std::byte* from, std::byte* to, std::uint64_t bytes);
    void upload(const std::byte* from, std::byte* to, std::uint64_t bytes);

    lanesort::detail::SorterCore& core_;
    lanesort::detail::DeviceQueue& queue_;
    Request sort_;
    bool is_staged_;
    Reader read_;
    std::list<Memory> memory_;
    std::byte *sent_ = nullptr, *received_ = nullptr;  ///< in host memory
    std::vector<Message> give_, get_;                  ///< of an exchange there
    struct Multiples {
        std::uint64_t count;
        void* memory;
    };
    std::map<std::uint64_t, Multiples> multiples_;  ///< by stride
    std::byte* aligned_ = nullptr;
    std::uint64_t aligned_bytes_ = 0;
    std::byte* page_ = nullptr;  ///< on the device
    std::map<std::pair<unsigned, std::uint64_t>, std::unique_ptr<std::byte[]>> pages_;
};

}  // namespace lanesort::inline v0_1::mpi
