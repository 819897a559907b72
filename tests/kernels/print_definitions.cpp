// Prints, for amd_compile.sh, what the kernels are compiled for in the shapes that the library chooses: one line for
// each kernel file and width of keys, "FILE BITS -DNAME=value ...".
#include <cstdio>

#include <lanesort/device.hpp>

#include "core/program.hpp"
#include "devices_made_up.hpp"
#include "runs.hpp"
#include "selection.hpp"

namespace lanesort::test {
namespace {

using lanesort::detail::KernelParameters;

void print_definitions(const KernelParameters& parameters) {
    std::printf("%s %zu", lanesort::detail::kernel_file(parameters).c_str(), parameters.bytes.key * 8);
    for (const std::string& definition : lanesort::detail::definitions(parameters))
        std::printf(" -D%s", definition.c_str());
    std::printf("\n");
}

void print_sort(const DeviceInfo& device, std::size_t key_bytes) {
    const bool unroll_rounds = device.kind == DeviceKind::gpu;
    print_definitions({.bytes = key_bytes, .unroll_rounds = unroll_rounds, .shape = choose_shape(device, key_bytes)});
}

/// With indices.
void print_selection(const DeviceInfo& device, std::size_t key_bytes) {
    using namespace lanesort::detail;
    const ElementBytes bytes{key_bytes, 0, 4};
    const Selection selection = make_selection(device, bytes, 1, 1 << 24, 16);
    print_definitions({.family = Family::select, .bytes = bytes, .shape = selection.shape});
}

/// With lengths of runs.
void print_runs(const DeviceInfo& device, std::size_t key_bytes) {
    using namespace lanesort::detail;
    const RunsSchedule schedule = make_runs_schedule(device, key_bytes, RunsTask::run_lengths, 1, 1 << 24);
    print_definitions({.family = Family::runs, .bytes = {key_bytes, 4}, .shape = schedule.shape});
}

}  // namespace
}  // namespace lanesort::test

int main() {
    using namespace lanesort;
    DeviceInfo card = test::graphics_card(), walker = test::processor();
    card.local_bytes = 65536;
    walker.native_vector_bytes = 4;  // a graphics card that walks its tiles in the cache still has no wider vectors
    for (const std::size_t key_bytes : {1, 4, 8})
        for (const DeviceInfo& device : {card, walker}) test::print_sort(device, key_bytes);
    for (const std::size_t key_bytes : {1, 4, 8}) {
        test::print_selection(card, key_bytes);
        test::print_runs(card, key_bytes);
    }
}
