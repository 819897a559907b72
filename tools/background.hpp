// SPDX-License-Identifier: MIT
// Work for other threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

/// What another thread does. What that uses has to stay until this is gone, which waits for it.
class Task {
public:
    Task() = default;
    explicit Task(std::future<void> end) noexcept : end_(std::move(end)) {}
    Task(Task&&) = default;
    Task& operator=(Task&& other) noexcept {
        std::swap(end_, other.end_);
        return *this;
    }
    ~Task() {
        if (is_under_way()) end_.wait();
    }

    /// There is one, and finish() was not called.
    bool is_under_way() const noexcept { return end_.valid(); }
    /// Waits until it is done, if it is under way, and throws what it threw.
    void finish() {
        if (is_under_way()) end_.get();
    }

private:
    std::future<void> end_;
};

/// Threads that run tasks, which begin in the order that they came: one for each core of the machine but one, up to
/// eight, or fewer where no more may be started. They start with the first task. One thread gives all tasks.
class Background {
public:
    Background() = default;
    /// Tasks that have not begun are left out.
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Where there are no threads, the task is run at once.
    Task run(std::function<void()> task);

private:
    void start();
    void serve();

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<std::packaged_task<void()>> tasks_;
    bool has_started_ = false, is_over_ = false;
    std::vector<std::jthread> threads_;
};
