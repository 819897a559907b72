// SPDX-License-Identifier: MIT
// Files that are too large for the device or for memory: refused before they are read.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "command_support.hpp"
#include "tools/memory.hpp"

namespace lanesort::test {
namespace {

constexpr std::uint64_t mebi = 1 << 20, gibi = 1024 * mebi;

/// A file of zeros that takes no room.
std::string sparse_file(const Scene& scene, const std::string& name, std::uint64_t bytes) {
    const std::string path = scene.file(name, "");
    fs::resize_file(path, bytes);
    return path;
}

struct Measured {
    int status;
    std::uint64_t peak_bytes;  ///< of memory
};

Measured measure(const Scene& scene, const Words& words, const fs::path& in = "/dev/null") {
    const pid_t process = start(words, in, "/dev/null", scene.err());
    int status = 0;
    rusage usage{};
    REQUIRE(wait4(process, &status, 0, &usage) == process);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

TEST_CASE("keys that the device cannot allocate are not read") {
    if (no_device()) return;
    const std::vector<Device> all = devices();
    if (std::ranges::none_of(all, [](const Device& device) { return contains(device.info().platform, "Portable"); })) {
        MESSAGE("skipped: there is no PoCL, whose limit can be set");
        return;
    }
    const Scene scene;
    const ScopedVariable one_gibi("POCL_MEMORY_LIMIT", "1");
    const std::string in = sparse_file(scene, "in", gibi), out = scene.file("out", "before");
    const std::string with_indices = sparse_file(scene, "with_indices", 200 * mebi);
    const auto check = [&](const Words& words, const fs::path& stream, const std::string& part) {
        Words on_pocl = words;
        on_pocl.insert(on_pocl.end(), {"--device", "Portable"});
        const auto [status, peak] = measure(scene, on_pocl, stream);
        const std::string said = read_file(scene.err());
        CAPTURE(said);
        CHECK(status == 2);
        CHECK(peak < 600 * mebi);
        CHECK(contains(said, part));
        CHECK(contains(said, "can allocate "));
        CHECK(contains(said, "POCL_MEMORY_LIMIT"));
        CHECK(std::ranges::count(said, '\n') == 1);
        CHECK(read_file(out) == "before");
    };
    const std::string sentence = " has keys of " + std::to_string(gibi) + " bytes, but ";
    check({"sort", "--type", "u32", in, out}, "/dev/null", "in" + sentence);
    check({"topk", "-k", "3", "--type", "u32", in, out}, "/dev/null", "in" + sentence);
    check({"argsort", "--type", "u8", with_indices, out}, "/dev/null", "and a key takes 4; ");
    check({"sort", "--type", "u32", "-", out}, in, "standard input" + sentence);
    check({"sort", "--type", "u32", "-", out}, "/dev/zero", " bytes or more, but ");
}

TEST_CASE("what does not fit into memory is not read") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = sparse_file(scene, "in.csv", 4096 * gibi), out = scene.file("out", "before");
    const auto [status, peak] = measure(scene, {"sort", "--by-column", "1", in, out});
    CHECK(status == 1);
    CHECK(peak < 600 * mebi);
    CHECK(contains(read_file(scene.err()), " more bytes of memory are needed, but "));
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("available memory is what machine and control groups leave") {
    const Scene scene;
    const auto file = [&](const std::string& name, const std::string& text) {
        fs::create_directories(fs::path(scene.path(name)).parent_path());
        write_file(scene.path(name), text);
    };
    const auto available = [&] { return available_memory(scene.folder()); };
    CHECK(available() == UINT64_MAX);
    file("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    1000 kB\nSwapTotal: 60 kB\nSwapFree:  50 kB\n");
    CHECK(available() == 1050 * 1024);

    // The second version: the group's own limit, then that of one around it, less than what is in use but for files.
    file("proc/self/cgroup", "0::/outer/inner\n");
    CHECK(available() == 1050 * 1024);
    file("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    file("sys/fs/cgroup/outer/inner/memory.current", "10\n");
    CHECK(available() == 1050 * 1024);
    file("sys/fs/cgroup/outer/memory.max", "5000\n");
    file("sys/fs/cgroup/outer/memory.current", "3000\n");
    CHECK(available() == 2000);
    file("sys/fs/cgroup/outer/memory.stat", "anon 7\ninactive_file 500\n");
    CHECK(available() == 2500);
    file("sys/fs/cgroup/outer/memory.current", "6000\n");
    CHECK(available() == 0);
    // Where the group of this process is the root that it sees, as in containers.
    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "400\n");
    file("sys/fs/cgroup/memory.current", "100\n");
    CHECK(available() == 300);

    file("proc/self/cgroup", "7:cpu:/\n4:memory:/docker\n0::/none\n");
    file("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "900\n");
    file("sys/fs/cgroup/memory/docker/memory.usage_in_bytes", "700\n");
    file("sys/fs/cgroup/memory.max", "max\n");
    CHECK(available() == 200);
    CHECK(available_memory() > mebi);
}

}  // namespace
}  // namespace lanesort::test
