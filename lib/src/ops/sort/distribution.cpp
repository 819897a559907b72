// SPDX-License-Identifier: MIT
#include "distribution.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <lanesort/error.hpp>

#include "core/encoded_keys.hpp"
#include "core/integers.hpp"
#include "distribution_schedule.hpp"
#include "kernels.hpp"
#include "ops/operations.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// The kernels of a level.
struct LevelPrograms {
    std::shared_ptr<const Program> classify, place, move;
};

/// Compiles the kernels of each level, or nothing where the compiler's use of registers allows smaller work-groups
/// only: of no more than *most_items then.
std::vector<LevelPrograms> compile_levels(Planner& planner, const Request& request, const ElementBytes& bytes,
                                          const Distribution& distribution, bool apart, unsigned* most_items) {
    std::vector<LevelPrograms> programs;
    for (const Level& level : distribution.levels) {
        const auto compile = [&](const Family& family, const Shape& shape) {
            KernelParameters parameters{.family = &family,
                                        .bytes = bytes,
                                        .wide_positions = request.count >= wide_count,
                                        .shape = shape,
                                        .buckets = level.buckets};
            parameters.order_by(request);
            parameters.apart = apart && &family == &families::classify && programs.empty();
            return planner.compile(parameters);
        };
        const LevelPrograms added = {
            compile(families::classify, level.shape), compile(families::place_blocks, place_blocks_shape(level.shape)),
            compile(families::move_blocks, move_blocks_shape(level.shape, bytes, level.buckets))};
        for (const auto& program : {added.classify, added.place, added.move})
            if (program->max_work_items < program->parameters.work_items()) {
                *most_items = program->max_work_items;
                return {};
            }
        programs.push_back(added);
    }
    return programs;
}

/// The arrays that move together, and where the level's tables are.
class Levels {
public:
    Levels(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes,
           const Distribution& distribution, std::vector<LevelPrograms> programs, Slot keys, Slot indices, Slot values,
           const Sources* sources)
        : planner_(planner),
          work_(work),
          request_(request),
          distribution_(distribution),
          programs_(std::move(programs)),
          keys_(keys),
          indices_(indices),
          values_(values),
          sources_(sources),
          coding_(coding_of(request)),
          shared_(shared_tables(distribution)) {
        std::uint64_t units = shared_.end;
        for (const Level& level : distribution.levels) {
            own_.push_back(level_tables(level, units));
            units = own_.back().end;
        }
        work.arrays[Slot::own_integers] = {units, sizeof(std::uint64_t)};
        const std::uint64_t pool = distribution.splitters + distribution.pool_elements;
        work.arrays[Slot::pool_keys] = {pool, bytes.key};
        if (bytes.value > 0) work.arrays[Slot::pool_values] = {pool, bytes.value};
        if (bytes.index > 1) work.arrays[Slot::pool_indices] = {pool, bytes.index};
    }

    void add() {
        for (std::size_t i = 0; i < distribution_.levels.size(); ++i)
            for (std::uint64_t batch = 0; batch < distribution_.levels[i].batches; ++batch) add(i, batch);
        launch("list_leaves", ceil_div(distribution_.leaves(), items()),
               tables({shared_.totals, own_.back().children, own_.back().states, shared_.leaves}),
               distribution_.leaves(), distribution_.leaf, distribution_.few(), distribution_.leaf * most_tiles_of_few);
    }

