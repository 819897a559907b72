// SPDX-License-Identifier: MIT
// Sorts across CUDA devices: all of the machine's, and more parts than devices, so that one GPU is enough.
#include <algorithm>
#include <cstring>

#include "cuda_target.hpp"
#include "error_support.hpp"

namespace lanesort::test {
namespace {

using cu::driver;

/// Values of 16 bytes, all of which say the same.
struct Wide {
    std::uint32_t words[4];
};

template <Key K, class V>
void check_across(const std::vector<CudaTarget*>& devices, const std::vector<std::uint64_t>& counts, Order order,
                  bool data_independent, bool with_values, Random& random) {
    struct Pair {
        K key;
        std::uint32_t value;
    };
    CAPTURE(counts.size());
    CAPTURE(counts[0]);
    CAPTURE(data_independent);
    CAPTURE(with_values);
    std::vector<Pair> pairs;
    std::vector<std::unique_ptr<CudaMemory>> memories;
    std::vector<std::unique_ptr<CudaEvent>> ends;
    std::vector<cu::DevicePart> parts;
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        CudaTarget& target = *devices[i % devices.size()];
        const std::size_t offset = i % 5, count = counts[i];
        const auto keys = keys_with_twins<K>(count, random);
        std::vector<V> values(count);
        for (std::size_t k = 0; k < count; ++k) {
            const auto number = static_cast<std::uint32_t>(random() % 200) * 0x01010101u;
            for (std::size_t at = 0; at < sizeof(V); at += 4)
                std::memcpy(reinterpret_cast<std::byte*>(&values[k]) + at, &number,
                            std::min<std::size_t>(4, sizeof(V)));
            pairs.push_back({keys[k], number});
        }
        firsts.push_back((offset + count) * sizeof(K) / 16 + 1);
        Bytes bytes(16 * firsts[i] + count * sizeof(V) + 16);
        if (count > 0) {
            std::memcpy(bytes.data() + offset * sizeof(K), keys.data(), count * sizeof(K));
            std::memcpy(bytes.data() + 16 * firsts[i], values.data(), count * sizeof(V));
        }
        memories.push_back(target.cuda_memory(bytes));
        const cu::CurrentContext current(target.context());
        ends.push_back(std::make_unique<CudaEvent>());
        const cu::KeyRange range{.memory = memories[i]->pointer(),
                                 .offset = offset,
                                 .count = count,
                                 .type = key_type_v<K>,
                                 .order = order,
                                 .data_independent = data_independent};
        cu::DevicePart part{target.sorter(), memories[i]->stream(), range};
        if (with_values) part.values = {memories[i]->pointer(), 16 * firsts[i] / sizeof(V), sizeof(V)};
        part.event = static_cast<CUevent>(*ends[i]);
        parts.push_back(part);
    }
    const AcrossReport report = with_values ? cu::enqueue_sort_by_key_across(parts) : cu::enqueue_sort_across(parts);
    CHECK(report.link_bytes == link_bytes_across(counts, sizeof(K) + (with_values ? sizeof(V) : 0)));
    std::ranges::stable_sort(pairs, [&](const Pair& a, const Pair& b) {
        if (comes_before(a.key, b.key, order)) return true;
        return with_values && !comes_before(b.key, a.key, order) && a.value < b.value;
    });
    bool is_right = true;
    std::size_t place = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        LANESORT_CU(cuEventSynchronize, *ends[i]);
        const Bytes bytes = memories[i]->read();
        for (std::size_t k = 0; k < counts[i]; ++k, ++place) {
            is_right &= std::memcmp(bytes.data() + (i % 5 + k) * sizeof(K), &pairs[place].key, sizeof(K)) == 0;
            for (std::size_t at = 0; with_values && at < sizeof(V); ++at)
                is_right &=
                    std::memcmp(bytes.data() + 16 * firsts[i] + k * sizeof(V) + at, &pairs[place].value, 1) == 0;
        }
    }
    CHECK(is_right);
}

std::vector<CudaTarget*> all_devices() {
    std::vector<CudaTarget*> all;
    for (CudaTarget& target : cuda_devices()) all.push_back(&target);
    return all;
}

