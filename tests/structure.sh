#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the structure promises: host/ names no operation, an operation is a file, and few files know it; the library links
# nothing of a vendor; its names are those of one version; every source file says its licence.
#   structure.sh SOURCE_FOLDER LIBRARY
set -euo pipefail
cd "$1"
library=$2
failed=0
fail() {
    printf 'FAILED: %s\n' "$1"
    failed=1
}

# Identifiers of the standard library hold some of these words, too.
named=$(grep -rnoE '\w*(merge|top_k|argsort|unique|run_lengths|select|scan|reduce)\w*' host |
    grep -vE ':(unique_ptr|make_unique|make_unique_for_overwrite|unique_lock)$' || true)
[[ -z $named ]] || fail "host/ names operations:
$named"

back=$(grep -rnE '#include ".*host/' lib || true)
[[ -z $back ]] || fail "lib/ includes files of host/:
$back"

linked=$(nm --undefined-only "$library" | grep -oE ' (cl|cu|nvrtc)[A-Z]\w*' | sort -u || true)
[[ -z $linked ]] || fail "the library links functions of a driver:
$linked"

# Files of the library that name one operation, its kernels and the C interface counted in. A path is no name. To merge is
# also what every sort does, so its kernels and plans are not counted.
most=14
for operation in merge argsort top_k is_sorted unique run_lengths reduce inclusive_scan exclusive_scan partition; do
    places=(lib host c kernels CMakeLists.txt)
    [[ $operation != merge ]] || places=(--exclude={'*_schedule.*',plan.cpp,rank_layout.hpp} --exclude-dir=ranks lib host c CMakeLists.txt)
    count=$(grep -rlP "(?<!/)\\b(enqueue_)?$operation(_by_key|_until|_arrays)?\\b(?!/|\\.(cl|[ch]p*)\\b)" "${places[@]}" | wc -l)
    printf '%-12s is named in %s files\n' "$operation" "$count"
    ((count <= most)) || fail "$operation is named in $count files; $most are allowed"
done

version=$(sed -nE 's/^project\(lanesort VERSION ([0-9]+)\.([0-9]+)\..*/v\1_\2/p' CMakeLists.txt)
unversioned=$(grep -rnE '^namespace lanesort' lib host c mpi | grep -vE "namespace lanesort::inline $version( |::)" || true)
[[ -n $version && -z $unversioned ]] || fail "two versions of the library would mix: a namespace is not in lanesort::inline $version:
$unversioned"

licence='SPDX-License-Identifier: MIT'
unlicensed=$({
    grep -rL "$licence" --include={'*.'{cpp,hpp,h,c,cl,inc,cu,cuh,py,sh,cmake},CMakeLists.txt} \
        bench c cmake docs examples host kernels lib mpi python tests tools CMakeLists.txt
    grep -L "$licence" .ci/* quickstart bench/report
} || true)
[[ -z $unlicensed ]] || fail "without a licence:
$unlicensed"

exit $failed
