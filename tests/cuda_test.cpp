// Sorts on CUDA streams and graphs. The OpenCL suite's cases for kernels, plans and shapes hold for CUDA through the
// common source; here is what is CUDA's own: memory, streams, events, capture, contexts, recorded graphs.
#include <lanesort/cuda.hpp>
#include <lanesort/error.hpp>
#include <lanesort/lanesort.hpp>

#include <cstdlib>
#include <list>
#include <utility>

#include "host/cuda/checked.hpp"
#include "shapes.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

using cuda::driver;

/// The primary context of device 0, current on this thread while the process lives, as the CUDA runtime would have it.
bool use_cuda() {
    static const bool usable = [] {
        if (!driver().absence.empty() || !cuda::compiler().absence.empty()) return false;
        CUdevice device{};
        CUcontext context = nullptr;
        if (driver().cuDeviceGet(&device, 0) != CUDA_SUCCESS) return false;
        LANESORT_CU(cuDevicePrimaryCtxRetain, &context, device);
        LANESORT_CU(cuCtxPushCurrent, context);
        return true;
    }();
    if (!usable) ++skipped_device_cases();
    return usable;
}

/// Compiling takes seconds, so cases share sorters.
Sorter& sorter_of(const std::optional<Shape>& shape = {}) {
    static std::list<std::pair<std::optional<Shape>, Sorter>> sorters;
    for (auto& [known, sorter] : sorters)
        if (known == shape) return sorter;
    SorterOptions options;
    options.shape = shape;
    return sorters.emplace_back(shape, cuda::make_sorter(0, options)).second;
}

class Stream {
public:
    Stream() { LANESORT_CU(cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING); }
    ~Stream() { driver().cuStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator CUstream() const { return stream_; }
    void finish() const { LANESORT_CU(cuStreamSynchronize, stream_); }

private:
    CUstream stream_ = nullptr;
};

template <Key T>
class DeviceKeys {
public:
    explicit DeviceKeys(const std::vector<T>& keys) : count_(keys.size()) {
        LANESORT_CU(cuMemAlloc, &memory_, std::max<std::size_t>(count_, 1) * sizeof(T));
        write(keys);
    }
    ~DeviceKeys() { driver().cuMemFree(memory_); }
    DeviceKeys(const DeviceKeys&) = delete;
    DeviceKeys& operator=(const DeviceKeys&) = delete;

    void* pointer() const { return reinterpret_cast<void*>(memory_); }
    void write(const std::vector<T>& keys) {
        const Stream stream;
        if (count_ > 0) LANESORT_CU(cuMemcpyHtoDAsync, memory_, keys.data(), count_ * sizeof(T), stream);
        stream.finish();
    }
    std::vector<T> read() const {
        std::vector<T> keys(count_);
        const Stream stream;
        if (count_ > 0) LANESORT_CU(cuMemcpyDtoHAsync, keys.data(), memory_, count_ * sizeof(T), stream);
        stream.finish();
        return keys;
    }

private:
    std::size_t count_;
    CUdeviceptr memory_ = 0;
};

/// Sorts in the middle of other keys, which must stay, on a stream and as a graph, and compares with std::sort.
template <Key T>
void check_sort(Sorter& sorter, const std::vector<T>& keys, Order order, std::size_t offset) {
    constexpr std::size_t zone = 67;
    CAPTURE(name(key_type_v<T>));
    CAPTURE(keys.size());
    CAPTURE(static_cast<int>(order));
    CAPTURE(offset);
    Random random(seed() + keys.size());
    std::vector<T> memory = random_keys<T>(offset + keys.size() + zone, random);
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(offset);
    std::ranges::copy(keys, first);
    DeviceKeys<T> device(memory);
    std::vector<T> expected = memory;
    std::ranges::copy(sorted(keys, order), expected.begin() + static_cast<std::ptrdiff_t>(offset));

    const Stream stream;
    const cuda::KeyRange range{device.pointer(), offset, keys.size(), key_type_v<T>, order};
    cuda::enqueue_sort(sorter, stream, range);
    stream.finish();
    {
        INFO("CUDA stream");
        require_same_bytes(device.read(), expected);
    }
    device.write(memory);
    cuda::RecordedSort recorded(sorter, range);
    recorded.enqueue(stream);
    stream.finish();
    INFO("CUDA graph");
    require_same_bytes(device.read(), expected);
}

Error error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no error");
    std::abort();
}

