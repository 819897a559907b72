// SPDX-License-Identifier: MIT
#include <hwy/contrib/sort/vqsort.h>

#include "host_trial.hpp"

namespace lanesort::bench {
namespace {

class Vqsort final : public Peer {
public:
    std::string refusal(const Problem& problem) const override {
        if (key_bytes(problem.type) == 1) return "sorts no keys of 1 byte";
        return problem.type == KeyType::f64 && !hwy::Sorter::HaveFloat64() ? "sorts no f64 on this processor" : "";
    }
    std::unique_ptr<Trial> prepare(const Input& input) override {
        const auto sort = [this](void* keys, const Problem& problem) {
            sort_each_row(keys, problem, [this]<class T>(T* row, std::size_t length) {
                if constexpr (sizeof(T) > 1) sorter_(row, length, hwy::SortAscending());
            });
            return Cost{};
        };
        return std::make_unique<HostTrial<decltype(sort)>>(input, sort);
    }

private:
    hwy::Sorter sorter_;
};

}  // namespace

Candidates vqsort_peers(const std::shared_ptr<const Memory>& host) {
    return {{"Highway vqsort, 1 thread", host, false, [] { return std::make_unique<Vqsort>(); }, {}}};
}

}  // namespace lanesort::bench
