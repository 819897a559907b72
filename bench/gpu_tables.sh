#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures on the first CUDA device what bench/results/h200.md keeps tables of, before a release: lanesort beside CUB and Thrust.
# usage: gpu_tables.sh BUILD FOLDER [TABLE...]
#   BUILD   a build with -DLANESORT_BENCH=ON -DLANESORT_BENCH_CUDA=ON
#   FOLDER  gets a file for each table
#   TABLE   schedules, adversaries, largest, small, opencl, pairs, records, rows, runs, groups, products, top-k, companions,
#           parts; all unless given, which take about eight minutes on an H100
# A table that takes too long is cut off, and the others go on.
set -euo pipefail
(($# >= 2)) || { sed -n '3,8s/^# \?//p' "$0" && exit 2; }
bench=$(realpath "$1")/bench folder=$2
shift 2
tables=(schedules adversaries largest small opencl pairs records rows runs groups products top-k companions parts)
for name in "$@"; do
    [[ " ${tables[*]} " == *" $name "* ]] || { echo "there is no table '$name', only ${tables[*]}" && exit 2; }
done
wanted=" $* "
mkdir -p "$folder"
failed=()

# table NAME SECONDS COMMAND...
table() {
    local name=$1 limit=$2
    shift 2
    [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
    printf '== %s\n' "$name"
    timeout "$limit" "$@" 2>&1 | tee "$folder/$name.txt" || failed+=("$name")
}

# lg of the counts, and which peers; every result is checked.
sorts() { "$bench/lanesort_bench" --exponents "$1" --types u32 --cold none --repetitions 9 --seconds 1 --benchmark_filter="$2"; }
export -f sorts
export bench

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
table schedules 150 "$bench/lanesort_schedules_bench" 9 random zipf
table adversaries 90 "$bench/lanesort_schedules_bench" 5 adversaries
table largest 30 "$bench/lanesort_schedules_bench" 3 largest
table small 60 bash -c 'sorts 14,16,18,20 "CUDA|CUB"'
table opencl 60 bash -c 'sorts 16,18,20,26 "CUDA|OpenCL queue.*NVIDIA"'
for group in pairs records runs products groups rows top-k; do
    table "$group" 120 "$bench/lanesort_family_bench" 9 "$group"
done
table companions 120 "$bench/lanesort_family_bench" 9 reduce scan select histogram gather
table parts 150 "$bench/lanesort_parts_bench" 2 28

if ((${#failed[@]})); then
    printf 'Cut off, or failed: %s\n' "${failed[*]}"
    exit 1
fi
