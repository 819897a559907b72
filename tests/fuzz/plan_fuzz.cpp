// SPDX-License-Identifier: MIT
// Plans of any shape for sorts, first keys and merges, by the reference executor, against std::sort.
#include <algorithm>
#include <vector>

#include <lanesort/error.hpp>

#include "input.hpp"
#include "tests/support/oracle/reference_executor.hpp"

namespace {

using Keys = std::vector<std::uint16_t>;

lanesort::Shape shape_from(Choices& choices) {
    lanesort::Shape shape;
    shape.lanes = 1u << choices.below(5);
    shape.vectors = 1u << choices.below(5);
    shape.work_items = 1u << choices.below(5);
    shape.register_vectors = 1u << choices.below(6);
    shape.steps_per_pass = choices.below(10);
    const unsigned switches = choices.below(16);
    shape.local_sync = switches & 1;
    shape.remap = switches & 2;
    shape.coalesced_store = switches & 4;
    shape.columns = switches & 8;
    if (shape.columns) shape.most_columns = (1u << choices.below(5)) & ~1u;
    return shape;
}

Keys sorted(Keys keys, std::size_t from, std::size_t to) {
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(from), keys.begin() + static_cast<std::ptrdiff_t>(to));
    return keys;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    const lanesort::Shape shape = shape_from(choices);
    const unsigned count = choices.below(700), operation = choices.below(3), part = choices.below(count + 1);
    Keys keys(count);
    std::uint32_t state = choices.below(65536);
    for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>((state = state * 1664525 + 1013904223) >> 16);
    std::size_t i = 0;
    for (const std::uint8_t byte : choices.rest())
        if (i < keys.size()) keys[i++] = byte;
    if (operation == 2) keys = sorted(sorted(keys, 0, part), part, count);
    const Keys expected = sorted(keys, 0, count);
    try {
        const lanesort::Plan plan = operation == 0   ? make_plan(count, shape)
                                    : operation == 1 ? make_plan(count, shape, part)
                                                     : make_merge_plan(count, part, shape);
        lanesort::ReferenceExecutor(keys.data(), sizeof keys[0], {}).run(plan);
    } catch (const lanesort::Error& error) {
        require(error.code() == lanesort::ErrorCode::invalid_argument);  // there is no such shape
        return 0;
    }
    const std::size_t in_place = operation == 1 ? part : count;
    require(std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(in_place), keys.begin()));
    require(sorted(keys, 0, count) == expected);
    return 0;
}
