// SPDX-License-Identifier: MIT
// lanesort devices, plan and stats.
#include <cstdint>

#include <nlohmann/json.hpp>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using Json = nlohmann::json;

TEST_CASE("devices lists what the library finds") {
    const Scene scene;
    const auto found = devices();
    const Result list = scene.run({"devices", "--format", "json"});
    REQUIRE(list.status == 0);
    const Json json = Json::parse(list.out);
    REQUIRE(json.size() == found.size());
    const Result words = scene.run({"devices"});
    CHECK(words.status == 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const DeviceInfo& info = found[i].info();
        CHECK(json[i]["name"] == info.name);
        CHECK(json[i]["platform"] == info.platform);
        CHECK(json[i]["local_bytes"] == info.local_bytes);
        CHECK(json[i]["max_allocation_bytes"] == info.max_allocation_bytes);
        CHECK(json[i]["max_work_items"] == info.max_work_items);
        for (const std::size_t bytes : {1, 2, 4, 8}) {
            CHECK(json[i]["shapes_by_key_bytes"][std::to_string(bytes)]["lanes"] == choose_shape(info, bytes).lanes);
            CHECK(contains(words.out, to_string(choose_shape(info, bytes))));
        }
        CHECK(contains(words.out, info.name));
    }
}

TEST_CASE("plan shows every command of any call, which are those that run") {
    const Scene scene;
    const Device device = find_device();
    for (const Operation operation : all_operations) {
        if (operation == Operation::sort) continue;
        CAPTURE(name(operation));
        Words words = {"plan", "--operation", name(operation), "--count", "100000", "--type", "f32"};
        const bool selects = operation == Operation::top_k;
        if (selects) words.insert(words.end(), {"--first", "10"});
        const Result table = scene.run(words);
        REQUIRE_MESSAGE(table.status == 0, table.err);
        words.insert(words.end(), {"--format", "json"});
        const Result result = scene.run(words);
        REQUIRE_MESSAGE(result.status == 0, result.err);
        const Json json = Json::parse(result.out);
        CHECK(json["operation"] == name(operation));

        Request request{.operation = operation, .count = 100'000, .key = KeyType::f32};
        if (selects) request.first = 10;
        if (selects || operation == Operation::argsort) request.index_bytes = 4;
        if (operation == Operation::merge) request.middle = 50'000;
        if (operation == Operation::run_lengths) request.length_bytes = 4;
        if (operation >= Operation::lower_bound && operation <= Operation::permute) request.index_bytes = 4;
        if (operation >= Operation::lower_bound && operation <= Operation::scatter) request.second_count = 100'000;
        if (operation >= Operation::gather && operation <= Operation::permute) request.value_bytes = 4;
        if (operation == Operation::histogram) request.length_bytes = 4, request.bins = 1024, request.bounded = true;
        if (operation == Operation::reduce_by_key || operation == Operation::group_by ||
            operation >= Operation::inclusive_scan_by_key)
            request.value_bytes = 4;
        const CommandList list = commands_of(device.info(), request);
        REQUIRE(json["commands"].size() == list.commands.size());
        std::uint64_t launches = 0;
        for (std::size_t i = 0; i < list.commands.size(); ++i) {
            CHECK(json["commands"][i]["name"] == list.commands[i].name);
            CHECK(json["commands"][i]["groups"] == list.commands[i].groups);
            CHECK(contains(table.out, list.commands[i].name));
            if (list.commands[i].groups > 0) ++launches;
        }
        CHECK(json["launches"] == launches);
        CHECK(launches > 0);
    }
    for (const char* const unknown : {"juggle", "3", ""})
        require_refused(
            scene.run({"plan", "--operation", unknown, "--count", "10"}),
            std::string("--operation: \"") + unknown + "\" is not the name of an operation; see lanesort plan");
    CHECK(scene.run({"plan", "--operation", "unique", "--count", "10", "--format", "svg"}).status == 2);
    CHECK(scene.run({"plan", "--operation", "unique", "--count", "100", "--first", "10"}).status == 2);
    CHECK(scene.run({"plan", "--operation", "unique", "--count", "100", "--lanes", "1"}).status == 2);
    CHECK(scene.run({"plan", "--operation", "top_k", "--count", "100", "--first", "101"}).status == 2);
}

TEST_CASE("plan shows every pass") {
    const Scene scene;
    const Shape shape{.lanes = 2, .vectors = 2, .work_items = 64, .register_vectors = 4, .steps_per_pass = 3};
    const Words words = {"plan",
                         "--count",
                         "1M",
                         "--type",
                         "u64",
                         "--lanes",
                         "2",
                         "--vectors",
                         "2",
                         "--work-items",
                         "64",
                         "--registers",
                         "4",
                         "--steps-per-pass",
                         "3",
                         "--local-sync",
                         "--no-remap",
                         "--no-bank-swap",
                         "--no-coalesced-store"};
    const Plan plan = make_plan(1 << 20, shape);
    Words as_json = words;
    as_json.insert(as_json.end(), {"--format", "json"});
    const Result result = scene.run(as_json);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    const Json json = Json::parse(result.out);
    CHECK(json["count"] == 1 << 20);
    CHECK(json["type"] == "u64");
    CHECK(json["shape"]["work_items"] == 64);
    REQUIRE(json["passes"].size() == plan.passes.size());
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        const Json& shown = json["passes"][i];
        const Pass& pass = plan.passes[i];
        constexpr const char* kernels[] = {"sort_tiles", "merge_strips", "merge_tiles"};
        CHECK(shown["kernel"] == kernels[static_cast<std::size_t>(pass.kind)]);
        CHECK(shown["last_phase"] == pass.last_phase);
        CHECK(shown["top_stride"] == std::uint64_t{1} << pass.top_stride);
        CHECK(shown["bottom_stride"] == std::uint64_t{1} << pass.bottom_stride);
        CHECK(shown["mirrored"] == pass.mirrored);
        CHECK(shown["strips"].get<std::uint64_t>() * shown["strip_keys"].get<std::uint64_t>() == shape.tile_keys());
        CHECK(shown["groups"] == pass.groups);
        CHECK(shown["barriers"] == pass.barriers);
        steps += pass.steps;
    }
    CHECK(steps == 20 * 21 / 2);
    CHECK(json["steps"] == steps);
    CHECK(json["synchronisations"]["by_cpu"] == plan.passes.size() - 1);

    const Result table = scene.run(words);
    CHECK(table.status == 0);
    CHECK(std::ranges::count(table.out, '\n') == static_cast<std::ptrdiff_t>(plan.passes.size()) + 6);
    CHECK(contains(table.out, "steps: 210, synchronisations by the CPU: " + std::to_string(plan.passes.size() - 1)));

    for (const char* const count : {"0", "1"}) {
        const Result none = scene.run({"plan", "--count", count, "--format", "json"});
        CHECK(Json::parse(none.out)["passes"].empty());
    }
    const Result scalar = scene.run({"plan", "--count", "2^24", "--lanes", "1", "--vectors", "1", "--work-items", "256",
                                     "--steps-per-pass", "1", "--no-local-sync", "--no-remap"});
    CHECK(contains(scalar.out,
                   "passes: 300, steps: 300, synchronisations by the CPU: 299, of all kinds: 299, "
                   "barriers: 0"));
}

