// SPDX-License-Identifier: MIT
// That the passes of a plan are the steps of the network, once each and in order, and that no two work-items touch a
// key between two synchronisations: for any plan, of any number of keys, without running it.
//
// A pass is laid over tiles, work-items, registers and lanes as kernels/common/tile.h and the loops of
// kernels/sort/tile_in_local.cl do it. The place of a key is then a function of the bits of these four numbers that
// only moves bits and xors them: it is linear over GF(2). So the places of single bits tell that of every key. If they
// are linearly independent, every key is held once; and what a step compares with a key lies one fixed xor away from
// it. (A tile that is walked in the cache has one work-item. It runs the same steps, in an order of its own.)
//
// Columns are no steps of the network. Of them the proof is that keys are moved by permutations, which are linear, too,
// that each run of tiles has no more tiles than columns, and that as much is mended about borders as can be out of
// order.
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "core/integers.hpp"
#include "ops/sort/rounds.hpp"
#include "oracle/reference_network.hpp"
#include "plan_cases.hpp"
#include "support.hpp"

namespace lanesort {
namespace {

using Mask = std::uint64_t;

constexpr Mask low_bits(unsigned bits) { return (Mask{1} << bits) - 1; }
unsigned bits_below(std::uint64_t end) { return static_cast<unsigned>(std::bit_width(end - 1)); }

// ---- the network, by its definition in kernels/README.md -----------------------------------------------------------

/// The steps of one phase, each the xor from a key's place to that of its partner.
void append_phase(std::vector<Mask>& steps, unsigned phase) {
    steps.push_back(low_bits(phase));
    for (unsigned stride = phase - 1; stride-- > 0;) steps.push_back(Mask{1} << stride);
}

std::vector<Mask> phases(unsigned first, unsigned last) {
    std::vector<Mask> steps;
    for (unsigned phase = first; phase <= last; ++phase) append_phase(steps, phase);
    return steps;
}

// ---- what the kernels do -------------------------------------------------------------------------------------------

/// A step inside a work-item: the register and the lane of a key's partner differ in these bits from its own.
struct Flip {
    unsigned registers, lanes;
};

/// What happens between two hand-overs, or between the load or the store and one of them.
struct Round {
    unsigned start;
    bool mirrored;
    std::vector<Flip> steps = {};
};

class Kernel {
public:
    Kernel(const Pass& pass, const Plan& plan)
        : pass_(pass),
          shape_(plan.shape),
          lane_bits_(log2(shape_.lanes)),
          field_bits_(log2(shape_.register_vectors)),
          tile_bits_(log2(shape_.tile_vectors())),
          contiguous_(tile_bits_ - field_bits_),
          over_heads_(plan.passes.back().kind == Pass::Kind::merge_heads),
          begins_merge_(!over_heads_ && &pass == &plan.passes.front() && pass.kind != Pass::Kind::sort_tiles) {
        const bool merges = pass.kind == Pass::Kind::merge_strips || pass.kind == Pass::Kind::merge_tiles;
        if (merges) merge();
        else sort(over_heads_ && pass.kind == Pass::Kind::merge_heads ? pass.first_phase - lane_bits_ : 0);
        // Columns are stored as the last round holds them.
        if (shape_.coalesced_store && shape_.tile_work_items() > 1 && pass.kind != Pass::Kind::merge_strips &&
            pass.column_bits == 0)
            store();
        block_bits_ = pass.kind == Pass::Kind::merge_heads ? 0 : pass.strip_stride - pass.strip_bits;
        number_bits_ = std::max(block_bits_, bits_below(pass.tiles));
    }

    const std::vector<Round>& rounds() const { return rounds_; }
    /// Bits of a tile's number, a work-item's, a register's and a lane's, the latter ones lower.
    unsigned number_bits() const { return number_bits_; }
    unsigned key_bits() const { return tile_bits_ + lane_bits_; }
    unsigned all_bits() const { return number_bits_ + key_bits(); }
    std::uint64_t of(Flip flip) const { return std::uint64_t{flip.registers} << lane_bits_ | flip.lanes; }
    bool mirrored() const { return pass_.kind == Pass::Kind::merge_tiles ? begins_merge_ : pass_.mirrored; }

    /// Where the key is that these four numbers hold in a round.
    std::uint64_t place(const Round& round, std::uint64_t numbers) const {
        const auto lane = static_cast<unsigned>(numbers & low_bits(lane_bits_));
        const auto m = static_cast<unsigned>(numbers >> lane_bits_ & low_bits(field_bits_));
        const auto t = static_cast<unsigned>(numbers >> (lane_bits_ + field_bits_) & low_bits(contiguous_));
        const unsigned v = held_vector(shape_, t, m, round.start, round.mirrored);
        return place_in_array(numbers >> key_bits(), v, lane);
    }

