/// @file
/// Sorting a range in host memory. For keys that are on the device already, see opencl.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <lanesort/comparator.hpp>
#include <lanesort/device.hpp>
#include <lanesort/key_types.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/statistics.hpp>

namespace lanesort {

namespace detail {
class SorterCore;

/// Throw Error(invalid_argument).
[[noreturn]] void throw_sizes_differ(std::size_t keys, std::size_t others);
[[noreturn]] void throw_too_few(std::size_t keys, std::size_t others);
[[noreturn]] void throw_record_size(std::size_t bytes, std::size_t stated);

/// The comparator, if it is for records of that size.
template <Record T>
const Comparator& checked_for(const Comparator& comparator) {
    if (comparator.bytes != sizeof(T)) throw_record_size(sizeof(T), comparator.bytes);
    return comparator;
}
}  // namespace detail

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

/// A call that is to come, as far as its kernels depend on it.
struct Preparation {
    /// The calls, by what their kernels do.
    enum class Call : std::uint8_t {
        sort,         ///< sort, partial_sort, nth_element, sort_by_key and argsort
        merge,        ///< merge and merge_by_key
        top_k,        ///< top_k
        is_sorted,    ///< is_sorted and is_sorted_until
        unique,       ///< unique
        run_lengths,  ///< run_lengths
    };
    Call call = Call::sort;           ///< the call, on a host range, a queue or a stream
    std::uint64_t count = 0;          ///< keys
    std::size_t row_length = 0;       ///< as in SortOptions
    std::size_t value_bytes = 0;      ///< of a value; 0: none
    std::size_t index_bytes = 0;      ///< of an index of argsort or top_k, or of a length of run_lengths; 0: none
    bool stable = false;              ///< as in SortOptions
    std::size_t first = all_keys;     ///< as in SortOptions; for top_k: how many
    std::size_t longest_segment = 0;  ///< keys; 0: no segments
    std::size_t offset_bytes = 8;     ///< of the offsets of segments: 8 in host memory
    std::uint64_t segments = 0;       ///< how many there are; 0: as many as if all were the longest
};

/// What one sort did. The synchronisations are those of sorts, merges and selections; where others have some, they are
/// not counted. Where the device works in host memory, giving it back counts as sorting.
struct SortReport {
    std::uint64_t launches = 0;      ///< kernels launched
    std::uint64_t hand_overs = 0;    ///< points where the work-items of a group synchronised, over all launches
    std::uint64_t barriers = 0;      ///< barriers that each work-item met, over all launches
    std::uint64_t device_bytes = 0;  ///< device memory that the call allocated
    double upload_seconds = 0;       ///< wall time to the device; 0 where it works in host memory
    double sort_seconds = 0;         ///< wall time of all passes; 0 for asynchronous calls
    double download_seconds = 0;     ///< wall time from the device; 0 where it works in host memory
};

/// Sorts on one device, in place: no second array, the same bytes on every device (but behind SortOptions::first), a
/// schedule that depends on the count and the shape only.
///
/// Owns its programs; a program is compiled by the first sort that needs it, or by prepare(). One sorter serves one
/// thread at a time; different sorters are independent. After an error the sorter can be used again.
///
/// Every call throws Error(invalid_argument) for a null pointer to an array that has elements, for two arrays with bytes
/// in common unless both are only read, and for a type or an order that is none; then nothing has been changed.
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

    /// Sorts a host range; blocks until it is sorted. Takes device memory for one copy of the keys, or none where the
    /// device works in host memory (DeviceInfo::host_unified_memory), and 8 bytes a segment.
    /// Throws Error(invalid_argument) for keys that do not fill their rows and for segments that do not ascend,
    /// Error(out_of_range) for segments that reach beyond the keys, Error(too_large) above the device's allocation
    /// limit, Error(unsupported) for a shape that the device cannot run, Error(out_of_memory) and Error(build_failed),
    /// with the keys as they were. After Error(device_failed), or what `progress` throws, in the middle of a sort, the
    /// keys are unspecified in host_unified_memory, else as they were.
    template <Key T>
    SortReport sort(std::span<T> keys, const SortOptions& options = {}) {
        return sort(keys.data(), keys.size(), key_type_v<T>, options);
    }
    /// The same in that order, without options.
    template <Key T>
    SortReport sort(std::span<T> keys, Order order) {
        return sort(keys, SortOptions{.order = order});
    }

