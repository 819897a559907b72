// SPDX-License-Identifier: MIT
#include "stats_picture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "svg.hpp"

namespace {

using namespace lanesort;

constexpr double margin = 20, plot_left = 64, plot_width = 330, plot_top = 86, plot_height = 330, labels_gap = 44;
constexpr double label_height = 17, letters = 11;

constexpr std::string_view colours[] = {"#1f2933", "#d62828", "#c46f00", "#8a7a00", "#3f8f29", "#17806d", "#1c7fa6",
                                        "#2f4fb3", "#7b52ab", "#b5179e", "#a0522d", "#6b7785", "#e8608a", "#7cb518"};

std::string style_sheet() {
    std::string style =
        "text { font: 11px 'DejaVu Sans', Verdana, Arial, sans-serif; fill: #1f2933; }\n"
        ".title { font-size: 17px; font-weight: bold; }\n"
        ".panel { font-size: 13px; font-weight: bold; }\n"
        ".small { font-size: 10px; fill: #52606d; }\n"
        ".smiddle { font-size: 10px; fill: #52606d; text-anchor: middle; }\n"
        ".right { font-size: 10px; fill: #52606d; text-anchor: end; }\n"
        ".grid { stroke: #e4e7eb; }\n"
        ".axis { stroke: #52606d; }\n"
        ".series { fill: none; stroke-width: 2; stroke-linejoin: round; }\n"
        ".leader { fill: none; stroke-width: 1; stroke-opacity: 0.5; }\n";
    for (std::size_t i = 0; i < std::size(colours); ++i)
        style += fmt::format(".c{0} {{ stroke: {1}; }}\n.d{0} {{ fill: {1}; }}\n", i, colours[i]);
    return style;
}

/// One kind of synchronisation.
class Panel {
public:
    Panel(double left, unsigned from, const std::vector<Series>& series, std::uint64_t SyncCounts::*kind,
          std::string_view title)
        : left_(left), from_(from), points_(series.front().counts.size()) {
        for (const Series& drawn : series)
            for (const SyncCounts& counts : drawn.counts) most_ = std::max(most_, counts.*kind);
        svg_.text("panel", {left, plot_top - 18}, title);
        draw_axes();
        draw_series(series, kind);
    }

    const Svg& svg() const { return svg_; }
    double right() const { return right_; }
    double bottom() const { return bottom_; }

private:
    double x(std::size_t point) const {
        return left_ + plot_left + plot_width * static_cast<double>(point) / static_cast<double>(points_ - 1);
    }
    /// A logarithmic scale that has a place for nought.
    double y(std::uint64_t count) const {
        const auto height = [](std::uint64_t of) { return std::log1p(static_cast<double>(of)); };
        return plot_top + plot_height * (1 - height(count) / height(most_));
    }

    void draw_axes() {
        const double end = left_ + plot_left + plot_width, bottom = plot_top + plot_height;
        std::vector<std::uint64_t> ticks = {0};
        for (std::uint64_t tick = 1; tick <= most_; tick *= 10)
            for (const std::uint64_t times : {1, 3})
                if (times * tick <= most_) ticks.push_back(times * tick);
        for (const std::uint64_t tick : ticks) {
            svg_.line("grid", {left_ + plot_left, y(tick)}, {end, y(tick)});
            svg_.text("right", {left_ + plot_left - 8, y(tick) + 4}, std::to_string(tick));
        }
        const std::size_t every = (points_ + 9) / 10;
        for (std::size_t point = 0; point < points_; point += every) {
            svg_.line("grid", {x(point), plot_top}, {x(point), bottom});
            svg_.text("smiddle", {x(point), bottom + 18}, fmt::format("2^{}", from_ + point));
        }
        svg_.line("axis", {left_ + plot_left, bottom}, {end, bottom});
        svg_.line("axis", {left_ + plot_left, plot_top}, {left_ + plot_left, bottom});
        svg_.text("smiddle", {left_ + plot_left + plot_width / 2, bottom + 38}, "keys");
        bottom_ = bottom + 38;
    }

    /// Each line has its name beside its end. Lines that coincide are one, in the colour of the first, with all names.
    void draw_series(const std::vector<Series>& series, std::uint64_t SyncCounts::*kind) {
        const auto values = [&](const Series& of) {
            std::vector<std::uint64_t> all;
            for (const SyncCounts& counts : of.counts) all.push_back(counts.*kind);
            return all;
        };
        struct Label {
            std::size_t colour;
            double end, at;
            const std::string* name;
        };
        std::vector<Label> labels;
        for (std::size_t i = 0; i < series.size(); ++i) {
            const auto drawn = values(series[i]);
            const auto same = std::ranges::find(series, drawn, values);
            const auto first = static_cast<std::size_t>(same - series.begin());
            if (first == i) {
                std::vector<Point> line;
                for (std::size_t point = 0; point < points_; ++point) line.emplace_back(x(point), y(drawn[point]));
                svg_.polyline(fmt::format("series c{}", i % std::size(colours)), line);
            }
            labels.push_back({first % std::size(colours), y(drawn.back()), 0, &series[i].name});
        }
        std::ranges::stable_sort(labels, {}, [](const Label& label) { return std::pair(label.end, label.colour); });

        // Names go down until there is room for them, and then all of them up as far as they went too far.
        double free = plot_top;
        for (Label& label : labels) {
            label.at = std::max(label.end, free);
            free = label.at + label_height;
        }
        double lowest = plot_top + plot_height;
        for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
            label->at = std::min(label->at, lowest);
            lowest = label->at - label_height;
        }
        const double end = left_ + plot_left + plot_width;
        for (const Label& label : labels) {
            svg_.polyline(fmt::format("leader c{}", label.colour),
                          {{end, label.end}, {end + 6, label.end}, {end + labels_gap - 10, label.at}});
            svg_.circle(fmt::format("d{}", label.colour), {end + labels_gap - 6, label.at}, 4);
            svg_.text("", {end + labels_gap + 4, label.at + 4}, *label.name);
            right_ = std::max(right_, end + labels_gap + 4 + text_width(*label.name, letters));
        }
    }

    double left_;
    unsigned from_;
    std::size_t points_;
    std::uint64_t most_ = 1;
    Svg svg_;
    double right_ = 0, bottom_ = 0;
};

}  // namespace

std::string stats_picture(std::string_view keys, unsigned from, const std::vector<Series>& series) {
    const std::string title = fmt::format("How often each variant of the sort synchronises, for {}", keys);
    const Panel cpu(margin, from, series, &SyncCounts::by_cpu, "Synchronisations by the CPU (launches - 1)");
    const Panel barriers(cpu.right() + margin, from, series, &SyncCounts::barriers,
                         "Barriers in local memory, for each work-item");
    Svg svg;
    svg.text("title", {margin, 34}, title);
    svg.add(cpu.svg());
    svg.add(barriers.svg());
    return svg.document(barriers.right() + margin, barriers.bottom() + margin, title, style_sheet());
}
