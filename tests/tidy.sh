#!/usr/bin/env bash
# Looks at every source file of the library, its hosts and the command with clang-tidy, as .clang-tidy says. A finding is
# a failure, as is a call that would start another program. Without clang-tidy the exit status is 77.
# usage: tests/tidy.sh BUILD_FOLDER [FILE...] (a folder with compile_commands.json; all files if none is named)
set -euo pipefail

build=$(realpath "$1")
shift
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
if grep -rnE '\b(system|popen|exec[lv][ep]*|posix_spawnp?)\(' lib host tools c; then
    echo "the library and the command start no other program"
    exit 1
fi
command -v clang-tidy >/dev/null || {
    echo "skipped: there is no clang-tidy"
    exit 77
}
(($#)) || set -- $(find lib host tools c -name '*.cpp' | sort)
printf '%s\n' "$@" | xargs --max-procs="$(nproc)" --max-args=2 clang-tidy --quiet -p "$build" 2>/dev/null