    /// The same for records in the order of a comparator.
    template <Record T>
    SortReport sort(std::span<T> records, const Comparator& comparator, const SortOptions& options = {}) {
        return sort(records.data(), records.size(), detail::checked_for<T>(comparator), options);
    }

    /// The same for a type known at run time: `keys` points to `count` keys or records of that type.
    SortReport sort(void* keys, std::size_t count, const KeyKind& type, const SortOptions& options = {});

    /// Brings the `first` first keys of the order to the front, in order, as std::partial_sort; the others follow in
    /// some order. All keys are sorted where there are no more. The same as sort() with `options.first`, which serves pairs, indices and segments too.
    template <Key T>
    SortReport partial_sort(std::span<T> keys, std::size_t first, const SortOptions& options = {}) {
        return partial_sort(keys.data(), keys.size(), first, key_type_v<T>, options);
    }
    /// The same for records in the order of a comparator.
    template <Record T>
    SortReport partial_sort(std::span<T> records, std::size_t first, const Comparator& comparator,
                            const SortOptions& options = {}) {
        return partial_sort(records.data(), records.size(), first, detail::checked_for<T>(comparator), options);
    }
    /// The same for a type known at run time.
    SortReport partial_sort(void* keys, std::size_t count, std::size_t first, const KeyKind& type, SortOptions options);

    /// Brings key n of the order, counted from 0, to its place, those before it in front of it and the others behind
    /// it, as std::nth_element: the first n are in order, too. Of rows and segments, key n of each that has one. Takes
    /// the time of a sort unless n is less than half a tile. Throws Error(invalid_argument) where there is no such key.
    template <Key T>
    SortReport nth_element(std::span<T> keys, std::size_t n, const SortOptions& options = {}) {
        return nth_element(keys.data(), keys.size(), n, key_type_v<T>, options);
    }
    /// The same for records in the order of a comparator.
    template <Record T>
    SortReport nth_element(std::span<T> records, std::size_t n, const Comparator& comparator,
                           const SortOptions& options = {}) {
        return nth_element(records.data(), records.size(), n, detail::checked_for<T>(comparator), options);
    }
    /// The same for a type known at run time.
    SortReport nth_element(void* keys, std::size_t count, std::size_t n, const KeyKind& type,
                           const SortOptions& options);

    /// Sorts keys together with the values that belong to them: values[i] goes where keys[i] goes. Blocks, and throws,
    /// as sort() does. Values are trivially copyable, of 1, 2, 4, 8 or 16 bytes. Unless the sort is stable, pairs of
    /// equal keys come in the order of their values' bits, taken as unsigned little-endian integers, whatever the order
    /// of the keys: the same bytes on every device. Takes device memory for one copy of both.
    template <Key K, class V>
    requires std::is_trivially_copyable_v<V> SortReport sort_by_key(std::span<K> keys, std::span<V> values,
                                                                    const SortOptions& options = {}) {
        if (keys.size() != values.size()) detail::throw_sizes_differ(keys.size(), values.size());
        return sort_by_key(keys.data(), values.data(), keys.size(), key_type_v<K>, sizeof(V), options);
    }

    /// The same for records in the order of a comparator.
    template <Record K, class V>
    requires std::is_trivially_copyable_v<V> SortReport sort_by_key(std::span<K> records, std::span<V> values,
                                                                    const Comparator& comparator,
                                                                    const SortOptions& options = {}) {
        if (records.size() != values.size()) detail::throw_sizes_differ(records.size(), values.size());
        return sort_by_key(records.data(), values.data(), records.size(), detail::checked_for<K>(comparator), sizeof(V),
                           options);
    }

    /// The same for types known at run time. Throws Error(invalid_argument) for values of another width.
    SortReport sort_by_key(void* keys, void* values, std::size_t count, const KeyKind& type, std::size_t value_bytes,
                           const SortOptions& options = {});

