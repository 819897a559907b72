// SPDX-License-Identifier: MIT
// lanesort devices: what there is to sort on.
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/tuning.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "json.hpp"
#include "options.hpp"

namespace {

using namespace lanesort;

constexpr std::size_t key_sizes[] = {1, 2, 4, 8};

std::string_view name_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::cpu: return "CPU";
        case DeviceKind::gpu: return "GPU";
        case DeviceKind::other: return "other";
    }
    return {};
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t kibi = 1024, mebi = kibi * kibi, gibi = kibi * mebi;
    const auto in = [&](std::uint64_t unit) { return static_cast<double>(bytes) / static_cast<double>(unit); };
    if (bytes >= gibi) return fmt::format("{:.1f} GiB", in(gibi));
    if (bytes >= mebi) return fmt::format("{:.1f} MiB", in(mebi));
    return fmt::format("{:.1f} KiB", in(kibi));
}

std::string counts_text(const ShapeTable::Row& row) {
    if (row.below == ShapeTable::no_end) return fmt::format("{} or more keys", row.from);
    return fmt::format("{} to {} keys", row.from, row.below - 1);
}

std::string limit_text(std::uint64_t from) {
    return from == ShapeTable::no_end ? "never" : fmt::format("{} or more keys", from);
}

std::string describe(const DeviceInfo& info, std::size_t number) {
    std::string text = fmt::format("{}: {}\n", number, info.name);
    const auto line = [&](const std::string& title, const std::string& value) {
        text += fmt::format("   {:<24}{}\n", title, value);
    };
    line("platform", fmt::format("{} ({})", info.platform, info.backend));
    line("vendor", info.vendor);
    line("version", info.version);
    line("driver", info.driver);
    line("kind", fmt::format("{}, compute units: {}", name_of(info.kind), info.compute_units));
    line("work-group", fmt::format("up to {} work-items", info.max_work_items));
    line("native vector", fmt::format("{} bytes", info.native_vector_bytes));
    line("memory", fmt::format("{}, up to {} in one allocation", size_text(info.global_bytes),
                               size_text(info.max_allocation_bytes)));
    line("local memory", size_text(info.local_bytes));
    line("sorts in host memory", info.host_unified_memory ? "yes" : "no, a copy is sorted");
    const TunedShapes tuned = find_tuned(info);
    for (const std::size_t bytes : key_sizes) {
        line(fmt::format("shape for {}-byte keys", bytes), to_string(choose_shape(info, bytes)));
        for (const ShapeTable::Row& row : tuned.table.rows)
            if (row.key_bytes == bytes)
                line("  tuned", fmt::format("{}, for {}", to_string(row.shape), counts_text(row)));
        if (const auto limit = tuned.table.distribution_from.find(bytes); limit != tuned.table.distribution_from.end())
            line("  tuned, distribution", limit_text(limit->second));
    }
    if (!tuned.table.rows.empty() || !tuned.table.distribution_from.empty())
        line("tuned shapes are from", tuned_file(info).string());
    if (!tuned.note.empty()) line("note", tuned.note);
    return text;
}

Json to_json(const DeviceInfo& info, std::size_t number) {
    Json shapes;
    for (const std::size_t bytes : key_sizes) shapes.put(std::to_string(bytes), json_of(choose_shape(info, bytes)));
    const TunedShapes tuned = find_tuned(info);
    Json rows = Json::array();
    for (const ShapeTable::Row& row : tuned.table.rows)
        rows.push_back({{"key_bytes", row.key_bytes},
                        {"from", row.from},
                        {"below", row.below == ShapeTable::no_end ? Json() : Json(row.below)},
                        {"shape", json_of(row.shape)}});
    Json limits = Json::array();
    for (const auto& [bytes, from] : tuned.table.distribution_from)
        limits.push_back({{"key_bytes", bytes}, {"from", from == ShapeTable::no_end ? Json() : Json(from)}});
    return {{"number", number},
            {"backend", info.backend},
            {"platform", info.platform},
            {"name", info.name},
            {"vendor", info.vendor},
            {"version", info.version},
            {"driver", info.driver},
            {"kind", name_of(info.kind)},
            {"compute_units", info.compute_units},
            {"max_work_items", info.max_work_items},
            {"native_vector_bytes", info.native_vector_bytes},
            {"global_bytes", info.global_bytes},
            {"max_allocation_bytes", info.max_allocation_bytes},
            {"local_bytes", info.local_bytes},
            {"host_unified_memory", info.host_unified_memory},
            {"shapes_by_key_bytes", shapes},
            {"tuned",
             {{"file", tuned_file(info).string()}, {"note", tuned.note}, {"shapes", rows}, {"distributions", limits}}}};
}

class DevicesCommand {
public:
    explicit DevicesCommand(SubCommand& command) {
        add_format(command, format_, {Format::table, Format::json});
        command.footer = "Example: lanesort devices --format json";
    }

    void run() const {
        const std::vector<Device> found = devices();
        std::string text;
        Json list = Json::array();
        for (std::size_t number = 0; number < found.size(); ++number) {
            text += describe(found[number].info(), number);
            list.push_back(to_json(found[number].info(), number));
        }
        print(format_ == Format::json ? list.text() : text);
    }

private:
    Format format_ = Format::table;
};

}  // namespace

SubCommand devices_command() {
    return make_command<DevicesCommand>("devices", "List the devices, their limits and the shapes chosen for them");
}
