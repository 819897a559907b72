// SPDX-License-Identifier: MIT
// Staged copies, on a device that is made up: its memory is the host's, and each of its queues has a thread that does
// what the queue was given, a little later.
#include "large/staging.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "error_support.hpp"
#include "rows.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

using test::Random;

/// Which call of any queue fails, if any, and whose end tells of a failure.
struct Calls {
    std::atomic<int> number = 0, failing = 0, failing_end = 0;

    void count() {
        if (++number == failing) throw Error(ErrorCode::device_failed, "the bus is gone");
    }
};

struct MadeUpEnd final : QueueEnd {
    explicit MadeUpEnd(bool fails) : fails_(fails) {}
    void wait() const override {
        has_come_.wait(false);
        check();
    }
    bool has_come() const override {
        if (has_come_) check();
        return has_come_;
    }
    void come() {
        has_come_ = true;
        has_come_.notify_all();
    }

private:
    void check() const {
        if (fails_) throw Error(ErrorCode::device_failed, "a copy failed");
    }

    const bool fails_;
    std::atomic<bool> has_come_ = false;
};

class MadeUpQueue final : public DeviceQueue {
public:
    MadeUpQueue(Calls& calls, std::uint64_t seed) : calls_(calls), random_(seed), thread_([this] { serve(); }) {}
    ~MadeUpQueue() override {
        later([this] { is_over_ = true; });
        thread_.join();
    }

    void* allocate(std::uint64_t bytes) override { return memory_.emplace_back(bytes).data(); }
    void upload(const Rows& from, const Binding& to) override { copy(from, to, true); }
    void download(const Binding& from, const Rows& to) override { copy(to, from, false); }
    void copy(const Binding&, const Binding&, std::uint64_t) override { FAIL("nothing is copied on the device"); }
    /// Adds one to each byte of the keys, of a work that has no commands.
    void run(const Work& work, const Bindings& bindings) override {
        calls_.count();
        later([keys = static_cast<std::byte*>(bindings[Slot::keys].memory), bytes = work.arrays[Slot::keys].size()] {
            for (std::byte* key = keys; key != keys + bytes; ++key)
                *key = static_cast<std::byte>(std::to_integer<int>(*key) + 1);
        });
    }
    std::shared_ptr<const QueueEnd> end() override {
        try {
            calls_.count();
        } catch (const Error&) {
            wait_here();  // what has no end may be anywhere
            throw;
        }
        auto made = std::make_shared<MadeUpEnd>(calls_.failing_end > 0 && --calls_.failing_end == 0);
        later([made] { made->come(); });
        return made;
    }
    void await(std::shared_ptr<const QueueEnd> end) override {
        calls_.count();
        later([end = std::move(end)] {
            try {
                end->wait();
            } catch (const Error&) {
                // Whoever waits for that end is told.
            }
        });
    }

private:
    void wait_here() {
        std::atomic<bool> is_done = false;
        later([&] {
            is_done = true;
            is_done.notify_all();
        });
        is_done.wait(false);
    }
    void copy(const Rows& rows, const Binding& there, bool up) {
        calls_.count();
        later([=] { test::copy_rows(rows, there, up); });
    }
    void later(std::function<void()> act) {
        const std::lock_guard lock(mutex_);
        acts_.push_back(std::move(act));
        has_act_.notify_one();
    }
    void serve() {
        while (!is_over_) {
            std::unique_lock lock(mutex_);
            has_act_.wait(lock, [&] { return !acts_.empty(); });
            const std::function<void()> act = std::move(acts_.front());
            acts_.pop_front();
            lock.unlock();
            if (random_() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 100));
            act();
        }
    }

    Calls& calls_;
    Random random_;
    std::deque<std::vector<std::byte>> memory_;
    bool is_over_ = false;
    std::mutex mutex_;
    std::condition_variable has_act_;
    std::deque<std::function<void()>> acts_;
    std::thread thread_;
};

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
    return {new std::byte[bytes], [](const std::byte* memory) { delete[] memory; }};
}

