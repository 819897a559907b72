#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
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
for file in */*.cl */*/*.cl; do
    grep -q "^$file " <<<"$definitions" || { echo "nothing is compiled of $file" && exit 1; }
done
for name in $(grep -o -- '-D[A-Z_]*=' <<<"$definitions" | sort -u | tr -d '=' | cut -c3-); do
    grep -q "^ \*   $name " common/parameters.h && grep -q "^#ifndef $name$" common/parameters.h && grep -q "^| \`$name\` |" README.md || {
        echo "common/parameters.h and README.md do not both say what $name is"
        exit 1
    }
done
options=(-x cl -cl-std=CL1.2 -I . -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only -Xclang -finclude-default-header)
# shellcheck disable=SC2016  # the words are for the inner shell
options="${options[*]}" xargs --max-procs="$(nproc)" --max-lines=1 bash -c '
    clang $options "${@:3}" "$1" || { echo "FAILED: $*"; exit 1; }
    # A quicksort by instructions that a processor may have.
    [[ " $* " != *" -DQUICKSORT=1 "* ]] || for instructions in -mavx2 -mavx512f; do
        clang $options --target=x86_64-linux-gnu "$instructions" "${@:3}" "$1" || { echo "FAILED: $instructions $*"; exit 1; }
    done
    # One work-item has no barrier: PoCL 6 ends the process on some.
    [[ " $* " != *" -DWORK_ITEMS=1 "* ]] || ! clang -x cl -cl-std=CL1.2 -I . -E "${@:3}" "$1" | grep -q "\bbarrier *(" ||
        { echo "one work-item has a barrier: $*"; exit 1; }' _ <<<"$definitions"
echo "compiled: $(wc -l <<<"$definitions") times"

# What cannot be is refused by a sentence that names the first of these parameters.
refused=0
while read -r file wrong; do
    name=${wrong%%=*}
    # shellcheck disable=SC2086  # the parameters are words
    messages=$(clang "${options[@]}" $wrong "$file" 2>&1 </dev/null || true)
    grep -q "error: \".*\b${name#-D}\b.*\.\"" <<<"$messages" || {
        echo "not refused: $file $wrong"
        exit 1
    }
    refused=$((refused + 1))
done <<'END'
sort/tile_in_local.cl -DKEY_BITS=24
sort/tile_in_local.cl -DRECORD_BYTES=12 -DLANES=4
sort/tile_in_local.cl -DVALUE_BITS=24
sort/tile_in_local.cl -DVALUE_BITS=128 -DLANES=4
sort/tile_in_local.cl -DINDEX_BITS=8
sort/tile_in_local.cl -DPOSITION_BITS=16
sort/tile_in_local.cl -DLANES=3
sort/tile_in_local.cl -DLANES=32
sort/tile_in_local.cl -DVECTORS=3
sort/tile_in_local.cl -DWORK_ITEMS=48
sort/tile_in_local.cl -DTILES_PER_GROUP=3
sort/tile_in_local.cl -DTILE_WORK_ITEMS=8
sort/tile_in_local.cl -DWORK_ITEMS=48 -DTILE_WORK_ITEMS=64
sort/tile_in_local.cl -DWORK_ITEMS=96 -DTILE_WORK_ITEMS=128
sort/tile_in_local.cl -DREGISTER_VECTORS=4
sort/tile_in_local.cl -DSTEPS_PER_PASS=0
sort/tile_in_local.cl -DRESIDENT_GROUPS=0
sort/tile_in_local.cl -DUNROLL_ROUNDS=2
sort/tile_in_local.cl -DBANK_SWAP=1
sort/tile_in_local.cl -DBANK_PADDING=1 -DREMAP=1 -DLANES=4
sort/tile_in_local.cl -DCOALESCED_STORE=1 -DTILE_WORK_ITEMS=1
sort/tile_in_local.cl -DCOUNT_SYNC=2
sort/tile_in_local.cl -DLEAVES=1
sort/distribution/classify.cl -DBUCKET_BITS=2
sort/distribution/place_blocks.cl -DBLOCK=48
sort/tile_in_local.cl -DSEGMENT_BITS=32
sort/tile_in_local.cl -DHAS_OPERATOR=1
sort/tile_in_local.cl -DHAS_TRANSFORM=1
sort/tile_in_local.cl -DSHORT_ROWS=1 -DIN_ROWS=1
sort/tile_in_local.cl -DTWO_RANGES=1 -DIN_ROWS=1
sort/tile_in_cache.cl -DWORK_ITEMS=64
sort/tile_in_cache.cl -DREGISTER_VECTORS=2 -DLANES=4 -DVECTORS=8 -DWORK_ITEMS=1
sort/tile_in_cache.cl -DCHUNK_BYTES=10000 -DWORK_ITEMS=1 -DREGISTER_VECTORS=4 -DVECTORS=8
top_k/top_k_in_local.cl -DREGISTER_VECTORS=2 -DLANES=1
top_k/top_k_in_registers.cl -DWORK_ITEMS=64
top_k/top_k_in_local.cl -DINDEX_BITS=0 -DRECORD_BYTES=12 -DLANES=1 -DREGISTER_VECTORS=8 -DVECTORS=8
END
echo "refused: $refused"
