// SPDX-License-Identifier: MIT
// Which peers this build has.
#include <iterator>

#include "peer.hpp"

namespace lanesort::bench {

#ifndef LANESORT_BENCH_TBB
Candidates tbb_peers(const std::shared_ptr<const Memory>&) {
    return {absent("tbb::parallel_sort", "built without oneTBB (libtbb-dev)")};
}
#endif

#ifndef LANESORT_BENCH_VQSORT
Candidates vqsort_peers(const std::shared_ptr<const Memory>&) {
    return {absent("Highway vqsort", "built without Highway (libhwy-dev)")};
}
#endif

#ifndef LANESORT_BENCH_CUDA
Candidates cuda_peers() {
    return {absent("CUB, Thrust, lanesort on a CUDA stream", "built without LANESORT_BENCH_CUDA")};
}
#endif

Candidates all_peers() {
    const std::shared_ptr<const Memory> host = host_memory();
    Candidates all;
    for (Candidates some :
         {host_peers(host), tbb_peers(host), vqsort_peers(host), host_range_peers(host), opencl_peers(), cuda_peers()})
        std::ranges::move(some, std::back_inserter(all));
    return all;
}

}  // namespace lanesort::bench
