// SPDX-License-Identifier: MIT
#include "svg.hpp"

#include <cmath>

#include <fmt/core.h>

namespace {

/// The beginning of an element's tag.
std::string tag(std::string_view name, std::string_view style) {
    return style.empty() ? fmt::format("<{}", name) : fmt::format("<{} class=\"{}\"", name, style);
}

std::string number(double value) {
    const auto tenths = std::llround(value * 10);
    const auto whole = tenths / 10, rest = std::abs(tenths % 10);
    const char* const sign = tenths < 0 && whole == 0 ? "-" : "";
    return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}{}.{}", sign, whole, rest);
}

}  // namespace

std::string escape_xml(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&') escaped += "&amp;";
        else if (c == '<') escaped += "&lt;";
        else if (c == '>') escaped += "&gt;";
        else if (c == '"') escaped += "&quot;";
        else if ((c >= ' ' && c <= '~') || c == '\n') escaped += c;
        else escaped += '?';
    }
    return escaped;
}

double text_width(std::string_view words, double size) { return 0.62 * size * static_cast<double>(words.size()); }

void Svg::line(std::string_view style, Point from, Point to) {
    elements_ += fmt::format("{} x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", tag("line", style), number(from.first),
                             number(from.second), number(to.first), number(to.second));
}

void Svg::rect(std::string_view style, Point corner, double width, double height, double radius) {
    elements_ += fmt::format("{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", tag("rect", style),
                             number(corner.first), number(corner.second), number(width), number(height));
    if (radius > 0) elements_ += fmt::format(" rx=\"{}\"", number(radius));
    elements_ += "/>\n";
}

void Svg::circle(std::string_view style, Point center, double radius) {
    elements_ += fmt::format("{} cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", tag("circle", style), number(center.first),
                             number(center.second), number(radius));
}

void Svg::polyline(std::string_view style, const std::vector<Point>& points) {
    elements_ += fmt::format("{} points=\"", tag("polyline", style));
    for (const auto& [x, y] : points) elements_ += fmt::format("{},{} ", number(x), number(y));
    if (!points.empty()) elements_.pop_back();
    elements_ += "\"/>\n";
}

void Svg::text(std::string_view style, Point at, std::string_view words) {
    elements_ += fmt::format("{} x=\"{}\" y=\"{}\">{}</text>\n", tag("text", style), number(at.first),
                             number(at.second), escape_xml(words));
}

std::string Svg::document(double width, double height, std::string_view title, std::string_view style_sheet) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
        "<title>{2}</title>\n"
        "<style>\n{3}</style>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
        "{4}</svg>\n",
        number(width), number(height), escape_xml(title), escape_xml(style_sheet), elements_);
}
