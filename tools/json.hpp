// JSON, as sub-commands print it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

struct Json {
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  ///< in the order in which it is written

    Json() = default;  ///< null
    Json(bool truth) : value(truth) {}
    template <std::integral Number>
    Json(Number number) : value(std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>{number}) {}
    Json(const char* text) : value(std::string(text)) {}
    Json(std::string_view text) : value(std::string(text)) {}
    Json(std::string text) : value(std::move(text)) {}
    Json(Array elements) : value(std::move(elements)) {}
    Json(Object members) : value(std::move(members)) {}
    Json(std::initializer_list<Object::value_type> members) : value(Object(members)) {}

    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, std::string, Array, Object> value;
};

/// As text that ends with a new line. Bytes that are no UTF-8, in the names of devices, are replaced.
std::string to_text(const Json& json);
