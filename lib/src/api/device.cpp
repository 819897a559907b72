// SPDX-License-Identifier: MIT
#include <lanesort/device.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lanesort/error.hpp>

#include "core/backend.hpp"

namespace lanesort::inline v0_1 {
namespace {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

bool contains(std::string_view text, std::string_view part) {
    return lower_case(text).find(lower_case(part)) != std::string::npos;
}

}  // namespace

Device::Device(std::shared_ptr<const detail::DeviceHandle> handle) noexcept : handle_(std::move(handle)) {}

const DeviceInfo& Device::info() const noexcept { return handle_->info(); }

Discovery discover() {
    const std::pair<std::string_view, Discovery (*)()> backends[] = {
        {"CUDA", detail::discover_cuda}, {"OpenCL", detail::discover_opencl}, {"CPU", detail::discover_cpu}};
    // PoCL 3.1 initialises itself in its first calls, and threads that meet in them crash or find no device.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    Discovery all;
    for (const auto& [name, discover_backend] : backends) {
        // A broken backend must not hide the other.
        try {
            Discovery found = discover_backend();
            std::ranges::move(found.platforms, std::back_inserter(all.platforms));
            std::ranges::move(found.devices, std::back_inserter(all.devices));
            std::ranges::move(found.absences, std::back_inserter(all.absences));
        } catch (const Error& error) {
            all.absences.push_back(fmt::format("{} cannot be used: {}", name, error.what()));
        }
    }
    return all;
}

std::vector<Device> devices() { return discover().devices; }

Device find_device(std::string_view selector) { return detail::find_device(selector, discover); }

Device detail::find_device(std::string_view selector, Discovery (*discover)()) {
    if (lower_case(selector) == "built-in") return built_in_device();
    const auto [platforms, devices, absences] = discover();
    const bool compiles = selector == "compiling";
    if (compiles || selector.empty() || selector == "default") {
        const auto is_gpu = [](const Device& device) { return device.info().kind == DeviceKind::gpu; };
        if (const auto gpu = std::ranges::find_if(devices, is_gpu); gpu != devices.end()) return *gpu;
        if (!compiles) return built_in_device();
        const auto compiling = std::ranges::find(devices, true, [](const Device& d) { return d.info().compiles; });
        if (compiling != devices.end()) return *compiling;
        throw Error(ErrorCode::no_device,
                    fmt::format("there is no device that compiles kernels: {}", fmt::join(absences, "; ")));
    }
    std::size_t number = 0;
    const auto [end, status] = std::from_chars(selector.data(), selector.data() + selector.size(), number);
    const bool is_number = status == std::errc{} && end == selector.data() + selector.size();
    if (is_number && number < devices.size()) return devices[number];
    if (!is_number)
        for (const Device& device : devices)
            if (contains(device.info().name, selector) || contains(device.info().platform, selector)) return device;

    std::vector<std::string> known;
    known.reserve(devices.size());
    for (const Device& device : devices)
        known.push_back(fmt::format("{}: {} ({})", known.size(), device.info().name, device.info().platform));
    throw Error(ErrorCode::unknown_device,
                fmt::format("no device is called \"{}\"; the devices are {}", selector, fmt::join(known, "; ")));
}

}  // namespace lanesort::inline v0_1
