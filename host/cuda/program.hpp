// SPDX-License-Identifier: MIT
// The kernels of one set of parameters, compiled for one device.
#pragma once

#include <string>
#include <vector>

#include "../../lib/src/core/program.hpp"
#include "driver.hpp"

namespace lanesort::inline v0_1::cu {

/// What NVRTC makes of the kernels.
struct MachineCode {
    std::string code;
    std::string log;
};

/// NVRTC's options for the kernels and an architecture such as "sm_90".
std::vector<std::string> compiler_options(const detail::KernelParameters& parameters, const std::string& architecture);

/// Machine code for an architecture; needs no device.
/// Throws Error(build_failed) with the compiler's log.
/// `more` are further options of NVRTC.
MachineCode compile(const detail::KernelParameters& parameters, const std::string& architecture,
                    const std::vector<std::string>& more = {});

/// Belongs to the context that is current when it is made.
class Program final : public detail::Program {
public:
    Program(CUdevice device, const detail::KernelParameters& parameters);

    /// Enqueues a kernel, of those of detail::kernel_names(). One that `follows` comes right after another launch of
    /// a program, and is launched before that has ended where device and driver can: it waits for it by itself. Only
    /// for kernels that begin with AWAIT_LAST_LAUNCH.
    void launch(std::size_t kernel, std::uint64_t groups, CUstream stream, void** arguments,
                bool follows = false) const;

private:
    struct Module {
        CUmodule handle = nullptr;
        Module() = default;
        Module(const Module&) = delete;
        Module& operator=(const Module&) = delete;
        ~Module() {
            if (handle) driver().cuModuleUnload(handle);
        }
    } module_;
    std::vector<CUfunction> kernels_;  // in the order of detail::kernel_names()
    unsigned local_bytes_;
    bool launches_ahead_;
};

}  // namespace lanesort::inline v0_1::cu
