// SPDX-License-Identifier: MIT
// What is CUDA's own: a caller's stream, events, capture, pointers.
#include <algorithm>
#include <functional>

#include "cuda_target.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

namespace lanesort::test {
namespace {

using cu::driver;

TEST_CASE("CUDA: in stream order, after the events, before the event") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cu::CurrentContext current(target.context());
        const auto before = random_keys<std::uint32_t>(50000, random), keys = random_keys<std::uint32_t>(50000, random);
        const auto memory = target.cuda_memory(bytes_of(before));
        const CudaStream writer, other, reader;
        const CudaEvent written, ended;
        LANESORT_CU(cuMemcpyHtoDAsync, memory->address(), keys.data(), keys.size() * 4, writer);
        LANESORT_CU(cuEventRecord, written, writer);
        const cu::Event waits[] = {written};
        cu::enqueue(target.sorter(), other, sort(cu::KeyRange{memory->pointer(), 0, keys.size(), KeyType::u32}), waits,
                    ended);
        LANESORT_CU(cuStreamWaitEvent, reader, ended, 0);
        std::vector<std::uint32_t> result(keys.size());
        LANESORT_CU(cuMemcpyDtoHAsync, result.data(), memory->address(), keys.size() * 4, reader);
        reader.finish();
        require_same_bytes(result, sorted(keys, Order::ascending));
    }
}

TEST_CASE("CUDA: runs of keys in stream order, after the events, before the event") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cu::CurrentContext current(target.context());
        const auto keys = sorted(random_keys<std::uint8_t>(50000, random), Order::ascending);
        const auto memory = target.cuda_memory(Bytes(keys.size() * 2 + 8));
        const CudaStream writer, other, reader;
        const CudaEvent written, ended;
        LANESORT_CU(cuMemcpyHtoDAsync, memory->address(), keys.data(), keys.size(), writer);
        LANESORT_CU(cuEventRecord, written, writer);
        const cu::Event waits[] = {written};
        void* const pointer = memory->pointer();
        cu::enqueue(target.sorter(), other,
                    unique(cu::KeyRange{pointer, 0, keys.size(), KeyType::u8},
                           {pointer, keys.size(), {pointer, keys.size() / 4}}),
                    waits, ended);
        LANESORT_CU(cuStreamWaitEvent, reader, ended, 0);
        std::vector<std::uint8_t> expected = keys;
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        std::vector<std::uint8_t> distinct(expected.size());
        std::uint64_t number = 0;
        LANESORT_CU(cuMemcpyDtoHAsync, &number, memory->address() + 2 * keys.size(), 8, reader);
        LANESORT_CU(cuMemcpyDtoHAsync, distinct.data(), memory->address() + keys.size(), distinct.size(), reader);
        reader.finish();
        CHECK(number == expected.size());
        require_same_bytes(distinct, expected);
    }
}

TEST_CASE("CUDA: may be called while the caller's stream is captured, and replayed") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cu::CurrentContext current(target.context());
        const auto keys = random_keys<float>(30001, random);
        const auto memory = target.cuda_memory(bytes_of(keys));
        target.sorter().prepare(KeyType::f32, keys.size());
        const CudaStream stream;
        CUgraph graph = nullptr;
        CUgraphExec executable = nullptr;
        LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        cu::enqueue(target.sorter(), stream, sort(cu::KeyRange{memory->pointer(), 0, keys.size(), KeyType::f32}));
        LANESORT_CU(cuStreamEndCapture, stream, &graph);
        LANESORT_CU(cuGraphInstantiateWithFlags, &executable, graph, 0);
        require_same_bytes(keys_of<float>(memory->read()), keys);
        for (int repetition = 0; repetition < 2; ++repetition) {
            const auto fresh = random_keys<float>(keys.size(), random);
            memory->write(bytes_of(fresh));
            LANESORT_CU(cuGraphLaunch, executable, stream);
            stream.finish();
            require_same_bytes(keys_of<float>(memory->read()), sorted(fresh, Order::ascending));
        }
        driver().cuGraphExecDestroy(executable);
        driver().cuGraphDestroy(graph);
    }
}

