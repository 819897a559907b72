// Sorts of host arrays that exceed the device: part by part, each of which goes there and back.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../distribution.hpp"
#include "../integers.hpp"
#include "../operations/iota.hpp"
#include "../parts.hpp"
#include "../stopwatch.hpp"
#include "../threads.hpp"
#include "lane_memory.hpp"
#include "sorter_core.hpp"
#include "staging.hpp"

namespace lanesort::detail {
namespace {

/// So many parts at once have memory of the device: while one is sorted, another comes and a third goes.
constexpr std::size_t parts_at_once = 3;

/// Shorter rows of keys are slow to copy, also where they lie apart on the device alone (bench/NOTES.md).
constexpr std::uint64_t least_row_bytes = 512;

/// Elements of an array and their places on the device: blocks of `width`, of which one begins every `pitch` from
/// `first` on, there every `device_pitch` from `front` on; or slices of such blocks, as of Rows.
struct Blocks {
    std::uint64_t first, width, height, pitch, front, device_pitch;
    std::uint64_t depth = 1, slice_pitch = 0, device_slice_pitch = 0;

    Rows rows(void* array, std::uint64_t bytes) const noexcept {
        return {static_cast<std::byte*>(array) + first * bytes,
                width * bytes,
                height,
                pitch * bytes,
                device_pitch * bytes,
                depth,
                slice_pitch * bytes,
                device_slice_pitch * bytes};
    }
};

Blocks one_block(std::uint64_t first, std::uint64_t count, std::uint64_t front) {
    return {first, count, 1, count, front, count};
}

/// What of a part is copied.
struct Copied {
    std::vector<Blocks> keys, values;
};

/// A part of the caller's arrays: what comes from there, what is done with its elements as if they were all, and what
/// goes back.
struct PartOfWork {
    Copied up, down;
    std::shared_ptr<const Work> work;
    std::optional<Work> numbers = {};  ///< makes its values, where they are the elements' places
};

/// What of a tile is sorted once more, about its borders.
std::vector<Blocks> at_borders(const Part& tile, const PassOfParts& borders) {
    std::vector<Blocks> all;
    for (const Part& border : borders) {
        const std::uint64_t first = std::max(tile.first, border.first);
        const std::uint64_t end = std::min(tile.first + tile.count, border.first + border.count);
        if (first < end) all.push_back(one_block(first, end - first, first - tile.first));
    }
    return all;
}

/// Classes of blocks as they lie in tiles that were left class by class. Rows of a few hundred bytes are slow to copy
/// where they lie apart in host memory, but not where they do so on the device (bench/NOTES.md).
struct Classes {
    std::uint64_t count, tile, block, pitch;

    Classes(std::uint64_t all, const std::vector<PassOfParts>& passes)
        : count(all), tile(passes[0].front().count), block(passes[1].front().width), pitch(passes[1].front().pitch) {}

    /// Elements of a class in a tile of so many.
    std::uint64_t size(std::uint64_t tile_size, std::uint64_t of_class) const noexcept {
        const std::uint64_t rest = tile_size % pitch, before = of_class * block;
        return tile_size / pitch * block + (rest > before ? std::min(rest - before, block) : 0);
    }

    /// A sorted tile, class by class.
    std::vector<Blocks> left(const Part& part) const {
        if (part.count % pitch == 0) {
            const std::uint64_t height = part.count / pitch;
            return {{part.first, block, height, block, 0, pitch, pitch / block, height * block, block}};
        }
        std::vector<Blocks> all;
        std::uint64_t first = part.first;
        for (std::uint64_t front = 0; front < std::min(pitch, part.count); front += block) {
            const std::uint64_t elements = size(part.count, front / block), blocks = elements / block;
            if (blocks > 0) all.push_back({first, block, blocks, block, front, pitch});
            if (const std::uint64_t rest = elements % block; rest > 0)
                all.push_back(one_block(first + blocks * block, rest, front + blocks * pitch));
            first += elements;
        }
        return all;
    }