    std::uint64_t leaves() const noexcept { return shared_.leaves; }
    std::uint64_t whole() const noexcept { return shared_.totals + 2; }
    std::uint64_t few() const noexcept { return whole() + 2; }

private:
    void add(std::size_t number, std::uint64_t batch) {
        const Level& level = distribution_.levels[number];
        const bool is_first = number == 0;
        // Where the batch's own begin.
        const std::uint64_t parent = batch * level.batch(), child = parent << level.buckets.bits;
        const std::uint64_t bounds = is_first ? shared_.bounds : own_[number - 1].children + parent;
        const std::uint64_t states = is_first ? shared_.divided : own_[number - 1].states + parent / 2;
        const std::uint64_t equal = own_[number].equal + child / 2, children = own_[number].children + child;
        const std::uint64_t child_states = own_[number].states + child / 2;

        use(programs_[number].classify);
        const Sources* const sources = is_first ? sources_ : nullptr;
        const std::array<Argument, 3> from{sources ? sources->keys : keys_, sources ? sources->values : values_,
                                           indices_};
        launch("choose_splitters", level.batch(), from, pool(0),
               tables({bounds, states, shared_.divided, shared_.first_stripes, equal, shared_.counts, shared_.totals}),
               is_first ? request_.count : 0, level.child, std::min(request_.count, distribution_.largest(number)),
               level.batch(), level.most_stripes, level.slots, distribution_.zeroed(), planner_.seed(),
               coding_if(coding_, true), coding_.flip);
        std::vector<Argument> apart;
        if (sources) apart = {sources->keys, sources->values};
        launch("classify_elements", level.most_stripes, elements(), pool(0),
               tables({bounds, shared_.first_stripes, equal, shared_.counts, shared_.totals, shared_.table,
                       shared_.starts}),
               level.batch(), is_first, coding_if(coding_, true), coding_.flip, apart);

        use(programs_[number].place);
        launch("find_children", level.batch(),
               tables({bounds, states, shared_.divided, equal, shared_.counts, shared_.placed, children, child_states}),
               level.batch(), distribution_.leaf);
        launch("find_slots", level.most_stripes,
               tables({bounds, shared_.first_stripes, shared_.placed, shared_.totals, shared_.table, children,
                       shared_.saved}),
               level.batch(), level.pool_blocks);
        launch("find_paths", ceil_div((level.batch() << level.buckets.bits) * 32, items()),
               tables({bounds, shared_.divided, shared_.first_stripes, shared_.placed, shared_.table, children}),
               level.batch());
        launch("find_cuts", ceil_div(level.slots, 4 * items()),
               tables({shared_.first_stripes, shared_.totals, shared_.table, shared_.cycle_starts, shared_.saved}),
               level.batch(), level.window, level.pool_blocks);
        launch("save_blocks", std::uint64_t{planner_.device().compute_units} * 8, elements(),
               pool(distribution_.splitters),
               tables({bounds, shared_.first_stripes, shared_.totals, shared_.table, shared_.starts, shared_.saved}),
               level.batch(), level.pool_blocks);

        // Paths differ in length: the device lets another group begin where one ends, so there are more than run at
        // once.
        use(programs_[number].move);
        launch(
            "move_blocks", std::uint64_t{planner_.device().compute_units} * 256, elements(),
            pool(distribution_.splitters),
            tables({bounds, shared_.first_stripes, shared_.totals, shared_.table, shared_.cycle_starts, shared_.saved}),
            level.batch(), level.pool_blocks);

        use(programs_[number].place);
        launch("fill_gaps", (level.batch() << level.buckets.bits) * level.shares(), elements(),
               pool(distribution_.splitters),
               tables({bounds, shared_.divided, shared_.first_stripes, shared_.placed, shared_.totals, shared_.starts,
                       children, child_states}),
               level.batch(), level.shares(), level.pool_blocks);
    }

    void use(const std::shared_ptr<const Program>& program) {
        parameters_ = &program->parameters;
        const auto there = std::ranges::find(work_.programs, program);
        program_ = static_cast<std::size_t>(there - work_.programs.begin());
        if (there == work_.programs.end()) work_.programs.push_back(program);
    }

    template <class... Part>
    void launch(const char* kernel, std::uint64_t groups, const Part&... arguments) {
        add_launch(work_, program_, kernel, groups, joined(arguments...));
    }

    std::array<Argument, 3> elements() const { return {keys_, values_, indices_}; }
    static std::array<Argument, 3> pool(std::uint64_t from) {
        return {Argument(Slot::pool_keys, from), Argument(Slot::pool_values, from), Argument(Slot::pool_indices, from)};
    }
    static std::vector<Argument> tables(std::initializer_list<std::uint64_t> places) {
        std::vector<Argument> all;
        for (const std::uint64_t from : places) all.emplace_back(Slot::own_integers, from);
        return all;
    }

