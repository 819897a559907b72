#include "memory_check.hpp"

#include <fmt/format.h>

#include <lanesort/error.hpp>

namespace lanesort::detail {
namespace {

bool overlap(const MemoryUse& a, const MemoryUse& b) {
    return a.memory == b.memory && a.bytes > 0 && b.bytes > 0 && a.begin < b.begin + b.bytes &&
           b.begin < a.begin + a.bytes;
}

}  // namespace

void check(const std::vector<MemoryUse>& uses) {
    for (const MemoryUse& use : uses)
        if (use.bytes > 0 && !use.memory && use.begin == 0)
            throw Error(ErrorCode::invalid_argument, fmt::format("the pointer to the {} is null", use.what));
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = i + 1; j < uses.size(); ++j) {
            const bool both_stay = uses[i].access == Access::read && uses[j].access == Access::read;
            if (!both_stay && overlap(uses[i], uses[j]))
                throw Error(ErrorCode::invalid_argument,
                            fmt::format("the {} and the {} overlap in memory, but have to be apart", uses[i].what,
                                        uses[j].what));
        }
}

}  // namespace lanesort::detail