TEST_CASE("CUDA: every type, order, offset and pattern, around the tiles and many passes") {
    if (!use_cuda()) return;
    Random random(seed());
    for_each_key_type([&]<class T>() {
        Sorter& sorter = sorter_of();
        const std::size_t tile = sorter.shape(key_type_v<T>).tile_keys();
        std::size_t offset = 0;
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{777}, tile - 1,
                                        tile, tile + 1, 5 * tile + 3, 64 * tile + 1})
            for (const Order order : {Order::ascending, Order::descending})
                check_sort<T>(sorter, random_keys<T>(count, random), order, offset++ % 8);
        check_sort<T>(sorter, drawn_from(special_values<T>(), 3 * tile + 7, random), Order::ascending, 5);
        check_sort<T>(sorter, drawn_from(special_values<T>(), 3 * tile + 7, random), Order::descending, 1);
    });
}

TEST_CASE("CUDA: every n past two small tiles, and every variant of the statistics table") {
    if (!use_cuda()) return;
    Random random(seed());
    for (const Shape& shape : small_shapes())
        for (std::size_t count = 0; count <= 2 * shape.tile_keys() + 9; ++count)
            check_sort(sorter_of(shape), random_keys<std::uint32_t>(count, random), Order::ascending, count % 8);
    for (const Variant& variant : statistics_variants(4)) {
        CAPTURE(variant.name);
        Sorter& sorter = sorter_of(variant.shape);
        for (const std::size_t count : {1000, 70001})
            check_sort(sorter, random_keys<std::uint32_t>(count, random), Order::descending, 3);
        for (const std::size_t count : {1024, 5000, 1 << 20})
            CHECK(sorter.measure(count, KeyType::u32) == exact_counts(sorter.plan(count, KeyType::u32)));
    }
}

TEST_CASE("CUDA: 64-bit indices sort as 32-bit ones do") {
    if (!use_cuda() || !std::getenv("LANESORT_HUGE")) return;
    const auto check_huge = [](auto zero, std::size_t count) {
        using T = decltype(zero);
        Random random(seed());
        std::vector<T> keys(count);
        for (T& key : keys) key = static_cast<T>(random());
        DeviceKeys<T> device(keys);
        const Stream stream;
        cuda::enqueue_sort(sorter_of(), stream, {device.pointer(), 0, count, key_type_v<T>});
        stream.finish();
        // std::sort would take minutes: in order, and the same keys by a fingerprint that does not depend on order.
        const auto fingerprint = [](const std::vector<T>& of) {
            std::uint64_t sum = 0;
            for (const T key : of) sum += (key + std::uint64_t{1}) * 0x9e3779b97f4a7c15u ^ (std::uint64_t{key} << 23);
            return sum;
        };
        const std::vector<T> result = device.read();
        CHECK(std::ranges::is_sorted(result));
        CHECK(fingerprint(result) == fingerprint(keys));
    };
    check_huge(std::uint8_t{}, (std::size_t{1} << 31) + 12345);
    check_huge(std::uint32_t{}, (std::size_t{1} << 31) + 7);
}

TEST_CASE("CUDA: host ranges") {
    if (!use_cuda()) return;
    Random random(seed());
    for (const Device& device : devices()) {
        if (device.info().backend != "CUDA") continue;
        std::size_t called = 0;
        SorterOptions options;
        options.progress = [&](std::size_t done, std::size_t) { CHECK(done == ++called); };
        Sorter sorter(device, options);
        auto keys = random_keys<double>(100003, random);
        const auto expected = sorted(keys, Order::descending);
        const SortReport report = sorter.sort(std::span(keys), Order::descending);
        require_same_bytes(keys, expected);
        CHECK(called == report.launches);
        CHECK(report.device_bytes == keys.size() * sizeof(double));
    }
}

TEST_CASE("CUDA: in stream order, after the events, before the event") {
    if (!use_cuda()) return;
    Random random(seed());
    Sorter& sorter = sorter_of();
    const auto before = random_keys<std::uint32_t>(50000, random), keys = random_keys<std::uint32_t>(50000, random);
    DeviceKeys<std::uint32_t> device(before);
    const Stream writer, other, reader;
    CUevent written = nullptr, ended = nullptr;
    LANESORT_CU(cuEventCreate, &written, CU_EVENT_DISABLE_TIMING);
    LANESORT_CU(cuEventCreate, &ended, CU_EVENT_DISABLE_TIMING);
    const auto memory = reinterpret_cast<CUdeviceptr>(device.pointer());
    LANESORT_CU(cuMemcpyHtoDAsync, memory, keys.data(), keys.size() * 4, writer);
    LANESORT_CU(cuEventRecord, written, writer);
    const cuda::Event waits[] = {written};
    cuda::enqueue_sort(sorter, other, {device.pointer(), 0, keys.size()}, waits, ended);
    LANESORT_CU(cuStreamWaitEvent, reader, ended, 0);
    std::vector<std::uint32_t> result(keys.size());
    LANESORT_CU(cuMemcpyDtoHAsync, result.data(), memory, keys.size() * 4, reader);
    reader.finish();
    require_same_bytes(result, sorted(keys, Order::ascending));
    driver().cuEventDestroy(written);
    driver().cuEventDestroy(ended);
}