bool all_is_pageable(const void*) { return true; }
bool none_is_pageable(const void*) { return false; }
bool some_is_pageable(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) >> 16 & 1; }

std::unique_ptr<StagingQueue> lane_of(Staging& staging, Calls& calls,
                                      StagingQueue::IsPageable is_pageable = all_is_pageable) {
    static std::atomic<std::uint64_t> number = test::seed();
    return std::make_unique<StagingQueue>(std::make_unique<MadeUpQueue>(calls, ++number), staging,
                                          std::move(is_pageable));
}

std::vector<std::byte> some_bytes(std::size_t count) {
    Random random(test::seed());
    std::vector<std::byte> bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

Work work_on(std::uint64_t bytes) {
    Work work;
    work.arrays[Slot::keys] = {bytes, 1};
    return work;
}

constexpr std::uint64_t least = StagingQueue::least_bytes;

TEST_CASE("staging: every byte of rows goes up and comes back, and no other is touched") {
    struct Shape {
        std::uint64_t width, height, pitch, device_pitch;
    };
    constexpr std::size_t buffer = 4099;  // of no power of two
    const Shape shapes[] = {
        {least, 1, least, least},
        {least + 1, 1, least + 1, least + 1},
        {buffer, 16, buffer, buffer},              // one after another, both here and there
        {buffer, 17, buffer + 1, buffer},          // a row for each buffer
        {buffer + 1, 17, buffer + 5, buffer + 3},  // and one byte more
        {buffer - 1, 17, buffer - 1, buffer},      // one after another here
        {3, 30'001, 3, 7},                         // many in a buffer
        {3, 30'001, 7, 3},
        {5 * buffer, 4, 5 * buffer + 1, 5 * buffer},
        {1, least, 2, 3},
    };
    for (const unsigned threads : {1u, 3u, 8u}) {
        Calls calls;
        Staging staging(allocate, buffer, threads);
        for (const Shape& shape : shapes) {
            const std::uint64_t width = shape.width, height = shape.height, pitch = shape.pitch,
                                device_pitch = shape.device_pitch;
            CAPTURE(threads);
            CAPTURE(width);
            CAPTURE(height);
            const std::uint64_t here = (height - 1) * pitch + width, there = (height - 1) * device_pitch + width;
            const std::vector<std::byte> given = some_bytes(here);
            std::vector<std::byte> from = given, back(here + 1, std::byte{7}), device(there + 3, std::byte{9});
            {
                const auto ups = lane_of(staging, calls), downs = lane_of(staging, calls);
                ups->upload({from.data(), width, height, pitch, device_pitch}, {device.data(), 2});
                downs->await(ups->end());
                downs->download({device.data(), 2}, {back.data(), width, height, pitch, device_pitch});
                downs->end()->wait();
            }
            CHECK(from == given);
            CHECK(back.back() == std::byte{7});
            CHECK(device[1] == std::byte{9});
            CHECK(device.back() == std::byte{9});
            bool is_right = true;
            for (std::uint64_t i = 0; i < here; ++i)
                is_right &= back[i] == (i % pitch < width ? given[i] : std::byte{7});
            for (std::uint64_t i = 0; i < there; ++i)
                is_right &=
                    device[2 + i] ==
                    (i % device_pitch < width ? given[i / device_pitch * pitch + i % device_pitch] : std::byte{9});
            CHECK(is_right);
        }
    }
}

TEST_CASE("staging: what is dealt to several slices, and slices that are not") {
    struct Shape {
        std::uint64_t width, height, depth, gap;
    };
    constexpr std::size_t buffer = 4099;
    const Shape shapes[] = {
        {512, 40, 8, 0},   // a row of all fills a buffer nearly
        {3, 1001, 31, 0},  // many rows in a buffer
        {1, least, 2, 0},  // single bytes
        {4099, 17, 1, 0},  // one slice
        {2050, 33, 2, 0},  // a row that is longer than a buffer by one byte
        {512, 40, 8, 1},   // on the device they do not lie one behind another
        {700, 3, 2, 0},    // too small to be staged
    };
    for (const unsigned threads : {1u, 5u})
        for (const auto is_pageable : {all_is_pageable, some_is_pageable, none_is_pageable})
            for (const Shape& shape : shapes) {
                const auto [width, height, depth, gap] = shape;
                CAPTURE(threads);
                CAPTURE(shape.width);
                Calls calls;
                Staging staging(allocate, buffer, threads);
                const std::uint64_t row = (width + gap) * depth, pitch = width + 2, slice = height * pitch + 5;
                std::vector<std::byte> device = some_bytes(row * height + 3), there(device.size(), std::byte{9});
                std::vector<std::byte> here(slice * depth, std::byte{7}), expected = here;
                for (std::uint64_t k = 0; k < depth; ++k)
                    for (std::uint64_t i = 0; i < height; ++i)
                        for (std::uint64_t j = 0; j < width; ++j)
                            expected[k * slice + i * pitch + j] = device[3 + i * row + k * (width + gap) + j];
                const Rows rows{here.data(), width, height, pitch, row, depth, slice, width + gap};
                {
                    const auto downs = lane_of(staging, calls, is_pageable), ups = lane_of(staging, calls, is_pageable);
                    downs->download({device.data(), 3}, rows);
                    downs->end()->wait();
                    ups->upload(rows, {there.data(), 3});
                    ups->end()->wait();
                }
                CHECK(here == expected);
                for (std::uint64_t i = 0; i < device.size(); ++i)
                    if (i < 3 || (i - 3) % (width + gap) >= width) device[i] = std::byte{9};
                CHECK(there == device);
            }
}

TEST_CASE("staging: extents of any length are gathered and scattered, and nothing between them is touched") {
    Random random(test::seed());
    for (const unsigned threads : {1u, 5u})
        for (const auto is_pageable : {all_is_pageable, none_is_pageable})
            for (const std::uint64_t longest : {std::uint64_t{5}, std::uint64_t{3000}, 2 * least}) {
                CAPTURE(threads);
                CAPTURE(longest);
                Calls calls;
                Staging staging(allocate, 4099, threads);
                std::vector<std::byte> here = some_bytes(8 * least), expected(here.size(), std::byte{7}), device,
                                       back = expected, there(here.size() + 3, std::byte{9});
                std::vector<HostExtent> from, to;
                for (std::uint64_t first = random() % 9; first < here.size();) {
                    const std::uint64_t bytes = std::min<std::uint64_t>(1 + random() % longest, here.size() - first);
                    from.push_back({here.data() + first, bytes});
                    to.push_back({back.data() + first, bytes});
                    std::copy_n(from.back().host, bytes, expected.data() + first);
                    device.insert(device.end(), from.back().host, from.back().host + bytes);
                    first += bytes + random() % 3;
                }
                {
                    const auto ups = lane_of(staging, calls, is_pageable), downs = lane_of(staging, calls, is_pageable);
                    ups->upload_extents(from, {there.data(), 3});
                    downs->await(ups->end());
                    downs->download_extents({there.data(), 3}, to);
                    downs->end()->wait();
                }
                CHECK(std::equal(device.begin(), device.end(), there.begin() + 3));
                CHECK(back == expected);
                CHECK(std::all_of(there.begin() + 3 + static_cast<std::ptrdiff_t>(device.size()), there.end(),
                                  [](std::byte byte) { return byte == std::byte{9}; }));
                // Pieces are as large as buffers, however short extents are.
                if (is_pageable == all_is_pageable)
                    CHECK(static_cast<std::uint64_t>(calls.number) < 8 * (device.size() / 4099 + 8));
            }
}

/// Parts come, each byte of them grows by one, and they go back, with two places for them; some are too small to be
/// staged. Returns what comes of the bytes.
std::vector<std::byte> in_turns(Staging& staging, Calls& calls, std::vector<std::byte> bytes, Random& random,
                                bool (*is_pageable)(const void*) = some_is_pageable) {
    std::vector<std::byte> result(bytes.size());
    std::vector<std::byte> places[2];
    for (auto& place : places) place.resize(3 * least);
    const auto works = lane_of(staging, calls), ups = lane_of(staging, calls, is_pageable),
               downs = lane_of(staging, calls, is_pageable);
    std::vector<std::shared_ptr<const QueueEnd>> uploaded, worked, back;
    std::vector<std::uint64_t> firsts{0};
    const auto bring = [&](std::size_t i) {
        const std::uint64_t count = std::min<std::uint64_t>(1 + random() % (3 * least), bytes.size() - firsts[i]);
        if (i >= 2) ups->await(back[i - 2]);
        // In several copies, of which some are too small to be staged, or in one of extents.
        std::vector<HostExtent> extents;
        for (std::uint64_t done = 0, next = 0; done < count; done = next) {
            next = std::min(count, done + 1 + random() % (2 * least));
            extents.push_back({bytes.data() + firsts[i] + done, next - done});
        }
        if (random() % 2 == 0) ups->upload_extents(extents, {places[i % 2].data()});
        else ups->DeviceQueue::upload_extents(extents, {places[i % 2].data()});
        uploaded.push_back(ups->end());
        firsts.push_back(firsts[i] + count);
    };
    bring(0);
    for (std::size_t i = 0; i + 1 < firsts.size(); ++i) {
        if (firsts.back() < bytes.size() && i > 0) bring(i + 1);
        Bindings bindings;
        bindings[Slot::keys] = {places[i % 2].data()};
        works->await(uploaded[i]);
        works->run(work_on(firsts[i + 1] - firsts[i]), bindings);
        worked.push_back(works->end());
        downs->await(worked[i]);
        const std::uint64_t count = firsts[i + 1] - firsts[i];
        std::vector<HostExtent> extents;
        for (std::uint64_t done = 0, next = 0; done < count; done = next) {
            next = std::min(count, done + 1 + random() % (2 * least));
            extents.push_back({result.data() + firsts[i] + done, next - done});
        }
        if (random() % 2 == 0) downs->download_extents({places[i % 2].data()}, extents);
        else downs->DeviceQueue::download_extents({places[i % 2].data()}, extents);
        back.push_back(downs->end());
        if (i == 0 && firsts.back() < bytes.size()) bring(1);
    }
    for (std::size_t i = 0; i < back.size(); ++i)
        for (const auto* const ends : {&uploaded, &worked, &back}) (*ends)[i]->wait();
    CHECK(std::ranges::all_of(back, [](const auto& end) { return end->has_come(); }));
    return result;
}

std::vector<std::byte> one_more(std::vector<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(std::to_integer<int>(byte) + 1);
    return bytes;
}

TEST_CASE("staging: what queues wait for is there, and what comes next does not overtake") {
    Random random(test::seed());
    for (const unsigned threads : {1u, 2u, 7u})
        for (const std::size_t buffer : {std::size_t{1000}, std::size_t{50'001}, std::size_t{1} << 20}) {
            CAPTURE(threads);
            CAPTURE(buffer);
            Calls calls;
            Staging staging(allocate, buffer, threads);
            const std::vector<std::byte> bytes = some_bytes(40 * least + 17);
            for (const auto is_pageable : {all_is_pageable, some_is_pageable, none_is_pageable})
                CHECK(in_turns(staging, calls, bytes, random, is_pageable) == one_more(bytes));
        }
}

TEST_CASE("staging: one queue does all in order, up and down and what lies between") {
    Calls calls;
    const std::vector<std::byte> bytes = some_bytes(32 * least);
    // In many pieces; and in one, which takes long to come out of its buffer.
    for (const std::size_t buffer : {std::size_t{5000}, bytes.size()}) {
        CAPTURE(buffer);
        Staging staging(allocate, buffer, 3);
        std::vector<std::byte> given = bytes, once(bytes.size()), twice(bytes.size());
        const auto queue = lane_of(staging, calls);
        Bindings bindings;
        bindings[Slot::keys] = {queue->allocate(bytes.size())};
        const auto rows = [](std::vector<std::byte>& all) {
            return Rows{all.data(), all.size(), 1, all.size(), all.size()};
        };
        queue->upload(rows(given), bindings[Slot::keys]);
        queue->run(work_on(bytes.size()), bindings);
        queue->download(bindings[Slot::keys], rows(once));
        queue->upload(rows(once), bindings[Slot::keys]);
        queue->run(work_on(bytes.size()), bindings);
        queue->download(bindings[Slot::keys], rows(twice));
        queue->end()->wait();
        // While threads are still there.
        CHECK(twice.back() == one_more(one_more({bytes.back()})).front());
        CHECK(twice == one_more(one_more(bytes)));
        CHECK(once == one_more(bytes));
    }
}

TEST_CASE("staging: not for small rows, nor pinned memory, nor without memory for it, which is kept") {
    Calls calls;
    std::size_t allocations = 0;
    bool has_memory = false;
    Staging staging(
        [&](std::size_t bytes) {
            ++allocations;
            return has_memory ? allocate(bytes) : nullptr;
        },
        1000, 2);
    std::vector<std::byte> bytes = some_bytes(least), there(least);
    const auto go = [&](std::uint64_t count, bool (*is_pageable)(const void*)) {
        std::ranges::fill(there, std::byte{0});
        const int before = calls.number;
        const auto queue = lane_of(staging, calls, is_pageable);
        queue->upload({bytes.data(), count, 1, count, count}, {there.data()});
        queue->end()->wait();
        CHECK(std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count), there.begin()));
        return calls.number - before > 3;  // piece by piece
    };
    CHECK(!go(least - 1, all_is_pageable));
    CHECK(!go(least, none_is_pageable));
    CHECK(allocations == 0);
    CHECK(!go(least, all_is_pageable));
    CHECK(allocations == 1);
    has_memory = true;
    CHECK(go(least, all_is_pageable));
    CHECK(go(least, all_is_pageable));
    CHECK(allocations == 2);
    staging.release();
    CHECK(go(least, all_is_pageable));
    CHECK(allocations == 3);
}

TEST_CASE("staging: whichever call fails, it is told, and the next copies go well") {
    Random random(test::seed());
    const std::vector<std::byte> bytes = some_bytes(16 * least);
    Calls calls;
    Staging staging(allocate, 30'001, 3);
    in_turns(staging, calls, bytes, random);
    const int all = calls.number;
    REQUIRE(all > 50);
    int failures = 0, ends = 0;
    for (int failing = 1; failing <= all; failing += 1 + static_cast<int>(random() % 5)) {
        CAPTURE(failing);
        for (const bool at_end : {false, true}) {
            calls.number = 0;
            (at_end ? calls.failing_end : calls.failing) = failing;
            bool is_told = false;
            try {
                in_turns(staging, calls, bytes, random);
            } catch (const Error& error) {
                CHECK(error.code() == ErrorCode::device_failed);
                ++failures;
                is_told = true;
            }
            const bool end_failed = at_end && calls.failing_end == 0;
            if (end_failed) CHECK(is_told);
            ends += end_failed;
            calls.failing = calls.failing_end = 0;
        }
        CHECK(in_turns(staging, calls, bytes, random) == one_more(bytes));
    }
    CHECK(failures > 20);
    CHECK(ends > 10);
}

}  // namespace
}  // namespace lanesort::detail
