// What is CUDA's own: a caller's stream, events, capture, pointers.
#include "cuda_target.hpp"
#include "error_support.hpp"

namespace lanesort::test {
namespace {

using cuda::driver;

/// An event of the current context.
class CudaEvent {
public:
    CudaEvent() { LANESORT_CU(cuEventCreate, &event_, CU_EVENT_DISABLE_TIMING); }
    ~CudaEvent() { driver().cuEventDestroy(event_); }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;
    operator CUevent() const { return event_; }

private:
    CUevent event_ = nullptr;
};

TEST_CASE("CUDA: in stream order, after the events, before the event") {
    Random random(seed());
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        const cuda::CurrentContext current(target.context());
        const auto before = random_keys<std::uint32_t>(50000, random), keys = random_keys<std::uint32_t>(50000, random);
        const auto memory = target.cuda_memory(bytes_of(before));
        const CudaStream writer, other, reader;
        const CudaEvent written, ended;
        LANESORT_CU(cuMemcpyHtoDAsync, memory->address(), keys.data(), keys.size() * 4, writer);
        LANESORT_CU(cuEventRecord, written, writer);
        const cuda::Event waits[] = {written};
        cuda::enqueue_sort(target.sorter(), other, {memory->pointer(), 0, keys.size()}, waits, ended);
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
        const cuda::CurrentContext current(target.context());
        const auto keys = sorted(random_keys<std::uint8_t>(50000, random), Order::ascending);
        const auto memory = target.cuda_memory(Bytes(keys.size() * 2 + 8));
        const CudaStream writer, other, reader;
        const CudaEvent written, ended;
        LANESORT_CU(cuMemcpyHtoDAsync, memory->address(), keys.data(), keys.size(), writer);
        LANESORT_CU(cuEventRecord, written, writer);
        const cuda::Event waits[] = {written};
        void* const pointer = memory->pointer();
        cuda::enqueue_unique(target.sorter(), other, {pointer, 0, keys.size(), KeyType::u8},
                             {pointer, keys.size(), {pointer, keys.size() / 4}}, waits, ended);
        LANESORT_CU(cuStreamWaitEvent, reader, ended, 0);
        std::vector<std::uint8_t> expected = keys;
        expected.erase(std::ranges::unique(expected).begin(), expected.end());
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
        const cuda::CurrentContext current(target.context());
        const auto keys = random_keys<float>(30001, random);
        const auto memory = target.cuda_memory(bytes_of(keys));
        target.sorter().prepare(KeyType::f32, keys.size());
        const CudaStream stream;
        CUgraph graph = nullptr;
        CUgraphExec executable = nullptr;
        LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        cuda::enqueue_sort(target.sorter(), stream, {memory->pointer(), 0, keys.size(), KeyType::f32});
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

TEST_CASE("CUDA: what a caller can get wrong is told before anything runs") {
    for (CudaTarget& target : cuda_devices()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const std::vector<std::uint32_t> keys{4, 3, 2, 1};
        const auto memory = target.cuda_memory(bytes_of(keys));
        std::vector<std::uint32_t> on_host = keys;
        void* const pointer = memory->pointer();
        const auto refuses = [&](ErrorCode code, const cuda::KeyRange& range) {
            CHECK(error_of([&] { cuda::enqueue_sort(sorter, nullptr, range); }).code() == code);
            CHECK(error_of([&] { cuda::RecordedSort(sorter, range); }).code() == code);
        };
        refuses(ErrorCode::invalid_argument, {nullptr, 0, 2});
        refuses(ErrorCode::invalid_argument, {on_host.data(), 0, 4});
        refuses(ErrorCode::invalid_argument, {static_cast<char*>(pointer) + 1, 0, 2});
        refuses(ErrorCode::out_of_range, {pointer, 0, std::size_t{1} << 40});
        refuses(ErrorCode::out_of_range, {pointer, std::size_t{1} << 40, 1});
        refuses(ErrorCode::out_of_range, {pointer, ~std::size_t{0}, 2});
        const cuda::Event no_event[] = {nullptr};
        CHECK(error_of([&] {
                  cuda::enqueue_sort(sorter, nullptr, {pointer, 0, 4}, no_event);
              }).code() == ErrorCode::invalid_argument);
        require_same_bytes(keys_of<std::uint32_t>(memory->read()), keys);
        check_still_sorts(target, sorter);
    }
}

TEST_CASE("CUDA: a sorter for a device that is not there") {
    if (cuda_devices().empty()) return;
    for (const int number : {-1, 99})
        CHECK(error_of([&] { cuda::make_sorter(number); }).code() == ErrorCode::no_device);
}

}  // namespace
}  // namespace lanesort::test
