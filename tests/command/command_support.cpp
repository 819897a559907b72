// SPDX-License-Identifier: MIT
#include "command_support.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace lanesort::test {

void write_file(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    REQUIRE(fs::file_size(path) == bytes.size());
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file, path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

pid_t start(const Words& words, const fs::path& in, const fs::path& out, const fs::path& err, void (*first)()) {
    std::vector<char*> arguments = {const_cast<char*>(LANESORT_COMMAND)};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process == 0) {
        const auto redirect = [](int stream, const fs::path& path, int flags) {
            if (path.empty()) return void(close(stream));
            const int file = open(path.c_str(), flags, 0600);
            if (file < 0 || dup2(file, stream) < 0) _exit(126);
            close(file);
        };
        redirect(STDIN_FILENO, in, O_RDONLY);
        redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_APPEND);
        redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
        if (first) first();
        execv(LANESORT_COMMAND, arguments.data());
        _exit(127);
    }
    REQUIRE(process > 0);
    return process;
}

int wait_for(pid_t process) {
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Scene::file(const std::string& name, std::string_view bytes) const {
    write_file(path(name), bytes);
    return path(name);
}

std::size_t Scene::files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
}

Result Scene::run(const Words& words, std::string_view input) const {
    write_file(streams_.path() / "in", input);
    fs::remove(streams_.path() / "out");
    const int status = run_to(words, streams_.path() / "out");
    return {status, read_file(streams_.path() / "out"), read_file(err())};
}

int Scene::run_to(const Words& words, const fs::path& out) const {
    const fs::path in = streams_.path() / "in";
    if (!fs::exists(in)) write_file(in, {});
    return wait_for(start(words, in, out, err()));
}

bool no_device() {
    static const bool none = std::ranges::none_of(devices(), [](const Device& d) { return d.info().compiles; });
    if (none) {
        ++skipped_device_cases();
    } else {
        const DeviceInfo info = find_device().info();
        ran_on().insert("lanesort command: " + info.name + " (" + info.platform + ")");
    }
    return none;
}

void require_refused(const Result& result, std::string_view part, int status) {
    INFO(result.err);
    CHECK(result.status == status);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("lanesort: "));
    CHECK(std::ranges::count(result.err, '\n') == 1);
    CHECK(result.err.ends_with('\n'));
    CHECK(contains(result.err, part));
}

}  // namespace lanesort::test
