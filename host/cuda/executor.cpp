#include "executor.hpp"

#include <bit>
#include <span>

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
    for (const detail::SelectionPass& pass : selection.passes) {
        const bool last = &pass == &selection.passes.back();
        const std::uint64_t place = last ? 0 : pass.left_place;
        Array source = pass.reads_keys ? from.keys : left_over.keys;
        const Arrays& target = last ? to : left_over;
        const detail::KeyArray keys{pass.reads_keys ? source.offset : pass.read_place, pass.count, from.coding};
        detail::Launch launch = detail::launch_of(pass, selection, program.parameters(), keys);
        Array others[] = {{target.keys.memory, target.keys.offset + place},
                          {left_over.numbers.memory, pass.read_place},
                          {target.numbers.memory, target.numbers.offset + place}};
        void* arguments[8 + std::size(launch.arguments)] = {&source.memory};
        std::size_t count = 1;
        for (std::size_t i = 0; i < launch.argument_count; ++i) arguments[count++] = &launch.arguments[i].value;
        for (Array& array : std::span(others).first(program.parameters().stores_numbers() ? 3 : 1)) {
            arguments[count++] = &array.memory;
            arguments[count++] = &array.offset;
        }
        program.launch(launch.kernel, launch.groups, stream, arguments, &pass != &selection.passes.front());
    }
}

}  // namespace lanesort::cuda