    unsigned items() const noexcept { return parameters_->work_items(); }

    Planner& planner_;
    Work& work_;
    const Request& request_;
    const Distribution& distribution_;
    std::vector<LevelPrograms> programs_;
    Slot keys_, indices_, values_;
    const Sources* sources_;  // null: the elements are there
    KeyCoding coding_;
    SharedTables shared_;
    std::vector<LevelTables> own_;
    const KernelParameters* parameters_ = nullptr;  // of the program that is used
    std::size_t program_ = 0;                       // its place in the work
};

/// Whether a sort that may take any schedule takes this one: from as many keys on as were measured on this device, or
/// as many bytes as on NVIDIA's H100 and H200 (docs/decisions.md#where-a-distribution-begins). Not measured were
/// records of more than 16 bytes, cards with much less local memory by CUDA, and by OpenCL elements but keys of 4
/// bytes. With less memory than usual it copies more: with half of it twice as many are needed to gain, with a third
/// columns may be faster, however many there are.
bool is_faster(const Planner& planner, const Request& request, const ElementBytes& bytes) {
    const DeviceInfo& device = planner.device();
    const std::uint64_t usual = most_distribution_bytes(request.count, bytes);
    const std::uint64_t may_take = request.extra_bytes > 0 ? request.extra_bytes : usual;
    if (may_take < usual / 2) return false;
    const std::uint64_t count = may_take < usual ? request.count / 2 : request.count;
    if (const auto from = planner.distribution_from(bytes)) return device.compiles && count >= *from;
    constexpr std::uint64_t least_bytes = std::uint64_t{1} << 26, least_bytes_by_opencl = std::uint64_t{1} << 27;
    constexpr std::uint64_t least_local_bytes = std::uint64_t{1} << 17;
    constexpr std::size_t widest_record = 16;
    const bool is_nvidia = device.kind == DeviceKind::gpu && device.vendor.find("NVIDIA") != std::string::npos;
    if (device.backend == "OpenCL" && is_nvidia && bytes == ElementBytes(4)) return count * 4 >= least_bytes_by_opencl;
    if (device.backend != "CUDA" || device.local_bytes < least_local_bytes) return false;
    // Of records, those of 16 bytes alone were measured.
    const bool has_more = bytes.value > 0 || request.stable || request.index_bytes > 0;
    if (bytes.is_record && (has_more || bytes.key > widest_record)) return false;
    // Columns of keys of 4 bytes need another pass just above that.
    const std::uint64_t all = count * bytes_in_memory(bytes);
    return bytes == ElementBytes(4) ? all > least_bytes : all >= least_bytes;
}

/// A request that sorts the ranges from and to the places that a table in the work's own integers tells.
Request leaves_of(const Request& request, std::uint64_t number, std::uint64_t longest) {
    Request leaves = as_sort(request);
    leaves.schedule = Schedule::automatic;
    leaves.segments = number;
    leaves.longest = longest;
    leaves.offset_bytes = sizeof(std::uint64_t);
    return leaves;
}

/// All that a distribution launches.
struct CompiledDistribution {
    Distribution distribution;
    std::vector<LevelPrograms> levels;
    Request leaves, few, whole;  ///< what the networks sort in the end
    Network of_leaves, of_few, of_whole;
};

/// The shape with twice the work-items, if leaves of its tiles take two levels in place of three.
std::optional<Shape> larger_leaves(const DeviceInfo& device, const ElementBytes& bytes, std::uint64_t count,
                                   const Shape& shape, std::uint64_t most) {
    Shape larger = shape;
    larger.work_items *= 2;
    larger.resident_groups = std::max(shape.resident_groups / 2, 1u);
    if (shape.walks_in_cache() || larger.work_items > device.max_work_items ||
        larger.local_bytes(bytes) > device.local_bytes)
        return std::nullopt;
    const auto levels = [&](std::uint64_t leaf) {
        const auto made = make_distribution(device, bytes, count, leaf, most);
        return made ? made->levels.size() : 0;
    };
    if (levels(shape.tile_keys()) != 3 || levels(larger.tile_keys()) != 2) return std::nullopt;
    return larger;
}

