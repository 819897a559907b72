# SPDX-License-Identifier: MIT
# Run as a script: writes kernel files as byte arrays into one C++ file.
#   cmake -DOUTPUT=embedded.cpp -DFOLDER=folder "-DFILES=folder/a.cl;folder/sub/b.h" [-DHEADER=header -DNAMESPACE=namespace]
#         -P EmbedKernels.cmake
# A file has the name that it has in that folder. An empty line takes the place of its licence, so that lines keep their
# numbers.
# The header declares EmbeddedFile {name, text} and embedded_kernels() in that namespace; the library's if none is given.
if(NOT HEADER)
  set(HEADER core/kernel_source.hpp)
  set(NAMESPACE "lanesort::inline v0_1::detail")
endif()
string(HEX "// SPDX-License-Identifier: MIT" license)
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE name)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "^${license}" "" bytes "${bytes}")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(.......,.......,.......,.......,.......,.......,.......,.......,.......,.......,.......,.......,)" "\\1\n    " bytes "${bytes}")
  string(APPEND arrays "constexpr char file_${number}[] = {\n    ${bytes}};\n")
  string(APPEND table "    {\"${name}\", {file_${number}, sizeof file_${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made from kernel files at build time.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {
${arrays}
constexpr EmbeddedFile files[] = {
${table}};
}  // namespace

std::span<const EmbeddedFile> embedded_kernels() noexcept { return files; }

}  // namespace ${NAMESPACE}
")
