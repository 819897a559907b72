#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# refused_calls.sh COMPILER FLAG...: refused_calls.cpp compiles, but with none of its cases, and then the compiler says
# why.
set -euo pipefail
file=$(dirname "$0")/refused_calls.cpp
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# The header is compiled once for all cases: GCC looks for .gch, and Clang for .pch.
echo '#include <lanesort/sorter.hpp>' >"$folder/header.hpp"
"$@" -std=c++20 -x c++-header "$folder/header.hpp" -o "$folder/header.hpp.gch"
ln "$folder/header.hpp.gch" "$folder/header.hpp.pch"
compile=("$@" -std=c++20 -fsyntax-only -include "$folder/header.hpp")
"${compile[@]}" -DREFUSED=0 "$file"
cases=$(grep -c '^    CASE(' "$file")
for ((number = 1; number <= cases; ++number)); do
    reason=$(sed -n "s/^    CASE($number, \"\([^\"]*\)\".*/\1/p" "$file")
    if errors=$("${compile[@]}" -DREFUSED=$number "$file" 2>&1); then
        echo "case $number compiles, but should not: $reason"
        exit 1
    fi
    grep -q "$reason" <<<"$errors" || { echo "case $number: nobody says \"$reason\", but"; echo "$errors"; exit 1; }
done
echo "$cases calls were refused"
