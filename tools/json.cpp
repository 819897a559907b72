// SPDX-License-Identifier: MIT
#include "json.hpp"

#include <nlohmann/json.hpp>

struct Json::Tree {
    nlohmann::ordered_json top = nullptr;
};

Json::Json() : tree_(std::make_unique<Tree>()) {}

Json::Json(bool truth) : Json() { tree_->top = truth; }

Json::Json(std::string_view text) : Json() { tree_->top = std::string(text); }

Json::Json(std::initializer_list<std::pair<std::string_view, Json>> members) : Json() {
    for (const auto& [name, member] : members) put(name, member);
}

Json::Json(const Json& other) : tree_(std::make_unique<Tree>(*other.tree_)) {}

Json::~Json() = default;

Json Json::array() {
    Json empty;
    empty.tree_->top = nlohmann::ordered_json::array();
    return empty;
}

void Json::put(std::string_view name, const Json& member) { tree_->top[std::string(name)] = member.tree_->top; }

void Json::push_back(const Json& element) { tree_->top.push_back(element.tree_->top); }

std::string Json::text() const {
    return tree_->top.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void Json::set(std::int64_t number) { tree_->top = number; }

void Json::set(std::uint64_t number) { tree_->top = number; }
