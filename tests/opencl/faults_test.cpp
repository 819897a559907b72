// OpenCL calls that fail: whichever it is, a sort ends with an error that names it, gives back what it took, and leaves
// the caller's queue usable and the sorter able to sort. The calls fail in the layer of fault_layer.hpp.
#include <malloc.h>

#include <algorithm>
#include <numeric>

#include "error_support.hpp"
#include "fault_layer.hpp"
#include "opencl_target.hpp"

namespace lanesort::test {
namespace {

/// So many keys make several passes in it, and are too many to be selected without a sort.
const Shape shape{.vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 3};
constexpr std::size_t count = 300;

/// The devices, if the loader has put the layer before their drivers.
std::list<OpenClTarget>& devices_behind_layer() {
    static std::list<OpenClTarget> none;
    std::list<OpenClTarget>& all = opencl_devices();
    if (all.empty() || references()["cl_context"] > 0) return all;
    skip_without("OpenCL loader that puts the layer of OPENCL_LAYERS before the drivers");
    return none;
}

/// A caller's buffer: keys, and room for three times as many words.
class CallersBuffer {
public:
    CallersBuffer(const OpenClTarget& target, std::vector<std::uint32_t> keys)
        : target_(target), gate_(target.context), keys_(std::move(keys)) {
        std::vector<std::uint32_t> words = keys_;
        words.resize(4 * count);
        std::iota(words.begin() + count, words.begin() + 2 * count, 0u);
        buffer_ = buffer_of(target, words);
        gate_.setStatus(CL_COMPLETE);
    }

    const std::vector<std::uint32_t>& keys() const { return keys_; }
    cl_mem handle() const { return buffer_(); }
    opencl::KeyRange range() const { return {buffer_(), 0, count}; }

    /// Calls with a wait list and for an event.
    template <class Enqueue>
    void enqueue(Enqueue call) const {
        const cl_event waits[] = {gate_()};
        cl_event ended = nullptr;
        call(std::span(waits), &ended);
        REQUIRE(ended != nullptr);
        clReleaseEvent(ended);
    }

