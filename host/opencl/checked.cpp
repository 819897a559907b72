#include "checked.hpp"

#include <fmt/format.h>

namespace lanesort::opencl {
namespace {

ErrorCode code_of(cl_int status) {
    switch (status) {
        case CL_OUT_OF_HOST_MEMORY:
        case CL_OUT_OF_RESOURCES:
        case CL_MEM_OBJECT_ALLOCATION_FAILURE: return ErrorCode::out_of_memory;
        case CL_INVALID_CONTEXT: return ErrorCode::wrong_context;
        default: return ErrorCode::device_failed;
    }
}

}  // namespace

Error to_error(const cl::Error& failure) {
    return Error(code_of(failure.err()), fmt::format("{} failed with OpenCL status {}", failure.what(), failure.err()),
                 failure.what(), failure.err());
}

Error to_error(const cl::BuildError& failure, const std::string& file) {
    std::string log;
    for (const auto& [device, text] : failure.getBuildLog()) log += text;
    return Error(ErrorCode::build_failed,
                 fmt::format("the device's compiler refused {} (OpenCL status {})", file, failure.err()),
                 failure.what(), failure.err(), log);
}

}  // namespace lanesort::opencl
