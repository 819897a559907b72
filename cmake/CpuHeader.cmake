# SPDX-License-Identifier: MIT
# lanesort/kernels/: the kernels that lanesort/cpu.hpp compiles with the caller's function. undefine.h ends all of their
# macros, so that they can be included again; begin.h and end.h put the caller's macros of such names aside and back.
set(header_folder ${PROJECT_BINARY_DIR}/include/lanesort/kernels)
set(macros min max far RECORD_TYPE ORDER_TYPE)
foreach(path IN LISTS kernel_files)
  file(READ ${path} text)
  if(path MATCHES "\\.h$|/(tile_in_cache|is_sorted|equal_runs|binary_search)\\.cl$")
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${kernel_folder} OUTPUT_VARIABLE name)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <lanesort/kernels/\\1>" header "${text}")
    file(CONFIGURE OUTPUT ${header_folder}/${name} CONTENT "${header}" @ONLY)
  endif()
  string(REGEX MATCHALL "#define [A-Za-z_0-9]+" definitions "${text}")
  list(APPEND macros ${definitions})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel_files})
list(TRANSFORM macros REPLACE "#define " "")
list(REMOVE_DUPLICATES macros)

# write_macros(FILE LINES): the lines for each of the macros, whose name stands in the place of @.
function(write_macros file lines)
  set(text "")
  foreach(name IN LISTS macros)
    string(REPLACE "@" "${name}" of_macro "${lines}\n")
    string(APPEND text "${of_macro}")
  endforeach()
  file(CONFIGURE OUTPUT ${header_folder}/${file} CONTENT "${text}" @ONLY)
endfunction()

write_macros(begin.h "#pragma push_macro(\"@\")\n#undef @")
write_macros(undefine.h "#undef @")
write_macros(end.h "#pragma pop_macro(\"@\")")
