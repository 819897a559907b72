// SPDX-License-Identifier: MIT
// Files of shapes: what is written is read, what is wrong is told and never an error, and sorters use what they find.
#include <lanesort/tuning.hpp>

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <functional>
#include <set>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>

#include "devices_made_up.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// A cache of its own, in which a test may look for tuned shapes.
class Cache {
public:
    const fs::path& path() const { return folder_.path(); }

    /// Makes that the tuned file of the device.
    fs::path store(const DeviceInfo& device, const std::string& text) const {
        const fs::path file = tuned_file(device);
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

private:
    TemporaryFolder folder_;
    ScopedVariable cache_{"XDG_CACHE_HOME", folder_.path().string()}, allowed_{"LANESORT_TUNED", "1"};
};

/// A shape that any device runs and whose kernels are soon compiled.
constexpr Shape small_shape{.lanes = 4, .vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 2};

/// No part is as it would be if it were not read.
constexpr Shape rich_shape{.lanes = 1,
                           .vectors = 8,
                           .work_items = 128,
                           .register_vectors = 16,
                           .steps_per_pass = 7,
                           .resident_groups = 5,
                           .remap = true,
                           .bank_padding = true,
                           .coalesced_store = true,
                           .columns = true,
                           .most_columns = 32};
constexpr Shape swapping_shape{.lanes = 2,
                               .vectors = 4,
                               .work_items = 64,
                               .register_vectors = 8,
                               .steps_per_pass = 3,
                               .local_sync = false,
                               .remap = true,
                               .bank_swap = true};

DeviceInfo card() {
    DeviceInfo info = graphics_card();
    info.backend = "OpenCL";
    info.platform = "Made-Up Computing";
    info.driver = "1.2.3 (build 4)";
    return info;
}

ShapeTable example() {
    return {identity(card()),
            {{1, 0, 5000, swapping_shape}, {4, 4096, 65536, small_shape}, {4, 70000, ShapeTable::no_end, rich_shape}},
            {{4, 12345}, {8, ShapeTable::no_end}}};
}

Error refusal(const fs::path& file, const DeviceInfo& device) {
    try {
        read_shape_file(file, device);
    } catch (const Error& error) {
        return error;
    }
    FAIL(file, " was accepted");
    std::abort();  // FAIL throws
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string replaced(std::string text, std::string_view old, std::string_view by) {
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), by);
}

TEST_CASE("shape file: what is written is read") {
    const Cache cache;
    const fs::path file = cache.store(card(), to_text(example()));
    const ShapeTable read = read_shape_file(file, card());
    CHECK(read.device == example().device);
    CHECK(read.rows == example().rows);
    CHECK(read.distribution_from == example().distribution_from);
    const TunedShapes tuned = find_tuned(card());
    CHECK(tuned.note.empty());
    CHECK(tuned.table.rows == example().rows);

    cache.store(card(), to_text({identity(card()), {}}));
    CHECK(find_tuned(card()).note.empty());
    CHECK(find_tuned(card()).table.rows.empty());
}

TEST_CASE("shape file: files of version 3 stay readable") {
    CHECK(to_text(example()) ==
          "lanesort shapes 3\n"
          "backend OpenCL\n"
          "platform Made-Up Computing\n"
          "device made-up graphics card\n"
          "driver 1.2.3 (build 4)\n"
          "shape key_bytes=1 from=0 below=5000 lanes=2 vectors=4 work_items=64 register_vectors=8 steps_per_pass=3 "
          "resident_groups=1 local_sync=0 remap=1 bank_swap=1 bank_padding=0 coalesced_store=0 columns=0 "
          "most_columns=0\n"
          "shape key_bytes=4 from=4096 below=65536 lanes=4 vectors=2 work_items=8 register_vectors=4 steps_per_pass=2 "
          "resident_groups=1 local_sync=1 remap=0 bank_swap=0 bank_padding=0 coalesced_store=0 columns=0 "
          "most_columns=0\n"
          "shape key_bytes=4 from=70000 below=any lanes=1 vectors=8 work_items=128 register_vectors=16 "
          "steps_per_pass=7 resident_groups=5 local_sync=1 remap=1 bank_swap=0 bank_padding=1 coalesced_store=1 "
          "columns=1 most_columns=32\n"
          "distribution key_bytes=4 from=12345\n"
          "distribution key_bytes=8 from=never\n"
          "end\n");
}

