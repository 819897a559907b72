#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

Progress::~Progress() { clear(); }

void Progress::clear() {
    if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

void Progress::operator()(std::size_t done, std::size_t all) {
    constexpr std::chrono::milliseconds patience{500};
    constexpr std::size_t width = 40;
    if (done == all) return clear();
    if (Clock::now() - start_ < patience || !::isatty(STDERR_FILENO)) return;
    shown_ = true;
    const std::string bar(width * done / all, '#');
    fmt::print(stderr, "\r{} [{:<{}}] {:3} %", what_, bar, width, 100 * done / all);
}
