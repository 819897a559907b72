// Selections, for operations that are made of them.
#pragma once

#include "../core/planner.hpp"

namespace lanesort::detail {

/// Brings the first few numbers of a range, or of each of its rows, to its front, in order, if a processor does so
/// sooner than it merges: it reads each once. Else gives false.
bool add_selection_to_front(Planner& planner, Work& work, const Request& request);

}  // namespace lanesort::detail
