// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <dlfcn.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/tuning.hpp>

namespace {

using namespace lanesort;
namespace fs = std::filesystem;
using enum Verdict;

constexpr const char* how_to_have_opencl =
    "to sort on a graphics card, install its OpenCL driver; for comparators as text on the processor, PoCL (Debian: "
    "pocl-opencl-icd); the built-in device needs neither";
constexpr const char* how_to_have_a_loader =
    "install OpenCL's loader (Debian: ocl-icd-libopencl1), if another device than CUDA's is to sort";

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A path of the system, which begins with /, below the root that is looked at.
fs::path below(const System& system, std::string_view path) { return system.root / path.substr(1); }

bool is_there(const fs::path& path) {
    std::error_code failure;
    return fs::exists(path, failure);
}

/// What a folder holds, in the order of names; nothing where it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
        found.push_back(entry->path());
    std::ranges::sort(found);
    return found;
}

/// The first line of a small file, without white space at its ends.
std::string first_line(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    constexpr std::string_view white = " \t\r";
    line.erase(0, std::min(line.find_first_not_of(white), line.size()));
    line.erase(line.find_last_not_of(white) + 1);
    return line;
}

/// Of a path and the folders around it, the first that is there: it decides whether the others can be made.
fs::path nearest_folder(fs::path path) {
    while (!is_there(path) && path.has_relative_path()) path = path.parent_path();
    return path;
}

bool can_be_written(const System& system, const fs::path& folder) {
    std::error_code failure;
    return fs::is_directory(folder, failure) && system.is_usable(folder);
}

// ---- OpenCL's loader -----------------------------------------------------------------------------------------------

constexpr const char* about_drivers = "OpenCL driver";

Finding examine_library(const System& system, const std::string& named_by, const std::string& library) {
    if (library.empty())
        return {problem, about_drivers, fmt::format("{} names no library", named_by),
                "reinstall the package it belongs to, or delete it"};
    const std::string why = system.why_it_does_not_load(library);
    if (why.empty()) return {ok, about_drivers, fmt::format("{} names {}, which loads", named_by, library)};
    return {problem, about_drivers, fmt::format("{} names {}, which does not load: {}", named_by, library, why),
            "install or reinstall the package that this driver belongs to, or if it was removed, no longer name it"};
}

// ---- graphics cards ------------------------------------------------------------------------------------------------

struct Maker {
    std::string_view pci, name;
    std::vector<std::string_view> called;  ///< by drivers, in small letters
    std::string_view kernel_driver, opencl;
};

const std::vector<Maker>& makers() {
    static const std::vector<Maker> all = {
        {"0x10de",
         "NVIDIA",
         {"nvidia"},
         "install NVIDIA's driver and restart (Debian: nvidia-driver; the free nouveau cannot compute)",
         "install the driver's libraries, of the same version as its kernel module (Debian: libcuda1 for CUDA, "
         "nvidia-opencl-icd for OpenCL); in a container, start it with the GPU passed in (docker run --gpus all)"},
        {"0x1002",
         "AMD",
         {"amd", "advanced micro"},
         "load its kernel module, amdgpu, and install its firmware (Debian: firmware-amd-graphics)",
         "install an OpenCL driver (AMD's ROCm, or Debian: mesa-opencl-icd and RUSTICL_ENABLE=radeonsi in the "
         "environment)"},
        {"0x8086",
         "Intel",
         {"intel"},
         "load its kernel module, i915 or xe",
         "install its OpenCL driver (Debian: intel-opencl-icd)"},
    };
    return all;
}

/// The graphics cards of a maker, as paths of their folders.
std::vector<fs::path> cards_of(const System& system, const Maker& maker) {
    constexpr std::string_view display_class = "0x03";
    std::vector<fs::path> cards;
    for (const fs::path& device : entries(below(system, "/sys/bus/pci/devices")))
        if (first_line(device / "vendor") == maker.pci && first_line(device / "class").starts_with(display_class))
            cards.push_back(device);
    return cards;
}

bool nvidia_module_is_loaded(const System& system) { return is_there(below(system, "/proc/driver/nvidia/version")); }

bool has_nvidia_card(const System& system) {
    return nvidia_module_is_loaded(system) || !cards_of(system, makers().front()).empty();
}

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool is_made_by(const DeviceInfo& device, const Maker& maker) {
    if (device.kind == DeviceKind::cpu) return false;
    const std::string names = lower_case(device.vendor + " " + device.name);
    return std::ranges::any_of(maker.called, [&](std::string_view name) { return contains(names, name); });
}

