// SPDX-License-Identifier: MIT
// What is wrong with this machine's OpenCL and CUDA, and what to do about it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lanesort/cuda.hpp>
#include <lanesort/device.hpp>

enum class Verdict : std::uint8_t {
    ok,
    none,     ///< is not there, and nothing here needs it
    warning,  ///< something does not work, but nothing that a sort on another device needs
    problem,  ///< what is there cannot be used as it is
};

/// The enumerator's name.
const char* name(Verdict verdict);

/// One thing that was looked at.
struct Finding {
    Verdict verdict;
    std::string about;  ///< a word or two
    std::string found;
    std::string advice = {};  ///< what to do; empty where nothing is wrong
};

using Findings = std::vector<Finding>;

/// What is looked at of the operating system. Tests put a made-up one in its place.
struct System {
    std::filesystem::path root;
    std::function<std::optional<std::string>(const char*)> variable;        ///< of the environment
    std::function<bool(const std::filesystem::path&)> is_usable;            ///< this process may read and write it
    std::function<std::uint64_t(const std::filesystem::path&)> free_bytes;  ///< on the disk of that folder
    std::function<std::string(const std::string&)> why_it_does_not_load;    ///< a library; empty if it loads
};

System this_system();

/// What the library has found.
struct Discovered {
    std::vector<std::string> platforms;
    std::vector<lanesort::DeviceInfo> devices;
    std::vector<std::string> absences;
    lanesort::cu::Installation cuda;
};

/// The files and variables of the environment that name OpenCL's implementations to its loader.
Findings examine_icd_files(const System& system);

/// OpenCL's implementations, and platforms that fail or have no device.
Findings examine_platforms(const Discovered& discovered);

/// Whether PoCL, if it is among these platforms, can write the folder without which it compiles nothing.
Findings examine_kernel_cache(const System& system, const std::vector<std::string>& platforms);

/// The CUDA driver and NVRTC. Nothing where the driver is missing and a card has no kernel driver: examine_cards tells.
Findings examine_cuda(const System& system, const lanesort::cu::Installation& cuda);

/// Graphics cards on the PCI bus that no device stands for.
Findings examine_cards(const System& system, const std::vector<lanesort::DeviceInfo>& devices);

/// The files by which drivers are called, which this user may not be allowed to open.
Findings examine_device_files(const System& system);

/// Sorts some thousand keys with `try_sort`, and compares them with what std::sort makes of them. Errors are findings.
Finding examine_sort(const lanesort::DeviceInfo& device, const std::function<void(std::span<std::uint32_t>)>& try_sort);

/// The shapes stored for a device in that file, and why they are of no use if `note` says so. Nothing where there are
/// none.
Findings examine_tuned(const std::filesystem::path& file, const std::string& note);

/// Whether `lanesort tune` can store shapes in the folder of that file, which may be empty (lanesort/tuning.hpp).
Finding examine_cache(const System& system, const std::filesystem::path& file);

/// All of that.
struct Examination {
    Findings findings;
    std::size_t devices = 0;  ///< that there are
    std::size_t sorting = 0;  ///< of them, those that sort right
};

/// Looks at this machine. Each sort is made by `around`, which may tell that it takes long.
Examination examine_all(const std::function<void(const std::function<void()>&)>& around);
