// SPDX-License-Identifier: MIT
// lanesort/opencl.hpp.
#include <lanesort/opencl.hpp>

#include <algorithm>

#include "../../lib/src/core/require.hpp"
#include "../../lib/src/core/sorter_core.hpp"
#include "checked.hpp"
#include "host.hpp"

namespace lanesort::inline v0_1::opencl {

Sorter make_sorter(Handle<cl_context> context, Handle<cl_device_id> device, SorterOptions options) {
    return checked([&] {
        detail::require(context != nullptr && device != nullptr, ErrorCode::invalid_argument,
                        "the context or the device is null");
        const std::string& absence = loader().absence;
        detail::require(absence.empty(), ErrorCode::no_platform, "OpenCL cannot be used: {}", absence);
        const cl::Context retained(context, true);
        const auto devices = retained.getInfo<CL_CONTEXT_DEVICES>();
        // PoCL names the devices that those of a context are parts of.
        const auto whole = handle_of<cl_device_id>(cl::Device(device, true), CL_DEVICE_PARENT_DEVICE);
        detail::require(
            std::ranges::any_of(devices, [&](const cl::Device& d) { return d() == device || (whole && d() == whole); }),
            ErrorCode::wrong_context, "the device is not one of the context's");
        auto host = std::make_unique<Host>(retained, cl::Device(device, true));
        return Sorter(std::make_unique<detail::SorterCore>(std::move(host), std::move(options)));
    });
}

}  // namespace lanesort::inline v0_1::opencl
