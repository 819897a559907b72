// SPDX-License-Identifier: MIT
// Sorts in parts on a device that is made up: whichever of its queues goes on first, what comes out is right, and no
// more goes over the bus than has to.
#include <cstring>
#include <deque>
#include <functional>
#include <set>

#include <lanesort/parts.hpp>
#include <lanesort/sorter.hpp>

#include "core/described_device.hpp"
#include "core/sorter_core.hpp"
#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "ops/kernels.hpp"
#include "rows.hpp"
#include "support.hpp"

namespace lanesort::detail {
namespace {

using test::Random, test::seed;

struct Moved {
    std::uint64_t up = 0, down = 0;
    friend bool operator==(const Moved&, const Moved&) = default;
};

/// What queues still have to do, and what they were asked for.
struct Queues {
    /// Does what is next, unless that has to wait for another queue.
    using Step = std::function<bool()>;

    /// One of the queues goes on, if any can; or what one of them downloaded comes to host memory, which takes longer.
    bool go_on() {
        if (random() % 8 == 0 && land()) return true;
        std::vector<std::deque<Step>*> busy;
        for (std::deque<Step>& queue : steps)
            if (!queue.empty()) busy.push_back(&queue);
        std::ranges::shuffle(busy, random);
        for (std::deque<Step>* const queue : busy)
            if (queue->front()()) {
                queue->pop_front();
                return true;
            }
        return land();
    }
    bool land() {
        if (landings.empty()) return false;
        std::swap(landings[random() % landings.size()], landings.back());
        landings.back()();
        landings.pop_back();
        return true;
    }

    void count_call() {
        if (++calls == failing) throw Error(ErrorCode::device_failed, "the bus is gone");
    }

    Random random{seed()};
    std::deque<std::deque<Step>> steps;
    std::vector<std::function<void()>> landings;
    std::vector<Moved> parts;          ///< bytes of each
    std::size_t sorts = 0;             ///< asked for so far
    std::set<std::size_t> awaited_at;  ///< how many that were when the host waited
    bool copies_block = false;
    std::vector<std::size_t> uploads_at_download;  ///< of parts, that were asked for when the one of each part began
    std::size_t calls = 0, failing = 0;
    std::size_t allocations = 0, lacking = 0;  ///< of so many on, the device has no memory
    bool lacks_once = false;                   ///< or of that one alone
    bool samples_mislead = false;              ///< what is sorted first comes back as 0, 1, 2 ..
    Order order = Order::ascending;
};

struct MadeUpEnd final : QueueEnd {
    explicit MadeUpEnd(Queues& its) : queues(its) {}
    void wait() const override {
        queues.count_call();
        queues.awaited_at.insert(queues.sorts);
        while (!has_come()) REQUIRE(queues.go_on());
    }
    bool has_come() const override {
        return *reached && std::ranges::all_of(downloads, [](const auto& has_landed) { return *has_landed; });
    }
    Queues& queues;
    std::shared_ptr<bool> reached = std::make_shared<bool>(false);
    std::vector<std::shared_ptr<const bool>> downloads;  ///< whether they came to host memory
};

/// Sorts keys of 4 bytes, and values of 4 or 8 that order equal ones.
template <class Value>
void sort_elements(std::byte* keys, std::byte* values, std::size_t count, Order order) {
    std::vector<std::pair<std::uint32_t, Value>> elements(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(&elements[i].first, keys + 4 * i, 4);
        if (values) std::memcpy(&elements[i].second, values + sizeof(Value) * i, sizeof(Value));
    }
    std::ranges::sort(elements, [&](const auto& a, const auto& b) {
        return a.first != b.first ? (a.first < b.first) == (order == Order::ascending) : a.second < b.second;
    });
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(keys + 4 * i, &elements[i].first, 4);
        if (values) std::memcpy(values + sizeof(Value) * i, &elements[i].second, sizeof(Value));
    }
}

/// Where each of some keys of 4 bytes is in others that are sorted.
void find_ranges(const std::byte* keys, std::size_t count, const std::byte* wanted, std::size_t cuts,
                 std::uint64_t* ranges, Order order) {
    std::vector<std::uint32_t> sorted(count), all(cuts);
    std::memcpy(sorted.data(), keys, 4 * count);
    std::memcpy(all.data(), wanted, 4 * cuts);
    for (std::size_t i = 0; i < cuts; ++i) {
        const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), all[i], [&](auto a, auto b) {
            return order == Order::ascending ? a < b : b < a;
        });
        ranges[2 * i] = static_cast<std::uint64_t>(first - sorted.begin());
        ranges[2 * i + 1] = static_cast<std::uint64_t>(end - sorted.begin());
    }
}

