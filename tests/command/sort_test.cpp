// SPDX-License-Identifier: MIT
// lanesort sort: raw numbers of every type, in any shape, and devices that fail.
#include <cstdint>

#include <nlohmann/json.hpp>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("a type may have the name that NumPy gives it") {
    const Scene scene;
    const std::string bytes("\x01\xff\x00\x80\x7f\x00\x80\x3f", 8);
    for (const char kind : {'u', 'i', 'f'})
        for (const std::string bits : {"8", "16", "32", "64"}) {
            if (kind == 'f' && bits == "8") continue;
            const std::string long_name = (kind == 'u' ? "uint" : kind == 'i' ? "int" : "float") + bits;
            CAPTURE(long_name);
            const Result sorted = scene.run({"sort", "--type", long_name}, bytes);
            CHECK(sorted.status == 0);
            CHECK(sorted.out == scene.run({"sort", "--type", kind + bits}, bytes).out);
        }
}

using Json = nlohmann::json;

TEST_CASE("every type and order is sorted as std::sort does") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for_each_key_type([&]<class T>() {
        std::vector<T> keys = random_keys<T>(3001, random);
        for (const T special : special_values<T>()) keys[random() % keys.size()] = special;
        const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
        for (const Order order : both_orders) {
            CAPTURE(name(key_type_v<T>));
            const Result result = scene.run({"sort", "--type", std::string(name(key_type_v<T>)), "--order",
                                             order == Order::ascending ? "asc" : "desc", in, out});
            REQUIRE_MESSAGE(result.status == 0, result.err);
            CHECK(result.out.empty());
            CHECK(result.err.empty());
            require_same_bytes(numbers_in<T>(read_file(out)), sorted(keys, order));
        }
        CHECK(read_file(in) == bytes_of(keys));
    });
    CHECK(scene.files() == 2);
}

TEST_CASE("any shape can be tried and gives the same bytes") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto keys = random_keys<std::uint32_t>(3001, random);
    const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
    const auto with = [&](Words options) {
        options.insert(options.begin(), {"sort", "--type", "u32", "--stats", in, out});
        return scene.run(options);
    };
    const Result patent =
        with({"--lanes", "4", "--vectors", "2", "--work-items", "64", "--steps-per-pass", "2", "--resident-groups", "1",
              "--remap", "--bank-swap", "--no-bank-padding", "--no-coalesced-store"});
    REQUIRE_MESSAGE(patent.status == 0, patent.err);
    CHECK(contains(patent.err, "L=4 M=2 ITEMS=64 r=2 remap bank-swap\n"));
    require_same_bytes(numbers_in<std::uint32_t>(read_file(out)), sorted(keys, Order::ascending));
    fs::remove(out);

    require_refused(with({"--work-items", "3"}), "a power of two");
    require_refused(with({"--bank-swap", "--no-remap"}), "bank_swap");
    CHECK(!fs::exists(out));
}

TEST_CASE("a schedule can be asked for, and gives the same bytes") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto keys = random_keys<std::uint32_t>(300'001, random);
    const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
    const auto with = [&](Words options) {
        options.insert(options.begin(), {"sort", "--type", "u32", "--stats", in, out});
        return scene.run(options);
    };
    for (const std::string device : {"built-in", "compiling"}) {
        for (const std::string schedule : {"network", "columns", "distribution"}) {
            if (schedule == "distribution" && device == "built-in" && !built_in_device().info().parts_vectors) continue;
            const Result result = with({"--device", device, "--schedule", schedule});
            REQUIRE_MESSAGE(result.status == 0, result.err);
            CHECK_MESSAGE(contains(result.err, "schedule            " + schedule + "\n"), result.err);
            require_same_bytes(numbers_in<std::uint32_t>(read_file(out)), sorted(keys, Order::ascending));
        }
        const Result result = with({"--device", device, "--data-independent"});
        REQUIRE_MESSAGE(result.status == 0, result.err);
        CHECK(!contains(result.err, "distribution"));
        require_same_bytes(numbers_in<std::uint32_t>(read_file(out)), sorted(keys, Order::ascending));
    }
    REQUIRE(with({"--schedule", "automatic"}).status == 0);
    require_same_bytes(numbers_in<std::uint32_t>(read_file(out)), sorted(keys, Order::ascending));
    fs::remove(out);

    require_refused(with({"--schedule", "quick"}), "\"quick\" is not automatic, network, columns or distribution");
    require_refused(with({"--schedule", "network", "--columns"}), "--columns cannot be used with --schedule");
    require_refused(with({"--schedule", "distribution", "--data-independent"}), "`data_independent`");
    require_refused(scene.run({"sort", "--type", "u16", "--device", "built-in", "--schedule", "distribution", in, out}),
                    "its quicksort ");
    CHECK(scene.run({"topk", "-k", "3", "--type", "u32", "--schedule", "network", in, out}).status == 2);
    CHECK(!fs::exists(out));
}

