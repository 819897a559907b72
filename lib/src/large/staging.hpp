// SPDX-License-Identifier: MIT
// Large arrays in pageable host memory on their way to a device and back: through pinned memory, by threads, both ways
// at once. A driver that is given pageable memory does the same with one thread, which takes several times as long as
// the bus.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/backend.hpp"
#include "core/threads.hpp"

namespace lanesort::inline v0_1::detail {

enum class Way { up, down };

/// For what takes less time than it takes a thread to wake.
class SpinLock {
public:
    void lock() noexcept {
        while (is_held_.test_and_set(std::memory_order_acquire))
            for (unsigned turns = 0; is_held_.test(std::memory_order_relaxed);)
                if (++turns % 64 == 0) std::this_thread::yield();
    }
    void unlock() noexcept { is_held_.clear(std::memory_order_release); }

private:
    std::atomic_flag is_held_;
};

/// A queue that several threads use, one at a time.
struct SharedQueue {
    std::unique_ptr<DeviceQueue> queue;
    SpinLock lock = {};
};

/// What copies of a queue come behind: the first that is enqueued has the queue wait for these ends. If that fails, or
/// one of these could not be enqueued, so do all that come behind it.
struct StagingGate {
    std::vector<std::shared_ptr<const QueueEnd>> awaited;
    std::shared_ptr<StagingGate> before;  ///< what the queue was to wait for earlier
    std::exception_ptr error = {};

    void open(DeviceQueue& queue);
};

/// An upload or a download of a queue: rows of pageable memory that go piece by piece, each through a staging buffer of
/// a thread's; or of pinned memory, which a thread enqueues in its turn.
class StagedCopy {
public:
    StagedCopy(Way way, bool is_pageable, SharedQueue& queue, const Rows& rows, const Binding& there,
               std::shared_ptr<StagingGate> gate);
    /// Of extents in pageable memory.
    StagedCopy(Way way, SharedQueue& queue, std::span<const HostExtent> extents, const Binding& there,
               std::shared_ptr<StagingGate> gate);

    Way way() const noexcept { return way_; }
    /// All is enqueued; of pageable memory what goes up is read then.
    bool is_enqueued() const noexcept { return is_enqueued_.load(std::memory_order_acquire); }
    /// Returns when it is; throws what failed before that.
    void wait_enqueued() const;
    /// The end of the device's copies, of one that is enqueued.
    const std::shared_ptr<const QueueEnd>& end() const noexcept { return end_; }

    /// The device has it, or it is there. Throws what failed.
    bool has_landed() const;
    void wait_landed() const;
    /// It has landed, and nothing failed.
    bool went_well() const noexcept;

    /// Returns when others may use pageable memory: what goes up is read, what goes down is there. Of pinned memory
    /// only what the queue is given next may. Throws what failed before that.
    void wait_over() const;
    /// The same, without telling.
    void wait_over_quietly() const noexcept;

private:
    friend class Staging;
    friend class StagingQueue;

    /// Some of the rows; on the device they begin `offset` bytes behind the first. A staging buffer holds them one
    /// after another.
    struct Piece {
        Rows rows;
        std::uint64_t offset;
    };

    bool may_begin() noexcept;
    bool is_all_taken() const noexcept { return row_ == rows_.height; }
    /// The next rows of at most so many bytes, or the next bytes of a longer one.
    Piece take(std::size_t most);
    /// Has the device copy them to the buffer or from it; returns the end of that.
    std::shared_ptr<const QueueEnd> enqueue(std::byte* buffer, const Piece& piece);
    /// Copies a piece to the buffer or from it, if it goes through that.
    void pass(std::byte* buffer, const Piece& piece) const;
    void throw_failure() const;

    const Way way_;
    const bool is_pageable_;
    SharedQueue& queue_;
    const std::vector<HostExtent> extents_;  ///< what the one row is, where it is such
    const Rows given_;
    Rows rows_;  ///< the same as they lie on the device, where they are dealt
    const Binding there_;
    const std::shared_ptr<StagingGate> gate_;
    std::shared_ptr<const QueueEnd> end_;  ///< of the latest piece; with the queue's lock

    // With the staging's lock.
    std::vector<std::shared_ptr<StagedCopy>> before_;  ///< that have to be enqueued
    std::uint64_t row_ = 0, column_ = 0;               ///< of what is taken next
    std::uint64_t to_enqueue_ = 0;                     ///< pieces that were taken and are not enqueued
    std::uint64_t in_flight_ = 0;                      ///< pieces that were taken and have not landed
    std::exception_ptr error_, late_error_;            ///< before it was enqueued, and after that
    std::atomic<bool> is_enqueued_ = false, has_landed_ = false;
};

/// Threads that copy into pinned memory and out of it while the device copies other parts of that. One thread at a time
/// makes queues of it and uses them; it outlives them.
class Staging {
public:
    /// Arrays of fewer bytes are as fast without.
    static constexpr std::size_t least_bytes = std::size_t{32} << 20;
    static constexpr std::size_t usual_buffer = std::size_t{1} << 20;
    static constexpr unsigned buffers_each_way = 2;

