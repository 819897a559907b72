// SPDX-License-Identifier: MIT
// The sub-commands, and how they fail.
#pragma once

#include <stdexcept>
#include <string>

struct SubCommand;

/// Something that the user can mend: an argument, or a file. what() is the sentence to show.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A value that an option does not take, or not with the others. The user is told where the help is, too.
struct BadUsage : BadInput {
    BadUsage(const std::string& option, const std::string& sentence) : BadInput(option + ": " + sentence) {}
};

/// Something that no other argument mends, but perhaps another time or machine: a full disk, or memory. what() is the
/// sentence to show.
struct SystemFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What `check` finds. what() is the sentence that says where.
struct NotInOrder : std::runtime_error {
    using std::runtime_error::runtime_error;
};

SubCommand argsort_command();
SubCommand check_command();
SubCommand devices_command();
SubCommand doctor_command();
SubCommand group_command();
SubCommand merge_command();
SubCommand plan_command();
SubCommand sort_command();
SubCommand stats_command();
SubCommand topk_command();
SubCommand tune_command();
