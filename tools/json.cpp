#include "json.hpp"

#include <nlohmann/json.hpp>

namespace {

using Tree = nlohmann::ordered_json;

struct ToTree {
    Tree operator()(std::monostate) const { return nullptr; }
    Tree operator()(const Json::Array& elements) const {
        Tree array = Tree::array();
        for (const Json& element : elements) array.push_back(std::visit(*this, element.value));
        return array;
    }
    Tree operator()(const Json::Object& members) const {
        Tree object = Tree::object();
        for (const auto& [name, member] : members) object[name] = std::visit(*this, member.value);
        return object;
    }
    Tree operator()(const auto& value) const { return value; }
};

}  // namespace

std::string to_text(const Json& json) {
    return std::visit(ToTree(), json.value).dump(2, ' ', false, Tree::error_handler_t::replace) + "\n";
}