TEST_CASE("CUDA across: two to five parts, even and not, of every kind of elements") {
    const std::vector<CudaTarget*> devices = all_devices();
    if (devices.empty()) return;
    Random random(seed());
    const std::vector<std::uint64_t> cases[] = {{1},
                                                {0, 0},
                                                {1, 1},
                                                {0, 1},
                                                {1000, 999},
                                                {0, 20'001},
                                                {15'000, 1},
                                                {13'334, 13'334, 13'334},
                                                {15'001, 15'001, 15'001, 14'998},
                                                {7, 0, 30'000, 12},
                                                {2'000, 0, 1, 10'000, 5'555}};
    for (const auto& counts : cases)
        for (const bool data_independent : {false, true}) {
            const auto check = [&]<Key K, class V>(K, V, Order order, bool with_values) {
                check_across<K, V>(devices, counts, order, data_independent, with_values, random);
            };
            check(std::uint32_t{}, std::uint32_t{}, Order::ascending, false);
            check(float{}, std::uint32_t{}, Order::descending, false);
            check(std::int8_t{}, std::uint32_t{}, Order::ascending, false);
            check(std::uint64_t{}, std::uint32_t{}, Order::ascending, false);
            check(std::uint32_t{}, std::uint32_t{}, Order::ascending, true);
            check(double{}, std::uint16_t{}, Order::descending, true);
            check(half{}, Wide{}, Order::ascending, true);
        }
}

TEST_CASE("CUDA across: many keys and pairs") {
    const std::vector<CudaTarget*> devices = all_devices();
    if (devices.empty()) return;
    Random random(seed());
    for (const auto& counts : {std::vector<std::uint64_t>{1'000'001, 1'000'000},
                               {0, 700'001},
                               {600'001, 600'001, 600'001, 600'000},
                               {500'000, 0, 1, 700'000}})
        for (const bool data_independent : {false, true})
            for (const bool with_values : {false, true})
                check_across<std::uint32_t, std::uint32_t>(devices, counts, Order::ascending, data_independent,
                                                           with_values, random);
}

TEST_CASE("CUDA across: so many keys that the local sorts are distributions") {
    const std::vector<CudaTarget*> devices = all_devices();
    if (devices.empty()) return;
    Random random(seed());
    check_across<std::uint32_t, std::uint32_t>(devices, {34'000'003, 34'000'003}, Order::ascending, false, false,
                                               random);
    check_across<std::uint32_t, std::uint32_t>(devices, {17'000'003, 17'000'001}, Order::descending, false, true,
                                               random);
}

TEST_CASE("CUDA across: parts that cannot be one order are refused before anything moves") {
    const std::vector<CudaTarget*> devices = all_devices();
    if (devices.empty()) return;
    CudaTarget &first = *devices.front(), &last = *devices.back();
    const std::vector<std::uint32_t> before{3, 1, 2};
    const auto a = first.cuda_memory(bytes_of(before)), b = last.cuda_memory(bytes_of(before));
    const auto refuse = [&](ErrorCode code, const char* sentence, const std::vector<cu::DevicePart>& parts) {
        check_refused(code, sentence, [&] { cu::enqueue_sort_across(parts); });
        CHECK(a->read() == bytes_of(before));
        CHECK(b->read() == bytes_of(before));
    };
    const cu::DevicePart one{first.sorter(), a->stream(), {a->pointer(), 0, 3, KeyType::u32}};
    refuse(ErrorCode::out_of_range, "past the end",
           {one, {last.sorter(), b->stream(), {b->pointer(), 1u << 30, 3, KeyType::u32}}});
    refuse(ErrorCode::invalid_argument, "overlap",
           {one, {first.sorter(), a->stream(), {a->pointer(), 1, 1, KeyType::u32}}});
    refuse(ErrorCode::invalid_argument, "f32", {one, {last.sorter(), b->stream(), {b->pointer(), 0, 3, KeyType::f32}}});
    if (devices.size() > 1)
        refuse(ErrorCode::wrong_context, "context",
               {one, {last.sorter(), b->stream(), {a->pointer(), 0, 3, KeyType::u32}}});
    Sorter built_in(built_in_device());
    refuse(ErrorCode::unsupported, "CPU", {one, {built_in, b->stream(), {b->pointer(), 0, 3, KeyType::u32}}});
}

}  // namespace
}  // namespace lanesort::test
