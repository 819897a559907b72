/// @file
/// Sorting a range in host memory. For keys that are on the device already, see opencl.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <lanesort/calls.hpp>
#include <lanesort/comparator.hpp>
#include <lanesort/device.hpp>
#include <lanesort/keys.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/report.hpp>
#include <lanesort/statistics.hpp>

namespace lanesort {

namespace detail {
class SorterCore;
}

/// A sorter takes the shape of a sort from the first of these that has one: `shape`; `shape_file`, or else the file of
/// `lanesort tune`; choose_shape. Files are read once, when the sorter is made.
struct SorterOptions {
    /// The shape for all keys. Must fit the device.
    std::optional<Shape> shape = {};
    /// A file of shapes (tuning.hpp), instead of that of `lanesort tune`. All of them must fit the device.
    std::filesystem::path shape_file = {};
    /// Use what `lanesort tune` stored for this device (find_tuned). LANESORT_TUNED=0 in the environment forbids it to
    /// all sorters.
    bool use_tuned = true;
    /// Called by host-range sorts in the calling thread after each pass, with the passes done and all passes.
    std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// How the keys of a call are arranged and what order they get.
struct SortOptions {
    Order order = Order::ascending;  ///< of numbers; records have the comparator's
    /// Keys of a row: the keys are rows of so many, one after the other, each sorted by itself, all of them by the
    /// launches of one row; indices count from the row's first key. 0: no rows.
    std::size_t row_length = 0;
    /// Where segments begin, and where the last one ends, in ascending order, in keys: each is sorted by itself, all of
    /// them by the launches of the longest. Keys outside of them stay; indices count from the segment's first key.
    /// Empty: none.
    std::span<const std::uint64_t> segments = {};
    /// Records that the comparator calls equal, or pairs of equal keys, keep their order. Costs an index for each
    /// element: 4 bytes of device memory, 8 from 2^32 elements on, and the time to move it. Numbers that are equal are
    /// so in every bit, so without values nothing is to be kept.
    bool stable = false;
    /// Keys that are to be in their places: the first so many of the order, in order, of the range or of each row or
    /// segment. Behind them are the others in an order that depends on the shape. Few enough for half a tile of the
    /// shape (thousands), they take a fraction of the passes of a sort; more take a sort.
    std::size_t first = all_keys;
};

/// Which keys are selected. Unlike a sort, a selection descends unless told otherwise: the largest come first.
struct TopKOptions {
    Order order = Order::descending;  ///< of numbers; records have the comparator's
    std::size_t row_length = 0;       ///< keys of a row, as SortOptions says; 0: no rows
};

/// Sorts on one device, in place: no second array, the same bytes on every device (but behind SortOptions::first), a
/// schedule that depends on the count and the shape only.
///
/// Owns its programs; a program is compiled by the first sort that needs it, or by prepare(). One sorter serves one
/// thread at a time; different sorters are independent. After an error the sorter can be used again.
///
/// Every call throws Error(invalid_argument) for a null pointer to an array that has elements, for two arrays with
/// bytes in common unless both are only read, and for a type or an order that is none; then nothing has been changed.
class Sorter {
public:
    /// Opens the device. Throws Error(device_failed) if it cannot be opened, Error(invalid_argument) for an impossible
    /// shape or a shape file that read_shape_file refuses, and Error(unsupported) for a shape that the device cannot
    /// run with keys of any width.
    explicit Sorter(const Device& device, SorterOptions options = {});
    /// For the library's own backends; opencl::make_sorter and cuda::make_sorter give such sorters.
    explicit Sorter(std::unique_ptr<detail::SorterCore> core) noexcept;
    /// A sorter that was moved from may only be assigned to or destroyed.
    Sorter(Sorter&&) noexcept;
    /// As the move constructor says.
    Sorter& operator=(Sorter&&) noexcept;
    ~Sorter();

    // The calls on host memory. They block until all is done. `keys` is any contiguous range of numbers, a range of
    // records with their comparator ({records, by_score}), or a pointer with a count and a type (keys.hpp).
    //
    // Memory: one that works in host memory (DeviceInfo::host_unified_memory) takes none for the caller's arrays; any
    // other device takes memory for a copy of each. What a call takes besides, it says.
    //
    // Errors, of all of them: Error(invalid_argument) for what the call cannot do, null pointers, and arrays that
    // overlap; Error(out_of_range) for segments that reach beyond the keys; Error(too_large) above the device's
    // allocation limit; Error(unsupported) for a shape that the device cannot run; Error(out_of_memory) and
    // Error(build_failed): all with the arrays as they were. After Error(device_failed), or what `progress` throws, in
    // the middle of a call, what it writes is unspecified in host_unified_memory, else as it was.

