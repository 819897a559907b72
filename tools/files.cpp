// SPDX-License-Identifier: MIT
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <utility>

#include <fmt/core.h>

#include "command.hpp"
#include "journal.hpp"
#include "memory.hpp"
#include "rights.hpp"

namespace {

/// The temporary file that a signal has to remove.
std::string interrupted_temporary;

extern "C" void remove_temporary(int signal) {
    ::unlink(interrupted_temporary.c_str());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// The signals by which a command is ended, without those that are ignored, as under nohup. Drivers may handle them,
/// too: that is why this is found out before any is loaded.
const std::vector<int> ending_signals = [] {
    std::vector<int> signals;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT,
                             SIGXCPU, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) signals.push_back(signal);
    }
    return signals;
}();

void on_end(void (*handler)(int)) {
    for (const int signal : ending_signals) std::signal(signal, handler);
}

/// The file that a chain of symbolic links leads to; it need not exist.
std::filesystem::path link_target(std::filesystem::path path) {
    constexpr int most_links = 40;  // as in Linux
    for (int links = 0; std::filesystem::is_symlink(path); ++links) {
        if (links == most_links)
            throw std::filesystem::filesystem_error({}, std::make_error_code(std::errc::too_many_symbolic_link_levels));
        path = path.parent_path() / std::filesystem::read_symlink(path);
    }
    return path;
}

/// Linux gives memory that it does not have, and ends a process when it is used.
void require_memory(std::uint64_t bytes) {
    constexpr std::uint64_t small = std::uint64_t{64} << 20;
    if (bytes < small) return;
    if (const std::uint64_t available = available_memory(); bytes > available)
        throw SystemFailure(fmt::format("{} more bytes of memory are needed, but {} are available", bytes, available));
}

/// Writes everything; false with errno set if that is not possible.
bool write_all(int file, const void* from, std::size_t bytes) {
    // Linux writes no more than 2^31 - 4096 bytes at once.
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    const auto* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const ssize_t written = ::write(file, next, std::min(bytes, most_at_once));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        next += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

/// Throws BadInput for a file, of that size, that a sort in place has begun and not ended.
void require_not_half_sorted(const std::string& path, std::uint64_t size) {
    std::error_code error;
    const std::string file = std::filesystem::canonical(path, error).string();  // a link's journal is beside the file
    if (!error && is_half_sorted(file, size))
        throw BadInput(
            fmt::format("{} is half sorted in place, and the journal beside it has some of its numbers: let the "
                        "command that began it end, or run it again if it was ended; if the file is another one now, "
                        "or nobody wants its numbers, remove the journal",
                        path));
}

}  // namespace

std::byte* Bytes::room(std::size_t more) {
    if (more > capacity_ - size_) {
        const std::size_t capacity = std::max(size_ + more, 2 * capacity_);
        require_memory(capacity - capacity_);
        auto* const block = static_cast<std::byte*>(std::realloc(block_.get(), capacity));
        if (!block) throw SystemFailure(fmt::format("{} bytes of memory cannot be had", capacity));
        static_cast<void>(block_.release());
        block_.reset(block);
        capacity_ = capacity;
    }
    return data() + size_;
}

void Bytes::append(std::string_view more) {
    std::memcpy(room(more.size()), more.data(), more.size());
    grew(more.size());
}

Descriptor::~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
}

int Descriptor::release() noexcept { return std::exchange(number_, -1); }

void fail_by(int error, const std::string& sentence) {
    constexpr int of_paths[] = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, EROFS, ETXTBSY, ENXIO};
    if (std::ranges::find(of_paths, error) != std::end(of_paths)) throw BadInput(sentence);
    throw SystemFailure(sentence);
}

