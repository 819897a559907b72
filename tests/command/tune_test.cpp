// SPDX-License-Identifier: MIT
// lanesort tune: which shapes it tries, and what a user sees of it.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include <lanesort/lanesort.hpp>

#include "devices_made_up.hpp"
#include "support.hpp"
#include "tools/schedule_search.hpp"
#include "tools/shape_search.hpp"

namespace lanesort::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace std::string_literals;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// ---- the search ----------------------------------------------------------------------------------------------------

TEST_CASE("neighbours: other shapes, all of which the device can run") {
    DeviceInfo cuda = graphics_card();
    cuda.backend = "CUDA";
    for (const DeviceInfo& device : {processor(), graphics_card(), cuda})
        for (const std::size_t bytes : {1, 2, 4, 8})
            for (const std::uint64_t count : {4096, 100000, 0}) {
                const Shape from = choose_shape(device, bytes, count);
                const std::vector<Shape> found = neighbours(from, device, bytes, count);
                CHECK(found.size() >= 5);
                for (const Shape& shape : found) {
                    CAPTURE(to_string(shape));
                    CHECK(shape != from);
                    CHECK(std::ranges::count(found, shape) == 1);
                    CHECK_NOTHROW(check_shape(shape));
                    CHECK(shape.work_items <= device.max_work_items);
                    CHECK(shape.local_bytes(bytes) <= device.local_bytes);
                    CHECK(shape.walks_in_cache() == from.walks_in_cache());
                }
            }
    const Shape shape = choose_shape(graphics_card(), 4);
    const auto has_other_residents = [&](const Shape& s) { return s.resident_groups != shape.resident_groups; };
    CHECK(std::ranges::none_of(neighbours(shape, graphics_card(), 4, 1 << 20), has_other_residents));
    CHECK(std::ranges::any_of(neighbours(shape, cuda, 4, 1 << 20), has_other_residents));
}

TEST_CASE("neighbours: the network alone, and other numbers of columns where they matter") {
    using Numbers = std::vector<unsigned>;
    const auto columns = [](const Shape& shape, const DeviceInfo& device, std::uint64_t count) {
        Numbers found;
        for (const Shape& other : neighbours(shape, device, 4, count)) {
            Shape same_columns = other;
            same_columns.columns = shape.columns;
            same_columns.most_columns = shape.most_columns;
            if (same_columns == shape) found.push_back(other.columns ? other.most_columns : 1);
        }
        return found;
    };
    DeviceInfo card = graphics_card();
    card.vendor = "NVIDIA Corporation";
    Shape on_card = choose_shape(card, 4), on_processor = choose_shape(processor(), 4);
    for (const auto& [shape, device] : {std::pair(&on_card, card), {&on_processor, processor()}}) {
        CAPTURE(to_string(*shape));
        REQUIRE(shape->columns);
        const std::uint64_t tile = shape->tile_keys(), many = tile << 10;
        const unsigned most = 1u << make_plan(many, *shape).passes.front().column_bits;
        REQUIRE(most >= 16);
        CHECK(columns(*shape, device, many) == Numbers{1, most / 2});
        CHECK(columns(*shape, device, tile) == Numbers{1});
        CHECK(columns(*shape, device, most / 2 * tile) == Numbers{1, most / 4});
        shape->most_columns = most / 4;
        CHECK(columns(*shape, device, many) == Numbers{1, most / 8, most / 2});
        shape->most_columns = most / 2;
        CHECK(columns(*shape, device, many) == Numbers{1, most / 4, 0});
        shape->columns = false;
        CHECK(columns(*shape, device, many) == Numbers{0});
    }
}

/// Seconds that are least for that many vectors and steps, and grow with the distance.
double distance(const Shape& shape, double lg_vectors, double steps) {
    return 1 + std::abs(std::log2(shape.vectors) - lg_vectors) + std::abs(shape.steps_per_pass - steps);
}