// ---- CUDA ----------------------------------------------------------------------------------------------------------

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// What the driver's names for its failures to start mean.
struct StartFailure {
    std::string_view name, meaning, advice;
};
constexpr StartFailure start_failures[] = {
    {"CUDA_ERROR_NO_DEVICE", "it sees no GPU",
     "check that CUDA_VISIBLE_DEVICES hides none; in a container, start it with the GPU passed in"},
    {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "its library and its kernel module are of different versions",
     "restart, so that the module of the installed version is loaded"},
    {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "a compatibility library is in use that this GPU does not support",
     "remove the folder of cuda-compat from LD_LIBRARY_PATH"},
    {"CUDA_ERROR_STUB_LIBRARY", "libcuda.so.1 is the toolkit's stub, not the driver's",
     "remove the toolkit's folder of stubs from LD_LIBRARY_PATH"},
    {"CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready to compute",
     "start nvidia-fabricmanager and look at its log"},
    {"CUDA_ERROR_OPERATING_SYSTEM", "a call to the operating system failed",
     "check the files /dev/nvidia*, and that the modules nvidia and nvidia-uvm are loaded"},
    {"CUDA_ERROR_UNKNOWN", "it does not say why",
     "load the module nvidia-uvm (modprobe nvidia-uvm); after a suspend, unload it first, or restart"},
};

/// The CUDA driver where it does not work and its kernel module is loaded.
Finding examine_absent_driver(const std::string& absence) {
    for (const StartFailure& failure : start_failures)
        if (contains(absence, failure.name))
            return {problem, "CUDA", fmt::format("{}: {}", absence, failure.meaning), std::string(failure.advice)};
    if (contains(absence, "has no function"))
        return {problem, "CUDA", absence + ": it is too old", "install a newer NVIDIA driver"};
    return {problem, "CUDA", absence, std::string(makers().front().opencl)};
}

// ---- device files --------------------------------------------------------------------------------------------------

bool is_called_by_drivers(const fs::path& file) {
    const std::string name = file.filename();
    const auto digit_after = [&](std::string_view prefix) {
        return name.size() > prefix.size() && name.starts_with(prefix) &&
               std::isdigit(static_cast<unsigned char>(name[prefix.size()]));
    };
    return digit_after("renderD") || digit_after("nvidia") || name == "kfd" || name == "nvidiactl" ||
           name == "nvidia-uvm";
}

/// Who may open a file that this user may not.
std::string how_to_open(const fs::path& file) {
    struct stat status = {};
    constexpr mode_t for_group = S_IRGRP | S_IWGRP;
    if (stat(file.c_str(), &status) != 0 || (status.st_mode & for_group) != for_group || status.st_gid == 0)
        return "only root may open it: reinstall the driver's package, whose udev rules open it for others; in a "
               "container, pass the device in and give its group";
    const group* const owner = getgrgid(status.st_gid);
    const std::string name = owner ? owner->gr_name : std::to_string(status.st_gid);
    return fmt::format("the group {0} may: sudo usermod -aG {0} \"$USER\", then log in anew", name);
}

}  // namespace

System this_system() {
    return {
        "/",
        [](const char* name) {
            const char* const value = std::getenv(name);
            return value ? std::optional<std::string>(value) : std::nullopt;
        },
        [](const fs::path& path) { return access(path.c_str(), R_OK | W_OK) == 0; },
        [](const fs::path& folder) {
            std::error_code failure;
            const fs::space_info space = fs::space(folder, failure);
            return failure ? UINT64_MAX : std::uint64_t{space.available};
        },
        [](const std::string& library) -> std::string {
            // Stays loaded: drivers have threads of their own, and OpenCL's loader loads them in any case.
            if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) return {};
            const char* const why = dlerror();
            return why ? why : "unknown error";
        },
    };
}

