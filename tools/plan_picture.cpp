// SPDX-License-Identifier: MIT
#include "plan_picture.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include <lanesort/statistics.hpp>

#include "svg.hpp"

namespace {

using namespace lanesort;

constexpr double margin = 20, left_edge = 78;

constexpr std::string_view style_sheet =
    "text { font: 11px 'DejaVu Sans', Verdana, Arial, sans-serif; fill: #1f2933; }\n"
    ".title { font-size: 17px; font-weight: bold; }\n"
    ".small { font-size: 10px; fill: #52606d; }\n"
    ".middle { text-anchor: middle; }\n"
    ".smiddle { font-size: 10px; fill: #52606d; text-anchor: middle; }\n"
    ".right { text-anchor: end; }\n"
    ".number { fill: #ffffff; font-weight: bold; text-anchor: middle; }\n"
    ".wire { stroke: #9aa5b1; }\n"
    ".bracket { stroke: #52606d; }\n"
    ".comparator { stroke: #243b53; stroke-width: 1.8; }\n"
    ".end { fill: #243b53; }\n"
    ".move { stroke: #829ab1; stroke-width: 0.8; }\n"
    ".mirrored { stroke: #b5179e; stroke-width: 1.8; }\n"
    ".mirrored-end { fill: #b5179e; }\n"
    ".cpu { stroke: #d62828; stroke-width: 4; }\n"
    ".hand-over { stroke: #4338ca; stroke-width: 2; stroke-dasharray: 3 2; }\n"
    ".tile { stroke: #52606d; stroke-dasharray: 6 4; }\n"
    ".split { stroke: #ffffff; stroke-width: 1; stroke-opacity: 0.6; }\n"
    ".sort_tiles { fill: #17806d; }\n"
    ".merge_strips { fill: #c46f00; }\n"
    ".merge_tiles { fill: #2f6db3; }\n"
    ".merge_heads { fill: #7b52ab; }\n"
    ".merge_columns { fill: #a8323e; }\n"
    ".merge_tile_columns { fill: #5c6b1f; }\n"
    ".merge_borders { fill: #486581; }\n"
    ".sort_tiles-box { fill: #d9f2ec; }\n"
    ".merge_strips-box { fill: #fdebcf; }\n"
    ".merge_tiles-box { fill: #dce9f7; }\n"
    ".merge_heads-box { fill: #eae0f5; }\n"
    ".merge_columns-box { fill: #f9dfe1; }\n"
    ".merge_tile_columns-box { fill: #ecf0d6; }\n"
    ".merge_borders-box { fill: #e1e8ef; }\n";

std::string number_text(std::uint64_t number) {
    if (number >= 1024 && std::has_single_bit(number)) return fmt::format("2^{}", std::countr_zero(number));
    return std::to_string(number);
}

bool hands_over_at_end(const Pass& pass, const std::vector<Step>& of_pass) {
    const auto before = static_cast<unsigned>(std::ranges::count(of_pass, true, &Step::handed_over));
    return pass.hand_overs > before;
}

/// Whether the pass ends with keys going to their columns.
bool moves_to_columns(const Pass& pass) { return pass.column_bits > 0 && pass.kind == Pass::Kind::sort_tiles; }

/// Whether it begins with keys coming back.
bool moves_back(const Pass& pass) { return pass.kind == Pass::Kind::merge_tile_columns && pass.strip_bits == 0; }

/// Two keys that meet, by their places in the array.
struct Comparator {
    std::uint64_t upper, lower;
};

/// The place in the array of the i-th key of a column: a strip of each whole tile, and every key that is as many behind
/// the last one as there are columns of one that is not whole.
std::uint64_t place_in_column(std::uint64_t i, std::uint64_t number, const Pass& pass, const Plan& plan) {
    const std::uint64_t columns = std::uint64_t{1} << pass.column_bits, column = number % columns;
    const std::uint64_t tile = ((i >> pass.strip_bits) + number / columns * columns) << pass.strip_stride;
    const std::uint64_t in_strip = i & ((std::uint64_t{1} << pass.strip_bits) - 1);
    const bool is_whole = tile + plan.shape.tile_keys() <= plan.count;
    return tile + (is_whole ? (column << pass.strip_bits) + in_strip : column + in_strip * columns);
}

/// The compare-exchanges of a step. Those that reach beyond the keys are skipped.
std::vector<Comparator> comparators(const Step& step, const Pass& pass, const Plan& plan) {
    const std::uint64_t mask = step.mirrored ? (std::uint64_t{1} << step.phase) - 1 : std::uint64_t{1} << step.stride;
    const std::uint64_t tile = plan.shape.tile_keys();
    std::vector<Comparator> found;
    const auto add = [&](std::uint64_t size, auto place) {
        for (std::uint64_t i = 0; i < size; ++i)
            if (const std::uint64_t partner = i ^ mask;
                partner > i && place(i) < plan.count && place(partner) < plan.count)
                found.push_back({place(i), place(partner)});
    };
    switch (pass.kind) {
        case Pass::Kind::merge_columns:
            for (std::uint64_t number = 0; number < pass.tiles; ++number)
                add(tile, [&](std::uint64_t i) { return place_in_column(i, number, pass, plan); });
            break;
        case Pass::Kind::merge_tile_columns:
            // Of a tile that the array ends in, columns are not side by side: what it does to them cannot be drawn.
            if (step.distance == 0) add(plan.count / tile * tile, [](std::uint64_t i) { return i; });
            for (std::uint64_t i = 0; step.distance > 0 && i + step.distance < plan.count; ++i)
                if ((i & (step.distance & -step.distance)) && i % tile + step.distance < tile)
                    found.push_back({i, i + step.distance});
            break;
        case Pass::Kind::merge_borders:
            for (std::uint64_t border = tile; border < plan.count; border += tile)
                if (border / tile % (std::uint64_t{1} << pass.column_bits) > 0)
                    add(std::uint64_t{1} << step.phase,
                        [&](std::uint64_t i) { return border - (std::uint64_t{1} << step.phase >> 1) + i; });
            break;
        case Pass::Kind::merge_heads:
            // Keys are numbered as if only the heads of runs were there.
            add(pass.strip_stride > 0 ? pass.tiles * tile : plan.count, [&](std::uint64_t i) {
                return ((i >> pass.strip_bits) << pass.strip_stride) +
                       (i & ((std::uint64_t{1} << pass.strip_bits) - 1));
            });
            break;
        default: add(plan.count, [](std::uint64_t i) { return i; });
    }
    return found;
}

// ---- the network ---------------------------------------------------------------------------------------------------

/// Wires from left to right, comparators between them, a box around each pass.
class NetworkPicture {
public:
    NetworkPicture(const Plan& plan, double top)
        : plan_(plan),
          pitch_(plan.count <= 16   ? 22
                 : plan.count <= 32 ? 16
                                    : 12),
          column_(plan.count <= 16 ? 12 : 9),
          box_top_(top + 26),
          first_wire_(box_top_ + 34),
          box_bottom_(wire(plan.count - 1) + 32) {
        front_.text("small", {margin, top + 12}, "phase");
        front_.text("small", {margin, box_top_ + 15}, "pass");
        front_.text("small", {margin, box_bottom_ - 8}, "stride");
        for (const Pass& pass : plan.passes) draw(pass);
        for (std::uint64_t i = 0; i < plan.count; ++i) {
            wires_.line("wire", {left_edge - 8, wire(i)}, {x_ + 8, wire(i)});
            wires_.text("small right", {left_edge - 13, wire(i) + 4}, std::to_string(i));
        }
        end_phase();
        boxes_.add(wires_);
        boxes_.add(front_);
    }