    /// A class of all tiles.
    std::vector<Blocks> of(std::uint64_t number) const {
        const std::uint64_t width = tile / pitch * block, tiles = count / tile, last = count % tile;
        std::vector<Blocks> all{{number * width, width, tiles, tile, 0, width}};
        std::uint64_t first = tiles * tile;
        for (std::uint64_t before = 0; before < number; ++before) first += size(last, before);
        if (const std::uint64_t rest = size(last, number); rest > 0)
            all.push_back(one_block(first, rest, tiles * width));
        return all;
    }
};

/// Calls do_share(begin, end) for shares of 0 .. count, in several threads where there are many.
template <class Do>
void in_shares(Threads& threads, std::uint64_t count, const Do& do_share) {
    constexpr std::uint64_t share = std::uint64_t{1} << 20;
    threads.share_out(ceil_div(count, share), [&](std::uint64_t first, std::uint64_t end, unsigned) {
        do_share(first * share, std::min(end * share, count));
    });
}

/// Writes memory that was not there by threads, with nothing that anybody reads.
void write_first(Threads& threads, void* memory, std::uint64_t bytes) {
    constexpr std::uint64_t page = 4096;
    in_shares(threads, bytes, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t at = begin; at < end; at += page) static_cast<std::byte*>(memory)[at] = {};
    });
}

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};
using HostMemory = std::unique_ptr<void, Free>;

