// SPDX-License-Identifier: MIT
#include "in_place_sort.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>

#include <fmt/core.h>
#include <lanesort/key_order.hpp>

#include "command.hpp"
#include "progress.hpp"
#include "with_type.hpp"

using namespace lanesort;

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 19;
/// A block that is read by itself should take longer to read than to find.
constexpr std::size_t least_block_bytes = std::size_t{1} << 16;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

std::uint64_t hash_of_steps(const std::vector<Part>& steps) {
    std::uint64_t hash = hash_of({});
    for (const Part& part : steps) hash = hash_of(std::as_bytes(std::span(&part, 1)), hash);
    return hash;
}

std::uint64_t bytes_of_largest(const std::vector<Part>& steps, std::size_t key_bytes) {
    return key_bytes * std::ranges::max(steps, {}, &Part::count).count;
}

}  // namespace

InPlaceSort::InPlaceSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory)
    : options_(options), device_(device), memory_(memory), plan_(memory) {}

void InPlaceSort::run(const InputFile& in, const std::optional<NpyHeader>& npy) {
    open_file();
    const KeyType type = npy ? npy->type : *options_.type;
    key_bytes_ = key_bytes(type);
    part_.type = type;
    state_.begin = npy ? npy->bytes.size() : 0;
    state_.type = static_cast<std::uint64_t>(type);
    state_.order = static_cast<std::uint64_t>(options_.order);
    state_.row_length = npy && npy->shape.size() > 1 ? npy->shape.back() : 0;
    if (in.known_size() != state_.size)
        throw BadInput(fmt::format("{} is compressed by gzip, or was written to: it cannot be sorted in place", name_));
    const std::uint64_t bytes = state_.size - state_.begin, count = bytes / key_bytes_;
    if (!npy) require_whole_keys(in, bytes, type);

    const std::optional<JournalState> found = journal_->read();
    if (found) require_same_sort(*found);
    else if (has_other_names_)
        throw BadInput(
            fmt::format("{} has other names (hard links), by which a journal beside it would not be found", name_));
    state_.part_bytes = found
                            ? found->part_bytes
                            : std::min<std::uint64_t>(plan_.run_bytes(), in.most_key_bytes()) / key_bytes_ * key_bytes_;
    make_steps(count, state_.row_length);
    state_.schedule = hash_of_steps(steps_);
    if (count == 0) return journal_->remove();
    if (found && found->schedule != state_.schedule)
        throw BadInput(
            fmt::format("{} is of another version of lanesort, which can finish that sort", journal_->name()));

    announce();
    Progress progress("sorting in place");
    if (!found) {
        journal_->create(state_, bytes_of_largest(steps_, key_bytes_));
    } else {
        state_ = *found;
        if (state_.is_writing != 0) finish_step(steps_[state_.done]);
        else if (!is_unchanged())
            throw BadInput(
                fmt::format("{} was written to since its sort was ended; remove {} to sort what it holds now", name_,
                            journal_->name()));
    }
    while (state_.done < steps_.size()) {
        progress(state_.done, steps_.size());
        step(steps_[state_.done]);
    }
    progress(state_.done, steps_.size());
    device_.count_keys(count);
    require_unchanged();
    const bool is_right = !found || is_in_order(count, state_.row_length);
    journal_->remove();
    if (!is_right)
        throw BadInput(
            fmt::format("{} was written to since its sort was ended, so it is not in order; the same command "
                        "sorts what it holds now",
                        name_));
}

void InPlaceSort::open_file() {
    std::error_code error;
    // A journal is beside the file itself, also where the path is a symbolic link to it.
    const std::filesystem::path path = std::filesystem::canonical(options_.in, error);
    name_ = options_.in;
    file_ = Descriptor(::open(options_.in.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (error || file_.get() < 0 || ::fstat(file_.get(), &status) != 0) fail("write");
    if (!S_ISREG(status.st_mode)) throw BadInput(fmt::format("{} is no file that can be sorted in place", name_));
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) fail("lock");
        throw BadInput(fmt::format("{} is in use: another command sorts it in place", name_));
    }
    journal_.emplace(path.string());
    state_.size = static_cast<std::uint64_t>(status.st_size);
    has_other_names_ = status.st_nlink > 1;
    remember_change();
}

