#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the kernels for AMD's graphics cards, in the shapes that the library chooses, and prints what each takes.
# usage: amd_compile.sh PRINT_DEFINITIONS (the program of print_definitions.cpp)
# A kernel that clang refuses is a failure. What takes too long is printed; where nothing can be compiled, the exit
# status is 77.
set -euo pipefail

definitions=$("$1")
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
targets=(gfx906 gfx90a gfx1030 gfx1100)
most_seconds=60      # for one file
all_seconds=900      # for all of them
assembly=$(mktemp)
log=$(mktemp)
trap 'rm -f "$assembly" "$log"' EXIT

skip() {
    echo "skipped: $*"
    exit 77
}

options=(-x cl -cl-std=CL1.2 -O2 -target amdgcn-amd-amdhsa -nogpulib -S -o "$assembly")

# knows COMPILER TARGET
knows() { "$1" "${options[@]}" -mcpu="$2" /dev/null >/dev/null 2>&1; }

# The newest clang that knows AMD.
find_clang() {
    local version
    for version in $(seq 30 -1 14 | sed 's/^/-/') ''; do
        if command -v "clang$version" >/dev/null && knows "clang$version" gfx906; then
            echo "clang$version"
            return
        fi
    done
}

# most FIELD: the largest value of a field of the kernels' metadata.
most() { sed -n "s/^ *\.$1: *//p" "$assembly" | sort -n | tail -n 1; }

# The functions that the assembly calls and does not hold.
undefined() {
    awk '/^[A-Za-z_.$][^ :]*:/ { sub(/:.*/, ""); held[$0] }
        match($0, /[A-Za-z_.$][A-Za-z0-9_.$]*@(gotpc)?rel32@lo/) {
            name = substr($0, RSTART)
            sub(/@.*/, "", name)
            called[name]
        }
        END { for (name in called) if (!(name in held)) print name }' "$assembly" | sort | paste -sd ' '
}

row() { printf '%-9s%-34s%5s%7s%9s%9s%9s  %s\n' "$@"; }

clang=$(find_clang)
[[ $clang ]] || skip "there is no clang that compiles for AMD (amdgcn)"
"$clang" --version | head -n 1
echo "AMD's device library is not used: tests/kernels/amd_builtins.h stands in for its built-in functions. What it lacks is an"
echo "undefined symbol, named below. Of a file's kernels the row has the largest figures; bytes are those of a"
echo "work-item (scratch) and of a work-group (local)."
row target file bits VGPRs scratch local seconds ''

compiled=0 failed=0
for target in "${targets[@]}"; do
    if ! knows "$clang" "$target"; then
        row "$target" all '' '' '' '' '' "not compiled: $clang does not know this target"
        continue
    fi
    while read -r file bits parameters; do
        left=$((all_seconds - SECONDS)) begin=$SECONDS status=0
        limit=$((left < most_seconds ? left : most_seconds))
        if ((limit <= 0)); then
            row "$target" "$file" "$bits" '' '' '' '' "not compiled: the $all_seconds s for all files are over"
            continue
        fi
        # shellcheck disable=SC2086  # the parameters are words
        timeout --kill-after=5 "$limit" "$clang" "${options[@]}" -mcpu="$target" -w -Xclang -finclude-default-header \
            -I "$root/kernels" $parameters -include "$root/tests/kernels/amd_builtins.h" "$root/kernels/$file" \
            >"$log" 2>&1 </dev/null || status=$?
        if ((status == 124 || status == 137)); then
            row "$target" "$file" "$bits" '' '' '' $((SECONDS - begin)) "not compiled: took longer than $limit s"
        elif ((status)); then
            row "$target" "$file" "$bits" '' '' '' $((SECONDS - begin)) 'REFUSED'
            cat "$log"
            failed=1
        else
            missing=$(undefined)
            row "$target" "$file" "$bits" "$(most vgpr_count)" "$(most private_segment_fixed_size)" \
                "$(most group_segment_fixed_size)" $((SECONDS - begin)) "${missing:+undefined: $missing}"
            compiled=$((compiled + 1))
        fi
    done <<<"$definitions"
done
echo "compiled: $compiled files"
((failed == 0)) || exit 1
((compiled > 0)) || skip "nothing could be compiled in time"