    const Svg& svg() const { return boxes_; }
    double right() const { return x_ + 8; }
    double bottom() const { return box_bottom_; }

private:
    static constexpr double between_steps = 15, between_passes = 22, around_hand_over = 9, half_phase_gap = 5,
                            for_moves = 60;

    double wire(std::uint64_t i) const { return first_wire_ + static_cast<double>(i) * pitch_; }

    void draw(const Pass& pass) {
        if (number_++ > 0) {
            const double x = x_ + between_passes / 2;
            front_.line("cpu", {x, box_top_ - 4}, {x, box_bottom_ + 4});
            x_ += between_passes;
        }
        const double begin = x_;
        x_ += between_steps;
        const std::vector<Step> of_pass = steps(pass, plan_.shape);
        const Step* last = nullptr;
        if (moves_back(pass)) draw_moves(pass, true);
        for (const Step& step : of_pass) {
            if (step.handed_over) hand_over();
            else if (last && last->phase != step.phase) x_ += 2 * half_phase_gap;
            draw(step, pass);
            last = &step;
        }
        if (hands_over_at_end(pass, of_pass)) hand_over();
        if (moves_to_columns(pass)) draw_moves(pass, false);
        boxes_.rect(fmt::format("{}-box", name(pass.kind)), {begin, box_top_}, x_ - begin, box_bottom_ - box_top_, 6);
        front_.text("middle", {(begin + x_) / 2, box_top_ + 15}, std::to_string(number_));
    }

