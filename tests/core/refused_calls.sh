#!/usr/bin/env bash
# refused_calls.sh COMPILER FLAG...: refused_calls.cpp compiles, but with none of its cases, and then the compiler says
# why.
set -euo pipefail
file=$(dirname "$0")/refused_calls.cpp
"$@" -std=c++20 -fsyntax-only -DREFUSED=0 "$file"
cases=$(grep -c '^    CASE(' "$file")
for ((number = 1; number <= cases; ++number)); do
    reason=$(sed -n "s/^    CASE($number, \"\([^\"]*\)\".*/\1/p" "$file")
    if errors=$("$@" -std=c++20 -fsyntax-only -DREFUSED=$number "$file" 2>&1); then
        echo "case $number compiles, but should not: $reason"
        exit 1
    fi
    grep -q "$reason" <<<"$errors" || { echo "case $number: nobody says \"$reason\", but"; echo "$errors"; exit 1; }
done
echo "$cases calls were refused"
