// SPDX-License-Identifier: MIT
// What is made of the sub-commands and their options for other programs to show: man, and shells that complete words.
#pragma once

#include <string>

#include "arguments.hpp"

/// The manual page, for man.
std::string manual_page(const CommandLine& line);

/// Scripts by which a shell completes sub-commands and options.
std::string bash_completion(const CommandLine& line);
std::string fish_completion(const CommandLine& line);
std::string zsh_completion(const CommandLine& line);
