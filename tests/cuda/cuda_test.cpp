// What is CUDA's own: a caller's stream, events, capture, pointers.
#include <algorithm>
#include <functional>

#include "cuda_target.hpp"
#include "error_support.hpp"

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
        cu::enqueue_sort(target.sorter(), other, {memory->pointer(), 0, keys.size()}, waits, ended);
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
        cu::enqueue_unique(target.sorter(), other, {pointer, 0, keys.size(), KeyType::u8},
                           {pointer, keys.size(), {pointer, keys.size() / 4}}, waits, ended);
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
        cu::enqueue_sort(target.sorter(), stream, {memory->pointer(), 0, keys.size(), KeyType::f32});
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

/// A call on `count` keys in two sorted halves, and three times the room behind them.
struct FirstCall {
    std::string name;
    Request prepared;
    std::function<void(Sorter&, cu::Stream, void*)> enqueue;
};
constexpr std::size_t count = 20'003;

std::vector<FirstCall> calls() {
    using namespace cu;
    const auto range = [](void* memory) { return KeyRange{memory, 0, count, KeyType::f32}; };
    const auto stable = [=](void* memory) {
        KeyRange keys = range(memory);
        keys.stable = true;
        return keys;
    };
    const auto behind = [](void* memory) { return ValueRange{memory, count, 4}; };
    const auto selected = [](void* memory) { return Selected{memory, count, {memory, 2 * count, 4}}; };
    const auto distinct = [](void* memory) { return Distinct{memory, count, {memory, (3 * count + 1) / 2}}; };
    return {
        {"values",
         {.count = count, .value_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_sort_by_key(s, on, range(m), behind(m)); }},
        {"stable",
         {.count = count, .stable = true, .value_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_sort_by_key(s, on, stable(m), behind(m)); }},
        {"argsort",
         {.operation = Operation::argsort, .count = count, .index_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_argsort(s, on, range(m), behind(m)); }},
        {"merge",
         {.operation = Operation::merge, .count = count, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_merge(s, on, range(m), count / 2); }},
        {"few",
         {.operation = Operation::top_k, .count = count, .first = 5, .index_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_top_k(s, on, range(m), 5, selected(m)); }},
        {"many",
         {.operation = Operation::top_k, .count = count, .first = 9000, .index_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) { enqueue_top_k(s, on, range(m), 9000, selected(m)); }},
        {"lengths",
         {.operation = Operation::run_lengths, .count = count, .length_bytes = 4, .key = KeyType::f32},
         [=](Sorter& s, Stream on, void* m) {
             enqueue_run_lengths(s, on, range(m), distinct(m), {m, 2 * count, 4});
         }},
    };
}

TEST_CASE("CUDA: every call may be the first of a prepared sorter while the caller's stream is captured") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices())
        for (const FirstCall& call : calls()) {
            CAPTURE(target.name);
            CAPTURE(call.name);
            const cu::CurrentContext current(target.context());
            std::vector<float> before = random_keys<float>(4 * count, random);
            for (std::size_t i = 0; i < count; ++i) before[i] = static_cast<float>(random() % 5000);
            std::sort(before.begin(), before.begin() + count / 2);
            std::sort(before.begin() + count / 2, before.begin() + count);
            const auto memory = target.cuda_memory(bytes_of(before));
            const CudaStream stream;
            Sorter sorter = target.new_sorter();
            sorter.prepare(call.prepared);
            CUgraph graph = nullptr;
            CUgraphExec executable = nullptr;
            LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
            call.enqueue(sorter, stream, memory->pointer());
            LANESORT_CU(cuStreamEndCapture, stream, &graph);
            LANESORT_CU(cuGraphInstantiateWithFlags, &executable, graph, 0);
            REQUIRE(memory->read() == bytes_of(before));
            call.enqueue(sorter, stream, memory->pointer());
            stream.finish();
            const Bytes expected = memory->read();
            for (int repetition = 0; repetition < 2; ++repetition) {
                memory->write(bytes_of(before));
                LANESORT_CU(cuGraphLaunch, executable, stream);
                stream.finish();
                REQUIRE(memory->read() == expected);
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
            CHECK(error_of([&] { cu::enqueue_sort(sorter, nullptr, range); }).code() == code);
            CHECK(error_of([&] { cu::Recorded(sorter, nullptr, sort(range)); }).code() == code);
        };
        refuses(ErrorCode::invalid_argument, {nullptr, 0, 2});
        refuses(ErrorCode::invalid_argument, {on_host.data(), 0, 4});
        refuses(ErrorCode::invalid_argument, {static_cast<char*>(pointer) + 1, 0, 2});
        refuses(ErrorCode::out_of_range, {pointer, 0, std::size_t{1} << 40});
        refuses(ErrorCode::out_of_range, {pointer, std::size_t{1} << 40, 1});
        refuses(ErrorCode::out_of_range, {pointer, ~std::size_t{0}, 2});
        const cu::Event no_event[] = {nullptr};
        CHECK(error_of([&] {
                  cu::enqueue_sort(sorter, nullptr, {pointer, 0, 4}, no_event);
              }).code() == ErrorCode::invalid_argument);
        require_same_bytes(keys_of<std::uint32_t>(memory->read()), keys);
        check_still_sorts(target, sorter);
    }
}

TEST_CASE("CUDA: a sorter for a device that is not there") {
    if (cuda_devices().empty()) return;
    for (const int number : {-1, 99}) CHECK(error_of([&] { cu::make_sorter(number); }).code() == ErrorCode::no_device);
}

}  // namespace
}  // namespace lanesort::test
