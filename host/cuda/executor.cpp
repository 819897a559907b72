#include "executor.hpp"

#include <bit>

#include "../../lib/src/launch.hpp"
#include "checked.hpp"

namespace lanesort::cuda {

StreamExecutor::StreamExecutor(const Program& program, CUstream stream, Keys keys)
    : program_(program), stream_(stream), keys_(keys) {}

void StreamExecutor::run(const Plan& plan) {
    for (const Pass& pass : plan.passes) enqueue(pass, plan);
}

void StreamExecutor::enqueue(const Pass& pass, const Plan& plan) {
    static_assert(std::endian::native == std::endian::little, "arguments are passed by the low bytes of an integer");
    detail::Launch launch = detail::launch_of(pass, plan, program_.parameters(), keys_.coding, keys_.offset);
    void* arguments[4 + std::size(launch.arguments)] = {&keys_.memory};
    std::size_t count = 1;
    for (std::size_t i = 0; i < launch.argument_count; ++i) arguments[count++] = &launch.arguments[i].value;
    if (program_.parameters().value_bytes > 0) {
        arguments[count++] = &keys_.values;
        arguments[count++] = &keys_.values_offset;
    }
    if (program_.parameters().count_sync) arguments[count++] = &counters;

    LANESORT_CU(cuLaunchKernel, program_.kernel(launch.kernel), static_cast<unsigned>(launch.groups), 1, 1,
                program_.parameters().work_items(), 1, 1, program_.local_bytes(), stream_, arguments, nullptr);
    ++launches_;
    if (after_enqueue) after_enqueue(pass);
}

}  // namespace lanesort::cuda
