# SPDX-License-Identifier: MIT
# `cpack`, in the build folder, makes Debian packages of what is installed: one of the command, one of the shared library,
# and one of what it takes to build programs.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${lanesort_components})
set(CPACK_PACKAGE_VENDOR "The lanesort authors")
set(CPACK_PACKAGE_CONTACT "The lanesort authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who packs.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
foreach(component IN LISTS lanesort_components)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package_of_${component}})
endforeach()
# The shared libraries that the command and the shared library need are found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Found when it runs.
set(opencl "ocl-icd-libopencl1 | libopencl1, pocl-opencl-icd | opencl-icd")

set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "${opencl}")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command lanesort sorts numbers and tables: raw numbers, .npy files, text and
CSV, on the processor, on OpenCL devices and on NVIDIA's graphics cards,
without a second array.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "${opencl}")
# So that packages of programs that link it depend on this one.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library liblanesort_c sorts numbers and records in place, for
programs in C and in languages that call C.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${package_of_library} (= ${PROJECT_VERSION}), libfmt-dev (>= ${fmt_VERSION_MAJOR}), libfmt-dev (<< ${next_fmt}~)")
# For programs with OpenCL queues of their own.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "ocl-icd-opencl-dev | opencl-dev, opencl-c-headers | opencl-headers")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The static C++20 library lanesort, its headers and those of the shared C
library, and what CMake and pkg-config need to find the two.")
include(CPack)