    /// Where a place in the order of the tiles' keys is in the array: elsewhere for heads only.
    std::uint64_t place_of_head(std::uint64_t i) const {
        return i >> pass_.strip_bits << pass_.strip_stride | (i & low_bits(pass_.strip_bits));
    }

private:
    std::uint64_t place_in_array(std::uint64_t tile, unsigned v, unsigned lane) const {
        const std::uint64_t key = std::uint64_t{v} << lane_bits_ | lane;
        if (pass_.strip_stride == 0) return tile << key_bits() | key;
        std::uint64_t block = tile & low_bits(block_bits_);
        if (pass_.kind == Pass::Kind::merge_strips && pass_.mirrored && v >= shape_.tile_vectors() / 2)
            block ^= low_bits(block_bits_);
        // Of 2^62 keys, the one set of rows has nothing above it to be shifted to.
        const unsigned above = pass_.strip_stride + key_bits() - pass_.strip_bits;
        const std::uint64_t base = above < 64 ? tile >> block_bits_ << above : 0;
        return base + place_of_head(key) + (block << pass_.strip_bits);
    }

    /// merge_registers() of kernels/common/registers.h: the strides 2^top .. 2^bottom vectors, then those of lanes.
    void merge_registers(Round& round, unsigned top, unsigned bottom, bool lanes) const {
        for (unsigned bit = top + 1; bit-- > bottom;)
            if (round.mirrored && bit == top) round.steps.push_back({shape_.register_vectors - 1, shape_.lanes - 1});
            else round.steps.push_back({1u << bit, 0});
        if (lanes) merge_lanes(round);
    }
    void merge_lanes(Round& round) const {
        for (unsigned stride = shape_.lanes / 2; stride > 0; stride /= 2) round.steps.push_back({0, stride});
    }

    Round sorted_registers() const {
        Round round{0, false};
        for (unsigned run = 2; run <= shape_.lanes; run *= 2) {
            round.steps.push_back({0, run - 1});
            for (unsigned stride = run / 4; stride > 0; stride /= 2) round.steps.push_back({0, stride});
        }
        for (unsigned run = 2; run <= shape_.register_vectors; run *= 2) {
            round.steps.push_back({run - 1, shape_.lanes - 1});
            for (unsigned stride = run / 4; stride > 0; stride /= 2) round.steps.push_back({stride, 0});
            merge_lanes(round);
        }
        return round;
    }

    void sort(unsigned first_phase) {
        const bool loads_contiguously = over_heads_ && shape_.tile_work_items() > 1;
        if (loads_contiguously) rounds_.push_back({contiguous_, false});
        if (first_phase == 0) rounds_.push_back(sorted_registers());
        for (unsigned phase = std::max(first_phase, field_bits_ + 1); phase <= pass_.last_phase - lane_bits_; ++phase)
            for (unsigned top = phase; top > 0;) {
                Round round{field_start(shape_, top - 1), top == phase};
                const unsigned bottom = round_bottom(shape_, round.start);
                merge_registers(round, top - 1 - round.start, bottom - round.start, round.start == 0);
                rounds_.push_back(round);
                top = bottom;
            }
    }

    void merge() {
        const unsigned bottom = std::max(pass_.strip_bits, lane_bits_) - lane_bits_;
        const bool is_contiguous = pass_.strip_stride == 0;
        Round round{contiguous_, mirrored()};
        for (unsigned top = tile_bits_;;) {
            const unsigned last = std::max(round.start, bottom);
            merge_registers(round, top - 1 - round.start, last - round.start, is_contiguous && round.start == 0);
            rounds_.push_back(round);
            if (round.start <= bottom) return;
            top = round.start;
            round = {std::max(field_start(shape_, top - 1), bottom), false};
        }
    }

    void store() {
        const bool whole = pass_.kind == Pass::Kind::merge_tiles || pass_.last_phase == tile_bits_ + lane_bits_;
        if (!stores_pairs(shape_)) rounds_.push_back({store_start(shape_), false});
        else if (whole) rounds_.back().start = in_pairs;
        else rounds_.push_back({in_pairs, false});
    }