class MadeUpQueue final : public DeviceQueue {
public:
    explicit MadeUpQueue(Queues& queues) : queues_(queues), steps_(queues.steps.emplace_back()) {}
    ~MadeUpQueue() override {
        while (is_busy()) REQUIRE(queues_.go_on());
    }

    void* allocate(std::uint64_t bytes) override {
        queues_.count_call();
        ++queues_.allocations;
        if (queues_.lacks_once ? queues_.allocations == queues_.lacking
                               : queues_.lacking > 0 && queues_.allocations >= queues_.lacking)
            throw NoMemoryForWork(Error(ErrorCode::out_of_memory, "the device is full"));
        return memory_.emplace_back(bytes).data();
    }
    void upload(const Rows& from, const Binding& to) override {
        queues_.count_call();
        part().up += from.bytes();
        copy(from, to, true);
    }
    void download(const Binding& from, const Rows& to) override {
        queues_.count_call();
        part().down += to.bytes();
        if (queues_.uploads_at_download.size() == parts_) queues_.uploads_at_download.push_back(queues_.parts.size());
        copy(to, from, false);
    }
    void copy(const Binding&, const Binding&, std::uint64_t) override { FAIL("nothing is copied on the device"); }
    void run(const Work& work, const Bindings& bindings) override {
        queues_.count_call();
        auto* const keys = static_cast<std::byte*>(bindings[Slot::keys].memory);
        auto* const values = static_cast<std::byte*>(bindings[Slot::values].memory);
        const std::size_t bytes = work.arrays[Slot::values].bytes;
        if (!work.programs.empty() && work.programs.front()->parameters.family == &families::iota) {
            const Launch launch = std::get<Launch>(work.commands.front());
            const std::uint64_t count = launch.arguments[1].value, first = launch.arguments[2].value;
            return later([=] {
                for (std::uint64_t i = 0, place = first; i < count; ++i, ++place)
                    std::memcpy(values + i * bytes, &place, bytes);  // the low bytes come first
            });
        }
        if (!work.programs.empty() && work.programs.front()->parameters.family == &families::binary_search) {
            const auto* const wanted = static_cast<const std::byte*>(bindings[Slot::second_keys].memory);
            auto* const ranges =
                static_cast<std::uint64_t*>(bindings[Slot::indices].memory) + bindings[Slot::indices].offset;
            return later([=, order = queues_.order, count = work.arrays[Slot::keys].count,
                          cuts = work.arrays[Slot::second_keys].count] {
                find_ranges(keys, count, wanted, cuts, ranges, order);
            });
        }
        const std::size_t count = work.arrays[Slot::keys].count;
        if (++queues_.sorts == 1 && queues_.samples_mislead)
            return later([=] {
                for (std::uint32_t i = 0; i < count; ++i) std::memcpy(keys + std::size_t{4} * i, &i, 4);
            });
        later([=, order = queues_.order] {
            if (bytes == 8) sort_elements<std::uint64_t>(keys, values, count, order);
            else sort_elements<std::uint32_t>(keys, bytes > 0 ? values : nullptr, count, order);
        });
    }
    std::shared_ptr<const QueueEnd> end() override {
        queues_.count_call();
        auto made = std::make_shared<MadeUpEnd>(queues_);
        made->downloads = downloads_;
        later([reached = made->reached] { *reached = true; });
        ++parts_;
        return made;
    }
    void await(std::shared_ptr<const QueueEnd> end) override {
        steps_.push_back([reached = static_cast<const MadeUpEnd&>(*end).reached] { return *reached; });
    }

private:
    template <class Do>
    void later(const Do& act) {
        steps_.push_back([act] {
            act();
            return true;
        });
    }

    Moved& part() {
        if (queues_.parts.size() <= parts_) queues_.parts.resize(parts_ + 1);
        return queues_.parts[parts_];
    }

    bool is_busy() {
        std::erase_if(downloads_, [](const auto& has_landed) { return *has_landed; });
        return !steps_.empty() || !downloads_.empty();
    }