Findings examine_icd_files(const System& system) {
    // These are for the loader of Khronos, which loads them as well as what the files name.
    Findings findings;
    std::istringstream libraries(system.variable("OCL_ICD_FILENAMES").value_or(""));
    for (std::string library; std::getline(libraries, library, ':');)
        if (!library.empty()) findings.push_back(examine_library(system, "OCL_ICD_FILENAMES", library));

    const auto value_of = [&](const char* name) { return system.variable(name).value_or(""); };
    const std::string vendors = value_of("OCL_ICD_VENDORS"), vendor_path = value_of("OPENCL_VENDOR_PATH");
    fs::path folder = vendor_path.empty() ? below(system, "/etc/OpenCL/vendors") : fs::path(vendor_path);
    std::error_code failure;
    if (!vendors.empty() && fs::is_directory(vendors, failure)) {
        folder = vendors;
    } else if (!vendors.empty()) {
        fs::path file = vendors;
        if (!file.has_parent_path() && is_there(folder / file)) file = folder / file;
        if (file.extension() != ".icd") findings.push_back(examine_library(system, "OCL_ICD_VENDORS", vendors));
        else if (is_there(file)) findings.push_back(examine_library(system, file.string(), first_line(file)));
        else
            findings.push_back({problem, about_drivers,
                                fmt::format("OCL_ICD_VENDORS is {}, which is not there", vendors),
                                "unset OCL_ICD_VENDORS, or make it a folder of .icd files or one of them"});
        return findings;
    }
    for (const fs::path& file : entries(folder))
        if (file.extension() == ".icd") findings.push_back(examine_library(system, file.string(), first_line(file)));
    if (findings.empty())
        findings.push_back({warning, about_drivers,
                            fmt::format("{} has no .icd file, so OpenCL has no driver", folder.string()),
                            how_to_have_opencl});
    return findings;
}

Findings examine_platforms(const Discovered& discovered) {
    Findings findings;
    const bool cuda_is_absent = !discovered.cuda.driver_absence.empty() || !discovered.cuda.compiler_absence.empty();
    for (const std::string& absence : discovered.absences) {
        if (absence.starts_with("CUDA") && cuda_is_absent) continue;
        // The built-in one is there without any driver.
        const bool nothing = std::ranges::count(discovered.platforms, "built-in") == std::ssize(discovered.platforms);
        if (absence.starts_with("OpenCL") && contains(absence, "installed") && !nothing)
            findings.push_back({none, "OpenCL", absence + "; the platforms below do without it"});
        else if (contains(absence, "libOpenCL")) findings.push_back({warning, "OpenCL", absence, how_to_have_a_loader});
        else
            findings.push_back(
                {nothing ? warning : problem, nothing ? "OpenCL" : "platform", absence,
                 nothing ? how_to_have_opencl : "update or reinstall its driver; the others are not affected"});
    }
    for (const std::string& platform : discovered.platforms) {
        const auto devices = std::ranges::count(discovered.devices, platform, &DeviceInfo::platform);
        const auto tells_of_it = [&](const std::string& absence) { return absence.starts_with(platform); };
        if (devices > 0) {
            findings.push_back({ok, "platform", fmt::format("{}, devices: {}", platform, devices)});
        } else if (std::ranges::none_of(discovered.absences, tells_of_it)) {
            const bool rusticl = lower_case(platform) == "rusticl";
            findings.push_back(
                {warning, "platform", fmt::format("{} has no device that can compile kernels", platform),
                 rusticl ? "name Mesa's drivers that it may use in the environment, as in RUSTICL_ENABLE=radeonsi,iris"
                         : "if it should have one, look at the graphics card's driver; PoCL has none where it may "
                           "write to no cache folder (XDG_CACHE_HOME, or POCL_CACHE_DIR); else its package can go"});
        }
    }
    return findings;
}

Findings examine_kernel_cache(const System& system, const std::vector<std::string>& platforms) {
    constexpr std::string_view pocl = "Portable Computing Language";
    constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;  // some kernels and what is made on the way to them
    if (std::ranges::find(platforms, pocl) == platforms.end()) return {};
    const auto value_of = [&](const char* name) { return system.variable(name).value_or(""); };
    const std::string own = value_of("POCL_CACHE_DIR"), cache = value_of("XDG_CACHE_HOME"), home = value_of("HOME");
    const fs::path folder = nearest_folder(!own.empty()     ? fs::path(own)
                                           : !cache.empty() ? fs::path(cache) / "pocl"
                                           : !home.empty()  ? fs::path(home) / ".cache" / "pocl"
                                                            : below(system, "/tmp/pocl"));
    constexpr const char* about = "PoCL's cache";
    if (!can_be_written(system, folder))
        return {{problem, about,
                 fmt::format("{} cannot be written to, and without a cache PoCL compiles no kernel", folder.string()),
                 "make it a folder of yours, or set POCL_CACHE_DIR to one"}};
    if (const std::uint64_t free = system.free_bytes(folder); free < least_bytes)
        return {{problem, about,
                 fmt::format("{} has room for {} bytes, too few for PoCL to compile kernels", folder.string(), free),
                 "make room on that disk, or set POCL_CACHE_DIR to a folder on another"}};
    return {{ok, about, fmt::format("{} can be written to", folder.string())}};
}

