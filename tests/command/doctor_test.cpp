// SPDX-License-Identifier: MIT
// What the doctor says of systems that are made up, and of this one.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "command_support.hpp"
#include "devices_made_up.hpp"
#include "tools/diagnosis.hpp"

namespace lanesort::test {
namespace {

using Json = nlohmann::json;

/// A tree of files in place of the system's, whose files all open and whose libraries all load unless told otherwise.
class MadeUpSystem {
public:
    System system() {
        return {
            folder_.path(),
            [this](const char* name) {
                const auto found = variables.find(name);
                return found != variables.end() ? std::optional(found->second) : std::nullopt;
            },
            [this](const fs::path& path) { return !closed.contains(path); },
            [this](const fs::path&) { return free_bytes; },
            [this](const std::string& library) {
                return broken.contains(library) ? library + ": cannot open shared object file" : "";
            },
        };
    }

    fs::path path(const std::string& name) const { return folder_.path() / name; }
    void file(const std::string& name, std::string_view contents = "\n") const {
        fs::create_directories(path(name).parent_path());
        write_file(path(name), contents);
    }
    void card(const std::string& place, const std::string& maker, bool has_driver,
              const std::string& kind = "0x030000") const {
        const std::string folder = "sys/bus/pci/devices/" + place + "/";
        file(folder + "vendor", maker + "\n");
        file(folder + "class", kind + "\n");
        if (has_driver) file(folder + "driver");
    }

    std::map<std::string, std::string> variables;
    std::set<fs::path> closed;
    std::set<std::string> broken;
    std::uint64_t free_bytes = UINT64_MAX;

private:
    TemporaryFolder folder_;
};

/// There is a finding of that verdict that says this; what is no good comes with advice, and what is good without.
bool tells(const Findings& findings, Verdict verdict, std::string_view found, std::string_view advice = {}) {
    for (const Finding& finding : findings) {
        INFO(finding.found);
        const bool fine = finding.verdict == Verdict::ok || finding.verdict == Verdict::none;
        CHECK(finding.advice.empty() == fine);
    }
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.verdict == verdict && contains(finding.found, found) && contains(finding.advice, advice);
    });
}

bool all_well(const Findings& findings) {
    return std::ranges::all_of(findings, [](const Finding& finding) { return finding.advice.empty(); });
}

TEST_CASE("doctor: files that name OpenCL's drivers") {
    MadeUpSystem made;
    CHECK(tells(examine_icd_files(made.system()), Verdict::warning, "no .icd file", "pocl-opencl-icd"));
    made.file("etc/OpenCL/vendors/README", "not one");
    CHECK(tells(examine_icd_files(made.system()), Verdict::warning, "no .icd file"));

    made.file("etc/OpenCL/vendors/good.icd", " libgood.so.1 \n");
    CHECK(all_well(examine_icd_files(made.system())));
    CHECK(tells(examine_icd_files(made.system()), Verdict::ok, "names libgood.so.1, which loads"));

    made.file("etc/OpenCL/vendors/bad.icd", "libbad.so");
    made.file("etc/OpenCL/vendors/empty.icd", "");
    made.broken = {"libbad.so"};
    const Findings findings = examine_icd_files(made.system());
    REQUIRE(findings.size() == 3);
    CHECK(tells(findings, Verdict::problem, "does not load: libbad.so: cannot open", "reinstall"));
    CHECK(tells(findings, Verdict::problem, "empty.icd names no library"));
    CHECK(tells(findings, Verdict::ok, "libgood.so.1"));
}

