// SPDX-License-Identifier: MIT
// lanesort doctor: what is wrong with this machine's OpenCL and CUDA, and what to do about it.
#include <functional>
#include <memory>
#include <string>

#include <fmt/core.h>

#include <lanesort/error.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "diagnosis.hpp"
#include "files.hpp"
#include "json.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace {

using namespace lanesort;

std::string to_words(const Examination& examination) {
    constexpr std::size_t indent = 26;
    std::string words;
    for (const auto& [verdict, about, found, advice] : examination.findings) {
        words += fmt::format("{:<9}{:<{}}{}\n", name(verdict), about, indent - 9, found);
        if (!advice.empty()) words += fmt::format("{:<{}}-> {}\n", "", indent, advice);
    }
    return words + fmt::format("\nDevices that sort right: {} of {}\n", examination.sorting, examination.devices);
}

Json to_json(const Examination& examination) {
    Json list = Json::array();
    for (const auto& [verdict, about, found, advice] : examination.findings)
        list.push_back({{"verdict", name(verdict)}, {"about", about}, {"found", found}, {"advice", advice}});
    return {{"devices", examination.devices}, {"devices_that_sort", examination.sorting}, {"findings", list}};
}

class DoctorCommand {
public:
    explicit DoctorCommand(SubCommand& command) {
        add_format(command, format_, {Format::table, Format::json});
        command.footer =
            "Reads what the system tells of drivers and their files, and sorts some thousand keys on every device.\n"
            "Exit status: 0 if a device sorts right, else 1.\n"
            "Example: lanesort doctor";
    }

    void run() const {
        const Examination examination = examine_all([](const std::function<void()>& try_sort) {
            const CompilingNotice notice;
            try_sort();
        });
        print(format_ == Format::json ? to_json(examination).text() : to_words(examination));
        if (examination.sorting == 0)
            throw Error(ErrorCode::device_failed, "no device sorts here; see what the doctor found");
    }

private:
    Format format_ = Format::table;
};

}  // namespace

SubCommand doctor_command() {
    return make_command<DoctorCommand>("doctor", "Find what is wrong with OpenCL and CUDA here, and tell what to do");
}
