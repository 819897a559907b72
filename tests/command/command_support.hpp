// SPDX-License-Identifier: MIT
// The command as a user runs it: files and streams in, files, streams and an exit status out.
#pragma once

#include <sys/types.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <lanesort/lanesort.hpp>

#include "support.hpp"

namespace lanesort::test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void write_file(const fs::path& path, std::string_view bytes);
std::string read_file(const fs::path& path);

/// The bytes of numbers as they are in raw files, and the numbers in such bytes.
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
template <class T>
std::vector<T> numbers_in(const std::string& bytes) {
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

bool contains(std::string_view text, std::string_view part);

/// The command, started with these files as its standard streams, which are closed where a path is empty; returns its
/// process, which then begins with `first`.
pid_t start(const Words& words, const fs::path& in, const fs::path& out, const fs::path& err,
            void (*first)() = nullptr);

/// The exit status, or 128 and the number of the signal, as a shell has it.
int wait_for(pid_t process);

struct Result {
    int status;
    std::string out, err;
};

/// A folder in which commands run, beside one for their standard streams.
class Scene {
public:
    fs::path folder() const { return folder_.path(); }
    std::string path(const std::string& name) const { return folder_.path() / name; }
    /// A new file of that name and contents.
    std::string file(const std::string& name, std::string_view bytes) const;
    std::size_t files() const;
    fs::path err() const { return streams_.path() / "err"; }

    Result run(const Words& words, std::string_view input = {}) const;
    /// With standard output to that file; gives the exit status.
    int run_to(const Words& words, const fs::path& out) const;

private:
    TemporaryFolder folder_, streams_;
};

/// Counts the case as skipped where there is no device.
bool no_device();

/// Bad input, or what another status stands for: nothing on standard output, and one sentence that says this.
void require_refused(const Result& result, std::string_view part, int status = 2);

}  // namespace lanesort::test