    /// The keys of whole tiles go to their columns, or come back.
    void draw_moves(const Pass& pass, bool back) {
        const std::uint64_t tile = plan_.shape.tile_keys(), columns = std::uint64_t{1} << pass.column_bits;
        for (std::uint64_t i = 0; i < plan_.count / tile * tile; ++i) {
            const std::uint64_t k = i % tile, place = i - k + k % columns * (tile / columns) + k / columns;
            if (place != i) front_.line("move", {x_, wire(back ? place : i)}, {x_ + for_moves, wire(back ? i : place)});
        }
        x_ += for_moves + between_steps;
    }

    void hand_over() {
        x_ += around_hand_over - between_steps / 2;
        front_.line("hand-over", {x_, box_top_ + 20}, {x_, box_bottom_ - 20});
        x_ += around_hand_over + between_steps / 2;
    }

    void draw(const Step& step, const Pass& pass) {
        if (!phase_ || *phase_ != step.phase) {
            end_phase();
            phase_ = step.phase;
            phase_begin_ = x_ - half_phase_gap;
        }
        const double begin = x_;
        // Comparators whose wires overlap stand side by side: each in the first column that is free there.
        std::vector<std::uint64_t> used_to;
        for (const auto& [upper, lower] : comparators(step, pass, plan_)) {
            const auto free = std::ranges::find_if(used_to, [first = upper](std::uint64_t end) { return end < first; });
            const double x = x_ + column_ * static_cast<double>(free - used_to.begin());
            if (free == used_to.end()) used_to.push_back(lower);
            else *free = lower;
            front_.line(step.mirrored ? "mirrored" : "comparator", {x, wire(upper)}, {x, wire(lower)});
            for (const std::uint64_t end : {upper, lower})
                front_.circle(step.mirrored ? "mirrored-end" : "end", {x, wire(end)}, 3);
        }
        x_ += column_ * (std::max(static_cast<double>(used_to.size()), 1.0) - 1);
        front_.text("smiddle", {(begin + x_) / 2, box_bottom_ - 8},
                    std::to_string(step.distance > 0 ? step.distance : std::uint64_t{1} << step.stride));
        phase_end_ = x_ + half_phase_gap;
        x_ += between_steps;
    }

    void end_phase() {
        if (!phase_) return;
        const double y = box_top_ - 9;
        front_.line("bracket", {phase_begin_, y}, {phase_end_, y});
        front_.text("middle", {(phase_begin_ + phase_end_) / 2, y - 5}, std::to_string(*phase_));
    }

    const Plan& plan_;
    double pitch_, column_, box_top_, first_wire_, box_bottom_;
    Svg boxes_, wires_, front_;
    double x_ = left_edge;
    unsigned number_ = 0;  ///< of the pass
    std::optional<unsigned> phase_;
    double phase_begin_ = 0, phase_end_ = 0;
};

// ---- the schedule --------------------------------------------------------------------------------------------------

/// A row for each phase, a column for each stride, and a bar for the steps that keys stay in registers for.
class SchedulePicture {
public:
    SchedulePicture(const Plan& plan, double top) : plan_(plan), top_(top + 40), y_(top_) {
        for (const Pass& pass : plan.passes)
            for (const Step& step : steps(pass, plan.shape)) strides_ = std::max(strides_, step.stride + 1);
        // One row's words are wider than few columns.
        sums_ = left_edge + column * strides_ + 12;
        for (unsigned stride = 0; stride < strides_; ++stride)
            front_.text("smiddle", {cell(stride) + column / 2, top_ - 8}, std::to_string(stride));
        front_.text("small", {margin, top_ - 8}, "stride 2^");
        front_.text("small right", {sums_ + cpu_width, top_ - 8}, "by the CPU");
        front_.text("small right", {right(), top_ - 8}, "hand-overs");
        for (const Pass& pass : plan.passes) draw(pass);
        end_row();
        draw_tile();
        front_.line("bracket", {margin, y_ + 2}, {right(), y_ + 2});
        draw_sums("all", all_);
        bars_.add(front_);
    }

    const Svg& svg() const { return bars_; }
    double right() const { return sums_ + cpu_width + hand_over_width; }
    double bottom() const { return y_; }

private:
    static constexpr double column = 30, row = 26, gap = 4, cpu_width = 66, hand_over_width = 76;

