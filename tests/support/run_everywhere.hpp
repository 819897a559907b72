// SPDX-License-Identifier: MIT
// The one checker of device suites: runs a call in every form on one device, and compares all bytes.
#pragma once

#include "problem.hpp"
#include "target.hpp"

namespace lanesort::test {

/// Each array that a call may have: what it holds, where it lies, and bytes of an element.
struct ArrayOfCall {
    Bytes Contents::*contents;
    Call::Place Call::*place;
    const char* element;
    std::size_t width;
};
std::vector<ArrayOfCall> arrays_of(const Request& request);

/// The arrays of a problem in one memory, each between other bytes, the first `offset` keys after its start.
class Layout {
public:
    explicit Layout(const Problem& problem, std::size_t offset = 3);

    const Call& call() const { return call_; }
    const Bytes& before() const { return before_; }
    /// Fails, naming the first element that is wrong, unless these are all bytes of the memory after the call.
    void check(const Bytes& found) const;
    /// From now on the memory must be the same as this after every call.
    void expect(const Bytes& found);

private:
    struct Part {
        Bytes Contents::*array;
        const char* name;
        std::size_t begin, width;
    };

    void put(Bytes& memory, const Contents& contents) const;

    Call call_;
    std::vector<Part> parts_;
    Bytes before_, after_;
    Contents sizes_;
    std::function<void(Contents&)> settle_;
};

/// Runs the call on host memory, enqueued on a queue or stream, and recorded and replayed twice, between red zones, and
/// checks what it left. Gives the report of the enqueued call.
SortReport run_everywhere(const Target& target, Sorter& sorter, const Problem& problem, std::size_t offset = 3);

/// The same on host memory alone, for sorters that no queue takes (sorter_as).
SortReport run_on_host(Sorter& sorter, const Problem& problem, std::size_t offset = 3);

/// The same by work-groups that look so often at what others publish, before they combine it by themselves.
void run_with_tries(Sorter& sorter, const Problem& problem, std::uint32_t tries);

/// A sort of numbers.
template <Key T>
void check_sort(const Target& target, Sorter& sorter, const std::vector<T>& keys, Order order, std::size_t offset = 0) {
    run_everywhere(target, sorter, problem_of({.order = order}, keys), offset);
}

/// A sorter that has seen an error sorts nevertheless.
void check_still_sorts(const Target& target, Sorter& sorter);

}  // namespace lanesort::test
