// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <cmath>

namespace lanesort::bench {
namespace {

void check(const Input& input, Trial& trial) {
    if (const std::string fault = input.fault(trial.result()); !fault.empty())
        throw WrongResult("the result is wrong: " + fault);
}

}  // namespace

Spread spread_of(std::vector<double> figures) {
    if (figures.empty()) throw std::invalid_argument("no figures have no spread");
    std::ranges::sort(figures);
    const auto quantile = [&](double part) {
        const double place = part * static_cast<double>(figures.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, figures.size() - 1);
        return std::lerp(figures[below], figures[above], place - static_cast<double>(below));
    };
    return {quantile(0.25), quantile(0.5), quantile(0.75)};
}

Measurement measure(Peer& peer, const Input& input, const Effort& effort) {
    constexpr std::size_t fewest = 5;
    const std::unique_ptr<Trial> trial = peer.prepare(input);
    trial->wall_seconds(0);
    check(input, *trial);
    std::vector<double> wall, device;
    const auto start = std::chrono::steady_clock::now();
    while (wall.size() < effort.repetitions && (wall.size() < fewest || seconds_since(start) < effort.seconds)) {
        const std::size_t turn = input.turn(wall.size());
        wall.push_back(trial->wall_seconds(turn));
        check(input, *trial);
        if (const std::optional<double> seconds = trial->device_seconds(turn)) {
            check(input, *trial);
            device.push_back(*seconds);
        }
    }
    Measurement measurement{wall.size(), spread_of(wall), std::nullopt, trial->cost()};
    if (!device.empty()) measurement.device = spread_of(device);
    return measurement;
}

double cold_start(const Candidate& candidate, const Input& input) {
    const auto start = std::chrono::steady_clock::now();
    const std::unique_ptr<Peer> peer = candidate.open();
    const std::unique_ptr<Trial> trial = peer->prepare(input);
    trial->wall_seconds(0);
    const double seconds = seconds_since(start);
    check(input, *trial);
    return seconds;
}

}  // namespace lanesort::bench
