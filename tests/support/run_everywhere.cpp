// SPDX-License-Identifier: MIT
#include "run_everywhere.hpp"

#include "core/sorter_core.hpp"
#include "ops/scan/scan_schedule.hpp"

namespace lanesort::test {

std::vector<ArrayOfCall> arrays_of(const Request& request) {
    return {{&Contents::keys, &Call::keys, "key", request.key.bytes()},
            {&Contents::values, &Call::values, "value", request.value_bytes},
            {&Contents::second_keys, &Call::second_keys, "key of the second range", request.key.bytes()},
            {&Contents::second_values, &Call::second_values, "value of the second range", request.value_bytes},
            {&Contents::indices, &Call::indices, "index", request.index_bytes},
            {&Contents::segments, &Call::segments, "offset", request.offset_bytes},
            {&Contents::results, &Call::results, "result", request.result_bytes()},
            {&Contents::result_values, &Call::result_values, "result's value",
             request.operation == Operation::reduce_by_key || request.operation == Operation::group_by
                 ? request.reduced_bytes()
                 : request.value_bytes},
            {&Contents::lengths, &Call::lengths, "length", request.length_bytes},
            {&Contents::answers, &Call::answers, "answer", 8},
            {&Contents::limit, &Call::limit, "limit", 8},
            {&Contents::flags, &Call::flags, "flag", 1},
            {&Contents::parameter, &Call::parameter, "parameter",
             request.key.predicate() ? request.key.predicate()->parameter_bytes : 0}};
}

Layout::Layout(const Problem& problem, std::size_t offset) : settle_(problem.settle) {
    const Request& request = problem.request;
    call_.request = request;
    std::size_t end = 0;
    for (const auto& [array, place, element, width] : arrays_of(request)) {
        const std::size_t size = (problem.before.*array).size();
        if (size == 0 && place != &Call::keys) continue;
        // More elements than the widest vector has.
        const std::size_t first = place == &Call::keys ? offset : (end + width - 1) / width + 67;
        call_.*place = {here, first};
        parts_.push_back({array, element, first * width, width});
        end = first * width + size;
    }
    before_ = other_bytes(end + 67 * request.key.bytes());
    after_ = before_;
    put(before_, problem.before);
    Contents after = problem.after;
    if (settle_) settle_(after);
    put(after_, after);
    sizes_ = std::move(after);
}

void Layout::put(Bytes& memory, const Contents& contents) const {
    for (const Part& part : parts_)
        std::ranges::copy(contents.*part.array, memory.begin() + static_cast<std::ptrdiff_t>(part.begin));
}

void Layout::expect(const Bytes& found) {
    settle_ = nullptr;
    after_ = found;
}

void Layout::check(const Bytes& found) const {
    REQUIRE(found.size() == after_.size());
    Bytes settled = found;
    if (settle_) {
        Contents contents = sizes_;
        for (const Part& part : parts_) {
            const auto first = found.begin() + static_cast<std::ptrdiff_t>(part.begin);
            std::copy(first, first + std::ssize(contents.*part.array), (contents.*part.array).begin());
        }
        settle_(contents);
        put(settled, contents);
    }
    if (settled == after_) return;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(settled, after_).in1 - settled.begin());
    for (const auto& [array, name, begin, width] : parts_)
        if (begin <= at && at < begin + (sizes_.*array).size())
            FAIL("byte ", (at - begin) % width, " of ", std::string(name), " ", (at - begin) / width, " is ",
                 std::to_integer<int>(settled[at]), " instead of ", std::to_integer<int>(after_[at]));
    FAIL("byte ", at, " of the memory, which is in none of the arrays, was touched");
}

