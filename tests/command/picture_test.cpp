// SPDX-License-Identifier: MIT
// The pictures of plan and stats: whole files, which draw what the plan says and nothing else.
#include <iterator>
#include <map>
#include <regex>
#include <span>
#include <sstream>
#include <vector>

#include "command_support.hpp"
#include "oracle/reference_network.hpp"
#include "tools/plan_picture.hpp"
#include "tools/stats_picture.hpp"
#include "tools/svg.hpp"

namespace lanesort::test {
namespace {

/// Why that is no well-formed XML; empty if it is.
std::string fault_of(const std::string& xml) {
    static const std::regex tag(R"re(<(/?)([a-z]+)((?: [A-Za-z0-9-]+="[^"<]*")*)(/?)>)re");
    static const std::regex bare_ampersand("&(?!(amp|lt|gt|quot);)");
    if (std::regex_search(xml, bare_ampersand)) return "a bare &";
    std::vector<std::string> open;
    auto at = xml.cbegin();
    for (std::smatch found; std::regex_search(at, xml.cend(), found, tag); at = found[0].second) {
        const std::string between = found.prefix();
        if (between.find_first_of("<>") != std::string::npos) return "a bare < or > in " + between;
        if (open.empty() && at != xml.cbegin()) return "more than one root";
        if (found[1].length() > 0) {
            if (open.empty() || open.back() != found[2]) return "</" + found[2].str() + "> closes nothing";
            open.pop_back();
        } else if (found[4].length() == 0) {
            open.push_back(found[2]);
        }
    }
    if (!open.empty()) return open.back() + " is not closed";
    return std::string(at, xml.cend()) == "\n" ? "" : "something follows the end";
}

/// How many elements of that style a picture has.
std::size_t drawn(const std::string& picture, const std::string& style) {
    std::size_t count = 0;
    const std::string mark = "class=\"" + style + "\"";
    for (std::size_t at = 0; (at = picture.find(mark, at)) != std::string::npos; ++at) ++count;
    return count;
}

std::size_t comparators_of(const Plan& plan) {
    std::vector<int> keys(plan.count);
    std::size_t count = 0;
    for (const Pass& pass : plan.passes) run_pass(std::span(keys), pass, plan, [&](int&, int&) { ++count; });
    return count;
}

/// Shapes whose tiles are smaller than the arrays, and larger; also without barriers, and one work-item by itself.
std::vector<Shape> some_shapes() {
    return {
        {.work_items = 2},
        {.work_items = 1},
        {.work_items = 64, .local_sync = false},
        {.lanes = 2, .vectors = 2, .work_items = 2, .register_vectors = 4, .steps_per_pass = 2, .remap = true},
        {.lanes = 4, .vectors = 1, .work_items = 4, .remap = true, .bank_swap = true, .coalesced_store = true},
        {.lanes = 4, .vectors = 8, .work_items = 1, .register_vectors = 4, .steps_per_pass = 4},
        {.vectors = 4, .work_items = 1, .register_vectors = 2, .columns = true},
        {.lanes = 2, .vectors = 8, .work_items = 1, .register_vectors = 4, .columns = true},
        {.lanes = 1, .vectors = 8, .work_items = 256, .register_vectors = 16, .steps_per_pass = 8, .remap = true},
    };
}

TEST_CASE("pictures: what is written is well-formed") {
    CHECK(fault_of("<a b=\"c\"><d/>e &amp; f</a>\n").empty());
    for (const char* const wrong : {"<a>", "<a></b>\n", "<a>&</a>\n", "<a></a><a></a>\n", "<a>1 < 2</a>\n"})
        CHECK(!fault_of(wrong).empty());

    Svg svg;
    svg.text("x", {1.25, -0.04}, "1 < 2 & \"3\" > \xff\x01");
    svg.polyline("x", {});
    const std::string document = svg.document(10, 20.55, "<&>", "text > a { }");
    CHECK_MESSAGE(fault_of(document).empty(), fault_of(document));
    CHECK(contains(document,
                   "x=\"1.3\" y=\"0\">1 &lt; 2 &amp; &quot;3&quot; &gt; ?"
                   "?<"));
}

TEST_CASE("plan pictures: every comparator of the network, and every synchronisation of the plan") {
    for (const Shape& shape : some_shapes())
        for (std::uint64_t count = 0; count <= most_drawn_keys + 1; count += count < 20 ? 1 : 5)
            for (const std::uint64_t first : {all_keys, std::uint64_t{4}}) {
                CAPTURE(to_string(shape));
                CAPTURE(count);
                const Plan plan = make_plan(count, shape, first);
                const std::string picture = plan_picture(plan);
                REQUIRE_MESSAGE(fault_of(picture).empty(), fault_of(picture));
                CHECK(picture == plan_picture(plan));
                const SyncCounts counts = exact_counts(plan);
                // In the network, in the schedule, and once in the legend where there are any.
                const std::size_t pictures = plan.passes.empty() ? 0 : count <= most_drawn_keys ? 2 : 1;
                CHECK(drawn(picture, "cpu") == pictures * counts.by_cpu + (counts.by_cpu > 0));
                const std::uint64_t hand_overs = counts.all - counts.by_cpu;
                CHECK(drawn(picture, "hand-over") == pictures * hand_overs + (hand_overs > 0));
                // The words "rows" are beside their steps, and in the legend before what they mean.
                const bool has_rows = std::ranges::any_of(plan.passes, [&](const Pass& pass) {
                    return std::ranges::any_of(steps(pass, shape), [](const Step& step) { return step.distance > 0; });
                });
                CHECK(contains(picture, ">rows</text>") == has_rows);
                CHECK(contains(picture, "row by row") == has_rows);
                if (pictures < 2) continue;
                const bool is_moved = drawn(picture, "move") > 2;
                CHECK(contains(picture, "go to their columns") == is_moved);
                CHECK(drawn(picture, "comparator") + drawn(picture, "mirrored") == comparators_of(plan) + 2);
                CHECK(drawn(picture, "wire") == count);
            }
}

TEST_CASE("plan pictures: no comparator is drawn over another of its step") {
    const Plan plan = make_plan(64, {.work_items = 2});
    const std::string picture = plan_picture(plan);
    static const std::regex vertical(
        R"re(<line class="(?:comparator|mirrored)" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/>)re");
    std::map<double, std::vector<std::pair<double, double>>> columns;
    for (std::sregex_iterator at(picture.begin(), picture.end(), vertical), end; at != end; ++at)
        if ((*at)[1] == (*at)[3]) columns[std::stod((*at)[1])].emplace_back(std::stod((*at)[2]), std::stod((*at)[4]));
    REQUIRE(columns.size() > 100);
    for (auto& [x, spans] : columns) {
        std::ranges::sort(spans);
        for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i - 1].second < spans[i].first);
    }
}