    const Pass& pass_;
    const Shape& shape_;
    unsigned lane_bits_, field_bits_, tile_bits_, contiguous_;
    bool over_heads_, begins_merge_;
    unsigned block_bits_ = 0, number_bits_ = 0;
    std::vector<Round> rounds_;
};

// ---- linear functions over GF(2) -----------------------------------------------------------------------------------

/// Values that are linearly independent, each of another highest bit, and what a function gave them for.
class Basis {
public:
    struct Row {
        std::uint64_t value = 0, of = 0;
    };
    void add(Row row) {
        row = reduced(row);
        if (row.value == 0) return;
        rows_[highest(row.value)] = row;
        ++rank_;
    }
    unsigned rank() const { return rank_; }
    /// The row without what the basis can make of its value.
    Row reduced(Row row) const {
        while (row.value != 0 && rows_[highest(row.value)].value != 0) {
            const Row& other = rows_[highest(row.value)];
            row = {row.value ^ other.value, row.of ^ other.of};
        }
        return row;
    }
    /// The largest value of start xor any combination of the basis.
    std::uint64_t largest(std::uint64_t start) const {
        for (unsigned bit = 64; bit-- > 0;) start = std::max(start, start ^ rows_[bit].value);
        return start;
    }

private:
    static unsigned highest(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)) - 1; }
    std::array<Row, 64> rows_ = {};
    unsigned rank_ = 0;
};

/// A linear function, in a form in which it can be inverted.
class LinearMap {
public:
    /// By its values at single bits.
    template <class Function>
    LinearMap(unsigned bits, Function function) {
        for (unsigned bit = 0; bit < bits; ++bit) basis_.add({function(Mask{1} << bit), Mask{1} << bit});
    }
    unsigned rank() const { return basis_.rank(); }
    bool reaches(std::uint64_t value) const { return basis_.reduced({value, 0}).value == 0; }
    /// What the function gives a value that it reaches.
    std::uint64_t inverse(std::uint64_t value) const { return basis_.reduced({value, 0}).of; }

private:
    Basis basis_;
};

/// The largest tile that holds any of the places below `end`, by the inverse of the place.
std::uint64_t last_tile(const LinearMap& place, unsigned key_bits, std::uint64_t end) {
    const auto tile_of = [&](std::uint64_t i) { return place.inverse(i) >> key_bits; };
    const std::uint64_t last = end - 1;
    std::uint64_t most = tile_of(last);
    Basis of_lower_bits;
    for (unsigned bit = 0; bit < bits_below(end); ++bit) {  // all places that first differ from the last one there
        if (last >> bit & 1) most = std::max(most, of_lower_bits.largest(tile_of(last >> bit << bit ^ Mask{1} << bit)));
        of_lower_bits.add({tile_of(Mask{1} << bit), 0});
    }
    return most;
}

// ---- the proof -----------------------------------------------------------------------------------------------------

/// What is wrong with which keys the tiles of a pass have; empty where nothing is.
std::string fault_of_tiles(const Kernel& kernel, const LinearMap& place, const Pass& pass, const Plan& plan) {
    const std::uint64_t tiles_of_group = plan.shape.local_sync ? 1 : plan.shape.work_items;
    if (pass.groups < (pass.tiles - 1) / tiles_of_group + 1) return "a tile has no work-group";
    if (pass.kind == Pass::Kind::merge_heads && pass.strip_stride > 0) {
        const std::uint64_t last_run = (plan.count - 1) >> pass.strip_stride;
        return last_run >> (kernel.key_bits() - pass.strip_bits) < pass.tiles ? "" : "a run has no tile";
    }
    const std::uint64_t end = plan.front + plan.count;
    for (unsigned bit = 0; bit < bits_below(end); ++bit)
        if (!place.reaches(Mask{1} << bit)) return "a key has no tile";
    return last_tile(place, kernel.key_bits(), end) < pass.tiles ? "" : "the tile of a key is not launched";
}

/// What is wrong with how a pass is laid over the device.
std::string fault_of_layout(const Kernel& kernel, const Pass& pass, const Plan& plan) {
    for (const Round& round : kernel.rounds()) {
        const auto place = [&](std::uint64_t numbers) { return kernel.place(round, numbers); };
        constexpr Mask odd = 0x9e3779b97f4a7c15, other = 0xc2b2ae3d27d4eb4f;  // all kinds of bits
        const Mask a = odd & low_bits(kernel.all_bits()), b = other & low_bits(kernel.all_bits());
        if (place(a ^ b) != (place(a) ^ place(b))) return "places are not linear";
        const LinearMap map(kernel.all_bits(), place);
        if (map.rank() != kernel.all_bits()) return "a key is held twice";
        if (&round == &kernel.rounds().front())
            if (std::string fault = fault_of_tiles(kernel, map, pass, plan); !fault.empty()) return fault;
        for (unsigned bit = 0; bit < kernel.number_bits(); ++bit) {
            const std::uint64_t tile = Mask{1} << (kernel.key_bits() + bit);
            if (place(tile) != kernel.place(kernel.rounds().front(), tile)) return "a tile changes its keys";
        }
    }
    const bool shares_tiles = plan.shape.tile_work_items() > 1;
    if (pass.hand_overs != (shares_tiles ? kernel.rounds().size() - 1 : 0))
        return "the hand-overs are not those between the rounds";
    if (pass.mirrored != kernel.mirrored()) return "the pass does not begin where the kernel does";
    return "";
}

