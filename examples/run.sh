#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM ARGUMENT...: runs an example as a test. One that finds no device counts as skipped (exit status 77); with
# LANESORT_REQUIRE_DEVICE=1 in the environment it fails, unless what it misses is an NVIDIA device.
set -u
output=$("$@" 2>&1)
status=$?
printf '%s\n' "$output"
[ "$status" = 0 ] && exit 0
case $output in
    *"there is no CUDA device"*) exit 77 ;;
    *"there is no "*device*) [ "${LANESORT_REQUIRE_DEVICE:-0}" = 1 ] || exit 77 ;;
esac
exit "$status"
