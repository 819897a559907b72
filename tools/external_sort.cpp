// SPDX-License-Identifier: MIT
#include "external_sort.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <lanesort/calls.hpp>
#include <lanesort/key_order.hpp>

#include "command.hpp"
#include "indices.hpp"
#include "loser_tree.hpp"
#include "progress.hpp"

using namespace lanesort;

namespace {

/// What is read ahead and written behind, besides keys and their buffers.
constexpr std::uint64_t stream_bytes = std::uint64_t{2} << 20;
constexpr std::uint64_t least_memory = std::uint64_t{4} << 20;
constexpr std::size_t widest_key = sizeof(std::uint64_t);
/// What is written at a time.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

template <class Function>
auto with_bits(KeyType type, Function function) {
    switch (key_bytes(type)) {
        case 1: return function(std::uint8_t{});
        case 2: return function(std::uint16_t{});
        case 4: return function(std::uint32_t{});
        default: return function(std::uint64_t{});
    }
}

void finish(std::vector<Task> tasks) {
    for (Task& task : tasks) task.finish();
}

/// Reads into the place of what is written from there, block by block, as that is done.
std::size_t read_behind(std::vector<Task>& writes, InputFile& in, std::byte* to, std::size_t bytes) {
    std::size_t done = 0;
    for (std::size_t block = 0; done < bytes && done == block * block_bytes; ++block) {
        if (block < writes.size()) writes[block].finish();
        done += in.read(to + done, std::min(block_bytes, bytes - done));
    }
    finish(std::exchange(writes, {}));
    return done;
}

template <class Bits>
struct Head {
    Bits key;
    std::uint32_t run;
};
/// Keys that are equal are so in every bit, so it does not matter which comes first.
struct ByKey {
    template <class Bits>
    bool operator()(const Head<Bits>& a, const Head<Bits>& b) const noexcept {
        return a.key < b.key;
    }
};

}  // namespace

MemoryPlan::MemoryPlan(std::uint64_t limit) : usable_(limit - std::min(limit, stream_bytes)) {
    if (limit < least_memory)
        throw BadInput(fmt::format("--memory says {} bytes, but a sort takes {} at least", limit, least_memory));
}

std::uint64_t MemoryPlan::limit_for(std::uint64_t run_bytes) noexcept {
    return std::max((run_bytes + 7) / 8 * 9 + stream_bytes, least_memory);
}

std::size_t MemoryPlan::buffer_bytes(std::size_t runs, std::size_t needed) const noexcept {
    constexpr std::uint64_t of_use = std::uint64_t{4} << 20, page = 4096;
    return static_cast<std::size_t>(
        std::min(usable_ / (runs + 1) / page * page, std::max<std::uint64_t>(of_use, needed)));
}

void announce_runs(const TemporaryFile& file, const MemoryPlan& plan, std::size_t run_bytes, std::size_t least_bytes,
                   bool stats, std::uint64_t expected_bytes, std::uint64_t most_bytes) {
    // Where one pass does not do, there are two files for a while.
    const auto needed_for = [&](std::uint64_t bytes) {
        return bytes / least_bytes >= plan.most_runs() ? 2 * bytes : bytes;
    };
    file.require_space(needed_for(expected_bytes));
    if (!stats && ::isatty(STDERR_FILENO) == 0) return;
    const std::string size =
        expected_bytes > 0 ? fmt::format("up to {} bytes", needed_for(most_bytes)) : "what is in IN, or twice as much";
    tell(
        fmt::format("runs of {} bytes go to a temporary file in {}, which takes {}\n", run_bytes, file.folder(), size));
}

void print_run_stats(bool stats, std::size_t runs, std::size_t passes, std::uint64_t temporary_bytes) {
    if (!stats) return;
    tell(fmt::format("{:<20}{}\n{:<20}{}\n{:<20}{}\n", "runs", runs, "merge passes", passes, "temporary bytes",
                     temporary_bytes));
}

/// Reads a run by and by, as integers in the order of the sort. While some are used, the next ones come.
template <class Bits>
class NumberSort::Reader {
public:
    Reader(const TemporaryFile& file, const Run& run, KeyType type, Order order, std::size_t buffer_bytes,
           Background& background)
        : file_(file),
          background_(background),
          run_(run),
          coding_(key_coding(type, order)),
          capacity_(buffer_bytes / 2 / sizeof(Bits)),
          keys_(std::make_unique_for_overwrite<Bits[]>(capacity_)),
          next_keys_(std::make_unique_for_overwrite<Bits[]>(capacity_)) {
        bring_next();
    }