bool read_at(int file, std::uint64_t offset, void* to, std::size_t bytes) {
    auto* next = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t got = ::pread(file, next, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        next += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_at(int file, std::uint64_t offset, const void* from, std::size_t bytes) {
    const auto* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const ssize_t written = ::pwrite(file, next, bytes, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        next += written;
        offset += static_cast<std::uint64_t>(written);
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

InputFile::InputFile(const std::string& path, bool may_be_half_sorted)
    : name_(path == "-" ? "standard input" : path),
      file_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_.get() < 0 || ::fstat(file_.get(), &opened_) != 0)
        fail_by(errno, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    if (!S_ISREG(opened_.st_mode)) return;
    const std::uint64_t size = static_cast<std::uint64_t>(opened_.st_size);
    if (const off_t position = ::lseek(file_.get(), 0, SEEK_CUR); position > 0)
        begin_ = std::min(static_cast<std::uint64_t>(position), size);
    known_size_ = size - begin_;
    if (!may_be_half_sorted && path != "-") require_not_half_sorted(path, known_size_);
}

void InputFile::require_unchanged() const {
    require_unwritten();
    if (!is_made_when_read() && begin_ + taken_ != static_cast<std::uint64_t>(opened_.st_size))
        refuse_change(opened_.st_size);
}

void InputFile::require_unwritten() const {
    if (is_made_when_read()) return;
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0) fail_by(errno, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    const auto time_of = [](const struct stat& status) {
        return std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    };
    if (now.st_size != opened_.st_size || time_of(now) != time_of(opened_)) refuse_change(now.st_size);
}

/// A pipe, or a file in /proc, which has no size.
bool InputFile::is_made_when_read() const noexcept { return !S_ISREG(opened_.st_mode) || opened_.st_size == 0; }

void InputFile::refuse_change(std::int64_t size_now) const {
    throw BadInput(fmt::format("{} was written to while it was read: of {} bytes {} were read, and there are {} now",
                               name_, opened_.st_size, begin_ + taken_, size_now));
}

void InputFile::limit_keys(std::uint64_t most_bytes, std::string why) {
    most_bytes_ = most_bytes;
    why_no_more_ = std::move(why);
}

void InputFile::require_few(std::uint64_t key_bytes) const {
    if (key_bytes > most_bytes_)
        throw BadInput(fmt::format("{} has keys of {} bytes{}, but {} can be sorted: {}", name_, key_bytes,
                                   key_bytes != known_size_ ? " or more" : "", most_bytes_, why_no_more_));
}

std::size_t InputFile::read(void* to, std::size_t bytes) {
    auto* const first = static_cast<char*>(to);
    std::size_t done = 0;
    for (;;) {
        const std::size_t peeked = ahead_.copy(first + done, bytes - done);
        ahead_.erase(0, peeked);
        done += peeked;
        if (done == bytes || !in_front_) return done + read_on(first + done, bytes - done);
        ahead_ = in_front_();
        if (ahead_.empty()) in_front_ = {};
    }
}

void InputFile::put_in_front(std::function<std::string()> next_piece) {
    in_front_ = [next_piece = std::move(next_piece), peeked = std::exchange(ahead_, {})]() mutable {
        std::string piece = next_piece();
        return piece.empty() ? std::exchange(peeked, {}) : piece;
    };
}

std::string_view InputFile::peek(std::size_t bytes) {
    if (const std::size_t peeked = ahead_.size(); peeked < bytes) {
        ahead_.resize(bytes);
        ahead_.resize(peeked + read_on(ahead_.data() + peeked, bytes - peeked));
    }
    return std::string_view(ahead_).substr(0, bytes);
}

/// Turns the bytes of a gzip file into what they were made of. Several such files one after the other are one.
class InputFile::Gunzip {
public:
    explicit Gunzip(std::string_view first) : in_(first.begin(), first.end()) {
        constexpr int gzip_alone = 16 + MAX_WBITS;
        take_input();
        if (::inflateInit2(&stream_, gzip_alone) != Z_OK) throw std::bad_alloc();
    }
    ~Gunzip() { ::inflateEnd(&stream_); }
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    std::size_t read(InputFile& file, void* to, std::size_t bytes) {
        std::size_t done = 0;
        while (done < bytes) {
            if (is_whole_) skip_padding(file);
            else if (stream_.avail_in == 0) take_more(file);
            if (stream_.avail_in == 0 && is_whole_) break;
            if (stream_.avail_in == 0)
                throw BadInput(fmt::format("{} is compressed by gzip and ends too soon", file.name()));
            if (is_whole_) ::inflateReset(&stream_);
            const std::size_t room = std::min<std::size_t>(bytes - done, std::numeric_limits<uInt>::max());
            stream_.next_out = static_cast<Bytef*>(to) + done;
            stream_.avail_out = static_cast<uInt>(room);
            const int status = ::inflate(&stream_, Z_NO_FLUSH);
            done += room - stream_.avail_out;
            is_whole_ = status == Z_STREAM_END;
            if (status == Z_MEM_ERROR) throw std::bad_alloc();
            // Z_BUF_ERROR is for want of input or room: there are both, so to go on then would never end.
            if (status != Z_OK && status != Z_STREAM_END)
                throw BadInput(fmt::format("{} is compressed by gzip and damaged: {}", file.name(),
                                           stream_.msg ? stream_.msg : "it cannot be read"));
        }
        return done;
    }

private:
    static constexpr std::size_t chunk = std::size_t{1} << 18;

    /// False where the file has ended.
    bool take_more(InputFile& file) {
        in_.resize(chunk);
        in_.resize(file.read_bytes(in_.data(), chunk));
        take_input();
        return !in_.empty();
    }

    /// Zeros behind a whole file fill the blocks of a tape, and are no part of it for gzip either.
    void skip_padding(InputFile& file) {
        do {
            for (; stream_.avail_in > 0 && *stream_.next_in == 0; --stream_.avail_in) ++stream_.next_in;
        } while (stream_.avail_in == 0 && take_more(file));
    }

    void take_input() {
        stream_.next_in = in_.data();
        stream_.avail_in = static_cast<uInt>(in_.size());
    }

    std::vector<Bytef> in_;
    z_stream stream_{};
    bool is_whole_ = false;  ///< one file has ended, and no other has begun
};

void InputFile::DeleteGunzip::operator()(Gunzip* gunzip) const noexcept { delete gunzip; }

void InputFile::decompress() {
    using namespace std::string_view_literals;
    constexpr std::string_view magic = "\x1f\x8b\x08"sv;
    if (peek(magic.size()) != magic) return;
    gunzip_.reset(new Gunzip(ahead_));
    ahead_.clear();
    known_size_ = 0;
}

std::size_t InputFile::read_on(void* to, std::size_t bytes) {
    return gunzip_ ? gunzip_->read(*this, to, bytes) : read_bytes(to, bytes);
}

std::size_t InputFile::read_bytes(void* to, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::read(file_.get(), static_cast<char*>(to) + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_by(errno, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
        taken_ += static_cast<std::uint64_t>(got);
    }
    return done;
}

namespace {

/// `check` gets the number of bytes, as far as it is known.
template <class Check>
void read_all(InputFile& file, Bytes& bytes, Check check) {
    constexpr std::size_t least = std::size_t{1} << 20;
    check(file.known_size());
    // The size that is known in advance is only a hint: the file may be growing, or one of those in /proc.
    for (std::size_t asked = file.known_size() + 1;; asked = std::max(bytes.size(), least)) {
        const std::size_t got = file.read(bytes.room(asked), asked);
        bytes.grew(got);
        check(bytes.size());
        if (got < asked) return;
    }
}

}  // namespace

Bytes read_all(InputFile& file) {
    Bytes bytes;
    read_all(file, bytes);
    return bytes;
}

void read_all(InputFile& file, Bytes& bytes) {
    read_all(file, bytes, [](std::uint64_t) {});
}

Bytes read_keys(InputFile& file) {
    Bytes bytes;
    read_all(file, bytes, [&](std::uint64_t size) { file.require_few(size); });
    return bytes;
}

Temporary::~Temporary() {
    if (path_.empty()) return;
    ::unlink(path_.c_str());
    keep();
}

void Temporary::remove_later(const std::string& path) {
    path_ = interrupted_temporary = path;
    on_end(remove_temporary);
}

void Temporary::keep() noexcept {
    path_.clear();
    on_end(SIG_DFL);
}

OutputFile::OutputFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
    try {
        open(path);
    } catch (const std::filesystem::filesystem_error& failure) {
        errno = failure.code().value();
        fail();
    }
}

void OutputFile::open(const std::string& path) {
    // Opened by name, /dev/stdout would overwrite what the shell redirected it to.
    if (path == "-" || path == "/dev/stdout") {
        file_ = Descriptor(STDOUT_FILENO);
        return;
    }
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (file_.get() < 0) fail();
        return;
    }
    if (exists) require_not_half_sorted(path, static_cast<std::uint64_t>(status.st_size));
    const std::filesystem::path target = link_target(path);
    target_ = target;
    // A directory that can be written would let us replace even a file that must not be.
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail();

    std::string temporary;
    for (int attempt = 0; file_.get() < 0; ++attempt) {
        temporary = target.parent_path() / fmt::format(".lanesort-{}-{}", ::getpid(), attempt);
        // One that replaces another is nobody else's before it has that one's rights.
        file_ = Descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666));
        if (file_.get() < 0 && errno != EEXIST) fail();
    }
    temporary_.remove_later(temporary);
    if (!exists) return;
    if (const auto lost = keep_rights(file_.get(), target_, status))
        fail_by(errno, fmt::format("cannot write {}: {}", name_, *lost));
}

void OutputFile::write(const void* from, std::size_t bytes) {
    if (!write_all(file_.get(), from, bytes)) fail();
}

void OutputFile::commit() {
    if (temporary_.path().empty()) return;
    if (::fsync(file_.get()) != 0 || ::close(file_.release()) != 0) fail();
    if (::rename(temporary_.path().c_str(), target_.c_str()) != 0) fail();
    temporary_.keep();
}

void OutputFile::fail() const { fail_by(errno, fmt::format("cannot write {}: {}", name_, std::strerror(errno))); }

void BufferedWriter::write(std::string_view piece) {
    if (piece.size() > capacity - buffer_.size()) flush();
    if (piece.size() > capacity) return file_.write(piece.data(), piece.size());
    buffer_.insert(buffer_.end(), piece.begin(), piece.end());
}

void BufferedWriter::flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void print(std::string_view text) { OutputFile("-").write(text.data(), text.size()); }

void tell(std::string_view text) noexcept {
    // A pipe that nobody reads is to be an error here, not the end.
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    [[maybe_unused]] const bool told = write_all(STDERR_FILENO, text.data(), text.size());
    std::signal(SIGPIPE, handler);
}

void occupy_standard_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
