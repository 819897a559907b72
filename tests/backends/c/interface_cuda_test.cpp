// SPDX-License-Identifier: MIT
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
        const cu::CurrentContext current(target.context());
        const OwnedSorter sorter = c_sorter(device++);
        constexpr std::size_t count = 30000, bytes = count * 4;
        // Each key comes several times. Behind the keys is room for two arrays of results and for two integers.
        std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(count, random);
        for (std::uint32_t& key : keys) key %= 1000;
        const std::vector<std::uint32_t> expected = sorted(keys, Order::ascending);
        const auto memory = target.cuda_memory(Bytes(3 * bytes + 16));
        const CudaStream& stream = memory->stream();
        const CudaEvent written, ended;
        const cu::Event waits[] = {written};
        const lanesort_values behind = {memory->pointer(), count, 4};
        const lanesort_values last = {memory->pointer(), 2 * count, 4};
        const lanesort_place results = {memory->pointer(), count};
        const lanesort_place answers = {moved(*memory, 3 * bytes), 1};
        const auto request_for = [&](lanesort_operation operation) {
            lanesort_request request = {};
            request.operation = operation;
            request.memory = memory->pointer();
            request.count = count;
            request.type = LANESORT_U32;
            return request;
        };
        const auto enqueue = [&](const lanesort_request& request) {
            REQUIRE(lanesort_cuda_enqueue(sorter.get(), stream, &request, 0, nullptr, nullptr) == LANESORT_SUCCESS);
        };

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
        lanesort_request argsort = request_for(LANESORT_ARGSORT);
        argsort.indices = behind;
        CHECK(lanesort_cuda_enqueue(sorter.get(), stream, &argsort, 1, waits, ended) == LANESORT_SUCCESS);
        const auto indices = read(count, count);
        for (std::size_t i = 0; i < count; ++i) REQUIRE(keys[indices[i]] == expected[i]);

        lanesort_request top_k = request_for(LANESORT_TOP_K);
        top_k.k = 10;
        top_k.results = results;
        top_k.indices = last;
        enqueue(top_k);
        const auto best = read(count, 10), best_indices = read(2 * count, 10);
        for (std::size_t i = 0; i < 10; ++i) {
            CHECK(best[i] == expected[count - 1 - i]);
            CHECK(keys[best_indices[i]] == best[i]);
        }

        const lanesort_request sort = request_for(LANESORT_SORT);
        CHECK(lanesort_prepare(sorter.get(), &sort) == LANESORT_SUCCESS);
        CHECK(lanesort_cuda_enqueue(sorter.get(), stream, &sort, 1, waits, ended) == LANESORT_SUCCESS);
        LANESORT_CU(cuEventSynchronize, ended);
        require_same_bytes(read(0, count), expected);
        lanesort_request is_sorted = request_for(LANESORT_IS_SORTED);
        is_sorted.answers = answers;
        enqueue(is_sorted);
        CHECK(answer() == 1);
        lanesort_report report = {};
        CHECK(lanesort_last_report(sorter.get(), &report) == LANESORT_SUCCESS);
        CHECK(report.launches > 0);

        std::vector<std::uint32_t> different = expected;
        different.erase(std::unique(different.begin(), different.end()), different.end());
        lanesort_request unique = request_for(LANESORT_UNIQUE);
        unique.results = results;
        unique.answers = answers;
        enqueue(unique);
        CHECK(answer() == different.size());
        require_same_bytes(read(count, different.size()), different);
        lanesort_request run_lengths = unique;
        run_lengths.operation = LANESORT_RUN_LENGTHS;
        run_lengths.lengths = last;
        enqueue(run_lengths);
        CHECK(answer() == different.size());
        std::size_t all = 0;
        for (const std::uint32_t length : read(2 * count, different.size())) all += length;
        CHECK(all == count);

        // The last third in front of the others: two sorted ranges.
        std::vector<std::uint32_t> halves = expected;
        std::ranges::rotate(halves, halves.begin() + 20000);
        for (const bool with_values : {false, true}) {
            write(halves);
            lanesort_request until = is_sorted;
            until.operation = LANESORT_IS_SORTED_UNTIL;
            enqueue(until);
            CHECK(answer() == 10000);
            lanesort_request merge = request_for(LANESORT_MERGE);
            merge.middle = 10000;
            if (with_values) merge.values = behind;
            enqueue(merge);
            require_same_bytes(read(0, count), expected);
        }

        // Values that tell their keys.
        write(keys);
        LANESORT_CU(cuMemcpyDtoDAsync, memory->address() + bytes, memory->address(), bytes, stream);
        lanesort_request by_key = sort;
        by_key.values = behind;
        enqueue(by_key);
        require_same_bytes(read(0, count), expected);
        require_same_bytes(read(count, count), expected);

        for (const lanesort_request& request : {sort, top_k, argsort}) {
            lanesort_recorded* recorded = nullptr;
            REQUIRE(lanesort_cuda_record(&recorded, sorter.get(), stream, &request) == LANESORT_SUCCESS);
            for (int repetition = 0; repetition < 2; ++repetition) {
                write(keys);
                CHECK(lanesort_cuda_enqueue_recorded(recorded, 1, waits, ended) == LANESORT_SUCCESS);
                if (request.operation == LANESORT_SORT) require_same_bytes(read(0, count), expected);
                else if (request.operation == LANESORT_TOP_K) require_same_bytes(read(count, 10), best);
                else require_same_bytes(read(count, count), indices);
            }
            CHECK(lanesort_opencl_enqueue_recorded(recorded, 0, nullptr, nullptr) == LANESORT_UNSUPPORTED);
            lanesort_destroy_recorded(recorded);
        }
    }
}

TEST_CASE("C interface on CUDA: mistakes give a status and a sentence, and then all is well") {
    int device = 0;
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cu::CurrentContext current(target.context());
        const OwnedSorter sorter = c_sorter(device++);
        const auto memory = target.cuda_memory(bytes_of(std::vector<std::uint32_t>{3, 1, 2, 0}));
        const CudaStream& stream = memory->stream();
        lanesort_request request = {};
        request.type = LANESORT_U32;
        request.memory = memory->pointer();
        request.count = std::size_t{1} << 40;
        const auto status = [&] { return lanesort_cuda_enqueue(sorter.get(), stream, &request, 0, nullptr, nullptr); };
        CHECK(status() == LANESORT_OUT_OF_RANGE);
        CHECK(std::strstr(lanesort_last_error(), std::to_string(request.count).c_str()) != nullptr);
        request.count = 4;
        request.memory = &request;
        CHECK(status() == LANESORT_INVALID_ARGUMENT);
        CHECK(lanesort_cuda_enqueue(nullptr, stream, &request, 0, nullptr, nullptr) == LANESORT_INVALID_ARGUMENT);
        CHECK(lanesort_opencl_enqueue(sorter.get(), nullptr, &request, 0, nullptr, nullptr) == LANESORT_UNSUPPORTED);
        request.memory = memory->pointer();
        request.segments.memory = memory->pointer();
        request.segments.bytes = 8;
        request.segments.count = ~std::size_t{0};  // of their offsets there is one more
        CHECK(status() == LANESORT_INVALID_ARGUMENT);
        request.segments = {};
        CHECK(status() == LANESORT_SUCCESS);
        stream.finish();
        CHECK(keys_of<std::uint32_t>(memory->read()) == std::vector<std::uint32_t>{0, 1, 2, 3});
    }
}

}  // namespace
}  // namespace lanesort::test