TEST_CASE("search: finds the fastest shape of each count, and tries none twice") {
    const DeviceInfo device = processor();
    const Shape first = choose_shape(device, 4);
    ShapeSearch search({first, first}, 2, [&](const Shape& shape, std::size_t count) {
        return neighbours(shape, device, 4, count ? 1 << 16 : 1 << 24);
    });
    std::vector<Shape> tried;
    while (const auto shape = search.next()) {
        CHECK(std::ranges::count(tried, *shape) == 0);
        tried.push_back(*shape);
        REQUIRE(tried.size() < 500);
        search.tried(*shape, std::vector<std::optional<double>>{distance(*shape, 14, 3), distance(*shape, 6, 5)});
    }
    CHECK(tried.front() == first);
    for (const std::size_t count : {0, 1}) {
        const std::vector<Shape> best = search.fastest(count, 3);
        REQUIRE(best.size() == 3);
        CHECK(distance(best[0], count ? 6 : 14, count ? 5 : 3) == 1);
        CHECK(distance(best[1], count ? 6 : 14, count ? 5 : 3) <= distance(best[2], count ? 6 : 14, count ? 5 : 3));
    }
}

TEST_CASE("search: goes on past shapes that cannot be used, and ends where none can") {
    const Shape first{.vectors = 1, .steps_per_pass = 1};
    const auto chain = [](const Shape& shape, std::size_t) {
        std::vector<Shape> next = {shape, shape};
        next[0].vectors += 1;
        next[1].vectors += 2;
        return next;
    };
    ShapeSearch search({first}, 1, chain);
    std::vector<unsigned> tried;
    while (const auto shape = search.next()) {
        tried.push_back(shape->vectors);
        std::optional<double> seconds;
        if (shape->vectors % 2 == 1 && shape->vectors < 8) seconds = 1.0 / shape->vectors;
        search.tried(*shape, std::vector{seconds});
    }
    CHECK(tried == std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(search.fastest(0, 9).size() == 4);

    ShapeSearch hopeless({first}, 1, chain);
    CHECK(hopeless.next() == first);
    hopeless.tried(first, std::vector<std::optional<double>>(1));
    CHECK_FALSE(hopeless.next());
    CHECK(hopeless.fastest(0, 3).empty());
}

TEST_CASE("search: a measurement speaks for the counts around it") {
    using Counts = std::vector<std::uint64_t>;
    using Ranges = std::vector<CountRange>;
    CHECK(ranges_around(Counts{}).empty());
    CHECK(ranges_around(Counts{1000}) == Ranges{{250, 4000}});
    CHECK(ranges_around(Counts{2}) == Ranges{{0, 8}});
    CHECK(ranges_around(Counts{1 << 10, 1 << 12, 1 << 20}) ==
          Ranges{{1 << 8, 1 << 11}, {1 << 11, 1 << 14}, {1 << 18, 1 << 22}});
    CHECK(ranges_around(Counts{1 << 24}) == Ranges{{1 << 22, ShapeTable::no_end}});
    CHECK(ranges_around(Counts{1 << 24, 1 << 25})[0].below < 1 << 25);
    CHECK(ranges_around(Counts{std::uint64_t{1} << 63}) == Ranges{{std::uint64_t{1} << 61, ShapeTable::no_end}});
    CHECK(ranges_around(Counts{2, 3}) == Ranges{{0, 3}, {3, 12}});
}

TEST_CASE("search: from how many keys on a distribution is faster") {
    constexpr std::uint64_t least = 1 << 20, most = 1 << 27;
    std::vector<std::uint64_t> asked;
    const auto limit = [&](std::uint64_t truth) {
        asked.clear();
        return find_distribution_limit(least, most, 1.03, [&](std::uint64_t count) {
            asked.push_back(count);
            return std::optional(count >= truth ? 1.03 : 1.02);
        });
    };
    CHECK(limit(0) == least);
    CHECK(limit(least) == least);
    CHECK(limit(most) == most);
    CHECK(limit(most + 1) == ShapeTable::no_end);
    CHECK(asked == std::vector{most});
    for (const std::uint64_t truth : {least + 1, std::uint64_t{3'000'000}, std::uint64_t{1} << 25, most - 1}) {
        const std::uint64_t found = limit(truth).value();
        CAPTURE(found);
        CHECK(found >= truth);
        CHECK(found <= truth + truth / 3);
        CHECK(asked.size() <= 10);
        CHECK(std::ranges::all_of(asked, [&](std::uint64_t count) { return count >= least && count <= most; }));
    }
}

TEST_CASE("search: what cannot be measured is no distribution's") {
    const auto limit = [](std::uint64_t from, std::uint64_t below) {
        return find_distribution_limit(16, 1024, 1.03, [=](std::uint64_t count) {
            return count >= from && count < below ? std::optional(2.0) : std::nullopt;
        });
    };
    CHECK_FALSE(limit(0, 1024));     // not of the most keys
    CHECK(limit(256, 2000) == 256);  // time was over, or too few keys
    CHECK(limit(0, 2000) == 16);
    // One that is faster for few keys alone is not taken for more than were measured.
    CHECK(find_distribution_limit(16, 1024, 1.03, [](std::uint64_t count) {
              return std::optional(count < 100 ? 2.0 : 0.5);
          }) == ShapeTable::no_end);
}

// ---- the command ---------------------------------------------------------------------------------------------------

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A cache of its own for the commands that run in it.
class Scene {
public:
    struct Result {
        int status;
        std::string out, err;
    };
    /// Words as a shell has them.
    Result run(const std::string& words) const {
        const fs::path out = streams_.path() / "out", err = streams_.path() / "err";
        const std::string line =
            "'" LANESORT_COMMAND "' " + words + " </dev/null >'" + out.string() + "' 2>'" + err.string() + "'";
        const int status = std::system(line.c_str());
        REQUIRE(WIFEXITED(status));
        return {WEXITSTATUS(status), read_file(out), read_file(err)};
    }
    fs::path folder() const { return cache_.path() / "lanesort"; }
    std::size_t stored() const {
        if (!fs::exists(folder())) return 0;
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
    }
    std::string path(const std::string& name) const { return streams_.path() / name; }

private:
    static fs::path kernels() {
        static const TemporaryFolder folder;
        return folder.path();
    }

    TemporaryFolder cache_, streams_;
    ScopedVariable variable_{"XDG_CACHE_HOME", cache_.path().string()}, allowed_{"LANESORT_TUNED", "1"};
    ScopedVariable kernels_{"POCL_CACHE_DIR", kernels().string()};  // else each scene would compile anew
};

bool no_device() {
    static const bool none = std::ranges::none_of(devices(), [](const Device& d) { return d.info().compiles; });
    if (none) ++skipped_device_cases();
    return none;
}

TEST_CASE("tune: wrong usage is refused in one sentence, and nothing is stored") {
    if (no_device()) return;
    const Scene scene;
    const std::pair<std::string, std::string> wrong[] = {
        {"--type u33", "\"u33\" is not one of"},
        {"--count", "--count"},
        {"--count 2^12 many", "\"many\" is not a count"},
        {"--count 1", "--count is 1, but"},
        {"--count 2^16 2^50", "--count is 1125899906842624, but"},
        {"--time-limit 0", "--time-limit"},
        {"--time-limit soon", "--time-limit"},
        {"--device nonesuch", "\"nonesuch\""},
        {"--output " + scene.path("no/such/folder"), "cannot write " + scene.path("no/such/folder")},
    };
    for (const auto& [words, part] : wrong) {
        const Scene::Result result = scene.run("tune " + words);
        INFO(result.err);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        CHECK(contains(result.err, part));
        CHECK(std::ranges::count(result.err, '\n') == 1);
    }
    const ScopedVariable forbidden("LANESORT_TUNED", "0");
    const Scene::Result nowhere = scene.run("tune");
    CHECK(nowhere.status == 2);
    CHECK(contains(nowhere.err, "no place to store"));
    CHECK(scene.stored() == 0);
    CHECK(contains(scene.run("tune --help").out, "Example: lanesort tune"));
}

/// Many times as fast for 100 keys as the large tiles that are built in for a processor.
constexpr Shape small_shape{.lanes = 4, .vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 2};

TEST_CASE("tune: a dry run shows the shapes and stores nothing") {
    if (no_device()) return;
    const Scene scene;
    const Scene::Result dry = scene.run("tune --type u64 --count 100 --time-limit 1 --dry-run");
    REQUIRE_MESSAGE(dry.status == 0, dry.err);
    CHECK(contains(dry.out, "100 keys of type u64 on " + find_device("compiling").info().name + "\nshape"));
    CHECK(contains(dry.out, "  1.00  built-in\n"));
    CHECK_FALSE(contains(dry.out, "Stored"));
    CHECK_FALSE(contains(dry.out, "to store"));
    // Sorts take the built-in device where there is no GPU.
    const DeviceInfo usual = find_device().info();
    CHECK(contains(dry.out, "Sorts take " + usual.name + ", which has nothing to tune") == !usual.compiles);
    CHECK(dry.err.empty());
    CHECK_FALSE(fs::exists(scene.folder()));
}

TEST_CASE("tune: what is stored is shown and used, and shapes for other keys stay") {
    if (no_device()) return;
    const Scene scene;
    const DeviceInfo info = find_device("compiling").info();
    const fs::path file = tuned_file(info);
    const ShapeTable::Row of_other_type{1, 0, 5000, small_shape}, of_other_counts{8, 10000, 20000, small_shape};
    const std::map<std::size_t, std::uint64_t> limits{{4, 1 << 22}, {8, ShapeTable::no_end}};
    fs::create_directories(scene.folder());
    std::ofstream(file) << to_text({identity(info), {of_other_type, of_other_counts}, limits});

    const Scene::Result tuned = scene.run("tune --type i64 --count 100 --time-limit 1");
    REQUIRE_MESSAGE(tuned.status == 0, tuned.err);
    INFO(tuned.out);
    CHECK(scene.stored() == 1);
    const TunedShapes found = find_tuned(info);
    CHECK(found.note.empty());
    CHECK(std::ranges::count(found.table.rows, of_other_type) == 1);
    CHECK(std::ranges::count(found.table.rows, of_other_counts) == 1);
    CHECK(found.table.distribution_from == limits);  // too few keys to look for others

    // Which shape is faster is the device's affair, but what was said must be what was done.
    const std::optional<Shape> shape = found.table.find(8, 100);
    CHECK(contains(tuned.out, "times as fast") == shape.has_value());
    CHECK(contains(tuned.out, "Stored in " + file.string()) == shape.has_value());
    const Json listed = Json::parse(scene.run("devices --format json").out);
    const auto listing = std::ranges::find_if(listed, [&](const Json& device) { return device["name"] == info.name; });
    REQUIRE(listing != listed.end());
    CHECK((*listing)["tuned"]["file"] == file.string());
    CHECK((*listing)["tuned"]["shapes"].size() == found.table.rows.size());
    CHECK((*listing)["tuned"]["distributions"] ==
          Json::parse(R"([{"key_bytes": 4, "from": 4194304}, {"key_bytes": 8, "from": null}])"));
    const std::string text = scene.run("devices").out;
    CHECK(contains(text, to_string(small_shape) + ", for 0 to 4999 keys"));
    CHECK(contains(text, "distribution   4194304 or more keys\n"));
    CHECK(contains(text, "distribution   never\n"));
    CHECK(contains(text, file.string()));
    const auto planned = [&](const std::string& count) {
        const Scene::Result plan = scene.run("plan --device compiling --type f64 --format json --count " + count);
        REQUIRE_MESSAGE(plan.status == 0, plan.err);
        return Json::parse(plan.out)["shape"];
    };
    CHECK(planned("15000")["vectors"] == small_shape.vectors);
    CHECK(planned("15000")["work_items"] == small_shape.work_items);
    if (!shape) return;
    CHECK(contains(text, to_string(*shape) + ", for 25 to 399 keys"));
    CHECK(planned("399")["vectors"] == shape->vectors);
    CHECK(planned("399")["work_items"] == shape->work_items);
}

TEST_CASE("tune: a tuned file of no use is told of, and left alone where another file is asked for") {
    if (no_device()) return;
    const Scene scene;
    const DeviceInfo info = find_device("compiling").info();
    const fs::path file = tuned_file(info);
    fs::create_directories(scene.folder());
    std::ofstream(file) << "lanesort shapes 99\n";
    const std::string note = "tuned shapes are not used: " + file.string() + ":1: ";
    CHECK(contains(scene.run("devices").out, note));
    const Scene::Result sorted = scene.run("sort --text --stats --device compiling --type u8 - -");
    CHECK(sorted.status == 0);
    CHECK(contains(sorted.err, note));

    const fs::path mine = scene.path("mine");
    const Scene::Result tuned = scene.run("tune --type u64 --count 100 --time-limit 1 --output " + mine.string());
    REQUIRE_MESSAGE(tuned.status == 0, tuned.err);
    CHECK(read_file(file) == "lanesort shapes 99\n");
    CHECK(contains(tuned.out, "Stored in " + mine.string()) == fs::exists(mine));
    if (fs::exists(mine)) CHECK(read_shape_file(mine, info).find(8, 100));
}

}  // namespace
}  // namespace lanesort::test
