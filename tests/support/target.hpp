// The devices of every backend behind one interface, and sorts on them between red zones.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lanesort/calls.hpp>
#include <lanesort/lanesort.hpp>

#include "core/backend.hpp"
#include "key_order.hpp"
#include "support.hpp"

namespace lanesort::test {

/// Bytes as a vector, since those of a device come and go whole.
using Bytes = std::vector<std::byte>;

template <Key T>
Bytes bytes_of(const std::vector<T>& keys) {
    const auto bytes = std::as_bytes(std::span(keys));
    return {bytes.begin(), bytes.end()};
}

template <Key T>
std::vector<T> keys_of(const Bytes& bytes) {
    std::vector<T> keys(bytes.size() / sizeof(T));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(keys)).begin());
    return keys;
}

/// Offsets of segments in the same memory, `offset` integers after its start; `bytes` 0: none.
struct Segments {
    std::size_t offset = 0;
    std::size_t count = 0;
    std::size_t longest = 0;
    std::size_t bytes = 0;
};

/// Keys in a device's memory: `count` keys, beginning `offset` keys after its start.
struct Range {
    std::size_t offset = 0;
    std::size_t count = 0;
    KeyKind type = KeyType::u32;
    std::optional<Order> order = {};
    std::size_t row_length = 0;
    Segments segments = {};
    bool stable = false;
    std::size_t first = all_keys;
};

/// Values in the same memory, one for each key, of `bytes` bytes each, `offset` of them after its start.
struct Values {
    std::size_t offset = 0;
    std::size_t bytes = 4;
};

/// Where in the same memory goes what is found of sorted ranges: after so many keys, lengths of so many bytes, and
/// integers of 64 bits. Without bytes: no lengths are wanted.
struct Found {
    std::size_t distinct = 0;
    Values lengths = {0, 0};
    std::size_t integers = 0;
};

/// A sort that was recorded once, to be enqueued many times: an OpenCL command buffer or a CUDA graph.
class Recording {
public:
    virtual ~Recording() = default;

    /// Does not wait.
    virtual SortReport enqueue() = 0;
};

/// A call on arrays that all lie in one memory.
using Call = CallIn<void*>;

/// The same call on a backend's memory.
template <class Memory>
CallIn<Memory> call_in(void* memory, const Call& call) {
    CallIn<Memory> moved{call};
    for (Call::Place* place :
         {&moved.keys, &moved.values, &moved.indices, &moved.segments, &moved.results, &moved.lengths, &moved.answers})
        if (place->memory) place->memory = memory;
    return moved;
}

/// Memory of a device, and a queue or stream of its own that keeps in order what happens to it.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;

    /// Puts so many bytes into it, from its start.
    virtual void write(const Bytes& bytes) = 0;
    /// All of it, after everything that was enqueued.
    virtual Bytes read() = 0;
    /// Does not wait.
    virtual SortReport enqueue(Sorter& sorter, const Call& call) = 0;
    /// Must not outlive the memory and the sorter.
    virtual std::unique_ptr<Recording> record(Sorter& sorter, const Call& call) = 0;

    SortReport enqueue_sort(Sorter& sorter, const Range& range) { return enqueue(sorter, sort(keys(range))); }
    SortReport enqueue_nth_element(Sorter& sorter, const Range& range, std::size_t n) {
        return enqueue(sorter, nth_element(keys(range), n));
    }
    SortReport enqueue_sort_by_key(Sorter& sorter, const Range& range, const Values& belonging) {
        return enqueue(sorter, sort_by_key(keys(range), values(belonging)));
    }
    /// The second range begins at that key. Values of no bytes are none.
    SortReport enqueue_merge(Sorter& sorter, const Range& range, const Values& belonging, std::size_t middle) {
        return enqueue(sorter, belonging.bytes == 0 ? merge(keys(range), middle)
                                                    : merge_by_key(keys(range), values(belonging), middle));
    }
    SortReport enqueue_argsort(Sorter& sorter, const Range& range, const Values& indices) {
        return enqueue(sorter, argsort(keys(range), values(indices)));
    }
    /// The first k keys go after `selected` keys of this memory, their indices to `indices` unless these have no bytes.
    SortReport enqueue_top_k(Sorter& sorter, const Range& range, std::size_t k, std::size_t selected,
                             const Values& indices) {
        return enqueue(sorter, top_k(keys(range), k, SelectedIn<void*>{here, selected, values(indices)}));
    }
    SortReport enqueue_is_sorted(Sorter& sorter, const Range& range, std::size_t integers) {
        return enqueue(sorter, is_sorted(keys(range), IntegersIn<void*>{here, integers}));
    }
    SortReport enqueue_is_sorted_until(Sorter& sorter, const Range& range, std::size_t integers) {
        return enqueue(sorter, is_sorted_until(keys(range), IntegersIn<void*>{here, integers}));
    }
    /// Run lengths, or the distinct keys alone where no lengths are wanted.
    SortReport enqueue_runs(Sorter& sorter, const Range& range, const Found& found) {
        const DistinctIn<void*> distinct{here, found.distinct, {here, found.integers}};
        return enqueue(sorter, found.lengths.bytes == 0 ? unique(keys(range), distinct)
                                                        : run_lengths(keys(range), distinct, values(found.lengths)));
    }
    std::unique_ptr<Recording> record(Sorter& sorter, const Range& range) { return record(sorter, sort(keys(range))); }
    std::unique_ptr<Recording> record_sort_by_key(Sorter& sorter, const Range& range, const Values& belonging) {
        return record(sorter, sort_by_key(keys(range), values(belonging)));
    }

