// SPDX-License-Identifier: MIT
// lanesort plan: every pass of a sort, in order.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <lanesort/commands.hpp>
#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/plan.hpp>
#include <lanesort/statistics.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "json.hpp"
#include "options.hpp"
#include "plan_picture.hpp"
#include "table.hpp"

namespace {

using namespace lanesort;

std::uint64_t steps_of(const Plan& plan) {
    std::uint64_t steps = 0;
    for (const Pass& pass : plan.passes) steps += pass.steps;
    return steps;
}

std::string to_table(const Plan& plan, KeyType type, const std::string& device) {
    const std::vector<Column> columns = {
        {"pass"},  {"kernel", "", true}, {"phases"}, {"strides"}, {"mirrored"},   {"strips x keys"},
        {"tiles"}, {"groups"},           {"steps"},  {"rounds"},  {"hand-overs"}, {"barriers"},
    };
    std::vector<Row> rows;
    for (const Pass& pass : plan.passes)
        rows.push_back({
            std::to_string(rows.size() + 1),
            name(pass.kind),
            pass.first_phase == pass.last_phase ? std::to_string(pass.last_phase)
                                                : fmt::format("{}..{}", pass.first_phase, pass.last_phase),
            fmt::format("2^{} .. 2^{}", pass.top_stride, pass.bottom_stride),
            pass.mirrored ? "yes" : "no",
            fmt::format("{} x {}", plan.shape.tile_keys() >> pass.strip_bits, std::uint64_t{1} << pass.strip_bits),
            std::to_string(pass.tiles),
            std::to_string(pass.groups),
            std::to_string(pass.steps),
            std::to_string(pass.rounds),
            std::to_string(pass.hand_overs),
            std::to_string(pass.barriers),
        });
    const SyncCounts counts = exact_counts(plan);
    return fmt::format("{} keys of type {} on {}\nshape {}\n\n{}\n", plan.count, name(type), device,
                       to_string(plan.shape), table(columns, rows)) +
           fmt::format("passes: {}, steps: {}, synchronisations by the CPU: {}, of all kinds: {}, barriers: {}\n",
                       plan.passes.size(), steps_of(plan), counts.by_cpu, counts.all, counts.barriers);
}

Json to_json(const Plan& plan, KeyType type, const std::string& device) {
    Json passes = Json::array();
    for (const Pass& pass : plan.passes)
        passes.push_back({{"kernel", name(pass.kind)},
                          {"first_phase", pass.first_phase},
                          {"last_phase", pass.last_phase},
                          {"top_stride", std::uint64_t{1} << pass.top_stride},
                          {"bottom_stride", std::uint64_t{1} << pass.bottom_stride},
                          {"mirrored", pass.mirrored},
                          {"strips", plan.shape.tile_keys() >> pass.strip_bits},
                          {"strip_keys", std::uint64_t{1} << pass.strip_bits},
                          {"tiles", pass.tiles},
                          {"groups", pass.groups},
                          {"steps", pass.steps},
                          {"rounds", pass.rounds},
                          {"hand_overs", pass.hand_overs},
                          {"barriers", pass.barriers}});
    const SyncCounts counts = exact_counts(plan);
    return {{"count", plan.count},
            {"type", name(type)},
            {"device", device},
            {"shape", json_of(plan.shape)},
            {"passes", passes},
            {"steps", steps_of(plan)},
            {"synchronisations", {{"by_cpu", counts.by_cpu}, {"all", counts.all}, {"barriers", counts.barriers}}}};
}

/// A call of that operation with what it cannot do without.
Request request_of(Operation operation, KeyType type, std::uint64_t count, std::uint64_t first,
                   const ScheduleOptions& schedule) {
    Request request{.operation = operation,
                    .count = count,
                    .schedule = schedule.schedule,
                    .data_independent = schedule.data_independent,
                    .key = type};
    const bool selects = operation == Operation::top_k;
    if (selects || first < count) request.first = first == all_keys ? count : first;
    if (operation == Operation::merge) request.middle = count / 2;
    if (selects || operation == Operation::argsort) request.index_bytes = sizeof(std::uint32_t);
    if (operation == Operation::run_lengths) request.length_bytes = sizeof(std::uint32_t);
    if (operation >= Operation::lower_bound && operation <= Operation::permute) {
        request.index_bytes = sizeof(std::uint32_t);
        if (operation != Operation::permute) request.second_count = count;
        if (operation >= Operation::gather) request.value_bytes = sizeof(std::uint32_t);
    }
    if (operation == Operation::reduce_by_key || operation == Operation::group_by ||
        operation == Operation::inclusive_scan_by_key || operation == Operation::exclusive_scan_by_key)
        request.value_bytes = sizeof(std::uint32_t);
    if (operation == Operation::histogram) {
        request.length_bytes = sizeof(std::uint32_t);
        request.bins = 1024;
        request.bounded = true;
    }
    return request;
}

std::string to_table(const CommandList& list, const Request& request, const std::string& device) {
    const std::vector<Column> columns = {{"command"}, {"name", "", true}, {"work-groups"}, {"work-items"}, {"bytes"}};
    const auto number = [](std::uint64_t value) { return value > 0 ? std::to_string(value) : std::string(); };
    std::vector<Row> rows;
    for (const PlannedCommand& command : list.commands)
        rows.push_back({std::to_string(rows.size() + 1), command.name, number(command.groups),
                        number(command.work_items), number(command.bytes)});
    return fmt::format("{} of {} keys of {} on {}\n\n{}\nkernels: {}, hand-overs: {}, device memory: {} bytes\n",
                       name(request.operation), request.count, request.key.name(), device, table(columns, rows),
                       list.report.launches, list.report.hand_overs, list.report.device_bytes);
}

Json to_json(const CommandList& list, const Request& request, const std::string& device) {
    Json commands = Json::array();
    for (const PlannedCommand& command : list.commands)
        commands.push_back({{"name", command.name},
                            {"groups", command.groups},
                            {"work_items", command.work_items},
                            {"bytes", command.bytes}});
    return {{"operation", name(request.operation)},
            {"count", request.count},
            {"type", request.key.name()},
            {"device", device},
            {"commands", commands},
            {"launches", list.report.launches},
            {"hand_overs", list.report.hand_overs},
            {"device_bytes", list.report.device_bytes}};
}

class PlanCommand {
public:
    explicit PlanCommand(SubCommand& command) {
        add_operation(command, operation_);
        add_count(command, count_);
        add_first(command, first_);
        add_type(command, type_);
        add_device(command, device_);
        add_format(command, format_, {Format::table, Format::json, Format::svg});
        shape_.add_to(command);
        schedule_.add_to(command, "the network or columns");
        command.footer =
            "Nothing runs. Without --device, the plan is for the first GPU, or else for the built-in device.\n"
            "That of a sort is the network's or that of columns. Where a sort would go by distribution unless told\n"
            "otherwise, a line says so; --schedule distribution shows the commands of that.\n"
            "A picture (svg) shows the network of up to 64 keys, and of any number which pass runs which steps.\n"
            "Example: lanesort plan --count 16M --type u32\n"
            "Example: lanesort plan --operation top_k --first 100 --count 16M --type f32\n"
            "Example: lanesort plan --count 2^20 --format svg";
    }