    /// Sorts the keys in place.
    ///
    /// Order: that of the options; equal keys are equal in every bit. Records that compare equal are ordered by their
    /// bytes, or keep their order where the sort is stable.
    /// Memory: stable sorts of records take an index for each: 4 bytes, 8 from 2^32 of them on.
    /// Cost: one phase of the network for each doubling of the keys, cut into passes that each read and write all keys.
    SortReport sort(Keys keys, const SortOptions& options = {});

    /// Brings the `first` first keys of the order to the front, in order, as std::partial_sort; the others follow in
    /// some order, which depends on the shape. All keys are sorted where there are no more. The same as sort() with
    /// `options.first`, which serves pairs, indices and segments too.
    SortReport partial_sort(Keys keys, std::size_t first, SortOptions options = {});

    /// Brings key n of the order, counted from 0, to its place, those before it in front of it and the others behind
    /// it, as std::nth_element: the first n are in order, too. Of rows and segments, key n of each that has one. Does
    /// nothing where n is the number of keys.
    /// Cost: that of a sort unless n is less than half a tile.
    /// Errors: Error(invalid_argument) where n is larger than the number of keys.
    SortReport nth_element(Keys keys, std::size_t n, const SortOptions& options = {});

    /// Sorts keys together with the values that belong to them: values[i] goes where keys[i] goes.
    ///
    /// Order: as sort(). Unless the sort is stable, pairs of equal keys come in the order of their values' bits, taken
    /// as unsigned little-endian integers, whatever the order of the keys: the same bytes on every device.
    /// Memory: stable sorts take an index for each pair, as sort() does.
    /// Errors: Error(invalid_argument) also for another number of values.
    SortReport sort_by_key(Keys keys, Values values, const SortOptions& options = {});

    /// Merges two sorted ranges that lie side by side, the first keys[0] .. keys[middle - 1], in place, as
    /// std::inplace_merge.
    ///
    /// Order: both must be in the order that the options ask for. Equal keys of the first range need not come first
    /// unless the merge is stable.
    /// Memory: as sort().
    /// Cost: one phase of the network.
    /// Errors: Error(out_of_range) for a middle behind the end, Error(invalid_argument) for rows, segments and
    /// `options.first`.
    SortReport merge(Keys keys, std::size_t middle, const SortOptions& options = {});

    /// The same for keys together with the values that belong to them, as sort_by_key().
    SortReport merge_by_key(Keys keys, Values values, std::size_t middle, const SortOptions& options = {});

    /// Writes the indices, from 0, that would sort the keys, which stay as they are: keys[indices[0]] is the first.
    ///
    /// Order: stable; equal keys keep their order, also when descending. Indices of keys that are in no segment are
    /// unspecified.
    /// Memory: a copy of the keys, also on a device that works in host memory.
    /// Errors: Error(invalid_argument) also for another number of indices, Error(too_large) for 2^32 keys or more, in
    /// one row or segment, with indices of 4 bytes.
    SortReport argsort(ConstKeys keys, Indices indices, const SortOptions& options = {});

    /// Writes the first best.size() keys of a stable sort, in order, to `best`: the largest ones, or the smallest if
    /// the options ask for an ascending order. With a row length, those of each row, one after the other. The keys stay
    /// as they are.
    ///
    /// Order: deterministic; of equal keys, those with the lowest indices.
    /// Memory: what launches leave for each other: fewer elements, with indices, than there are keys, of many keys far
    /// fewer. More keys than a quarter of a work-group's tile in local memory (up to 1024 of 4 bytes on a graphics
    /// card), or than 32 of a processor's vectors (256 keys of 4 bytes with AVX2), are found by a sort, which takes a
    /// copy of the keys and their indices.
    /// Cost: keys that are many times best.size() are read once, for the first one of each chunk of them: after Gaihre
    /// et al., "Dr. Top-k: Delegate-Centric Top-k on GPUs", SC 2021.
    /// Errors: Error(invalid_argument) for more keys than there are, and for segments.
    SortReport top_k(ConstKeys keys, Results best, const TopKOptions& options = {});
    /// The same with the indices of these keys, from 0 in each row.
    SortReport top_k(ConstKeys keys, Results best, Indices indices, const TopKOptions& options = {});