TEST_CASE("CUDA: a distribution is captured once and replayed with other keys, also those that its samples mislead") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cu::CurrentContext current(target.context());
        Sorter sorter = target.new_sorter(small_leaves);
        auto random_ones = random_keys<std::uint32_t>(100'007, random);
        auto all_equal = random_ones, few_large = random_ones, in_reverse = random_ones;
        std::ranges::fill(all_equal, 5);
        for (std::size_t i = 0; i < few_large.size(); ++i)
            few_large[i] = i % 97 == 0 ? few_large[i] : static_cast<std::uint32_t>(1000 + i / 4096 % 3);
        std::ranges::sort(in_reverse, std::greater());
        Request request{.schedule = Schedule::distribution, .extra_bytes = 3 << 20};
        Layout layout(problem_of(request, random_ones));
        const auto memory = target.cuda_memory(layout.before());
        const auto call = call_in<void*>(memory->pointer(), layout.call());
        const CudaStream stream;
        request.count = random_ones.size();
        sorter.prepare(request);
        CUgraph graph = nullptr;
        CUgraphExec executable = nullptr;
        LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        cu::enqueue(sorter, stream, call);
        LANESORT_CU(cuStreamEndCapture, stream, &graph);
        LANESORT_CU(cuGraphInstantiateWithFlags, &executable, graph, 0);
        REQUIRE(memory->read() == layout.before());
        // What a replay leaves in the tables must not reach the next one.
        for (auto* keys : {&random_ones, &all_equal, &few_large, &in_reverse, &random_ones}) {
            const Layout replayed(problem_of(request, *keys));
            memory->write(replayed.before());
            LANESORT_CU(cuGraphLaunch, executable, stream);
            stream.finish();
            replayed.check(memory->read());
        }
        driver().cuGraphExecDestroy(executable);
        driver().cuGraphDestroy(graph);
    }
}

TEST_CASE("CUDA: every call may be the first of a prepared sorter while the caller's stream is captured") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices())
        for (const NamedProblem& named : problems_of_every_operation(20'003, random)) {
            CAPTURE(target.name);
            CAPTURE(named.name);
            const cu::CurrentContext current(target.context());
            Layout layout(named.problem);
            const auto memory = target.cuda_memory(layout.before());
            const auto call = call_in<void*>(memory->pointer(), layout.call());
            const CudaStream stream;
            Sorter sorter = target.new_sorter();
            sorter.prepare(named.problem.request);
            CUgraph graph = nullptr;
            CUgraphExec executable = nullptr;
            LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
            cu::enqueue(sorter, stream, call);
            LANESORT_CU(cuStreamEndCapture, stream, &graph);
            LANESORT_CU(cuGraphInstantiateWithFlags, &executable, graph, 0);
            REQUIRE(memory->read() == layout.before());
            for (int repetition = 0; repetition < 2; ++repetition) {
                memory->write(layout.before());
                LANESORT_CU(cuGraphLaunch, executable, stream);
                stream.finish();
                layout.check(memory->read());
            }
            driver().cuGraphExecDestroy(executable);
            driver().cuGraphDestroy(graph);
        }
}

TEST_CASE("CUDA: what a caller can get wrong is told before anything runs") {
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const std::vector<std::uint32_t> keys{4, 3, 2, 1};
        const auto memory = target.cuda_memory(bytes_of(keys));
        std::vector<std::uint32_t> on_host = keys;
        void* const pointer = memory->pointer();
        const auto refuses = [&](ErrorCode code, const cu::KeyRange& range) {
            CHECK(error_of([&] { cu::enqueue(sorter, nullptr, sort(range)); }).code() == code);
            CHECK(error_of([&] { cu::Recorded(sorter, nullptr, sort(range)); }).code() == code);
        };
        refuses(ErrorCode::invalid_argument, {nullptr, 0, 2, KeyType::u32});
        refuses(ErrorCode::invalid_argument, {on_host.data(), 0, 4, KeyType::u32});
        refuses(ErrorCode::invalid_argument, {static_cast<char*>(pointer) + 1, 0, 2, KeyType::u32});
        refuses(ErrorCode::out_of_range, {pointer, 0, std::size_t{1} << 40, KeyType::u32});
        refuses(ErrorCode::out_of_range, {pointer, std::size_t{1} << 40, 1, KeyType::u32});
        refuses(ErrorCode::out_of_range, {pointer, ~std::size_t{0}, 2, KeyType::u32});
        const cu::Event no_event[] = {nullptr};
        CHECK(error_of([&] {
                  cu::enqueue(sorter, nullptr, sort(cu::KeyRange{pointer, 0, 4, KeyType::u32}), no_event);
              }).code() == ErrorCode::invalid_argument);
        require_same_bytes(keys_of<std::uint32_t>(memory->read()), keys);
        check_still_sorts(target, sorter);
    }
}

TEST_CASE("CUDA: which device memory is on") {
    int number = 0;
    for (CudaTarget& target : cuda_devices()) {
        const auto memory = target.cuda_memory(Bytes(64));
        CHECK(cu::device_of(memory->pointer()) == number);
        ++number;
    }
    if (number > 0)
        check_refused(ErrorCode::invalid_argument, "not one to CUDA memory", [&] { (void)cu::device_of(&number); });
}

TEST_CASE("CUDA: a sorter for a device that is not there") {
    if (cuda_devices().empty()) return;
    for (const int number : {-1, 99}) CHECK(error_of([&] { cu::make_sorter(number); }).code() == ErrorCode::no_device);
}

}  // namespace
}  // namespace lanesort::test
