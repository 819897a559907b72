// SPDX-License-Identifier: MIT
// JSON, as sub-commands print it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

/// A value; an object has its members in the order in which they were put.
class Json {
public:
    Json();  ///< null
    Json(bool truth);
    Json(std::signed_integral auto number) : Json() { set(std::int64_t{number}); }
    Json(std::unsigned_integral auto number) : Json() { set(std::uint64_t{number}); }
    Json(std::string_view text);
    Json(const std::string& text) : Json(std::string_view(text)) {}
    Json(const char* text) : Json(std::string_view(text)) {}
    Json(std::initializer_list<std::pair<std::string_view, Json>> members);
    Json(const Json& other);
    ~Json();
    static Json array();

    void put(std::string_view name, const Json& member);
    void push_back(const Json& element);
    /// As text that ends with a new line. Bytes that are no UTF-8, in the names of devices, are replaced.
    std::string text() const;

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;

    void set(std::int64_t number);
    void set(std::uint64_t number);
};
