// SPDX-License-Identifier: MIT
// What no operation can do.
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "planner.hpp"
#include "require.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

template <class... Arguments>
void enforce(bool holds, fmt::format_string<const Arguments&...> sentence, const Arguments&... arguments) {
    detail::require(holds, ErrorCode::invalid_argument, sentence, arguments...);
}

/// A comment that does not end would go on in the kernels' own text.
bool ends_in_comment(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view two = text.substr(i, 2);
        if (two == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            if (end == text.npos) return true;
            i = end + 1;
        } else if (two == "//" || text[i] == '"' || text[i] == '\'') {
            // To the end of the line at the most; a backslash takes the next character with it.
            const char end = two == "//" ? '\n' : text[i];
            for (++i; i < text.size() && text[i] != end && text[i] != '\n'; ++i)
                if (text[i] == '\\') ++i;
        }
    }
    return false;
}

}  // namespace

void check_type(const KeyKind& kind) {
    enforce(kind.is_record() || std::ranges::count(all_key_types, kind.type()) == 1, "there is no type of numbers {}",
            static_cast<unsigned>(kind.type()));
}

void check(const Request& request) {
    enforce(request.row_length == 0 || request.count % request.row_length == 0,
            "{} keys are no whole number of rows of {} keys", request.count, request.row_length);
    enforce(request.row_length == 0 || !request.has_segments(), "keys cannot be rows and segments at once");
    enforce(!request.has_segments() || request.offset_bytes == 4 || request.offset_bytes == 8,
            "offsets of segments have {} bytes, but must have 4 or 8", request.offset_bytes);
    enforce(!request.has_segments() || request.segments < ~std::uint64_t{0},
            "{} segments are more than can be: they have one offset more", request.segments);
    enforce(request.value_bytes == 0 || request.value_type.binary_operator() ||
                (std::has_single_bit(request.value_bytes) && request.value_bytes <= 16),
            "values have {} bytes, but must have 1, 2, 4, 8 or 16", request.value_bytes);
    const auto check_text = [](std::initializer_list<std::pair<const std::string*, const char*>> parts,
                               const char* what) {
        for (const auto& [text, name] : parts)
            enforce(!ends_in_comment(*text), "a comment in the {}'s {} has no end: there is /* without */", what, name);
    };
    const auto check_operator = [&](const BinaryOperator& combining) {
        enforce(combining.bytes >= 1 && combining.bytes <= 64, "elements have {} bytes, but must have 1 to 64",
                combining.bytes);
        enforce(!combining.type.empty() && !combining.combine.empty() && !combining.identity.empty(),
                "an operator needs the name of the elements' type, an expression that combines two and an identity");
        check_text({{&combining.type, "type"},
                    {&combining.combine, "expression"},
                    {&combining.identity, "identity"},
                    {&combining.declarations, "declarations"},
                    {&combining.transform, "transform"}},
                   "operator");
    };
    if (const BinaryOperator* const combining = request.value_type.binary_operator()) check_operator(*combining);
    if (const Predicate* const predicate = request.key.predicate()) {
        enforce(predicate->bytes >= 1 && predicate->bytes <= 64, "elements have {} bytes, but must have 1 to 64",
                predicate->bytes);
        enforce(!predicate->type.empty() && !predicate->holds.empty(),
                "a predicate needs the name of the elements' type and an expression");
        enforce(predicate->parameter_bytes <= 64, "a parameter has {} bytes, but must have 1 to 64",
                predicate->parameter_bytes);
        enforce(predicate->parameter_type.empty() == (predicate->parameter_bytes == 0),
                "a predicate's parameter needs a type and a size");
        check_text({{&predicate->type, "type"},
                    {&predicate->holds, "expression"},
                    {&predicate->declarations, "declarations"},
                    {&predicate->parameter_type, "parameter's type"}},
                   "predicate");
    } else if (const BinaryOperator* const combining = request.key.binary_operator()) {
        enforce(!request.order, "elements that an operator combines have no order, so none can be asked for");
        check_operator(*combining);
    } else if (const Comparator* const comparator = request.key.comparator()) {
        enforce(comparator->bytes >= 1 && comparator->bytes <= 64, "records have {} bytes, but must have 1 to 64",
                comparator->bytes);
        enforce(!request.order, "records have the order of their comparator, so no other can be asked for");
        enforce(!comparator->type.empty() && !comparator->before.empty(),
                "a comparator needs the name of the records' type and an expression");
        check_text({{&comparator->type, "type"},
                    {&comparator->before, "expression"},
                    {&comparator->declarations, "declarations"}},
                   "comparator");
    } else if (request.key.compiled_order()) {
        enforce(!request.order, "records have the order of their function, so no other can be asked for");
    } else {
        check_type(request.key);
    }
    const Order order = request.order_or_usual();
    enforce(order == Order::ascending || order == Order::descending, "there is no order {}",
            static_cast<unsigned>(order));
    enforce(std::ranges::count(all_schedules, request.schedule) == 1, "there is no schedule {}",
            static_cast<unsigned>(request.schedule));
    enforce(request.reduction <= Reduction::mean, "there is no reduction {}", static_cast<unsigned>(request.reduction));
    enforce(request.part <= MergePart::upper_half, "there is no part {}", static_cast<unsigned>(request.part));
    enforce(request.part == MergePart::whole || (!request.key.is_record() && !request.stable && !request.apart &&
                                                 !request.counts_syncs && request.middle == 0),
            "a `part` is of numbers and no stable one, and has no `middle`");
}

void check_indices(const Request& request) {
    enforce(request.index_bytes == 4 || request.index_bytes == 8, "indices have {} bytes, but must have 4 or 8",
            request.index_bytes);
    detail::require(request.index_bytes != 4 || request.length() <= most_narrow_indices, ErrorCode::too_large,
                    "{} keys cannot be numbered by indices of 4 bytes, but {} can", request.length(),
                    most_narrow_indices);
}

}  // namespace lanesort::inline v0_1::detail