void InPlaceSort::make_steps(std::uint64_t count, std::uint64_t row_length) {
    const std::uint64_t capacity = state_.part_bytes / key_bytes_;
    const auto add = [&](std::uint64_t first, std::uint64_t keys) {
        const auto passes = lanesort::parts_that_sort(keys, capacity, least_block_bytes / key_bytes_);
        if (passes.empty()) {
            const std::uint64_t least = lanesort::least_capacity(keys) * key_bytes_,
                                limit = MemoryPlan::limit_for(least);
            throw BadInput(fmt::format(
                "{} has {} keys to sort in place, which takes {}", name_, keys,
                limit > memory_
                    ? fmt::format("{} bytes of memory, but --memory says {}", limit, memory_)
                    : fmt::format("parts of {} bytes, but the device has room for {}", least, capacity * key_bytes_)));
        }
        for (const auto& pass : passes)
            for (Part part : pass) {
                part.first += first;
                steps_.push_back(part);
            }
    };
    if (row_length == 0) return add(0, count);
    if (row_length > capacity) {
        for (std::uint64_t first = 0; first < count; first += row_length) add(first, row_length);
        return;
    }
    part_.row_length = row_length;
    const std::uint64_t most = capacity / row_length * row_length;
    for (std::uint64_t first = 0; first < count; first += most) {
        const std::uint64_t keys = std::min(most, count - first);
        steps_.push_back({first, keys, keys, keys});
    }
}

void InPlaceSort::require_same_sort(const JournalState& found) const {
    const auto is_same = [&](auto member) { return found.*member == state_.*member; };
    if (!is_same(&JournalState::type) || !is_same(&JournalState::order))
        throw BadInput(fmt::format("a sort of {} by --type {} --order {} was ended, and is to be finished first", name_,
                                   name(static_cast<KeyType>(found.type)),
                                   static_cast<Order>(found.order) == Order::ascending ? "asc" : "desc"));
    if (!is_same(&JournalState::size) || !is_same(&JournalState::begin) || !is_same(&JournalState::row_length))
        throw BadInput(fmt::format(
            "{} was written to since its sort was ended, or is read otherwise than then: it had {} bytes, and "
            "has {}; {} has numbers that were sorted then: remove it to sort what the file holds now",
            name_, found.size, state_.size, journal_->name()));
    if (found.part_bytes > plan_.run_bytes())
        throw BadInput(fmt::format("--memory says {} bytes, but the sort that is to be finished takes {}", memory_,
                                   MemoryPlan::limit_for(found.part_bytes)));
}

void InPlaceSort::announce() const {
    if (!options_.stats && ::isatty(STDERR_FILENO) == 0) return;
    tell(fmt::format("{} steps, each by way of a journal beside it, {}, which takes up to {} bytes\n", steps_.size(),
                     journal_->name(), bytes_of_largest(steps_, key_bytes_) + Journal::head_bytes));
}

void InPlaceSort::step(const Part& part) {
    require_unchanged();
    read_part(part);
    journal_->write_old(0, part_.bytes.data(), part_.bytes.size());
    Task synced = background_.run([this] { journal_->sync(); });
    device_.sort_keys(part_, false);
    synced.finish();
    require_unchanged();
    state_.is_writing = 1;
    journal_->write(state_);
    write_new(part);
}

/// Some numbers of the part may be the new ones already; what is neither old nor new is another's.
void InPlaceSort::finish_step(const Part& part) {
    const std::size_t bytes = part.count * key_bytes_;
    part_.bytes.shrink(0);
    journal_->read_old(0, part_.bytes.room(bytes), bytes);
    part_.bytes.grew(bytes);
    device_.sort_keys(part_, false);
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(2 * piece_bytes);
    std::byte *const now = buffer.get(), *const old = now + piece_bytes;
    const bool is_own =
        each_piece(part, piece_bytes, [&](std::uint64_t in_file, std::size_t in_part, std::size_t size) {
            if (!read_at(file_.get(), in_file, now, size)) fail("read");
            journal_->read_old(in_part, old, size);
            for (std::size_t i = 0; i < size; ++i)
                if (now[i] != old[i] && now[i] != part_.bytes.data()[in_part + i]) return false;
            return true;
        });
    if (!is_own)
        throw BadInput(fmt::format(
            "{} was written to since its sort was ended; {} has numbers that were sorted then: remove it to "
            "sort what the file holds now",
            name_, journal_->name()));
    write_new(part);
}

