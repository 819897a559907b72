// SPDX-License-Identifier: MIT
#include <lanesort/key_types.hpp>

#include <fmt/core.h>

#include <lanesort/comparator.hpp>

namespace lanesort::inline v0_1 {

#ifdef _GLIBCXX_DEBUG
const bool detail::library_compiled_with_GLIBCXX_DEBUG = true;
#else
const bool detail::library_compiled_without_GLIBCXX_DEBUG = true;
#endif

std::string_view name(KeyType type) noexcept {
    constexpr std::string_view names[] = {"none", "u8",  "i8",  "u16", "i16", "u32",
                                          "i32",  "u64", "i64", "f16", "f32", "f64"};
    const auto number = static_cast<std::size_t>(type);
    return number < std::size(names) ? names[number] : names[0];
}

std::optional<KeyType> key_type_from_name(std::string_view wanted) noexcept {
    for (const KeyType type : all_key_types)
        if (name(type) == wanted) return type;
    return std::nullopt;
}

std::string KeyKind::name() const {
    if (compiled_) return fmt::format("records of {} bytes", compiled_->bytes);
    return comparator_  ? fmt::format("{} of {} bytes", comparator_->type, comparator_->bytes)
           : predicate_ ? fmt::format("{} of {} bytes", predicate_->type, predicate_->bytes)
           : operator_  ? fmt::format("{} of {} bytes", operator_->type, operator_->bytes)
                        : fmt::format("type {}", lanesort::name(type_));
}

}  // namespace lanesort::inline v0_1
