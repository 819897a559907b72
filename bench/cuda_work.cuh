// Other work, behind which device time is measured: so neither the host's calls count nor that a device which has waited
// starts slowly.
#pragma once

#include <cuda_runtime.h>

namespace lanesort::bench {

/// By one thread, for about a tenth of a millisecond.
__global__ static void work() {
    constexpr long long cycles = 200'000;
    for (const long long begin = clock64(); clock64() - begin < cycles;) {
    }
}

}  // namespace lanesort::bench
