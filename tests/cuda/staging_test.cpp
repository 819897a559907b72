// Arrays that go through pinned pieces, on a driver that is made up: its device memory is host memory, and a copy is
// made as late as it may be, when somebody waits for it.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "error_support.hpp"
#include "host/cuda/checked.hpp"
#include "host/cuda/host.hpp"
#include "host/cuda/memory.hpp"
#include "host/cuda/staging.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

/// What was enqueued, and has not been done yet; and what fails.
struct MadeUp {
    std::deque<std::function<void()>> enqueued;
    std::vector<int> recorded;  ///< by event: how often, in what was enqueued
    std::string failing;
    std::size_t number = 0, calls = 0;
    CUresult status = CUDA_SUCCESS;
    int held = 0;
    bool is_known = false;  ///< the array is pinned

    bool fails(const std::string& name) { return ++calls, name == failing && --number == 0; }
    void run_until(const std::function<bool()>& done) {
        while (!done() && !enqueued.empty()) {
            enqueued.front()();
            enqueued.pop_front();
        }
    }
} made_up;

std::size_t index_of(CUevent event) { return reinterpret_cast<std::uintptr_t>(event) - 1; }

/// Stands in the driver's table as long as it lives.
class MadeUpDriver {
public:
    MadeUpDriver() : driver_(cu::driver()) {
        made_up = {};
        cu::Driver& driver = cu::changeable_driver();
        driver.cuGetErrorName = [](CUresult, const char** name) { return *name = "made up", CUDA_SUCCESS; };
        driver.cuGetErrorString = [](CUresult, const char** text) { return *text = "made up", CUDA_SUCCESS; };
        driver.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
            if (made_up.fails("cuMemHostAlloc")) return made_up.status;
            ++made_up.held;
            *memory = std::malloc(bytes);
            return CUDA_SUCCESS;
        };
        driver.cuMemFreeHost = [](void* memory) { return std::free(memory), --made_up.held, CUDA_SUCCESS; };
        driver.cuEventCreate = [](CUevent* event, unsigned) {
            if (made_up.fails("cuEventCreate")) return made_up.status;
            ++made_up.held;
            made_up.recorded.push_back(0);
            *event = reinterpret_cast<CUevent>(made_up.recorded.size());
            return CUDA_SUCCESS;
        };
        driver.cuEventDestroy = [](CUevent) { return --made_up.held, CUDA_SUCCESS; };
        driver.cuEventRecord = [](CUevent event, CUstream) {
            if (made_up.fails("cuEventRecord")) return made_up.status;
            ++made_up.recorded[index_of(event)];
            made_up.enqueued.push_back([event] { --made_up.recorded[index_of(event)]; });
            return CUDA_SUCCESS;
        };
        driver.cuEventSynchronize = [](CUevent event) {
            if (made_up.fails("cuEventSynchronize")) return made_up.status;
            made_up.run_until([&] { return made_up.recorded[index_of(event)] == 0; });
            return CUDA_SUCCESS;
        };
        driver.cuStreamSynchronize = [](CUstream) {
            made_up.run_until([] { return false; });
            return CUDA_SUCCESS;
        };
        driver.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
            if (made_up.fails("cuMemcpyHtoDAsync")) return made_up.status;
            made_up.enqueued.push_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
            return CUDA_SUCCESS;
        };
        driver.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
            if (made_up.fails("cuMemcpyDtoHAsync")) return made_up.status;
            made_up.enqueued.push_back([=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
            return CUDA_SUCCESS;
        };
        driver.cuDriverGetVersion = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
        driver.cuDeviceGetName = [](char* name, int, CUdevice) { return *name = 0, CUDA_SUCCESS; };
        driver.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) { return *bytes = 1 << 30, CUDA_SUCCESS; };
        driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) { return *value = 1, CUDA_SUCCESS; };
        driver.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice) { return *context = nullptr, CUDA_SUCCESS; };
        driver.cuDevicePrimaryCtxRelease = [](CUdevice) { return CUDA_SUCCESS; };
        driver.cuCtxPushCurrent = [](CUcontext) { return CUDA_SUCCESS; };
        driver.cuCtxPopCurrent = [](CUcontext*) { return CUDA_SUCCESS; };
        driver.cuMemHostRegister = [](void*, std::size_t, unsigned) {
            if (made_up.fails("cuMemHostRegister")) return made_up.status;
            return ++made_up.held, CUDA_SUCCESS;
        };
        driver.cuMemHostUnregister = [](void*) { return --made_up.held, CUDA_SUCCESS; };
        driver.cuPointerGetAttribute = [](void*, CUpointer_attribute, CUdeviceptr) {
            if (made_up.fails("cuPointerGetAttribute")) return made_up.status;
            return made_up.is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        };
    }
    ~MadeUpDriver() { cu::changeable_driver() = driver_; }
    MadeUpDriver(const MadeUpDriver&) = delete;
    MadeUpDriver& operator=(const MadeUpDriver&) = delete;

private:
    cu::Driver driver_;
};

constexpr std::size_t piece = 300001;  // of no whole number of shares

/// An array that is large enough, of which a part is staged.
const std::vector<std::byte>& large() {
    static const std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(cu::Staging::least_bytes + 1);
        Random random(seed());
        for (std::byte& byte : made) byte = static_cast<std::byte>(random());
        return made;
    }();
    return bytes;
}

