// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/core.h>

#include <lanesort/error.hpp>

#include "kernel_source.hpp"
#include "key_order.hpp"
#include "ops/compact/select_schedule.hpp"
#include "ops/compact/sorted_ranges_schedule.hpp"
#include "ops/reduce/reduce_schedule.hpp"
#include "ops/scan/scan_schedule.hpp"
#include "ops/sort/distribution_schedule.hpp"
#include "ops/top_k/sieve_schedule.hpp"
#include "ops/top_k/top_k_schedule.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::detail {

std::string kernel_file(const KernelParameters& parameters) {
    if (parameters.family == Family::top_k)
        return parameters.work_items() == 1 ? "top_k/top_k_in_registers.cl" : "top_k/top_k_in_local.cl";
    if (parameters.family == Family::sieve) return "top_k/sieve.cl";
    if (parameters.family == Family::order_test) return "sort/is_sorted.cl";
    if (parameters.family == Family::equal_runs) return "compact/equal_runs.cl";
    if (parameters.family == Family::find_runs) return "compact/find_runs.cl";
    if (parameters.family == Family::classify) return "sort/distribution/classify.cl";
    if (parameters.family == Family::place_blocks) return "sort/distribution/place_blocks.cl";
    if (parameters.family == Family::move_blocks) return "sort/distribution/move_blocks.cl";
    if (parameters.family == Family::permute) return "move/permute.cl";
    if (parameters.family == Family::merge_across) return "sort/merge_across.cl";
    if (parameters.family == Family::gather) return "move/gather.cl";
    if (parameters.family == Family::iota) return "move/iota.cl";
    if (parameters.family == Family::min_max) return "reduce/min_max.cl";
    if (parameters.family == Family::min_max_place) return "reduce/min_max_place.cl";
    if (parameters.family == Family::integer_sum) return "reduce/integer_sum.cl";
    if (parameters.family == Family::float_sum) return "reduce/float_sum.cl";
    if (parameters.family == Family::operator_reduction) return "reduce/operator_reduction.cl";
    if (parameters.family == Family::integer_scan) return "scan/integer_scan.cl";
    if (parameters.family == Family::float_scan) return "scan/float_scan.cl";
    if (parameters.family == Family::min_max_scan) return "scan/min_max_scan.cl";
    if (parameters.family == Family::integer_run_scan) return "scan/integer_run_scan.cl";
    if (parameters.family == Family::float_run_scan) return "scan/float_run_scan.cl";
    if (parameters.family == Family::min_max_run_scan) return "scan/min_max_run_scan.cl";
    if (parameters.family == Family::operator_scan) return "scan/operator_scan.cl";
    if (parameters.family == Family::operator_run_scan) return "scan/operator_run_scan.cl";
    if (parameters.family == Family::mark_segments) return "scan/mark_segments.cl";
    if (parameters.family == Family::integer_runs) return "reduce/integer_runs.cl";
    if (parameters.family == Family::float_runs) return "reduce/float_runs.cl";
    if (parameters.family == Family::min_max_runs) return "reduce/min_max_runs.cl";
    if (parameters.family == Family::select) return "compact/select.cl";
    if (parameters.family == Family::binary_search) return "search/binary_search.cl";
    if (parameters.family == Family::integer_bins) return "histogram/integer_bins.cl";
    if (parameters.family == Family::float_bins) return "histogram/float_bins.cl";
    if (parameters.family == Family::bins_by_bounds) return "histogram/bins_by_bounds.cl";
    return parameters.shape.walks_in_cache() ? "sort/tile_in_cache.cl" : "sort/tile_in_local.cl";
}

