// What standard error shows while the command works.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

/// Shows itself only on a terminal and only when the work takes long, and is gone when all is done.
class Progress {
public:
    explicit Progress(std::string what) : what_(std::move(what)) {}
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void operator()(std::size_t done, std::size_t all);

private:
    void clear();

    using Clock = std::chrono::steady_clock;
    std::string what_;
    Clock::time_point start_ = Clock::now();
    bool shown_ = false;
};

/// Says on standard error that kernels are compiled, on a terminal only, until it is gone or a progress bar covers it.
class CompilingNotice {
public:
    CompilingNotice();
    ~CompilingNotice();
    CompilingNotice(const CompilingNotice&) = delete;
    CompilingNotice& operator=(const CompilingNotice&) = delete;
};
