// SPDX-License-Identifier: MIT
// Files as the command reads and writes them; "-" is standard input or output.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Bytes that can grow without ever being held twice: for big blocks realloc moves pages, not their contents.
class Bytes {
public:
    std::byte* data() noexcept { return block_.get(); }
    const std::byte* data() const noexcept { return block_.get(); }
    std::size_t size() const noexcept { return size_; }

    /// Makes room for `more` bytes after the end, and gives their place. Throws SystemFailure where the machine has no
    /// memory for them, before any of it is taken.
    std::byte* room(std::size_t more);
    /// Says how many bytes were put in that place.
    void grew(std::size_t bytes) noexcept { size_ += bytes; }
    void append(std::string_view more);
    /// Leaves the first bytes only.
    void shrink(std::size_t bytes) noexcept { size_ = bytes; }

private:
    struct Free {
        void operator()(std::byte* block) const noexcept { std::free(block); }
    };
    std::unique_ptr<std::byte, Free> block_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// A file descriptor that is closed at the end, unless it is one of the standard streams.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    int get() const noexcept { return number_; }
    int release() noexcept;

private:
    int number_;
};

/// Reads or writes all of those bytes; false with errno set if that is not possible, EIO where the file ends before.
bool read_at(int file, std::uint64_t offset, void* to, std::size_t bytes);
bool write_at(int file, std::uint64_t offset, const void* from, std::size_t bytes);

/// Throws BadInput with that sentence where another file or user is all it takes, else SystemFailure.
[[noreturn]] void fail_by(int error, const std::string& sentence);

/// A file to read. Every failure names the file: a BadInput, or a SystemFailure where the path is not to blame.
class InputFile {
public:
    /// Throws BadInput where a sort in place was ended in the middle of it, unless that is to be finished.
    explicit InputFile(const std::string& path, bool may_be_half_sorted = false);

    /// The name to show.
    const std::string& name() const noexcept { return name_; }
    /// How many bytes there are to read where that is known in advance, else 0.
    std::uint64_t known_size() const noexcept { return known_size_; }
    /// Keys of at most that many bytes can be sorted, for a reason that ends a sentence.
    void limit_keys(std::uint64_t most_bytes, std::string why);
    /// Throws BadInput that says so where that many bytes of keys are too many.
    void require_few(std::uint64_t key_bytes) const;
    /// What limit_keys said.
    std::uint64_t most_key_bytes() const noexcept { return most_bytes_; }
    /// Bytes read of it until now, before they are decompressed.
    std::uint64_t taken() const noexcept { return taken_; }
    /// After the end of the file: throws BadInput where it was written to since it was opened.
    void require_unchanged() const;
    /// The same in the middle of it.
    void require_unwritten() const;
    /// Reads up to `bytes` bytes; fewer only at the end of the file.
    std::size_t read(void* to, std::size_t bytes);
    /// The next bytes, fewer only at the end of the file; read() gives them again. Valid until the next call.
    std::string_view peek(std::size_t bytes);
    /// Has read() give these pieces, until one is empty, before what is left of the file.
    void put_in_front(std::function<std::string()> next_piece);
    /// If the file is compressed by gzip, gives what that held from here on. Before anything is read.
    void decompress();

private:
    bool is_made_when_read() const noexcept;
    [[noreturn]] void refuse_change(std::int64_t size_now) const;
    std::size_t read_on(void* to, std::size_t bytes);
    std::size_t read_bytes(void* to, std::size_t bytes);

    class Gunzip;
    struct DeleteGunzip {
        void operator()(Gunzip* gunzip) const noexcept;
    };

    std::string name_;
    Descriptor file_;
    std::uint64_t known_size_ = 0, most_bytes_ = UINT64_MAX;
    std::uint64_t begin_ = 0;  ///< what others have read of standard input
    std::uint64_t taken_ = 0;  ///< bytes read from the file itself
    struct stat opened_ {};
    std::string why_no_more_;
    std::string ahead_;                      ///< what was peeked at
    std::function<std::string()> in_front_;  ///< what comes before the rest of the file
    std::unique_ptr<Gunzip, DeleteGunzip> gunzip_;
};

/// Reads what is left of a file.
Bytes read_all(InputFile& file);
/// The same, behind what is there.
void read_all(InputFile& file, Bytes& bytes);

/// Reads what is left of a file that holds keys. No more is read where they are too many.
Bytes read_keys(InputFile& file);

/// The path of a file that is removed at the end, also by a signal that can be caught, unless it was kept. There is one
/// at a time.
class Temporary {
public:
    Temporary() = default;
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::string& path() const noexcept { return path_; }
    void remove_later(const std::string& path);
    void keep() noexcept;

private:
    std::string path_;
};

/// A file that appears whole or not at all: what is written goes to a temporary file beside it, which takes its place
/// in commit(), and goes away if that is not reached, also by a signal; SIGKILL leaves it. An existing file keeps its
/// rights (rights.hpp) and a symbolic link its target. Pipes and devices are written directly. Failures are those of
/// InputFile.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);

    void write(const void* from, std::size_t bytes);
    void commit();

private:
    std::string name_;
    std::string target_;   ///< the path that the temporary file will get
    Temporary temporary_;  ///< has no path where the file is written directly
    Descriptor file_{-1};

    void open(const std::string& path);
    [[noreturn]] void fail() const;
};

/// Gathers small pieces on their way to a file. What was not flushed is lost.
class BufferedWriter {
public:
    explicit BufferedWriter(OutputFile& file) : file_(file) { buffer_.reserve(capacity); }

    void write(std::string_view piece);
    void flush();

private:
    static constexpr std::size_t capacity = std::size_t{1} << 20;
    OutputFile& file_;
    std::vector<char> buffer_;
};

/// Writes all of the text to standard output. Failures are those of OutputFile.
void print(std::string_view text);

/// Writes the text to standard error where that is possible: what is said there changes nothing of how a command ends.
void tell(std::string_view text) noexcept;

/// Gives a standard stream that is closed a file that can neither be read nor written in its way. Else the next file
/// that is opened would get its number, and what is meant for the stream.
void occupy_standard_streams() noexcept;
