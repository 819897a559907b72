// SPDX-License-Identifier: MIT
// A sorter of the built-in device on so many threads, whatever the processor has.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <lanesort/sorter.hpp>

#include "core/sorter_core.hpp"
#include "host/cpu/host.hpp"

namespace lanesort::test {

inline Sorter sorter_on(unsigned threads, std::function<void(std::size_t, std::size_t)> progress = {},
                        std::uint32_t seed = 0) {
    SorterOptions options{.use_tuned = false, .seed = seed, .progress = std::move(progress)};
    auto host = std::make_unique<cpu::Host>(cpu::Processor{cpu::processor().instructions, threads});
    return Sorter(std::make_unique<lanesort::detail::SorterCore>(std::move(host), std::move(options)));
}

}  // namespace lanesort::test
