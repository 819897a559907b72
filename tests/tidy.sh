#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Looks at the sources of the library, its hosts, the C interface and the command with clang-tidy, as .clang-tidy says. A
# finding is a failure. Takes ten minutes on two cores, so it is run by hand. Without clang-tidy the exit status is 77.
# usage: tests/tidy.sh BUILD_FOLDER [FILE...] (a folder with compile_commands.json; all that is built if none is named)
set -euo pipefail

build=$(realpath "$1")
shift
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-tidy >/dev/null || {
    echo "skipped: there is no clang-tidy"
    exit 77
}
files=("$@")
((${#files[@]})) || mapfile -t files < <(
    sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
        grep -E "^$PWD/(lib|host|tools|c)/" | sort -u)
((${#files[@]})) || {
    echo "$build/compile_commands.json names none of our files"
    exit 1
}
printf '%s\n' "${files[@]}" | xargs --max-procs="$(nproc)" --max-args=2 clang-tidy --quiet -p "$build"
