// SPDX-License-Identifier: MIT
// OpenCL calls that fail: whichever it is, a sort ends with an error that names it, gives back what it took, and leaves
// the caller's queue usable and the sorter able to sort. The calls fail in the layer of fault_layer.hpp.
#include <malloc.h>

#include <filesystem>
#include <fstream>

#include <lanesort/tuning.hpp>

#include "core/sorter_core.hpp"
#include "error_support.hpp"
#include "fault_layer.hpp"
#include "opencl_target.hpp"
#include "run_everywhere.hpp"
#include "shapes.hpp"

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

/// One call on data of its own, and the look at what it left.
struct Work {
    std::function<void(Sorter&)> call;
    std::function<void()> check;
};

struct Kind {
    std::string name;
    std::function<Work(OpenClTarget&)> make;
    bool needs_new_sorter = false;  ///< the calls that compile are to be met, too
    bool has_another_way = false;   ///< some calls belong to an extension that it can do without
    bool in_host_memory = false;    ///< nothing may go on in the caller's memory after an error
};

Work in_host_memory(const Problem& problem) {
    const auto layout = std::make_shared<const Layout>(problem);
    const auto memory = std::make_shared<Bytes>(layout->before());
    return {[=](Sorter& sorter) { sorter.run(call_in<void*>(memory->data(), layout->call())); },
            [=] { layout->check(*memory); }};
}

/// In a caller's buffer, with a wait list and for an event; `enqueue` is given the call.
template <class Enqueue>
Work in_buffer(const OpenClTarget& target, const cl::CommandQueue& queue, const Problem& problem, Enqueue enqueue) {
    const auto layout = std::make_shared<const Layout>(problem);
    const cl::Buffer buffer = buffer_of(target, layout->before());
    cl::UserEvent gate(target.context);
    gate.setStatus(CL_COMPLETE);
    return {[=](Sorter& sorter) {
                const cl_event waits[] = {gate()};
                cl_event ended = nullptr;
                enqueue(sorter, call_in<opencl::Memory>(buffer(), layout->call()), std::span(waits), &ended);
                REQUIRE(ended != nullptr);
                clReleaseEvent(ended);
            },
            [=] {
                queue.finish();
                layout->check(read<std::byte>(queue, buffer, layout->before().size()));
            }};
}

Work enqueued(const OpenClTarget& target, const cl::CommandQueue& queue, const Problem& problem) {
    return in_buffer(target, queue, problem,
                     [=](Sorter& sorter, const opencl::Call& call, std::span<const cl_event> waits, cl_event* ended) {
                         opencl::enqueue(sorter, queue(), call, waits, ended);
                     });
}

Work recorded(const OpenClTarget& target, const Problem& problem) {
    return in_buffer(target, target.queue, problem,
                     [&](Sorter& sorter, const opencl::Call& call, std::span<const cl_event> waits, cl_event* ended) {
                         opencl::Recorded(sorter, target.queue(), call).enqueue(waits, ended);
                     });
}

/// Two parts of a range that are no halves, on two queues: blocks of the library's, copies and barriers are met, too.
Work across(const OpenClTarget& target, const Problem& problem) {
    const cl::CommandQueue other(target.context, target.device);
    return in_buffer(
        target, target.queue, problem,
        [&target, other](Sorter& sorter, const opencl::Call& call, std::span<const cl_event> waits, cl_event* ended) {
            const std::size_t all = call.request.count, first = all / 3;
            const auto part = [&](const cl::CommandQueue& queue, std::size_t begin, std::size_t end) {
                const opencl::KeyRange keys{.memory = static_cast<cl_mem>(call.keys.memory),
                                            .offset = call.keys.offset + begin,
                                            .count = end - begin,
                                            .type = call.request.key};
                return opencl::DevicePart{sorter, queue, keys, {}, opencl::WaitList(waits.data(), waits.size())};
            };
            std::vector<opencl::DevicePart> parts{part(target.queue, 0, first), part(other, first, all)};
            cl::Event second;  // where it cannot be made, the first one must not be lost
            parts[0].event = ended;
            parts[1].event = &second;
            opencl::enqueue_sort_across(parts);
        });
}

