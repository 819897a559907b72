#include "arguments.hpp"

#include <fmt/format.h>

namespace lanesort::c {
namespace {

KeyType type_of(lanesort_key_type type) {
    switch (type) {
        case LANESORT_U32: return KeyType::u32;
        case LANESORT_I32: return KeyType::i32;
        case LANESORT_F32: return KeyType::f32;
        case LANESORT_U64: return KeyType::u64;
        case LANESORT_I64: return KeyType::i64;
        case LANESORT_F64: return KeyType::f64;
        case LANESORT_U16: return KeyType::u16;
        case LANESORT_I16: return KeyType::i16;
        case LANESORT_F16: return KeyType::f16;
        case LANESORT_U8: return KeyType::u8;
        case LANESORT_I8: return KeyType::i8;
        default: throw Error(ErrorCode::invalid_argument, fmt::format("there is no type of keys {}", type));
    }
}

Order order_of(lanesort_order order) {
    switch (order) {
        case LANESORT_ASCENDING: return Order::ascending;
        case LANESORT_DESCENDING: return Order::descending;
        default: throw Error(ErrorCode::invalid_argument, fmt::format("there is no order {}", order));
    }
}

Comparator comparator_of(const lanesort_comparator& comparator) {
    return {.type = given(comparator.type, "the comparator's type"),
            .bytes = comparator.bytes,
            .before = given(comparator.before, "the comparator's expression"),
            .declarations = comparator.declarations ? comparator.declarations : ""};
}

}  // namespace

Keys::Keys(const lanesort_key_range* range)
    : range_(*given(range, "the range of keys")), type_(type_of(range->type)), order_(order_of(range->order)) {
    if (range->comparator) comparator_ = comparator_of(*range->comparator);
}

SorterOptions options_of(const lanesort_options* options) {
    if (!options) return {};
    SorterOptions translated{.shape_file = options->shape_file ? options->shape_file : "",
                             .use_tuned = options->ignore_tuned == 0};
    if (options->progress)
        translated.progress = [call = options->progress, context = options->progress_context](
                                  std::size_t done, std::size_t all) { call(done, all, context); };
    return translated;
}

}  // namespace lanesort::c
