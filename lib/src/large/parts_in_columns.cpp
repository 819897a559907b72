// SPDX-License-Identifier: MIT
// Arrays in parts, in columns: passes over parts that are each sorted where they lie (parts_schedule.hpp).
#include <algorithm>
#include <utility>

#include "core/integers.hpp"
#include "sort_in_parts.hpp"

namespace lanesort::inline v0_1::detail {
namespace {

/// Elements of an array and their places on the device: blocks of `width`, of which one begins every `pitch` from
/// `first` on, there every `device_pitch` from `front` on; or slices of such blocks, as of Rows.
struct SpacedRows {
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

SpacedRows one_block(std::uint64_t first, std::uint64_t count, std::uint64_t front) {
    return {first, count, 1, count, front, count};
}

/// What of a part is copied.
struct Copied {
    std::vector<SpacedRows> keys, values;
};

/// A part of the caller's arrays: what comes from there, what is done with its elements as if they were all, and what
/// goes back.
struct PartOfWork {
    Copied up, down;
    std::shared_ptr<const Work> work;
    std::optional<Work> numbers = {};  ///< makes its values, where they are the elements' places
};

/// What of a tile is sorted once more, about its borders.
std::vector<SpacedRows> at_borders(const Part& tile, const PassOfParts& borders) {
    std::vector<SpacedRows> all;
    for (const Part& border : borders) {
        const std::uint64_t first = std::max(tile.first, border.first);
        const std::uint64_t end = std::min(tile.first + tile.count, border.first + border.count);
        if (first < end) all.push_back(one_block(first, end - first, first - tile.first));
    }
    return all;
}

/// Classes of blocks as they lie in tiles that were left class by class. Rows of a few hundred bytes are slow to copy
/// where they lie apart in host memory, but not where they do so on the device
/// (docs/decisions.md#arrays-larger-than-the-device).
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
    std::vector<SpacedRows> left(const Part& part) const {
        if (part.count % pitch == 0) {
            const std::uint64_t height = part.count / pitch;
            return {{part.first, block, height, block, 0, pitch, pitch / block, height * block, block}};
        }
        std::vector<SpacedRows> all;
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
    std::vector<SpacedRows> of(std::uint64_t number) const {
        const std::uint64_t width = tile / pitch * block, tiles = count / tile, last = count % tile;
        std::vector<SpacedRows> all{{number * width, width, tiles, tile, 0, width}};
        std::uint64_t first = tiles * tile;
        for (std::uint64_t before = 0; before < number; ++before) first += size(last, before);
        if (const std::uint64_t rest = size(last, number); rest > 0)
            all.push_back(one_block(first, rest, tiles * width));
        return all;
    }
};

}  // namespace

void SortInParts::sort_columns() {
    report_.schedule = Schedule::columns;
    std::vector<std::vector<PartOfWork>> passes;
    for (const PassOfParts& pass : columns_) {
        std::vector<PartOfWork>& works = passes.emplace_back();
        all_ += pass.size();
        for (const Part& part : pass) {
            const std::vector<SpacedRows> whole{one_block(part.first, part.count, 0)};
            works.push_back({{whole, whole}, {whole, whole}, plan_part(part.count)});
            add_launches(report_, *works.back().work);
        }
    }
    if (passes.size() > 1) {
        const Classes classes(request_.count, columns_);
        for (std::size_t i = 0; i < passes[0].size(); ++i) {
            const std::vector<SpacedRows> left = classes.left(columns_[0][i]);
            passes[0][i].down = {left, left};
        }
        for (std::size_t i = 0; i < passes[1].size(); ++i) {
            const std::vector<SpacedRows> all_tiles = classes.of(i);
            passes[1][i].up = passes[1][i].down = {all_tiles, all_tiles};
        }
    }
    if (is_argsort_) {
        // Indices begin on the device, and nobody wants the keys in the end.
        for (std::size_t i = 0; i < passes.front().size() && !is_numbered_; ++i) {
            PartOfWork& part = passes.front()[i];
            part.up.values.clear();
            part.numbers = numbering(*part.work, columns_.front()[i].first);
            add_launches(report_, *part.numbers);
        }
        for (PartOfWork& part : passes.back()) part.down.keys.clear();
        if (passes.size() > 1)
            for (std::size_t i = 0; i < passes[2].size(); ++i)
                passes[2][i].down.keys = at_borders(columns_[2][i], columns_[3]);
    }

    Queues queues(core_.backend(), parts_at_once);
    for (QueueMemory& place : queues.places)
        for (const auto& pass : passes)
            for (const PartOfWork& part : pass) place.need(*part.work);
    queues.allocate();
    report_.device_bytes = queues.bytes();
    watch_.lap();
    take_host_memory();
    const auto each_rows = [](const Copied& copied, const Arrays& elements, const Bindings& in_host,
                              const Bindings& on_device, const auto& copy_rows) {
        for (const auto& [slot, blocks] :
             {std::pair{Slot::keys, &copied.keys}, std::pair{Slot::values, &copied.values}})
            if (const std::size_t bytes = elements[slot].bytes; bytes > 0)
                for (const SpacedRows& some : *blocks)
                    copy_rows(some.rows(in_host[slot].memory, bytes),
                              Binding{on_device[slot].memory, some.front * bytes});
    };
    for (const auto& pass : passes) {
        const Bindings& from = &pass == &passes.front() ? from_ : to_;
        std::vector<std::shared_ptr<const QueueEnd>> uploaded, sorted, back;
        const auto bring = [&](std::size_t i) {
            if (i >= parts_at_once) queues.uploads->await(back[i - parts_at_once]);
            each_rows(pass[i].up, pass[i].work->arrays, from, queues.place(i),
                      [&](const Rows& rows, const Binding& at) { queues.uploads->upload(rows, at); });
            uploaded.push_back(queues.uploads->end());
        };
        const auto sort_part = [&](std::size_t i) {
            queues.sorts->await(uploaded[i]);
            if (pass[i].numbers) queues.sorts->run(*pass[i].numbers, queues.place(i));
            queues.sorts->run(*pass[i].work, queues.place(i));
            sorted.push_back(queues.sorts->end());
        };
        const auto send_back = [&](std::size_t i) {
            queues.downloads->await(sorted[i]);
            each_rows(pass[i].down, pass[i].work->arrays, to_, queues.place(i),
                      [&](const Rows& rows, const Binding& at) { queues.downloads->download(at, rows); });
            back.push_back(queues.downloads->end());
        };
        // A sort may be enqueued only when its part is on the way, and a download may block. So the next part comes
        // ahead of both.
        bring(0);
        for (std::size_t i = 0; i < pass.size(); ++i) {
            if (i + 1 < pass.size()) bring(i + 1);
            sort_part(i);
            send_back(i);
        }
        for (std::size_t i = 0; i < pass.size(); ++i) {
            for (const auto* ends : {&uploaded, &sorted, &back}) (*ends)[i]->wait();
            tell_progress();
        }
    }
}

}  // namespace lanesort::inline v0_1::detail
