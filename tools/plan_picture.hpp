// SPDX-License-Identifier: MIT
// A plan as a picture.
#pragma once

#include <string>

#include <lanesort/plan.hpp>

/// The most keys of which the network is drawn, with every wire.
inline constexpr std::uint64_t most_drawn_keys = 64;

/// The plan as SVG: which pass runs which phases and strides, where the CPU synchronises and where the work-items of a
/// group hand keys over. For few keys there is the network, too. The same plan gives the same bytes; there are fewer
/// than 3000 cells however many keys there are.
std::string plan_picture(const lanesort::Plan& plan);