    /// The next key; behind the end the largest one there is. As only as many are taken as all runs have, it does not
    /// matter that a key may be that, too.
    Bits next() {
        if (at_ == end_ && !read_more()) return std::numeric_limits<Bits>::max();
        return encode(keys_[at_++], coding_);
    }

private:
    void bring_next() {
        next_end_ =
            static_cast<std::size_t>(std::min<std::uint64_t>(capacity_, (run_.end - run_.begin) / sizeof(Bits)));
        const std::size_t bytes = next_end_ * sizeof(Bits);
        if (bytes == 0) return;
        coming_ = background_.run(
            [&file = file_, begin = run_.begin, to = next_keys_.get(), bytes] { file.read(begin, to, bytes); });
        run_.begin += bytes;
    }

    bool read_more() {
        if (!coming_.is_under_way()) return false;
        coming_.finish();
        std::swap(keys_, next_keys_);
        at_ = 0;
        end_ = next_end_;
        bring_next();
        return true;
    }

    const TemporaryFile& file_;
    Background& background_;
    Run run_;  ///< begins where the next keys do that were not asked for
    KeyCoding coding_;
    std::size_t capacity_, at_ = 0, end_ = 0, next_end_ = 0;
    std::unique_ptr<Bits[]> keys_, next_keys_;
    Task coming_;
};

/// Takes blocks of sorted keys, and does with equal ones what is asked for.
class NumberSort::Writer {
public:
    using Put = std::function<void(const Numbers& keys, const IndexArray* counts)>;
    Writer(Equal equal, Put put) : equal_(equal), put_(std::move(put)) {}

    void write(Numbers& block) {
        if (equal_ == Equal::keep) return put_(block, nullptr);
        IndexArray counts(sizeof(std::uint64_t));
        keep_distinct(block, &counts);
        const std::size_t bytes = key_bytes(block.type);
        // The last one may come again at the start of the next block.
        if (last_.bytes.size() > 0) {
            if (are_equal(last_.bytes.data(), block.bytes.data(), block.type)) {
                std::memcpy(block.bytes.data(), last_.bytes.data(), bytes);
                counts.set(0, counts[0] + last_count_);
            } else {
                put_last();
            }
        }
        last_.type = block.type;
        last_count_ = counts[counts.size() - 1];
        block.bytes.shrink(block.bytes.size() - bytes);
        last_.bytes.shrink(0);
        last_.bytes.append({reinterpret_cast<const char*>(block.bytes.data() + block.bytes.size()), bytes});
        counts.shrink(counts.size() - 1);
        put(block, counts);
    }

    void finish() {
        if (last_.bytes.size() > 0) put_last();
    }

private:
    void put_last() {
        IndexArray count(sizeof(std::uint64_t));
        count.append(last_count_);
        put(last_, count);
    }
    void put(const Numbers& keys, const IndexArray& counts) { put_(keys, equal_ == Equal::count ? &counts : nullptr); }

    Equal equal_;
    Put put_;
    Numbers last_{KeyType::u8, {}};
    std::uint64_t last_count_ = 0;
};

NumberSort::NumberSort(const SortArguments& options, DeviceSort& device, std::uint64_t memory, std::string folder,
                       Equal equal)
    : options_(options), device_(device), plan_(memory), folder_(std::move(folder)), equal_(equal) {}

bool NumberSort::run(InputFile& in, const std::optional<NpyHeader>& npy, OutputFile& out) {
    run_bytes_ = std::min<std::uint64_t>(plan_.run_bytes(), in.most_key_bytes()) / widest_key * widest_key;
    in.limit_keys(UINT64_MAX, {});  // as they are sorted in runs
    if (options_.text) return sort_text(in, out);
    if (npy && npy->shape.size() > 1) sort_rows(in, *npy, out);
    else sort_raw(in, npy ? npy->type : *options_.type, npy, out);
    in.require_unchanged();
    return true;
}

bool NumberSort::sort_text(InputFile& in, OutputFile& out) {
    before_runs_ = [&](const Numbers& first) {
        // A line has a digit and its end at least, but most have more: those of the first run tell how many.
        const std::uint64_t size = in.known_size(), bytes = options_.type ? key_bytes(*options_.type) : 8;
        const double part = static_cast<double>(size) / static_cast<double>(in.taken());
        announce_runs(*file_, plan_, run_bytes_, run_bytes_, options_.stats,
                      static_cast<std::uint64_t>(static_cast<double>(first.bytes.size()) * part),
                      (size / 2 + 1) * bytes);
    };
    PlainIntegers integers(options_.type);
    {
        Progress progress("sorting runs");
        integers.take_runs(run_bytes_, [&](Numbers& run) {
            finish(add_run(run));
            if (in.known_size() > 0) progress(std::min(in.taken(), in.known_size() - 1), in.known_size());
        });
        if (!integers.read(in)) {
            put_back(integers, in);
            return false;
        }
    }
    NumberFile file = integers.finish();
    in.require_unchanged();
    const KeyType type = file.numbers.type;
    end_runs(file.numbers);
    out.write(file.head.data(), file.head.size());
    Writer writer(equal_, [&](const Numbers& keys, const IndexArray* counts) {
        options_.write_numbers(out, {}, keys.bytes, keys.type, counts);
    });
    for_each_block(type, file.numbers, [&](Numbers& block) { writer.write(block); });
    writer.finish();
    return true;
}

