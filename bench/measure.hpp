// SPDX-License-Identifier: MIT
// How a peer is measured.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "peer.hpp"

namespace lanesort::bench {

/// A median between the quartiles of some figures.
struct Spread {
    double first_quartile, median, third_quartile;
};

/// Throws std::invalid_argument for no figures.
Spread spread_of(std::vector<double> figures);

struct Effort {
    std::size_t repetitions = 15;
    double seconds = 5;  ///< after which repetitions end, but not before there are 5
};

struct Measurement {
    std::size_t repetitions;
    Spread wall;                   ///< seconds
    std::optional<Spread> device;  ///< seconds; where the keys are on a device
    Cost cost;
};

/// A sort that gave a wrong result; what() says what was wrong.
class WrongResult : public std::runtime_error {
    using runtime_error::runtime_error;
};

/// Sorts once to warm up, then again and again, each time from fresh keys; every result is checked before its time
/// counts. Throws WrongResult, or what the peer throws.
Measurement measure(Peer& peer, const Input& input, const Effort& effort);

/// Wall seconds to open the peer, have it compiled and sort once, the transfer to the device included.
double cold_start(const Candidate& candidate, const Input& input);

}  // namespace lanesort::bench
