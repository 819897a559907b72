// SPDX-License-Identifier: MIT
// The main function of every suite: tells the seed, the devices that it ran on, and how many cases found none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include "support.hpp"

namespace lanesort::test {

std::uint64_t seed() {
    const char* const text = std::getenv("LANESORT_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 20120607;  // the day on which the patent was filed
}

unsigned& skipped_device_cases() {
    static unsigned cases = 0;
    return cases;
}

std::set<std::string>& ran_on() {
    static std::set<std::string> ways;
    return ways;
}

}  // namespace lanesort::test

int main(int argc, char** argv) {
    constexpr int skipped_for_ctest = 77;  // the SKIP_RETURN_CODE of CMakeLists.txt
    using namespace lanesort::test;
    doctest::Context context(argc, argv);
    std::printf("seed: %llu (LANESORT_TEST_SEED sets another)\n", static_cast<unsigned long long>(seed()));
    const int failed = context.run();
    if (context.shouldExit()) return failed;
    for (const std::string& way : ran_on()) std::printf("ran on: %s\n", way.c_str());
    std::printf("skipped for want of a device: %u cases\n", skipped_device_cases());
    return failed == 0 && skipped_device_cases() > 0 ? skipped_for_ctest : failed;
}