TEST_CASE("shape table: a shape is found for its width and its counts only") {
    const ShapeTable table = example();
    const std::pair<std::uint64_t, std::optional<Shape>> expected[] = {
        {1, {}},     {4095, {}},          {4096, small_shape},      {65535, small_shape}, {65536, {}},
        {69999, {}}, {70000, rich_shape}, {1ull << 60, rich_shape}, {0, rich_shape},  // 0: very many
    };
    for (const auto& [count, shape] : expected) {
        CAPTURE(count);
        CHECK(table.find(4, count) == shape);
        CHECK_FALSE(table.find(2, count));
        CHECK_FALSE(table.find(8, count));
    }
    CHECK(table.find(1, 4999) == swapping_shape);
    CHECK_FALSE(table.find(1, 5000));
    CHECK_FALSE(table.find(1, 0));
}

TEST_CASE("shape table: a new row takes its counts from the others") {
    ShapeTable table = example();
    table.put({4, 60000, 80000, swapping_shape});
    const std::vector<ShapeTable::Row> expected = {{1, 0, 5000, swapping_shape},
                                                   {4, 4096, 60000, small_shape},
                                                   {4, 60000, 80000, swapping_shape},
                                                   {4, 80000, ShapeTable::no_end, rich_shape}};
    CHECK(table.rows == expected);

    table.put({4, 5000, 6000, rich_shape});  // inside one
    CHECK(table.find(4, 4999) == small_shape);
    CHECK(table.find(4, 5000) == rich_shape);
    CHECK(table.find(4, 6000) == small_shape);
    table.put({4, 5000, 6000, small_shape});  // of the same shape as before and behind it
    CHECK(table.rows == expected);
    table.put({2, 0, ShapeTable::no_end, rich_shape});
    CHECK(table.find(2, 77) == rich_shape);
    CHECK(std::ranges::is_sorted(table.rows, {}, [](const auto& row) { return std::pair(row.key_bytes, row.from); }));

    table.remove(4, 0, ShapeTable::no_end);
    CHECK_FALSE(table.find(4, 5000));
    CHECK(table.find(1, 100) == swapping_shape);
    CHECK(table.rows.size() == 2);
}

// ---- where they are ------------------------------------------------------------------------------------------------

TEST_CASE("tuned file: in the user's cache, as the XDG standard says") {
    const ScopedVariable allowed("LANESORT_TUNED", "1");
    const auto folder = [](const std::string& cache, const std::string& home) {
        const ScopedVariable cache_variable("XDG_CACHE_HOME", cache), home_variable("HOME", home);
        return tuned_file(card()).parent_path();
    };
    CHECK(folder("/caches", "/home/me") == "/caches/lanesort");
    for (const char* const not_absolute : {"", "caches", "./caches", "../caches"})
        CHECK(folder(not_absolute, "/home/me") == "/home/me/.cache/lanesort");
    CHECK(folder("", "") == "");
    CHECK(folder("caches", "me") == "");

    const ScopedVariable forbidden("LANESORT_TUNED", "0");
    CHECK(folder("/caches", "/home/me") == "");
}

TEST_CASE("tuned file: no name of a device leads out of the folder, and each device has its own file") {
    const Cache cache;
    const std::string names[] = {"",
                                 "/",
                                 ".",
                                 "..",
                                 "../x",
                                 "../../../../etc/passwd",
                                 "a b",
                                 "a_b",
                                 "a/b",
                                 "a\\b",
                                 "c\nd",
                                 "~",
                                 "$HOME",
                                 "*",
                                 "ü",
                                 "\xff",
                                 "-rf",
                                 "con.txt",
                                 "e\0f"s,
                                 std::string(300, 'x'),
                                 std::string(300, 'y'),
                                 std::string(299, 'x')};
    std::set<fs::path> files;
    for (const std::string& name : names)
        for (std::string DeviceInfo::*member : {&DeviceInfo::name, &DeviceInfo::platform, &DeviceInfo::backend}) {
            DeviceInfo device = card();
            device.*member = name;
            const fs::path file = tuned_file(device);
            CAPTURE(file);
            REQUIRE(file.parent_path() == cache.path() / "lanesort");  // it is written to
            CHECK(file.lexically_normal() == file);
            const std::string last = file.filename();
            CHECK(last.starts_with("shapes-v3-"));
            CHECK(last.size() < 128);
            CHECK(last.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
                  std::string::npos);
            CHECK(files.insert(file).second);

            ShapeTable table = example();
            table.device = identity(device);
            cache.store(device, to_text(table));
            CHECK(find_tuned(device).note.empty());
            CHECK(find_tuned(device).table.rows == table.rows);
        }
    CHECK(std::distance(fs::directory_iterator(cache.path()), fs::directory_iterator()) == 1);
}

// ---- what can be wrong with them -----------------------------------------------------------------------------------