TEST_CASE("a schedule is for one range: indices and tables have it, rows have not") {
    if (no_device()) return;
    const Scene scene;
    for (const std::string schedule : {"network", "columns"}) {
        const Words how = {"--schedule", schedule, "--data-independent"};
        const auto run = [&](Words words, std::string_view input) {
            words.insert(words.end(), how.begin(), how.end());
            return scene.run(words, input);
        };
        CHECK(run({"argsort", "--text", "-", "-"}, "7\n9\n8\n").out == "0\n2\n1\n");
        CHECK(run({"sort", "--by-column", "2", "-", "-"}, "a,7\nb,9\nc,8\n").out == "a,7\nc,8\nb,9\n");
        CHECK(run({"argsort", "--by-column", "2", "--text", "-", "-"}, "a,7\nb,9\nc,8\n").out == "0\n2\n1\n");
        std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}";
        header.resize(117, ' ');
        const std::string rows = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\nzyxw";
        require_refused(run({"sort", "-", "-"}, rows), "for one whole range");
    }
}

TEST_CASE("--stats tells what the sort did") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", std::string(40000, 'x'));
    const Result result = scene.run({"sort", "--type", "u32", "--stats", in, scene.path("out")});
    CHECK(result.status == 0);
    CHECK(result.out.empty());
    for (const char* const part : {"keys                10000 of type u32\n", "time ", "keys/s ", "launches ",
                                   "barriers ", "extra device bytes "})
        CHECK_MESSAGE(contains(result.err, part), result.err);
}

TEST_CASE("more keys than the device can hold") {
    if (no_device() || find_device("compiling").info().platform != "Portable Computing Language") return;
    const Scene scene;
    const ScopedVariable one_gigabyte("POCL_MEMORY_LIMIT", "1");
    const std::string in = scene.file("in", ""), out = scene.file("out", "before");
    const Json info = Json::parse(scene.run({"devices", "--format", "json"}).out)[0];
    fs::resize_file(in, info["max_allocation_bytes"].get<std::uintmax_t>() + 1);  // a hole: takes no room on the disk
    require_refused(scene.run({"sort", "--type", "u8", "--device", "compiling", in, out}), " can be sorted: ");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("kernels that do not build: the device failed, and the log says why") {
    if (no_device()) return;
    const Scene scene;
    const TemporaryFolder kernels;
    fs::create_directory(kernels.path() / "sort");
    for (const char* const name : {"sort/tile_in_cache.cl", "sort/tile_in_local.cl"})
        write_file(kernels.path() / name, "#error a kernel of no use\n");
    const std::string in = scene.file("in", "zyxa"), out = scene.file("out", "before");
    const ScopedVariable folder("LANESORT_KERNEL_DIR", kernels.path());
    const Result result = scene.run({"sort", "--type", "u8", "--device", "0", in, out});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "lanesort: the device's compiler refused sort/tile_in_"));
    CHECK(contains(result.err, "a kernel of no use"));
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

}  // namespace
}  // namespace lanesort::test
