// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "files.hpp"

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Stopwatch::Stopwatch() noexcept : start_(Clock::now().time_since_epoch().count()) {}

double Stopwatch::seconds() const noexcept {
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(start_)).count();
}

Progress::~Progress() { clear(); }

void Progress::clear() {
    if (std::exchange(shown_, false)) tell("\r\033[K");
}

void Progress::operator()(std::size_t done, std::size_t all) {
    constexpr double patience = 0.5;
    constexpr std::size_t width = 40;
    if (done == all) return clear();
    if (time_.seconds() < patience || !::isatty(STDERR_FILENO)) return;
    shown_ = true;
    const std::string bar(width * done / all, '#');
    tell(fmt::format("\r{} [{:<{}}] {:3} %", what_, bar, width, 100 * done / all));
}

CompilingNotice::CompilingNotice() {
    if (::isatty(STDERR_FILENO)) tell("compiling (once per machine and kind of key)");
}

CompilingNotice::~CompilingNotice() {
    if (::isatty(STDERR_FILENO)) tell("\r\033[K");
}