    /// Host memory that the device copies as fast as the bus is; null where there is none.
    using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

    explicit Staging(Allocate allocate, std::size_t buffer_bytes = usual_buffer,
                     unsigned threads = threads_that_copy());

    /// There is memory for the buffers, which is kept, and are threads.
    bool is_ready();
    /// Gives the memory back. Nothing may be under way.
    void release() noexcept { memory_.reset(); }

    /// As many as gain by being more (docs/decisions.md#pageable-host-arrays).
    static unsigned threads_that_copy();

private:
    friend class StagingQueue;

    struct Taken {
        std::shared_ptr<StagedCopy> copy;
        StagedCopy::Piece piece;
    };
    /// A thread's buffers of one way, of which some hold pieces.
    class Ring;
    /// Threads work while this lives, and until all copies have landed.
    class Session {
    public:
        explicit Session(Staging& staging);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

    private:
        Staging& staging_;
    };

    std::deque<std::shared_ptr<StagedCopy>>& waiting(Way way) { return waiting_[static_cast<std::size_t>(way)]; }
    std::shared_ptr<Session> session();
    void start(std::shared_ptr<StagedCopy> copy);
    std::optional<Taken> take(Way way);
    /// Has the device copy the next piece, if there is one and a buffer for it.
    bool begin_piece(Way way, Ring& ring) noexcept;
    /// Gives the oldest piece's buffer back, if the device has copied it.
    bool end_piece(Ring& ring) noexcept;
    /// What a piece is from here on. One that cannot be enqueued is both.
    struct Steps {
        bool enqueued = false, landed = false;
    };
    void note(StagedCopy& copy, Steps steps, std::exception_ptr error = {}) noexcept;
    /// Nothing is left to take, nor will come.
    bool is_done();
    void work(unsigned thread) noexcept;
    void tell() noexcept;

    const Allocate allocate_;
    const std::size_t buffer_bytes_;
    Threads threads_;  ///< beside the caller's
    std::shared_ptr<std::byte> memory_;
    std::weak_ptr<Session> session_;

    SpinLock lock_;
    std::deque<std::shared_ptr<StagedCopy>> waiting_[2];  ///< of each way; in each, one after another
    bool is_closed_ = true;
    std::atomic<std::uint32_t> changes_ = 0;  ///< of what threads sleep for
};

/// A queue whose large copies of pageable memory are staged. They do not block, so what goes up and what goes down
/// share the bus. Of copies the same way, parts may come before others that were given earlier: they lie apart.
class StagingQueue final : public DeviceQueue {
public:
    /// Whether the device has to be helped with that memory.
    using IsPageable = std::function<bool(const void* memory)>;

    /// Fewer bytes are not worth the threads, unless these work already.
    static constexpr std::uint64_t least_bytes = std::uint64_t{64} << 10;

    StagingQueue(std::unique_ptr<DeviceQueue> queue, Staging& staging, IsPageable is_pageable);
    ~StagingQueue() override;

    void* allocate(std::uint64_t bytes) override;
    void upload(const Rows& from, const Binding& to) override;
    void download(const Binding& from, const Rows& to) override;
    void upload_extents(std::span<const HostExtent> from, Binding to) override;
    void download_extents(Binding from, std::span<const HostExtent> to) override;
    void copy(const Binding& from, const Binding& to, std::uint64_t bytes) override;
    void run(const Work& work, const Bindings& bindings) override;
    std::shared_ptr<const QueueEnd> end() override;
    void wait() override;
    void await(std::shared_ptr<const QueueEnd> end) override;
    void settle() override;

private:
    /// Whether the threads work, or begin to for so many bytes.
    bool has_threads_for(std::uint64_t bytes, bool is_pageable);
    /// Gives the copy to the threads, if that is to be.
    bool stage(Way way, const Rows& rows, const Binding& there);
    bool stage(Way way, std::span<const HostExtent> extents, const Binding& there);
    /// Gives new_copy(gate) to the threads.
    template <class NewCopy>
    void start(Way way, const NewCopy& new_copy);
    /// What is enqueued from here on comes behind all that was given to the queue before.
    void catch_up();

    SharedQueue queue_;
    Staging& staging_;
    const IsPageable is_pageable_;
    std::shared_ptr<Staging::Session> session_;
    std::shared_ptr<StagingGate> gate_;                     ///< of the latest copy
    std::vector<std::shared_ptr<StagedCopy>> copies_;       ///< that may not have landed
    std::vector<std::shared_ptr<const QueueEnd>> awaited_;  ///< by what comes next
};

}  // namespace lanesort::inline v0_1::detail
