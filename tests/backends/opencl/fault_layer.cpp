// SPDX-License-Identifier: MIT
#include "fault_layer.hpp"

#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_ext.h>
#include <CL/cl_layer.h>

namespace lanesort::test {
namespace {

// clang-format off
#define LANESORT_ENTRY_POINTS(use)                                                                                    \
    use(clGetPlatformIDs) use(clGetPlatformInfo) use(clGetDeviceIDs) use(clGetDeviceInfo) use(clRetainDevice)         \
    use(clReleaseDevice) use(clCreateContext) use(clRetainContext) use(clReleaseContext) use(clGetContextInfo)        \
    use(clCreateCommandQueue) use(clCreateCommandQueueWithProperties) use(clRetainCommandQueue)                       \
    use(clReleaseCommandQueue) use(clGetCommandQueueInfo) use(clCreateBuffer) use(clCreateSubBuffer)                  \
    use(clRetainMemObject) use(clReleaseMemObject) use(clGetMemObjectInfo) use(clCreateProgramWithSource)             \
    use(clCreateProgramWithBinary) use(clRetainProgram) use(clReleaseProgram) use(clBuildProgram)                     \
    use(clGetProgramInfo) use(clGetProgramBuildInfo) use(clCreateKernel)                \
    use(clRetainKernel) use(clReleaseKernel) use(clSetKernelArg) use(clGetKernelInfo) use(clGetKernelWorkGroupInfo)   \
    use(clCreateUserEvent) use(clRetainEvent) use(clReleaseEvent) use(clGetEventInfo) use(clWaitForEvents)            \
    use(clFlush) use(clFinish) use(clEnqueueReadBuffer) use(clEnqueueWriteBuffer) use(clEnqueueCopyBuffer)            \
    use(clEnqueueCopyBufferRect) use(clEnqueueReadBufferRect) use(clEnqueueWriteBufferRect) use(clEnqueueFillBuffer) use(clEnqueueMapBuffer) use(clEnqueueUnmapMemObject)        \
    use(clEnqueueNDRangeKernel) use(clEnqueueMarkerWithWaitList) use(clEnqueueBarrierWithWaitList)                    \
    use(clGetExtensionFunctionAddressForPlatform)

#define LANESORT_EXTENSION_FUNCTIONS(use)                                                                             \
    use(clCreateCommandBufferKHR) use(clReleaseCommandBufferKHR) use(clFinalizeCommandBufferKHR)                      \
    use(clCommandNDRangeKernelKHR) use(clEnqueueCommandBufferKHR)
// clang-format on

struct State {
    std::mutex mutex;
    std::map<std::string, long> references;
    std::map<std::string, std::size_t> calls;
    std::size_t calls_in_all = 0;  // but releases
    std::string entry_point;       // of the fault; none: every one
    std::size_t number = 0;        // none: no fault
    cl_int status = CL_SUCCESS;
};

/// Never destroyed: objects may be released after the end of main.
State& state() {
    static State& made = *new State;
    return made;
}

/// Counts the call; gives the status with which it is to fail, or success.
cl_int status_of_call(const std::string& name) {
    State& now = state();
    const std::lock_guard lock(now.mutex);
    const std::size_t number = ++now.calls[name];
    const bool releases = name.starts_with("clRelease");
    if (!releases) ++now.calls_in_all;
    if (now.number == 0) return CL_SUCCESS;
    const bool meets = now.entry_point.empty() ? !releases && now.calls_in_all >= now.number
                                               : name == now.entry_point && number == now.number;
    return meets ? now.status : CL_SUCCESS;
}

template <class Handle>
constexpr const char* kind = nullptr;
#define LANESORT_KIND(handle) \
    template <>               \
    constexpr const char* kind<handle> = #handle;
LANESORT_KIND(cl_device_id)
LANESORT_KIND(cl_context)
LANESORT_KIND(cl_command_queue)
LANESORT_KIND(cl_mem)
LANESORT_KIND(cl_program)
LANESORT_KIND(cl_kernel)
LANESORT_KIND(cl_event)
LANESORT_KIND(cl_command_buffer_khr)

template <class Handle>
void count_references(long more) {
    if constexpr (kind<Handle> != nullptr) {
        const std::lock_guard lock(state().mutex);
        state().references[kind<Handle>] += more;
    }
}

template <class Argument>
void count_given_event(Argument argument) {
    if constexpr (std::is_same_v<Argument, cl_event*>)
        if (argument) count_references<cl_event>(1);
}

template <class Argument>
void give_status(Argument argument, cl_int status) {
    if constexpr (std::is_same_v<Argument, cl_int*>)
        if (argument) *argument = status;
}

template <class First, class... Others>
void count_first_reference(First, Others...) {
    count_references<First>(1);
}

/// What the loader calls in place of a driver's function.
template <class Tag, class Function>
struct EntryPoint;

template <class Tag, class Result, class First, class... Others>
struct EntryPoint<Tag, Result(CL_API_CALL*)(First, Others...)> {
    static inline Result(CL_API_CALL* next)(First, Others...) = nullptr;
    static inline std::string name;

