// SPDX-License-Identifier: MIT
// Who may do what with a file.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

/// Gives a new file, which only its owner may open, what the one at that path has besides its contents: group,
/// permissions, access control list and extended attributes, and the owner where this user may (root). Of attributes,
/// those that vouch for the contents are left out: capabilities, signatures; so are the bits for set-user-ID and the
/// like. Nobody gets a right that they did not have: where something cannot be kept, gives the words that say so, to go
/// after the name of the file.
std::optional<std::string> keep_rights(int file, const std::string& path, const struct stat& status);