Findings examine_cuda(const System& system, const cu::Installation& cuda) {
    if (!cuda.is_built_in && has_nvidia_card(system))
        return {{warning, "CUDA", cuda.driver_absence,
                 "sort through OpenCL, or install CUDA's headers (Debian: nvidia-cuda-dev) and build lanesort anew"}};
    if (!cuda.driver_absence.empty()) {
        if (nvidia_module_is_loaded(system)) return {examine_absent_driver(cuda.driver_absence)};
        if (has_nvidia_card(system)) return {};  // examine_cards tells that it lacks its kernel driver
        return {{none, "CUDA", cuda.driver_absence + "; there is no NVIDIA card here either"}};
    }
    Findings findings = {
        {ok, "CUDA", fmt::format("the driver knows CUDA up to {}", version_text(cuda.driver_version))}};
    if (!cuda.compiler_absence.empty()) {
        findings.push_back({problem, "NVRTC", cuda.compiler_absence,
                            fmt::format("install NVRTC for CUDA {} (in the CUDA toolkit, or Debian: libnvrtc12)",
                                        cuda.driver_version / 1000)});
    } else if (cuda.compiler_version / 1000 > cuda.driver_version / 1000) {
        findings.push_back(
            {warning, "NVRTC",
             fmt::format("NVRTC is of CUDA {}, newer than the driver, which may refuse what it compiles",
                         version_text(cuda.compiler_version)),
             fmt::format("install a newer NVIDIA driver, or NVRTC for CUDA {}", cuda.driver_version / 1000)});
    } else {
        findings.push_back({ok, "NVRTC", fmt::format("of CUDA {}", version_text(cuda.compiler_version))});
    }
    return findings;
}

Findings examine_cards(const System& system, const std::vector<DeviceInfo>& devices) {
    Findings findings;
    for (const Maker& maker : makers()) {
        const std::vector<fs::path> cards = cards_of(system, maker);
        if (cards.empty()) continue;
        std::vector<std::string> places;
        for (const fs::path& card : cards) places.push_back(card.filename());
        const std::string what = fmt::format("{} graphics on the PCI bus ({})", maker.name, fmt::join(places, ", "));
        const bool has_driver =
            maker.name == "NVIDIA"
                ? nvidia_module_is_loaded(system)
                : std::ranges::any_of(cards, [](const fs::path& card) { return is_there(card / "driver"); });
        if (std::ranges::any_of(devices, [&](const DeviceInfo& device) { return is_made_by(device, maker); }))
            findings.push_back({ok, "graphics card", what + ", and a device for it"});
        else if (!has_driver)
            findings.push_back({problem, "graphics card", what + ", but its kernel driver is not loaded",
                                std::string(maker.kernel_driver)});
        else
            findings.push_back({problem, "graphics card", what + " with its kernel driver, but no device to sort on",
                                std::string(maker.opencl)});
    }
    return findings;
}

Findings examine_device_files(const System& system) {
    Findings findings;
    std::size_t usable = 0;
    std::vector<fs::path> files = entries(below(system, "/dev/dri"));
    std::ranges::copy(entries(below(system, "/dev")), std::back_inserter(files));
    bool has_nvidia = false;
    for (const fs::path& file : files) {
        if (!is_called_by_drivers(file)) continue;
        has_nvidia = has_nvidia || file.filename().string().starts_with("nvidia");
        if (system.is_usable(file)) ++usable;
        else
            findings.push_back(
                {problem, "permission", fmt::format("this user may not open {}", file.string()), how_to_open(file)});
    }
    if (nvidia_module_is_loaded(system) && !has_nvidia)
        findings.push_back(
            {problem, "permission", "NVIDIA's kernel driver is loaded, but /dev/nvidia* is not there",
             "run nvidia-smi as root once, which makes it; in a container, start it with the GPU passed in"});
    if (usable > 0)
        findings.push_back({ok, "permission", fmt::format("this user may open the graphics cards' files: {}", usable)});
    return findings;
}

