// lanesort/lanesort.h: sorters, and calls on host memory.
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "arguments.hpp"

using namespace lanesort;
using namespace lanesort::c;

namespace {

Preparation::Call call_of(lanesort_call call) {
    switch (call) {
        case LANESORT_CALL_SORT: return Preparation::Call::sort;
        case LANESORT_CALL_MERGE: return Preparation::Call::merge;
        case LANESORT_CALL_TOP_K: return Preparation::Call::top_k;
        case LANESORT_CALL_IS_SORTED: return Preparation::Call::is_sorted;
        case LANESORT_CALL_UNIQUE: return Preparation::Call::unique;
        case LANESORT_CALL_RUN_LENGTHS: return Preparation::Call::run_lengths;
        default: throw Error(ErrorCode::invalid_argument, fmt::format("there is no call {}", call));
    }
}

/// Null where the memory is, whatever the offset.
void* first_key(const Keys& keys) {
    auto* const memory = static_cast<std::byte*>(keys.range().memory);
    return memory ? memory + keys.range().offset * keys.kind().bytes() : nullptr;
}

SortOptions options_of(const Keys& keys) {
    SortOptions options{
        .order = keys.order(), .row_length = keys.range().row_length, .stable = keys.stable(), .first = keys.first()};
    const lanesort_segments& segments = keys.range().segments;
    if (!segments.memory) return options;
    if (keys.offset_bytes() != sizeof(std::uint64_t))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("offsets of segments have {} bytes, but must have 8 in host memory", segments.bytes));
    if (segments.count == std::numeric_limits<std::size_t>::max())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} segments are more than can be: they have one offset more", segments.count));
    options.segments = {static_cast<const std::uint64_t*>(segments.memory) + segments.offset, segments.count + 1};
    return options;
}

std::size_t rows_of(const lanesort_key_range& keys) { return keys.row_length > 0 ? keys.count / keys.row_length : 1; }

/// For a call that gives one answer.
template <class Answer, class Call>
lanesort_status answered(lanesort_sorter* sorter, const lanesort_key_range* range, Answer* answer, const Call& call) {
    return guarded([&] {
        Sorter& on = sorter_of(sorter);
        const Keys keys(range);
        Answer& result = *given(answer, "the result");
        result = call(on, keys);
    });
}

}  // namespace

lanesort_status lanesort_create(lanesort_sorter** sorter, const char* selector, const lanesort_options* options) {
    return created(sorter, [&] { return Sorter(find_device(selector ? selector : ""), options_of(options)); });
}

void lanesort_destroy(lanesort_sorter* sorter) { delete sorter; }

const char* lanesort_device_name(const lanesort_sorter* sorter) {
    return sorter ? sorter->sorter.device().name.c_str() : "";
}

const char* lanesort_note(const lanesort_sorter* sorter) { return sorter ? sorter->sorter.note().c_str() : ""; }

lanesort_status lanesort_last_report(const lanesort_sorter* sorter, lanesort_report* report) {
    return guarded([&] {
        const SortReport& last = given(sorter, "the sorter")->report;
        *given(report, "the report") = {.launches = last.launches,
                                        .hand_overs = last.hand_overs,
                                        .barriers = last.barriers,
                                        .device_bytes = last.device_bytes,
                                        .upload_seconds = last.upload_seconds,
                                        .sort_seconds = last.sort_seconds,
                                        .download_seconds = last.download_seconds};
    });
}

lanesort_status lanesort_prepare(lanesort_sorter* sorter, lanesort_call call, const lanesort_key_range* range,
                                 size_t value_bytes, size_t index_bytes) {
    return guarded([&] {
        const Keys keys(range);
        sorter_of(sorter).prepare(keys.kind(), {.call = call_of(call),
                                                .count = range->count,
                                                .row_length = range->row_length,
                                                .value_bytes = value_bytes,
                                                .index_bytes = index_bytes,
                                                .stable = keys.stable(),
                                                .first = call == LANESORT_CALL_TOP_K ? range->first : keys.first(),
                                                .longest_segment = range->segments.longest,
                                                .offset_bytes = keys.offset_bytes(),
                                                .segments = range->segments.count});
    });
}