namespace {

/// What a failed check tells of the call.
std::string text_of(const Request& request, std::size_t offset) {
    std::string text = name(request.operation);
    const auto add = [&](const std::string& what, std::uint64_t number) {
        if (number > 0) text += ", " + what + std::to_string(number);
    };
    add("keys of " + request.key.name() + ": ", request.count);
    add("keys in front: ", offset);
    if (request.order == Order::descending) text += ", descending";
    if (request.stable) text += ", stable";
    if (request.in_place) text += ", in place";
    if (request.inverted) text += ", inverted";
    if (request.apart) text += ", apart";
    if (request.limited) text += ", limited";
    if (request.nan_last) text += ", NaN last";
    add("rows of ", request.row_length);
    add("segments: ", request.segments);
    add("second range at ", request.middle);
    if (request.first != all_keys) add("first ", request.first);
    add("bytes of a value: ", request.value_bytes);
    add("bytes of an index: ", request.index_bytes);
    add("bytes of a length: ", request.length_bytes);
    if (request.reduction != Reduction::sum) add("reduction ", static_cast<std::uint64_t>(request.reduction));
    add("in the second range: ", request.second_count);
    add("bins: ", request.bins);
    if (request.bounded) text += ", bounded";
    return text;
}

SortReport run_on_host(Sorter& sorter, const Call& call, Layout& layout) {
    INFO("on host memory");
    Bytes memory = layout.before();
    const SortReport report = sorter.run(call_in<void*>(memory.data(), call));
    layout.check(memory);
    // The same shape leaves the same bytes, also behind the first keys.
    if (call.request.operation == Operation::sort) layout.expect(memory);
    return report;
}

}  // namespace

SortReport run_on_host(Sorter& sorter, const Problem& problem, std::size_t offset) {
    INFO(text_of(problem.request, offset));
    Layout layout(problem, offset);
    return run_on_host(sorter, layout.call(), layout);
}

void run_with_tries(Sorter& sorter, const Problem& problem, std::uint32_t tries) {
    namespace inside = lanesort::detail;
    INFO(text_of(problem.request, 3));
    CAPTURE(tries);
    Layout layout(problem);
    Request request = problem.request;
    request.in_host_memory = true;
    inside::Work work = *sorter.core().planner().plan(request);
    auto& arguments = std::get<inside::Launch>(work.commands.back()).arguments;
    const auto is_tries = [](const inside::Argument& argument) {
        return argument.bytes == 4 && !argument.is_count && argument.value == inside::ScanSchedule::usual_tries;
    };
    // So no other argument may be that number, such as the number of blocks.
    REQUIRE(std::ranges::count_if(arguments, is_tries) == 1);
    std::ranges::find_if(arguments, is_tries)->value = tries;
    Bytes memory = layout.before();
    inside::Bindings bindings = inside::bindings_of(call_in<void*>(memory.data(), layout.call()));
    for (std::size_t slot = 0; slot < inside::slots; ++slot)
        if (auto& [array, offset] = bindings[slot]; array)
            array = static_cast<std::byte*>(array) + std::exchange(offset, 0) * work.arrays[slot].bytes;
    sorter.core().backend().run_on_host_memory(work, bindings, nullptr);
    layout.check(memory);
}

SortReport run_everywhere(const Target& target, Sorter& sorter, const Problem& problem, std::size_t offset) {
    CAPTURE(target.name);
    INFO(text_of(problem.request, offset));
    Layout layout(problem, offset);
    const Call& call = layout.call();
    run_on_host(sorter, call, layout);
    const auto memory = target.memory(layout.before());
    SortReport report;
    {
        INFO("enqueued");
        report = memory->enqueue(sorter, call);
        layout.check(memory->read());
    }
    INFO("recorded");
    const auto recording = memory->record(sorter, call);
    for (int replay = 0; replay < 2; ++replay) {
        memory->write(layout.before());
        recording->enqueue();
        layout.check(memory->read());
    }
    return report;
}

void check_still_sorts(const Target& target, Sorter& sorter) {
    Random random(seed());
    check_sort(target, sorter, random_keys<std::uint32_t>(3001, random), Order::ascending, 1);
}

}  // namespace lanesort::test