/// The file is refused as the caller's, with its name and this part of a sentence, and has no effect as a tuned one but
/// a note that says the same.
void require_useless(const fs::path& file, std::string_view part) {
    CAPTURE(part);
    const Error error = refusal(file, card());
    INFO(error.what());
    CHECK(error.code() == ErrorCode::invalid_argument);
    CHECK(std::string(error.what()).starts_with(file.string() + ":"));
    CHECK(contains(error.what(), part));
    const TunedShapes tuned = find_tuned(card());
    CHECK(tuned.table.rows.empty());
    CHECK(tuned.table.device == identity(card()));
    CHECK(tuned.note == "tuned shapes are not used: " + std::string(error.what()));
}

TEST_CASE("shape file: what is wrong is told with its line, and never believed") {
    const Cache cache;
    const std::string good = to_text(example());
    const std::tuple<std::string_view, std::string_view, std::string_view> wrong[] = {
        {"shapes 3", "shapes 2", ":1: \"lanesort shapes 2\" is not \"lanesort shapes 3\""},
        {"lanesort", "lanesorts", ":1: "},
        {"shapes 3\n", "shapes 3\r\n", ":1: "},
        {"backend", "Backend", ":2: "},
        {"platform Made-Up Computing\n", "", ":3: "},
        {"lanes=2", "lanes=3", ":6: shape: lanes is 3"},
        {"lanes=2", "lanes=-2", ":6: lanes is \"-2\""},
        {"lanes=2", "lanes=", ":6: lanes is \"\""},
        {"lanes=2", "lanes=2.0", ":6: lanes is \"2.0\""},
        {"lanes=2", "lanes=0x2", ":6: lanes is \"0x2\""},
        {"lanes=2", "lanes", ":6: \"lanes=\" is not there"},
        {"lanes=2 ", "", ":6: \"lanes=\" is not there"},
        {"lanes=2 ", "lanes=2 lanes=2 ", ":6: \"vectors=\" is not there"},
        {"lanes=2 vectors=4", "vectors=4 lanes=2", ":6: \"lanes=\" is not there"},
        {"vectors=4", "vectors=4294967296",
         ":6: vectors is \"4294967296\", but must be a whole number of at most 4294967295"},
        {"vectors=4", "vectors=99999999999999999999999999999999999999999999999999999999999999999999", "...,"},
        {"vectors=4", "vectors=4294967295", ":6: shape: vectors"},
        {"below=5000", "below=18446744073709551616", ":6: below is \"18446744073709551616\""},
        {"below=5000", "below=0", ":6: the range of counts is empty"},
        {"from=4096", "from=65536", ":7: the range of counts is empty"},
        {"from=70000", "from=65535", ":8: the rows are not in order, or overlap"},
        {"key_bytes=1", "key_bytes=8", ":7: the rows are not in order, or overlap"},
        {"key_bytes=1", "key_bytes=3", ":6: key_bytes is 3"},
        {"key_bytes=1", "key_bytes=0", ":6: key_bytes is 0"},
        {"key_bytes=1", "key_bytes=16", ":6: key_bytes is 16"},
        {"remap=1", "remap=2", ":6: remap is 2, but must be 0 or 1"},
        {"remap=1", "remap=0", ":6: shape: bank_swap"},
        {"work_items=128", "work_items=512", ":8: a work-group of 512 work-items"},
        {"lanes=4 vectors=2 work_items=8 register_vectors=4", "lanes=16 vectors=8 work_items=256 register_vectors=16",
         ":7: a tile of 262144 bytes of local memory"},
        {"most_columns=32", "most_columns=24", ":8: shape: most_columns is 24"},
        {"most_columns=32", "most_columns=1", ":8: shape: most_columns is 1"},
        {"columns=0 most_columns=0\n", "columns=0 most_columns=0 fast=1\n",
         ":6: \" fast=1\" at the end of the line is too much"},
        {"columns=0 most_columns=0\n", "columns=0 most_columns=0\n\n", ":7: "},
        {"shape key", "shapes key", ":6: "},
        {"distribution key_bytes=4", "distribution key_bytes=16", ":9: key_bytes is 16"},
        {"distribution key_bytes=4", "distribution key_bytes=8", ":10: the limits are not in order"},
        {"from=12345", "from=many", ":9: from is \"many\""},
        {"from=12345", "from=12345 ", ":9: \" \" at the end of the line is too much"},
        {"from=never\n", "from=never\nshape key_bytes=8\n", ":11: "},
        {"\nend\n", "\nend", ":11: the file is cut short"},
        {"\nend\n", "\nend\nend\n", ":11: the file goes on after its end"},
        {"\nend\n", "\nEND\n", ":11: "},
    };
    for (const auto& [old, by, part] : wrong) require_useless(cache.store(card(), replaced(good, old, by)), part);
    require_useless(cache.store(card(), ""), ":1: the file is cut short");
    require_useless(cache.store(card(), std::string(70000, '\n')), "larger than 65536 bytes");
    require_useless(cache.store(card(), "\x1b[2J\0\xff\n"s), ":1: \"\\x1b[2J\\x00\\xff\" is not");
    cache.store(card(), good);
    CHECK(find_tuned(card()).note.empty());
}

