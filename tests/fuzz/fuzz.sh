#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the fuzz targets with Clang and the sanitizers and runs each for long; CTest does it briefly, with the preset
# asan.
# usage: tests/fuzz/fuzz.sh [SECONDS] (for each target; 60 if not given)
# What is found, and what makes a target fail, lies under build/fuzz. Without Clang the exit status is 77.
set -euo pipefail

seconds=${1:-60}
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v clang++ >/dev/null || {
    echo "skipped: there is no clang++"
    exit 77
}
targets=(npy text table gzip shape_file plan distribution)
cmake --preset asan >/dev/null
cmake --build --preset asan --parallel "$(nproc)" --target "${targets[@]/%/_fuzz}"
mkdir -p build/fuzz
cd build/fuzz
for target in "${targets[@]}"; do
    echo "== $target"
    mkdir -p "found_$target"
    "../asan/tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -artifact_prefix="$target-" \
        "found_$target" "../../tests/fuzz/corpus/$target" 2>&1 | tee "$target.log" | grep -E 'ERROR|SUMMARY|number_of_executed_units'
done
