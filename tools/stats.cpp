// SPDX-License-Identifier: MIT
// lanesort stats: how often each variant of the sort synchronises.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/statistics.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "join.hpp"
#include "json.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "stats_picture.hpp"
#include "table.hpp"

namespace {

using namespace lanesort;

struct Statistics {
    std::string variant;
    Shape shape;
    PrintedCounts printed;
    SyncCounts exact;
    std::optional<SyncCounts> measured;
};

template <class Number>
std::string cell(const std::optional<Number>& figure, const char* none) {
    return figure ? std::to_string(*figure) : none;
}

/// The figures of a row, in the order of the columns.
Row figures(const Statistics& row, const char* none) {
    const auto measured = [&](std::uint64_t SyncCounts::*count) {
        return row.measured ? std::to_string((*row.measured).*count) : none;
    };
    return {
        cell(row.printed.by_cpu, none),     std::to_string(row.exact.by_cpu), measured(&SyncCounts::by_cpu),
        cell(row.printed.all, none),        std::to_string(row.exact.all),    measured(&SyncCounts::all),
        std::to_string(row.exact.barriers), measured(&SyncCounts::barriers),
    };
}

std::string to_table(const std::vector<Statistics>& statistics) {
    const std::string cpu = "synchronisations by the CPU", all = "all synchronisations", barriers = "barriers";
    const std::vector<Column> columns = {
        {"variant", "", true}, {"printed", cpu},  {"exact", cpu},      {"measured", cpu},      {"printed", all},
        {"exact", all},        {"measured", all}, {"exact", barriers}, {"measured", barriers},
    };
    std::vector<Row> rows;
    for (const Statistics& row : statistics) {
        rows.push_back(figures(row, "-"));
        rows.back().insert(rows.back().begin(), row.variant);
    }
    return table(columns, rows);
}

std::string to_csv(const std::vector<Statistics>& statistics) {
    std::string text =
        "variant,cpu_printed,cpu_exact,cpu_measured,all_printed,all_exact,all_measured,barriers_exact,"
        "barriers_measured\n";
    for (const Statistics& row : statistics)
        text += fmt::format("\"{}\",{}\n", row.variant, join(figures(row, ""), ","));
    return text;
}

Json to_json(const std::vector<Statistics>& statistics) {
    Json list = Json::array();
    for (const Statistics& row : statistics) {
        const auto printed = [](std::optional<std::int64_t> figure) { return figure ? Json(*figure) : Json(); };
        const auto measured = [&](std::uint64_t SyncCounts::*count) {
            return row.measured ? Json((*row.measured).*count) : Json();
        };
        list.push_back({{"variant", row.variant},
                        {"shape", json_of(row.shape)},
                        {"by_cpu",
                         {{"printed", printed(row.printed.by_cpu)},
                          {"exact", row.exact.by_cpu},
                          {"measured", measured(&SyncCounts::by_cpu)}}},
                        {"all",
                         {{"printed", printed(row.printed.all)},
                          {"exact", row.exact.all},
                          {"measured", measured(&SyncCounts::all)}}},
                        {"barriers", {{"exact", row.exact.barriers}, {"measured", measured(&SyncCounts::barriers)}}}});
    }
    return list;
}

class StatsCommand {
public:
    explicit StatsCommand(SubCommand& command) {
        add_count(command, count_);
        add_type(command, type_);
        add_device(command, device_);
        command.add_flag("--measure", measure_, "run each variant on the device, and count what really happens");
        add_format(command, format_, {Format::table, Format::csv, Format::json, Format::svg});
        command.footer =
            "printed: the formulas of patent CN102750131A; exact: counted from the plan; measured: on the device.\n"
            "Needs a device only with --measure. A figure that there is not is - (empty in csv, null in json).\n"
            "A picture (svg) has exact figures of powers of two, up to N rounded up to one. It begins at 2^10 keys, "
            "or\n"
            "at 2^0 where N is no more than that.\n"
            "Example: lanesort stats --count 2^20 --measure\n"
            "Example: lanesort stats --count 2^28 --format svg";
    }