    struct Sums {
        unsigned by_cpu = 0, hand_overs = 0;
    };

    /// The left side of a stride's column; the longest stride comes first.
    double cell(unsigned stride) const { return left_edge + column * (strides_ - 1 - stride); }

    void draw(const Pass& pass) {
        const std::vector<Step> of_pass = steps(pass, plan_.shape);
        const bool follows = number_++ > 0;
        bool wants_number = true;
        for (auto step = of_pass.begin(); step != of_pass.end();) {
            if (!last_stride_ || step->stride >= *last_stride_) {
                begin_row(*step);
                wants_number = true;
            }
            auto next = std::next(step);
            while (next != of_pass.end() && !next->handed_over && next->stride < step->stride) ++next;
            // Where a pass begins with a hand-over, both marks stand side by side.
            const bool begins = follows && step == of_pass.begin();
            const double between_marks = begins && step->handed_over ? 5 : 0;
            draw_bar(pass.kind, cell(step->stride) + between_marks, *std::prev(next), wants_number);
            wants_number = false;
            if (begins) mark("cpu", cell(step->stride), 0, &Sums::by_cpu);
            if (step->handed_over) mark("hand-over", cell(step->stride) + between_marks, 3, &Sums::hand_overs);
            last_stride_ = std::prev(next)->stride;
            step = next;
        }
        if (hands_over_at_end(pass, of_pass)) mark("hand-over", cell(*last_stride_) + column, 3, &Sums::hand_overs);
    }

    /// A bar from there to the end of that step.
    void draw_bar(Pass::Kind kind, double from, const Step& last, bool numbered) {
        const double begin = from + gap, end = cell(last.stride) + column - gap;
        bars_.rect(name(kind), {begin, y_ + 3}, end - begin, row - 6, 4);
        for (double x = cell(last.stride); x > from; x -= column) bars_.line("split", {x, y_ + 3}, {x, y_ + row - 3});
        if (numbered) bars_.text("number", {from + column / 2, y_ + row / 2 + 4}, std::to_string(number_));
    }

    void mark(std::string_view style, double x, double inset, unsigned Sums::*sum) {
        front_.line(style, {x, y_ + inset}, {x, y_ + row - inset});
        ++(sums_of_row_.*sum);
        ++(all_.*sum);
    }

    void begin_row(const Step& step) {
        end_row();
        phase_ = step.phase;
        is_in_rows_ = step.distance > 0;
    }

    void end_row() {
        if (phase_) draw_sums(is_in_rows_ ? "rows" : fmt::format("phase {}", *phase_), sums_of_row_);
        sums_of_row_ = {};
    }

    void draw_sums(const std::string& title, const Sums& sums) {
        front_.text("", {margin, y_ + row / 2 + 4}, title);
        front_.text("right", {sums_ + cpu_width, y_ + row / 2 + 4}, std::to_string(sums.by_cpu));
        front_.text("right", {right(), y_ + row / 2 + 4}, std::to_string(sums.hand_overs));
        y_ += row;
    }

    /// The border between strides inside a tile and those that lead out of it.
    void draw_tile() {
        const auto tile = static_cast<unsigned>(std::countr_zero(plan_.shape.tile_keys()));
        if (tile >= strides_) return;
        const double x = cell(tile) + column;
        bars_.line("tile", {x, top_ - 22}, {x, y_});
        front_.text("small", {x + 4, top_ - 24}, fmt::format("in a tile of {}", number_text(plan_.shape.tile_keys())));
    }

