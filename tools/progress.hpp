// SPDX-License-Identifier: MIT
// What standard error shows while the command works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// Counts the seconds from its construction on.
class Stopwatch {
public:
    Stopwatch() noexcept;
    double seconds() const noexcept;

private:
    std::int64_t start_;
};

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

    std::string what_;
    Stopwatch time_;
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