    void copy(const Rows& rows, const Binding& there, bool up) {
        if (is_staged_) stage(rows, there, up);
        else later([=] { test::copy_rows(rows, there, up); });
        while (queues_.copies_block && is_busy()) REQUIRE(queues_.go_on());
    }

    /// As DeviceQueue::await allows it: what goes up is read at once, what goes down comes to host memory at some time.
    void stage(const Rows& rows, const Binding& there, bool up) {
        const auto between = std::make_shared<std::vector<std::byte>>(
            (rows.depth - 1) * rows.device_slice_pitch + (rows.height - 1) * rows.device_pitch + rows.width);
        Rows packed = rows;  // as it lies on the device
        packed.host = between->data();
        packed.pitch = rows.device_pitch;
        packed.slice_pitch = rows.device_slice_pitch;
        if (up) {
            test::copy_rows(rows, {between->data()}, true);
            return later([=, kept = between] { test::copy_rows(packed, there, true); });
        }
        const auto has_landed = std::make_shared<bool>(false);
        downloads_.push_back(has_landed);
        later([=, &landings = queues_.landings] {
            test::copy_rows(packed, there, false);
            landings.push_back([=] {
                test::copy_rows(rows, {between->data()}, false);
                *has_landed = true;
            });
        });
    }

    Queues& queues_;
    std::deque<Queues::Step>& steps_;
    std::vector<std::shared_ptr<const bool>> downloads_;
    const bool is_staged_ = queues_.random() % 3 != 0;
    std::deque<std::vector<std::byte>> memory_;
    std::size_t parts_ = 0;  ///< whose end was asked for
};

class MadeUpDevice final : public DescribedDevice {
public:
    explicit MadeUpDevice(Queues& queues, DeviceInfo info = test::graphics_card())
        : DescribedDevice(std::move(info)), queues_(queues) {}
    bool has_queues() const noexcept override { return true; }
    std::unique_ptr<DeviceQueue> open_queue() override { return std::make_unique<MadeUpQueue>(queues_); }
    std::shared_ptr<void> pin(void*, std::uint64_t, const std::function<void()>& write_first) override {
        write_first();
        return nullptr;
    }

private:
    Queues& queues_;
};

/// So many parts have memory at once.
constexpr std::uint64_t at_once = 3, fitting = 20'000;

Sorter sorter_on(Queues& queues, std::size_t element_bytes) {
    return Sorter(std::make_unique<SorterCore>(
        std::make_unique<MadeUpDevice>(queues),
        SorterOptions{
            .use_tuned = false, .device_bytes = fitting * element_bytes, .seed = static_cast<std::uint32_t>(seed())}));
}

/// The passes over keys of 4 bytes; rows of no fewer than 512 are copied, where they can be as long.
std::vector<PassOfParts> passes_of(std::uint64_t count, std::uint64_t capacity = fitting / at_once) {
    return parts_that_sort(count, capacity, 512 / 4);
}

/// Keys of which many are equal.
std::vector<std::uint32_t> some_keys(std::size_t count, Random& random) {
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % (count / 3));
    return keys;
}

/// What the parts of a pass move.
std::vector<Moved> moved_by_passes(const Queues& queues, std::uint64_t count) {
    std::vector<Moved> all;
    std::size_t next = 0;
    for (const PassOfParts& pass : passes_of(count)) {
        Moved& moved = all.emplace_back();
        for (std::size_t i = 0; i < pass.size(); ++i, ++next) {
            moved.up += queues.parts.at(next).up;
            moved.down += queues.parts.at(next).down;
        }
    }
    CHECK(next == queues.parts.size());
    return all;
}

/// One more than fits, a last tile of any length, and many tiles.
constexpr std::size_t counts[] = {fitting + 1, 20'203, 80'001, 119'999, 319'999};

