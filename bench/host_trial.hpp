// SPDX-License-Identifier: MIT
// Sorts of host memory, on the wall clock.
#pragma once

#include <algorithm>
#include <utility>

#include "peer.hpp"

namespace lanesort::bench {

/// Sorts a copy of the input with `sort(keys, problem)`, which gives a Cost.
template <class Sort>
class HostTrial final : public Trial {
public:
    HostTrial(const Input& input, Sort sort)
        : input_(input), keys_(input.keys().begin(), input.keys().end()), sort_(std::move(sort)) {}

    double wall_seconds(std::size_t turn) override {
        const Problem& problem = input_.problem();
        const auto turned = static_cast<std::ptrdiff_t>(turn * key_bytes(problem.type));
        std::ranges::rotate_copy(input_.keys(), input_.keys().begin() + turned, keys_.begin());
        const auto start = std::chrono::steady_clock::now();
        cost_ = sort_(keys_.data(), problem);
        return seconds_since(start);
    }
    std::optional<double> device_seconds(std::size_t) override { return std::nullopt; }
    std::span<const std::byte> result() override { return keys_; }
    Cost cost() const override { return cost_; }

private:
    const Input& input_;
    std::vector<std::byte> keys_;
    Sort sort_;
    Cost cost_;
};

/// Calls `sort(row, length)` for one row after the other.
template <class Sort>
void sort_each_row(void* keys, const Problem& problem, Sort sort) {
    with_type(problem.type, [&]<class T>(T*) {
        auto* const first = static_cast<T*>(keys);
        for (std::size_t row = 0; row < problem.rows(); ++row) sort(first + row * problem.row, problem.row);
    });
}

/// A peer that is one function of the host: `sort(first, last)` for pointers to any key, called for each row.
template <class Sort>
class HostPeer final : public Peer {
public:
    explicit HostPeer(Sort sort) : sort_(std::move(sort)) {}
    std::unique_ptr<Trial> prepare(const Input& input) override {
        const auto sort = [this](void* keys, const Problem& problem) {
            sort_each_row(keys, problem, [this](auto* row, std::size_t length) { sort_(row, row + length); });
            return Cost{};
        };
        return std::make_unique<HostTrial<decltype(sort)>>(input, sort);
    }

private:
    Sort sort_;
};

template <class Sort>
Candidate host_candidate(std::string name, std::shared_ptr<const Memory> host, Sort sort) {
    return {std::move(name), std::move(host), false, [sort] { return std::make_unique<HostPeer<Sort>>(sort); }, {}};
}

}  // namespace lanesort::bench
