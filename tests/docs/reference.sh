#!/bin/sh
# SPDX-License-Identifier: MIT
# reference.sh FOLDER: the reference of the public headers, made in FOLDER. Whatever Doxygen warns of is an error. So
# are two things that it passes over: an enumerator without a word, and a header without @file, whose functions it skips.
set -eu
command -v doxygen >/dev/null || { echo "there is no doxygen"; exit 77; }
cd "$(dirname "$0")/../.."
headers=$(grep -L "@file" lib/include/lanesort/*.h* mpi/include/lanesort/*.h* || true)
[ -z "$headers" ] || { echo "without @file: $headers"; exit 1; }
rm -rf "$1"
{ cat docs/Doxyfile; printf 'OUTPUT_DIRECTORY = "%s"\nGENERATE_XML = YES\n' "$1"; } | doxygen -
awk '
    /<enumvalue/ { inside = 1; described = 0 }
    inside && /<name>/ { gsub(/ *<[^>]*>/, ""); name = $0 }
    inside && /<para>/ { described = 1 }
    /<\/enumvalue>/ { if (!described) { print name " is not documented"; wrong = 1 } inside = 0 }
    END { exit wrong }
' "$1"/xml/*.xml