template <class Index>
void check_argsorts(Order order) {
    Queues queues;
    queues.order = order;
    Random random(seed());
    Sorter sorter = sorter_on(queues, 4 + sizeof(Index));
    for (const std::size_t count : counts)
        for (int time = 0; time < 2; ++time) {
            CAPTURE(count);
            const std::vector<std::uint32_t> keys = some_keys(count, random), before = keys;
            std::vector<Index> indices(count, Index{77});
            queues.parts.clear();
            queues.sorts = 0;
            queues.awaited_at.clear();
            const SortReport report = sorter.argsort(keys, indices, {.order = order, .data_independent = true});
            CHECK(keys == before);
            CHECK(indices == test::stable_indices<Index>(keys, order));
            CHECK(report.device_bytes <= fitting * (4 + sizeof(Index)));

            std::uint64_t at_borders = 0;
            const std::vector<PassOfParts> passes = passes_of(count);
            for (const Part& part : passes[3]) at_borders += part.count;
            constexpr std::uint64_t key = 4, index = sizeof(Index), both = key + index;
            const std::vector<Moved> expected{{count * key, count * both},
                                              {count * both, count * both},
                                              {count * both, count * index + at_borders * key},
                                              {at_borders * both, at_borders * index}};
            CHECK(moved_by_passes(queues, count) == expected);

            // Until all of a pass was asked for, the host waits for nothing.
            std::set<std::size_t> ends;
            std::size_t parts = 0;
            for (const PassOfParts& pass : passes) ends.insert(parts += pass.size());
            CHECK(queues.awaited_at == ends);
        }
}

TEST_CASE("sort in parts: an argsort numbers on the device and brings back no keys but those about borders") {
    for (const Order order : test::both_orders) {
        check_argsorts<std::uint32_t>(order);
        check_argsorts<std::uint64_t>(order);
    }
}

/// Sorts keys, or pairs of which values order those with equal keys, where they are or to another place.
SortReport check_sort(Sorter& sorter, std::vector<std::uint32_t> keys, std::vector<std::uint32_t> values,
                      bool has_values, bool apart, const SortOptions& options) {
    const std::size_t count = keys.size();
    const std::vector<std::uint32_t> keys_before = keys, values_before = values;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = {keys[i], has_values ? values[i] : 0};
    std::ranges::sort(expected);
    std::vector<std::uint32_t> sorted(count), sorted_values(count);
    SortReport report;
    if (apart && has_values) report = sorter.sort_by_key(keys, values, sorted, sorted_values, options);
    else if (apart) report = sorter.sort(keys, sorted, options);
    else if (has_values) report = sorter.sort_by_key(keys, values, options);
    else report = sorter.sort(keys, options);
    if (apart) CHECK((keys == keys_before && values == values_before));
    else sorted = keys, sorted_values = values;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found(count);
    for (std::size_t i = 0; i < count; ++i) found[i] = {sorted[i], has_values ? sorted_values[i] : 0};
    REQUIRE(found == expected);
    return report;
}

TEST_CASE("sort in parts: keys and pairs go both ways in every pass, to another place, too") {
    Queues queues;
    Random random(seed());
    for (const bool has_values : {false, true})
        for (const bool apart : {false, true}) {
            constexpr std::size_t count = 80'001;
            const std::size_t element = has_values ? 8 : 4;
            Sorter sorter = sorter_on(queues, element);
            queues.parts.clear();
            queues.sorts = 0;
            check_sort(sorter, some_keys(count, random), some_keys(count, random), has_values, apart,
                       {.data_independent = true});
            const std::vector<Moved> moved = moved_by_passes(queues, count);
            for (const Moved& pass : moved) CHECK(pass.up == pass.down);
            for (std::size_t pass = 0; pass < 3; ++pass) CHECK(moved[pass].up == count * element);
        }
}

TEST_CASE("sort in parts: where copies block, the next part has come before one goes back") {
    constexpr std::size_t count = 80'001;
    Queues queues;
    queues.copies_block = true;
    Random random(seed());
    const std::vector<std::uint32_t> keys = some_keys(count, random);
    std::vector<std::uint32_t> sorted = keys, expected = keys;
    std::ranges::sort(expected);
    sorter_on(queues, 4).sort(sorted, {.data_independent = true});
    CHECK(sorted == expected);
    std::vector<std::size_t> ahead;
    for (const PassOfParts& pass : passes_of(count)) {
        const std::size_t before = ahead.size();
        for (std::size_t i = 0; i < pass.size(); ++i) ahead.push_back(before + std::min(i + 2, pass.size()));
    }
    CHECK(queues.uploads_at_download == ahead);
}

TEST_CASE("sort in parts: of two or three tiles, where one allocation is too small") {
    DeviceInfo info = test::graphics_card();
    info.max_allocation_bytes = 4 * fitting;
    Queues queues;
    Random random(seed());
    Sorter sorter(
        std::make_unique<SorterCore>(std::make_unique<MadeUpDevice>(queues, info), SorterOptions{.use_tuned = false}));
    for (const std::size_t count : {fitting + 1, 2 * fitting - 501, 2 * fitting + 1, 3 * fitting - 501})
        for (int time = 0; time < 3; ++time) {
            CAPTURE(count);
            REQUIRE(passes_of(count, fitting)[0].size() == (count < 2 * fitting ? 2 : 3));
            std::vector<std::uint32_t> keys = some_keys(count, random), expected = keys;
            std::ranges::sort(expected);
            sorter.sort(keys, {.data_independent = true});
            REQUIRE(keys == expected);
        }
}

