#!/usr/bin/env bash
# Writes lanesort/_core.pyi anew, from the extension module that this Python finds: stubs.sh [PYTHON]
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")"
python=${1:-python3}
module=$(cd / && "$python" -c 'import lanesort._core as core; print(core.__file__)')
PYTHONPATH=$(dirname "$module") "$python" -m nanobind.stubgen -q -m _core -o lanesort/_core.pyi
# What the module's attributes hold, no signature says.
sed -i -e 's/^\(operations\|key_types\|schedules\): tuple = ...$/\1: tuple[str, ...]/' \
    -e 's/^version: str = .*/version: str/' lanesort/_core.pyi
