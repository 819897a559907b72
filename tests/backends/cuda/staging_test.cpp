// SPDX-License-Identifier: MIT
// Large arrays in pageable memory, on a driver that is made up: its device memory is host memory, and copies are made
// when somebody asks for them.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "error_support.hpp"
#include "host/cuda/checked.hpp"
#include "host/cuda/host.hpp"
#include "host/cuda/memory.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

namespace inside = lanesort::detail;

/// What was enqueued, and has not been done yet; and what fails.
struct MadeUp {
    std::mutex mutex;  ///< threads that copy call the driver, too
    std::deque<std::function<void()>> enqueued;
    std::vector<int> recorded;  ///< by event: how often, in what was enqueued
    std::string failing;
    int number = 0, copies = 0, held = 0;
    CUresult status = CUDA_SUCCESS;
    bool is_known = false;  ///< the array is pinned

    void reset() {
        enqueued.clear();
        recorded.clear();
        failing.clear();
        number = copies = held = 0;
        is_known = false;
    }
    bool fails(const std::string& name) { return name == failing && --number == 0; }
    void run_until(const std::function<bool()>& done) {
        while (!done() && !enqueued.empty()) {
            enqueued.front()();
            enqueued.pop_front();
        }
    }
} made_up;

using Lock = std::lock_guard<std::mutex>;

std::size_t index_of(CUevent event) { return reinterpret_cast<std::uintptr_t>(event) - 1; }

/// Stands in the driver's table as long as it lives.
class MadeUpDriver {
public:
    MadeUpDriver() : driver_(cu::driver()) {
        made_up.reset();
        cu::Driver& driver = cu::changeable_driver();
        driver.cuGetErrorName = [](CUresult, const char** name) { return *name = "made up", CUDA_SUCCESS; };
        driver.cuGetErrorString = [](CUresult, const char** text) { return *text = "made up", CUDA_SUCCESS; };
        driver.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuMemHostAlloc")) return made_up.status;
            ++made_up.held;
            *memory = std::malloc(bytes);
            return CUDA_SUCCESS;
        };
        driver.cuMemFreeHost = [](void* memory) {
            const Lock lock(made_up.mutex);
            return std::free(memory), --made_up.held, CUDA_SUCCESS;
        };
        driver.cuEventCreate = [](CUevent* event, unsigned) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuEventCreate")) return made_up.status;
            ++made_up.held;
            made_up.recorded.push_back(0);
            *event = reinterpret_cast<CUevent>(made_up.recorded.size());
            return CUDA_SUCCESS;
        };
        driver.cuEventDestroy = [](CUevent) {
            const Lock lock(made_up.mutex);
            return --made_up.held, CUDA_SUCCESS;
        };
        driver.cuEventRecord = [](CUevent event, CUstream) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuEventRecord")) {
                made_up.run_until([] { return false; });  // a copy without an end may be anywhere
                return made_up.status;
            }
            ++made_up.recorded[index_of(event)];
            made_up.enqueued.push_back([event] { --made_up.recorded[index_of(event)]; });
            return CUDA_SUCCESS;
        };
        driver.cuEventSynchronize = [](CUevent event) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuEventSynchronize")) return made_up.status;
            made_up.run_until([&] { return made_up.recorded[index_of(event)] == 0; });
            return CUDA_SUCCESS;
        };
        driver.cuEventQuery = [](CUevent event) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuEventQuery")) {
                made_up.run_until([] { return false; });
                return made_up.status;
            }
            const bool has_come = made_up.recorded[index_of(event)] == 0;
            made_up.run_until([turns = 0]() mutable { return ++turns > 2; });  // the device goes on a little
            return has_come ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
        };
        driver.cuStreamCreate = [](CUstream* stream, unsigned) { return *stream = nullptr, CUDA_SUCCESS; };
        driver.cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
        driver.cuCtxSynchronize = [] { return CUDA_SUCCESS; };
        driver.cuStreamSynchronize = [](CUstream) {
            const Lock lock(made_up.mutex);
            made_up.run_until([] { return false; });
            return CUDA_SUCCESS;
        };
        driver.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuMemcpyHtoDAsync")) return made_up.status;
            ++made_up.copies;
            made_up.enqueued.push_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
            return CUDA_SUCCESS;
        };
        driver.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuMemcpyDtoHAsync")) return made_up.status;
            ++made_up.copies;
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
            const Lock lock(made_up.mutex);
            if (made_up.fails("cuMemHostRegister")) return made_up.status;
            return ++made_up.held, CUDA_SUCCESS;
        };
        driver.cuMemHostUnregister = [](void*) {
            const Lock lock(made_up.mutex);
            return --made_up.held, CUDA_SUCCESS;
        };
        driver.cuPointerGetAttribute = [](void*, CUpointer_attribute, CUdeviceptr) {
            const Lock lock(made_up.mutex);
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

/// An array that is large enough, of one row.
const std::vector<std::byte>& large() {
    static const std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(inside::Staging::least_bytes + 1);
        Random random(seed());
        for (std::byte& byte : made) byte = static_cast<std::byte>(random());
        return made;
    }();
    return bytes;
}

std::vector<std::byte> there_and_back(cu::Host& host) {
    std::vector<std::byte> there(large().size() + 3), back(large().size());
    const std::unique_ptr<inside::DeviceQueue> queue = host.use_queue(nullptr);
    queue->upload(inside::one_row(const_cast<std::byte*>(large().data()), large().size()), {there.data(), 3});
    queue->download({there.data(), 3}, inside::one_row(back.data(), back.size()));
    queue->end()->wait();
    return back;
}

TEST_CASE("staging: every byte of a large array goes up and comes back, pageable or not") {
    const MadeUpDriver driver;
    {
        cu::Host host(0);
        for (const bool is_known : {false, true, false}) {
            made_up.is_known = is_known;
            const int before = made_up.copies;
            CHECK(there_and_back(host) == large());
            CHECK((made_up.copies - before > 2) == !is_known);  // piece by piece
        }
        CHECK(made_up.held > 0);
        host.release();
        CHECK(made_up.held == 0);
        made_up.failing = "cuMemHostAlloc";
        made_up.number = 1;
        made_up.status = CUDA_ERROR_OUT_OF_MEMORY;
        CHECK(there_and_back(host) == large());
    }
    CHECK(made_up.held == 0);
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
                const auto memory = host.allocate(bytes, true);
                std::memset(memory->handle, 1, bytes);
                CHECK(made_up.held == (has_pinned ? 1 : 0));
            }
            CHECK(made_up.held == (has_pinned ? 1 : 0));
        }
        made_up.number = 1;
        made_up.status = CUDA_ERROR_UNKNOWN;
        const auto error = error_in([&] { host.allocate(bytes, true); });
        REQUIRE(error);
        CHECK(error->call() == "cuMemHostAlloc");
        host.allocate(bytes, true);
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
    for (const char* const call : {"cuPointerGetAttribute", "cuMemHostAlloc", "cuEventCreate", "cuEventQuery",
                                   "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuEventRecord"})
        for (int number = 1; number < 100; number += 1 + number / 4) {
            CAPTURE(call);
            CAPTURE(number);
            cu::Host host(0);
            made_up.failing = call;
            made_up.number = number;
            made_up.status = CUDA_ERROR_UNKNOWN;
            const auto error = error_in([&] { there_and_back(host); });
            made_up.failing.clear();
            if (!error) break;
            CHECK(error->call() == call);
            ++faults;
            CHECK(there_and_back(host) == large());
        }
    CHECK(faults > 20);
    CHECK(made_up.held == 0);
}

}  // namespace
}  // namespace lanesort::test
