# SPDX-License-Identifier: MIT
# fmt, of its headers alone.
add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
