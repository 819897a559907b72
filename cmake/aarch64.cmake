# SPDX-License-Identifier: MIT
# Debian's compilers for AArch64, and QEMU, which runs what they make.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# This machine's libraries are for its own processor, but headers are for all.
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/header_only)