    /// So many words from that one on hold this.
    void check(std::size_t first, const std::vector<std::uint32_t>& expected) const {
        require_same_bytes(read<std::uint32_t>(target_.queue, buffer_, expected.size(), first), expected);
    }

private:
    const OpenClTarget& target_;
    cl::UserEvent gate_;
    std::vector<std::uint32_t> keys_;
    cl::Buffer buffer_;
};

/// One call on data of its own, and the look at what it left.
struct Work {
    std::function<void(Sorter&)> call;
    std::function<void()> check;
};

struct Kind {
    std::string name;
    std::function<Work(OpenClTarget&, Random&)> make;
    bool needs_new_sorter = false;  ///< the calls that compile are to be met, too
    bool has_another_way = false;   ///< some calls belong to an extension that it can do without
    bool in_host_memory = false;    ///< nothing may go on in the caller's memory after an error
};

Work sort_in_host_memory(OpenClTarget&, Random& random) {
    const auto keys = std::make_shared<std::vector<std::uint32_t>>(random_keys<std::uint32_t>(count, random));
    return {[=](Sorter& sorter) { sorter.sort(std::span(*keys)); },
            [=, expected = sorted(*keys, Order::ascending)] { require_same_bytes(*keys, expected); }};
}

Work sort_segments_in_host_memory(OpenClTarget&, Random& random) {
    struct Data {
        std::vector<std::uint32_t> keys, values;
        std::vector<std::uint64_t> offsets;
    };
    const auto data = std::make_shared<Data>();
    data->keys = make_keys<std::uint32_t>(Pattern::few_values, count, random);
    data->values.resize(count);
    std::iota(data->values.begin(), data->values.end(), 0u);
    data->offsets = {0, 10, count};
    return {[=](Sorter& sorter) {
                sorter.sort_by_key(std::span(data->keys), std::span(data->values),
                                   {.segments = data->offsets, .stable = true});
            },
            [=, keys = data->keys] {
                std::vector<std::uint32_t> expected(count);
                std::iota(expected.begin(), expected.end(), 0u);
                const auto first = [&](std::uint32_t index) { return keys[index]; };
                std::ranges::stable_sort(expected.begin(), expected.begin() + 10, {}, first);
                std::ranges::stable_sort(expected.begin() + 10, expected.end(), {}, first);
                require_same_bytes(data->values, expected);
                for (std::size_t i = 0; i < count; ++i) REQUIRE(data->keys[i] == keys[expected[i]]);
            }};
}

Work select_in_host_memory(OpenClTarget&, Random& random) {
    const auto keys = std::make_shared<const std::vector<std::uint32_t>>(random_keys<std::uint32_t>(count, random));
    const auto selected = std::make_shared<std::vector<std::uint32_t>>(5);
    const auto indices = std::make_shared<std::vector<std::uint32_t>>(5);
    return {[=](Sorter& sorter) { sorter.top_k(std::span(*keys), std::span(*selected), std::span(*indices)); },
            [=] {
                std::vector<std::uint32_t> expected = sorted(*keys, Order::descending);
                expected.resize(5);
                require_same_bytes(*selected, expected);
                for (std::size_t i = 0; i < 5; ++i) CHECK((*keys)[(*indices)[i]] == expected[i]);
            }};
}

template <class Call, class Check>
Work on_buffer(OpenClTarget& target, std::vector<std::uint32_t> keys, Call call, Check check) {
    const auto buffer = std::make_shared<CallersBuffer>(target, std::move(keys));
    return {[=](Sorter& sorter) {
                buffer->enqueue(
                    [&](std::span<const cl_event> waits, cl_event* ended) { call(sorter, *buffer, waits, ended); });
            },
            [=] { check(*buffer); }};
}

Work sort_on(const cl::CommandQueue& queue, OpenClTarget& target, Random& random) {
    return on_buffer(
        target, random_keys<std::uint32_t>(count, random),
        [=](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::enqueue_sort(sorter, queue(), buffer.range(), waits, ended);
        },
        [=](const CallersBuffer& buffer) {
            queue.finish();
            buffer.check(0, sorted(buffer.keys(), Order::ascending));
        });
}

Work sort_pairs(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, make_keys<std::uint32_t>(Pattern::few_values, count, random),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::KeyRange range = buffer.range();
            range.stable = true;
            opencl::enqueue_sort_by_key(sorter, target.queue(), range, {buffer.handle(), count, 4}, waits, ended);
        },
        [](const CallersBuffer& buffer) {
            buffer.check(0, sorted(buffer.keys(), Order::ascending));
            buffer.check(count, stable_indices<std::uint32_t>(buffer.keys(), Order::ascending));
        });
}

Work argsort(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, random_keys<std::uint32_t>(count, random),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::enqueue_argsort(sorter, target.queue(), buffer.range(), {buffer.handle(), count, 4}, waits, ended);
        },
        [](const CallersBuffer& buffer) {
            buffer.check(0, buffer.keys());
            buffer.check(count, stable_indices<std::uint32_t>(buffer.keys(), Order::ascending));
        });
}

/// The largest, which nobody has to ask for.
template <std::size_t k>
Work select_first(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, random_keys<std::uint32_t>(count, random),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            const opencl::Selected selected{buffer.handle(), count, {buffer.handle(), 2 * count, 4}};
            opencl::enqueue_top_k(sorter, target.queue(), buffer.range(), k, selected, waits, ended);
        },
        [](const CallersBuffer& buffer) {
            std::vector<std::uint32_t> expected = sorted(buffer.keys(), Order::descending);
            std::vector<std::uint32_t> indices = stable_indices<std::uint32_t>(buffer.keys(), Order::descending);
            expected.resize(k);
            indices.resize(k);
            buffer.check(count, expected);
            buffer.check(2 * count, indices);
        });
}

/// The keys of three rows, all of them: a sort of a copy, of which rows are copied out.
Work select_rows(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, random_keys<std::uint32_t>(count, random),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::KeyRange range = buffer.range();
            range.row_length = count / 3;
            range.order = Order::ascending;
            opencl::enqueue_top_k(sorter, target.queue(), range, count / 3, {buffer.handle(), count, {}}, waits, ended);
        },
        [](const CallersBuffer& buffer) {
            std::vector<std::uint32_t> expected = buffer.keys();
            for (auto row = expected.begin(); row != expected.end(); row += count / 3) std::sort(row, row + count / 3);
            buffer.check(count, expected);
        });
}

