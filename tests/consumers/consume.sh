#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a program that uses lanesort, in a fresh folder that knows nothing of this one, and runs it.
# usage: consume.sh ROAD same|other BUILD
#   ROAD         find_package, tools, mpi, refused, pkg_config, reexported, deb: what the build folder BUILD installs
#                add_subdirectory, fetch_content: the sources, built anew
#   same, other  with the compiler of BUILD, or with another: GCC for Clang, and Clang for anything else
# Where a second compiler, a tool or a device is missing, the exit status is 77; with LANESORT_REQUIRE_DEVICE=1 in the
# environment, a missing device is a failure.
set -euo pipefail

road=$1 which=$2 build=$(realpath "$3")
source=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$source/tests/consumers" "$dir/consumers"
cd "$dir"
# The compiler cache knows what was compiled in another such folder.
export CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1

have() { command -v "$1" >/dev/null; }
skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "FAILED: $*"
    exit 1
}
# quietly COMMAND...: its output is in the file `log`, and is shown if it fails.
quietly() {
    "$@" >log 2>&1 </dev/null || {
        cat log
        fail "$*"
    }
}
# expect NAME ACTUAL WANTED
expect() { [[ $2 == "$3" ]] || fail "$1 is '$2' and not '$3'"; }

# cached VARIABLE: what the build folder was configured with.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake=$(cached CMAKE_COMMAND)
version=$(cached CMAKE_PROJECT_VERSION)
compiler=$(cached CMAKE_CXX_COMPILER) c_compiler=$(cached CMAKE_C_COMPILER)
if [[ $which == other ]]; then
    if "$compiler" --version | grep -qi clang; then
        compiler=g++ c_compiler=gcc
    else
        compiler=clang++ c_compiler=clang
    fi
    have "$compiler" || skip "there is no second compiler ($compiler)"
fi
"$compiler" --version | head -n 1
[[ $(cached 'CMAKE_CXX_FLAGS.*') != *-fsanitize=* ]] || skip "the library is built with a sanitizer"

# install PREFIX: by way of another folder, as what is installed may be moved.
install() {
    quietly "$cmake" --install "$build" --prefix "$dir/elsewhere"
    mv "$dir/elsewhere" "$1"
    # Nothing may lead back to the sources, to the build folder or to what was given to `cmake --install`.
    ! grep -rIlF -e "$source" -e "$build" -e "$dir/elsewhere" -e lanesort_warnings "$1" || fail "these files name a folder"
}
# configure FOLDER [OPTION...]: a project below consumers/, into a build folder of the same name.
configure() {
    local folder=$1
    shift
    CXX="$compiler" CC="$c_compiler" "$cmake" -S "consumers/$folder" -B "$folder" -G "$(cached CMAKE_GENERATOR)" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}
prefixes() { printf '%s;' "$@" && cached CMAKE_PREFIX_PATH; }
# make FOLDER [OPTION...]: configures and builds it.
make() {
    quietly configure "$@"
    ! grep -A9 'CMake.*Warning' log || fail "CMake warns"
    # The library's own warnings are not for its users.
    ! grep -q 'Wconversion.*consumer\.cpp' "$1/compile_commands.json" || fail "the library's warnings leak"
    quietly "$cmake" --build "$1" --parallel "$(nproc)"
}
# run PROGRAM
run() {
    local status=0
    "$1" "$version" || status=$?
    ((status != 77)) || [[ ${LANESORT_REQUIRE_DEVICE:-0} == 1 ]] || skip "there is no device"
    ((status == 0)) || fail "the program ends with status $status"
}
# run_in_c PREFIX: a project in C, with the shared library that is installed there, which must export nothing else than
# the C functions.
run_in_c() {
    local library others
    library=$(find "$1" -name 'liblanesort_c.so.*.*.*')
    [[ -n $library ]] || fail "the shared library is not installed"
    others=$(nm -D --defined-only "$library" | awk '{print $NF}' | grep -v '^lanesort_') || true
    [[ -z $others ]] || fail "the shared library exports $others"
    make find_package_c -DWANTED_VERSION="$version" -DCMAKE_PREFIX_PATH="$1"
    run find_package_c/consumer
}
# refuses FOLDER PREFIX OPTION... -- WORD...: find_package must fail there, and its message have these words.
refuses() {
    local folder=$1 prefix=$2 options=() word
    shift 2
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    rm -rf "$folder"
    ! configure "$folder" -DCMAKE_PREFIX_PATH="$(prefixes "$prefix")" "${options[@]}" >log 2>&1 ||
        fail "not refused: ${options[*]}"
    sed -n '/CMake Error/,$p' log
    for word in "$@"; do
        grep -qF -- "$word" log || fail "the message does not say '$word'"
    done
}