    static Result CL_API_CALL call(First first, Others... others) {
        constexpr bool returns_status = std::is_same_v<Result, cl_int>;
        if (const cl_int status = status_of_call(name); status != CL_SUCCESS) {
            (give_status(others, status), ...);
            if constexpr (returns_status) return status;
            else return nullptr;
        }
        const Result result = next(first, others...);
        if constexpr (returns_status) {
            if (result != CL_SUCCESS) return result;
            if (name.starts_with("clRetain")) count_references<First>(1);
            if (name.starts_with("clRelease")) count_references<First>(-1);
        } else {
            if (!result) return result;
            count_references<Result>(1);
        }
        (count_given_event(others), ...);
        return result;
    }
};

template <class Tag, class Function>
Function put_before(Function next, const char* name) {
    using Before = EntryPoint<Tag, Function>;
    Before::next = next;
    Before::name = name;
    return &Before::call;
}

decltype(cl_icd_dispatch::clGetExtensionFunctionAddressForPlatform) drivers_extension_function = nullptr;

/// The loader has no table of extensions: the layer stands before their functions where it is asked for them.
void* CL_API_CALL extension_function(cl_platform_id platform, const char* name) {
    void* const found = drivers_extension_function(platform, name);
#define LANESORT_PUT_BEFORE_EXTENSION(function)     \
    if (found && std::strcmp(name, #function) == 0) \
        return reinterpret_cast<void*>(put_before<struct function##Tag>(reinterpret_cast<function##_fn>(found), name));
    LANESORT_EXTENSION_FUNCTIONS(LANESORT_PUT_BEFORE_EXTENSION)
    return found;
}

}  // namespace

std::map<std::string, long> references() {
    const std::lock_guard lock(state().mutex);
    return state().references;
}

std::map<std::string, std::size_t> calls() {
    const std::lock_guard lock(state().mutex);
    return state().calls;
}

Fault::Fault(const std::string& entry_point, std::size_t number, int status) {
    State& now = state();
    const std::lock_guard lock(now.mutex);
    now.calls.clear();
    now.calls_in_all = 0;
    now.entry_point = entry_point;
    now.number = number;
    now.status = status;
}

Fault::~Fault() {
    const std::lock_guard lock(state().mutex);
    state().number = 0;
}

}  // namespace lanesort::test

extern "C" cl_int clGetLayerInfo(cl_layer_info question, size_t size, void* answer, size_t* size_of_answer) {
    const auto give = [&](const void* value, std::size_t bytes) {
        if (size_of_answer) *size_of_answer = bytes;
        if (answer && size < bytes) return CL_INVALID_VALUE;
        if (answer) std::memcpy(answer, value, bytes);
        return CL_SUCCESS;
    };
    constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    constexpr char name[] = "lanesort's faults";
    if (question == CL_LAYER_API_VERSION) return give(&version, sizeof version);
    if (question == CL_LAYER_NAME) return give(name, sizeof name);
    return CL_INVALID_VALUE;
}

extern "C" cl_int clInitLayer(cl_uint, const cl_icd_dispatch* loaders, cl_uint* entries,
                              const cl_icd_dispatch** layers) {
    using namespace lanesort::test;
    static cl_icd_dispatch table = *loaders;
    drivers_extension_function = loaders->clGetExtensionFunctionAddressForPlatform;
    table.clGetExtensionFunctionAddressForPlatform = extension_function;
#define LANESORT_PUT_BEFORE(function) table.function = put_before<struct function##Tag>(table.function, #function);
    LANESORT_ENTRY_POINTS(LANESORT_PUT_BEFORE)
    *entries = sizeof table / sizeof(void*);
    *layers = &table;
    return CL_SUCCESS;
}