/// The keys that are in memory may be as large as a run, so they are put on the file, too.
void NumberSort::put_back(PlainIntegers& integers, InputFile& in) {
    Numbers last = integers.finish().numbers;
    if (last.bytes.size() > 0) finish(add_run(last));
    integers.put_back({&in, 1}, [this, type = last.type, at = std::uint64_t{0}]() mutable {
        Numbers block{type, {}};
        const auto bytes =
            static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, file_ ? file_->size() - at : 0));
        if (bytes > 0) file_->read(at, block.bytes.room(bytes), bytes);
        block.bytes.grew(bytes);
        at += bytes;
        return block;
    });
}

void NumberSort::sort_raw(InputFile& in, KeyType type, const std::optional<NpyHeader>& npy, OutputFile& out) {
    const std::uint64_t head = npy ? npy->bytes.size() : 0;
    if (!npy) require_whole_keys(in, in.known_size(), type);
    before_runs_ = [&](const Numbers&) {
        const std::uint64_t size = in.known_size() - std::min(in.known_size(), head);
        announce_runs(*file_, plan_, run_bytes_, run_bytes_, options_.stats, size, size);
    };
    Numbers last = read_runs(in, type, UINT64_MAX);
    in.require_unchanged();
    const std::uint64_t read = last.bytes.size() + (file_ ? file_->size() : 0);
    if (npy) require_size(in, *npy, read);
    else require_whole_keys(in, read, type);
    end_runs(last);
    std::string written_head = npy ? npy->bytes : "";
    if (npy && equal_ != Equal::keep) {
        std::uint64_t count = 0;
        Writer counter(equal_, [&](const Numbers& keys, const IndexArray*) { count += keys.count(); });
        for_each_block(type, last, [&](Numbers& block) { counter.write(block); });
        counter.finish();
        written_head = npy_header(type, std::vector<std::uint64_t>{count});
    }
    out.write(written_head.data(), written_head.size());
    Writer writer(equal_,
                  [&](const Numbers& keys, const IndexArray*) { out.write(keys.bytes.data(), keys.bytes.size()); });
    for_each_block(type, last, [&](Numbers& block) { writer.write(block); });
    writer.finish();
}

/// As many rows at a time as fit; a row that does not is sorted in runs.
void NumberSort::sort_rows(InputFile& in, const NpyHeader& npy, OutputFile& out) {
    out.write(npy.bytes.data(), npy.bytes.size());
    const std::uint64_t row_bytes = npy.shape.back() * key_bytes(npy.type);
    before_runs_ = [&](const Numbers&) {
        announce_runs(*file_, plan_, run_bytes_, run_bytes_, options_.stats, row_bytes, row_bytes);
    };
    std::uint64_t read = 0;
    Progress progress("sorting rows");
    while (row_bytes > 0 && !in.peek(1).empty()) {
        const bool fits = row_bytes <= run_bytes_;
        Numbers keys = read_runs(in, npy.type, fits ? run_bytes_ / row_bytes * row_bytes : row_bytes);
        read += keys.bytes.size() + (file_ ? file_->size() : 0);
        if (read % row_bytes != 0) break;
        if (fits) keys.row_length = npy.shape.back();
        end_runs(keys);
        for_each_block(npy.type, keys, [&](Numbers& block) { out.write(block.bytes.data(), block.bytes.size()); });
        runs_.clear();
        if (file_) file_->clear();
        if (in.known_size() > 0) progress(std::min(in.taken(), in.known_size()), in.known_size());
    }
    in.require_unchanged();
    require_size(in, npy, read);
}

/// Reads so many bytes of keys, or all there are: runs, and the last one, which is not sorted yet.
Numbers NumberSort::read_runs(InputFile& in, KeyType type, std::uint64_t bytes) {
    Numbers keys{type, {}};
    const bool is_known = in.known_size() > 0;
    std::uint64_t most = std::min<std::uint64_t>(bytes, run_bytes_);
    if (is_known) most = std::min(most, (in.known_size() / widest_key + 1) * widest_key);
    Progress progress("sorting runs");
    for (std::vector<Task> writes;;) {
        const auto asked = static_cast<std::size_t>(std::min(most, bytes));
        std::byte* const to = keys.bytes.room(asked);
        keys.bytes.grew(read_behind(writes, in, to, asked));
        bytes -= keys.bytes.size();
        if (keys.bytes.size() < asked || bytes == 0 || in.peek(1).empty()) return keys;
        writes = add_run(keys);
        keys.bytes.shrink(0);
        if (is_known) progress(std::min(in.taken(), in.known_size() - 1), in.known_size());
    }
}

