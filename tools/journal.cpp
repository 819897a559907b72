// SPDX-License-Identifier: MIT
#include "journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <type_traits>

#include <fmt/core.h>

#include "command.hpp"

namespace {

struct Head {
    std::array<char, 8> magic;
    JournalState state;
    std::uint64_t check;
};
static_assert(sizeof(Head) <= 512 && std::has_unique_object_representations_v<Head>);

constexpr std::array<char, 8> magic = {'l', 'a', 'n', 'e', 's', 'J', 'r', '1'};

std::string name_of_journal(const std::string& file) { return file + ".lanesort-journal"; }

Head head_of(const JournalState& state) {
    Head head{magic, state, 0};
    head.check = hash_of(std::as_bytes(std::span(&head, 1)));
    return head;
}

bool is_whole(const Head& head) { return head.magic == magic && head_of(head.state).check == head.check; }

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t hash) noexcept {
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    return hash;
}

bool is_half_sorted(const std::string& file, std::uint64_t size) {
    const Descriptor journal(::open(name_of_journal(file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    Head head{};
    return journal.get() >= 0 && ::fstat(journal.get(), &status) == 0 && S_ISREG(status.st_mode) &&
           read_at(journal.get(), 0, &head, sizeof head) && is_whole(head) && head.state.size == size &&
           head.state.has_begun();
}

Journal::Journal(const std::string& file)
    : name_(name_of_journal(file)), file_(::open(name_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {
    if (file_.get() < 0 && errno != ENOENT) fail("read");
    struct stat status {};
    if (file_.get() >= 0 &&
        (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()))
        throw BadInput(fmt::format("{} is not a journal of your own", name_));
}

std::optional<JournalState> Journal::read() const {
    if (file_.get() < 0) return std::nullopt;
    Head head{};
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) fail("read");
    // A short one is all zeros behind its end.
    const auto there = std::min<std::uint64_t>(static_cast<std::uint64_t>(status.st_size), sizeof head);
    if (!read_at(file_.get(), 0, &head, there)) fail("read");
    // It was ended before the first state was there: then nothing has been overwritten yet.
    const auto bytes = std::as_bytes(std::span(&head, 1));
    if (std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; })) return std::nullopt;
    if (!is_whole(head))
        throw BadInput(fmt::format(
            "{} is damaged, or of another version of lanesort, which can finish that sort. If it is damaged, "
            "some numbers of the file may be lost; without the journal what the file holds is sorted",
            name_));
    if (!head.state.has_begun()) return std::nullopt;
    return head.state;
}

void Journal::create(const JournalState& state, std::uint64_t bytes) {
    file_ = Descriptor(::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file_.get() < 0) fail("make");
    if (const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(head_bytes + bytes)); error != 0) {
        remove();
        fail_by(error, fmt::format("{} takes {} bytes, for which there is no room: {}", name_, head_bytes + bytes,
                                   std::strerror(error)));
    }
    write(state);
    sync_folder();  // its name, too, is there before anything is overwritten
}

void Journal::write(const JournalState& state) {
    const Head head = head_of(state);
    if (!write_at(file_.get(), 0, &head, sizeof head)) fail("write");
    sync();
}

void Journal::sync() {
    if (::fdatasync(file_.get()) != 0) fail("write");
}

void Journal::write_old(std::uint64_t offset, const void* from, std::size_t bytes) {
    if (!write_at(file_.get(), head_bytes + offset, from, bytes)) fail("write");
}

void Journal::read_old(std::uint64_t offset, void* to, std::size_t bytes) const {
    if (!read_at(file_.get(), head_bytes + offset, to, bytes)) fail("read");
}

void Journal::remove() const noexcept { ::unlink(name_.c_str()); }

void Journal::sync_folder() const {
    const std::string folder = std::filesystem::path(name_).parent_path().string();
    const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems have no such sync, and need none.
    if (opened.get() < 0 || (::fsync(opened.get()) != 0 && errno != EINVAL)) fail("write");
}

void Journal::fail(const char* what) const {
    fail_by(errno, fmt::format("cannot {} {}: {}", what, name_, std::strerror(errno)));
}