/// The steps that a pass's work-items run, as xors of places.
std::vector<Mask> steps_of(const Kernel& kernel) {
    std::vector<Mask> steps;
    for (const Round& round : kernel.rounds())
        for (const Flip flip : round.steps) steps.push_back(kernel.place(round, kernel.of(flip)));
    return steps;
}

/// What is wrong with any pass from that one on as such, or else with all of them, which give `steps` if they are
/// right.
std::string fault_of_passes(const Plan& plan, std::vector<Mask>& steps, std::size_t first = 0) {
    for (const Pass& pass : std::span(plan.passes).subspan(first)) {
        const Kernel kernel(pass, plan);
        if (std::string fault = fault_of_layout(kernel, pass, plan); !fault.empty()) return fault;
        const std::vector<Mask> added = steps_of(kernel);
        if (pass.steps != added.size()) return "the pass counts its steps wrong";
        steps.insert(steps.end(), added.begin(), added.end());
    }
    return "";
}

std::string fault_of_sort(const Plan& plan) {
    std::vector<Mask> steps;
    if (std::string fault = fault_of_passes(plan, steps); !fault.empty()) return fault;
    // Phases beyond the last one that the count needs change nothing.
    const unsigned last = std::max(plan.passes.back().last_phase, bits_below(plan.count));
    return steps == phases(1, last) ? "" : "the steps are not those of the network";
}

/// Both ranges are runs of one length once there is something in front of the first: then one phase merges them.
std::string fault_of_merge(const Plan& plan, std::uint64_t middle) {
    std::vector<Mask> steps;
    if (std::string fault = fault_of_passes(plan, steps); !fault.empty()) return fault;
    const unsigned phase = plan.passes.front().first_phase;
    if (plan.front + middle != Mask{1} << (phase - 1)) return "the ranges do not meet in the middle of the phase";
    if (plan.count - middle > Mask{1} << (phase - 1)) return "the second range is longer than a run";
    return steps == phases(phase, phase) ? "" : "the steps are not those of the phase";
}

/// After each pass, runs are sorted as far as their heads. Their length only grows by what is merged.
std::string fault_over_heads(const Plan& plan, std::uint64_t first) {
    unsigned run_bits = 0, head_bits = 0;
    for (const Pass& pass : plan.passes) {
        const Kernel kernel(pass, plan);
        if (std::string fault = fault_of_layout(kernel, pass, plan); !fault.empty()) return fault;
        const bool is_first = &pass == &plan.passes.front(), is_last = &pass == &plan.passes.back();
        std::vector<Mask> network = phases(pass.first_phase, pass.last_phase);
        if (pass.strip_stride > 0)
            for (Mask& step : network) step = kernel.place_of_head(step);
        if (steps_of(kernel) != network) return "the steps are not those of whole phases";
        if (pass.steps != network.size()) return "the pass counts its steps wrong";
        if (pass.last_phase > kernel.key_bits()) return "a tile has less keys than the runs of the phase";
        if (is_first) {
            if (pass.first_phase != 1) return "the first pass does not sort runs";
            run_bits = pass.last_phase;
        } else if (!is_last) {
            if (pass.strip_stride != run_bits) return "the heads are not those of the runs";
            if (head_bits == 0) head_bits = pass.strip_bits;
            if (pass.strip_bits != head_bits || head_bits > run_bits) return "the heads change their length";
            if (pass.first_phase != head_bits + 1) return "the phases do not begin at the heads";
            run_bits += pass.last_phase - head_bits;
        } else {
            if (run_bits < bits_below(plan.count)) return "the last run is not all keys";
            if (first > Mask{1} << head_bits) return "the heads are shorter than what is wanted";
            if (pass.strip_stride > 0) return "the last pass is not one of all keys";
            if (pass.last_phase > head_bits) return "the last pass compares keys of the head with others";
        }
    }
    return "";
}

