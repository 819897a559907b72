// SPDX-License-Identifier: MIT
// The threads of a sorter: those of the built-in device, and those that copy.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace lanesort::inline v0_1::detail {

/// The CPUs that the process may use: those of any of its threads. The calling thread's own may be fewer, since a
/// program pins threads, as OpenMP does by OMP_PROC_BIND. None are known if the system does not report them.
class UsableCpus {
public:
    UsableCpus();

    /// How many there are; if none are known, how many the machine has. At least 1.
    unsigned count() const noexcept;
    /// Lets the calling thread run on all of them. If that is refused, it stays where it is.
    void let_run() const noexcept;

private:
    static constexpr std::size_t most = 8192;  // as many as Linux knows
    std::array<cpu_set_t, most / CPU_SETSIZE> sets_{};
};

/// Threads that share out the work-groups of a launch among them. They start with the first launch that needs them, and
/// sleep between calls: between launches of one call a wait of 60 us, to wake, is as long as small ones take, so there
/// they stay awake. They run on all CPUs that the process may use. A process that was forked off starts its own.
class Threads {
public:
    /// At most so many, the caller's counted in.
    explicit Threads(unsigned count) : count_(count) {}
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    unsigned count() const noexcept { return count_; }

    /// Calls run(first, end, thread) for ranges that together are 0 .. groups, on several threads at once, whose
    /// numbers are below count(); returns when all of them have ended. `run` must not throw.
    template <class Run>
    void share_out(std::uint64_t groups, const Run& run) {
        share_out(groups, {&run, [](const void* what, std::uint64_t first, std::uint64_t end, unsigned thread) {
                               (*static_cast<const Run*>(what))(first, end, thread);
                           }});
    }

    /// Has each thread but the caller's call run(thread), with its number from 1 on, until finish(): what returns
    /// before that may be called again. `run` must not throw. Nothing is shared out meanwhile.
    void start(std::function<void(unsigned thread)> run);
    /// Returns when all of them have returned.
    void finish();
    /// Threads that there are beside the caller's.
    std::size_t others() { return crew().threads.size(); }

private:
    /// A call without its type.
    struct Job {
        const void* what;
        void (*run)(const void*, std::uint64_t first, std::uint64_t end, unsigned thread);
    };
    /// What the threads share. They outlive it in no case but a fork, where the child leaves it as it is.
    struct Crew {
        std::mutex mutex;
        std::condition_variable begins, ends;
        std::atomic<std::uint64_t> launches = 0;  ///< so far: a thread works at most once for each
        std::atomic<unsigned> working = 0;        ///< threads that have begun with the latest and not ended
        bool is_open = false;                     ///< there may be shares left: who comes later has nothing to do
        bool is_over = false;
        Job job{};
        std::uint64_t groups = 0, share = 1;
        std::atomic<std::uint64_t> next = 0;
        std::vector<std::thread> threads;

        void take_shares(unsigned thread) noexcept;
        void serve(unsigned thread) noexcept;
    };

    void share_out(std::uint64_t groups, Job job);
    void begin(std::uint64_t groups, std::uint64_t share, Job job);
    /// The threads of this process.
    Crew& crew();

    unsigned count_;
    UsableCpus cpus_;
    std::function<void(unsigned)> started_;
    std::unique_ptr<Crew> crew_;
    int process_ = 0;  ///< whose threads they are
};

}  // namespace lanesort::inline v0_1::detail
