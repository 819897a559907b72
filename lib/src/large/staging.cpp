// SPDX-License-Identifier: MIT
#include "staging.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

namespace lanesort::inline v0_1::detail {
namespace {

/// Of what was enqueued, and of copies that may not have landed.
struct StagedEnd final : QueueEnd {
    StagedEnd(std::shared_ptr<const QueueEnd> of_enqueued, std::vector<std::shared_ptr<StagedCopy>> all)
        : enqueued(std::move(of_enqueued)), copies(std::move(all)) {}

    void wait() const override {
        for (const auto& copy : copies) copy->wait_landed();
        enqueued->wait();
    }
    bool has_come() const override {
        return std::ranges::all_of(copies, [](const auto& copy) { return copy->has_landed(); }) && enqueued->has_come();
    }

    std::shared_ptr<const QueueEnd> enqueued;
    std::vector<std::shared_ptr<StagedCopy>> copies;
};

const StagedEnd& staged(const std::shared_ptr<const QueueEnd>& end) { return static_cast<const StagedEnd&>(*end); }

/// In one row, if they lie one behind another on the device and are to do so in host memory.
Rows in_one(const Rows& rows) noexcept {
    if (rows.device_pitch != rows.width) return rows;
    const std::uint64_t bytes = rows.width * rows.height;
    return {rows.host, bytes, 1, bytes, bytes};
}

/// As they lie on the device.
Rows in_a_row(std::span<const HostExtent> extents) noexcept {
    std::uint64_t bytes = 0;
    for (const HostExtent& extent : extents) bytes += extent.bytes;
    return {extents.front().host, bytes, 1, bytes, bytes};
}

}  // namespace

/// With the queue's lock held, the copies of these ends have to be enqueued: else it waits for that.
void StagingGate::open(DeviceQueue& queue) {
    if (error) std::rethrow_exception(error);
    try {
        if (const std::shared_ptr<StagingGate> earlier = std::exchange(before, {})) earlier->open(queue);
        for (const auto& end : std::exchange(awaited, {})) {
            for (const auto& copy : staged(end).copies) {
                copy->wait_enqueued();
                queue.await(copy->end());
            }
            queue.await(staged(end).enqueued);
        }
    } catch (...) {
        error = std::current_exception();
        throw;
    }
}

StagedCopy::StagedCopy(Way way, bool is_pageable, SharedQueue& queue, const Rows& rows, const Binding& there,
                       std::shared_ptr<StagingGate> gate)
    : way_(way),
      is_pageable_(is_pageable),
      queue_(queue),
      given_(rows),
      rows_(rows),
      there_(there),
      gate_(std::move(gate)) {
    if (rows.are_dealt()) rows_ = {rows.host, rows.device_pitch, rows.height, rows.device_pitch, rows.device_pitch};
    else if (rows.pitch == rows.width) rows_ = in_one(rows);
}

StagedCopy::StagedCopy(Way way, SharedQueue& queue, std::span<const HostExtent> extents, const Binding& there,
                       std::shared_ptr<StagingGate> gate)
    : way_(way),
      is_pageable_(true),
      queue_(queue),
      extents_(extents.begin(), extents.end()),
      given_(in_a_row(extents)),
      rows_(given_),
      there_(there),
      gate_(std::move(gate)) {}

void StagedCopy::wait_enqueued() const {
    is_enqueued_.wait(false, std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
}

bool StagedCopy::has_landed() const {
    if (!has_landed_.load(std::memory_order_acquire)) return false;
    throw_failure();
    return true;
}

bool StagedCopy::went_well() const noexcept {
    return has_landed_.load(std::memory_order_acquire) && !error_ && !late_error_;
}

void StagedCopy::wait_landed() const {
    has_landed_.wait(false, std::memory_order_acquire);
    throw_failure();
}

void StagedCopy::wait_over() const { way_ == Way::up ? wait_enqueued() : wait_landed(); }

void StagedCopy::wait_over_quietly() const noexcept {
    (way_ == Way::up ? is_enqueued_ : has_landed_).wait(false, std::memory_order_acquire);
}

void StagedCopy::throw_failure() const {
    for (const std::exception_ptr& error : {error_, late_error_})
        if (error) std::rethrow_exception(error);
}

bool StagedCopy::may_begin() noexcept {
    while (!before_.empty() && before_.back()->is_enqueued()) before_.pop_back();
    return before_.empty();
}

StagedCopy::Piece StagedCopy::take(std::size_t most) {
    if (!is_pageable_) most = std::numeric_limits<std::size_t>::max();
    Piece piece{rows_, row_ * rows_.device_pitch + column_};
    if (extents_.empty()) piece.rows.host = static_cast<std::byte*>(rows_.host) + row_ * rows_.pitch + column_;
    if (rows_.width <= most) {
        piece.rows.height = std::min(most / rows_.width, rows_.height - row_);
        row_ += piece.rows.height;
    } else {
        piece.rows.height = 1;
        piece.rows.width = std::min<std::uint64_t>(most, rows_.width - column_);
        column_ += piece.rows.width;
        if (column_ == rows_.width) {
            column_ = 0;
            ++row_;
        }
    }
    ++to_enqueue_;
    ++in_flight_;
    return piece;
}

std::shared_ptr<const QueueEnd> StagedCopy::enqueue(std::byte* buffer, const Piece& piece) {
    Rows rows = piece.rows;
    if (is_pageable_) {
        rows.host = buffer;
        rows.pitch = rows.width;
        rows = in_one(rows);
    }
    const Binding place{there_.memory, there_.offset + piece.offset};
    const std::lock_guard lock(queue_.lock);
    DeviceQueue& queue = *queue_.queue;
    if (gate_) gate_->open(queue);
    if (way_ == Way::up) queue.upload(rows, place);
    else queue.download(place, rows);
    return end_ = queue.end();
}

void StagedCopy::pass(std::byte* buffer, const Piece& piece) const {
    if (!is_pageable_) return;
    const auto copy_all = [&](void* host, std::uint64_t height, std::uint64_t width, std::uint64_t pitch,
                              std::byte* there, std::uint64_t pitch_there) {
        auto* here = static_cast<std::byte*>(host);
        for (std::uint64_t row = 0; row < height; ++row, here += pitch, there += pitch_there)
            if (way_ == Way::up) std::memcpy(there, here, width);
            else std::memcpy(here, there, width);
    };
    const Rows& rows = piece.rows;
    if (!extents_.empty()) {
        const std::uint64_t end = piece.offset + rows.width;
        std::uint64_t before = 0;
        for (const auto& [host, bytes] : extents_) {
            const std::uint64_t from = std::max(before, piece.offset), to = std::min(before + bytes, end);
            if (from < to) copy_all(host + (from - before), 1, to - from, 0, buffer + (from - piece.offset), 0);
            before += bytes;
        }
    } else if (given_.are_dealt()) {
        Rows dealt = given_;
        dealt.height = rows.height;
        const std::uint64_t rows_before = piece.offset / given_.device_pitch;
        each_slice(dealt, {}, [&](const Rows& slice, const Binding& in_buffer) {
            copy_all(static_cast<std::byte*>(slice.host) + rows_before * slice.pitch, slice.height, slice.width,
                     slice.pitch, buffer + in_buffer.offset, slice.device_pitch);
        });
    } else if (rows.pitch == rows.width) {
        copy_all(rows.host, 1, rows.width * rows.height, 0, buffer, 0);
    } else {
        copy_all(rows.host, rows.height, rows.width, rows.pitch, buffer, rows.width);
    }
}

unsigned Staging::threads_that_copy() {
    constexpr unsigned enough = 16;
    return std::min(UsableCpus().count(), enough);
}

Staging::Staging(Allocate allocate, std::size_t buffer_bytes, unsigned threads)
    : allocate_(std::move(allocate)), buffer_bytes_(buffer_bytes), threads_(threads + 1) {}

bool Staging::is_ready() {
    if (threads_.others() == 0) return false;
    if (!memory_) memory_ = allocate_(2 * buffers_each_way * buffer_bytes_ * (threads_.count() - 1));
    return memory_ != nullptr;
}

Staging::Session::Session(Staging& staging) : staging_(staging) {
    staging_.is_closed_ = false;
    staging_.threads_.start([&staging](unsigned thread) { staging.work(thread); });
}

Staging::Session::~Session() {
    {
        const std::lock_guard lock(staging_.lock_);
        staging_.is_closed_ = true;
    }
    staging_.tell();
    staging_.threads_.finish();
}

std::shared_ptr<Staging::Session> Staging::session() {
    std::shared_ptr<Session> open = session_.lock();
    if (!open) session_ = open = std::make_shared<Session>(*this);
    return open;
}

void Staging::start(std::shared_ptr<StagedCopy> copy) {
    {
        const std::lock_guard lock(lock_);
        waiting(copy->way()).push_back(std::move(copy));
    }
    tell();
}

void Staging::tell() noexcept {
    ++changes_;
    changes_.notify_all();
}

std::optional<Staging::Taken> Staging::take(Way way) {
    const std::lock_guard lock(lock_);
    auto& copies = waiting(way);
    while (!copies.empty() && copies.front()->is_all_taken()) copies.pop_front();
    if (copies.empty() || !copies.front()->may_begin()) return {};
    return Taken{copies.front(), copies.front()->take(buffer_bytes_)};
}

void Staging::note(StagedCopy& copy, Steps steps, std::exception_ptr error) noexcept {
    bool all_enqueued = false, all_landed = false;
    {
        const std::lock_guard lock(lock_);
        if (error) {
            std::exception_ptr& first = copy.is_enqueued() ? copy.late_error_ : copy.error_;
            if (!first) first = std::move(error);
            copy.row_ = copy.rows_.height;
        }
        if (steps.enqueued) --copy.to_enqueue_;
        if (steps.landed) --copy.in_flight_;
        all_enqueued = copy.is_all_taken() && copy.to_enqueue_ == 0 && !copy.is_enqueued();
        if (all_enqueued) copy.is_enqueued_.store(true, std::memory_order_release);
        all_landed = copy.is_enqueued() && copy.in_flight_ == 0;
        if (all_landed) copy.has_landed_.store(true, std::memory_order_release);
    }
    if (all_landed) copy.has_landed_.notify_all();
    if (!all_enqueued) return;
    copy.is_enqueued_.notify_all();
    tell();
}

bool Staging::is_done() {
    const std::lock_guard lock(lock_);
    return is_closed_ && std::ranges::all_of(waiting_, [](const auto& copies) {
               return std::ranges::all_of(copies, [](const auto& copy) { return copy->is_all_taken(); });
           });
}

class Staging::Ring {
public:
    Ring(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

    bool is_empty() const noexcept { return held_ == 0; }
    bool is_full() const noexcept { return held_ == buffers_each_way; }
    std::byte* next() const noexcept { return memory_ + (oldest_ + held_) % buffers_each_way * bytes_; }
    void push(Taken taken, std::shared_ptr<const QueueEnd> end) noexcept {
        buffers_[(oldest_ + held_) % buffers_each_way] = {std::move(taken), std::move(end)};
        ++held_;
    }
    /// Takes out the oldest piece, if the device has copied it, and calls use(taken, memory, error).
    template <class Use>
    bool pop(const Use& use) noexcept {
        if (is_empty()) return false;
        std::exception_ptr error;
        Buffer& oldest = buffers_[oldest_];
        try {
            if (!oldest.end->has_come()) return false;
        } catch (...) {
            error = std::current_exception();
        }
        use(oldest.taken, memory_ + oldest_ * bytes_, std::move(error));
        oldest = {};
        oldest_ = (oldest_ + 1) % buffers_each_way;
        --held_;
        return true;
    }

private:
    struct Buffer {
        Taken taken;
        std::shared_ptr<const QueueEnd> end;
    };
    std::byte* const memory_;
    const std::size_t bytes_;
    Buffer buffers_[buffers_each_way] = {};
    unsigned oldest_ = 0, held_ = 0;
};

bool Staging::begin_piece(Way way, Ring& ring) noexcept {
    if (ring.is_full()) return false;
    std::optional<Taken> taken = take(way);
    if (!taken) return false;
    const std::shared_ptr<StagedCopy> copy = taken->copy;
    try {
        if (way == Way::up) copy->pass(ring.next(), taken->piece);
        std::shared_ptr<const QueueEnd> end = copy->enqueue(ring.next(), taken->piece);
        ring.push(std::move(*taken), std::move(end));
        note(*copy, {.enqueued = true});
    } catch (...) {
        note(*copy, {.enqueued = true, .landed = true}, std::current_exception());
    }
    return true;
}

bool Staging::end_piece(Ring& ring) noexcept {
    return ring.pop([&](const Taken& taken, std::byte* buffer, std::exception_ptr error) {
        if (taken.copy->way() == Way::down && !error) taken.copy->pass(buffer, taken.piece);
        note(*taken.copy, {.landed = true}, std::move(error));
    });
}

void Staging::work(unsigned thread) noexcept {
    constexpr std::uint32_t turns_awake = 200;
    std::byte* const memory = memory_.get() + (thread - 1) * 2 * buffers_each_way * buffer_bytes_;
    Ring ups(memory, buffer_bytes_), downs(memory + buffers_each_way * buffer_bytes_, buffer_bytes_);

    // The device's copies are asked for, not waited for: while one way rests, the other may go on.
    for (std::uint32_t idle = 0;; ++idle) {
        const std::uint32_t changes = changes_;
        bool has_moved = end_piece(downs);
        has_moved |= end_piece(ups);
        has_moved |= begin_piece(Way::down, downs);
        has_moved |= begin_piece(Way::up, ups);
        const bool is_busy = !ups.is_empty() || !downs.is_empty();
        if (has_moved) idle = 0;
        else if (!is_busy && is_done()) return;
        else if (idle < turns_awake) std::this_thread::yield();
        else if (is_busy) std::this_thread::sleep_for(std::chrono::microseconds(20));  // a kernel may be in front
        else changes_.wait(changes);
    }
}

StagingQueue::StagingQueue(std::unique_ptr<DeviceQueue> queue, Staging& staging, IsPageable is_pageable)
    : queue_{std::move(queue)}, staging_(staging), is_pageable_(std::move(is_pageable)) {}

StagingQueue::~StagingQueue() {
    for (const auto& copy : copies_) copy->wait_over_quietly();
}

void* StagingQueue::allocate(std::uint64_t bytes) {
    catch_up();
    return queue_.queue->allocate(bytes);
}

void StagingQueue::upload(const Rows& from, const Binding& to) {
    if (stage(Way::up, from, to)) return;
    catch_up();
    queue_.queue->upload(from, to);
}

void StagingQueue::download(const Binding& from, const Rows& to) {
    if (stage(Way::down, to, from)) return;
    catch_up();
    queue_.queue->download(from, to);
}

void StagingQueue::upload_extents(std::span<const HostExtent> from, Binding to) {
    if (!stage(Way::up, from, to)) DeviceQueue::upload_extents(from, to);
}

void StagingQueue::download_extents(Binding from, std::span<const HostExtent> to) {
    if (!stage(Way::down, to, from)) DeviceQueue::download_extents(from, to);
}

bool StagingQueue::has_threads_for(std::uint64_t bytes, bool is_pageable) {
    if (session_) return true;
    if (!is_pageable || bytes < least_bytes || !staging_.is_ready()) return false;
    session_ = staging_.session();
    return true;
}

bool StagingQueue::stage(Way way, const Rows& rows, const Binding& there) {
    if (rows.bytes() == 0) return true;
    const bool is_pageable = is_pageable_(rows.host);
    if (!has_threads_for(rows.bytes(), is_pageable)) return false;
    // Buffers hold whole rows of those that are dealt, but nothing else of several slices.
    if (rows.depth > 1 && !(is_pageable && rows.are_dealt() && rows.device_pitch <= staging_.buffer_bytes_)) {
        each_slice(rows, there, [&](const Rows& slice, const Binding& its) { stage(way, slice, its); });
        return true;
    }
    start(way,
          [&](const auto& gate) { return std::make_shared<StagedCopy>(way, is_pageable, queue_, rows, there, gate); });
    return true;
}

bool StagingQueue::stage(Way way, std::span<const HostExtent> extents, const Binding& there) {
    if (extents.size() < 2 || !is_pageable_(extents.front().host)) return false;
    if (!has_threads_for(in_a_row(extents).bytes(), true)) return false;
    start(way, [&](const auto& gate) { return std::make_shared<StagedCopy>(way, queue_, extents, there, gate); });
    return true;
}

template <class NewCopy>
void StagingQueue::start(Way way, const NewCopy& new_copy) {
    // What goes the same way goes in turn.
    if (!copies_.empty() && copies_.back()->way() != way) catch_up();
    std::vector<std::shared_ptr<StagedCopy>> before;
    if (!awaited_.empty()) {
        for (const auto& end : awaited_)
            before.insert(before.end(), staged(end).copies.begin(), staged(end).copies.end());
        gate_ = std::make_shared<StagingGate>(StagingGate{std::exchange(awaited_, {}), gate_});
    }
    const std::shared_ptr<StagedCopy> copy = new_copy(gate_);
    copy->before_ = std::move(before);
    copies_.reserve(copies_.size() + 1);  // whoever has it from here on, the queue waits for it
    staging_.start(copy);
    copies_.push_back(copy);
}

void StagingQueue::copy(const Binding& from, const Binding& to, std::uint64_t bytes) {
    catch_up();
    queue_.queue->copy(from, to, bytes);
}

void StagingQueue::run(const Work& work, const Bindings& bindings) {
    catch_up();
    queue_.queue->run(work, bindings);
}

std::shared_ptr<const QueueEnd> StagingQueue::end() {
    if (!awaited_.empty()) catch_up();
    std::erase_if(copies_, [](const auto& copy) { return copy->went_well(); });
    const std::lock_guard lock(queue_.lock);
    return std::make_shared<StagedEnd>(queue_.queue->end(), copies_);
}

void StagingQueue::wait() {
    catch_up();
    queue_.queue->wait();
}

void StagingQueue::await(std::shared_ptr<const QueueEnd> end) {
    awaited_.push_back(std::move(end));
    // Where nothing is staged, the device waits at once, and so does what its caller enqueues next.
    if (copies_.empty() && staged(awaited_.back()).copies.empty()) catch_up();
}

void StagingQueue::settle() {
    catch_up();
    queue_.queue->settle();
}

void StagingQueue::catch_up() {
    for (const auto& copy : copies_) copy->wait_over_quietly();
    for (const auto& copy : copies_) copy->wait_over();
    std::erase_if(copies_, [](const auto& copy) { return copy->went_well(); });
    // Its copies are waited for there.
    StagingGate{std::exchange(awaited_, {}), {}}.open(*queue_.queue);
}

}  // namespace lanesort::inline v0_1::detail