/// What is wrong with how the first pass leaves columns and the second one finds them: the key of rank k in its tile is
/// number k / s of column k mod s, and each place of the array has one column and one number. Both are linear, too, but
/// for a tile that the array ends in, which stays as it is.
std::string fault_of_column_places(const Plan& plan, unsigned tile_bits) {
    const Pass& pass = plan.passes[1];
    const unsigned column_bits = pass.column_bits, strip_bits = tile_bits - column_bits;
    const auto moved = [&](Mask rank) { return (rank & low_bits(column_bits)) << strip_bits | rank >> column_bits; };
    if (LinearMap(tile_bits, moved).rank() != tile_bits) return "two keys of a tile have one place in the columns";
    const auto place = [&](Mask column, Mask i) { return ColumnView(pass, plan, column).place(i); };
    const auto fault_of = [&](Mask column, Mask i) {
        const Mask tile = (column >> column_bits << column_bits) + (i >> strip_bits);
        const Mask rank = (i & low_bits(strip_bits)) << column_bits | (column & low_bits(column_bits));
        const bool is_whole = (tile + 1) << tile_bits <= plan.count;
        return place(column, i) != (tile << tile_bits) + (is_whole ? moved(rank) : rank);
    };
    for (const Mask column : {Mask{0}, pass.tiles / 2, pass.tiles - 1})
        for (unsigned bit = 0; bit < tile_bits; ++bit)
            for (const Mask others : {Mask{0}, low_bits(tile_bits), Mask{0x9e3779b97f4a7c15} & low_bits(tile_bits)})
                if (fault_of(column, Mask{1} << bit ^ others)) return "a column has other keys than it was left";
    if (pass.tiles < (plan.passes[0].tiles - 1) / (Mask{1} << column_bits) * (Mask{1} << column_bits) + 1)
        return "a run has no columns";
    return pass.tiles % (Mask{1} << column_bits) == 0 ? "" : "a column is not launched";
}

std::vector<Mask> network_steps(const Pass& pass, const Shape& shape) {
    std::vector<Mask> xors;
    for (const Step& step : steps(pass, shape))
        xors.push_back(step.mirrored ? low_bits(step.phase) : Mask{1} << step.stride);
    return xors;
}

/// Of T tiles and s columns. A sorted tile has, for any zeros and ones, as many zeros in one column as in a later one,
/// or one more; T tiles have T more at most. With the columns in order, zeros and ones therefore meet in T rows of s
/// keys. So it suffices that tiles are sorted, and then what lies T * s keys before and behind each border.
std::string fault_of_columns(const Plan& plan) {
    if (plan.passes.size() < 4) return "there are no four passes";
    const Shape& shape = plan.shape;
    const Pass &first = plan.passes[0], &columns = plan.passes[1], &tile_columns = plan.passes[2],
               &borders = plan.passes[3];
    const unsigned tile_bits = log2(shape.tile_keys()), column_bits = first.column_bits;
    const unsigned strip_bits = tile_bits - column_bits, border_bits = borders.last_phase;
    const bool walks = shape.walks_in_cache();
    constexpr std::array kinds{Pass::Kind::sort_tiles, Pass::Kind::merge_columns, Pass::Kind::merge_tile_columns,
                               Pass::Kind::merge_borders};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const Pass& pass = plan.passes[i];
        if (pass.kind != kinds[i] || pass.column_bits != column_bits) return "it is not these four passes";
        const std::vector<Step> of_pass = steps(pass, shape);
        if (pass.steps != of_pass.size()) return "the pass counts its steps wrong";
        if (i == 0) continue;
        if (pass.groups < ceil_div(pass.tiles, walks ? shape.work_items : 1)) return "a tile has no work-group";
        const bool stores_held = pass.last_phase == tile_bits && stores_pairs(shape);
        const auto hand_overs = std::ranges::count_if(of_pass, &Step::handed_over);
        if (pass.hand_overs != hand_overs + (!walks && shape.coalesced_store && !stores_held))
            return "the hand-overs are not those between the rounds";
    }
    if (!walks && (tile_columns.strip_stride != strip_bits || tile_columns.strip_bits != strip_bits ||
                   borders.strip_stride != tile_bits || borders.strip_bits != border_bits))
        return "strips are not columns, or not about borders";

    const Kernel kernel(first, plan);
    if (std::string fault = fault_of_layout(kernel, first, plan); !fault.empty()) return fault;
    if (steps_of(kernel) != phases(1, tile_bits)) return "the tiles are not sorted";
    if (std::string fault = fault_of_column_places(plan, tile_bits); !fault.empty()) return fault;
    if (network_steps(columns, shape) != phases(strip_bits + 1, tile_bits)) return "the columns are not sorted";
    if (walks) {
        // "truncated merges" below says that these steps suffice.
        if (tile_columns.steps != column_bits * column_bits) return "the merges are not truncated to as many rows";
    } else if (network_steps(tile_columns, shape) != phases(strip_bits + 1, tile_bits)) {
        return "the columns of a tile are not merged";
    }
    if (tile_columns.tiles != first.tiles) return "a tile's columns stay apart";

    const Mask tiles_of_run = std::min(first.tiles, Mask{1} << column_bits);
    if (tiles_of_run << column_bits > Mask{1} << border_bits >> 1) return "more may be out of order than is mended";
    if (border_bits > tile_bits) return "what is mended about two borders overlaps";
    if (network_steps(borders, shape) != phases(border_bits, border_bits)) return "borders are not mended";
    const unsigned borders_of_tile = walks ? 0 : tile_bits - border_bits;
    if (borders_of_tile > column_bits) return "a run begins inside a tile of borders";
    if (borders.tiles != ((first.tiles - 1) >> borders_of_tile) + 1) return "a border has no tile";

    std::vector<Mask> steps;
    if (std::string fault = fault_of_passes(plan, steps, 4); !fault.empty()) return fault;
    const unsigned sorted = tile_bits + column_bits, last = std::max(sorted, bits_below(plan.count));
    return steps == phases(sorted + 1, last) ? "" : "the steps above columns are not those of the network";
}

