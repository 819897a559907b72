#include <algorithm>
#include <chrono>
#include <cstring>

#include <lanesort/lanesort.hpp>

#include "peer.hpp"

namespace lanesort::bench {
namespace {

/// Sorts a host copy of the input by any function, on the wall clock.
template <class Sort>
class HostTrial final : public Trial {
public:
    HostTrial(const Input& input, Sort sort) : input_(input), keys_(input.keys), sort_(std::move(sort)) {}

    double run() override {
        keys_ = input_.keys;
        const auto start = std::chrono::steady_clock::now();
        sort_(keys_.data(), input_.count, input_.type);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::vector<std::byte> result() override { return keys_; }

private:
    const Input& input_;
    std::vector<std::byte> keys_;
    Sort sort_;
};

class StdSort final : public Peer {
public:
    std::string name() const override { return "std::sort"; }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        const auto sort = [](void* keys, std::size_t count, KeyType type) {
            with_type(type, [&]<class T>(T*) { std::sort(static_cast<T*>(keys), static_cast<T*>(keys) + count); });
        };
        return std::make_unique<HostTrial<decltype(sort)>>(input, sort);
    }
};

class HostRange final : public Peer {
public:
    explicit HostRange(const Device& device) : sorter_(device) {}
    std::string name() const override {
        return "lanesort, host range, " + sorter_.device().backend + " " + sorter_.device().platform;
    }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        sorter_.prepare(input.type, input.count);
        const auto sort = [this](void* keys, std::size_t count, KeyType type) { sorter_.sort(keys, count, type); };
        return std::make_unique<HostTrial<decltype(sort)>>(input, sort);
    }

private:
    Sorter sorter_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> host_peers() {
    std::vector<std::unique_ptr<Peer>> peers;
    peers.push_back(std::make_unique<StdSort>());
    for (const Device& device : devices()) peers.push_back(std::make_unique<HostRange>(device));
    return peers;
}

}  // namespace lanesort::bench
