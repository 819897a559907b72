#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the rows of the kernel table with the kernels' source: which kernels a program has, and the type of each
# argument. The source is preprocessed as OpenCL C, with all arguments apart and with the integers of passes in one.
# usage: arguments.sh PRINT_DEFINITIONS COMPILER (the program of print_definitions.cpp; a C compiler that preprocesses)
set -euo pipefail

rows=$("$1" arguments)
compiler=$2
cd -P "$(dirname "${BASH_SOURCE[0]}")/../../kernels"

# Reads a preprocessed file, and prints "NAME(TYPE,TYPE..)" for each kernel. A structure is its members.
# shellcheck disable=SC2016  # the words are for awk
export compiler signatures='
function types_of(list, separator,    parts, i, n, type, all) {
    n = split(list, parts, separator)
    for (i = 1; i <= n; ++i) {
        type = parts[i]
        gsub(/__global|const/, "", type)
        if (!sub(/[A-Za-z_0-9]+ *$/, "", type)) continue
        gsub(/ /, "", type)
        sub(/^offset_t$/, "ulong", type)
        all = all "," (type in members ? types_of(members[type], ";") : type)
    }
    return substr(all, 2)
}
{ text = text " " $0 }
END {
    rest = text
    while (match(rest, /typedef struct \{[^}]*\} *[a-z_]+ *;/)) {
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        name = found
        sub(/ *;$/, "", name)
        sub(/.*[} ]/, "", name)
        sub(/typedef struct \{/, "", found)
        sub(/\}.*/, "", found)
        members[name] = found
    }
    while (match(text, /__kernel [^{]*\{/)) {
        found = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        sub(/.*void /, "", found)
        name = found
        sub(/\(.*/, "", name)
        sub(/[^(]*\(/, "", found)
        sub(/\)[^)]*$/, "", found)
        print name "(" types_of(found, ",") ")"
    }
}'

# FILE DEFINITION.. : SIGNATURE..
# shellcheck disable=SC2016  # the words are for the inner shell
xargs --max-procs="$(nproc)" --max-lines=1 bash -c '
    file=$1 definitions=(-D__clang__)  # which packs pairs
    while shift && [[ $1 != : ]]; do definitions+=("$1"); done
    shift
    wanted=$(printf "%s\n" "$@" | sort)
    found=$("$compiler" -E -P -x c -I . "${definitions[@]}" "$file" | awk "$signatures" | sort)
    [[ $found == "$wanted" ]] || {
        echo "FAILED: $file ${definitions[*]}"
        diff <(echo "$wanted") <(echo "$found") | sed "s/^</table: /; s/^>/source:/"
        exit 1
    }' _ <<<"$rows"
echo "compared: $(wc -l <<<"$rows") programs"