Moved moved_in_all(const Queues& queues) {
    Moved all;
    for (const Moved& part : queues.parts) {
        all.up += part.up;
        all.down += part.down;
    }
    return all;
}

Sorter distributing_on(Queues& queues, std::size_t element_bytes) {
    Sorter sorter = sorter_on(queues, element_bytes);
    sorter.core().distribute_parts_from(0);
    return sorter;
}

/// Arrays of every kind that a distribution may find hard.
std::vector<std::vector<std::uint32_t>> hard_keys(std::size_t count, Random& random) {
    std::vector<std::vector<std::uint32_t>> all(8, std::vector<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = static_cast<std::uint32_t>(i), any = static_cast<std::uint32_t>(random());
        all[0][i] = any;
        all[1][i] = place;
        all[2][i] = static_cast<std::uint32_t>(count) - place;
        all[3][i] = 5;
        all[4][i] = any % 3;
        all[5][i] = place % 4000;                         // many sorted runs
        all[6][i] = place % 64 * 100'000 + any % 3;       // as regular as samples must not be
        all[7][i] = place < count / 2 ? any % 100 : any;  // half of them are few
    }
    return all;
}

TEST_CASE("sort in parts: by distribution, keys and pairs, in place and apart") {
    Random random(seed());
    for (const std::size_t count : counts)
        for (const bool has_values : {false, true})
            for (const bool apart : {false, true}) {
                Queues queues;
                Sorter sorter = distributing_on(queues, has_values ? 8 : 4);
                std::size_t distributed = 0;
                for (const std::vector<std::uint32_t>& keys : hard_keys(count, random)) {
                    CAPTURE(count);
                    CAPTURE(has_values);
                    CAPTURE(apart);
                    queues.parts.clear();
                    queues.copies_block = random() % 2 == 0;
                    const SortReport report = check_sort(sorter, keys, some_keys(count, random), has_values, apart, {});
                    CHECK(report.device_bytes <= fitting * (has_values ? 8u : 4u));
                    if (report.schedule != Schedule::distribution) continue;
                    ++distributed;
                    // Twice all, samples, and what is asked for about cuts.
                    const Moved moved = moved_in_all(queues);
                    const std::size_t all = 2 * count * (has_values ? 8 : 4);
                    CHECK(moved.up >= all);
                    CHECK(moved.up <= all + fitting * 4);
                    CHECK(moved.down >= all);
                    CHECK(moved.down <= all + fitting * 4 + count);
                }
                // Pairs of a key that are too many for a part go in columns.
                CHECK(distributed >= (has_values ? 5 : 8));
            }
}

template <class Index>
void check_distributed_argsorts(Order order) {
    Queues queues;
    queues.order = order;
    Random random(seed());
    Sorter sorter = distributing_on(queues, 4 + sizeof(Index));
    for (const std::size_t count : counts) {
        CAPTURE(count);
        const std::vector<std::uint32_t> keys = some_keys(count, random), before = keys;
        std::vector<Index> indices(count, Index{77});
        queues.parts.clear();
        const SortReport report = sorter.argsort(keys, indices, {.order = order});
        CHECK(report.schedule == Schedule::distribution);
        CHECK(keys == before);
        CHECK(indices == test::stable_indices<Index>(keys, order));
        CHECK(report.device_bytes <= fitting * (4 + sizeof(Index)));
        // Indices begin on the device, and keys do not come back the second time.
        const Moved moved = moved_in_all(queues);
        CHECK(moved.up <= count * (8 + sizeof(Index)) + fitting * 4);
        CHECK(moved.down <= count * (4 + 2 * sizeof(Index)) + fitting * 4 + count);
    }
}

TEST_CASE("sort in parts: by distribution, indices") {
    for (const Order order : test::both_orders) {
        check_distributed_argsorts<std::uint32_t>(order);
        check_distributed_argsorts<std::uint64_t>(order);
    }
}

