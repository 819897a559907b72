// SPDX-License-Identifier: MIT
// How the command line is read.
#pragma once

#include <string>

#include "arguments.hpp"

/// The help for people: that of the sub-command, or of all if it is empty. Throws BadInput if there is none.
std::string help_of(const CommandLine& line, const std::string& command);

/// Runs the sub-command that the arguments name. Throws BadInput for what is wrong with them.
void run(const CommandLine& line, int argc, char** argv);
