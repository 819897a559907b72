// SPDX-License-Identifier: MIT
#include "background.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

void Background::start() {
    constexpr unsigned most = 8;  // since one thread alone takes what they make
    const unsigned count = std::clamp(std::thread::hardware_concurrency(), 2u, most + 1) - 1;
    try {
        for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
        // Where no more threads may be started, those that there are do the work, or the caller.
    }
}

Background::~Background() {
    {
        const std::lock_guard lock(lock_);
        is_over_ = true;
    }
    changed_.notify_all();
}

Task Background::run(std::function<void()> task) {
    std::packaged_task<void()> packed(std::move(task));
    Task result(packed.get_future());
    if (!std::exchange(has_started_, true)) start();
    if (threads_.empty()) {
        packed();
        return result;
    }
    {
        const std::lock_guard lock(lock_);
        tasks_.push_back(std::move(packed));
    }
    changed_.notify_one();
    return result;
}

void Background::serve() {
    for (;;) {
        std::unique_lock lock(lock_);
        changed_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
        if (is_over_) return;
        std::packaged_task<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
    }
}
