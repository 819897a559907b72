// lanesort/cuda.hpp.
#include <lanesort/cuda.hpp>

#include "../../lib/src/core/sorter_core.hpp"
#include "host.hpp"
#include "platform.hpp"

namespace lanesort::cu {

Sorter make_sorter(int device, SorterOptions options) {
    return Sorter(
        std::make_unique<detail::SorterCore>(std::make_unique<Host>(device_of_number(device)), std::move(options)));
}

}  // namespace lanesort::cu
