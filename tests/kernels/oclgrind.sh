#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every operation at small sizes under Oclgrind, which reports data races, uninitialised values and wrong calls.
# usage: oclgrind.sh SMALL_TEST (the program of small sorts)
# Any report is a failure. Without Oclgrind the exit status is 77.
set -euo pipefail

suite=$(realpath "$1")
command -v oclgrind >/dev/null || {
    echo "skipped: there is no oclgrind"
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# check OPTION... -- CASES...
check() {
    local options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    # The exit status says nothing: Oclgrind may crash in the end, as it is unloaded before the suite's own objects.
    oclgrind --data-races --check-api "${options[@]}" --log "$dir/reports" "$suite" "$@" >"$dir/out" 2>&1 || true
    grep -E 'cases:|assertions:' "$dir/out" || true
    if [[ -s $dir/reports ]] || ! grep -q 'Status: SUCCESS' "$dir/out"; then
        cat "$dir/out"
        head -n 60 "$dir/reports"
        exit 1
    fi
}

export LANESORT_TUNED=0 LANESORT_REQUIRE_DEVICE=1
check --uninitialized -- --test-case="small sorts: keys alone*"
# Oclgrind 21.10 cannot tell what is initialised after LLVM's `freeze`, which kernels that select, fill gaps, move, count, find
# runs and look for order become, nor in a buffer that an earlier call used, nor where the memory of one buffer was that of
# another one in host memory.
check -- --test-suite="small sorts,small distributions" --test-case-exclude="small sorts: keys alone*"
