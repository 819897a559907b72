// The benchmark built without LANESORT_BENCH_CUDA.
#include "peer.hpp"

namespace lanesort::bench {

std::vector<std::unique_ptr<Peer>> cuda_peers() { return {}; }

}  // namespace lanesort::bench