TEST_CASE("shape file: wherever it is cut, it is refused") {
    const Cache cache;
    const std::string good = to_text(example());
    for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
        CAPTURE(bytes);
        const fs::path file = cache.store(card(), good.substr(0, bytes));
        CHECK_THROWS_AS(read_shape_file(file, card()), Error);
        CHECK_FALSE(find_tuned(card()).note.empty());
    }
}

TEST_CASE("shape file: whatever becomes of its bytes, only shapes that can run come out") {
    const Cache cache;
    const std::string good = to_text(example());
    Random random(seed());
    unsigned refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string text = good;
        for (std::uint64_t change = random() % 3; change < 3; ++change)
            text[random() % text.size()] =
                random() % 2 ? static_cast<char>(random()) : static_cast<char>('0' + random() % 10);
        const fs::path file = cache.store(card(), text);
        try {
            for (const ShapeTable::Row& row : read_shape_file(file, card()).rows) CHECK_NOTHROW(check_shape(row.shape));
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::invalid_argument);
            ++refused;
        }
    }
    CHECK(refused > 1000);
}

TEST_CASE("tuned file: made for another device or driver, it is of no use, but a caller may give it") {
    const Cache cache;
    const std::pair<std::string DeviceIdentity::*, int> members[] = {{&DeviceIdentity::backend, 2},
                                                                     {&DeviceIdentity::platform, 3},
                                                                     {&DeviceIdentity::name, 4},
                                                                     {&DeviceIdentity::driver, 5}};
    for (const auto& [member, line] : members) {
        ShapeTable table = example();
        (table.device.*member) += " II";
        const fs::path file = cache.store(card(), to_text(table));
        const TunedShapes tuned = find_tuned(card());
        CAPTURE(tuned.note);
        CHECK(tuned.table.rows.empty());
        CHECK(tuned.table.device == identity(card()));
        CHECK(contains(tuned.note, file.string() + ":" + std::to_string(line) + ": the shapes are for"));
        CHECK(contains(tuned.note, "\"" + identity(card()).*member + " II\""));
        CHECK(read_shape_file(file, card()).rows == example().rows);
    }
}

TEST_CASE("tuned file: what is no file or cannot be read is of no use") {
    const Cache cache;
    const fs::path file = tuned_file(card());
    CHECK(find_tuned(card()).note.empty());  // there is none
    CHECK(contains(refusal(file, card()).what(), file.string() + ": the file cannot be read"));

    fs::create_directories(file);
    require_useless(file, ": this is not a file");
    fs::remove(file);
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);  // opening it would wait for a writer
    require_useless(file, ": this is not a file");
    fs::remove(file);
    fs::create_symlink(file, file);
    require_useless(file, ": the file cannot be read");
    fs::remove(file);
    fs::create_symlink(cache.path() / "nothing", file);
    require_useless(file, ": the file cannot be read");
    fs::remove(file);

    fs::remove(file.parent_path());
    std::ofstream(file.parent_path()) << "a file in place of the folder";
    CHECK(find_tuned(card()).table.rows.empty());
}

// ---- sorters -------------------------------------------------------------------------------------------------------

/// The devices that compile; without any, counts the case as skipped.
const std::vector<Device>& all_devices() {
    static const std::vector<Device> found = [] {
        std::vector<Device> all = devices();
        std::erase_if(all, [](const Device& device) { return !device.info().compiles; });
        return all;
    }();
    if (found.empty()) {
        ++skipped_device_cases();
        const char* const required = std::getenv("LANESORT_REQUIRE_DEVICE");
        if (required && std::string(required) == "1") FAIL("no device, but LANESORT_REQUIRE_DEVICE is 1");
    }
    return found;
}

std::string table_of_one(const DeviceInfo& device, const Shape& shape, std::uint64_t below = ShapeTable::no_end) {
    return to_text({identity(device), {{4, 0, below, shape}}});
}

