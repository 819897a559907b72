// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

#include "opencl_trial.hpp"

namespace lanesort::bench {
namespace {

namespace compute = boost::compute;

class BoostCompute final : public OpenClTrial {
public:
    static std::string refusal(const OpenClDevice&, const Problem& problem) {
        return problem.rows() == 1 ? "" : "sorts one range";
    }
    BoostCompute(const OpenClDevice& device, const Input& input) : OpenClTrial(device, input), buffer_(keys_()) {}

private:
    void enqueue(Cost& cost) override {
        const Problem& problem = input_.problem();
        compute::command_queue on(queue()());
        with_type(problem.type, [&]<class T>(T*) {
            // OpenCL has names of its own for types of 8 bytes.
            using Key = std::conditional_t<std::is_same_v<T, std::uint64_t>, compute::ulong_,
                                           std::conditional_t<std::is_same_v<T, std::int64_t>, compute::long_, T>>;
            compute::sort(compute::buffer_iterator<Key>(buffer_, 0),
                          compute::buffer_iterator<Key>(buffer_, problem.count), on);
        });
        // Its two sorts take a second array, the radix sort some counts more.
        cost = {std::nullopt, std::nullopt, problem.bytes()};
    }

    compute::buffer buffer_;
};

}  // namespace

Candidates boost_compute_peers(const cl::Device& device, const std::shared_ptr<const Memory>& memory) {
    return {opencl_candidate<BoostCompute>("Boost.Compute", device, memory)};
}

}  // namespace lanesort::bench
