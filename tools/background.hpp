// Work for other threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

/// Threads that run tasks, which begin in the order that they came: one for each core of the machine but one, up to
/// eight, or fewer where no more may be started. They start with the first task. One thread gives all tasks.
class Background {
public:
    Background() = default;
    /// Tasks that have not begun are left out.
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// The future waits for the task, and throws what it threw. Where there are no threads, the task is run at once.
    std::future<void> run(std::function<void()> task);

private:
    void start();
    void serve();

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<std::packaged_task<void()>> tasks_;
    bool has_started_ = false, is_over_ = false;
    std::vector<std::jthread> threads_;
};