case $road in
    find_package)
        install "$dir/prefix"
        make find_package -DWANTED_VERSION="$version" -DCMAKE_PREFIX_PATH="$(prefixes "$dir/prefix")"
        run find_package/consumer
        run_in_c "$dir/prefix"
        ;;
    tools)
        # The command knows only what every program does. Not optimised, which takes too long here.
        install "$dir/prefix"
        cp -r "$source/tools" consumers/tools
        make tools -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_PREFIX_PATH="$(prefixes "$dir/prefix")"
        expect "the command's version" "$(tools/lanesort --version)" "lanesort $version"
        printf '%s\n' 2 nan -1 >numbers
        tools/lanesort sort --type f64 --text numbers sorted
        expect "what the command sorted" "$(paste -sd ' ' sorted)" "-1 2 nan"
        ;;
    mpi)
        install "$dir/prefix"
        make find_package_mpi -DWANTED_VERSION="$version" -DCMAKE_PREFIX_PATH="$(prefixes "$dir/prefix")"
        others=$(nm -D --defined-only "$dir"/prefix/lib*/liblanesort_mpi_c.so "$dir"/prefix/lib*/*/liblanesort_mpi_c.so \
            2>/dev/null | awk 'NF > 1 {print $NF}' | grep -v '^lanesort_') || true
        [[ -z $others ]] || fail "the shared library exports $others"
        # One rank needs nobody to start it.
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        run find_package_mpi/consumer
        run find_package_mpi/consumer_in_c
        # What cpack leaves out.
        find "$dir/prefix" -name 'lanesort-mpi*.cmake' -delete
        refuses find_package_mpi "$dir/prefix" -- lanesort-config.cmake 'not in the Debian packages' -DLANESORT_MPI=ON
        have pkg-config || exit 0
        PKG_CONFIG_PATH=$(dirname "$(find "$dir/prefix" -name lanesort_mpi.pc)"):${PKG_CONFIG_PATH:-}
        export PKG_CONFIG_PATH
        mpicxx=$(cached MPI_CXX_COMPILER)
        read -ra flags < <(pkg-config --cflags --libs lanesort_mpi)
        quietly "$mpicxx" -std=c++20 consumers/find_package_mpi/consumer.cpp "${flags[@]}" -o consumer
        run ./consumer
        read -ra flags < <(pkg-config --cflags --libs lanesort_mpi_c)
        quietly "${mpicxx/cxx/cc}" -std=c11 consumers/find_package_mpi/consumer.c "${flags[@]}" \
            "-Wl,-rpath,$(pkg-config --variable=libdir lanesort_mpi_c)" -o in_c
        run ./in_c
        ;;
    refused)
        install "$dir/prefix"
        refuses find_package "$dir/prefix" -DWANTED_VERSION=99 -- lanesort-config.cmake "version: $version" 'requested version "99"'
        refuses find_package "$dir/prefix" -DWANTED_COMPONENTS=mpix -- "the components c, mpi and mpi_c" mpix
        fmt=$(cached fmt_DIR)  # which is in /lib, too, where that leads to /usr/lib
        refuses find_package "$dir/prefix" -DCMAKE_IGNORE_PATH="$fmt;${fmt#/usr}" -- lanesort-config.cmake find_dependency fmt
        ;;
    pkg_config)
        have pkg-config || skip "there is no pkg-config"
        install "$dir/prefix"
        PKG_CONFIG_PATH=$(dirname "$(find "$dir/prefix" -name lanesort.pc)"):${PKG_CONFIG_PATH:-}
        export PKG_CONFIG_PATH
        expect "pkg-config's version" "$(pkg-config --modversion lanesort)" "$version"
        for static in '' --static; do
            read -ra flags < <(pkg-config $static --cflags --libs lanesort)
            quietly "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror consumers/*.cpp "${flags[@]}" -o consumer
            run ./consumer
            quietly "$c_compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror consumers/consumer.c "${flags[@]}" -o in_c
            run ./in_c
        done
        # Containers of another layout than the library's are refused by the linker, which names the cause.
        read -ra flags < <(pkg-config --cflags --libs lanesort)
        ! "$compiler" -std=c++20 -D_GLIBCXX_DEBUG consumers/*.cpp "${flags[@]}" -o consumer >log 2>&1 ||
            fail "a program with _GLIBCXX_DEBUG links the library without"
        grep -q library_compiled_with_GLIBCXX_DEBUG log || fail "the linker does not name _GLIBCXX_DEBUG: $(cat log)"
        # The shared library alone: a C program needs no library of C++.
        read -ra flags < <(pkg-config --cflags --libs lanesort_c)
        quietly "$c_compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror consumers/consumer.c "${flags[@]}" \
            "-Wl,-rpath,$(pkg-config --variable=libdir lanesort_c)" -o in_c
        ! nm --defined-only in_c | grep -q lanesort_ || fail "the shared library is not what is linked"
        run ./in_c
        ;;
    reexported)
        install "$dir/prefix"
        for shared in OFF ON; do
            make reexported -DBUILD_SHARED_LIBS=$shared -DCMAKE_PREFIX_PATH="$(prefixes "$dir/prefix")"
            quietly "$cmake" --install reexported --prefix "$dir/prefix-$shared"
            make reexported/program -DCMAKE_PREFIX_PATH="$(prefixes "$dir/prefix-$shared" "$dir/prefix")"
            run reexported/program/consumer
            rm -r reexported
        done
        ;;
    add_subdirectory)
        # As a part of a project that compiles several files at once.
        make add_subdirectory -DLANESORT_SOURCE="$source" -DLANESORT_CUDA=OFF -DLANESORT_CPU_KERNELS=minimal -DLANESORT_INSTALL=ON \
            -DCMAKE_UNITY_BUILD=ON -DCMAKE_PREFIX_PATH="$(prefixes)"
        run add_subdirectory/consumer
        quietly "$cmake" --install add_subdirectory --prefix "$dir/prefix"
        [[ -n $(find "$dir/prefix" -name 'liblanesort_c.*') ]] || fail "the shared library is not installed"
        ;;
    fetch_content)
        tar -C "$source" -czf lanesort.tar.gz --exclude=./build --exclude="./${build#"$source"/}" --exclude='./.*' .
        make fetch_content -DLANESORT_CPU_KERNELS=minimal -DLANESORT_URL="file://$dir/lanesort.tar.gz" -DCMAKE_PREFIX_PATH="$(prefixes)"
        run fetch_content/consumer
        ;;
    deb)
        for tool in dpkg dpkg-deb dpkg-shlibdeps; do have $tool || skip "there is no $tool"; done
        quietly "$(cached CMAKE_CPACK_COMMAND)" --config "$build/CPackConfig.cmake" -B "$dir/package"
        library=liblanesort-c${version%.*}
        for name in lanesort $library liblanesort-dev; do
            package=$(echo package/"${name}"_*.deb)
            expect Package "$(dpkg-deb --field "$package" Package)" "$name"
            expect Version "$(dpkg-deb --field "$package" Version)" "$version"
            expect Architecture "$(dpkg-deb --field "$package" Architecture)" "$(dpkg --print-architecture)"
            ! dpkg-deb --field "$package" Depends | grep -i opencl || fail "$name depends on OpenCL, found at run time"
            dpkg-deb --extract "$package" "$name"
            [[ -s $name/usr/share/doc/$name/copyright ]] || fail "$name has no licence"
        done
        # depends NAME PACKAGE...
        depends() {
            local depends needed
            depends=$(dpkg-deb --field package/"$1"_*.deb Depends)
            for needed in "${@:2}"; do
                grep -q "\b$needed" <<<"$depends" || fail "$1's Depends lacks $needed: $depends"
            done
        }
        depends lanesort libc6 libfmt zlib1g
        depends "$library" libc6 libfmt
        depends liblanesort-dev libfmt-dev "$library"
        dpkg-deb --field package/lanesort_*.deb Recommends | grep -q '\blibopencl1' || fail "Recommends lacks OpenCL's loader"
        [[ -z $(find lanesort -name '*.h*' -o -name '*.a' -o -name '*.so*') ]] || fail "the command's package has a library"
        [[ -z $(find liblanesort-dev -name '*.so.*' -o -path '*/bin/*') ]] || fail "what runs is in liblanesort-dev"
        expect "the command's version" "$(lanesort/usr/bin/lanesort --version)" "lanesort $version"
        for shared in man/man1/lanesort.1 bash-completion/completions/lanesort zsh/vendor-completions/_lanesort \
            fish/vendor_completions.d/lanesort.fish; do
            grep -q missing-as "lanesort/usr/share/$shared" || grep -q 'missing\\-as' "lanesort/usr/share/$shared" ||
                fail "$shared lacks an option"
        done
        mkdir unpacked
        cp -r "$library/usr" liblanesort-dev/usr unpacked/
        make find_package -DWANTED_VERSION="$version" -DCMAKE_PREFIX_PATH="$(prefixes "$dir/unpacked/usr")"
        run find_package/consumer
        run_in_c "$dir/unpacked/usr"
        dpkg-deb --control package/"${library}"_*.deb control
        grep -q ldconfig control/* || fail "ldconfig is not run"
        grep -q "^liblanesort_c ${version%.*} $library" control/shlibs || fail "shlibs lacks the shared library"
        printf '%s\n' 2 nan -1 >numbers
        lanesort/usr/bin/lanesort sort --type f64 --text numbers sorted
        expect "what the command sorted" "$(paste -sd ' ' sorted)" "-1 2 nan"
        ;;
    *) fail "there is no road '$road'" ;;
esac