std::span<const char* const> kernel_names(const KernelParameters& parameters) noexcept {
    static constexpr const char* of_sort[] = {"sort_tiles",    "merge_strips",       "merge_tiles",
                                              "merge_columns", "merge_tile_columns", "merge_borders"};
    static constexpr const char* of_top_k[] = {"select_best", "best_of_buckets", "bring_to_front"};
    static constexpr const char* of_sieve[] = {"choose_threshold", "keep_passing", "select_passing", "count_digits",
                                               "choose_digit"};
    static constexpr const char* of_is_sorted[] = {"first_descents", "least_descents"};
    static constexpr const char* of_equal_runs[] = {"count_runs", "scan_shares", "write_runs", "mark_runs"};
    static constexpr const char* of_find_runs[] = {"find_runs"};
    static constexpr const char* of_classify[] = {"choose_splitters", "classify_elements"};
    static constexpr const char* of_place_blocks[] = {"find_children", "find_slots", "find_paths", "find_cuts",
                                                      "save_blocks",   "fill_gaps",  "list_leaves"};
    static constexpr const char* of_move_blocks[] = {"move_blocks"};
    static constexpr const char* of_permute[] = {"walk_from_cuts", "walk_cycles"};
    static constexpr const char* of_merge_across[] = {"exchange_ends"};
    static constexpr const char* of_gather[] = {"gather_elements", "move_elements"};
    static constexpr const char* of_iota[] = {"write_iota"};
    static constexpr const char* of_binary_search[] = {"find_places"};
    static constexpr const char* of_bins[] = {"count_keys", "add_counts"};
    static constexpr const char* of_reductions[] = {"combine_blocks", "combine_parts", "combine_range",
                                                    "combine_products", "combine_product_range"};
    static constexpr const char* of_reduced_runs[] = {"reduce_runs", "close_runs", "divide_runs"};
    static constexpr const char* of_select[] = {"count_wanted", "write_parts", "select_tiles"};
    static constexpr const char* of_scans[] = {"combine_blocks", "scan_blocks", "write_scans", "scan_tiles"};
    static constexpr const char* of_mark_segments[] = {"mark_segments"};
    static constexpr const char* of_quicksort[] = {"choose_pivots", "part_stripes", "exchange_misplaced", "part_ranges",
                                                   "sort_ranges"};
    switch (parameters.family) {
        case Family::sort:
            if (parameters.tiles_only) return std::span(of_sort).first(1);
            return std::span(of_sort).first(parameters.shape.walks_in_cache() || parameters.column_bits > 0 ? 6 : 3);
        case Family::sort_first: return std::span(of_sort).first(1);
        case Family::merge: return std::span(of_sort).subspan(1, 2);
        case Family::top_k:
            return std::span(of_top_k).first(!parameters.stores_indices() ? 1 : parameters.work_items() > 1 ? 2 : 3);
        case Family::sieve: return std::span(of_sieve).first(parameters.bytes.is_record ? 3 : 5);
        case Family::order_test: return of_is_sorted;
        case Family::equal_runs: return of_equal_runs;
        case Family::find_runs: return of_find_runs;
        case Family::quicksort: return of_quicksort;
        case Family::classify: return of_classify;
        case Family::place_blocks: return of_place_blocks;
        case Family::move_blocks: return of_move_blocks;
        case Family::permute: return of_permute;
        case Family::merge_across: return of_merge_across;
        case Family::gather: return of_gather;
        case Family::iota: return of_iota;
        case Family::operator_reduction: return std::span(of_reductions).first(2);
        case Family::min_max:
        case Family::min_max_place: return std::span(of_reductions).first(3);
        case Family::integer_sum:
        case Family::float_sum: return of_reductions;
        case Family::integer_scan:
        case Family::min_max_scan:
        case Family::integer_run_scan:
        case Family::min_max_run_scan: return of_scans;
        case Family::float_scan:
        case Family::float_run_scan:
        case Family::operator_scan:
        case Family::operator_run_scan: return std::span(of_scans).first(3);
        case Family::mark_segments: return of_mark_segments;
        case Family::integer_runs:
        case Family::float_runs: return of_reduced_runs;
        case Family::min_max_runs: return std::span(of_reduced_runs).first(2);
        case Family::select: return std::span(of_select).first(parameters.work_items() > 1 ? 3 : 2);
        case Family::binary_search: return of_binary_search;
        case Family::integer_bins:
        case Family::float_bins:
        case Family::bins_by_bounds: return of_bins;
    }
    return {};
}

std::uint8_t kernel_number(const KernelParameters& parameters, std::string_view name) noexcept {
    const std::span<const char* const> names = kernel_names(parameters);
    return static_cast<std::uint8_t>(std::ranges::find(names, name) - names.begin());
}

namespace {

/// Of a histogram, whose work-groups of one work-item count in memory.
std::size_t counters_bytes(const Shape& shape) noexcept {
    return shape.work_items > 1 ? shape.vectors * std::size_t{4} : 0;
}

/// Of reduce/combine.h: a partial result for each leaf, an integer for each work-item, and two.
std::size_t combine_local_bytes(const Shape& shape, std::size_t partial_bytes) noexcept {
    return tree_leaves * partial_bytes + std::size_t{4} * (shape.work_items + 2);
}

/// Of reduce/reduce_runs.h: a number and a flag for each leaf, a count for each work-item, and results.
std::size_t reduced_runs_bytes(const Shape& shape, std::size_t number_bytes) noexcept {
    const std::size_t results = shape.work_items > 1 ? std::size_t{8} * shape.work_items : 0;
    return tree_leaves * (number_bytes + 4) + std::size_t{8} * shape.work_items + results * number_bytes;
}

}  // namespace