TEST_CASE("CUDA: may be called while the caller's stream is captured, and replayed") {
    if (!use_cuda()) return;
    Random random(seed());
    Sorter& sorter = sorter_of();
    const auto keys = random_keys<float>(30001, random);
    DeviceKeys<float> device(keys);
    sorter.prepare(KeyType::f32, keys.size());
    const Stream stream;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    LANESORT_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    cuda::enqueue_sort(sorter, stream, {device.pointer(), 0, keys.size(), KeyType::f32});
    LANESORT_CU(cuStreamEndCapture, stream, &graph);
    LANESORT_CU(cuGraphInstantiateWithFlags, &executable, graph, 0);
    require_same_bytes(device.read(), keys);
    for (int repetition = 0; repetition < 2; ++repetition) {
        const auto fresh = random_keys<float>(keys.size(), random);
        device.write(fresh);
        LANESORT_CU(cuGraphLaunch, executable, stream);
        stream.finish();
        require_same_bytes(device.read(), sorted(fresh, Order::ascending));
    }
    driver().cuGraphExecDestroy(executable);
    driver().cuGraphDestroy(graph);
}

TEST_CASE("CUDA: a recorded sort sorts the present keys each time") {
    if (!use_cuda()) return;
    Random random(seed());
    for (const std::size_t count : {0, 1, 2, 100003}) {
        DeviceKeys<std::uint64_t> device(std::vector<std::uint64_t>(std::max<std::size_t>(count, 1)));
        cuda::RecordedSort recorded(sorter_of(), {device.pointer(), 0, count, KeyType::u64});
        const Stream stream;
        for (int repetition = 0; repetition < 3; ++repetition) {
            const auto keys = random_keys<std::uint64_t>(std::max<std::size_t>(count, 1), random);
            device.write(keys);
            recorded.enqueue(stream);
            stream.finish();
            require_same_bytes(device.read(), count == 0 ? keys : sorted(keys, Order::ascending));
        }
    }
}

TEST_CASE("CUDA: what a caller can get wrong is told before anything runs") {
    if (!use_cuda()) return;
    Sorter& sorter = sorter_of();
    const std::vector<std::uint32_t> keys{4, 3, 2, 1};
    DeviceKeys<std::uint32_t> device(keys);
    std::vector<std::uint32_t> on_host = keys;
    char* const bytes = static_cast<char*>(device.pointer());
    const auto code = [&](const cuda::KeyRange& range) {
        return error_of([&] { cuda::enqueue_sort(sorter, nullptr, range); }).code();
    };
    CHECK(code({nullptr, 0, 2}) == ErrorCode::invalid_argument);
    CHECK(code({on_host.data(), 0, 4}) == ErrorCode::invalid_argument);
    CHECK(code({bytes + 1, 0, 2}) == ErrorCode::invalid_argument);
    CHECK(code({device.pointer(), 0, std::size_t{1} << 40}) == ErrorCode::out_of_range);
    CHECK(code({device.pointer(), std::size_t{1} << 40, 1}) == ErrorCode::out_of_range);
    CHECK(code({device.pointer(), ~std::size_t{0}, 2}) == ErrorCode::out_of_range);
    CHECK(error_of([] { cuda::make_sorter(99); }).code() == ErrorCode::no_device);
    CHECK(error_of([] { cuda::make_sorter(-1); }).code() == ErrorCode::no_device);
    Shape huge{.vectors = 16, .work_items = 1024, .register_vectors = 32};
    CHECK(error_of([&] {
              SorterOptions options;
              options.shape = huge;
              cuda::make_sorter(0, options).prepare(KeyType::u64);
          }).code() == ErrorCode::unsupported);
    require_same_bytes(device.read(), keys);
    check_sort(sorter, keys, Order::ascending, 2);
}

}  // namespace
}  // namespace lanesort::test
