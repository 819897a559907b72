// SPDX-License-Identifier: MIT
#include "rights.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace {

/// What `get` writes to a place of some size; it gives the size that is needed where that is 0. Nothing with errno set
/// if that is not possible.
template <class Get>
std::optional<std::string> read_whole(Get get) {
    for (;;) {
        const ssize_t size = get(nullptr, 0);
        if (size < 0) return std::nullopt;
        std::string text(static_cast<std::size_t>(size), '\0');
        const ssize_t got = size == 0 ? 0 : get(text.data(), text.size());
        if (got < 0 && errno == ERANGE) continue;  // it has grown
        if (got < 0) return std::nullopt;
        text.resize(static_cast<std::size_t>(got));
        return text;
    }
}

/// An attribute of users, an access control list or a label. The file system's own ones are left to it.
bool is_kept(std::string_view attribute) {
    constexpr std::string_view about_contents[] = {"security.capability", "security.ima", "security.evm"};
    return (attribute.starts_with("user.") || attribute.starts_with("system.") || attribute.starts_with("security.")) &&
           std::ranges::find(about_contents, attribute) == std::end(about_contents);
}

bool is_access_list(const std::string& attribute) { return attribute.starts_with("system."); }

/// Those of the file at that path that are kept, access control lists last: they may forbid to set the others.
std::optional<std::vector<std::string>> attributes_of(const std::string& path) {
    const auto list = read_whole([&](char* to, std::size_t size) { return ::listxattr(path.c_str(), to, size); });
    std::vector<std::string> attributes;
    if (!list) return errno == ENOTSUP ? std::optional(attributes) : std::nullopt;
    std::istringstream names(*list);
    for (std::string name; std::getline(names, name, '\0');)
        if (is_kept(name)) attributes.push_back(name);
    std::stable_partition(attributes.begin(), attributes.end(), std::not_fn(is_access_list));
    return attributes;
}

bool copy_attribute(int file, const std::string& path, const char* name) {
    const auto wanted =
        read_whole([&](char* to, std::size_t size) { return ::getxattr(path.c_str(), name, to, size); });
    if (!wanted) return false;
    // A label that the file has by itself need not be set, which not everyone may.
    const auto given = read_whole([&](char* to, std::size_t size) { return ::fgetxattr(file, name, to, size); });
    return given == wanted || ::fsetxattr(file, name, wanted->data(), wanted->size(), 0) == 0;
}

/// What a new file gets where its folder has a default for access control lists.
bool remove_access_list(int file) {
    return ::fremovexattr(file, "system.posix_acl_access") == 0 || errno == ENODATA || errno == ENOTSUP;
}

}  // namespace

std::optional<std::string> keep_rights(int file, const std::string& path, const struct stat& status) {
    const auto lost = [](std::string_view what) {
        return fmt::format("its {} cannot be kept: {}", what, std::strerror(errno));
    };
    const auto attributes = attributes_of(path);
    if (!attributes) return lost("attributes");
    const bool has_access_list = std::ranges::any_of(*attributes, is_access_list);

    // Only root can give a file back to its owner. For others it becomes their own, as in any editor, but not another
    // group's with the rights of this one.
    const mode_t mode = status.st_mode & 0777;
    const bool group_differs = has_access_list || (mode >> 3 & 7) != (mode & 7);
    if (::fchown(file, status.st_uid, status.st_gid) != 0 &&
        ::fchown(file, static_cast<uid_t>(-1), status.st_gid) != 0 && group_differs)
        return lost("group");

    for (const std::string& name : *attributes)
        if (!copy_attribute(file, path, name.c_str())) return lost("attribute " + name);
    // An access control list holds the permissions, too.
    if (!has_access_list && (!remove_access_list(file) || ::fchmod(file, mode) != 0)) return lost("permissions");
    return std::nullopt;
}