std::size_t KernelParameters::local_bytes() const noexcept {
    switch (family) {
        case Family::sort:
        case Family::sort_first:
        case Family::merge:
        case Family::quicksort: return shape.local_bytes(bytes) * tiles_per_group;
        case Family::top_k: return top_k_local_bytes(shape, bytes);
        case Family::sieve: return sieve_local_bytes(shape, bytes);
        case Family::order_test: return is_sorted_local_bytes(shape);
        case Family::equal_runs: return equal_runs_local_bytes(shape);
        case Family::find_runs: return find_runs_local_bytes(shape, bytes);
        case Family::classify: return classify_local_bytes(shape, bytes, buckets);
        case Family::place_blocks: return place_blocks_local_bytes(shape, buckets);
        case Family::move_blocks: return move_blocks_local_bytes(shape);
        case Family::permute:
        case Family::merge_across:
        case Family::gather:
        case Family::mark_segments:
        case Family::iota: return 0;
        case Family::min_max: return combine_local_bytes(shape, bytes.key);
        case Family::min_max_place: return combine_local_bytes(shape, 16);
        case Family::integer_sum: return combine_local_bytes(shape, 8);
        case Family::float_sum: return combine_local_bytes(shape, bytes.key == 8 ? 8 : 4);
        case Family::operator_reduction: return shape.work_items > 1 ? shape.work_items * bytes.key : 0;
        case Family::integer_scan:
        case Family::float_scan:
        case Family::min_max_scan:
        case Family::operator_scan: return scan_local_bytes(shape, part_bytes(bytes, false));
        case Family::integer_run_scan:
        case Family::float_run_scan:
        case Family::min_max_run_scan:
        case Family::operator_run_scan: return scan_local_bytes(shape, part_bytes(bytes, true));
        case Family::integer_runs: return reduced_runs_bytes(shape, 8);
        case Family::float_runs: return reduced_runs_bytes(shape, bytes.key == 8 ? 8 : 4);
        case Family::min_max_runs: return reduced_runs_bytes(shape, std::max<std::size_t>(bytes.key, 4));
        case Family::select: return select_local_bytes(shape, bytes);
        case Family::binary_search: return buckets.sample * bytes.key;
        case Family::integer_bins:
        case Family::float_bins: return counters_bytes(shape);
        case Family::bins_by_bounds: return counters_bytes(shape) + buckets.sample * bytes.key;
    }
    return 0;
}

std::vector<std::string> definitions(const KernelParameters& parameters) {
    const Shape& shape = parameters.shape;
    const ElementBytes& bytes = parameters.bytes;
    return {fmt::format("KEY_BITS={}", bytes.is_record ? 0 : bytes.key * 8),
            fmt::format("RECORD_BYTES={}", bytes.is_record ? bytes.key : 0),
            fmt::format("VALUE_BITS={}", bytes.value * 8),
            fmt::format("INDEX_BITS={}", bytes.index * 8),
            fmt::format("POSITION_BITS={}", parameters.wide_positions ? 64 : 32),
            fmt::format("LANES={}", shape.lanes),
            fmt::format("VECTORS={}", shape.vectors),
            fmt::format("REGISTER_VECTORS={}", shape.register_vectors),
            fmt::format("WORK_ITEMS={}", parameters.work_items()),
            fmt::format("TILES_PER_GROUP={}", parameters.tiles_per_group),
            fmt::format("IN_ROWS={}", int{parameters.layout == Layout::rows}),
            fmt::format("SHORT_ROWS={}", int{parameters.layout == Layout::short_rows}),
            fmt::format("QUICKSORT={}", int{parameters.family == Family::quicksort}),
            fmt::format("FIRST_ONLY={}", int{parameters.family == Family::sort_first}),
            fmt::format("TWO_RANGES={}", int{parameters.family == Family::merge}),
            fmt::format("SEGMENT_BITS={}", parameters.offset_bytes * 8),
            fmt::format("STEPS_PER_PASS={}", shape.steps_per_pass),
            fmt::format("RESIDENT_GROUPS={}", shape.resident_groups),
            fmt::format("TILE_WORK_ITEMS={}", shape.tile_work_items()),
            fmt::format("REMAP={}", int{shape.remap}),
            fmt::format("BANK_SWAP={}", int{shape.bank_swap}),
            fmt::format("BANK_PADDING={}", int{shape.bank_padding}),
            fmt::format("UNROLL_ROUNDS={}", int{parameters.unroll_rounds}),
            fmt::format("COLUMN_BITS={}", parameters.column_bits),
            fmt::format("NAN_LAST={}", int{parameters.nan_last}),
            fmt::format("LEAVES={}", int{parameters.leaves}),
            fmt::format("APART={}", int{parameters.apart}),
            fmt::format("TILES_ONLY={}", int{parameters.tiles_only}),
            fmt::format("BUCKET_BITS={}", parameters.buckets.bits),
            fmt::format("BLOCK={}", parameters.buckets.block),
            fmt::format("HELD_BLOCKS={}", parameters.buckets.held_blocks),
            fmt::format("SAMPLE={}", parameters.buckets.sample),
            fmt::format("COALESCED_STORE={}", int{shape.coalesced_store && shape.tile_work_items() > 1}),
            fmt::format("HAS_PREDICATE={}", int{parameters.predicate.has_value()}),
            fmt::format("HAS_OPERATOR={}", int{parameters.binary_operator.has_value()}),
            fmt::format("HAS_TRANSFORM={}",
                        int{parameters.binary_operator && !parameters.binary_operator->transform.empty()}),
            fmt::format("COUNT_SYNC={}", int{parameters.count_sync})};
}

