// SPDX-License-Identifier: MIT
// Calls of the CUDA driver and of NVRTC that fail: whichever it is, a sort ends with an error that names it, gives back
// what it took, and leaves the caller's stream usable and the sorter able to sort.
#include <algorithm>
#include <map>
#include <optional>

#include "cuda_target.hpp"
#include "error_support.hpp"
#include "host/cuda/program.hpp"
#include "ops/kernels.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

/// What failing functions look at, and leave. One thread calls them.
struct Watch {
    std::map<std::string, std::size_t> calls;
    std::map<std::string, long> held;  // objects by what makes them
    std::string failing;               // none: nothing fails; "*": every call but those that give back
    std::size_t number = 0;
    int status = 0;
    std::size_t calls_in_all = 0;
} watch;

/// What a function makes, by its name, and what the others give back.
const std::map<std::string, std::string> gives_back{
    {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRetain"},
    {"cuCtxPopCurrent", "cuCtxPushCurrent"},
    {"cuModuleUnload", "cuModuleLoadData"},
    {"cuMemFree", "cuMemAlloc"},
    {"cuMemFreeAsync", "cuMemAllocFromPoolAsync"},
    {"cuMemPoolDestroy", "cuMemPoolCreate"},
    {"cuStreamDestroy", "cuStreamCreate"},
    {"cuEventDestroy", "cuEventCreate"},
    {"cuGraphExecDestroy", "cuGraphInstantiateWithFlags"},
    {"cuGraphDestroy", "cuStreamEndCapture"},
    {"nvrtcDestroyProgram", "nvrtcCreateProgram"},
};

/// What a destructor calls before it gives back. Where the last such call fails, nobody can be told, and nothing is
/// lost.
bool ends_work(std::string_view function) {
    return function == "cuStreamSynchronize" || function == "cuCtxPushCurrent";
}

/// Counts the call; says whether it is to fail. The end of a capture never does: the driver ends it in any case, and a
/// thread in which it did not could do nothing more.
bool fails(const std::string& name) {
    if (name == "cuStreamEndCapture") return false;
    const std::size_t number = ++watch.calls[name];
    const bool gives = gives_back.contains(name);
    if (!gives) ++watch.calls_in_all;
    if (watch.failing == "*") return !gives && watch.calls_in_all >= watch.number;
    return name == watch.failing && number == watch.number;
}

void count_held(const std::string& name) {
    if (const auto made = gives_back.find(name); made != gives_back.end()) --watch.held[made->second];
    else if (std::ranges::find(gives_back, name, [](const auto& pair) { return pair.second; }) != gives_back.end())
        ++watch.held[name];
}

/// Stands in a table before the function that was there.
template <auto member>
struct Watched;

template <class Table, class Result, class... Arguments, Result (*Table::*member)(Arguments...)>
struct Watched<member> {
    static inline Result (*next)(Arguments...) = nullptr;
    static inline std::string name;

    static Result call(Arguments... arguments) {
        const bool fail = fails(name);
        // What gives back does so even where it tells of a failure.
        if (fail && !gives_back.contains(name)) return static_cast<Result>(watch.status);
        const Result result = next(arguments...);
        if (result == Result{}) count_held(name);
        return fail ? static_cast<Result>(watch.status) : result;
    }
};

template <auto member, class Table>
void put_before(Table& table, const std::string& name) {
    Watched<member>::next = table.*member;
    Watched<member>::name = name;
    table.*member = &Watched<member>::call;
}

/// Puts errors into words: gives text, or no status that matters.
constexpr bool tells_errors(std::string_view name) { return name.find("GetError") != std::string_view::npos; }

/// All functions are watched as long as it lives.
class WatchedTables {
public:
    WatchedTables() : driver_(cu::driver()), compiler_(cu::compiler()) {
#define LANESORT_WATCH(function) \
    if constexpr (!tells_errors(#function)) put_before<&cu::Driver::function>(cu::changeable_driver(), #function);
#define LANESORT_WATCH_COMPILER(function) \
    if constexpr (!tells_errors(#function)) put_before<&cu::Compiler::function>(cu::changeable_compiler(), #function);
        LANESORT_CUDA_FUNCTIONS(LANESORT_WATCH)
        LANESORT_NVRTC_FUNCTIONS(LANESORT_WATCH_COMPILER)
    }
    ~WatchedTables() {
        cu::changeable_driver() = driver_;
        cu::changeable_compiler() = compiler_;
    }
    WatchedTables(const WatchedTables&) = delete;
    WatchedTables& operator=(const WatchedTables&) = delete;

private:
    cu::Driver driver_;
    cu::Compiler compiler_;
};

/// As long as it lives, calls fail; the counts begin anew. No name: they are only counted.
class Fault {
public:
    explicit Fault(const std::string& failing = "", std::size_t number = 0, int status = 0) {
        watch.calls.clear();
        watch.calls_in_all = 0;
        watch.failing = failing;
        watch.number = number;
        watch.status = status;
    }
    ~Fault() { watch.failing.clear(); }
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
};

const Shape shape{.vectors = 2, .work_items = 8, .register_vectors = 4, .steps_per_pass = 3};
constexpr std::size_t count = 300;

/// One call on data of its own, and the look at what it left.
struct Work {
    std::function<void(Sorter&)> call;
    std::function<void()> check;
};

struct Kind {
    std::string name;
    std::function<Work(CudaTarget&)> make;
    bool needs_new_sorter = false;  ///< the calls that compile are to be met, too
};

Work in_host_memory(const Problem& problem) {
    const auto layout = std::make_shared<const Layout>(problem);
    const auto memory = std::make_shared<Bytes>(layout->before());
    return {[=](Sorter& sorter) { sorter.run(call_in<void*>(memory->data(), layout->call())); },
            [=] { layout->check(*memory); }};
}

/// The caller's memory, with its stream and events.
struct CallersMemory {
    CallersMemory(CudaTarget& target, const Problem& problem)
        : layout(problem), context(target.context()), memory(target.cuda_memory(layout.before())) {}

    Layout layout;
    cu::CurrentContext context;
    CudaEvent before, after;
    std::unique_ptr<CudaMemory> memory;
};

/// `enqueue` is given that memory and the call.
template <class Enqueue>
Work in_device_memory(CudaTarget& target, const Problem& problem, Enqueue enqueue) {
    const auto all = std::make_shared<CallersMemory>(target, problem);
    return {[=](Sorter& sorter) { enqueue(sorter, *all, call_in<void*>(all->memory->pointer(), all->layout.call())); },
            [=] { all->layout.check(all->memory->read()); }};
}

Work enqueued(CudaTarget& target, const Problem& problem) {
    return in_device_memory(target, problem, [](Sorter& sorter, const CallersMemory& all, const cu::Call& call) {
        const cu::Event waits[] = {all.before};
        cu::enqueue(sorter, all.memory->stream(), call, waits, all.after);
    });
}

Work recorded(CudaTarget& target, const Problem& problem) {
    return in_device_memory(target, problem, [](Sorter& sorter, const CallersMemory& all, const cu::Call& call) {
        cu::Recorded(sorter, all.memory->stream(), call).enqueue();
        all.memory->stream().finish();
    });
}

std::vector<Kind> kinds(Random& random) {
    std::vector<Kind> all{{"a sorter", [](CudaTarget& target) -> Work {
                               return {[&](Sorter&) { target.new_sorter(shape); }, [] {}};
                           }}};
    for (const auto& [name, problem] : problems_of_every_operation(count, random)) {
        const Problem& of = problem;
        const auto on_host = [of](CudaTarget&) { return in_host_memory(of); };
        all.push_back({name + ", in host memory", on_host});
        all.push_back({name, [of](CudaTarget& target) { return enqueued(target, of); }});
        if (name != "sort") continue;
        all.push_back({"a sorter's first sort", on_host, true});
        all.push_back({"recorded sort", [of](CudaTarget& target) { return recorded(target, of); }});
    }
    return all;
}

void check_held(const std::map<std::string, long>& before) {
    for (const auto& [made_by, held] : watch.held) {
        CAPTURE(made_by);
        const auto known = before.find(made_by);
        CHECK(held == (known == before.end() ? 0 : known->second));
    }
}

/// Does that kind of work once with that fault and once without, on the prepared sorter or on a new one. All objects
/// are counted that are made here.
std::optional<Error> try_with_fault(CudaTarget& target, const Kind& kind, Sorter& prepared, const std::string& failing,
                                    std::size_t number, int status, bool may_go_untold = false) {
    const Work work = kind.make(target), next = kind.make(target);
    const auto before = watch.held;
    std::optional<Error> error;
    {
        std::optional<Sorter> fresh;
        if (kind.needs_new_sorter) fresh = target.new_sorter(shape);
        Sorter& sorter = fresh ? *fresh : prepared;
        error = error_in([&] {
            const Fault fault(failing, number, status);
            work.call(sorter);
        });
        if (error) {
            const std::string sentence = error->what();
            CAPTURE(sentence);
            CHECK(!sentence.empty());
            CHECK(error->status() == status);
            if (failing != "*") CHECK(error->call() == failing);
        } else {
            CHECK((failing == "*" || gives_back.contains(failing) || may_go_untold));
            work.check();
        }
        if (!fresh) check_held(before);
        const cu::CurrentContext current(target.context());
        LANESORT_CU(cuCtxSynchronize);
        next.call(sorter);
        next.check();
    }
    check_held(before);
    return error;
}

/// The calls of one such work on a sorter that has done it before, unless it needs a new one.
std::map<std::string, std::size_t> calls_of(CudaTarget& target, const Kind& kind, Sorter& prepared) {
    const Work work = kind.make(target), again = kind.make(target);
    if (!kind.needs_new_sorter) work.call(prepared);
    Sorter fresh = target.new_sorter(shape);
    const Fault none;
    again.call(kind.needs_new_sorter ? fresh : prepared);
    return watch.calls;
}

TEST_CASE("CUDA faults: each call of each function fails once") {
    Random random(seed());
    std::size_t faults = 0;
    for (CudaTarget& target : cuda_devices()) {
        const WatchedTables watched;
        for (const Kind& kind : kinds(random)) {
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter prepared = target.new_sorter(shape);
            for (const auto& [function, number_of_calls] : calls_of(target, kind, prepared))
                for (std::size_t number = 1; number <= number_of_calls; ++number) {
                    CAPTURE(function);
                    CAPTURE(number);
                    const bool of_driver = function.starts_with("cu");
                    const int status = of_driver ? int{CUDA_ERROR_OUT_OF_MEMORY} : int{NVRTC_ERROR_OUT_OF_MEMORY};
                    const auto error = try_with_fault(target, kind, prepared, function, number, status,
                                                      number == number_of_calls && ends_work(function));
                    if (error && of_driver) CHECK(error->code() == ErrorCode::out_of_memory);
                    ++faults;
                }
        }
    }
    if (faults > 0) MESSAGE("met ", faults, " faults");
}

TEST_CASE("CUDA faults: the device is lost at each call") {
    Random random(seed());
    std::size_t faults = 0;
    for (CudaTarget& target : cuda_devices()) {
        const WatchedTables watched;
        for (const Kind& kind : kinds(random)) {
            if (kind.needs_new_sorter) continue;
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter prepared = target.new_sorter(shape);
            calls_of(target, kind, prepared);
            const std::size_t all_calls = watch.calls_in_all;
            for (std::size_t number = 1; number <= all_calls; ++number) {
                CAPTURE(number);
                const auto error = try_with_fault(target, kind, prepared, "*", number, CUDA_ERROR_DEVICE_UNAVAILABLE);
                if (error) CHECK(error->code() == ErrorCode::device_failed);
                ++faults;
            }
        }
    }
    if (faults > 0) MESSAGE("met ", faults, " faults");
}

TEST_CASE("CUDA faults: each call of the compiler fails once, without a device") {
    if (!cu::compiler().absence.empty()) return;
    const WatchedTables watched;
    const auto compile = [] { cu::compile({.family = &lanesort::detail::families::sort, .shape = shape}, "sm_90"); };
    const auto calls = [&] {
        const Fault none;
        compile();
        return watch.calls;
    }();
    const auto before = watch.held;
    for (const auto& [function, number_of_calls] : calls)
        for (std::size_t number = 1; number <= number_of_calls; ++number) {
            CAPTURE(function);
            CAPTURE(number);
            const std::optional<Error> error = error_in([&] {
                const Fault fault(function, number, NVRTC_ERROR_OUT_OF_MEMORY);
                compile();
            });
            check_held(before);
            if (gives_back.contains(function)) continue;
            REQUIRE(error);
            CHECK(error->code() == ErrorCode::build_failed);
            CHECK(error->call() == function);
            CHECK(error->status() == NVRTC_ERROR_OUT_OF_MEMORY);
        }
}

}  // namespace
}  // namespace lanesort::test