void InPlaceSort::write_new(const Part& part) {
    each_piece(part, SIZE_MAX, [&](std::uint64_t in_file, std::size_t in_part, std::size_t size) {
        if (!write_at(file_.get(), in_file, part_.bytes.data() + in_part, size)) fail("write");
        return true;
    });
    // What others write while this is brought to the disk is theirs. Not only data is: the next command goes by when
    // the file was changed.
    remember_change();
    if (::fsync(file_.get()) != 0) fail("write");
    ++state_.done;
    state_.is_writing = 0;
    journal_->write(state_);
}

void InPlaceSort::read_part(const Part& part) {
    constexpr std::uint64_t blocks_ahead = 32;
    const std::size_t bytes = part.count * key_bytes_;
    part_.bytes.shrink(0);
    std::byte* const to = part_.bytes.room(bytes);
    each_piece(part, SIZE_MAX, [&](std::uint64_t in_file, std::size_t in_part, std::size_t size) {
        if (part.pitch > part.width)
            ::posix_fadvise(file_.get(), static_cast<off_t>(in_file + blocks_ahead * part.pitch * key_bytes_),
                            static_cast<off_t>(size), POSIX_FADV_WILLNEED);
        if (!read_at(file_.get(), in_file, to + in_part, size)) fail("read");
        return true;
    });
    part_.bytes.grew(bytes);
}

template <class Piece>
bool InPlaceSort::each_piece(const Part& part, std::size_t most_bytes, const Piece& piece) const {
    for (std::uint64_t done = 0, row = 0; done < part.count; done += part.width, ++row) {
        const std::uint64_t block = state_.begin + (part.first + row * part.pitch) * key_bytes_;
        const std::size_t bytes = std::min(part.width, part.count - done) * key_bytes_;
        for (std::size_t at = 0; at < bytes; at += std::min(most_bytes, bytes - at))
            if (!piece(block + at, done * key_bytes_ + at, std::min(most_bytes, bytes - at))) return false;
    }
    return true;
}

bool InPlaceSort::is_in_order(std::uint64_t count, std::uint64_t row_length) const {
    const std::uint64_t row = row_length == 0 ? count : row_length;
    return with_type(part_.type, [&]<class T>(T) {
        using Bits = BitsOf<T>;
        const KeyCoding coding = key_coding(part_.type, options_.order);
        const auto keys = std::make_unique_for_overwrite<Bits[]>(piece_bytes / sizeof(Bits));
        Bits last = 0;
        std::uint64_t place = 0;
        const Part all{0, count, count, count};
        return each_piece(all, piece_bytes, [&](std::uint64_t in_file, std::size_t, std::size_t bytes) {
            if (!read_at(file_.get(), in_file, keys.get(), bytes)) fail("read");
            for (const Bits bits : std::span(keys.get(), bytes / sizeof(Bits))) {
                const Bits key = encode(bits, coding);
                if (place++ % row != 0 && key < last) return false;
                last = key;
            }
            return true;
        });
    });
}

bool InPlaceSort::is_unchanged() const {
    struct stat now {};
    struct stat named {};
    if (::fstat(file_.get(), &now) != 0) fail("look at");
    const bool is_there =
        ::stat(name_.c_str(), &named) == 0 && named.st_dev == now.st_dev && named.st_ino == now.st_ino;
    return is_there && static_cast<std::uint64_t>(now.st_size) == state_.size &&
           static_cast<std::uint64_t>(now.st_mtim.tv_sec) == state_.seconds &&
           static_cast<std::uint64_t>(now.st_mtim.tv_nsec) == state_.nanoseconds;
}

/// Nothing is being written, so what the file has is all there is.
void InPlaceSort::require_unchanged() const {
    if (is_unchanged()) return;
    journal_->remove();
    throw BadInput(
        fmt::format("{} was written to, moved or replaced while it was sorted: the file that was sorted has "
                    "its numbers in some order, and what was written",
                    name_));
}

void InPlaceSort::remember_change() {
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0) fail("look at");
    state_.seconds = static_cast<std::uint64_t>(now.st_mtim.tv_sec);
    state_.nanoseconds = static_cast<std::uint64_t>(now.st_mtim.tv_nsec);
}

void InPlaceSort::fail(const char* what) const {
    const int error = errno;
    fail_by(error, fmt::format("cannot {} {}: {}{}", what, name_, std::strerror(error),
                               state_.has_begun() ? "; the same command finishes the sort" : ""));
}

void InPlaceSort::print_stats() const {
    if (!options_.stats) return;
    tell(fmt::format("{:<20}{}\n{:<20}{}\n", "steps", steps_.size(), "temporary bytes",
                     bytes_of_largest(steps_, key_bytes_) + Journal::head_bytes));
}