CompiledDistribution compile_all(Planner& planner, const Request& request, const ElementBytes& bytes, bool apart) {
    DeviceInfo device = planner.device();
    const std::uint64_t most =
        request.extra_bytes > 0 ? request.extra_bytes : most_distribution_bytes(request.count, bytes);
    const std::optional<Shape> wanted = planner.wanted_shape(request.count, bytes);
    const Shape shape = wanted ? *wanted : choose_shape(device, bytes, request.count);
    const std::optional<Shape> larger =
        wanted ? std::nullopt : larger_leaves(device, bytes, request.count, shape, most);
    std::uint64_t leaf = larger.value_or(shape).tile_keys();
    for (;;) {
        const std::optional<Distribution> made = make_distribution(device, bytes, request.count, leaf, most);
        if (!made) refuse_distribution(request, device, why_no_distribution(device, bytes, request.count, leaf, most));
        const Request leaves = leaves_of(request, made->leaves(), leaf);
        Network of_leaves = make_network(planner, leaves, bytes, {.sorts_leaves = true, .like = larger});
        if (of_leaves.plan.passes.size() > 1) {
            // The device's compiler wants a smaller tile.
            leaf = of_leaves.plan.shape.tile_keys();
            continue;
        }
        std::vector<LevelPrograms> levels =
            compile_levels(planner, request, bytes, *made, apart, &device.max_work_items);
        if (levels.empty()) continue;
        const Request few = leaves_of(request, made->few(), leaf * most_tiles_of_few);
        Request whole = leaves_of(request, 1, request.count);
        // What is nearly never left takes the shape of leaves. Of numbers all go by columns, which have the fewest
        // launches that find nothing to do; the kernels of records for columns take the compiler twice as long as all
        // the others.
        whole.schedule = bytes.is_record ? Schedule::network : Schedule::columns;
        const NetworkUse use{.sorts_leaves = true, .like = of_leaves.plan.shape};
        Network of_few = make_network(planner, few, bytes, use), of_whole = make_network(planner, whole, bytes, use);
        return {
            *made, std::move(levels), leaves, few, whole, std::move(of_leaves), std::move(of_few), std::move(of_whole)};
    }
}

}  // namespace

void refuse_distribution(const Request& request, const DeviceInfo& device, const std::string& why) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} keys cannot be sorted by distribution on {}: {}; the schedule `automatic` sorts them",
                            request.count, device.name, why));
}

bool add_distribution(Planner& planner, Work& work, const Request& request, const ElementBytes& bytes, Slot keys,
                      Slot indices, Slot values, const Sources* sources) {
    const bool is_demanded = request.schedule == Schedule::distribution;
    if (!is_demanded && !is_faster(planner, request, bytes)) return false;
    std::optional<CompiledDistribution> compiled;
    try {
        compiled = compile_all(planner, request, bytes, sources != nullptr);
    } catch (const Error&) {
        if (is_demanded) throw;
        return false;
    }
    Levels levels(planner, work, request, bytes, compiled->distribution, std::move(compiled->levels), keys, indices,
                  values, sources);
    levels.add();
    const auto add = [&](Network network, const Request& of, std::uint64_t from) {
        network.segments = Slot::own_integers;
        network.first_segment = from;
        add_network(work, std::move(network), of, keys, indices, values);
    };
    add(std::move(compiled->of_leaves), compiled->leaves, levels.leaves());
    add(std::move(compiled->of_few), compiled->few, levels.few());
    add(std::move(compiled->of_whole), compiled->whole, levels.whole());
    return true;
}

Distribution distribution_of(Planner& planner, const Request& request, const ElementBytes& bytes) {
    return compile_all(planner, request, bytes, false).distribution;
}

}  // namespace lanesort::inline v0_1::detail
