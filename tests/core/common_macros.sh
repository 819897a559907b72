#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# common_macros.sh C_COMPILER COMPILER FLAG...: every public header compiles behind common_macros.h.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) c_compiler=$1
shift
cd "$here/../../lib/include"
# The standard library's headers come first: they are not ours to mend.
standard=$(sed -n 's/^#include <\([a-z_]*\)>$/\1/p' lanesort/*.hpp | sort -u)
# Those of MPI include its own header, which need not be there; ranks.hpp does not.
ours=$(echo lanesort/*.hpp lanesort/lanesort.h lanesort/ranks.hpp)
write_includes() { printf '#include <%s>\n' "$@"; }
{
    # shellcheck disable=SC2086  # several names
    write_includes $standard && echo "#include \"$here/common_macros.h\"" && write_includes $ours
    echo 'inline auto record_order = [](int a, int b) { return a < b; };'
    echo 'lanesort::SortReport sort(lanesort::Sorter& sorter, std::span<int> keys) { return sorter.sort({keys, record_order}); }'
} | "$@" -std=c++20 -I../../mpi/include -fsyntax-only -x c++ -
{
    write_includes stddef.h stdint.h && echo "#include \"$here/common_macros.h\"" && write_includes lanesort/lanesort.h
} | "$c_compiler" -std=c11 -fsyntax-only -I. -x c -
echo "$(wc -w <<<"$ours") headers compile behind common macros"