TEST_CASE("plan shows the schedule that is asked for") {
    const Scene scene;
    const auto plan = [&](const Words& more) {
        Words words = {"plan", "--count", "2^26", "--format", "json"};
        words.insert(words.end(), more.begin(), more.end());
        return scene.run(words);
    };
    for (const bool in_columns : {false, true}) {
        const Result result = plan({"--device", "built-in", "--schedule", in_columns ? "columns" : "network"});
        REQUIRE_MESSAGE(result.status == 0, result.err);
        CHECK(Json::parse(result.out)["shape"]["columns"] == in_columns);
        CHECK(contains(result.out, "\"merge_columns\"") == in_columns);
    }
    require_refused(plan({"--device", "built-in", "--schedule", "distribution", "--type", "u8"}),
                    "its quicksort ");
    require_refused(plan({"--schedule", "distribution", "--data-independent"}), "`data_independent`");
    require_refused(plan({"--schedule", "distribution", "--lanes", "1"}), "--schedule: the options of a shape");
    require_refused(plan({"--operation", "merge", "--schedule", "network"}), "merge does not use `schedule`");
    for (const char* const schedule : {"network", "columns"})
        for (const char* const format : {"table", "json", "svg"})
            require_refused(
                scene.run({"plan", "--count", "100", "--first", "10", "--schedule", schedule, "--format", format}),
                "one whole range");
    CHECK(plan({"--first", "2^26", "--schedule", "network"}).status == 0);
    if (no_device()) return;

    const Words distribution = {"--device", "compiling", "--schedule", "distribution"};
    const Result result = plan(distribution);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    const Json json = Json::parse(result.out);
    const CommandList list = commands_of(find_device("compiling").info(),
                                         {.count = std::uint64_t{1} << 26, .schedule = Schedule::distribution});
    CHECK(list.report.schedule == Schedule::distribution);
    CHECK(json["operation"] == "sort");
    CHECK(json["commands"].size() == list.commands.size());
    CHECK(json["device_bytes"] == list.report.device_bytes);
}