    /// Merges two sorted ranges that lie side by side, the first keys[0] .. keys[middle - 1], in place, as
    /// std::inplace_merge: one phase of the network. Both must be sorted in the order that `options` ask for; equal
    /// keys of the first range need not come first unless the merge is stable, as SortOptions says. Takes memory,
    /// blocks, and throws, as sort() does, and Error(out_of_range) for a middle behind the end, Error(invalid_argument)
    /// for rows, segments and `options.first`.
    template <Key T>
    SortReport merge(std::span<T> keys, std::size_t middle, const SortOptions& options = {}) {
        return merge(keys.data(), keys.size(), middle, key_type_v<T>, options);
    }
    /// The same for records in the order of a comparator.
    template <Record T>
    SortReport merge(std::span<T> records, std::size_t middle, const Comparator& comparator,
                     const SortOptions& options = {}) {
        return merge(records.data(), records.size(), middle, detail::checked_for<T>(comparator), options);
    }
    /// The same for a type known at run time.
    SortReport merge(void* keys, std::size_t count, std::size_t middle, const KeyKind& type,
                     const SortOptions& options);

    /// The same for keys together with the values that belong to them, as sort_by_key.
    template <Key K, class V>
    requires std::is_trivially_copyable_v<V> SortReport merge_by_key(std::span<K> keys, std::span<V> values,
                                                                     std::size_t middle,
                                                                     const SortOptions& options = {}) {
        if (keys.size() != values.size()) detail::throw_sizes_differ(keys.size(), values.size());
        return merge_by_key(keys.data(), values.data(), keys.size(), middle, key_type_v<K>, sizeof(V), options);
    }
    /// The same for types known at run time.
    SortReport merge_by_key(void* keys, void* values, std::size_t count, std::size_t middle, const KeyKind& type,
                            std::size_t value_bytes, const SortOptions& options);

    /// Writes the indices, from 0, that would sort the keys, which stay as they are: keys[indices[0]] is the first.
    /// Stable: equal keys keep their order, also when descending. Blocks, and throws, as sort() does. Takes device
    /// memory for the keys and, unless the device works in host memory, the indices. Indices of keys that are in no
    /// segment are unspecified.
    template <class K, std::unsigned_integral I>
    requires Key<std::remove_const_t<K>> &&(sizeof(I) == 4 || sizeof(I) == 8) SortReport
        argsort(std::span<K> keys, std::span<I> indices, const SortOptions& options = {}) {
        if (keys.size() != indices.size()) detail::throw_sizes_differ(keys.size(), indices.size());
        return argsort(keys.data(), indices.data(), keys.size(), key_type_v<std::remove_const_t<K>>, sizeof(I),
                       options);
    }

    /// The same for records in the order of a comparator.
    template <class K, std::unsigned_integral I>
    requires Record<std::remove_const_t<K>> &&(sizeof(I) == 4 || sizeof(I) == 8) SortReport
        argsort(std::span<K> records, std::span<I> indices, const Comparator& comparator,
                const SortOptions& options = {}) {
        if (records.size() != indices.size()) detail::throw_sizes_differ(records.size(), indices.size());
        return argsort(records.data(), indices.data(), records.size(),
                       detail::checked_for<std::remove_const_t<K>>(comparator), sizeof(I), options);
    }

    /// The same for types known at run time; indices have 4 or 8 bytes, else it throws Error(invalid_argument). Throws
    /// Error(too_large) for 2^32 keys or more, in one row or segment, with indices of 4 bytes.
    SortReport argsort(const void* keys, void* indices, std::size_t count, const KeyKind& type, std::size_t index_bytes,
                       const SortOptions& options = {});

    /// Writes the first best.size() keys of a stable sort, in order, to `best`: the largest ones, or the smallest if
    /// `options` ask for an ascending order. With a row length, those of each row, one after the other. The keys stay
    /// as they are. Deterministic, which index comes with equal keys too: the lowest. Blocks, and throws, as sort()
    /// does, and Error(invalid_argument) for more keys than there are. A device that works in host memory reads the
    /// keys where they are. Takes device memory for a copy of them where it does not, for the results and for what
    /// launches leave for each other: fewer elements, with indices, than there are keys, of many keys far fewer. More
    /// keys than a quarter of a work-group's tile in local memory (up to 1024 of 4 bytes on a graphics card), or than 32
    /// of a processor's vectors (256 keys of 4 bytes with AVX2), are found by a sort, which takes a second array.
    ///
    /// Keys that are many times best.size() are read once, for the first one of each chunk of them: after Gaihre et al.,
    /// "Dr. Top-k: Delegate-Centric Top-k on GPUs", SC 2021.
    template <class K>
    requires Key<std::remove_const_t<K>> SortReport top_k(std::span<K> keys, std::span<std::remove_const_t<K>> best,
                                                          const TopKOptions& options = {}) {
        return top_k(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, best.data(), best.size(), nullptr, 0,
                     options);
    }

