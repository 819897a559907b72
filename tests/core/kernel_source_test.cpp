// SPDX-License-Identifier: MIT
// The text that a device's compiler gets.
#include "core/kernel_source.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include <lanesort/error.hpp>

#include "ops/kernels.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

using namespace std::string_literals;

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

void write(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

TEST_CASE("kernel source: each file once, and every line under its own number") {
    std::map<std::string, std::vector<std::string>> files;
    for (const EmbeddedFile& file : embedded_kernels()) files[std::string(file.name)] = lines_of(file.text);

    for (const std::string kernel : {"sort/tile_in_local.cl", "sort/tile_in_cache.cl"}) {
        CAPTURE(kernel);
        std::map<std::string, int> beginnings;
        std::string file;
        std::size_t number = 0;
        for (const std::string& line : lines_of(kernel_source(kernel))) {
            CAPTURE(line);
            if (line.starts_with("#line ")) {
                number = std::stoul(line.substr(6));
                const std::size_t quote = line.find('"');
                file = line.substr(quote + 1, line.size() - quote - 2);
                REQUIRE(files.contains(file));
                beginnings[file] += number == 1;
                continue;
            }
            CHECK(!line.starts_with("#include"));
            REQUIRE(number - 1 < files[file].size());
            CHECK(line == files[file][number - 1]);
            ++number;
        }
        for (const std::string& part :
             {kernel, "common/key_order.h"s, "common/registers.h"s, "common/tile.h"s, "common/dialect_opencl.h"s}) {
            CAPTURE(part);
            CHECK(beginnings[part] == 1);
        }
    }
}

TEST_CASE("kernel source: from the folder in LANESORT_KERNEL_DIR, where it is set") {
    const test::TemporaryFolder folder;
    write(folder.path() / "a.cl", "first\n#include \"b.h\"\nlast\n");
    write(folder.path() / "b.h", "middle\n#include \"a.cl\"\n");
    const test::ScopedVariable variable("LANESORT_KERNEL_DIR", folder.path().string());
    CHECK(kernel_source("a.cl") ==
          "#line 1 \"a.cl\"\nfirst\n#line 1 \"b.h\"\nmiddle\n#line 3 \"b.h\"\n#line 3 \"a.cl\"\nlast\n");
}

TEST_CASE("kernel source: a file that is missing is named") {
    const auto refusal = [](const std::string& file) -> std::string {
        try {
            kernel_source(file);
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::build_failed);
            return error.what();
        }
        return "found";
    };
    CHECK(refusal("no_such.cl").find("no_such.cl") != std::string::npos);
    const test::TemporaryFolder folder;
    const test::ScopedVariable variable("LANESORT_KERNEL_DIR", folder.path().string());
    CHECK(refusal("sort/tile_in_local.cl").find((folder.path() / "sort/tile_in_local.cl").string()) !=
          std::string::npos);
}

TEST_CASE("kernel source: shapes choose their kernel file and definitions") {
    const Shape in_local{.lanes = 4, .vectors = 2, .work_items = 64, .register_vectors = 4, .remap = true};
    const Shape in_cache{.lanes = 8, .vectors = 64, .work_items = 1, .register_vectors = 8};
    CHECK(kernel_file({.family = &families::sort, .shape = in_local}) == "sort/tile_in_local.cl");
    CHECK(kernel_file({.family = &families::sort, .shape = in_cache}) == "sort/tile_in_cache.cl");
    const auto defined = [](const KernelParameters& parameters, const std::string& wanted) {
        return std::ranges::count(definitions(parameters), wanted) == 1;
    };
    const KernelParameters parameters{
        .family = &families::sort, .bytes = {8, 16}, .wide_positions = true, .shape = in_local};
    for (const std::string definition :
         {"KEY_BITS=64", "VALUE_BITS=128", "INDEX_BITS=0", "RECORD_BYTES=0", "IN_ROWS=0", "POSITION_BITS=64", "LANES=4",
          "VECTORS=2", "WORK_ITEMS=64", "REGISTER_VECTORS=4", "REMAP=1", "BANK_SWAP=0", "COUNT_SYNC=0"}) {
        CAPTURE(definition);
        CHECK(defined(parameters, definition));
    }
}

}  // namespace
}  // namespace lanesort::detail