Work merge(OpenClTarget& target, Random& random) {
    std::vector<std::uint32_t> keys = random_keys<std::uint32_t>(count, random);
    std::sort(keys.begin(), keys.begin() + count / 3);
    std::sort(keys.begin() + count / 3, keys.end());
    return on_buffer(
        target, std::move(keys),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::enqueue_merge(sorter, target.queue(), buffer.range(), count / 3, waits, ended);
        },
        [](const CallersBuffer& buffer) { buffer.check(0, sorted(buffer.keys(), Order::ascending)); });
}

Work find_distinct(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, sorted(make_keys<std::uint32_t>(Pattern::few_values, count, random), Order::ascending),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            const opencl::Distinct distinct{buffer.handle(), 2 * count, {buffer.handle(), 3 * count / 2}};
            opencl::enqueue_unique(sorter, target.queue(), buffer.range(), distinct, waits, ended);
        },
        [](const CallersBuffer& buffer) {
            std::vector<std::uint32_t> expected = buffer.keys();
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            buffer.check(2 * count, expected);
            buffer.check(3 * count, {static_cast<std::uint32_t>(expected.size()), 0});
        });
}

Work record_and_replay(OpenClTarget& target, Random& random) {
    return on_buffer(
        target, random_keys<std::uint32_t>(count, random),
        [&](Sorter& sorter, const CallersBuffer& buffer, std::span<const cl_event> waits, cl_event* ended) {
            opencl::Recorded(sorter, target.queue(), sort(buffer.range())).enqueue(waits, ended);
        },
        [](const CallersBuffer& buffer) { buffer.check(0, sorted(buffer.keys(), Order::ascending)); });
}

/// A sorter in the caller's context.
Work make_sorter(OpenClTarget& target, Random&) {
    return {[&](Sorter&) { target.new_sorter(shape); }, [] {}};
}

/// A sorter with a context of its own.
Work open_device(OpenClTarget& target, Random&) {
    const auto all = devices();
    const auto device = std::ranges::find_if(all, [&](const Device& d) {
        return d.info().name == target.info.name && d.info().platform == target.info.platform;
    });
    REQUIRE(device != all.end());
    return {[device = *device](Sorter&) { Sorter made(device, {.shape = shape}); }, [] {}};
}

std::vector<Kind> kinds(const OpenClTarget& target) {
    std::vector<Kind> all{
        {"a sorter with a context of its own", open_device},
        {"a sorter in the caller's context", make_sorter},
        {"a sort in host memory", sort_in_host_memory, false, false, true},
        {"a sorter's first sort", sort_in_host_memory, true, false, true},
        {"a stable sort of pairs in segments of host memory", sort_segments_in_host_memory, false, false, true},
        {"a selection in host memory", select_in_host_memory, false, false, true},
        {"enqueue_sort", [](OpenClTarget& device, Random& random) { return sort_on(device.queue, device, random); }},
        {"enqueue_sort_by_key", sort_pairs},
        {"enqueue_argsort", argsort},
        {"enqueue_top_k of few", select_first<5>},
        {"enqueue_top_k of most", select_first<count - 1>},
        {"enqueue_top_k of rows", select_rows},
        {"enqueue_merge", merge},
        {"enqueue_unique", find_distinct},
        {"Recorded", record_and_replay, false, true},
    };
    if (const auto queue = out_of_order_queue(target))
        all.push_back({"enqueue_sort out of order", [queue = *queue](OpenClTarget& device, Random& random) {
                           return sort_on(queue, device, random);
                       }});
    return all;
}

/// The error names what failed, if need be as CL/opencl.hpp does.
void check_names(const Error& error, const std::string& entry_point, int status) {
    const std::string sentence = error.what();
    CAPTURE(sentence);
    CAPTURE(error.call());
    const bool by_wrapper = (entry_point.starts_with("clRetain") && error.call() == "Retain Object") ||
                            (entry_point.starts_with("clRelease") && error.call() == "Release Object");
    CHECK((by_wrapper || error.call() == entry_point));
    CHECK(error.status() == status);
    CHECK(error.code() == ErrorCode::out_of_memory);
    check_mentions(error, {error.call(), std::to_string(status)});
}