/// Those of tiles of up to 32 keys, and again those that can store pairs.
std::vector<Shape> shapes_of_small_tiles() {
    std::vector<Shape> shapes = test::shapes_of_tiles_up_to(32);
    for (std::size_t i = 0, count = shapes.size(); i < count; ++i) {
        Shape shape = shapes[i];
        shape.coalesced_store = shape.remap = true;
        if (stores_pairs(shape)) shapes.push_back(shape);
    }
    std::erase_if(shapes, [](const Shape& shape) { return shape.columns; });
    return shapes;
}

TEST_CASE("plan proof: sorts") {
    std::uint64_t plans = 0;
    const auto check = [&](std::uint64_t count, const Shape& shape) {
        CAPTURE(to_string(shape));
        CAPTURE(count);
        REQUIRE(fault_of_sort(make_plan(count, shape)) == "");
        ++plans;
    };
    for (const Shape& shape : shapes_of_small_tiles())
        for (std::uint64_t count = 2; count <= 70; ++count) check(count, shape);
    test::Random random(test::seed());
    for (const Shape& shape : test::many_shapes()) {
        for (const std::uint64_t count : test::many_counts()) check(count, shape);
        for (unsigned bits = 2; bits <= 62; bits += 5)
            for (const std::uint64_t count : {low_bits(bits), Mask{1} << bits, random() >> (64 - bits)})
                if (count > 1) check(count, shape);
    }
    MESSAGE(plans, " plans");
}

