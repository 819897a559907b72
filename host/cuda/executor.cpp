#include "executor.hpp"

#include <bit>

#include "../../lib/src/launch.hpp"
#include "checked.hpp"

namespace lanesort::cuda {

StreamExecutor::StreamExecutor(const Program& program, CUstream stream, Arrays arrays)
    : program_(program), stream_(stream), arrays_(arrays) {}

void StreamExecutor::run(const Plan& plan) {
    for (const Pass& pass : plan.passes) enqueue(pass, plan);
}

void StreamExecutor::enqueue(const Pass& pass, const Plan& plan) {
    static_assert(std::endian::native == std::endian::little, "arguments are passed by the low bytes of an integer");
    detail::Launch launch =
        detail::launch_of(pass, plan, program_.parameters(), {arrays_.keys.offset, arrays_.count, arrays_.coding});
    void* arguments[8 + std::size(launch.arguments)] = {&arrays_.keys.memory};
    std::size_t count = 1;
    for (std::size_t i = 0; i < launch.argument_count; ++i) arguments[count++] = &launch.arguments[i].value;
    for (Array* const array : {&arrays_.values, &arrays_.numbers, &arrays_.segments}) {
        if (array->memory == 0) continue;
        arguments[count++] = &array->memory;
        arguments[count++] = &array->offset;
    }
    if (program_.parameters().count_sync) arguments[count++] = &counters;

    program_.launch(launch.kernel, launch.groups, stream_, arguments, launches_ > 0 && !after_enqueue);
    ++launches_;
    if (after_enqueue) after_enqueue(pass);
}

void enqueue_selection(const Program& program, CUstream stream, const detail::Selection& selection, const Arrays& from,
                       const Arrays& left_over, const Arrays& to) {
    Arrays source = from;
    for (const detail::SelectionPass& pass : selection.passes) {
        Arrays target = &pass == &selection.passes.back() ? to : left_over;
        detail::Launch launch =
            detail::launch_of(pass, selection, program.parameters(), {source.keys.offset, pass.count, from.coding});
        void* arguments[8 + std::size(launch.arguments)] = {&source.keys.memory};
        std::size_t count = 1;
        for (std::size_t i = 0; i < launch.argument_count; ++i) arguments[count++] = &launch.arguments[i].value;
        for (Array* const array : {&target.keys, &source.numbers, &target.numbers}) {
            if (array != &target.keys && !program.parameters().stores_numbers()) continue;
            arguments[count++] = &array->memory;
            arguments[count++] = &array->offset;
        }
        program.launch(launch.kernel, launch.groups, stream, arguments, &pass != &selection.passes.front());
        source = target;
    }
}

}  // namespace lanesort::cuda
