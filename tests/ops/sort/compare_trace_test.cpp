// SPDX-License-Identifier: MIT
// Which keys the reference executor compares depends on how many there are, not on what they are.
#include "oracle/reference_network.hpp"

#include <utility>

#include "shapes.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

/// The indices of two keys that were compared: the lower one, and the upper one.
using Trace = std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>;

template <Key T>
Trace trace_of(const Plan& plan, std::vector<T>& keys) {
    Trace trace;
    for (const Pass& pass : plan.passes)
        run_pass(std::span(keys), pass, plan, [&](T& lower, T& upper) {
            trace.emplace_back(&lower - keys.data(), &upper - keys.data());
            if (test::before(upper, lower)) std::swap(lower, upper);
        });
    return trace;
}

TEST_CASE("compared addresses: the same for all keys of one count") {
    constexpr unsigned arrays_of_a_pattern = 3;
    test::Random random(test::seed());
    std::uint64_t plans = 0, compared = 0;
    for (const Shape& shape : test::small_shapes())
        for (const std::size_t count : {2, 3, 64, 100, 513, 2000}) {
            CAPTURE(to_string(shape));
            CAPTURE(count);
            for (const Plan& plan :
                 {make_plan(count, shape), make_plan(count, shape, 5), make_merge_plan(count, count / 3, shape)}) {
                if (plan.passes.empty()) continue;
                Trace first;
                for (const test::Pattern pattern : test::all_patterns)
                    for (unsigned i = 0; i < arrays_of_a_pattern; ++i) {
                        CAPTURE(test::name_of(pattern));
                        auto keys = test::make_keys<float>(pattern, count, random);
                        const Trace trace = trace_of(plan, keys);
                        if (first.empty()) first = trace;
                        REQUIRE(trace == first);
                        compared += trace.size();
                    }
                ++plans;
            }
        }
    MESSAGE(plans, " plans, ", std::size(test::all_patterns) * arrays_of_a_pattern, " arrays each, ", compared,
            " comparisons");
}

}  // namespace
}  // namespace lanesort
