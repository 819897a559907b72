#!/usr/bin/env bash
# Builds the fuzz targets with Clang and the sanitizers and runs each.
# usage: tests/fuzz.sh [SECONDS] (for each target; 60 if not given)
# What is found, and what makes a target fail, lies under build/fuzz. Without Clang the exit status is 77.
set -euo pipefail

seconds=${1:-60}
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang++ >/dev/null || {
    echo "skipped: there is no clang++"
    exit 77
}
targets=(text table shape_file plan)
cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLANESORT_FUZZ=ON \
    -DLANESORT_CUDA=OFF -DLANESORT_TOOLS=OFF -DLANESORT_TESTS=OFF -DLANESORT_EXAMPLES=OFF >/dev/null
cmake --build build/fuzz --parallel "$(nproc)" --target "${targets[@]/%/_fuzz}"
cd build/fuzz
for target in "${targets[@]}"; do
    echo "== $target"
    mkdir -p "found_$target"
    "tests/fuzz/${target}_fuzz" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -artifact_prefix="$target-" \
        "found_$target" "../../tests/fuzz/corpus/$target" 2>&1 | tee "$target.log" | grep -E 'ERROR|SUMMARY|number_of_executed_units'
done