/// The program holds what it held before; where a release failed, that reference may be lost.
void check_references(const std::map<std::string, long>& before, bool release_failed) {
    long lost = 0;
    for (const auto& [name, held] : references()) {
        const std::string& kind = name;
        CAPTURE(kind);
        const auto known = before.find(kind);
        const long more = held - (known == before.end() ? 0 : known->second);
        CHECK(more >= 0);
        lost += more;
    }
    CHECK(lost <= (release_failed ? 1 : 0));
}

/// The calls of one such work on a sorter that has done it before, unless it needs a new one.
std::map<std::string, std::size_t> calls_of(const Kind& kind, OpenClTarget& target, Sorter& prepared, Random& random) {
    if (!kind.needs_new_sorter) kind.make(target, random).call(prepared);
    Sorter fresh = target.new_sorter(shape);
    const Work work = kind.make(target, random);
    const Fault none;
    work.call(kind.needs_new_sorter ? fresh : prepared);
    const auto counted = calls();
    work.check();
    return counted;
}

TEST_CASE("faults: each call of each entry point fails once") {
    Random random(seed());
    std::size_t faults = 0;
    for (OpenClTarget& target : devices_behind_layer())
        for (const Kind& kind : kinds(target)) {
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter prepared = target.new_sorter(shape);
            for (const auto& [name, number_of_calls] : calls_of(kind, target, prepared, random))
                for (std::size_t number = 1; number <= number_of_calls; ++number) {
                    const std::string& entry_point = name;
                    CAPTURE(entry_point);
                    CAPTURE(number);
                    const bool releases = entry_point.starts_with("clRelease");
                    const int status =
                        entry_point == "clCreateBuffer" ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
                    const Work work = kind.make(target, random), next = kind.make(target, random);
                    const auto before = references();
                    {
                        std::optional<Sorter> fresh;
                        if (kind.needs_new_sorter) fresh = target.new_sorter(shape);
                        Sorter& sorter = fresh ? *fresh : prepared;
                        const std::optional<Error> error = error_in([&] {
                            const Fault fault(entry_point, number, status);
                            work.call(sorter);
                        });
                        ++faults;
                        if (error && kind.in_host_memory && calls().contains("clEnqueueNDRangeKernel"))
                            CHECK(calls()["clFinish"] > 0);
                        if (error) {
                            check_names(*error, entry_point, status);
                        } else {
                            CHECK((releases || entry_point == "clFinish" || kind.has_another_way));
                            work.check();
                        }
                        if (!fresh) check_references(before, releases);
                        target.queue.finish();
                        next.call(sorter);
                        next.check();
                    }
                    check_references(before, releases);
                }
        }
    MESSAGE(faults, " faults");
}

TEST_CASE("faults: the device is lost at each call") {
    constexpr int status = CL_DEVICE_NOT_AVAILABLE;
    Random random(seed());
    std::size_t faults = 0;
    for (OpenClTarget& target : devices_behind_layer())
        for (const Kind& kind : kinds(target)) {
            if (kind.needs_new_sorter) continue;
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter sorter = target.new_sorter(shape);
            std::size_t all_calls = 0;
            for (const auto& [entry_point, number_of_calls] : calls_of(kind, target, sorter, random))
                if (!entry_point.starts_with("clRelease")) all_calls += number_of_calls;
            for (std::size_t number = 1; number <= all_calls; ++number) {
                CAPTURE(number);
                // Alive until the next sort has waited: what was enqueued may go on in its memory.
                const Work work = kind.make(target, random), next = kind.make(target, random);
                const auto before = references();
                const std::optional<Error> error = error_in([&] {
                    const Fault fault = Fault::lost_device(number, status);
                    work.call(sorter);
                });
                ++faults;
                if (error) {
                    CHECK(error->code() == ErrorCode::device_failed);
                    CHECK(error->status() == status);
                    check_mentions(*error, {error->call(), std::to_string(status)});
                } else {
                    work.check();
                }
                check_references(before, false);
                target.queue.finish();
                next.call(sorter);
                next.check();
            }
        }
    MESSAGE(faults, " faults");
}

