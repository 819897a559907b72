#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Takes a build to a machine that has a GPU, but not what a build needs.
#   elsewhere.sh pack FILE      here: puts suites, benchmarks, the command and what they need into an archive (.tar.xz)
#   tar -xJf FILE -C /          there, as root, since tests look for files where they were built
#   elsewhere.sh python DIR     there: builds the Python package with that machine's Python, which has nanobind, into DIR
# There, LD_LIBRARY_PATH has to name the archive's build/release/libraries.
set -euo pipefail
into=$(realpath -m "${2:-.}")  # named from where the caller is
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release libraries=build/release/libraries

pack() {
    local file=$1 program
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    local tree=$work$PWD
    mkdir -p "$tree/$libraries"
    git archive HEAD | tar -x -C "$tree"
    while read -r program; do
        mkdir -p "$tree/$(dirname "$program")"
        strip -o "$tree/$program" "$program"
        ldd "$program" | awk '$1 ~ /^lib(fmt|tbb|benchmark|hwy)/ { print $3 }'
    done < <(find "$build"/{tests,bench,tools} -maxdepth 1 -type f -perm -u+x) | sort -u | xargs -I{} cp -L {} "$tree/$libraries"
    cp -r "$build/include" "$build/liblanesort.a" "$tree/$build"
    mkdir "$tree/$libraries/include" && cp -r /usr/include/fmt "$tree/$libraries/include"
    tar -C "$work" -c . | xz --lzma2=preset=3,dict=64MiB >"$file"  # programs share most of their code
    ls -l "$file"
}

python_package() {
    local into=$1 nanobind
    nanobind=$(python3 -c 'import nanobind; print(nanobind.__path__[0])')
    mkdir -p "$into"
    cp -r python/lanesort "$into"
    local sources=(python/src/core.cpp tools/diagnosis.cpp "$nanobind/src/nb_combined.cpp")
    local objects=() compilers=() source compiler
    for source in "${sources[@]}"; do
        objects+=("$into/$(basename "$source" .cpp).o")
        g++ -c -O2 -std=c++20 -fPIC -fvisibility=hidden -fno-strict-aliasing -DNDEBUG -DNB_COMPACT_ASSERTIONS -DFMT_HEADER_ONLY \
            -I"$nanobind/include" -I"$nanobind/ext/robin_map/include" "$(python3 -c 'import sysconfig; print("-I" + sysconfig.get_path("include"))')" \
            -Ilib/include -I"$build/include" -Itools -Ilib/src -Ihost -I"$libraries/include" \
            "$source" -o "${objects[-1]}" &
        compilers+=($!)
    done
    for compiler in "${compilers[@]}"; do wait "$compiler"; done  # by number: else an error would be forgotten
    g++ -shared "${objects[@]}" "$build/liblanesort.a" -L"$libraries" -l:libfmt.so.9 -ldl -o "$into/lanesort/_core.so"
    python3 -m nanobind.stubgen -q -i "$into/lanesort" -m _core -p python/src/core.stub -o "$into/lanesort/_core.pyi"
}

case $#,${1:-} in
    2,pack) pack "$into" ;;
    2,python) python_package "$into" ;;
    *) sed -n '3,7s/^# \?//p' tests/elsewhere.sh && exit 2 ;;
esac
