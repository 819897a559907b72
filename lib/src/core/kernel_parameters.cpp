// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <lanesort/error.hpp>

#include "encoded_keys.hpp"
#include "kernel_source.hpp"
#include "program.hpp"

namespace lanesort::inline v0_1::detail {

std::string kernel_file(const KernelParameters& parameters) {
    const Family& family = *parameters.family;
    return family.file_in_cache && parameters.shape.walks_in_cache() ? family.file_in_cache : family.file;
}

std::vector<const KernelRow*> kernels_of(const KernelParameters& parameters) {
    std::vector<const KernelRow*> kernels;
    for (const KernelRow& kernel : parameters.family->kernels)
        if (!kernel.applies || kernel.applies(parameters)) kernels.push_back(&kernel);
    return kernels;
}

std::vector<const char*> kernel_names(const KernelParameters& parameters) {
    std::vector<const char*> names;
    for (const KernelRow* const kernel : kernels_of(parameters)) names.push_back(kernel->name);
    return names;
}

std::vector<std::string> definitions(const KernelParameters& parameters) {
    const Shape& shape = parameters.shape;
    const ElementBytes& bytes = parameters.bytes;
    std::vector<std::string> all = {
        fmt::format("KEY_BITS={}", bytes.is_record ? 0 : bytes.key * 8),
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
        fmt::format("NUMBERS={}", static_cast<int>(parameters.family->numbers)),
        fmt::format("HAS_RUNS={}", int{parameters.family->has_runs}),
        fmt::format("HAS_PREDICATE={}", int{parameters.predicate.has_value()}),
        fmt::format("HAS_OPERATOR={}", int{parameters.binary_operator.has_value()}),
        fmt::format("HAS_TRANSFORM={}",
                    int{parameters.binary_operator && !parameters.binary_operator->transform.empty()}),
        fmt::format("COUNT_SYNC={}", int{parameters.count_sync})};
    if (parameters.family->definition) all.emplace_back(parameters.family->definition);
    return all;
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
