// SPDX-License-Identifier: MIT
// What a file that is replaced keeps, and that nobody gets a right to it that they did not have.
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "command_support.hpp"
#include "tools/command.hpp"
#include "tools/files.hpp"

namespace lanesort::test {
namespace {

constexpr const char *access_list = "system.posix_acl_access", *default_list = "system.posix_acl_default";

/// An entry of an access control list as Linux stores it.
struct Entry {
    enum Tag : std::uint16_t { owner = 1, user = 2, group = 4, mask = 16, others = 32 };
    std::uint16_t tag, rights;
    std::uint32_t id = UINT32_MAX;
};

/// Lets that user read and write, and the file's group do nothing, though that is not what its permissions say.
std::string a_list(std::uint32_t user) {
    const std::vector<Entry> entries = {
        {Entry::owner, 6}, {Entry::user, 6, user}, {Entry::group, 0}, {Entry::mask, 6}, {Entry::others, 0}};
    const std::uint32_t version = 2;
    std::string list(reinterpret_cast<const char*>(&version), sizeof version);
    return list.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Entry));
}

/// False where the file system has no such attributes, or this user may not set them.
bool set(const std::string& path, const char* name, const std::string& value) {
    if (setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0) return true;
    REQUIRE((errno == ENOTSUP || errno == EPERM));
    MESSAGE("skipped: attributes like ", std::string(name), " cannot be set here");
    return false;
}

std::optional<std::string> get(const std::string& path, const char* name) {
    std::string value(1000, ' ');
    const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
    if (size < 0) return std::nullopt;
    value.resize(static_cast<std::size_t>(size));
    return value;
}

struct stat status_of(const std::string& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status;
}

mode_t mode_of(const std::string& path) { return status_of(path).st_mode & 07777; }

/// A file of these permissions that holds "before".
std::string old_file(const Scene& scene, mode_t mode) {
    const std::string path = scene.file("out", "before");
    REQUIRE(chmod(path.c_str(), mode) == 0);
    return path;
}

void replace(const std::string& path) {
    OutputFile out(path);
    out.write("after", 5);
    out.commit();
}

/// What another user is told who replaces the file; empty if they may.
std::string told_another_user(const std::string& path, uid_t user, gid_t group) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        std::string told;
        try {
            if (setgroups(0, nullptr) != 0 || setgid(group) != 0 || setuid(user) != 0) throw BadInput("no such user");
            replace(path);
        } catch (const BadInput& error) {
            told = error.what();
        }
        _exit(write(ends[1], told.data(), told.size()) < 0);
    }
    close(ends[1]);
    std::string told(1000, ' ');
    const ssize_t size = read(ends[0], told.data(), told.size());
    close(ends[0]);
    CHECK(wait_for(process) == 0);
    told.resize(static_cast<std::size_t>(size));
    return told;
}

TEST_CASE("a file that is replaced keeps its attributes and its access control list") {
    const Scene scene;
    const std::string out = old_file(scene, 0640);
    if (!set(out, "user.note", "mine") || !set(out, "user.empty", "") || !set(out, access_list, a_list(1234))) return;
    REQUIRE(mode_of(out) == 0660);  // the group's part is the mask
    replace(out);
    CHECK(read_file(out) == "after");
    CHECK(get(out, "user.note") == "mine");
    CHECK(get(out, "user.empty") == "");
    CHECK(get(out, access_list) == a_list(1234));
    CHECK(mode_of(out) == 0660);
}

TEST_CASE("the default of a folder gives nobody a right to a file that is replaced") {
    const Scene scene;
    const std::string out = old_file(scene, 0660), made = scene.path("made");
    if (!set(scene.folder(), default_list, a_list(1234))) return;
    replace(out);
    CHECK(!get(out, access_list));
    CHECK(mode_of(out) == 0660);
    replace(made);
    CHECK(get(made, access_list) == a_list(1234));
}

TEST_CASE("what vouches for the contents is not kept") {
    const Scene scene;
    const std::string out = old_file(scene, 06755);
    if (geteuid() == 0) {
        const std::string capability("\1\0\0\2\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
        if (!set(out, "security.capability", capability)) return;
    }
    replace(out);
    CHECK(mode_of(out) == 0755);
    CHECK(!get(out, "security.capability"));
}

TEST_CASE("other names of a file keep what was there") {
    const Scene scene;
    const std::string out = old_file(scene, 0600), other = scene.path("other");
    fs::create_hard_link(out, other);
    replace(out);
    CHECK(read_file(out) == "after");
    CHECK(read_file(other) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("owner and group of a file that is replaced") {
    if (geteuid() != 0) {
        MESSAGE("skipped: only root can give files away");
        return;
    }
    const Scene scene;
    constexpr uid_t owner = 1234, another = 4321;
    REQUIRE(chmod(scene.folder().c_str(), 0777) == 0);
    const auto owned = [&](mode_t mode) {
        const std::string out = old_file(scene, mode);
        REQUIRE(chown(out.c_str(), owner, owner) == 0);
        return out;
    };
    const std::string out = owned(0640);
    replace(out);
    CHECK(status_of(out).st_uid == owner);
    CHECK(status_of(out).st_gid == owner);
    CHECK(mode_of(out) == 0640);

    // One of the group may write, and it stays the group's.
    CHECK(told_another_user(owned(0660), another, owner) == "");
    CHECK(status_of(out).st_uid == another);
    CHECK(status_of(out).st_gid == owner);
    CHECK(mode_of(out) == 0660);
    // Others give it to their own group, if that can do no more than before.
    CHECK(told_another_user(owned(0666), another, another) == "");
    CHECK(status_of(out).st_gid == another);
    const std::string sentence = "cannot write " + out + ": its group cannot be kept: Operation not permitted";
    CHECK(told_another_user(owned(0676), another, another) == sentence);
    CHECK(told_another_user(owned(0606), another, another) == sentence);
    CHECK(read_file(out) == "before");
    CHECK(status_of(out).st_gid == owner);

    owned(0600);
    if (!set(out, access_list, a_list(another))) return;
    CHECK(told_another_user(out, another, another) == sentence);
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 1);
}

}  // namespace
}  // namespace lanesort::test