void require_sorts(Sorter& sorter) {
    Random random(seed());
    auto keys = random_keys<float>(3001, random);
    const auto expected = sorted(keys, Order::ascending);
    sorter.sort(std::span(keys));
    require_same_bytes(keys, expected);
}

TEST_CASE("sorter: uses tuned shapes for what they are for") {
    for (const Device& device : all_devices()) {
        const DeviceInfo& info = device.info();
        CAPTURE(info.name);
        const Cache cache;
        cache.store(info, table_of_one(info, small_shape, 100000));
        Sorter sorter(device);
        CHECK(sorter.note().empty());
        for (const KeyType type : {KeyType::u32, KeyType::f32}) CHECK(sorter.shape(type, 3001) == small_shape);
        require_sorts(sorter);
        CHECK(sorter.shape(KeyType::u32, 100000) == choose_shape(info, 4, 100000));
        CHECK(sorter.note().empty());
    }
}

TEST_CASE("sorter: which shape comes first") {
    constexpr Shape others[] = {
        {.lanes = 1, .vectors = 1, .work_items = 16, .register_vectors = 2, .steps_per_pass = 1},
        {.lanes = 2, .vectors = 1, .work_items = 16, .register_vectors = 2, .steps_per_pass = 1}};
    for (const Device& device : all_devices()) {
        const DeviceInfo& info = device.info();
        CAPTURE(info.name);
        const Cache cache;
        cache.store(info, table_of_one(info, small_shape));
        const fs::path file = cache.path() / "mine";
        std::ofstream(file) << table_of_one(card(), others[0], 5000);  // of any device
        const auto shape = [&](const SorterOptions& options, std::uint64_t count = 3001) {
            return Sorter(device, options).shape(KeyType::u32, count);
        };
        CHECK(shape({}) == small_shape);
        CHECK(shape({.shape_file = file}) == others[0]);
        CHECK(shape({.shape_file = file}, 5000) == choose_shape(info, 4, 5000));  // not the tuned one
        CHECK(shape({.shape = others[1], .shape_file = file}) == others[1]);
        CHECK(shape({.use_tuned = false}) == choose_shape(info, 4, 3001));
        const ScopedVariable forbidden("LANESORT_TUNED", "0");
        CHECK(shape({}) == choose_shape(info, 4, 3001));
    }
}

TEST_CASE("sorter: a tuned file of no use changes nothing but the note") {
    for (const Device& device : all_devices()) {
        const DeviceInfo& info = device.info();
        CAPTURE(info.name);
        const Cache cache;
        const fs::path file = cache.store(info, replaced(table_of_one(info, small_shape), "lanes=4", "lanes=5"));
        Sorter sorter(device);
        CHECK(contains(sorter.note(), file.string() + ":6: shape: lanes is 5"));
        CHECK(sorter.shape(KeyType::u32, 3001) == choose_shape(info, 4, 3001));
        require_sorts(sorter);
    }
}

TEST_CASE("sorter: a tuned shape that turns out not to run gives way to the built-in one") {
    // So many keys need too many work-groups of this tile.
    constexpr Shape tiny{.lanes = 1, .vectors = 1, .work_items = 1, .register_vectors = 2, .steps_per_pass = 1};
    constexpr std::uint64_t many = std::uint64_t{1} << 40;
    for (const Device& device : all_devices()) {
        const DeviceInfo& info = device.info();
        CAPTURE(info.name);
        const Cache cache;
        const fs::path file = cache.store(info, table_of_one(info, tiny));
        Sorter sorter(device);
        CHECK(sorter.shape(KeyType::u32, many) == choose_shape(info, 4, many));
        CHECK(contains(sorter.note(), "work-groups in one launch"));

        Sorter strict(device, {.shape_file = file});
        CHECK_THROWS_AS(strict.shape(KeyType::u32, many), Error);
    }
}

TEST_CASE("sorter: the caller's file must be right") {
    for (const Device& device : all_devices()) {
        const TemporaryFolder folder;
        const fs::path file = folder.path() / "mine";
        const auto complaint = [&] {
            try {
                Sorter(device, {.shape_file = file});
            } catch (const Error& error) {
                CHECK(error.code() == ErrorCode::invalid_argument);
                return std::string(error.what());
            }
            return "accepted"s;
        };
        CHECK(contains(complaint(), file.string() + ": the file cannot be read"));
        std::ofstream(file) << replaced(table_of_one(device.info(), small_shape), "work_items=8", "work_items=9");
        CHECK(contains(complaint(), file.string() + ":6: shape: work_items is 9"));
        std::ofstream(file) << table_of_one(device.info(), small_shape);
        CHECK(complaint() == "accepted");
    }
}

}  // namespace
}  // namespace lanesort::test
