// SPDX-License-Identifier: MIT
// lanesort/lanesort.h: the version, statuses and the last error of each thread.
#include <new>
#include <string>

#include <lanesort/version.h>

#include "call.hpp"

namespace lanesort::inline v0_1::c {
namespace {

struct LastError {
    std::string sentence, call, build_log;
    int status = 0;
};
thread_local LastError last;

lanesort_status status_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::invalid_argument: return LANESORT_INVALID_ARGUMENT;
        case ErrorCode::no_platform: return LANESORT_NO_PLATFORM;
        case ErrorCode::no_device: return LANESORT_NO_DEVICE;
        case ErrorCode::unknown_device: return LANESORT_UNKNOWN_DEVICE;
        case ErrorCode::unsupported: return LANESORT_UNSUPPORTED;
        case ErrorCode::out_of_range: return LANESORT_OUT_OF_RANGE;
        case ErrorCode::not_writable: return LANESORT_NOT_WRITABLE;
        case ErrorCode::wrong_context: return LANESORT_WRONG_CONTEXT;
        case ErrorCode::too_large: return LANESORT_TOO_LARGE;
        case ErrorCode::build_failed: return LANESORT_BUILD_FAILED;
        case ErrorCode::out_of_memory: return LANESORT_OUT_OF_MEMORY;
        case ErrorCode::device_failed: return LANESORT_DEVICE_FAILED;
    }
    return LANESORT_UNEXPECTED;
}

/// Where there is no memory for the texts, a sentence that needs none takes their place.
void keep(const char* sentence, const std::string& call = {}, const std::string& build_log = {},
          int status = 0) noexcept {
    try {
        last = {sentence, call, build_log, status};
    } catch (const std::bad_alloc&) {
        last = {"out of memory", {}, {}, status};
    }
}

}  // namespace

lanesort_status status_of_exception() noexcept {
    try {
        throw;
    } catch (const Error& error) {
        keep(error.what(), error.call(), error.build_log(), error.status());
        return status_of(error.code());
    } catch (const std::bad_alloc&) {
        keep("the host ran out of memory");
        return LANESORT_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        keep(error.what());
    } catch (...) {
        keep("something was thrown that is no std::exception");
    }
    return LANESORT_UNEXPECTED;
}

}  // namespace lanesort::inline v0_1::c

using lanesort::c::last;

const char* lanesort_version() { return LANESORT_VERSION; }

const char* lanesort_status_name(lanesort_status status) {
    switch (status) {
        case LANESORT_SUCCESS: return "success";
        case LANESORT_INVALID_ARGUMENT: return "invalid argument";
        case LANESORT_NO_PLATFORM: return "no platform";
        case LANESORT_NO_DEVICE: return "no device";
        case LANESORT_UNKNOWN_DEVICE: return "unknown device";
        case LANESORT_UNSUPPORTED: return "unsupported";
        case LANESORT_OUT_OF_RANGE: return "out of range";
        case LANESORT_NOT_WRITABLE: return "not writable";
        case LANESORT_WRONG_CONTEXT: return "wrong context";
        case LANESORT_TOO_LARGE: return "too large";
        case LANESORT_BUILD_FAILED: return "build failed";
        case LANESORT_OUT_OF_MEMORY: return "out of memory";
        case LANESORT_DEVICE_FAILED: return "device failed";
        case LANESORT_UNEXPECTED: return "unexpected";
        default: return "unknown status";
    }
}

const char* lanesort_last_error() { return last.sentence.c_str(); }
const char* lanesort_last_device_call() { return last.call.c_str(); }
int lanesort_last_device_status() { return last.status; }
const char* lanesort_last_build_log() { return last.build_log.c_str(); }
