#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the library, the command and the examples on a system without optional packages: without each, then without all.
# usage: configurations.sh CMAKE_COMMAND BUILD FOLDER
# The packages are hidden in a mount namespace, in which FOLDER takes the place of the build folder BUILD: so the compiler
# cache knows all that was compiled there. Without root, a compiler cache or overlay mounts the exit status is 77.
set -euo pipefail
cmake=$1 build=$2 folder=$3
source=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "FAILED: $*"
    exit 1
}

# what | packages or folders | what CMake then says, if it looks for it
optional=(
    'MPI|libopenmpi-dev openmpi-bin libmpich-dev mpich|The sorts across ranks are left out'
    'OpenCL loader|ocl-icd-opencl-dev|Tests of queues are left out'
    'CUDA headers|/usr/local/cuda*/include|The CUDA backend is left out'
    'Google Benchmark|libbenchmark-dev|The benchmark is not built'
    'TBB|libtbb-dev|'
    'libpng|libpng-dev|The example julia is left out'
    'Python headers|python3-dev libpython3-dev libpython3.11-dev python3.11-dev|'
    'Doxygen|doxygen|'
)

# hide NAME...: removes these packages' files, and these folders, from the /usr of this namespace.
hide() {
    local name
    for name in "$@"; do
        case $name in
            /*) rm -rf $name ;;
            *) { dpkg-query --listfiles "$name" 2>/dev/null || true; } | sed -n '\|^/usr/.*/|p' | while IFS= read -r file; do
                [[ -d $file && ! -L $file ]] || rm -f "$file"
            done ;;
        esac
    done
}

# build_without WHAT SENTENCES NAME...: in a namespace of its own.
build_without() {
    local what=$1 sentences=$2 sentence
    shift 2
    mount --bind "$folder" "$build"
    local layers=$build/layers
    mount -t tmpfs tmpfs "$layers"
    mkdir "$layers/upper" "$layers/work"
    mount -t overlay overlay -o "lowerdir=/usr,upperdir=$layers/upper,workdir=$layers/work" /usr
    hide "$@"
    "$cmake" --fresh -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANESORT_WARNINGS_AS_ERRORS=ON \
        >"$build/log" 2>&1
    while IFS= read -r sentence; do
        grep -qF -e "-- $sentence" "$build/log" || fail "without $what CMake does not say: $sentence"
    done <<<"$sentences"
    "$cmake" --build "$build" --target lanesort lanesort_c tools/all examples/all >>"$build/log" 2>&1
    printf '5\n3\n4\n' | "$build/tools/lanesort" sort --text | paste -sd ' ' | grep -qx '3 4 5'
    echo "without $what: builds and sorts"
}

if [[ $# == 3 ]]; then
    ((EUID == 0)) || skip "this is not run as root"
    command -v ccache >/dev/null || skip "there is no ccache"
    layers=$folder/layers
    mkdir -p "$layers"
    unshare --mount sh -c "mount -t tmpfs tmpfs $layers && mkdir $layers/u $layers/w &&
        mount -t overlay overlay -o lowerdir=/usr,upperdir=$layers/u,workdir=$layers/w /usr" || skip "no overlay can be mounted"
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1
    names=() sentences=
    for row in "${optional[@]}"; do
        IFS='|' read -r what packages sentence <<<"$row"
        unshare --mount bash "$0" "$cmake" "$build" "$folder" "$what" "$sentence" "$packages"
        names+=("$packages") sentences+=${sentence:+$sentence$'\n'}
    done
    unshare --mount bash "$0" "$cmake" "$build" "$folder" "all of these" "${sentences%$'\n'}" "${names[*]}"
else
    set -E
    missing=$4
    trap 'tail -n 30 "$build/log"; fail "without $missing: $BASH_COMMAND"' ERR
    # shellcheck disable=SC2086
    build_without "$4" "$5" $6
fi
