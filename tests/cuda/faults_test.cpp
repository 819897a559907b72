// Calls of the CUDA driver and of NVRTC that fail: whichever it is, a sort ends with an error that names it, gives back
// what it took, and leaves the caller's stream usable and the sorter able to sort.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "cuda_target.hpp"
#include "error_support.hpp"
#include "host/cuda/program.hpp"

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

using Words = std::vector<std::uint32_t>;

/// Keys of the caller's, and room for three times as many words; as well in host memory.
struct CallersMemory {
    CallersMemory(CudaTarget& target, Words all)
        : keys(std::move(all)), in_host_memory(keys), selected(5), context(target.context()) {
        Words words = keys;
        words.resize(4 * count);
        std::iota(words.begin() + count, words.begin() + 2 * count, 0u);
        memory = target.cuda_memory(bytes_of(words));
    }

    void check(std::size_t first, const Words& expected) const {
        const Words words = keys_of<std::uint32_t>(memory->read());
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
        require_same_bytes(Words(begin, begin + static_cast<std::ptrdiff_t>(expected.size())), expected);
    }

    Words keys, in_host_memory, selected;
    cu::CurrentContext context;
    CudaEvent before, after;
    std::unique_ptr<CudaMemory> memory;
};

/// A kind of call, and what it leaves.
struct Kind {
    std::string name;
    std::function<void(Sorter&, CallersMemory&)> call;
    std::function<void(const CallersMemory&)> check;
    bool needs_new_sorter = false;  ///< the calls that compile are to be met, too
};

Words ascending(const CallersMemory& memory) { return sorted(memory.keys, Order::ascending); }

template <std::size_t k>
Kind selection() {
    return {"enqueue_top_k of " + std::to_string(k),
            [](Sorter& sorter, CallersMemory& all) {
                all.memory->enqueue_top_k(sorter, {0, count}, k, count, {2 * count, 4});
            },
            [](const CallersMemory& all) {
                Words keys = ascending(all), indices = stable_indices<std::uint32_t>(all.keys, Order::ascending);
                keys.resize(k);
                indices.resize(k);
                all.check(count, keys);
                all.check(2 * count, indices);
            }};
}

