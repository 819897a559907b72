// SPDX-License-Identifier: MIT
// lanesort_bench: lanesort beside its peers, in one run, on the same keys. Every sort begins from fresh keys and is
// checked; a wrong one is an error, not a time. See bench/README.md.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "commit.hpp"
#include "measure.hpp"

using namespace lanesort;
using namespace lanesort::bench;

namespace {

constexpr const char* usage =
    "usage: lanesort_bench [OPTION VALUE]... [--list] [Google Benchmark's options]\n"
    "  --exponents 10-22      lg of the counts of keys: A-B is every second one, or single ones: 10-22,23\n"
    "  --counts N,N           counts that are no powers of two\n"
    "  --rows 5,10            also sort the keys in rows of 2^5, of 2^10 keys\n"
    "  --types u32            u8 .. i64, f32, f64\n"
    "  --distributions random random, sorted, reversed, few-values, all-equal, nearly-sorted\n"
    "  --peers TEXT,TEXT      only peers with one of these in their names\n"
    "  --cold 16              lg of the count for cold starts, or none\n"
    "  --repetitions 15       of each sort\n"
    "  --seconds 5            for one sort's repetitions, after which only 5 are done\n"
    "  --list                 show the peers that are here and those that are absent\n";

struct UsageError : std::runtime_error {
    using runtime_error::runtime_error;
};

/// Google Benchmark keeps its options; ours are taken out before it looks.
class Arguments {
public:
    Arguments(int& count, char** values) : count_(count), values_(values) {}

    bool flag(std::string_view name) {
        const auto found = std::find(values_ + 1, values_ + count_, name);
        if (found == values_ + count_) return false;
        remove(found, 1);
        return true;
    }
    std::string option(std::string_view name, std::string otherwise) {
        const auto found = std::find(values_ + 1, values_ + count_, name);
        if (found == values_ + count_) return otherwise;
        if (found + 1 == values_ + count_) throw UsageError(std::string(name) + " needs a value");
        std::string value = found[1];
        remove(found, 2);
        return value;
    }

private:
    void remove(char** first, int number) {
        std::rotate(first, first + number, values_ + count_);
        count_ -= number;
    }

    int& count_;
    char** values_;
};

std::vector<std::string> words(const std::string& list) {
    std::vector<std::string> all;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) all.push_back(word);
    return all;
}

std::size_t number(const std::string& word) {
    std::size_t end = 0;
    try {
        const std::size_t value = std::stoull(word, &end);
        if (end == word.size() && std::isdigit(static_cast<unsigned char>(word[0]))) return value;
    } catch (const std::logic_error&) {
    }
    throw UsageError("'" + word + "' is not a number");
}

std::size_t power(const std::string& word) {
    const std::size_t exponent = number(word);
    if (exponent > 40) throw UsageError("2^" + word + " keys are too many");
    return std::size_t{1} << exponent;
}

/// "10-22,23": every second power from the first one to the last one, and single ones.
std::vector<std::size_t> powers(const std::string& list) {
    std::vector<std::size_t> all;
    for (const std::string& word : words(list)) {
        const std::size_t dash = word.find('-');
        const std::size_t first = power(word.substr(0, dash));
        const std::size_t last = dash == std::string::npos ? first : power(word.substr(dash + 1));
        for (std::size_t count = first; count <= last; count *= 4) all.push_back(count);
    }
    return all;
}

template <class Value, class Find>
std::vector<Value> named(const std::string& list, Find find, const char* what) {
    std::vector<Value> all;
    for (const std::string& word : words(list)) {
        const std::optional<Value> value = find(word);
        if (!value) throw UsageError("there is no " + std::string(what) + " " + word);
        all.push_back(*value);
    }
    return all;
}

std::optional<KeyType> measured_type(const std::string& name) {
    const auto type = key_type_from_name(name);
    return type == KeyType::f16 ? std::nullopt : type;  // no peer sorts it
}

struct Options {
    explicit Options(Arguments arguments)
        : counts(powers(arguments.option("--exponents", "10-22"))),
          rows(powers(arguments.option("--rows", ""))),
          types(named<KeyType>(arguments.option("--types", "u32"), measured_type, "type")),
          distributions(named<Distribution>(
              arguments.option("--distributions", "random"),
              [](const std::string& word) { return distribution_from_name(word); }, "distribution")),
          peers(words(arguments.option("--peers", ""))) {
        for (const std::string& count : words(arguments.option("--counts", ""))) counts.push_back(number(count));
        if (std::ranges::count(counts, std::size_t{0})) throw UsageError("no keys cannot be measured");
        const std::string cold_exponent = arguments.option("--cold", "16");
        if (cold_exponent != "none") cold = power(cold_exponent);
        effort.repetitions = std::max<std::size_t>(number(arguments.option("--repetitions", "15")), 1);
        effort.seconds = static_cast<double>(number(arguments.option("--seconds", "5")));
        list = arguments.flag("--list");
    }

