// SPDX-License-Identifier: MIT
// check_sorted IN OUT: is OUT, byte for byte, what std::sort makes of the u32 numbers in IN? Shares no code with the
// library, and says how long std::sort took.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::uint32_t> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("cannot open " + path);
    const std::streamsize bytes = file.tellg();
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(bytes) / sizeof(std::uint32_t));
    if (bytes % static_cast<std::streamsize>(sizeof keys[0]) != 0)
        throw std::runtime_error("the size of " + path + " is no multiple of 4");
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(keys.data()), bytes)) throw std::runtime_error("cannot read " + path);
    return keys;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::runtime_error("usage: check_sorted IN OUT");
    std::vector<std::uint32_t> keys = read(argv[1]);
    const std::vector<std::uint32_t> sorted = read(argv[2]);

    const auto start = std::chrono::steady_clock::now();
    std::ranges::sort(keys);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    if (keys.size() != sorted.size())
        throw std::runtime_error(std::to_string(keys.size()) + " keys went in, " + std::to_string(sorted.size()) +
                                 " came out");
    const auto wrong = std::ranges::mismatch(keys, sorted).in1;
    if (wrong != keys.end())
        throw std::runtime_error("key " + std::to_string(wrong - keys.begin()) + " differs from std::sort's");
    std::printf("%-20s%zu keys, every byte as std::sort has it\n", "check", keys.size());
    std::printf("%-20s%.6f s, on one core\n", "std::sort", seconds.count());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "check_sorted: %s\n", error.what());
    return 1;
}
