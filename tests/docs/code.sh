#!/bin/sh
# SPDX-License-Identifier: MIT
# code.sh FOLDER COMPILER FLAG...: compiles the C++ of README.md and docs/*.md. A block with a main function is a
# program of its own; any other is the body of a function, with the names of prelude.hpp. Errors name the line of the
# guide.
set -eu
folder=$1
shift
cd "$(dirname "$0")/../.."
rm -rf "$folder"
mkdir -p "$folder"

awk -v folder="$folder" '
    function finish() {
        if (body ~ /int main\(/) {
            printf "%s", body > (folder "/program_" ++programs ".cpp")
        } else {
            # What is included comes before the function.
            count = split(body, lines, "\n")
            printf "#line %d \"%s\"\nvoid block_%d() {\n", first - 1, FILENAME, ++fragments > (folder "/bodies")
            for (i = 2; i < count; ++i) {
                if (lines[i] ~ /^#include/) print lines[i] > (folder "/includes")
                print (lines[i] ~ /^#include/ ? "" : lines[i]) > (folder "/bodies")
            }
            print "}" > (folder "/bodies")
        }
    }
    /^ *```cpp$/ { inside = 1; first = FNR + 1; body = "#line " first " \"" FILENAME "\"\n"; next }
    /^ *```$/ { if (inside) finish(); inside = 0; next }
    inside { body = body $0 "\n" }
    END { if (!fragments) { print "there is no code in the guides"; exit 1 } }
' README.md docs/*.md
{ cat "$folder/includes"; echo '#include "prelude.hpp"'; cat "$folder/bodies"; } >"$folder/fragments.cpp"

for file in "$folder"/*.cpp; do
    "$@" -std=c++20 -fsyntax-only -I tests/docs "$file"
done