TEST_CASE("faults: a call on the way to the devices hides none without a word") {
    if (devices_behind_layer().empty()) return;
    const auto discover = [] {
        const Fault none;
        const std::size_t found = lanesort::detail::discover_opencl().devices.size();
        return std::pair(found, calls());
    };
    const auto discovered = discover();
    const std::size_t devices_found = discovered.first;
    for (const auto& [name, number_of_calls] : discovered.second)
        for (std::size_t number = 1; number <= number_of_calls; ++number) {
            const std::string& entry_point = name;
            CAPTURE(entry_point);
            CAPTURE(number);
            const bool releases = entry_point.starts_with("clRelease");
            const auto before = references();
            const std::optional<Error> error = error_in([&] {
                const Fault fault(entry_point, number, CL_OUT_OF_RESOURCES);
                const Discovery discovery = lanesort::detail::discover_opencl();
                const bool told = std::ranges::any_of(discovery.absences, [&](const std::string& absence) {
                    return absence.find(std::to_string(CL_OUT_OF_RESOURCES)) != std::string::npos;
                });
                CHECK((told || releases));
                CHECK((told || discovery.devices.size() == devices_found));
            });
            if (error) check_names(*error, entry_point, CL_OUT_OF_RESOURCES);
            check_references(before, releases);
            CHECK(discover().first == devices_found);
        }
}

TEST_CASE("faults: a comparator that the compiler refuses, whose log may be out of reach") {
    const Comparator wrong{.type = "uint", .bytes = 4, .before = "a < no_such_name"};
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter(shape);
        for (const std::string entry_point : {"", "clGetProgramBuildInfo"}) {
            CAPTURE(entry_point);
            auto keys = random_keys<std::uint32_t>(count, random);
            const auto before = references();
            const Error error = error_of([&] {
                const Fault fault(entry_point, entry_point.empty() ? 0 : 1, CL_OUT_OF_RESOURCES);
                sorter.sort({keys, wrong});
            });
            CHECK(error.code() == ErrorCode::build_failed);
            CHECK(error.call() == "clBuildProgram");
            CHECK((error.build_log().find("no_such_name") != std::string::npos) == entry_point.empty());
            check_references(before, false);
            const Work next = sort_in_host_memory(target, random);
            next.call(sorter);
            next.check();
        }
    }
}

TEST_CASE("a sorter that releases its programs has none") {
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter(shape);
        const auto programs = [&] {
            auto held = references();
            return held["cl_program"] + held["cl_kernel"];
        };
        const long none = programs();
        sorter.prepare(KeyType::u32, count);
        sorter.prepare({.operation = Operation::is_sorted, .count = count, .key = KeyType::u64});
        const long compiled = programs();
        CHECK(compiled > none);
        sorter.release();
        CHECK(programs() == none);
        for (int use = 0; use < 2; ++use) {
            const Work work = sort_in_host_memory(target, random);
            work.call(sorter);
            work.check();
            CHECK(programs() > none);
            sorter.release();
            CHECK(programs() == none);
        }
    }
}

/// Memory that the process has allocated, in KiB; that of a sanitizer's allocator is not known, and counts as 0.
long allocated_kib() {
    const auto heap = mallinfo2();
    return static_cast<long>((heap.uordblks + heap.hblkhd) / 1024);
}

TEST_CASE("sorters made and destroyed leave nothing behind") {
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        // More memory after so many uses than after one.
        const auto grown_kib = [](int uses, const std::function<void()>& use) {
            use();
            const auto before = references();
            const long allocated = allocated_kib();
            for (int used = 1; used < uses; ++used) use();
            check_references(before, false);
            return allocated_kib() - allocated;
        };
        const long by_making = grown_kib(1000, [&] { target.new_sorter(shape); });
        CHECK(by_making < 100);
        // Drivers may keep something of each program.
        const long by_sorting = grown_kib(50, [&] {
            Sorter sorter = target.new_sorter(shape);
            const Work work = sort_in_host_memory(target, random);
            work.call(sorter);
            work.check();
        });
        MESSAGE("memory grew by ", by_making, " KiB in 1000 sorters, by ", by_sorting, " KiB in 50 that compiled");
    }
}

}  // namespace
}  // namespace lanesort::test