TEST_CASE("doctor: OCL_ICD_VENDORS") {
    MadeUpSystem made;
    made.file("elsewhere/other.icd", "libother.so\n");
    made.file("etc/OpenCL/vendors/usual.icd", "libusual.so\n");
    made.broken = {"libmissing.so"};
    const auto with = [&](const std::string& value) {
        made.variables["OCL_ICD_VENDORS"] = value;
        const Findings findings = examine_icd_files(made.system());
        CHECK(findings.size() == 1);
        return findings;
    };
    CHECK(tells(with(made.path("elsewhere")), Verdict::ok, "libother.so"));
    CHECK(tells(with(made.path("elsewhere/other.icd")), Verdict::ok, "libother.so"));
    CHECK(tells(with(made.path("none.icd")), Verdict::problem, "is not there", "unset OCL_ICD_VENDORS"));
    CHECK(tells(with("libmissing.so"), Verdict::problem, "does not load"));
    CHECK(tells(with("libdirect.so"), Verdict::ok, "libdirect.so"));
    CHECK(tells(with(""), Verdict::ok, "libusual.so"));
    CHECK(tells(with("usual.icd"), Verdict::ok, "vendors/usual.icd names libusual.so"));
    fs::create_directory(made.path("bare"));
    CHECK(tells(with(made.path("bare")), Verdict::warning, "bare has no .icd file"));
}

TEST_CASE("doctor: OPENCL_VENDOR_PATH and OCL_ICD_FILENAMES") {
    MadeUpSystem made;
    made.variables["OCL_ICD_FILENAMES"] = "/opt/libone.so:libmissing.so:";
    made.broken = {"libmissing.so"};
    Findings findings = examine_icd_files(made.system());
    CHECK(findings.size() == 2);
    CHECK(tells(findings, Verdict::ok, "OCL_ICD_FILENAMES names /opt/libone.so, which loads"));
    CHECK(tells(findings, Verdict::problem, "OCL_ICD_FILENAMES names libmissing.so, which does not load", "no longer"));

    made.file("etc/OpenCL/vendors/usual.icd", "libusual.so\n");
    made.file("elsewhere/other.icd", "libother.so\n");
    made.variables = {{"OCL_ICD_FILENAMES", "libone.so"}, {"OPENCL_VENDOR_PATH", made.path("elsewhere")}};
    findings = examine_icd_files(made.system());
    CHECK(findings.size() == 2);
    CHECK(tells(findings, Verdict::ok, "libone.so"));
    CHECK(tells(findings, Verdict::ok, "other.icd names libother.so"));
    made.variables["OCL_ICD_VENDORS"] = "other.icd";
    CHECK(tells(examine_icd_files(made.system()), Verdict::ok, "other.icd names libother.so"));
    made.variables["OCL_ICD_VENDORS"] = "libdirect.so";
    findings = examine_icd_files(made.system());
    CHECK(findings.size() == 2);
    CHECK(tells(findings, Verdict::ok, "OCL_ICD_VENDORS names libdirect.so"));
    made.variables = {{"OPENCL_VENDOR_PATH", made.path("nowhere")}};
    CHECK(tells(examine_icd_files(made.system()), Verdict::warning, "nowhere has no .icd file"));
}

TEST_CASE("doctor: platforms without devices") {
    Discovered found;
    DeviceInfo processor = test::processor();
    processor.platform = "Portable";
    found.platforms = {"Portable", "rusticl", "Clover", "Torn"};
    found.devices = {processor, processor};
    found.absences = {"CUDA cannot be used: libcuda.so.1 is not installed", "Torn cannot be used: it failed"};
    found.cuda.driver_absence = "libcuda.so.1 is not installed";
    const Findings findings = examine_platforms(found);
    CHECK(findings.size() == 4);
    CHECK(tells(findings, Verdict::ok, "Portable, devices: 2"));
    CHECK(tells(findings, Verdict::warning, "rusticl has no device", "RUSTICL_ENABLE="));
    CHECK(tells(findings, Verdict::warning, "Clover has no device"));
    CHECK(tells(findings, Verdict::problem, "Torn cannot be used: it failed"));

    found = {};
    found.absences = {"CUDA cannot be used: cuDeviceGetCount failed", "OpenCL cannot be used: no platform"};
    CHECK(tells(examine_platforms(found), Verdict::warning, "no platform", "pocl-opencl-icd"));
    CHECK(tells(examine_platforms(found), Verdict::warning, "cuDeviceGetCount failed"));

    for (const char* absence : {"no platform is installed (a driver)", "libOpenCL.so.1 is not installed"}) {
        found = {};
        found.absences = {std::string("OpenCL cannot be used: ") + absence};
        CHECK(tells(examine_platforms(found), Verdict::warning, absence, "Debian: "));
        found.platforms = {"NVIDIA CUDA driver"};
        CHECK(tells(examine_platforms(found), Verdict::none, absence));
    }
    found.absences = {"OpenCL cannot be used: the library has no function clFinish"};
    CHECK(tells(examine_platforms(found), Verdict::problem, "no function clFinish", "update"));
}

