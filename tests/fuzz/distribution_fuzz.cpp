// SPDX-License-Identifier: MIT
// Plans of distributions for any device, elements, count, leaf and memory: they keep to what the kernels rely on.
#include <cstdio>

#include "input.hpp"
#include "tests/support/devices_made_up.hpp"
#include "tests/support/distribution_rules.hpp"

namespace {

using namespace lanesort;

/// Of any number of bits up to that many, so that small numbers are as frequent as large ones.
std::uint64_t number(Choices& choices, unsigned most_bits) {
    const unsigned bits = choices.below(most_bits + 1);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value = value << 16 | choices.below(1u << 16);
    return bits == 0 ? 0 : (value | std::uint64_t{1} << 63) >> (64 - bits);
}

ElementBytes elements(Choices& choices) {
    const std::size_t key = choices.below(2) ? std::size_t{1} << choices.below(4) : 1 + choices.below(64);
    constexpr std::size_t widths[] = {0, 1, 2, 4, 8, 16};
    const std::size_t value = widths[choices.below(6)], index = 4 * std::size_t{choices.below(3)};
    const bool is_record = key > 8 || (key & (key - 1)) != 0;
    return {key, value, is_record && index == 0 ? 1 : index, is_record};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    DeviceInfo device = test::graphics_card();
    device.local_bytes = number(choices, 19);
    device.max_work_items = static_cast<unsigned>(number(choices, 13));
    device.compute_units = static_cast<unsigned>(number(choices, 32));
    const ElementBytes bytes = elements(choices);
    const std::uint64_t count = number(choices, 36);
    const std::uint64_t leaf = choices.below(2) ? std::uint64_t{1} << choices.below(21) : number(choices, 64);
    const bool is_usual = choices.below(2);
    const std::uint64_t most = is_usual ? detail::most_distribution_bytes(count, bytes) : number(choices, 64);
    // As docs/memory.md says.
    const std::uint64_t array = count * bytes.all(), eighth = std::min(array / 8, std::uint64_t{32} << 20);
    if (is_usual) require(most <= std::max(array / 100, eighth));
    if (const auto made = detail::make_distribution(device, bytes, count, leaf, most))
        if (const char* const broken = test::broken_rule(*made, device, bytes, count, leaf, most)) {
            std::fprintf(stderr, "it does not hold that %s\n", broken);
            std::abort();
        }
    return 0;
}