std::vector<Task> NumberSort::add_run(Numbers& keys) {
    if (!file_) {
        file_.emplace(folder_);
        before_runs_(keys);
    }
    device_.sort_keys(keys, false);
    const std::size_t bytes = keys.bytes.size();
    const std::uint64_t begin = file_->append_later(bytes);
    runs_.push_back({begin, begin + bytes});
    most_bytes_ = std::max(most_bytes_, file_->size());
    ++all_runs_;
    std::vector<Task> writes;
    for (std::size_t at = 0; at < bytes; at += block_bytes)
        writes.push_back(
            background_.run([&file = *file_, offset = begin + at, from = keys.bytes.data() + at,
                             size = std::min(block_bytes, bytes - at)] { file.write(offset, from, size); }));
    return writes;
}

/// Sorts the last run, which stays in memory where it is the only one, and merges until one pass is left.
void NumberSort::end_runs(Numbers& last) {
    if (runs_.empty()) return device_.sort_keys(last, false);
    if (last.bytes.size() > 0) finish(add_run(last));
    last.bytes = {};
    for (; runs_.size() > plan_.most_runs(); ++passes_) {
        TemporaryFile merged(folder_);
        std::vector<Run> fewer;
        for (std::size_t first = 0; first < runs_.size(); first += plan_.most_runs()) {
            const std::uint64_t begin = merged.size();
            merge_runs(last.type, first, std::min(plan_.most_runs(), runs_.size() - first),
                       [&](Numbers& block) { merged.append(block.bytes.data(), block.bytes.size()); });
            fewer.push_back({begin, merged.size()});
        }
        most_bytes_ = std::max(most_bytes_, file_->size() + merged.size());
        file_ = std::move(merged);
        runs_ = std::move(fewer);
    }
    ++passes_;
}

/// Gives all keys in order, by and by: those of the runs or, where there are none, the last ones.
void NumberSort::for_each_block(KeyType type, Numbers& last, const Take& take) {
    if (!runs_.empty()) return merge_runs(type, 0, runs_.size(), take);
    for (std::size_t done = 0; done < last.bytes.size();) {
        Numbers block{type, {}};
        const std::size_t bytes = std::min(last.bytes.size() - done, block_bytes);
        block.bytes.append({reinterpret_cast<const char*>(last.bytes.data() + done), bytes});
        take(block);
        done += bytes;
    }
}

void NumberSort::merge_runs(KeyType type, std::size_t first, std::size_t count, const Take& take) {
    with_bits(type, [&]<class Bits>(Bits) { merge_as<Bits>(type, first, count, take); });
}

template <class Bits>
void NumberSort::merge_as(KeyType type, std::size_t first, std::size_t count, const Take& take) {
    const Order order = options_.order;
    const std::size_t bytes = plan_.buffer_bytes(count);
    std::vector<Reader<Bits>> readers;
    std::vector<Head<Bits>> heads;
    std::uint64_t left = 0;
    for (const Run& run : std::span(runs_).subspan(first, count)) {
        readers.emplace_back(*file_, run, type, order, bytes, background_);
        heads.push_back({readers.back().next(), static_cast<std::uint32_t>(heads.size())});
        left += (run.end - run.begin) / sizeof(Bits);
    }
    LoserTree<Head<Bits>, ByKey> tree(heads);
    const KeyCoding coding = key_coding(type, order);
    const std::uint64_t all = left;
    Progress progress("merging");
    // One block is taken while the other is filled.
    std::array<Numbers, 2> blocks{Numbers{type, {}}, Numbers{type, {}}};
    Task taken;
    for (std::size_t turn = 0; left > 0; turn = 1 - turn) {
        Numbers& block = blocks[turn];
        block.bytes.shrink(0);
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, std::min(bytes / 2, block_bytes) / sizeof(Bits)));
        auto* const keys = reinterpret_cast<Bits*>(block.bytes.room(size * sizeof(Bits)));
        for (std::size_t i = 0; i < size; ++i) {
            const Head<Bits> winner = tree.winner();
            keys[i] = decode(winner.key, coding);
            tree.replace({readers[winner.run].next(), winner.run});
        }
        block.bytes.grew(size * sizeof(Bits));
        left -= size;
        taken.finish();
        taken = background_.run([&take, &block] { take(block); });
        progress(all - left, all);
    }
    taken.finish();
}

void NumberSort::print_stats() const {
    print_run_stats(options_.stats, std::max<std::size_t>(all_runs_, 1), passes_, most_bytes_);
}