/// A sorter in the caller's context.
Work make_sorter(OpenClTarget& target) {
    return {[&](Sorter&) { target.new_sorter(shape); }, [] {}};
}

/// A sorter with a context of its own.
Work open_device(OpenClTarget& target) {
    const auto all = devices();
    const auto device = std::ranges::find_if(all, [&](const Device& d) {
        return d.info().name == target.info.name && d.info().platform == target.info.platform;
    });
    REQUIRE(device != all.end());
    return {[device = *device](Sorter&) { Sorter made(device, {.shape = shape}); }, [] {}};
}

std::vector<Kind> kinds(const OpenClTarget& target, Random& random) {
    std::vector<Kind> all{{"a sorter with a context of its own", open_device},
                          {"a sorter in the caller's context", make_sorter}};
    for (const auto& [name, problem] : problems_of_every_operation(count, random)) {
        const Problem& of = problem;
        const auto on_host = [of](OpenClTarget&) { return in_host_memory(of); };
        all.push_back({name + ", in host memory", on_host, false, false, true});
        all.push_back({name, [of](OpenClTarget& device) { return enqueued(device, device.queue, of); }});
        if (name != "sort") continue;
        all.push_back({"a sorter's first sort", on_host, true, false, true});
        all.push_back({"sort across", [of](OpenClTarget& device) { return across(device, of); }});
        all.push_back({"recorded sort", [of](OpenClTarget& device) { return recorded(device, of); }, false, true});
        if (const auto queue = out_of_order_queue(target))
            all.push_back({"sort out of order",
                           [of, queue = *queue](OpenClTarget& device) { return enqueued(device, queue, of); }});
    }
    return all;
}

/// Of random keys.
Work sort_in_host_memory(Random& random) {
    return in_host_memory(problem_of({}, random_keys<std::uint32_t>(count, random)));
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

/// The program holds what it held before, but for one reference for each release that failed. As long as a sorter
/// lives, it keeps buffers for its next call, until the event of the last one's end: of these another look is needed.
void check_references(const std::map<std::string, long>& before, long failed_releases, bool sorter_lives = false) {
    long lost = 0;
    for (const auto& [name, held] : references()) {
        const std::string& kind = name;
        if (sorter_lives && (kind == "cl_mem" || kind == "cl_event")) continue;
        CAPTURE(kind);
        const auto known = before.find(kind);
        const long more = held - (known == before.end() ? 0 : known->second);
        CHECK(more >= 0);
        lost += more;
    }
    CHECK(lost <= failed_releases);
}

/// The calls of one such work on a sorter that has done it before, unless it needs a new one.
std::map<std::string, std::size_t> calls_of(const Kind& kind, OpenClTarget& target, Sorter& prepared) {
    if (!kind.needs_new_sorter) kind.make(target).call(prepared);
    Sorter fresh = target.new_sorter(shape);
    const Work work = kind.make(target);
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
        for (const Kind& kind : kinds(target, random)) {
            CAPTURE(target.name);
            CAPTURE(kind.name);
            const auto before_kind = references();
            long failed_releases = 0;
            std::optional<Sorter> kept(target.new_sorter(shape));
            Sorter& prepared = *kept;
            for (const auto& [name, number_of_calls] : calls_of(kind, target, prepared))
                for (std::size_t number = 1; number <= number_of_calls; ++number) {
                    const std::string& entry_point = name;
                    CAPTURE(entry_point);
                    CAPTURE(number);
                    const bool releases = entry_point.starts_with("clRelease");
                    const int status =
                        entry_point == "clCreateBuffer" ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
                    const Work work = kind.make(target), next = kind.make(target);
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
                        failed_releases += releases;
                        if (!fresh) check_references(before, releases, true);
                        target.queue.finish();
                        next.call(sorter);
                        next.check();
                    }
                    check_references(before, releases, !kind.needs_new_sorter);
                }
            kept.reset();
            check_references(before_kind, failed_releases);
        }
    MESSAGE(faults, " faults");
}