    /// How many keys from the first on are in order, as std::is_sorted_until: all of them, if that is the number of
    /// keys. They stay as they are.
    ///
    /// Memory: 8 bytes for each result and each block of keys, of which there are at most 16 a compute unit.
    /// Cost: reads all keys in any case.
    /// Errors: Error(invalid_argument) for rows and segments.
    std::size_t is_sorted_until(ConstKeys keys, const SortOptions& options = {});
    /// The same for each row: one number a row, in `in_order`.
    void is_sorted_until(ConstKeys keys, std::span<std::uint64_t> in_order, const SortOptions& options);
    /// Whether the keys are in order, or those of every row; otherwise as is_sorted_until().
    bool is_sorted(ConstKeys keys, const SortOptions& options = {});

    /// Writes the distinct keys of a sorted range, in order, to the beginning of `distinct`, and returns how many they
    /// are. The keys stay as they are.
    ///
    /// Order: numbers are equal if all of their bits are, records if neither comes before the other; the first one of
    /// equal records is kept. Of keys that are not sorted, the first of each run of equal neighbours is kept, as
    /// std::unique does. No more than what is returned is written. How much that is depends on the keys, and so do,
    /// unlike a sort's, the addresses.
    /// Memory: 16 bytes for each block of keys, of which there are at most 16 a compute unit.
    /// Cost: reads the keys twice.
    /// Errors: Error(invalid_argument) for rows and segments, and for results that have no room for all keys.
    std::size_t unique(ConstKeys keys, Results distinct, const SortOptions& options = {});

    /// The same with how often each of these keys comes, in `lengths`, which must have room for as many.
    /// Errors: Error(too_large) for 2^32 keys or more with lengths of 4 bytes.
    std::size_t run_lengths(ConstKeys keys, Results distinct, Indices lengths, const SortOptions& options = {});

    /// Any of these as data (calls.hpp): the places are pointers to host memory, and the offsets of segments are read
    /// here, so that the longest need not be said.
    SortReport run(CallIn<void*> call);

    /// What the latest call that succeeded did, on host memory, a queue or a stream.
    const SortReport& last_report() const noexcept;

    /// Compiles now what a sort of `count` keys of that type needs (0: many, but fewer than 2^31), so that no such sort
    /// compiles later. Small, large and very large counts may need different kernels. Throws as sort() does.
    void prepare(const KeyKind& type, std::uint64_t count = 0, std::uint64_t row_length = 0);
    /// The same for any call. Throws as the call itself would. A call on host memory and one on the device's memory use
    /// the same kernels, so where the arrays are need not be said, nor the middle of a merge, nor how many segments.
    void prepare(Request request);

    /// Frees the programs that the sorter compiled so far, up to 8 MiB of memory each; a later call compiles anew.
    /// Those of recorded sorts stay as long as these. What was enqueued still runs: OpenCL keeps what it needs, on CUDA
    /// this waits for all work of the context, also gives back the memory kept for later calls, and is not to be called
    /// while a stream is captured. Throws Error(device_failed).
    void release();

    /// The shape of a sort of `count` keys of that type (0: very many), after fitting it to the kernels that the
    /// device's compiler built. Compiles these, and throws, as prepare() does.
    Shape shape(KeyType type, std::uint64_t count = 0);

    /// The plan that a sort of `count` keys of that type runs. Compiles, and throws, as prepare() does.
    Plan plan(std::uint64_t count, KeyType type);

    /// Sorts `count` random keys with kernels that count their own hand-overs and barriers, and returns what really
    /// happened. Takes host and device memory for these keys and a few bytes.
    /// Throws Error(device_failed) if the result is not sorted or the work-groups disagree.
    SyncCounts measure(std::uint64_t count, KeyType type);

    /// Why shapes that `lanesort tune` stored for this device are not used, in a sentence; empty where all is well.
    /// That is told when the sorter is made, or after the first sort whose kernels the device's compiler refused.
    const std::string& note() const noexcept;

    /// What is known of the device that it sorts on. Lives as long as the sorter, wherever that is moved.
    const DeviceInfo& device() const noexcept;

    /// For the library's own backends.
    detail::SorterCore& core() noexcept { return *core_; }

private:
    std::unique_ptr<detail::SorterCore> core_;
};

}  // namespace lanesort