/// In large pages, where there are any: these are fewer to write, to pin and to give back (bench/NOTES.md).
HostMemory new_memory(std::uint64_t bytes) {
    constexpr std::uint64_t large_page = std::uint64_t{2} << 20;
    const std::uint64_t whole = ceil_div(bytes, large_page) * large_page;
    HostMemory memory(std::aligned_alloc(large_page, whole));
    if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    ::madvise(memory.get(), whole, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace

bool SorterCore::goes_in_parts(const Request& request, const Arrays& arrays) const noexcept {
    const bool is_sort = request.operation == Operation::sort &&
                         !(request.stable && (request.value_bytes > 0 || request.key.is_record()));
    const bool is_argsort = request.operation == Operation::argsort && !request.key.is_record();
    if (!backend_->has_lanes() || request.in_rows() || request.counts_syncs || !(is_sort || is_argsort)) return false;
    std::uint64_t bytes = 0;
    bool fits = true;
    for (const Array& array : arrays) {
        constexpr std::uint64_t any_memory = std::uint64_t{1} << 56;  // more no array can have
        if (array.count > 0 && array.count > any_memory / array.bytes) return false;
        bytes += array.size();
        fits &= array.size() <= backend_->info().max_allocation_bytes;
    }
    return !fits || bytes > memory_limit();
}

SortReport SorterCore::run_in_parts(const Request& request, const Bindings& bindings) {
    // Pairs are ordered by their values' bits where keys are equal. So indices are values that make a sort stable.
    const bool is_argsort = request.operation == Operation::argsort;
    Request of_part = request;
    of_part.operation = Operation::sort;
    of_part.first = all_keys;
    of_part.stable = false;
    of_part.apart = false;
    if (is_argsort) of_part.value_bytes = std::exchange(of_part.index_bytes, 0);
    if (of_part.schedule == Schedule::distribution) of_part.schedule = Schedule::automatic;  // some parts are small

    const std::size_t element_bytes = of_part.key.bytes() + of_part.value_bytes,
                      widest = std::max(of_part.key.bytes(), of_part.value_bytes);
    std::uint64_t capacity = backend_->info().max_allocation_bytes / widest, room = memory_limit() / parts_at_once;
    // With less memory than it takes of itself a distribution may be slower than the bus, which hides columns.
    const std::uint64_t of_distribution = room / 16;
    if (of_distribution < most_distribution_bytes(room, ElementBytes(1))) of_part.data_independent = true;
    const bool may_distribute = of_part.schedule == Schedule::automatic && !of_part.data_independent;
    if (!may_distribute) of_part.extra_bytes = 0;
    if (memory_limit() != no_limit) {
        if (may_distribute) {
            of_part.extra_bytes =
                request.extra_bytes > 0 ? std::min(request.extra_bytes, of_distribution) : of_distribution;
            room -= of_part.extra_bytes;
        }
        capacity = std::min(capacity, room / element_bytes);
    }
    const std::vector<PassOfParts> passes_of_parts =
        parts_that_sort(request.count, capacity, least_row_bytes / of_part.key.bytes());
    if (passes_of_parts.empty()) {
        const std::uint64_t least = least_capacity(request.count);
        const std::string beside =
            of_part.value_bytes == 0
                ? ""
                : fmt::format(" with {} of {} bytes", is_argsort ? "indices" : "values", of_part.value_bytes);
        throw Error(
            ErrorCode::too_large,
            fmt::format("{} keys of {}{} exceed the {} bytes of device memory that they may take, and parts of {} "
                        "keys are too small to sort them by: these need {} keys each, which takes {} bytes{}",
                        request.count, request.key.name(), beside,
                        std::min(memory_limit(), backend_->info().global_bytes), capacity, least,
                        parts_at_once * least * element_bytes, device_bytes_ > 0 ? " of `device_bytes`" : ""));
    }
    SortReport report;
    report.schedule = Schedule::columns;
    std::size_t all = 0;
    std::vector<std::vector<PartOfWork>> passes;
    for (const PassOfParts& pass : passes_of_parts) {
        std::vector<PartOfWork>& works = passes.emplace_back();
        all += pass.size();
        for (const Part& part : pass) {
            of_part.count = part.count;
            const std::vector<Blocks> whole{one_block(part.first, part.count, 0)};
            works.push_back({{whole, whole}, {whole, whole}, plan(of_part)});
            add_launches(report, *works.back().work);
        }
    }
    if (passes.size() > 1) {
        const Classes classes(request.count, passes_of_parts);
        for (std::size_t i = 0; i < passes[0].size(); ++i) {
            const std::vector<Blocks> left = classes.left(passes_of_parts[0][i]);
            passes[0][i].down = {left, left};
        }
        for (std::size_t i = 0; i < passes[1].size(); ++i) {
            const std::vector<Blocks> all_tiles = classes.of(i);
            passes[1][i].up = passes[1][i].down = {all_tiles, all_tiles};
        }
    }
    if (is_argsort) {
        // Indices begin on the device, and nobody wants the keys in the end.
        for (std::size_t i = 0; i < passes.front().size(); ++i) {
            PartOfWork& part = passes.front()[i];
            part.up.values.clear();
            part.numbers.emplace();
            part.numbers->arrays[Slot::values] = part.work->arrays[Slot::values];
            add_iota(planner_, *part.numbers, Slot::values, passes_of_parts.front()[i].first);
            backend_->rehearse(*part.numbers);
            add_launches(report, *part.numbers);
        }
        for (PartOfWork& part : passes.back()) part.down.keys.clear();
        if (passes.size() > 1)
            for (std::size_t i = 0; i < passes[2].size(); ++i)
                passes[2][i].down.keys = at_borders(passes_of_parts[2][i], passes_of_parts[3]);
    }

    Stopwatch watch;
    // Where keys stay as they are, what the first pass has of them goes to another place.
    HostMemory copy;
    Bindings in_host_memory = bindings;
    if (request.apart) {
        in_host_memory[Slot::keys] = std::exchange(in_host_memory[Slot::results], {});
        in_host_memory[Slot::values] = std::exchange(in_host_memory[Slot::result_values], {});
    }
    if (is_argsort) {
        copy = new_memory(request.count * request.key.bytes());
        in_host_memory[Slot::keys] = {copy.get()};
        in_host_memory[Slot::values] = std::exchange(in_host_memory[Slot::indices], {});
    }
    // What is pinned outlives the copies, and memory what is done with it.
    std::vector<std::shared_ptr<void>> pinned;
    const std::unique_ptr<Lane> sorts = backend_->open_lane(), uploads = backend_->open_lane(),
                                downloads = backend_->open_lane();
    std::vector<LaneMemory> places(parts_at_once, LaneMemory(*sorts));
    for (LaneMemory& place : places) {
        for (const auto& pass : passes)
            for (const PartOfWork& part : pass) place.need(*part.work);
        place.allocate();
        report.device_bytes += place.bytes();
    }
    Threads threads(Staging::threads_that_copy());
    // Every array goes to the device and back three times.
    for (const auto& [slot, bytes] :
         {std::pair{Slot::keys, of_part.key.bytes()}, std::pair{Slot::values, of_part.value_bytes}}) {
        if (bytes == 0) continue;
        void* const memory = in_host_memory[slot].memory;
        const std::uint64_t size = request.count * bytes;
        pinned.push_back(backend_->pin(memory, size, [&] {
            if (is_argsort || request.apart) write_first(threads, memory, size);
        }));
    }

    const auto each_rows = [](const Copied& copied, const Arrays& elements, const Bindings& in_host,
                              const Bindings& on_device, const auto& copy_rows) {
        for (const auto& [slot, blocks] :
             {std::pair{Slot::keys, &copied.keys}, std::pair{Slot::values, &copied.values}})
            if (const std::size_t bytes = elements[slot].bytes; bytes > 0)
                for (const Blocks& some : *blocks)
                    copy_rows(some.rows(in_host[slot].memory, bytes),
                              Binding{on_device[slot].memory, some.front * bytes});
    };
    std::size_t done = 0;
    for (const auto& pass : passes) {
        Bindings from = in_host_memory;
        if (&pass == &passes.front()) {
            from[Slot::keys] = bindings[Slot::keys];
            if (request.apart) from[Slot::values] = bindings[Slot::values];
        }
        std::vector<std::shared_ptr<const LaneEnd>> uploaded, sorted, back;
        const auto on_device = [&](std::size_t i) -> const Bindings& { return places[i % parts_at_once].bindings(); };
        const auto bring = [&](std::size_t i) {
            if (i >= parts_at_once) uploads->await(back[i - parts_at_once]);
            each_rows(pass[i].up, pass[i].work->arrays, from, on_device(i),
                      [&](const Rows& rows, const Binding& at) { uploads->upload(rows, at); });
            uploaded.push_back(uploads->end());
        };
        const auto sort = [&](std::size_t i) {
            sorts->await(uploaded[i]);
            if (pass[i].numbers) sorts->run(*pass[i].numbers, on_device(i));
            sorts->run(*pass[i].work, on_device(i));
            sorted.push_back(sorts->end());
        };
        const auto send_back = [&](std::size_t i) {
            downloads->await(sorted[i]);
            each_rows(pass[i].down, pass[i].work->arrays, in_host_memory, on_device(i),
                      [&](const Rows& rows, const Binding& at) { downloads->download(at, rows); });
            back.push_back(downloads->end());
        };
        // A sort may be enqueued only when its part is on the way, and a download may block. So the next part comes
        // ahead of both.
        bring(0);
        for (std::size_t i = 0; i < pass.size(); ++i) {
            if (i + 1 < pass.size()) bring(i + 1);
            sort(i);
            send_back(i);
        }
        for (std::size_t i = 0; i < pass.size(); ++i) {
            for (const auto* ends : {&uploaded, &sorted, &back}) (*ends)[i]->wait();
            if (progress_) progress_(++done, all);
        }
    }
    report.sort_seconds = watch.lap();
    return report;
}

}  // namespace lanesort::detail
