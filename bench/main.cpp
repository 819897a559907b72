// lanesort_bench: lanesort beside its peers, in one run, on the same keys. Every repetition sorts fresh input and is
// checked; a wrong sort is an error, not a time. Takes Google Benchmark's options, and --exponents A-B (lg of the
// count) and --types u32,u64.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "peer.hpp"

using namespace lanesort;
using namespace lanesort::bench;

namespace {

Input random_input(KeyType type, std::size_t count) {
    Input input{type, count, std::vector<std::byte>(count * key_bytes(type)), {}};
    std::mt19937_64 random(count);
    with_type(type, [&]<class T>(T*) {
        auto* const keys = reinterpret_cast<T*>(input.keys.data());
        std::generate_n(keys, count, [&] {
            // Floating-point keys are numbers: std::sort and the peers leave the place of NaNs undefined.
            if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<std::int64_t>(random())) / 3;
            else return static_cast<T>(random());
        });
        input.sorted = input.keys;
        auto* const sorted = reinterpret_cast<T*>(input.sorted.data());
        std::sort(sorted, sorted + count);
    });
    return input;
}

/// The input of a type and size, made once; only the last one is kept.
const Input& input_of(KeyType type, std::size_t count) {
    static std::map<std::pair<KeyType, std::size_t>, Input> inputs;
    const auto key = std::pair(type, count);
    if (!inputs.contains(key)) {
        inputs.clear();
        inputs.emplace(key, random_input(type, count));
    }
    return inputs.at(key);
}

void measure(benchmark::State& state, Peer& peer, KeyType type, std::size_t count) {
    const Input& input = input_of(type, count);
    try {
        const std::unique_ptr<Trial> trial = peer.prepare(input);
        if (!trial) return state.SkipWithError("this peer does not sort that type");
        trial->run();  // warms up
        for (auto iteration : state) {
            state.SetIterationTime(trial->run());
            if (trial->result() != input.sorted) return state.SkipWithError("the result is wrong");
        }
        state.counters["keys/s"] =
            benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
        state.counters["extra_bytes"] = static_cast<double>(trial->extra_bytes());
    } catch (const std::exception& error) {
        state.SkipWithError(error.what());
    }
}

/// Takes `--name value` out of the arguments.
std::string option(int& count, char** arguments, const std::string& name, std::string otherwise) {
    for (int i = 1; i + 1 < count; ++i)
        if (arguments[i] == name) {
            std::string value = arguments[i + 1];
            std::rotate(arguments + i, arguments + i + 2, arguments + count);
            count -= 2;
            return value;
        }
    return otherwise;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const std::string exponents = option(argument_count, arguments, "--exponents", "10-22");
    const std::string types = option(argument_count, arguments, "--types", "u32");
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
    unsigned first = 0, last = 0;
    if (std::sscanf(exponents.c_str(), "%u-%u", &first, &last) != 2 || last < first || last > 40) {
        std::fprintf(stderr, "--exponents takes two numbers, e.g. 10-22\n");
        return 2;
    }

    std::vector<std::unique_ptr<Peer>> peers;
    for (auto* const make : {host_peers, opencl_peers, cuda_peers})
        std::ranges::move(make(), std::back_inserter(peers));
    std::istringstream type_names(types);
    for (std::string type_name; std::getline(type_names, type_name, ',');) {
        const auto type = key_type_from_name(type_name);
        if (!type || *type == KeyType::f16) {
            std::fprintf(stderr, "--types takes u8 .. i64, f32 and f64, not %s\n", type_name.c_str());
            return 2;
        }
        for (unsigned exponent = first; exponent <= last; exponent += 2)
            for (const auto& peer : peers)
                benchmark::RegisterBenchmark(
                    (type_name + "/2^" + std::to_string(exponent) + "/" + peer->name()).c_str(),
                    [&peer, type, exponent](benchmark::State& state) {
                        measure(state, *peer, *type, std::size_t{1} << exponent);
                    })
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