    const Plan& plan_;
    double top_, y_, sums_ = 0;
    unsigned strides_ = 1;
    Svg bars_, front_;
    unsigned number_ = 0;  ///< of the pass
    std::optional<unsigned> phase_, last_stride_;
    bool is_in_rows_ = false;  ///< not a phase's row
    Sums sums_of_row_, all_;
};

// ---- the words around them -----------------------------------------------------------------------------------------

struct Sample {
    enum class Form : std::uint8_t { area, line, dots, crossing, word } form;
    std::string style, words;
};

/// Draws what means what, and returns where it ends.
Point draw_legend(Svg& svg, const std::vector<Sample>& samples, double y) {
    double right = 0;
    for (const auto& [form, style, words] : samples) {
        const double middle = y + 7;
        if (form == Sample::Form::area) svg.rect(style, {margin, y}, 22, 14, 3);
        else if (form == Sample::Form::line) svg.line(style, {margin + 11, y - 1}, {margin + 11, y + 15});
        else if (form == Sample::Form::word) svg.text("small", {margin, y + 11}, style);
        else if (form == Sample::Form::crossing) {
            svg.line(style, {margin + 3, y}, {margin + 19, y + 14});
            svg.line(style, {margin + 3, y + 14}, {margin + 19, y});
        } else {
            svg.line(style, {margin + 3, middle}, {margin + 19, middle});
            for (const double x : {3.0, 19.0})
                svg.circle(style == "mirrored" ? "mirrored-end" : "end", {margin + x, middle}, 3);
        }
        svg.text("", {margin + 32, y + 11}, words);
        right = std::max(right, margin + 32 + text_width(words, 11));
        y += 20;
    }
    return {right, y};
}

std::vector<Sample> legend_of(const Plan& plan, bool network) {
    using enum Sample::Form;
    std::vector<Sample> samples;
    const auto add_kind = [&](Pass::Kind kind, const char* words) {
        if (std::ranges::find(plan.passes, kind, &Pass::kind) != plan.passes.end())
            samples.push_back({area, name(kind), fmt::format("{}: {}", name(kind), words)});
    };
    add_kind(Pass::Kind::sort_tiles, "a pass that sorts every tile");
    add_kind(Pass::Kind::merge_strips, "a pass over steps of one phase that lead out of tiles");
    add_kind(Pass::Kind::merge_tiles, "a pass over the last steps of one phase, inside tiles");
    add_kind(Pass::Kind::merge_heads, "a pass over the heads of sorted runs; its strides are those in a tile");
    add_kind(Pass::Kind::merge_columns,
             "a pass over columns, which are a strip of each tile; its strides are those in a column");
    add_kind(Pass::Kind::merge_tile_columns, "a pass over tiles, whose columns are in order");
    add_kind(Pass::Kind::merge_borders, "a pass over what lies about the borders of tiles");
    const SyncCounts counts = exact_counts(plan);
    if (counts.by_cpu > 0) samples.push_back({line, "cpu", "the CPU synchronises all work-groups: a new launch"});
    if (counts.all > counts.by_cpu)
        samples.push_back({line, "hand-over", "the work-items of a group hand keys over, behind a barrier"});
    if (network) {
        samples.push_back({dots, "mirrored", "first step of a phase, mirrored; the smaller key goes up"});
        samples.push_back({dots, "comparator", "other compare-exchanges; the smaller key goes up"});
        const auto moves = [](const Pass& pass) { return moves_to_columns(pass) || moves_back(pass); };
        if (std::ranges::any_of(plan.passes, moves))
            samples.push_back({crossing, "move", "keys of a whole tile go to their columns, or come back"});
    }
    const auto has_rows = [&](const Pass& pass) {
        return std::ranges::any_of(steps(pass, plan.shape), [](const Step& step) { return step.distance > 0; });
    };
    if (std::ranges::any_of(plan.passes, has_rows))
        samples.push_back({word, "rows", "the merge of a tile's columns, row by row; its steps are of no phase"});
    return samples;
}

}  // namespace

std::string plan_picture(const Plan& plan) {
    const SyncCounts counts = exact_counts(plan);
    std::size_t all_steps = 0;
    for (const Pass& pass : plan.passes) all_steps += pass.steps;
    const std::string title = fmt::format("Sort of {} keys", number_text(plan.count));
    const std::string shape = "shape " + to_string(plan.shape);
    const std::string sums = fmt::format(
        "passes: {}, steps: {}, synchronisations by the CPU: {}, hand-overs: {}, barriers for each work-item: {}",
        plan.passes.size(), all_steps, counts.by_cpu, counts.all - counts.by_cpu, counts.barriers);
    const bool network = !plan.passes.empty() && plan.count <= most_drawn_keys;

    Svg svg;
    svg.text("title", {margin, 32}, title);
    svg.text("", {margin, 54}, shape);
    svg.text("", {margin, 72}, sums);
    auto [right, y] = draw_legend(svg, legend_of(plan, network), 88);
    right = std::max({right, margin + text_width(sums, 11), margin + text_width(shape, 11)});
    if (network) {
        const NetworkPicture drawn(plan, y + 8);
        svg.add(drawn.svg());
        right = std::max(right, drawn.right());
        y = drawn.bottom() + 8;
    }
    if (!plan.passes.empty()) {
        const SchedulePicture drawn(plan, y + 8);
        svg.add(drawn.svg());
        right = std::max(right, drawn.right());
        y = drawn.bottom();
    }
    return svg.document(right + margin, y + margin, fmt::format("{}: {}", title, sums), style_sheet);
}
