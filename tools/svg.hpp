// SPDX-License-Identifier: MIT
// Pictures as SVG, written element by element.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A place in a picture, in pixels from its upper left corner.
using Point = std::pair<double, double>;

/// The text with what is special in XML escaped, and a question mark for what is not printable ASCII.
std::string escape_xml(std::string_view text);

/// A picture under way. How an element looks is said by its class, in the style sheet. Numbers are written with at most
/// one decimal, so that the same calls give the same bytes everywhere.
class Svg {
public:
    void line(std::string_view style, Point from, Point to);
    void rect(std::string_view style, Point corner, double width, double height, double radius = 0);
    void circle(std::string_view style, Point center, double radius);
    void polyline(std::string_view style, const std::vector<Point>& points);
    void text(std::string_view style, Point at, std::string_view words);
    /// Puts another picture's elements on top of these.
    void add(const Svg& other) { elements_ += other.elements_; }

    /// The file: these elements on white, which dark viewers show as light ones do. A screen reader reads the title.
    std::string document(double width, double height, std::string_view title, std::string_view style_sheet) const;

private:
    std::string elements_;
};

/// About how wide a text is, in pixels, in letters of that size.
double text_width(std::string_view words, double size);
