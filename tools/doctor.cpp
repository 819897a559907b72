// lanesort doctor: what is wrong with this machine's OpenCL and CUDA, and what to do about it.
#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/tuning.hpp>

#include "command.hpp"
#include "diagnosis.hpp"
#include "files.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace {

using namespace lanesort;

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok: return "ok";
        case Verdict::none: return "none";
        case Verdict::warning: return "warning";
        case Verdict::problem: return "problem";
    }
    return {};
}

class Doctor {
public:
    void examine() {
        const System system = this_system();
        add(examine_icd_files(system));
        const auto [platforms, found, absences] = discover();
        discovered_ = {platforms, {}, absences, cu::installation()};
        for (const Device& device : found) discovered_.devices.push_back(device.info());
        add(examine_platforms(discovered_));
        add(examine_kernel_cache(system, platforms));
        add(examine_cuda(system, discovered_.cuda));
        add(examine_cards(system, discovered_.devices));
        add(examine_device_files(system));
        for (const Device& device : found) {
            const CompilingNotice notice;
            findings_.push_back(
                examine_sort(device.info(), [&](std::span<std::uint32_t> keys) { Sorter(device).sort(keys); }));
            sorting_ += findings_.back().verdict == Verdict::ok;
        }
        for (const Device& device : found)
            add(examine_tuned(tuned_file(device.info()), find_tuned(device.info()).note));
        findings_.push_back(examine_cache(system, tuned_file({})));
    }

    std::size_t sorting() const { return sorting_; }

    std::string to_words() const {
        constexpr std::size_t indent = 26;
        std::string words;
        for (const auto& [verdict, about, found, advice] : findings_) {
            words += fmt::format("{:<9}{:<{}}{}\n", name_of(verdict), about, indent - 9, found);
            if (!advice.empty()) words += fmt::format("{:<{}}-> {}\n", "", indent, advice);
        }
        return words + fmt::format("\nDevices that sort right: {} of {}\n", sorting_, discovered_.devices.size());
    }

    Json to_json() const {
        Json list = Json::array();
        for (const auto& [verdict, about, found, advice] : findings_)
            list.push_back({{"verdict", name_of(verdict)}, {"about", about}, {"found", found}, {"advice", advice}});
        return {{"devices", discovered_.devices.size()}, {"devices_that_sort", sorting_}, {"findings", list}};
    }

private:
    void add(const Findings& more) { findings_.insert(findings_.end(), more.begin(), more.end()); }

    Discovered discovered_;
    Findings findings_;
    std::size_t sorting_ = 0;
};

void run(Format format) {
    Doctor doctor;
    doctor.examine();
    print(format == Format::json ? to_text(doctor.to_json()) : doctor.to_words());
    if (doctor.sorting() == 0) throw Error(ErrorCode::device_failed, "no device sorts here; see what the doctor found");
}

}  // namespace

void add_doctor(CLI::App& app) {
    CLI::App* const command =
        app.add_subcommand("doctor", "Find what is wrong with OpenCL and CUDA here, and tell what to do");
    const auto format = std::make_shared<Format>(Format::table);
    add_format(*command, *format, {Format::table, Format::json});
    command->footer(
        "Reads what the system tells of drivers and their files, and sorts some thousand keys on every device.\n"
        "Exit status: 0 if a device sorts right, else 1.\n"
        "Example: lanesort doctor");
    command->callback([format] { run(*format); });
}
