// SPDX-License-Identifier: MIT
// Records in the order of a C++ function, selected by flags: the order has nothing to say.
#include <array>
#include <numeric>

#include <lanesort/cpu.hpp>

#include "error_support.hpp"
#include "sorter_on.hpp"

namespace lanesort::test {
namespace {

constexpr auto descending = [](const auto& a, const auto& b) { return a > b; };

template <class T>
void check_selected() {
    Sorter sorter = sorter_on(2);
    std::vector<T> keys(5000), found(keys.size()), wanted;
    std::vector<std::uint8_t> flags(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<T>(7 * i);
        flags[i] = i % 3 == 0;
        if (flags[i]) wanted.push_back(keys[i]);
    }
    REQUIRE(sorter.select({keys, descending}, flags, found) == wanted.size());
    CHECK(std::equal(wanted.begin(), wanted.end(), found.begin()));
    CHECK(sorter.partition({keys, descending}, flags, found) == wanted.size());
    CHECK(std::equal(wanted.begin(), wanted.end(), found.begin()));
}

TEST_CASE("functions and flags: elements as wide as a number are selected") {
    check_selected<std::uint8_t>();
    check_selected<short>();
    check_selected<float>();
    check_selected<double>();
}

TEST_CASE("functions and flags: wider records are refused in words of what was given") {
    using Record = std::array<char, 12>;
    Sorter sorter = sorter_on(2);
    std::vector<Record> records(5), found(5);
    std::vector<std::uint32_t> values(5), kept(5);
    const std::vector<std::uint8_t> flags(5, 1);
    const auto refused = [](const auto& call) {
        const Error error = error_of(call);
        CHECK(error.code() == ErrorCode::unsupported);
        check_mentions(error, {"records of 12 bytes", "C++ function", "flags", "1, 2, 4 and 8 bytes", "indices"});
        CHECK(std::string(error.what()).find("shape") == std::string::npos);
    };
    refused([&] { sorter.select({records, descending}, flags, found); });
    refused([&] { sorter.select_by_key({records, descending}, values, flags, found, kept); });
    refused([&] { sorter.partition({records, descending}, flags, found); });
    refused([&] { sorter.partition_by_key({records, descending}, values, flags, found, kept); });
}

}  // namespace
}  // namespace lanesort::test