CUdeviceptr address(void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

TEST_CASE("staging: every byte goes up and comes back, whatever the number of pieces") {
    const MadeUpDriver driver;
    {
        cu::Staging staging(piece);
        REQUIRE(staging.is_for(large().data(), large().size()));
        for (const std::size_t bytes :
             {std::size_t{1}, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 1, 7 * piece + 99}) {
            CAPTURE(bytes);
            std::vector<std::byte> first(bytes), second(bytes), back(bytes + 1, std::byte{7});
            // Two arrays, one behind the other, as keys and values go.
            staging.upload(address(first.data()), large().data(), bytes, nullptr);
            staging.upload(address(second.data()), large().data() + 5, bytes, nullptr);
            staging.download(back.data(), address(first.data()), bytes, nullptr);
            CHECK(std::equal(first.begin(), first.end(), large().begin()));
            CHECK(std::equal(first.begin(), first.end(), back.begin()));
            CHECK(back.back() == std::byte{7});
            staging.download(back.data(), address(second.data()), bytes, nullptr);
            CHECK(std::equal(second.begin(), second.end(), large().begin() + 5));
            CHECK(std::equal(second.begin(), second.end(), back.begin()));
        }
        CHECK(made_up.held == 2 * cu::Staging::pieces);
        staging.release();
        CHECK(made_up.held == 0);
        CHECK(staging.is_for(large().data(), large().size()));
    }
    CHECK(made_up.held == 0);
}

TEST_CASE("staging: not for small arrays, nor for pinned ones, nor without pinned memory") {
    const MadeUpDriver driver;
    cu::Staging staging(piece);
    CHECK(!staging.is_for(large().data(), cu::Staging::least_bytes - 1));
    made_up.is_known = true;
    CHECK(!staging.is_for(large().data(), large().size()));
    made_up.is_known = false;
    CHECK(made_up.held == 0);
    for (const char* const call : {"cuMemHostAlloc", "cuEventCreate"})
        for (std::size_t number = 1; number <= cu::Staging::pieces; ++number) {
            made_up.failing = call;
            made_up.number = number;
            made_up.status = CUDA_ERROR_OUT_OF_MEMORY;
            CHECK(!staging.is_for(large().data(), large().size()));
            CHECK(made_up.held == 0);
        }
    CHECK(staging.is_for(large().data(), large().size()));
}

TEST_CASE("staging: memory for messages is pinned where there is such memory, and kept") {
    const MadeUpDriver driver;
    {
        cu::Host host(0);
        std::size_t bytes = 0;
        for (const bool has_pinned : {false, true, false}) {
            bytes += 1000;  // more than what is kept
            CAPTURE(has_pinned);
            made_up.failing = has_pinned ? "" : "cuMemHostAlloc";
            made_up.number = 1;
            made_up.status = CUDA_ERROR_OUT_OF_MEMORY;
            {
                const auto memory = host.allocate_plain(bytes, true);
                std::memset(memory->handle, 1, bytes);
                CHECK(made_up.held == (has_pinned ? 1 : 0));
            }
            CHECK(made_up.held == (has_pinned ? 1 : 0));
        }
        made_up.number = 1;
        made_up.status = CUDA_ERROR_UNKNOWN;
        const auto error = error_in([&] { host.allocate_plain(bytes, true); });
        REQUIRE(error);
        CHECK(error->call() == "cuMemHostAlloc");
        host.allocate_plain(bytes, true);
        CHECK(made_up.held == 1);
    }
    CHECK(made_up.held == 0);
}

TEST_CASE("staging: memory that is pinned for now is so no longer, and need not be") {
    const MadeUpDriver driver;
    std::byte memory[1];
    {
        const cu::PinnedForNow pinned(nullptr, memory, 1);
        CHECK(made_up.held == 1);
        made_up.failing = "cuMemHostRegister";
        made_up.number = 1;
        made_up.status = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
        const cu::PinnedForNow again(nullptr, memory, 1);
        CHECK(made_up.held == 1);
    }
    CHECK(made_up.held == 0);
}

TEST_CASE("staging: each call fails once, and then all goes well") {
    const MadeUpDriver driver;
    std::size_t faults = 0;
    constexpr std::size_t bytes = 8 * piece;
    for (const char* const call : {"cuPointerGetAttribute", "cuMemHostAlloc", "cuEventCreate", "cuEventSynchronize",
                                   "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuEventRecord"})
        for (std::size_t number = 1;; ++number) {
            CAPTURE(call);
            CAPTURE(number);
            std::vector<std::byte> there(bytes), back(bytes);
            cu::Staging staging(piece);
            const auto go = [&] {
                if (!staging.is_for(large().data(), large().size())) FAIL("there is memory");
                staging.upload(address(there.data()), large().data(), bytes, nullptr);
                staging.download(back.data(), address(there.data()), bytes, nullptr);
            };
            made_up.failing = call;
            made_up.number = number;
            made_up.status = CUDA_ERROR_UNKNOWN;
            const auto error = error_in(go);
            made_up.failing.clear();
            // As the stream's owner does where an error passes through.
            cu::driver().cuStreamSynchronize(nullptr);
            if (!error) break;
            CHECK(error->call() == call);
            ++faults;
            go();
            CHECK(std::equal(back.begin(), back.end(), large().begin()));
        }
    CHECK(faults > 30);
    CHECK(made_up.held == 0);
}

}  // namespace
}  // namespace lanesort::test
