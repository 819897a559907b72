// SPDX-License-Identifier: MIT
#include "temporary_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "command.hpp"

namespace {

/// Opens a file without a name; below 0 with errno set if that is not possible.
int open_nameless(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    // Some file systems, such as NFS, have no files without a name.
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
    std::string name = folder + "/.lanesort-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.c_str());
    return named;
}

}  // namespace

std::string temporary_folder(const std::string& asked, const std::string& out) {
    if (!asked.empty()) return asked;
    if (const char* const set = std::getenv("TMPDIR"); set && *set) return set;
    std::error_code ignored;
    const auto kind = std::filesystem::status(out, ignored).type();
    using enum std::filesystem::file_type;
    if (out == "-" || (kind != regular && kind != not_found)) return "/tmp";
    const std::filesystem::path folder = std::filesystem::path(out).parent_path();
    return folder.empty() ? "." : folder.string();
}

TemporaryFile::TemporaryFile(std::string folder) : folder_(std::move(folder)), file_(open_nameless(folder_)) {
    if (file_.get() < 0)
        throw BadInput(fmt::format("cannot make a temporary file in {}: {}; --temporary-directory names another folder",
                                   folder_, std::strerror(errno)));
}

void TemporaryFile::require_space(std::uint64_t bytes) const {
    struct statvfs status {};
    if (::fstatvfs(file_.get(), &status) != 0) fail("look at");
    if (const std::uint64_t left = std::uint64_t{status.f_bavail} * status.f_frsize; bytes > left)
        throw SystemFailure(
            fmt::format("temporary files in {} take up to {} more bytes, but {} are left there; --temporary-directory "
                        "names another folder",
                        folder_, bytes, left));
}

void TemporaryFile::write(std::uint64_t offset, const void* from, std::size_t bytes) {
    if (!write_at(file_.get(), offset, from, bytes)) fail("write");
    if (offset + bytes > size_) size_ = offset + bytes;
}

void TemporaryFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
    if (!read_at(file_.get(), offset, to, bytes)) fail("read");
}

void TemporaryFile::read_ahead(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    ::posix_fadvise(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

void TemporaryFile::clear() {
    if (::ftruncate(file_.get(), 0) != 0) fail("empty");
    size_ = 0;
}

void TemporaryFile::fail(const char* what) const {
    throw SystemFailure(fmt::format("cannot {} a temporary file in {}: {}", what, folder_, std::strerror(errno)));
}
