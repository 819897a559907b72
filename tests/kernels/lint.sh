#!/usr/bin/env bash
# Compiles the kernels with Clang as OpenCL C 1.2, whose warnings are errors: a compiler that is stricter than a driver's.
# A kernel takes arguments that not every variant of it uses.
# usage: lint.sh PRINT_DEFINITIONS (the program of print_definitions.cpp, which knows what they are compiled for)
# Without clang the exit status is 77.
set -euo pipefail

command -v clang >/dev/null || {
    echo "skipped: there is no clang"
    exit 77
}
definitions=$("$1" all)
cd -P "$(dirname "${BASH_SOURCE[0]}")/../../kernels"
for file in *.cl; do
    grep -q "^$file " <<<"$definitions" || { echo "nothing is compiled of $file" && exit 1; }
done
# shellcheck disable=SC2016  # the words are for the inner shell
xargs --max-procs="$(nproc)" --max-lines=1 bash -c '
    file=$0
    shift
    clang -x cl -cl-std=CL1.2 -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only -Xclang -finclude-default-header \
        "$@" "$file" ||
        { echo "FAILED: $file $*"; exit 1; }' <<<"$definitions"
echo "compiled: $(wc -l <<<"$definitions") times"
