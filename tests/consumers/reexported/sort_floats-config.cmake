# SPDX-License-Identifier: MIT
include(CMakeFindDependencyMacro)
find_dependency(lanesort)
include("${CMAKE_CURRENT_LIST_DIR}/sort_floats-targets.cmake")