std::vector<Kind> kinds(const CudaTarget& target) {
    const auto sort = [](Sorter& sorter, CallersMemory& all) { sorter.sort(std::span(all.in_host_memory)); };
    const auto check_sort = [](const CallersMemory& all) { require_same_bytes(all.in_host_memory, ascending(all)); };
    const auto check_keys = [](const CallersMemory& all) { all.check(0, ascending(all)); };
    return {
        {"a sorter", [&](Sorter&, CallersMemory&) { target.new_sorter(shape); }, [](const CallersMemory&) {}},
        {"a sort in host memory", sort, check_sort},
        {"a sorter's first sort", sort, check_sort, true},
        {"a selection in host memory",
         [](Sorter& sorter, CallersMemory& all) {
             sorter.top_k(std::span(all.in_host_memory), std::span(all.selected));
         },
         [](const CallersMemory& all) {
             Words expected = sorted(all.keys, Order::descending);
             expected.resize(all.selected.size());
             require_same_bytes(all.selected, expected);
         }},
        {"enqueue_sort between events",
         [](Sorter& sorter, CallersMemory& all) {
             const cu::Event waits[] = {all.before};
             cu::enqueue_sort(sorter, all.memory->stream(), {all.memory->pointer(), 0, count}, waits, all.after);
         },
         check_keys},
        {"enqueue_sort_by_key, stably",
         [](Sorter& sorter, CallersMemory& all) {
             all.memory->enqueue_sort_by_key(sorter, {.count = count, .stable = true}, {count, 4});
         },
         [](const CallersMemory& all) {
             all.check(0, ascending(all));
             all.check(count, stable_indices<std::uint32_t>(all.keys, Order::ascending));
         }},
        {"enqueue_argsort",
         [](Sorter& sorter, CallersMemory& all) {
             all.memory->enqueue_argsort(sorter, {0, count}, {count, 4});
         },
         [](const CallersMemory& all) {
             all.check(0, all.keys);
             all.check(count, stable_indices<std::uint32_t>(all.keys, Order::ascending));
         }},
        selection<5>(),
        selection<count - 1>(),
        {"enqueue_unique",
         [](Sorter& sorter, CallersMemory& all) {
             all.memory->enqueue_runs(sorter, {0, 1}, {2 * count, {0, 0}, 3 * count / 2});
         },
         [](const CallersMemory& all) {
             all.check(2 * count, {all.keys[0]});
             all.check(3 * count, {1, 0});
         }},
        {"enqueue_merge",
         [](Sorter& sorter, CallersMemory& all) {
             all.memory->enqueue_merge(sorter, {0, 2}, {0, 0}, 1);
         },
         [](const CallersMemory& all) {
             Words expected = all.keys;
             std::sort(expected.begin(), expected.begin() + 2);
             all.check(0, expected);
         }},
        {"Recorded",
         [](Sorter& sorter, CallersMemory& all) {
             const cu::KeyRange keys{all.memory->pointer(), 0, count};
             cu::Recorded recorded(sorter, all.memory->stream(), lanesort::sort(keys));
             recorded.enqueue();
             all.memory->stream().finish();
         },
         check_keys},
    };
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
std::optional<Error> try_with_fault(CudaTarget& target, const Kind& kind, Sorter& prepared, Random& random,
                                    const std::string& failing, std::size_t number, int status,
                                    bool may_go_untold = false) {
    CallersMemory memory(target, make_keys<std::uint32_t>(Pattern::few_values, count, random));
    CallersMemory next(target, random_keys<std::uint32_t>(count, random));
    const auto before = watch.held;
    std::optional<Error> error;
    {
        std::optional<Sorter> fresh;
        if (kind.needs_new_sorter) fresh = target.new_sorter(shape);
        Sorter& sorter = fresh ? *fresh : prepared;
        error = error_in([&] {
            const Fault fault(failing, number, status);
            kind.call(sorter, memory);
        });
        if (error) {
            const std::string sentence = error->what();
            CAPTURE(sentence);
            CHECK(!sentence.empty());
            CHECK(error->status() == status);
            if (failing != "*") CHECK(error->call() == failing);
        } else {
            CHECK((failing == "*" || gives_back.contains(failing) || may_go_untold));
            kind.check(memory);
        }
        if (!fresh) check_held(before);
        memory.memory->stream().finish();
        kind.call(sorter, next);
        kind.check(next);
    }
    check_held(before);
    return error;
}

/// The calls of one such work on a sorter that has done it before, unless it needs a new one.
std::map<std::string, std::size_t> calls_of(CudaTarget& target, const Kind& kind, Sorter& prepared, Random& random) {
    CallersMemory memory(target, random_keys<std::uint32_t>(count, random));
    CallersMemory again(target, random_keys<std::uint32_t>(count, random));
    if (!kind.needs_new_sorter) kind.call(prepared, memory);
    Sorter fresh = target.new_sorter(shape);
    const Fault none;
    kind.call(kind.needs_new_sorter ? fresh : prepared, again);
    return watch.calls;
}

TEST_CASE("CUDA faults: each call of each function fails once") {
    Random random(seed());
    std::size_t faults = 0;
    for (CudaTarget& target : cuda_devices()) {
        const WatchedTables watched;
        for (const Kind& kind : kinds(target)) {
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter prepared = target.new_sorter(shape);
            for (const auto& [function, number_of_calls] : calls_of(target, kind, prepared, random))
                for (std::size_t number = 1; number <= number_of_calls; ++number) {
                    CAPTURE(function);
                    CAPTURE(number);
                    const bool of_driver = function.starts_with("cu");
                    const int status = of_driver ? int{CUDA_ERROR_OUT_OF_MEMORY} : int{NVRTC_ERROR_OUT_OF_MEMORY};
                    const auto error = try_with_fault(target, kind, prepared, random, function, number, status,
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
        for (const Kind& kind : kinds(target)) {
            if (kind.needs_new_sorter) continue;
            CAPTURE(target.name);
            CAPTURE(kind.name);
            Sorter prepared = target.new_sorter(shape);
            calls_of(target, kind, prepared, random);
            const std::size_t all_calls = watch.calls_in_all;
            for (std::size_t number = 1; number <= all_calls; ++number) {
                CAPTURE(number);
                const auto error =
                    try_with_fault(target, kind, prepared, random, "*", number, CUDA_ERROR_DEVICE_UNAVAILABLE);
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
    const auto compile = [] { cu::compile({.shape = shape}, "sm_90"); };
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