private:
    /// Stands for this memory, whatever its backend knows it by.
    static inline int place_holder = 0;
    static constexpr void* here = &place_holder;

    static ValueRangeIn<void*> values(const Values& of) { return {of.bytes > 0 ? here : nullptr, of.offset, of.bytes}; }
    static KeyRangeIn<void*> keys(const Range& range) {
        KeyRangeIn<void*> keys{here, range.offset, range.count, range.type, range.order, range.row_length};
        const Segments& segments = range.segments;
        if (segments.bytes > 0)
            keys.segments = {here, segments.offset, segments.count, segments.longest, segments.bytes};
        keys.stable = range.stable;
        keys.first = range.first;
        return keys;
    }
};

/// Runs a plan with kernels of these parameters on the keys at that offset in a device's memory of these bytes; gives
/// all of it after each pass.
std::vector<Bytes> states_of(Sorter& sorter, const lanesort::detail::KernelParameters& parameters, const Plan& plan,
                             const Request& request, std::size_t offset, Bytes memory);

/// A sorter on the same device, for which works are made as for another one, with 64-bit indices if they are wanted.
Sorter sorter_as(Sorter& real, const DeviceInfo& other, bool wide_positions = false);

/// A device of one backend, opened, with a sorter for each shape that a case asked for: compiling takes seconds, so
/// cases share them.
class Target {
public:
    explicit Target(DeviceInfo described)
        : info(std::move(described)), name(info.backend + ": " + info.name + " (" + info.platform + ")") {}
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// The sorter of the shape that the library chooses.
    Sorter& sorter() { return shared_sorter({}); }
    Sorter& sorter(const Shape& shape) { return shared_sorter(shape); }
    /// A sorter that no other case has.
    virtual Sorter new_sorter(SorterOptions options = {}) const = 0;
    Sorter new_sorter(const Shape& shape) const;

    virtual std::unique_ptr<DeviceMemory> memory(const Bytes& bytes) const = 0;

    /// The rows of the statistics table that this device can run, in work-groups of at most so many work-items.
    std::vector<Variant> variants(std::size_t key_bytes, unsigned work_items = 256) const;
    bool can_run(const Shape& shape, std::size_t key_bytes) const;

    const DeviceInfo info;
    const std::string name;  ///< with its backend

private:
    Sorter& shared_sorter(const std::optional<Shape>& shape);

    std::list<std::pair<std::optional<Shape>, Sorter>> sorters_;
};

using Targets = std::vector<std::reference_wrapper<Target>>;

/// The devices of all backends, in the order of devices(), each opened once. Without any, counts the case as skipped,
/// or fails it where the environment variable LANESORT_REQUIRE_DEVICE is 1.
Targets targets();

/// Those of one backend, which may be none.
Targets opencl_targets();
Targets cuda_targets();

/// Counts the case as skipped for want of a device of that kind, or fails it as above.
void skip_without(const std::string& kind);

/// main() prints at the end that cases ran on that device in that way, e.g. "CUDA graph".
void note_run(const std::string& way, const DeviceInfo& device);

/// Sorts the keys at that offset between red zones, both enqueued and recorded, and compares all bytes with those of
/// std::sort.
template <Key T>
void check_sort(const Target& target, Sorter& sorter, const std::vector<T>& keys, Order order, std::size_t offset = 0) {
    constexpr std::size_t zone = 67;  // keys behind: more than the widest vector
    CAPTURE(name(key_type_v<T>));
    CAPTURE(keys.size());
    CAPTURE(static_cast<int>(order));
    CAPTURE(offset);
    Random random(seed() + keys.size());
    std::vector<T> unsorted = random_keys<T>(offset + keys.size() + zone, random);
    std::vector<T> expected = unsorted;
    std::ranges::copy(keys, unsorted.begin() + static_cast<std::ptrdiff_t>(offset));
    std::ranges::copy(sorted(keys, order), expected.begin() + static_cast<std::ptrdiff_t>(offset));

    const Bytes before = bytes_of(unsorted);
    const Range range{offset, keys.size(), key_type_v<T>, order};
    const auto memory = target.memory(before);
    {
        INFO("enqueued");
        memory->enqueue_sort(sorter, range);
        require_same_bytes(keys_of<T>(memory->read()), expected);
    }
    INFO("recorded");
    memory->write(before);
    const auto recording = memory->record(sorter, range);
    recording->enqueue();
    require_same_bytes(keys_of<T>(memory->read()), expected);
}

/// A sorter that has seen an error sorts nevertheless.
void check_still_sorts(const Target& target, Sorter& sorter);

}  // namespace lanesort::test