TEST_CASE("plan proof: columns") {
    std::vector<Shape> shapes = test::column_shapes();
    for (const std::size_t bytes : {1, 4, 8}) {
        DeviceInfo card = test::graphics_card();
        card.vendor = "NVIDIA Corporation";
        for (const std::uint64_t count : {50'000, 1'000'000, 0}) {
            shapes.push_back(choose_shape(test::processor(), bytes, count));
            shapes.push_back(choose_shape(card, bytes, count));
        }
    }
    std::uint64_t plans = 0;
    const auto check = [&](std::uint64_t count, const Shape& shape) {
        if (column_bits(shape, bits_below(count)) == 0) return;
        CAPTURE(to_string(shape));
        CAPTURE(count);
        REQUIRE(fault_of_columns(make_plan(count, shape)) == "");
        ++plans;
    };
    test::Random random(test::seed());
    for (const Shape& shape : shapes) {
        REQUIRE(shape.columns);
        const std::uint64_t tile = shape.tile_keys();
        for (std::uint64_t tiles = 1; tiles <= 70; ++tiles)
            for (const std::uint64_t count : {tiles * tile, tiles * tile + 1, tiles * tile + random() % tile})
                check(count, shape);
        for (unsigned bits = 10; bits <= 61; bits += 3)
            for (const std::uint64_t count : {Mask{1} << bits, random() >> (64 - bits)})
                if (count > 1) check(count, shape);
    }
    CHECK(plans > 1000);
    MESSAGE(plans, " plans");
}

/// Whether the steps bring these zeros to the front of a tile whose columns begin with so many each.
bool merges_columns(const std::vector<Step>& steps, std::span<const unsigned> zeros, unsigned rows) {
    const auto columns = static_cast<unsigned>(zeros.size());
    std::vector<unsigned char> keys(std::size_t{rows} * columns);
    for (unsigned i = 0; i < keys.size(); ++i) keys[i] = i / columns >= zeros[i % columns];
    for (const Step& step : steps) {
        const std::uint64_t chosen = step.distance & (0 - step.distance);
        for (std::uint64_t i = 0; i + step.distance < keys.size(); ++i)
            if ((i & chosen) && keys[i] > keys[i + step.distance]) std::swap(keys[i], keys[i + step.distance]);
    }
    return std::ranges::is_sorted(keys);
}

// Of a tile, a column has no fewer zeros than a later one, and as many more at most as there are tiles: these are all
// inputs, where they lie in the middle of a tile and where they lie at its ends. What is above and below them is in
// order, and no step reaches further than they do, so a tile of any number of rows is merged as well.
TEST_CASE("plan proof: truncated merges of 2, 4 and 8 columns, all zeros and ones") {
    std::uint64_t inputs = 0;
    for (unsigned column_bits = 1; column_bits <= 3; ++column_bits) {
        const unsigned columns = 1u << column_bits, rows = 3 * columns;
        Pass pass{};
        pass.kind = Pass::Kind::merge_tile_columns;
        pass.column_bits = pass.first_phase = pass.last_phase = column_bits;
        const Shape walked{.vectors = 64, .work_items = 1, .register_vectors = 2, .columns = true};
        const std::vector<Step> steps = lanesort::steps(pass, walked);
        REQUIRE(steps.size() == column_bits * column_bits);
        std::vector<unsigned> zeros(columns);
        const auto check_from = [&](auto& self, unsigned column, unsigned least) -> void {
            if (column == columns) {
                REQUIRE(merges_columns(steps, zeros, rows));
                ++inputs;
                return;
            }
            for (unsigned of_column = least; of_column <= zeros[column - 1]; ++of_column) {
                zeros[column] = of_column;
                self(self, column + 1, least);
            }
        };
        for (unsigned most = 0; most <= rows; ++most) {
            zeros[0] = most;
            check_from(check_from, 1, most > columns ? most - columns : 0);
        }
    }
    MESSAGE(inputs, " inputs");
}

TEST_CASE("plan proof: the first keys") {
    std::uint64_t plans = 0;
    const auto check = [&](std::uint64_t count, std::uint64_t first, const Shape& shape) {
        if (head_bits(count, shape, first) == 0) return;
        CAPTURE(to_string(shape));
        CAPTURE(count);
        CAPTURE(first);
        REQUIRE(fault_over_heads(make_plan(count, shape, first), first) == "");
        ++plans;
    };
    for (const Shape& shape : shapes_of_small_tiles())
        for (std::uint64_t count = 2; count <= 200; count += 1 + count / 20)
            for (const std::uint64_t first : {1, 3, 4, 8, 13}) check(count, first, shape);
    test::Random random(test::seed());
    for (const Shape& shape : test::many_shapes())
        for (unsigned bits = 2; bits <= 62; bits += 4)
            for (const unsigned part : {2, 3, 8, 100, 1 << 20})
                for (const std::uint64_t count : {std::uint64_t{1} << bits, random() >> (64 - bits)})
                    check(count, shape.tile_keys() / part, shape);
    MESSAGE(plans, " plans");
}

TEST_CASE("plan proof: merges") {
    std::uint64_t plans = 0;
    const auto check = [&](std::uint64_t count, std::uint64_t middle, const Shape& shape) {
        if (middle == 0 || middle >= count) return;
        CAPTURE(to_string(shape));
        CAPTURE(count);
        CAPTURE(middle);
        REQUIRE(fault_of_merge(make_merge_plan(count, middle, shape), middle) == "");
        ++plans;
    };
    for (const Shape& shape : shapes_of_small_tiles())
        for (std::uint64_t count = 2; count <= 40; ++count)
            for (std::uint64_t middle = 1; middle < count; ++middle) check(count, middle, shape);
    test::Random random(test::seed());
    for (const Shape& shape : test::many_shapes())
        for (unsigned bits = 2; bits <= 61; bits += 3)
            for (const std::uint64_t count : {Mask{1} << bits, random() >> (64 - bits)})
                for (const std::uint64_t middle : {std::uint64_t{1}, count / 2, count - 1, random() % (count + 1)})
                    check(count, middle, shape);
    MESSAGE(plans, " plans");
}

/// Every plan that a change to one number of one pass makes.
template <class Check>
void for_each_broken_plan(const Plan& plan, Check check) {
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        const auto changed = [&](const std::string& what, auto change) {
            Plan broken = plan;
            change(broken.passes[i]);
            if (broken == plan) return;
            CAPTURE(i);
            CAPTURE(what);
            check(broken);
        };
        changed("a tile less", [](Pass& pass) { pass.tiles -= pass.tiles > 1; });
        changed("a group less", [](Pass& pass) { --pass.groups; });
        changed("a hand-over less", [](Pass& pass) { pass.hand_overs -= pass.hand_overs > 0; });
        changed("a phase more", [](Pass& pass) {
            if (pass.kind == Pass::Kind::sort_tiles || pass.kind == Pass::Kind::merge_heads) ++pass.last_phase;
        });
        changed("mirrored", [](Pass& pass) {
            if (pass.kind == Pass::Kind::merge_strips || pass.kind == Pass::Kind::merge_tiles)
                pass.mirrored = !pass.mirrored;
        });
        changed("strips farther apart", [](Pass& pass) { pass.strip_stride += pass.strip_stride > 0; });
        changed("longer strips", [](Pass& pass) { pass.strip_bits += pass.strip_stride > 0; });
        changed("a step more", [](Pass& pass) { ++pass.steps; });
        Plan without = plan;
        without.passes.erase(without.passes.begin() + static_cast<std::ptrdiff_t>(i));
        CAPTURE(i);
        INFO("left out");
        if (!without.passes.empty()) check(without);
        if (i + 1 == plan.passes.size()) continue;
        Plan swapped = plan;
        std::swap(swapped.passes[i], swapped.passes[i + 1]);
        INFO("in another order");
        check(swapped);
    }
}