/// Each call, the first few of each entry point, fails in sorts or argsorts of so many keys. Without memory some have
/// another way.
void fail_in_sorts(Sorter& sorter, const Request& request, std::size_t keys, const char* expected, bool has_another_way,
                   Random& random) {
    const auto work_of = [&] { return in_host_memory(problem_of(request, random_keys<std::uint32_t>(keys, random))); };
    work_of().call(sorter);
    const std::map<std::string, std::size_t> counted = [&] {
        const Fault none;
        const Work work = work_of();
        work.call(sorter);
        work.check();
        return calls();
    }();
    REQUIRE(counted.contains(expected));
    for (const auto& [name, number_of_calls] : counted)
        for (std::size_t number = 1; number <= std::min<std::size_t>(number_of_calls, 12); ++number) {
            const std::string& entry_point = name;
            CAPTURE(entry_point);
            CAPTURE(number);
            const bool releases = entry_point.starts_with("clRelease");
            const int status = entry_point == "clCreateBuffer" ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
            const Work work = work_of(), next = work_of();
            const auto before = references();
            const std::optional<Error> error = error_in([&] {
                const Fault fault(entry_point, number, status);
                work.call(sorter);
            });
            if (error) {
                check_names(*error, entry_point, status);
                if (calls().contains("clEnqueueNDRangeKernel")) CHECK(calls()["clFinish"] > 0);
            } else {
                CHECK((releases || entry_point == "clFinish" || has_another_way));
                work.check();
            }
            check_references(before, releases);
            next.call(sorter);
            next.check();
        }
}

TEST_CASE("faults: each call of a sort in parts fails once") {
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter(SorterOptions{.shape = shape, .device_bytes = 3 * 1000});
        fail_in_sorts(sorter, {}, 1999, "clEnqueueReadBufferRect", false, random);
        fail_in_sorts(sorter, {.operation = Operation::argsort, .index_bytes = 4}, 499, "clEnqueueReadBufferRect",
                      false, random);
        Sorter distributing = target.new_sorter(SorterOptions{.shape = shape, .device_bytes = 4 * 4000});
        distributing.core().distribute_parts_from(0);
        // Columns are the other way.
        fail_in_sorts(distributing, {}, 9999, "clEnqueueWriteBuffer", true, random);
        fail_in_sorts(distributing, {.operation = Operation::argsort, .index_bytes = 4}, 5001, "clEnqueueWriteBuffer",
                      true, random);
    }
}

TEST_CASE("faults: each call of a sort that goes on while keys come and go fails once") {
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter(SorterOptions{});
        in_host_memory(problem_of({}, random_keys<std::uint32_t>(9000, random))).call(sorter);  // the other way
        sorter.core().overlap_from(1);
        fail_in_sorts(sorter, {}, 9000, "clEnqueueCopyBufferRect", true, random);
    }
}

TEST_CASE("faults: the device is lost at each call") {
    constexpr int status = CL_DEVICE_NOT_AVAILABLE;
    Random random(seed());
    std::size_t faults = 0;
    for (OpenClTarget& target : devices_behind_layer())
        for (const Kind& kind : kinds(target, random)) {
            if (kind.needs_new_sorter) continue;
            CAPTURE(target.name);
            CAPTURE(kind.name);
            const auto before_kind = references();
            std::optional<Sorter> kept(target.new_sorter(shape));
            Sorter& sorter = *kept;
            std::size_t all_calls = 0;
            for (const auto& [entry_point, number_of_calls] : calls_of(kind, target, sorter))
                if (!entry_point.starts_with("clRelease")) all_calls += number_of_calls;
            for (std::size_t number = 1; number <= all_calls; ++number) {
                CAPTURE(number);
                // Alive until the next sort has waited: what was enqueued may go on in its memory.
                const Work work = kind.make(target), next = kind.make(target);
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
                check_references(before, false, true);
                target.queue.finish();
                next.call(sorter);
                next.check();
            }
            kept.reset();
            check_references(before_kind, false);
        }
    MESSAGE(faults, " faults");
}

