#include "host_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../lib/src/key_order.hpp"

using namespace lanesort;

namespace {

template <class Bits>
void sort_bits(const CallIn<void*>& call) {
    const Request& request = call.request;
    const KeyCoding coding = key_coding(request.key.type(), request.order_or_usual());
    const std::size_t length = request.length(), wanted = std::min<std::uint64_t>(request.first, length);
    auto* const keys = static_cast<std::byte*>(call.keys.memory);
    auto* const values = static_cast<std::byte*>(call.values.memory);
    auto* results = request.operation == Operation::sort ? keys : static_cast<std::byte*>(call.results.memory);
    auto* indices = static_cast<std::byte*>(call.indices.memory);

    std::vector<std::pair<Bits, std::uint32_t>> row(length);  // with their indices: that makes it stable
    for (std::size_t begin = 0; begin < request.count; begin += length) {
        for (std::uint32_t i = 0; i < length; ++i) {
            Bits bits = 0;
            std::memcpy(&bits, keys + (begin + i) * sizeof bits, sizeof bits);
            row[i] = {encode(bits, coding), i};
        }
        std::ranges::sort(row);
        for (std::size_t i = 0; i < wanted; ++i) {
            const Bits bits = decode(row[i].first, coding);
            const std::uint64_t index = row[i].second;
            if (results) results = std::copy_n(reinterpret_cast<const std::byte*>(&bits), sizeof bits, results);
            if (indices)
                indices = std::copy_n(reinterpret_cast<const std::byte*>(&index), request.index_bytes, indices);
        }
        if (!values) continue;
        const std::size_t width = request.value_bytes;
        const std::vector<std::byte> before(values + begin * width, values + (begin + length) * width);
        for (std::size_t i = 0; i < length; ++i)
            std::memcpy(values + (begin + i) * width, before.data() + row[i].second * width, width);
    }
}

}  // namespace

void sort_on_host(const CallIn<void*>& call) {
    switch (call.request.key.bytes()) {
        case 1: return sort_bits<std::uint8_t>(call);
        case 2: return sort_bits<std::uint16_t>(call);
        case 4: return sort_bits<std::uint32_t>(call);
        default: return sort_bits<std::uint64_t>(call);
    }
}
