// SPDX-License-Identifier: MIT
/// @file
/// What goes wrong, and how it is told.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace lanesort::inline v0_1 {

/// What kind of thing went wrong. All but the last three are the caller's to mend and are found before anything is
/// given to the device.
enum class ErrorCode : std::uint8_t {
    invalid_argument,  ///< a shape or an option that cannot be
    no_platform,       ///< no OpenCL platform is installed
    no_device,         ///< platforms, but no device
    unknown_device,    ///< no device of the name that was asked for
    unsupported,       ///< the device lacks what the call needs
    out_of_range,      ///< offset and count reach past the end of the buffer
    not_writable,      ///< the buffer is read-only
    wrong_context,     ///< queue, buffer or event of another context or device
    too_large,         ///< more keys than the device can hold in one allocation
    build_failed,      ///< the device's compiler refused a kernel; build_log() says why
    out_of_memory,     ///< the host or the device ran out of memory
    device_failed,     ///< a call to the device failed; call() and status() say which and how
};

/// The one exception of the library. what() is a sentence for a person.
class Error : public std::runtime_error {
public:
    /// The sentence is what(); the others are what the functions of their names return.
    Error(ErrorCode code, const std::string& sentence, std::string call = {}, int status = 0,
          std::string build_log = {})
        : std::runtime_error(sentence),
          code_(code),
          status_(status),
          call_(std::move(call)),
          build_log_(std::move(build_log)) {}

    /// What kind of thing went wrong.
    ErrorCode code() const noexcept { return code_; }
    /// The device call that failed, by name; empty where none was made.
    const std::string& call() const noexcept { return call_; }
    /// The numeric status of that call; 0 where none was made.
    int status() const noexcept { return status_; }
    /// The log of the device's compiler; empty unless code() is build_failed.
    const std::string& build_log() const noexcept { return build_log_; }

private:
    ErrorCode code_;
    int status_;
    std::string call_;
    std::string build_log_;
};

}  // namespace lanesort::inline v0_1