    bool wants(const std::string& peer) const {
        const auto equal = [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
        };
        return peers.empty() || std::ranges::any_of(peers, [&](const std::string& part) {
                   return !std::ranges::search(peer, part, equal).empty();
               });
    }

    std::vector<Problem> problems() const {
        std::vector<Problem> all;
        for (const KeyType type : types)
            for (const Distribution distribution : distributions)
                for (const std::size_t count : counts) {
                    all.push_back({type, distribution, count, count});
                    for (const std::size_t row : rows)
                        if (row < count && count % row == 0) all.push_back({type, distribution, count, row});
                }
        return all;
    }

    std::vector<std::size_t> counts, rows;
    std::vector<KeyType> types;
    std::vector<Distribution> distributions;
    std::vector<std::string> peers;
    std::optional<std::size_t> cold;
    Effort effort;
    bool list = false;
};

/// The keys of a problem, made once; only those of the last problem are kept.
const Input& input_of(const Problem& problem) {
    static std::unique_ptr<Input> input;
    if (!input || input->problem() != problem) {
        input.reset();
        input = std::make_unique<Input>(problem);
    }
    return *input;
}

void say(const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); }

bool any_error = false;

/// Runs `measured`, which gives Google Benchmark its figures; what it throws is the benchmark's error.
template <class Run>
void report_errors(benchmark::State& state, const std::string& name, Run run) {
    for (auto iteration : state) {
        try {
            run();
        } catch (const std::exception& error) {
            any_error = true;
            say(name + ": " + error.what());
            state.SkipWithError(error.what());
            break;
        }
    }
}

void report_problem(benchmark::State& state, const Problem& problem) {
    state.counters["count"] = static_cast<double>(problem.count);
    state.counters["row"] = static_cast<double>(problem.row);
    state.counters["key_bytes"] = static_cast<double>(key_bytes(problem.type));
}

void report_spread(benchmark::State& state, const std::string& clock, const Spread& spread) {
    state.counters[clock + "_ms"] = 1e3 * spread.median;
    state.counters[clock + "_q1_ms"] = 1e3 * spread.first_quartile;
    state.counters[clock + "_q3_ms"] = 1e3 * spread.third_quartile;
}

void report_count(benchmark::State& state, const std::string& name, std::optional<std::uint64_t> count) {
    if (count) state.counters[name] = static_cast<double>(*count);
}

void measure_sort(benchmark::State& state, const Candidate& candidate, Peer& peer, const Problem& problem,
                  const Effort& effort) {
    report_errors(state, to_string(problem) + "/" + candidate.name, [&] {
        const Measurement measurement = measure(peer, input_of(problem), effort);
        state.SetIterationTime(measurement.wall.median);
        state.SetLabel(candidate.memory->where);
        report_problem(state, problem);
        state.counters["repetitions"] = static_cast<double>(measurement.repetitions);
        report_spread(state, "wall", measurement.wall);
        if (measurement.device) report_spread(state, "device", *measurement.device);
        const double seconds = measurement.device.value_or(measurement.wall).median;
        state.counters["Mkeys_per_s"] = 1e-6 * static_cast<double>(problem.count) / seconds;
        if (const double copy = candidate.memory->copy_bytes_per_second; copy > 0)
            state.counters["copy_percent"] = 100 * 2 * static_cast<double>(problem.bytes()) / seconds / copy;
        report_count(state, "launches", measurement.cost.launches);
        report_count(state, "hand_overs", measurement.cost.hand_overs);
        report_count(state, "extra_device_bytes", measurement.cost.extra_device_bytes);
    });
}

void measure_cold_start(benchmark::State& state, const Candidate& candidate, const Problem& problem) {
    report_errors(state, "cold start/" + to_string(problem) + "/" + candidate.name, [&] {
        const Input& input = input_of(problem);
        const double first = cold_start(candidate, input), second = cold_start(candidate, input);
        state.SetIterationTime(first);
        state.SetLabel(candidate.memory->where);
        report_problem(state, problem);
        state.counters["first_ms"] = 1e3 * first;
        state.counters["second_ms"] = 1e3 * second;
    });
}

template <class Run>
void add(const std::string& name, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "not set";
}

/// A candidate that was opened, and so can say what it sorts.
struct OpenPeer {
    Candidate candidate;
    std::shared_ptr<Peer> peer;
};