    /// The same with the indices of these keys, from 0 in each row.
    template <class K, std::unsigned_integral I>
    requires Key<std::remove_const_t<K>> &&(sizeof(I) == 4 || sizeof(I) == 8) SortReport
        top_k(std::span<K> keys, std::span<std::remove_const_t<K>> best, std::span<I> indices,
              const TopKOptions& options = {}) {
        if (best.size() != indices.size()) detail::throw_sizes_differ(best.size(), indices.size());
        return top_k(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, best.data(), best.size(),
                     indices.data(), sizeof(I), options);
    }

    /// The first records in the order of a comparator.
    template <class K>
    requires Record<std::remove_const_t<K>> SortReport top_k(std::span<K> records,
                                                             std::span<std::remove_const_t<K>> best,
                                                             const Comparator& comparator,
                                                             const TopKOptions& options = {}) {
        return top_k(records.data(), records.size(), detail::checked_for<std::remove_const_t<K>>(comparator),
                     best.data(), best.size(), nullptr, 0, options);
    }

    /// The same for types known at run time: `selected` keys in all, a whole number for each row. `indices` may be
    /// null.
    SortReport top_k(const void* keys, std::size_t count, const KeyKind& type, void* best, std::size_t selected,
                     void* indices, std::size_t index_bytes, const TopKOptions& options);

    /// How many keys from the first on are in order, as std::is_sorted_until: all of them, if that is the number of
    /// keys. Reads all keys in any case. Blocks, and throws, as sort() does, and Error(invalid_argument) for rows and
    /// segments. The keys stay as they are. A device that works in host memory reads them where they are; else it takes
    /// device memory for a copy of them. To that it adds 8 bytes for each result and each block of keys, of which there
    /// are at most 16 a compute unit.
    template <class K>
    requires Key<std::remove_const_t<K>> std::size_t is_sorted_until(std::span<K> keys,
                                                                     const SortOptions& options = {}) {
        return one_in_order(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, options);
    }
    /// The same for records in the order of a comparator.
    template <class K>
    requires Record<std::remove_const_t<K>> std::size_t is_sorted_until(std::span<K> records,
                                                                        const Comparator& comparator) {
        return one_in_order(records.data(), records.size(), detail::checked_for<std::remove_const_t<K>>(comparator),
                            {});
    }
    /// The same for types known at run time: with a row length one number for each row, in `in_order`, else one.
    void is_sorted_until(const void* keys, std::size_t count, const KeyKind& type, std::span<std::uint64_t> in_order,
                         const SortOptions& options);

    /// Whether the keys are in order, or the keys of every row; otherwise as is_sorted_until.
    template <class K>
    requires Key<std::remove_const_t<K>>
    bool is_sorted(std::span<K> keys, const SortOptions& options = {}) {
        return is_sorted(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, options);
    }
    /// The same for records in the order of a comparator.
    template <class K>
    requires Record<std::remove_const_t<K>>
    bool is_sorted(std::span<K> records, const Comparator& comparator, const SortOptions& options = {}) {
        return is_sorted(records.data(), records.size(), detail::checked_for<std::remove_const_t<K>>(comparator),
                         options);
    }
    /// The same for types known at run time.
    bool is_sorted(const void* keys, std::size_t count, const KeyKind& type, const SortOptions& options);