    void run() const {
        if (format_ == Format::svg) return print(picture());
        const std::vector<Statistics> rows = statistics();
        switch (format_) {
            case Format::csv: print(to_csv(rows)); break;
            case Format::json: print(to_json(rows).text()); break;
            default: print(to_table(rows)); break;
        }
        for (const Statistics& row : rows)
            if (row.measured && *row.measured != row.exact)
                throw Error(ErrorCode::device_failed, fmt::format("measured and exact differ for \"{}\"", row.variant));
    }

private:
    /// The same on every machine, unless a device is asked for: then its chosen shapes are drawn, too.
    std::string picture() const {
        if (measure_) throw BadInput("a picture has exact figures only: leave out --measure");
        if (count_ < 2) throw BadInput("a picture needs a --count of 2 or more");
        constexpr unsigned usual_start = 10;
        const auto last = static_cast<unsigned>(std::bit_width(count_ - 1));
        const unsigned from = last > usual_start ? usual_start : 0;
        std::vector<Series> series;
        const auto add = [&](const std::string& name, const auto& shape_of) {
            series.push_back({name, {}});
            for (unsigned lg = from; lg <= last; ++lg) {
                const std::uint64_t count = std::uint64_t{1} << lg;
                series.back().counts.push_back(exact_counts(make_plan(count, shape_of(count))));
            }
        };
        for (const Variant& variant : statistics_variants(key_bytes(type_)))
            add(variant.name, [&](std::uint64_t) { return variant.shape; });
        const Shape with_columns{.vectors = 8,
                                 .work_items = 256,
                                 .register_vectors = 16,
                                 .steps_per_pass = 8,
                                 .remap = true,
                                 .coalesced_store = true,
                                 .columns = true};
        add("L=1, M=8, remapped, r=8, columns", [&](std::uint64_t) { return with_columns; });
        if (!device_.empty()) {
            const DeviceInfo info = find_device(device_).info();
            add("chosen for " + info.name, [&](std::uint64_t count) { return usual_shape(info, type_, count); });
        }
        return stats_picture(fmt::format("keys of type {}", name(type_)), from, series);
    }

    std::vector<Statistics> statistics() const {
        const std::optional<Device> device = find();
        std::vector<Variant> variants = statistics_variants(key_bytes(type_));
        if (measure_) {
            const DeviceInfo& info = device->info();
            if (info.compiles) variants = statistics_variants(key_bytes(type_), info.local_bytes, info.max_work_items);
            else variants.clear();
        }
        std::optional<CompilingNotice> notice;
        if (measure_) notice.emplace();
        Progress progress("measuring");
        std::vector<Statistics> rows;
        for (const Variant& variant : variants) {
            std::optional<Sorter> sorter;
            if (measure_) sorter.emplace(*device, SorterOptions{.shape = variant.shape});
            rows.push_back(row(variant, sorter));
            progress(rows.size(), variants.size() + (device ? 1 : 0));
        }
        if (device) {
            std::optional<Sorter> sorter;
            if (measure_) sorter.emplace(*device);
            const Shape shape = sorter ? sorter->shape(type_, count_) : usual_shape(device->info(), type_, count_);
            rows.push_back(row({"chosen: " + to_string(shape), shape}, sorter));
        }
        return rows;
    }

    Statistics row(const Variant& variant, std::optional<Sorter>& sorter) const {
        Statistics row{variant.name, variant.shape, printed_counts(count_, variant.shape),
                       exact_counts(make_plan(count_, variant.shape)), std::nullopt};
        if (sorter) row.measured = sorter->measure(type_, count_);
        return row;
    }

    /// The device; nothing where there is none and none is needed.
    std::optional<Device> find() const {
        try {
            return find_device(device_.empty() ? "compiling" : device_);
        } catch (const Error& error) {
            const bool none = error.code() == ErrorCode::no_platform || error.code() == ErrorCode::no_device;
            if (!none || measure_ || !device_.empty()) throw;
            return std::nullopt;
        }
    }

    std::uint64_t count_ = 0;
    KeyType type_ = KeyType::u32;
    std::string device_;
    bool measure_ = false;
    Format format_ = Format::table;
};

}  // namespace

SubCommand stats_command() {
    return make_command<StatsCommand>("stats", "Show how often each variant of the sort synchronises");
}
