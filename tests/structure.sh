#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the structure promises: host/ and core/ name no operation, and few other files do; the library links
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

back=$(grep -rnE '#include ".*host/' lib || true)
[[ -z $back ]] || fail "lib/ includes files of host/:
$back"

linked=$(nm --undefined-only "$library" | grep -oE ' (cl|cu|nvrtc)[A-Z]\w*' | sort -u || true)
[[ -z $linked ]] || fail "the library links functions of a driver:
$linked"

# Files whose code names an operation: its enumerator, its functions or anything else that is called so. Comments, texts, paths
# and what std has are left out.
names=$(mktemp)
trap 'rm -f "$names"' EXIT
for file in $(find lib host kernels c mpi python/lanesort python/src tools -regextype egrep -regex '.*\.(cpp|hpp|h|c|cl|inc|pyi?)'); do
    case $file in
        *.py | *.pyi) sed -E 's/"""[^"]*"""//g; /"""/,/"""/d; s/#.*//; s/"[^"]*"//g' "$file" ;;
        *) sed -E 's,//.*,,; s,/\*.*\*/,,g; \,/\*,,\,\*/,d; /#include/d; s/<lanesort[^>]*>//; s/"(\\.|[^"\\])*"//g; s/\b(std|ranges)(::\w+)+//g' "$file" ;;
    esac | grep -ohE '\w+' | sort -u | sed "s,$, $file,"
done >"$names"
# most WHERE WORD: how many files below these folders may name it.
most() {
    case $1 in
        lib) case $2 in sort | merge) echo 12 ;; *) echo 8 ;; esac ;;
        core) echo 0 ;;
        *) case $2 in sort) echo 4 ;; *) echo 2 ;; esac ;;
    esac
}
operations=$(sed -n '/^enum class Operation/,/^};/s/^ *\([a-z_]*\),.*/\1/p' lib/include/lanesort/request.hpp)
for word in $operations partial_sort nth_element; do
    counts=
    for where in 'lib lib host kernels c' 'core host lib/src/core' 'mpi mpi' 'python python' 'tools tools'; do
        read -r part folders <<<"$where"
        files=$(grep -E "^$word (${folders// /|})/" "$names" | cut -d ' ' -f 2 || true)
        count=$(wc -w <<<"$files")
        counts+=" $count in $part,"
        ((count <= $(most "$part" "$word"))) || fail "$word is named in $count files of $folders, $(most "$part" "$word") are allowed:
$files"
    done
    printf '%-21s %s\n' "$word" "${counts%,}"
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