Finding examine_sort(const DeviceInfo& device, const std::function<void(std::span<std::uint32_t>)>& try_sort) {
    constexpr std::size_t count = 10000;
    std::vector<std::uint32_t> keys(count);
    std::ranges::generate(keys, std::mt19937(1));
    std::vector<std::uint32_t> wanted = keys;
    std::ranges::sort(wanted);
    const std::string name = fmt::format("{} ({}, {})", device.name, device.platform, device.backend);
    const auto failed = [&](const std::string& why, const std::string& advice) {
        return Finding{problem, "sort", fmt::format("{}: {}", name, why), advice};
    };
    try {
        try_sort(keys);
    } catch (const Error& error) {
        const std::string log = error.build_log().substr(0, error.build_log().find('\n'));
        switch (error.code()) {
            case ErrorCode::build_failed:
                return failed(log.empty() ? error.what() : fmt::format("{}: {}", error.what(), log),
                              "see what is said of a cache above; else its compiler is incomplete, or too old or too "
                              "new for it: update or reinstall its driver "
                              "(and NVRTC where it is CUDA)");
            case ErrorCode::out_of_memory:
                return failed(error.what(), "end the programs that have the device's memory, and try again");
            case ErrorCode::unsupported: return failed(error.what(), "sort on another device");
            default: return failed(error.what(), "restart, or update the device's driver; then report it as a bug");
        }
    } catch (const std::exception& error) {
        return failed(error.what(), "report it as a bug");
    }
    if (keys != wanted)
        return failed(fmt::format("{} keys came back out of order", count),
                      "do not sort on this device: its driver is broken; update it, or report it as a bug");
    return {ok, "sort", fmt::format("{} sorts {} keys right", name, count)};
}

Findings examine_tuned(const fs::path& file, const std::string& note) {
    if (!note.empty())
        return {{warning, "tuned shapes", note, fmt::format("run lanesort tune anew, or delete {}", file.string())}};
    if (!file.empty() && is_there(file)) return {{ok, "tuned shapes", fmt::format("are in {}", file.string())}};
    return {};
}

Finding examine_cache(const System& system, const fs::path& file) {
    constexpr const char* about = "cache folder";
    if (file.empty()) {
        const auto tuned = system.variable("LANESORT_TUNED");
        if (tuned && *tuned == "0") return {ok, about, "LANESORT_TUNED is 0, so tuned shapes are not looked for"};
        return {warning, about, "neither XDG_CACHE_HOME nor HOME is an absolute path",
                "set HOME if lanesort tune is to store shapes"};
    }
    const fs::path folder = nearest_folder(file.parent_path());
    if (can_be_written(system, folder)) return {ok, about, fmt::format("{} can be written to", folder.string())};
    return {warning, about,
            fmt::format("{} cannot be written to, so lanesort tune cannot store shapes", folder.string()),
            "make it a folder of yours, or set XDG_CACHE_HOME to one"};
}

const char* name(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok: return "ok";
        case Verdict::none: return "none";
        case Verdict::warning: return "warning";
        case Verdict::problem: return "problem";
    }
    return "";
}

Examination examine_all(const std::function<void(const std::function<void()>&)>& around) {
    Examination all;
    const auto add = [&](const Findings& more) { all.findings.insert(all.findings.end(), more.begin(), more.end()); };
    const System system = this_system();
    add(examine_icd_files(system));
    const auto [platforms, found, absences] = lanesort::discover();
    Discovered discovered{platforms, {}, absences, lanesort::cu::installation()};
    for (const lanesort::Device& device : found) discovered.devices.push_back(device.info());
    add(examine_platforms(discovered));
    add(examine_kernel_cache(system, platforms));
    add(examine_cuda(system, discovered.cuda));
    add(examine_cards(system, discovered.devices));
    add(examine_device_files(system));
    for (const lanesort::Device& device : found) {
        around([&] {
            add({examine_sort(device.info(),
                              [&](std::span<std::uint32_t> keys) { lanesort::Sorter(device).sort(keys); })});
        });
        all.sorting += all.findings.back().verdict == Verdict::ok;
    }
    for (const lanesort::Device& device : found)
        add(examine_tuned(lanesort::tuned_file(device.info()), lanesort::find_tuned(device.info()).note));
    add({examine_cache(system, lanesort::tuned_file({}))});
    all.devices = found.size();
    return all;
}
