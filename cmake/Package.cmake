# `cpack`, in the build folder, makes one Debian package of all that is installed: command, libraries and headers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The lanesort authors")
set(CPACK_PACKAGE_CONTACT "The lanesort authors")
set(CPACK_PACKAGE_DESCRIPTION "The command `lanesort` and the static C++20 library of the same name sort
numbers and records by a bitonic network, on every OpenCL device and on
NVIDIA's graphics cards, without a second array. So does the shared library
liblanesort_c for programs in C and in languages that call C. The package has
the headers, too, and what CMake and pkg-config need to find the libraries.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who packs.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# So that packages of programs that link the shared library depend on this one.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# The shared libraries of command and library are found by dpkg-shlibdeps. These are for programs that link the static
# library.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfmt-dev (>= ${fmt_VERSION_MAJOR}), libfmt-dev (<< ${next_fmt}~)")
# Found when it runs; and for programs with OpenCL queues of their own.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1, pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ocl-icd-opencl-dev | opencl-dev, opencl-c-headers | opencl-headers")
include(CPack)