    void run() const {
        const DeviceInfo device = find_device(device_).info();
        if (operation_ != Operation::sort || schedule_.schedule == Schedule::distribution) return show_commands(device);
        Shape usual = usual_shape(device, type_, count_);
        if (schedule_.schedule != Schedule::automatic) usual.columns = schedule_.schedule == Schedule::columns;
        const Plan plan = make_plan(count_, shape_.over(usual), first_);
        const std::string other_way = note_of_distribution(device);
        switch (format_) {
            case Format::svg: return print(plan_picture(plan));
            case Format::json: return print(to_json(plan, type_, device.name).text());
            default: return print(to_table(plan, type_, device.name) + other_way);
        }
    }

private:
    /// That the call goes by distribution in place of the plan; empty where it does not. Throws what the call does for
    /// options that contradict each other.
    std::string note_of_distribution(const DeviceInfo& device) const {
        SortReport report;
        try {
            report = commands_of(device, request_of(operation_, type_, count_, first_, schedule_)).report;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::invalid_argument) throw;
            return {};  // a plan may be for more keys than a call
        }
        if (report.schedule != Schedule::distribution || shape_.any()) return {};
        return fmt::format(
            "A sort that may choose goes by distribution instead, in {} launches; see --schedule distribution.\n",
            report.launches);
    }

    void show_commands(const DeviceInfo& device) const {
        const char* const option = operation_ == Operation::sort ? "--schedule" : "--operation";
        if (format_ == Format::svg) throw BadUsage("--format", "svg draws a sort by the network or columns alone");
        if (shape_.any()) throw BadUsage(option, "the options of a shape serve a sort by the network or columns alone");
        const Request request = request_of(operation_, type_, count_, first_, schedule_);
        const CommandList list = commands_of(device, request);
        print(format_ == Format::json ? to_json(list, request, device.name).text()
                                      : to_table(list, request, device.name));
    }

    Operation operation_ = Operation::sort;
    std::uint64_t count_ = 0;
    std::uint64_t first_ = all_keys;
    KeyType type_ = KeyType::u32;
    std::string device_;
    Format format_ = Format::table;
    ShapeOptions shape_;
    ScheduleOptions schedule_;
};

}  // namespace

SubCommand plan_command() {
    return make_command<PlanCommand>("plan", "Show every pass of a sort, or every command of another call");
}