lanesort_status lanesort_release(lanesort_sorter* sorter) {
    return guarded([&] { sorter_of(sorter).release(); });
}

lanesort_status lanesort_sort(lanesort_sorter* sorter, const lanesort_key_range* range) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        return on.sort(first_key(keys), range->count, keys.kind(), options_of(keys));
    });
}

lanesort_status lanesort_sort_by_key(lanesort_sorter* sorter, const lanesort_key_range* range, void* values,
                                     size_t value_bytes) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        return on.sort_by_key(first_key(keys), values, range->count, keys.kind(), value_bytes, options_of(keys));
    });
}

lanesort_status lanesort_argsort(lanesort_sorter* sorter, const lanesort_key_range* range, void* indices,
                                 size_t index_bytes) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        return on.argsort(first_key(keys), indices, range->count, keys.kind(), index_bytes, options_of(keys));
    });
}

lanesort_status lanesort_merge(lanesort_sorter* sorter, const lanesort_key_range* range, size_t middle) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        return on.merge(first_key(keys), range->count, middle, keys.kind(), options_of(keys));
    });
}

lanesort_status lanesort_merge_by_key(lanesort_sorter* sorter, const lanesort_key_range* range, size_t middle,
                                      void* values, size_t value_bytes) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        return on.merge_by_key(first_key(keys), values, range->count, middle, keys.kind(), value_bytes,
                               options_of(keys));
    });
}

lanesort_status lanesort_top_k(lanesort_sorter* sorter, const lanesort_key_range* range, size_t k, void* best,
                               void* indices, size_t index_bytes) {
    return reported(sorter, range, [&](Sorter& on, const Keys& keys) {
        const std::size_t candidates = range->row_length > 0 ? range->row_length : range->count;
        if (k > candidates)
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("the first {} keys were asked for, but there are {}", k, candidates));
        if (range->segments.memory)
            throw Error(ErrorCode::invalid_argument,
                        "the first keys of segments cannot be selected, but those of rows can");
        const std::size_t selected = k * rows_of(*range);
        return on.top_k(first_key(keys), range->count, keys.kind(), best, selected, indices, index_bytes,
                        {.order = keys.order(), .row_length = range->row_length});
    });
}

lanesort_status lanesort_is_sorted(lanesort_sorter* sorter, const lanesort_key_range* range, int32_t* sorted) {
    return answered(sorter, range, sorted, [&](Sorter& on, const Keys& keys) {
        return on.is_sorted(first_key(keys), range->count, keys.kind(), options_of(keys));
    });
}

lanesort_status lanesort_is_sorted_until(lanesort_sorter* sorter, const lanesort_key_range* range, uint64_t* in_order) {
    return guarded([&] {
        const Keys keys(range);
        sorter_of(sorter).is_sorted_until(first_key(keys), range->count, keys.kind(),
                                          {given(in_order, "the result"), rows_of(*range)}, options_of(keys));
    });
}

lanesort_status lanesort_unique(lanesort_sorter* sorter, const lanesort_key_range* range, void* distinct,
                                uint64_t* number) {
    return answered(sorter, range, number, [&](Sorter& on, const Keys& keys) {
        return on.unique(first_key(keys), range->count, keys.kind(), distinct, options_of(keys));
    });
}

lanesort_status lanesort_run_lengths(lanesort_sorter* sorter, const lanesort_key_range* range, void* distinct,
                                     void* lengths, size_t length_bytes, uint64_t* number) {
    return answered(sorter, range, number, [&](Sorter& on, const Keys& keys) {
        return on.run_lengths(first_key(keys), range->count, keys.kind(), distinct, lengths, length_bytes,
                              options_of(keys));
    });
}