namespace {

// The caller's text with #line directives, so that a compiler's log names it and its lines.

/// A type of the caller's by a name of the kernels'.
std::string caller_type(const char* name, const char* file, const std::string& type, std::size_t bytes) {
    return fmt::format(
        "#line 1 \"{1}\"\ntypedef {2} {0};\n"
        "#line 1 \"common/comparator.h\"\n"
        "typedef char {0}_has_the_stated_bytes[sizeof({0}) == {3} ? 1 : -1];\n",
        name, file, type, bytes);
}

/// A function by the expression in `file`; `test` is what is asked of that.
std::string caller_function(const char* function, const char* file, const std::string& expression,
                            const char* test = "") {
    return fmt::format(
        "static inline {} {{\n"
        "    return (\n#line 1 \"{}\"\n{}\n#line 5 \"common/comparator.h\"\n    ){};\n}}\n",
        function, file, expression, test);
}

/// The same of whether something is so.
std::string caller_test(const char* function, const char* file, const std::string& expression) {
    return caller_function(function, file, expression, " != 0");
}

std::string caller_text(const std::string& declarations, const std::string& type, std::size_t bytes) {
    return fmt::format("#line 1 \"declarations\"\n{}\n", declarations) +
           caller_type("comparator_record", "type", type, bytes);
}

std::string caller_text(const KernelParameters& parameters) {
    if (const auto& predicate = parameters.predicate) {
        const std::string text = caller_text(predicate->declarations, predicate->type, predicate->bytes) +
                                 fmt::format("#define PARAMETER_BYTES {}\n", predicate->parameter_bytes);
        if (predicate->parameter_bytes == 0)
            return text + caller_test("int predicate_holds(const comparator_record a)", "holds", predicate->holds);
        return text +
               caller_type("predicate_parameter", "parameter_type", predicate->parameter_type,
                           predicate->parameter_bytes) +
               caller_test("int predicate_holds(const comparator_record a, const predicate_parameter p)", "holds",
                           predicate->holds);
    }
    if (const auto& comparator = parameters.comparator)
        return caller_text(comparator->declarations, comparator->type, comparator->bytes) +
               caller_test("int comparator_before(const comparator_record a, const comparator_record b)", "before",
                           comparator->before);
    if (const auto& combining = parameters.binary_operator) {
        std::string text =
            caller_text(combining->declarations, combining->type, combining->bytes) +
            caller_function("comparator_record operator_identity(void)", "identity", combining->identity) +
            caller_function("comparator_record operator_combine(const comparator_record a, const comparator_record b)",
                            "combine", combining->combine);
        if (combining->transform.empty()) return text;
        return text + caller_function(
                          "comparator_record operator_transform(const comparator_record a, const comparator_record b)",
                          "transform", combining->transform);
    }
    return "";
}

}  // namespace

void KernelParameters::order_by(const Request& request) {
    if (request.key.comparator()) comparator = *request.key.comparator();
    if (request.key.predicate()) predicate = *request.key.predicate();
    if (request.key.binary_operator()) binary_operator = *request.key.binary_operator();
    compiled_order = request.key.compiled_order();
    nan_last = coding_of(request).coding == Coding::nan_last;
}

std::string source(const KernelParameters& parameters) {
    if (parameters.compiled_order)
        throw Error(ErrorCode::unsupported,
                    "a C++ function orders records on the built-in device alone, for which it was compiled: sort on "
                    "built_in_device(), or write the order as a Comparator");
    return kernel_source(kernel_file(parameters), {definitions(parameters), caller_text(parameters)});
}

Error build_error(const KernelParameters& parameters, const std::string& reason, const std::string& call, int status,
                  const std::string& log) {
    const char* const text = parameters.comparator        ? ", with the caller's comparator in it"
                             : parameters.predicate       ? ", with the caller's predicate in it"
                             : parameters.binary_operator ? ", with the caller's operator in it"
                                                          : "";
    const bool has_words = *text != 0 && !log.empty();
    return Error(ErrorCode::build_failed,
                 fmt::format("the device's compiler refused {}{} ({}){}", kernel_file(parameters), text, reason,
                             has_words ? "; the build log has the compiler's words" : ""),
                 call, status, log);
}

}  // namespace lanesort::inline v0_1::detail
