#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs sorts of different keys, as many of each, under Oclgrind, and compares the instructions that it counts, by kind,
# and the bytes that they load and store.
# usage: data_independence.sh LANESORT (the command)
# Different counts are a failure. Without Oclgrind the exit status is 77.
set -euo pipefail

lanesort=$(realpath "$1")
count=200

command -v oclgrind >/dev/null || {
    echo "skipped: there is no oclgrind"
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LANESORT_TUNED=0

# keys NAME TYPE: one number a line.
keys() {
    local special='0 1 2'
    [[ $2 == u* ]] || special='nan -nan inf -inf -0 0 1e-310 -1'
    # An integer that the type does not hold exactly is an error; one with a point is rounded.
    awk -v name="$1" -v special="$special" -v point="$([[ $2 != f* ]] || echo .0)" -v count=$count -v most=$([[ $2 == f16 ]] && echo 65000 || echo 4294967295) 'BEGIN {
        srand(name == "random" ? 1 : 2)
        values = split(special, value, " ")
        for (i = 0; i < count; ++i)
            if (name == "equal") print 7
            else if (name == "ascending") print i
            else if (name == "special") print value[int(rand() * values) + 1]
            else printf "%.0f%s\n", rand() * most, point
    }'
}

cases=0
uncompared='^$'
# compare TYPE COMMAND...: the counts of the command on all kinds of keys.
compare() {
    local type=$1 name first=
    shift
    for name in random others equal ascending special; do
        keys "$name" "$type" >in
        oclgrind --inst-counts "$lanesort" "$@" --text --type "$type" in out >"$name.all"
        grep -Ev "$uncompared" "$name.all" >"$name.counts"
        grep -q '^ *[1-9][0-9]* - load global' "$name.counts" || { echo "nothing was counted: $*" && exit 1; }
        if [[ -n $first ]] && ! diff "$first.counts" "$name.counts"; then
            echo "FAILED: $first and $name keys of type $type take different instructions: $*"
            exit 1
        fi
        first=${first:-$name}
        cases=$((cases + 1))
    done
    echo "the same for all keys of type $type: $*"
}

scalar=(--lanes 1 --vectors 2 --work-items 8 --registers 4 --steps-per-pass 2 --remap)
vector=(--lanes 4 --vectors 2 --work-items 8 --registers 4 --steps-per-pass 2 --remap --bank-swap --coalesced-store)
in_cache=(--lanes 4 --vectors 8 --work-items 1 --registers 4 --steps-per-pass 2)
compare u32 sort "${scalar[@]}"
compare u32 sort "${vector[@]}"
compare u32 sort "${in_cache[@]}"
compare u32 sort "${scalar[@]}" --columns
compare u32 sort "${in_cache[@]}" --columns
compare f64 sort "${scalar[@]}"
compare f16 sort "${vector[@]}"
compare f32 argsort "${scalar[@]}"
compare f64 argsort "${scalar[@]}"
# Packed. Of two functions that it calls as often, Oclgrind 21.10 counts now the one, now the other.
uncompared=' - call _Z[0-9]+(convert_|vload)' compare f32 argsort "${in_cache[@]}"
compare f32 topk -k 5 --device compiling  # on a device, also where the input is small
few=$count
count=$(((1 << 19) + 77))  # read by buckets, of which the last ones reach beyond the end
compare f32 topk -k 5 --device compiling
echo "$cases runs, $few keys each, $count in the last five"