TEST_CASE("doctor: CUDA's driver and compiler") {
    MadeUpSystem made;
    const std::string absent = "libcuda.so.1 is not installed";
    const auto examined = [&](const cu::Installation& cuda) { return examine_cuda(made.system(), cuda); };
    CHECK(all_well(examined({absent, "", 0, 0})));
    CHECK(tells(examined({absent, "", 0, 0}), Verdict::none, "there is no NVIDIA card here"));

    made.card("0000:01:00.0", "0x10de", true);
    CHECK(examined({absent, "", 0, 0}).empty());
    CHECK(
        tells(examine_cards(made.system(), {}), Verdict::problem, "its kernel driver is not loaded", "nvidia-driver"));
    made.file("proc/driver/nvidia/version", "NVRM version: 550\n");
    CHECK(tells(examined({absent, "", 0, 0}), Verdict::problem, absent, "libcuda1"));
    CHECK(
        tells(examined({"the library has no function cuGraphLaunch", "", 0, 0}), Verdict::problem, "too old", "newer"));
    const std::pair<const char*, const char*> starts[] = {
        {"CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"},
        {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart"},
        {"CUDA_ERROR_UNKNOWN", "nvidia-uvm"},
        {"CUDA_ERROR_STUB_LIBRARY", "LD_LIBRARY_PATH"},
    };
    for (const auto& [name, advice] : starts)
        CHECK(tells(examined({std::string("the CUDA driver does not start: ") + name, "", 12000, 12000}),
                    Verdict::problem, name, advice));

    CHECK(tells(examined({"built without headers", "", 0, 0, false}), Verdict::warning, "headers",
                "build lanesort anew"));
    CHECK(tells(examined({"", "libnvrtc.so.13 is not installed", 12080, 0}), Verdict::problem, "libnvrtc.so.13",
                "NVRTC for CUDA 12"));
    CHECK(tells(examined({"", "", 12080, 13000}), Verdict::warning, "of CUDA 13.0, newer than the driver"));
    CHECK(all_well(examined({"", "", 12020, 12080})));
    CHECK(all_well(examined({"", "", 13000, 12080})));
    CHECK(tells(examined({"", "", 13010, 12080}), Verdict::ok, "up to 13.1"));
}

TEST_CASE("doctor: graphics cards that no device stands for") {
    MadeUpSystem made;
    CHECK(examine_cards(made.system(), {}).empty());
    made.card("0000:00:01.0", "0x1a03", true);              // a server's own display
    made.card("0000:00:02.0", "0x8086", true, "0x020000");  // a network card
    CHECK(examine_cards(made.system(), {}).empty());

    made.card("0000:01:00.0", "0x10de", true, "0x030200");
    made.card("0000:02:00.0", "0x1002", false);
    made.card("0000:03:00.0", "0x8086", true);
    Findings findings = examine_cards(made.system(), {});
    CHECK(findings.size() == 3);
    CHECK(tells(findings, Verdict::problem, "NVIDIA graphics on the PCI bus (0000:01:00.0), but its kernel driver",
                "nvidia-driver"));
    CHECK(tells(findings, Verdict::problem, "AMD graphics on the PCI bus (0000:02:00.0), but its kernel driver",
                "amdgpu"));
    CHECK(tells(findings, Verdict::problem, "Intel graphics on the PCI bus (0000:03:00.0) with its kernel driver",
                "intel-opencl-icd"));

    made.file("proc/driver/nvidia/version");
    CHECK(tells(examine_cards(made.system(), {}), Verdict::problem,
                "NVIDIA graphics on the PCI bus (0000:01:00.0) with", "libcuda1"));
    DeviceInfo card = graphics_card(), amd = graphics_card(), processor = test::processor();
    card.vendor = "NVIDIA Corporation";
    amd.vendor = "Advanced Micro Devices, Inc.";
    processor.vendor = "GenuineIntel";
    findings = examine_cards(made.system(), {card, amd, processor});
    CHECK(tells(findings, Verdict::ok, "NVIDIA graphics"));
    CHECK(tells(findings, Verdict::ok, "AMD graphics"));
    CHECK(tells(findings, Verdict::problem, "Intel graphics"));
}

TEST_CASE("doctor: device files that this user may not open") {
    MadeUpSystem made;
    CHECK(examine_device_files(made.system()).empty());
    for (const char* const file : {"dev/dri/card0", "dev/dri/renderD128", "dev/kfd", "dev/nvidia0", "dev/nvidiactl",
                                   "dev/nvidia-modeset", "dev/null"})
        made.file(file);
    CHECK(all_well(examine_device_files(made.system())));
    CHECK(tells(examine_device_files(made.system()), Verdict::ok, "files: 4"));

    made.closed = {made.path("dev/dri/renderD128"), made.path("dev/dri/card0"), made.path("dev/kfd")};
    REQUIRE(chmod(made.path("dev/kfd").c_str(), 0600) == 0);
    const fs::path render = made.path("dev/dri/renderD128");
    constexpr gid_t nobodys = 54321;
    const bool has_group = chown(render.c_str(), static_cast<uid_t>(-1), nobodys) == 0;  // only root can
    REQUIRE(chmod(render.c_str(), 0660) == 0);
    const Findings findings = examine_device_files(made.system());
    CHECK(findings.size() == 3);
    CHECK(tells(findings, Verdict::problem, "renderD128", has_group ? "sudo usermod -aG 54321 \"$USER\"" : ""));
    CHECK(tells(findings, Verdict::problem, "/dev/kfd", "only root may open it"));
    CHECK(tells(findings, Verdict::ok, "files: 2"));

    MadeUpSystem container;
    container.file("proc/driver/nvidia/version");
    CHECK(tells(examine_device_files(container.system()), Verdict::problem, "/dev/nvidia* is not there", "container"));
}

TEST_CASE("doctor: a sort that fails, and one that sorts wrong") {
    const DeviceInfo device = graphics_card();
    const auto after = [&](const std::function<void(std::span<std::uint32_t>)>& sort) {
        return Findings{examine_sort(device, sort)};
    };
    CHECK(tells(after([](auto keys) { std::ranges::sort(keys); }), Verdict::ok, "made-up graphics card"));
    CHECK(tells(after([](auto) {}), Verdict::problem, "out of order", "do not sort on this device"));
    CHECK(tells(after([](auto keys) { std::ranges::fill(keys, 7u); }), Verdict::problem, "out of order"));
    CHECK(tells(after([](auto) { throw Error(ErrorCode::build_failed, "refused", "", 0, "line one\nline two"); }),
                Verdict::problem, "refused: line one", "compiler"));
    CHECK(tells(after([](auto) { throw Error(ErrorCode::out_of_memory, "no memory"); }), Verdict::problem, "no memory",
                "end the programs"));
    CHECK(
        tells(after([](auto) { throw Error(ErrorCode::device_failed, "it failed"); }), Verdict::problem, "it failed"));
    CHECK(tells(after([](auto) { throw std::bad_alloc(); }), Verdict::problem, "bad_alloc"));
}

TEST_CASE("doctor: the folder without which PoCL compiles nothing") {
    MadeUpSystem made;
    made.file("home/file");
    const std::vector<std::string> platforms = {"Clover", "Portable Computing Language"};
    const auto examined = [&] { return examine_kernel_cache(made.system(), platforms); };
    CHECK(examine_kernel_cache(made.system(), {"Clover"}).empty());
    made.variables["HOME"] = made.path("home");
    CHECK(tells(examined(), Verdict::ok, "home can be written to"));
    made.free_bytes = 4096;
    CHECK(tells(examined(), Verdict::problem, "home has room for 4096 bytes", "POCL_CACHE_DIR"));
    made.closed = {made.path("home")};
    CHECK(tells(examined(), Verdict::problem, "home cannot be written to", "POCL_CACHE_DIR"));
    made.free_bytes = UINT64_MAX;
    made.variables["XDG_CACHE_HOME"] = made.path("home/file");
    CHECK(tells(examined(), Verdict::problem, "home/file cannot be written to"));
    made.variables["POCL_CACHE_DIR"] = made.path("");
    CHECK(all_well(examined()));
}

TEST_CASE("doctor: the cache, and what is in it") {
    MadeUpSystem made;
    made.file("home/file");
    const auto examined = [&](const fs::path& file) { return Findings{examine_cache(made.system(), file)}; };
    CHECK(tells(examined(made.path("home/.cache/lanesort/shapes")), Verdict::ok, "home can be written to"));
    CHECK(tells(examined(made.path("home/file/lanesort/shapes")), Verdict::warning, "cannot be written to"));
    made.closed = {made.path("home")};
    CHECK(tells(examined(made.path("home/.cache/lanesort/shapes")), Verdict::warning, "cannot be written to",
                "XDG_CACHE_HOME"));
    CHECK(tells(examined({}), Verdict::warning, "neither XDG_CACHE_HOME nor HOME"));
    made.variables["LANESORT_TUNED"] = "0";
    CHECK(tells(examined({}), Verdict::ok, "LANESORT_TUNED is 0"));

    CHECK(examine_tuned({}, "").empty());
    CHECK(examine_tuned(made.path("home/none"), "").empty());
    CHECK(tells(examine_tuned(made.path("home/file"), ""), Verdict::ok, "home/file"));
    CHECK(
        tells(examine_tuned(made.path("home/file"), "the file is cut short"), Verdict::warning, "cut short", "delete"));
}

TEST_CASE("doctor: what the library tells of its backends") {
    const Discovery found = discover();
    for (const Device& device : found.devices) CHECK(std::ranges::count(found.platforms, device.info().platform) > 0);
    const cu::Installation cuda = cu::installation();
    const auto told = [&](const std::string& absence) {
        return std::ranges::any_of(found.absences, [&](const std::string& text) { return contains(text, absence); });
    };
    if (!cuda.driver_absence.empty()) CHECK(told(cuda.driver_absence));
    else CHECK(cuda.driver_version >= 11000);
    if (cuda.compiler_absence.empty()) CHECK(cuda.compiler_version >= 11000);
}

TEST_CASE("doctor: this machine") {
    const Scene scene;
    const bool none = devices().empty();
    const Result result = scene.run({"doctor", "--format", "json"});
    CHECK(result.status == (none ? 1 : 0));
    const Json json = Json::parse(result.out);
    CHECK(json["devices"] == devices().size());
    std::size_t sorts = 0;
    for (const Json& finding : json["findings"]) sorts += finding["about"] == "sort" && finding["verdict"] == "ok";
    CHECK(json["devices_that_sort"] == sorts);
    const Result words = scene.run({"doctor"});
    CHECK(words.status == result.status);
    CHECK(contains(words.out, "Devices that sort right: "));
}

TEST_CASE("doctor: a machine with the built-in device alone") {
    const Scene scene;
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent.icd"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (Json::parse(scene.run({"devices", "--format", "json"}).out).size() > 1) {
        MESSAGE("not tested: OpenCL's loader does not know OCL_ICD_VENDORS");
        return;
    }
    const Result result = scene.run({"doctor"});
    CHECK(result.status == 0);
    CHECK(contains(result.out, "OCL_ICD_VENDORS is /nonexistent.icd, which is not there"));
    CHECK(contains(result.out, "-> unset OCL_ICD_VENDORS"));
    CHECK(contains(result.out, "Devices that sort right: 1 of 1"));
}

}  // namespace
}  // namespace lanesort::test