TEST_CASE("sort in parts: columns take less memory, and where there is none nothing was written") {
    Random random(seed());
    constexpr std::size_t count = 40'003;
    const std::vector<std::uint32_t> keys = some_keys(count, random), untouched(count, 77);
    const std::vector<std::uint32_t> expected = test::stable_indices<std::uint32_t>(keys, Order::ascending);
    Queues queues;
    Sorter sorter = distributing_on(queues, 8);
    std::vector<std::uint32_t> indices;
    const auto argsort = [&](std::size_t lacking, bool once) {
        queues.allocations = queues.sorts = 0;
        queues.lacking = lacking;
        queues.lacks_once = once;
        indices = untouched;
        return sorter.argsort(keys, indices).schedule;
    };
    CHECK(argsort(0, false) == Schedule::distribution);
    const std::size_t allocations = queues.allocations;
    REQUIRE(allocations > 3);
    for (std::size_t lacking = 1; lacking <= allocations; ++lacking) {
        CAPTURE(lacking);
        CHECK(argsort(lacking, true) == Schedule::columns);
        CHECK(indices == expected);
        test::check_refused(ErrorCode::out_of_memory, "the device is full", [&] { argsort(lacking, false); });
        CHECK(indices == untouched);
    }
}

TEST_CASE("sort in parts: columns sort what samples misled about") {
    Random random(seed());
    for (const std::size_t count : counts) {
        CAPTURE(count);
        Queues queues;
        queues.samples_mislead = true;
        std::vector<std::uint32_t> keys(count), expected;
        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random());
        expected = keys;
        std::vector<std::uint32_t> indices(count);
        std::pair<std::size_t, std::size_t> told;
        Sorter sorter(std::make_unique<SorterCore>(
            std::make_unique<MadeUpDevice>(queues),
            SorterOptions{.use_tuned = false, .device_bytes = fitting * 8, .progress = [&](auto done, auto all) {
                              CHECK(done == told.first + 1);
                              told = {done, all};
                          }}));
        sorter.core().distribute_parts_from(0);
        const SortReport report = sorter.argsort(keys, indices);
        CHECK(report.schedule == Schedule::columns);
        CHECK(told.first == told.second);
        CHECK(report.device_bytes <= fitting * 8);
        CHECK(keys == expected);
        CHECK(indices == test::stable_indices<std::uint32_t>(keys, Order::ascending));
        // Two passes that were for nothing, and all that columns do.
        CHECK(moved_in_all(queues).up > count * (4 + 3 * 8));
        queues.sorts = 0;
        CHECK(distributing_on(queues, 4).sort(keys).schedule == Schedule::columns);
        std::ranges::sort(expected);
        CHECK(keys == expected);
    }
}

TEST_CASE("sort in parts: whichever call fails, an argsort says so, leaves the keys and goes on the next time") {
    Random random(seed());
    constexpr std::size_t count = 40'003;
    const std::vector<std::uint32_t> keys = some_keys(count, random), before = keys;
    const std::vector<std::uint32_t> expected = test::stable_indices<std::uint32_t>(keys, Order::ascending);
    for (const bool distributes : {false, true}) {
        CAPTURE(distributes);
        Queues queues;
        Sorter sorter = distributes ? distributing_on(queues, 8) : sorter_on(queues, 8);
        std::vector<std::uint32_t> indices(count), sorted;
        const auto start = [&] {
            queues.calls = queues.sorts = 0;
            queues.parts.clear();
            queues.copies_block = random() % 2 == 0;
        };
        const auto argsort = [&] {
            start();
            sorter.argsort(keys, indices);
        };
        argsort();
        const std::size_t calls = queues.calls;
        REQUIRE(calls > 100);
        for (std::size_t failing = 1; failing <= calls; failing += 1 + random() % 5) {
            CAPTURE(failing);
            queues.failing = failing;
            test::check_refused(ErrorCode::device_failed, "the bus is gone", argsort);
            CHECK(keys == before);
            queues.failing = 0;
            argsort();
            REQUIRE(indices == expected);
        }
        for (std::size_t failing = 1; failing <= calls / 2; failing += 1 + random() % 9) {
            sorted = keys;
            start();
            queues.failing = failing;
            test::check_refused(ErrorCode::device_failed, "the bus is gone",
                                [&] { sorter.sort_by_key(sorted, indices); });
            queues.failing = 0;
        }
    }
}

}  // namespace
}  // namespace lanesort::detail