/// Those that are wanted and here; the absent ones are told.
std::vector<OpenPeer> open_peers(const Options& options) {
    std::vector<OpenPeer> peers;
    const auto tell_absent = [](const std::string& name, const std::string& why) {
        say("absent: " + name + ": " + why);
        benchmark::AddCustomContext("absent: " + name, why);
    };
    for (Candidate& candidate : all_peers()) {
        if (!options.wants(candidate.name)) continue;
        if (!candidate.absence.empty()) {
            tell_absent(candidate.name, candidate.absence);
            continue;
        }
        try {
            std::shared_ptr<Peer> peer = candidate.open();
            peers.push_back({std::move(candidate), std::move(peer)});
        } catch (const std::exception& error) {
            tell_absent(candidate.name, error.what());
        }
    }
    return peers;
}

void describe_run(const std::vector<OpenPeer>& peers) {
    benchmark::AddCustomContext("commit", commit);
    for (std::vector<const Memory*> told; const OpenPeer& open : peers) {
        const Memory& memory = *open.candidate.memory;
        if (std::ranges::count(told, &memory)) continue;
        told.push_back(&memory);
        std::ostringstream line;
        line.precision(4);
        line << memory.device << (memory.driver.empty() ? "" : ", ") << memory.driver << ", copies "
             << 1e-9 * memory.copy_bytes_per_second << " GB/s (read + write)";
        benchmark::AddCustomContext("memory: " + memory.where, line.str());
    }
    benchmark::AddCustomContext(
        "cold start",
        "open the device, compile, sort once; first and second time in this process. Disk caches of the compilers as "
        "they were: POCL_KERNEL_CACHE " +
            environment("POCL_KERNEL_CACHE") + ", POCL_CACHE_DIR " + environment("POCL_CACHE_DIR") +
            ", CUDA_CACHE_DISABLE " + environment("CUDA_CACHE_DISABLE"));
}

void register_cold_starts(const Options& options, const std::vector<OpenPeer>& peers) {
    if (!options.cold) return;
    for (const KeyType type : options.types)
        for (const auto& [candidate, peer] : peers) {
            const Problem problem{type, options.distributions.front(), *options.cold, *options.cold};
            if (candidate.compiles && peer->refusal(problem).empty())
                add("cold start/" + to_string(problem) + "/" + candidate.name,
                    [&candidate, problem](auto& state) { measure_cold_start(state, candidate, problem); });
        }
}

/// What a peer cannot sort is left out, and told once for each reason.
void register_sorts(const Options& options, const std::vector<OpenPeer>& peers) {
    std::map<std::string, std::vector<std::string>> left_out;
    for (const Problem& problem : options.problems())
        for (const auto& [candidate, peer] : peers) {
            const std::string name = to_string(problem);
            if (const std::string refusal = peer->refusal(problem); !refusal.empty())
                left_out[candidate.name + ": " + refusal].push_back(name);
            else
                add(name + "/" + candidate.name, [&candidate, &peer, problem, effort = options.effort](auto& state) {
                    measure_sort(state, candidate, *peer, problem, effort);
                });
        }
    for (const auto& [reason, problems] : left_out) {
        const std::string which =
            problems.front() + (problems.size() > 1 ? " and " + std::to_string(problems.size() - 1) + " more" : "");
        say("left out: " + reason + " (" + which + ")");
        benchmark::AddCustomContext("left out: " + reason, which);
    }
}

/// A line for each sort; the file that --benchmark_out names has everything.
class Lines final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override {
        std::printf("%-70s %12s %12s %10s\n", "", "wall ms", "device ms", "Mkeys/s");
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const std::string& name = run.run_name.function_name;
            const auto figure = [&](const char* counter, int width, int digits) {
                const auto found = run.counters.find(counter);
                if (found == run.counters.end()) std::printf(" %*s", width, "-");
                else std::printf(" %*.*f", width, digits, found->second.value);
            };
            std::printf("%-70s", name.c_str());
            if (run.counters.contains("first_ms")) {
                figure("first_ms", 12, 1);
                std::printf("   the second time");
                figure("second_ms", 0, 1);
            } else if (run.counters.contains("wall_ms")) {
                figure("wall_ms", 12, 4);
                figure("device_ms", 12, 4);
                figure("Mkeys_per_s", 10, 1);
            } else {
                std::printf(" FAILED");
            }
            std::printf("\n");
            std::fflush(stdout);
        }
    }
};

int run(int& argument_count, char** arguments) {
    const Options options(Arguments(argument_count, arguments));
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) throw UsageError("");
    const std::vector<OpenPeer> peers = open_peers(options);
    if (options.list) {
        for (const OpenPeer& open : peers) std::printf("%s\n", open.candidate.name.c_str());
        return 0;
    }
    describe_run(peers);
    register_cold_starts(options, peers);  // before anything else is compiled
    register_sorts(options, peers);
    Lines lines;
    benchmark::RunSpecifiedBenchmarks(&lines);
    benchmark::Shutdown();
    return any_error ? 1 : 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    try {
        return run(argument_count, arguments);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "lanesort_bench: %s\n%s", error.what(), usage);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lanesort_bench: %s\n", error.what());
        return 1;
    }
}