    /// Writes the distinct keys of a sorted range, in order, to the beginning of `distinct`, and returns how many they
    /// are. Numbers are equal if all of their bits are, records if neither comes before the other; the first one of
    /// equal records is kept. Of keys that are not sorted, the first of each run of equal neighbours is kept, as
    /// std::unique does. `distinct` must have room for all keys and not overlap with them; no more than what is
    /// returned is written. How much that is depends on the keys, and so do, unlike a sort's, the addresses. The keys
    /// stay as they are. Blocks, and throws, as sort() does, and Error(invalid_argument) for rows and segments and for
    /// results that have no room or overlap. A device that works in host memory takes 16 bytes of memory for each block
    /// of keys, of which there are at most 16 a compute unit; another also takes memory for a copy of the keys and as
    /// many results.
    template <class K>
    requires Key<std::remove_const_t<K>> std::size_t unique(std::span<K> keys,
                                                            std::span<std::remove_const_t<K>> distinct,
                                                            const SortOptions& options = {}) {
        if (distinct.size() < keys.size()) detail::throw_too_few(keys.size(), distinct.size());
        return unique(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, distinct.data(), options);
    }
    /// The same for records in the order of a comparator.
    template <class K>
    requires Record<std::remove_const_t<K>> std::size_t unique(std::span<K> records,
                                                               std::span<std::remove_const_t<K>> distinct,
                                                               const Comparator& comparator) {
        if (distinct.size() < records.size()) detail::throw_too_few(records.size(), distinct.size());
        return unique(records.data(), records.size(), detail::checked_for<std::remove_const_t<K>>(comparator),
                      distinct.data(), {});
    }
    /// The same for types known at run time: `distinct` has room for `count` keys.
    std::size_t unique(const void* keys, std::size_t count, const KeyKind& type, void* distinct,
                       const SortOptions& options);

    /// The same with how often each of these keys comes, in `lengths`, which must have room for as many.
    template <class K, std::unsigned_integral I>
    requires Key<std::remove_const_t<K>> &&(sizeof(I) == 4 || sizeof(I) == 8) std::size_t
        run_lengths(std::span<K> keys, std::span<std::remove_const_t<K>> distinct, std::span<I> lengths,
                    const SortOptions& options = {}) {
        if (distinct.size() < keys.size()) detail::throw_too_few(keys.size(), distinct.size());
        if (lengths.size() < keys.size()) detail::throw_too_few(keys.size(), lengths.size());
        return run_lengths(keys.data(), keys.size(), key_type_v<std::remove_const_t<K>>, distinct.data(),
                           lengths.data(), sizeof(I), options);
    }
    /// The same for records in the order of a comparator.
    template <class K, std::unsigned_integral I>
    requires Record<std::remove_const_t<K>> &&(sizeof(I) == 4 || sizeof(I) == 8) std::size_t
        run_lengths(std::span<K> records, std::span<std::remove_const_t<K>> distinct, std::span<I> lengths,
                    const Comparator& comparator) {
        if (distinct.size() < records.size()) detail::throw_too_few(records.size(), distinct.size());
        if (lengths.size() < records.size()) detail::throw_too_few(records.size(), lengths.size());
        return run_lengths(records.data(), records.size(), detail::checked_for<std::remove_const_t<K>>(comparator),
                           distinct.data(), lengths.data(), sizeof(I), {});
    }
    /// The same for types known at run time; lengths have 4 or 8 bytes, else it throws Error(invalid_argument). Throws
    /// Error(too_large) for 2^32 keys or more with lengths of 4 bytes.
    std::size_t run_lengths(const void* keys, std::size_t count, const KeyKind& type, void* distinct, void* lengths,
                            std::size_t length_bytes, const SortOptions& options);

    /// Compiles now what a sort of `count` keys of that type needs (0: many, but fewer than 2^31), so that no such sort
    /// compiles later. Small, large and very large counts may need different kernels. Throws as sort() does.
    void prepare(const KeyKind& type, std::uint64_t count = 0, std::uint64_t row_length = 0);
    /// The same for any call, of just so many keys. Throws as the call itself would.
    void prepare(const KeyKind& type, const Preparation& preparation);

    /// Frees the programs that the sorter compiled so far, up to 8 MiB of memory each; a later call compiles anew. Those of
    /// recorded sorts stay as long as these. What was enqueued still runs: OpenCL keeps what it needs, on CUDA this
    /// waits for all work of the context, also gives back the memory kept for later calls, and is not to be called while
    /// a stream is captured. Throws Error(device_failed).
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
    std::size_t one_in_order(const void* keys, std::size_t count, const KeyKind& type, const SortOptions& options);

    std::unique_ptr<detail::SorterCore> core_;
};

}  // namespace lanesort
