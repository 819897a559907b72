#!/bin/sh
# docs_reference.sh FOLDER: the reference of the public headers, made in FOLDER. Whatever Doxygen warns of is an error.
set -eu
command -v doxygen >/dev/null || { echo "there is no doxygen"; exit 77; }
cd "$(dirname "$0")/.."
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = \"$1\""; } | doxygen -
