// Prints, for amd_compile.sh, what the kernels are compiled for in the shapes that the library chooses: one line for
// each kernel file and width of keys, "FILE BITS -DNAME=value ...".
#include <cstdio>

#include <lanesort/device.hpp>

#include "backend.hpp"
#include "devices_made_up.hpp"

namespace lanesort::test {
namespace {

void print_definitions(const DeviceInfo& device, std::size_t key_bytes) {
    const Shape shape = choose_shape(device, key_bytes);
    const bool unroll_rounds = device.kind == DeviceKind::gpu;
    const lanesort::detail::KernelParameters parameters{
        .bytes = key_bytes, .unroll_rounds = unroll_rounds, .shape = shape};
    std::printf("%s %zu", lanesort::detail::kernel_file(parameters).c_str(), key_bytes * 8);
    for (const std::string& definition : lanesort::detail::definitions(parameters))
        std::printf(" -D%s", definition.c_str());
    std::printf("\n");
}

}  // namespace
}  // namespace lanesort::test

int main() {
    using namespace lanesort;
    DeviceInfo card = test::graphics_card(), walker = test::processor();
    card.local_bytes = 65536;
    walker.native_vector_bytes = 4;  // a graphics card that walks its tiles in the cache still has no wider vectors
    for (const std::size_t key_bytes : {1, 4, 8})
        for (const DeviceInfo& device : {card, walker}) test::print_definitions(device, key_bytes);
}