TEST_CASE("plan says where a sort would go by distribution instead") {
    const Scene scene;
    const DeviceInfo device = built_in_device().info();
    const auto plan = [&](const std::string& count, const Words& more) {
        Words words = {"plan", "--device", "built-in", "--count", count};
        words.insert(words.end(), more.begin(), more.end());
        const Result result = scene.run(words);
        REQUIRE_MESSAGE(result.status == 0, result.err);
        return result.out;
    };
    const CommandList list = commands_of(device, {.count = std::uint64_t{1} << 24});
    const std::string note = "A sort that may choose goes by distribution instead, in " +
                             std::to_string(list.report.launches) + " launches; see --schedule distribution.";
    CHECK(contains(plan("2^24", {}), note) == (list.report.schedule == Schedule::distribution));
    for (const Words& words : {Words{"--data-independent"},
                               {"--schedule", "columns"},
                               {"--first", "10"},
                               {"--type", "u8"},
                               {"--format", "json"}})
        CHECK(!contains(plan("2^24", words), "by distribution"));
    for (const char* const count : {"1000", "2^62"}) CHECK(!contains(plan(count, {}), "by distribution"));
}

TEST_CASE("counts are written as people write them") {
    const Scene scene;
    const std::pair<const char*, std::uint64_t> counts[] = {
        {"1000", 1000},  {"3K", 3072},      {"16M", 1 << 24},
        {"1G", 1 << 30}, {"2^20", 1 << 20}, {"2^62", std::uint64_t{1} << 62},
    };
    for (const auto& [text, count] : counts)
        CHECK(Json::parse(scene.run({"plan", "--count", text, "--format", "json"}).out)["count"] == count);
    for (const char* const text : {"", "K", "2^", "2^^3", "1.5K", "0x10", " 1", "+1"})
        require_refused(scene.run({"plan", "--count", text}), "is not a count");
}

TEST_CASE("stats shows printed and exact figures without a device") {
    const Scene scene;
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (scene.run({"devices", "--format", "json"}).out != "[]\n") return;  // not every loader knows the variable
    const auto variants = statistics_variants(4);

    const Json json = Json::parse(scene.run({"stats", "--count", "2^24", "--format", "json"}).out);
    REQUIRE(json.size() == variants.size());
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const SyncCounts exact = exact_counts(make_plan(1 << 24, variants[i].shape));
        CHECK(json[i]["variant"] == variants[i].name);
        CHECK(json[i]["by_cpu"]["exact"] == exact.by_cpu);
        CHECK(json[i]["by_cpu"]["measured"].is_null());
        CHECK(json[i]["all"]["exact"] == exact.all);
        CHECK(json[i]["barriers"]["exact"] == exact.barriers);
    }
    CHECK(json[0]["by_cpu"]["exact"] == 299);
    CHECK(json[0]["by_cpu"]["printed"] == 299);

    const Result csv = scene.run({"stats", "--count", "2^24", "--format", "csv"});
    CHECK(
        csv.out.starts_with("variant,cpu_printed,cpu_exact,cpu_measured,all_printed,all_exact,all_measured,"
                            "barriers_exact,barriers_measured\n"
                            "\"scalar, every step by the CPU\",299,299,,299,299,,0,\n"));
    CHECK(std::ranges::count(csv.out, '\n') == static_cast<std::ptrdiff_t>(variants.size()) + 1);

    const Result table = scene.run({"stats", "--count", "2^24"});
    CHECK(table.status == 0);
    CHECK(table.err.empty());
    CHECK(contains(table.out, "synchronisations by the CPU"));
    CHECK(std::ranges::count(table.out, '\n') == static_cast<std::ptrdiff_t>(variants.size()) + 2);
    CHECK(scene.run({"stats", "--count", "0"}).status == 0);
}

TEST_CASE("stats --measure: what the device did is what the plan said") {
    if (no_device()) return;
    const Scene scene;
    const Result result = scene.run({"stats", "--count", "5000", "--measure", "--format", "json"});
    REQUIRE_MESSAGE(result.status == 0, result.err);
    CHECK(result.err.empty());
    const Json json = Json::parse(result.out);
    const DeviceInfo info = find_device("compiling").info();
    CHECK(json.size() == statistics_variants(4, info.local_bytes, info.max_work_items).size() + 1);
    CHECK(json.back()["variant"].get<std::string>().starts_with("chosen: L="));
    for (const Json& row : json) {
        CAPTURE(row["variant"].get<std::string>());
        for (const char* const kind : {"by_cpu", "all", "barriers"}) CHECK(row[kind]["measured"] == row[kind]["exact"]);
    }
}

}  // namespace
}  // namespace lanesort::test
