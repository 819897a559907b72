#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles nvcc_headers.cu, where there is an nvcc: nvcc_headers.sh FOLDER_FOR_THE_OBJECT COMPILER_OPTIONS...
set -euo pipefail
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [[ ! -x $nvcc ]]; then
    echo "there is no nvcc"
    exit 77
fi
folder=$1
shift
"$nvcc" -std=c++20 -c -o "$folder/nvcc_headers.o" "$@" "$(dirname "$0")/nvcc_headers.cu"