TEST_CASE("plan pictures: many keys make no large file") {
    constexpr std::size_t most_bytes = 700'000;
    for (const Shape& shape : some_shapes())
        for (const std::uint64_t count : {std::uint64_t{64}, std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
            const std::string picture = plan_picture(make_plan(count, shape));
            CAPTURE(to_string(shape));
            CHECK(fault_of(picture).empty());
            CHECK(picture.size() < most_bytes);
        }
}

TEST_CASE("stats pictures: a line for each variant, those that coincide drawn once") {
    const std::vector<Series> series = {
        {"one & only", {{0, 0, 0}, {10, 20, 5}}},
        {"two", {{1, 2, 0}, {3, 4, 5}}},
        {"three", {{1, 2, 0}, {3, 4, 5}}},
    };
    const std::string picture = stats_picture("a < b", 10, series);
    REQUIRE_MESSAGE(fault_of(picture).empty(), fault_of(picture));
    CHECK(picture == stats_picture("a < b", 10, series));
    std::size_t lines = 0;
    for (const char* const style : {"series c0", "series c1", "series c2"}) lines += drawn(picture, style);
    CHECK(lines == 3);  // two by the CPU, and one for barriers
    for (const char* const name : {"a &lt; b", "one &amp; only", "two", "three", "2^10", "2^11"})
        CHECK(contains(picture, name));
    CHECK(fault_of(stats_picture("keys", 1, {{"none", {{0, 0, 0}, {0, 0, 0}}}})).empty());
}

TEST_CASE("the command writes pictures") {
    const Scene scene;
    const auto drawn = [&](const char* command, const char* count) {
        CAPTURE(count);
        const Result result = scene.run({command, "--count", count, "--format", "svg"});
        CHECK(result.status == 0);
        CHECK_MESSAGE(fault_of(result.out).empty(), fault_of(result.out));
        return result.out;
    };
    for (const char* const count : {"0", "1", "2", "3", "1024", "1025", "2^28", "2^62"}) drawn("plan", count);

    // The first and the last power of two of the axis, and what it does not reach.
    struct Axis {
        const char* count;
        std::vector<const char*> reached, not_reached;
    };
    const Axis axes[] = {
        {"2", {"2^0", "2^1"}, {"2^2"}},
        {"3", {"2^0", "2^2"}, {"2^3"}},
        {"1000", {"2^0", "2^10"}, {"2^11"}},
        {"1024", {"2^0", "2^10"}, {"2^11"}},
        {"1025", {"2^10", "2^11"}, {"2^9", "2^12"}},
        {"2^28", {"2^10", "2^28"}, {"2^9", "2^29"}},
        {"2^62", {"2^10", "2^58"}, {"2^9", "2^63"}},
    };
    for (const Axis& axis : axes) {
        CAPTURE(axis.count);
        const std::string picture = drawn("stats", axis.count);
        const auto has = [&](const char* power) { return contains(picture, std::string(">") + power + "<"); };
        for (const char* const power : axis.reached) CHECK_MESSAGE(has(power), power);
        for (const char* const power : axis.not_reached) CHECK_MESSAGE(!has(power), power);
    }
    require_refused(scene.run({"stats", "--count", "1", "--format", "svg"}), "2 or more");
    require_refused(scene.run({"stats", "--count", "2^10", "--format", "svg", "--measure"}), "--measure");
    require_refused(scene.run({"stats", "--count", "2^63", "--format", "svg"}), "2^62");
}

TEST_CASE("the commands in docs/ draw what the guides say") {
    const Scene scene;
    const std::pair<const char*, std::vector<std::string>> guides[] = {
        {"design.md",
         {"Sort of 16 keys: passes: 6, steps: 10, synchronisations by the CPU: 5,",
          "Sort of 2^20 keys: passes: 20, steps: 210, synchronisations by the CPU: 19,",
          "Sort of 15 keys: passes: 4, steps: 13, synchronisations by the CPU: 3,"}},
        {"statistics.md", {"How often each variant of the sort synchronises"}},
    };
    static const std::regex command("\nlanesort (.* --format svg) >");
    for (const auto& [guide, titles] : guides) {
        const std::string text = read_file(fs::path(LANESORT_DOCS) / guide);
        std::size_t commands = 0;
        for (std::sregex_iterator found(text.begin(), text.end(), command), end; found != end; ++found, ++commands) {
            REQUIRE(commands < titles.size());
            CAPTURE(titles[commands]);
            std::istringstream words((*found)[1]);
            const Result result = scene.run(Words(std::istream_iterator<std::string>(words), {}));
            REQUIRE(result.status == 0);
            CHECK_MESSAGE(fault_of(result.out).empty(), fault_of(result.out));
            CHECK(contains(result.out, "<title>" + titles[commands]));
        }
        CHECK(commands == titles.size());
    }
}

}  // namespace
}  // namespace lanesort::test
