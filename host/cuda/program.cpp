// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "checked.hpp"
#include "platform.hpp"

namespace lanesort::inline v0_1::cu {
namespace {

void check(nvrtcResult result, const char* call) {
    if (result != NVRTC_SUCCESS)
        throw Error(ErrorCode::build_failed, fmt::format("{} failed: {}", call, compiler().nvrtcGetErrorString(result)),
                    call, result);
}

/// NVRTC's program, freed in any case.
struct Source {
    nvrtcProgram program = nullptr;
    explicit Source(const std::string& text, const std::string& name) {
        check(compiler().nvrtcCreateProgram(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr),
              "nvrtcCreateProgram");
    }
    ~Source() { compiler().nvrtcDestroyProgram(&program); }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
};

}  // namespace

std::vector<std::string> compiler_options(const detail::KernelParameters& parameters, const std::string& architecture) {
    std::vector<std::string> options{"--std=c++17", "-arch=" + architecture};
    // The functions of a caller's text do not say where they run.
    if (parameters.comparator || parameters.predicate || parameters.binary_operator)
        options.push_back("--device-as-default-execution-space");
    return options;
}

MachineCode compile(const detail::KernelParameters& parameters, const std::string& architecture,
                    const std::vector<std::string>& more) {
    const Source source(detail::source(parameters), detail::kernel_file(parameters));
    std::vector<std::string> options = compiler_options(parameters, architecture);
    options.insert(options.end(), more.begin(), more.end());
    std::vector<const char*> option_texts;
    option_texts.reserve(options.size());
    for (const std::string& option : options) option_texts.push_back(option.c_str());

    const nvrtcResult result =
        compiler().nvrtcCompileProgram(source.program, static_cast<int>(option_texts.size()), option_texts.data());
    MachineCode made;
    std::size_t size = 0;
    check(compiler().nvrtcGetProgramLogSize(source.program, &size), "nvrtcGetProgramLogSize");
    made.log.resize(size);
    check(compiler().nvrtcGetProgramLog(source.program, made.log.data()), "nvrtcGetProgramLog");
    if (result != NVRTC_SUCCESS)
        throw detail::build_error(parameters, compiler().nvrtcGetErrorString(result), "nvrtcCompileProgram", result,
                                  made.log);
    check(compiler().nvrtcGetCUBINSize(source.program, &size), "nvrtcGetCUBINSize");
    made.code.resize(size);
    check(compiler().nvrtcGetCUBIN(source.program, made.code.data()), "nvrtcGetCUBIN");
    return made;
}

Program::Program(CUdevice device, const detail::KernelParameters& wanted)
    : detail::Program(wanted), local_bytes_(static_cast<unsigned>(wanted.local_bytes())) {
    max_work_items = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    const int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    // Graphs keep such launches from CUDA 12.3 on.
    int driver_version = 0;
    LANESORT_CU(cuDriverGetVersion, &driver_version);
    launches_ahead_ = major >= 9 && driver_version >= 12030;
    const std::string architecture =
        fmt::format("sm_{}{}", major, attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    LANESORT_CU(cuModuleLoadData, &module_.handle, compile(parameters, architecture).code.data());
    for (const char* name : detail::kernel_names(parameters)) {
        CUfunction& kernel = kernels_.emplace_back();
        LANESORT_CU(cuModuleGetFunction, &kernel, module_.handle, name);
        LANESORT_CU(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    static_cast<int>(local_bytes_));
        int limit = 0;
        LANESORT_CU(cuFuncGetAttribute, &limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel);
        max_work_items = std::min(max_work_items, static_cast<unsigned>(limit));
    }
}

void Program::launch(std::size_t kernel, std::uint64_t groups, CUstream stream, void** arguments, bool follows) const {
    CUlaunchAttribute ahead{};
    ahead.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    ahead.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(groups);
    config.blockDimX = parameters.work_items();
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = local_bytes_;
    config.hStream = stream;
    config.attrs = &ahead;
    config.numAttrs = follows && launches_ahead_;
    LANESORT_CU(cuLaunchKernelEx, &config, kernels_[kernel], arguments, nullptr);
}

}  // namespace lanesort::inline v0_1::cu