TEST_CASE("plan proof: a plan with one mistake is refuted") {
    unsigned plans = 0;
    for (const Shape& shape : test::small_shapes()) {
        CAPTURE(to_string(shape));
        const std::uint64_t tile = shape.tile_keys(), count = 32 * tile;
        for_each_broken_plan(make_plan(count, shape), [&](const Plan& broken) {
            CHECK(fault_of_sort(broken) != "");
            ++plans;
        });
        for_each_broken_plan(make_merge_plan(count + 3 * tile, 3 * tile, shape), [&](const Plan& broken) {
            CHECK(fault_of_merge(broken, 3 * tile) != "");
            ++plans;
        });
        if (head_bits(count, shape, tile / 4) == 0) continue;
        for_each_broken_plan(make_plan(count, shape, tile / 4), [&](const Plan& broken) {
            CHECK(fault_over_heads(broken, tile / 4) != "");
            ++plans;
        });
    }
    for (const Shape& shape : test::column_shapes()) {
        CAPTURE(to_string(shape));
        const std::uint64_t count = (std::uint64_t{shape.tile_keys()} << most_column_bits(shape)) * 4;
        for_each_broken_plan(make_plan(count, shape), [&](const Plan& broken) {
            CHECK(fault_of_columns(broken) != "");
            ++plans;
        });
    }
    MESSAGE(plans, " broken plans");
}

/// The steps of a pass among the keys that each work-item holds.
void run_as_kernel(std::vector<std::uint32_t>& keys, const Pass& pass, const Plan& plan) {
    const Kernel kernel(pass, plan);
    const std::uint64_t numbers = pass.tiles << kernel.key_bits();
    for (const Round& round : kernel.rounds())
        for (const Flip flip : round.steps)
            for (std::uint64_t i = 0; i < numbers; ++i) {
                const std::uint64_t lower = kernel.place(round, i), upper = kernel.place(round, i ^ kernel.of(flip));
                if (lower >= upper || lower < plan.front || upper >= plan.front + plan.count) continue;
                std::uint32_t &a = keys[lower - plan.front], &b = keys[upper - plan.front];
                if (b < a) std::swap(a, b);
            }
}

TEST_CASE("plan proof: the kernels as laid out here do what the reference does, pass by pass") {
    test::Random random(test::seed());
    const auto check = [&](const Plan& plan, std::vector<std::uint32_t> keys) {
        CAPTURE(to_string(plan.shape));
        CAPTURE(plan.count);
        std::vector<std::uint32_t> expected = keys;
        for (const Pass& pass : plan.passes) {
            run_as_kernel(keys, pass, plan);
            run_pass(std::span(expected), pass, plan, [](std::uint32_t& lower, std::uint32_t& upper) {
                if (upper < lower) std::swap(lower, upper);
            });
            REQUIRE(keys == expected);
        }
    };
    for (const Shape& shape : test::small_shapes())
        for (const std::size_t count : {std::size_t{2}, std::size_t{77}, std::size_t{512}, std::size_t{2345}}) {
            const auto keys = test::random_keys<std::uint32_t>(count, random);
            check(make_plan(count, shape), keys);
            check(make_plan(count, shape, 3), keys);
            check(make_merge_plan(count, count / 3, shape), keys);
        }
}

}  // namespace
}  // namespace lanesort