/// Whose sorts of keys of 4 bytes are by distribution unless something speaks against it.
Sorter sorter_that_distributes(const OpenClTarget& target) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "limits";
    std::ofstream(file) << to_text({identity(target.info), {{4, 0, ShapeTable::no_end, small_leaves}}, {{4, 1}}});
    return target.new_sorter({.shape_file = file});
}

TEST_CASE("faults: without memory for a distribution that nobody demanded, another schedule sorts") {
    Random random(seed());
    for (OpenClTarget& target : devices_behind_layer()) {
        CAPTURE(target.name);
        Sorter sorter = sorter_that_distributes(target);
        Request request{.extra_bytes = 3 << 20};
        const auto keys = random_keys<std::uint32_t>(2100, random);
        const auto layout = [&] { return std::make_shared<const Layout>(problem_of(request, keys)); };
        using Call = std::function<SortReport(const Layout&, const cl::Buffer&)>;
        const Call enqueue = [&](const Layout& of, const cl::Buffer& buffer) {
            return opencl::enqueue(sorter, target.queue(), call_in<opencl::Memory>(buffer(), of.call()));
        };
        const Call record = [&](const Layout& of, const cl::Buffer& buffer) {
            return opencl::Recorded(sorter, target.queue(), call_in<opencl::Memory>(buffer(), of.call())).enqueue();
        };
        // A call of another size: the sorter keeps no buffers that would serve the next one.
        const cl::Buffer few = buffer_of(target, std::vector<std::uint32_t>(20));
        const auto use_up_kept_buffers = [&] {
            target.queue.finish();
            opencl::enqueue(sorter, target.queue(),
                            argsort(opencl::KeyRange{few(), 0, 10, KeyType::u32}, {few(), 10, 4}));
            target.queue.finish();
        };
        // The schedule of a sort during which that call lacks memory.
        const auto taken = [&](const Call& call, const std::string& entry_point, std::size_t number) {
            use_up_kept_buffers();
            const auto of = layout();
            const cl::Buffer buffer = buffer_of(target, of->before());
            SortReport report;
            {
                const Fault fault(entry_point, number, CL_MEM_OBJECT_ALLOCATION_FAILURE);
                report = call(*of, buffer);
            }
            target.queue.finish();
            of->check(read<std::byte>(target.queue, buffer, of->before().size()));
            return report.schedule;
        };
        REQUIRE(taken(enqueue, "", 0) == Schedule::distribution);  // compiles
        REQUIRE(taken(enqueue, "", 0) == Schedule::distribution);
        const std::size_t buffers = calls()["clCreateBuffer"];
        CHECK(buffers == 2);  // tables and pool
        for (const Call& call : {enqueue, record})
            for (std::size_t number = 1; number <= buffers; ++number)
                CHECK(taken(call, "clCreateBuffer", number) != Schedule::distribution);
        // A driver that takes memory late tells so at the first launch; at the second one keys were moved.
        CHECK(taken(enqueue, "clEnqueueNDRangeKernel", 1) != Schedule::distribution);
        const auto code = [&](const std::string& entry_point, std::size_t number) {
            return error_of([&] { taken(enqueue, entry_point, number); }).code();
        };
        CHECK(code("clEnqueueNDRangeKernel", 2) == ErrorCode::out_of_memory);
        target.queue.finish();
        request.schedule = Schedule::distribution;
        for (const char* const entry_point : {"clCreateBuffer", "clEnqueueNDRangeKernel"})
            CHECK(code(entry_point, 1) == ErrorCode::out_of_memory);
    }
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
            const Work next = sort_in_host_memory(random);
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
            const Work work = sort_in_host_memory(random);
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
            const Work work = sort_in_host_memory(random);
            work.call(sorter);
            work.check();
        });
        MESSAGE("memory grew by ", by_making, " KiB in 1000 sorters, by ", by_sorting, " KiB in 50 that compiled");
    }
}

}  // namespace
}  // namespace lanesort::test
