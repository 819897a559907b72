// The CUDA part of lanesort/lanesort.h. c_interface_test.c has what does not depend on the backend.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include <lanesort/lanesort.h>

#include "cuda_target.hpp"

namespace lanesort::test {
namespace {

using OwnedSorter = std::unique_ptr<lanesort_sorter, decltype(&lanesort_destroy)>;

OwnedSorter c_sorter(int device) {
    lanesort_sorter* sorter = nullptr;
    REQUIRE(lanesort_cuda_create(&sorter, device, nullptr) == LANESORT_SUCCESS);
    return {sorter, lanesort_destroy};
}

void* moved(const CudaMemory& memory, std::size_t bytes) { return static_cast<std::byte*>(memory.pointer()) + bytes; }

TEST_CASE("C interface on CUDA: every call, in stream order") {
    Random random(seed());
    int device = 0;
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cuda::CurrentContext current(target.context());
        const OwnedSorter sorter = c_sorter(device++);
        constexpr std::size_t count = 30000, bytes = count * 4;
        // Each key comes several times. Behind the keys is room for two arrays of results and for two integers.
        std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(count, random);
        for (std::uint32_t& key : keys) key %= 1000;
        const std::vector<std::uint32_t> expected = sorted(keys, Order::ascending);
        const auto memory = target.cuda_memory(Bytes(3 * bytes + 16));
        const CudaStream& stream = memory->stream();
        const CudaEvent written, ended;
        const cuda::Event waits[] = {written};
        lanesort_key_range range = {};
        range.memory = memory->pointer();
        range.count = count;
        const lanesort_values values = {memory->pointer(), count, 4};
        const lanesort_integers number = {moved(*memory, 3 * bytes), 1};
        const lanesort_distinct distinct = {memory->pointer(), count, number};
        const lanesort_values lengths = {memory->pointer(), 2 * count, 0};

        const auto write = [&](const std::vector<std::uint32_t>& words) {
            LANESORT_CU(cuMemcpyHtoDAsync, memory->address(), words.data(), bytes, stream);
            LANESORT_CU(cuEventRecord, written, stream);
        };
        const auto read = [&](std::size_t words_before, std::size_t words) {
            std::vector<std::uint32_t> result(words);
            LANESORT_CU(cuMemcpyDtoHAsync, result.data(), memory->address() + words_before * 4, words * 4, stream);
            stream.finish();
            return result;
        };
        const auto answer = [&] { return read(3 * count + 2, 1)[0]; };

        write(keys);
        CHECK(lanesort_cuda_enqueue_argsort(sorter.get(), stream, &range, &values, 1, waits, ended) ==
              LANESORT_SUCCESS);
        const auto indices = read(count, count);
        for (std::size_t i = 0; i < count; ++i) REQUIRE(keys[indices[i]] == expected[i]);

        range.order = LANESORT_DESCENDING;
        const lanesort_selected selected = {memory->pointer(), count, {memory->pointer(), 2 * count, 4}};
        CHECK(lanesort_cuda_enqueue_top_k(sorter.get(), stream, &range, 10, &selected, 0, nullptr, nullptr) ==
              LANESORT_SUCCESS);
        const auto best = read(count, 10), best_indices = read(2 * count, 10);
        for (std::size_t i = 0; i < 10; ++i) {
            CHECK(best[i] == expected[count - 1 - i]);
            CHECK(keys[best_indices[i]] == best[i]);
        }
        range.order = LANESORT_ASCENDING;

        CHECK(lanesort_prepare(sorter.get(), LANESORT_CALL_SORT, &range, 0, 0) == LANESORT_SUCCESS);
        CHECK(lanesort_cuda_enqueue_sort(sorter.get(), stream, &range, 1, waits, ended) == LANESORT_SUCCESS);
        LANESORT_CU(cuEventSynchronize, ended);
        require_same_bytes(read(0, count), expected);
        CHECK(lanesort_cuda_enqueue_is_sorted(sorter.get(), stream, &range, &number, 0, nullptr, nullptr) ==
              LANESORT_SUCCESS);
        CHECK(answer() == 1);
        std::vector<std::uint32_t> different = expected;
        different.erase(std::unique(different.begin(), different.end()), different.end());
        CHECK(lanesort_cuda_enqueue_unique(sorter.get(), stream, &range, &distinct, 0, nullptr, nullptr) ==
              LANESORT_SUCCESS);
        CHECK(answer() == different.size());
        require_same_bytes(read(count, different.size()), different);
        CHECK(lanesort_cuda_enqueue_run_lengths(sorter.get(), stream, &range, &distinct, &lengths, 0, nullptr,
                                                nullptr) == LANESORT_SUCCESS);
        CHECK(answer() == different.size());
        std::size_t all = 0;
        for (const std::uint32_t length : read(2 * count, different.size())) all += length;
        CHECK(all == count);

        // The last third in front of the others: two sorted ranges.
        std::vector<std::uint32_t> halves = expected;
        std::ranges::rotate(halves, halves.begin() + 20000);
        for (const bool with_values : {false, true}) {
            write(halves);
            CHECK(lanesort_cuda_enqueue_is_sorted_until(sorter.get(), stream, &range, &number, 0, nullptr, nullptr) ==
                  LANESORT_SUCCESS);
            CHECK(answer() == 10000);
            const lanesort_status merged =
                with_values ? lanesort_cuda_enqueue_merge_by_key(sorter.get(), stream, &range, &values, 10000, 0,
                                                                 nullptr, nullptr)
                            : lanesort_cuda_enqueue_merge(sorter.get(), stream, &range, 10000, 0, nullptr, nullptr);
            CHECK(merged == LANESORT_SUCCESS);
            require_same_bytes(read(0, count), expected);
        }

        // Values that tell their keys.
        write(keys);
        LANESORT_CU(cuMemcpyDtoDAsync, memory->address() + bytes, memory->address(), bytes, stream);
        CHECK(lanesort_cuda_enqueue_sort_by_key(sorter.get(), stream, &range, &values, 0, nullptr, nullptr) ==
              LANESORT_SUCCESS);
        require_same_bytes(read(0, count), expected);
        require_same_bytes(read(count, count), expected);

        lanesort_cuda_recorded_sort* recorded = nullptr;
        REQUIRE(lanesort_cuda_record_sort(&recorded, sorter.get(), &range, nullptr) == LANESORT_SUCCESS);
        for (int repetition = 0; repetition < 2; ++repetition) {
            write(keys);
            CHECK(lanesort_cuda_enqueue_recorded_sort(recorded, stream) == LANESORT_SUCCESS);
            require_same_bytes(read(0, count), expected);
        }
        lanesort_cuda_destroy_recorded_sort(recorded);
    }
}

TEST_CASE("C interface on CUDA: mistakes give a status and a sentence, and then all is well") {
    int device = 0;
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cuda::CurrentContext current(target.context());
        const OwnedSorter sorter = c_sorter(device++);
        const auto memory = target.cuda_memory(bytes_of(std::vector<std::uint32_t>{3, 1, 2, 0}));
        const CudaStream& stream = memory->stream();
        lanesort_key_range range = {};
        range.memory = memory->pointer();
        range.count = std::size_t{1} << 40;
        const auto status = [&] {
            return lanesort_cuda_enqueue_sort(sorter.get(), stream, &range, 0, nullptr, nullptr);
        };
        CHECK(status() == LANESORT_OUT_OF_RANGE);
        CHECK(std::strstr(lanesort_last_error(), std::to_string(range.count).c_str()) != nullptr);
        range.count = 4;
        range.memory = &range;
        CHECK(status() == LANESORT_INVALID_ARGUMENT);
        CHECK(lanesort_cuda_enqueue_sort(nullptr, stream, &range, 0, nullptr, nullptr) == LANESORT_INVALID_ARGUMENT);
        CHECK(lanesort_opencl_enqueue_sort(sorter.get(), nullptr, &range, 0, nullptr, nullptr) == LANESORT_UNSUPPORTED);
        range.memory = memory->pointer();
        range.segments.memory = memory->pointer();
        range.segments.count = ~std::size_t{0};  // of their offsets there is one more
        CHECK(status() == LANESORT_INVALID_ARGUMENT);
        range.segments = {};
        CHECK(status() == LANESORT_SUCCESS);
        stream.finish();
        CHECK(keys_of<std::uint32_t>(memory->read()) == std::vector<std::uint32_t>{0, 1, 2, 3});
    }
}

}  // namespace
}  // namespace lanesort::test
