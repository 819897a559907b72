// SPDX-License-Identifier: MIT
#include "threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "float_environment.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// While this lives, threads that are started get no signals: those are for the program's own threads.
class WithoutSignals {
public:
    WithoutSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    WithoutSignals(const WithoutSignals&) = delete;
    WithoutSignals& operator=(const WithoutSignals&) = delete;

private:
    sigset_t before_;
};

/// Waits for what is likely to come soon, at most for about as long as a sleeping thread takes to wake twice.
template <class Condition>
void wait_awake(const Condition& condition) {
    using clock = std::chrono::steady_clock;
    for (const auto end = clock::now() + std::chrono::microseconds(100); !condition() && clock::now() < end;)
        std::this_thread::yield();
}

}  // namespace

UsableCpus::UsableCpus() {
    const auto add = [this](pid_t thread) {
        decltype(sets_) of_thread;
        if (sched_getaffinity(thread, sizeof of_thread, of_thread.data()) == 0)
            CPU_OR_S(sizeof sets_, sets_.data(), sets_.data(), of_thread.data());
    };
    add(0);
    std::error_code failed;
    for (std::filesystem::directory_iterator task("/proc/self/task", failed), end; !failed && task != end;
         task.increment(failed)) {
        const std::string name = task->path().filename().string();
        pid_t thread = 0;
        std::from_chars(name.data(), name.data() + name.size(), thread);
        add(thread);
    }
}

unsigned UsableCpus::count() const noexcept {
    const int known = CPU_COUNT_S(sizeof sets_, sets_.data());
    return static_cast<unsigned>(std::max(known > 0 ? long{known} : sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

void UsableCpus::let_run() const noexcept { (void)sched_setaffinity(0, sizeof sets_, sets_.data()); }

void Threads::Crew::take_shares(unsigned thread) noexcept {
    for (;;) {
        const std::uint64_t first = next.fetch_add(share, std::memory_order_relaxed);
        if (first >= groups) return;
        job.run(job.what, first, std::min(first + share, groups), thread);
    }
}

void Threads::Crew::serve(unsigned thread) noexcept {
    const DefaultFloatEnvironment default_environment;  // a thread begins with that of the thread which starts it
    std::uint64_t served = 0;
    for (;;) {
        wait_awake([&] { return launches != served; });
        std::unique_lock<std::mutex> lock(mutex);
        begins.wait(lock, [&] { return launches != served; });
        if (is_over) return;
        served = launches;
        if (!is_open) continue;
        ++working;
        lock.unlock();
        take_shares(thread);
        lock.lock();
        if (--working == 0) ends.notify_one();
    }
}

Threads::Crew& Threads::crew() {
    const int process = getpid();
    if (crew_ && process_ != process) (void)crew_.release();  // its threads are the parent's
    if (!crew_) {
        crew_ = std::make_unique<Crew>();
        process_ = process;
        const WithoutSignals without_signals;
        try {
            for (unsigned thread = 1; thread < count_; ++thread)
                crew_->threads.emplace_back([this, crew = crew_.get(), thread] {
                    cpus_.let_run();
                    crew->serve(thread);
                });
        } catch (const std::system_error&) {
            // Where no more threads may be started, those that there are do the work.
        }
    }
    return *crew_;
}

void Threads::begin(std::uint64_t groups, std::uint64_t share, Job job) {
    Crew& all = crew();
    {
        const std::lock_guard lock(all.mutex);
        all.job = job;
        all.groups = groups;
        all.share = share;
        all.next.store(0, std::memory_order_relaxed);
        all.is_open = true;
        ++all.launches;
    }
    all.begins.notify_all();
}

void Threads::finish() {
    Crew& all = *crew_;
    const auto has_ended = [&] { return all.working == 0; };
    std::unique_lock<std::mutex> lock(all.mutex);
    all.is_open = false;
    lock.unlock();
    wait_awake(has_ended);
    lock.lock();
    all.ends.wait(lock, has_ended);
}

void Threads::share_out(std::uint64_t groups, Job job) {
    // Several shares for each thread, since a core may have other work besides.
    constexpr std::uint64_t shares_of_a_thread = 8;
    if (count_ <= 1 || groups <= 1) return job.run(job.what, 0, groups, 0);
    begin(groups, std::max<std::uint64_t>(groups / (count_ * shares_of_a_thread), 1), job);
    crew_->take_shares(0);
    finish();
}

void Threads::start(std::function<void(unsigned)> run) {
    started_ = std::move(run);
    begin(others(), 1, {&started_, [](const void* what, std::uint64_t, std::uint64_t, unsigned thread) {
                            (*static_cast<const std::function<void(unsigned)>*>(what))(thread);
                        }});
}

Threads::~Threads() {
    if (!crew_) return;
    if (process_ != getpid()) {
        (void)crew_.release();
        return;
    }
    {
        const std::lock_guard lock(crew_->mutex);
        crew_->is_over = true;
        ++crew_->launches;
    }
    crew_->begins.notify_all();
    for (std::thread& thread : crew_->threads) thread.join();
}

}  // namespace lanesort::inline v0_1::detail
