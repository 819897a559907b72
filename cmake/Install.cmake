# SPDX-License-Identifier: MIT
# What `cmake --install` installs: the static library, the shared one of the C interface, the headers, the files by
# which CMake and pkg-config find them, and the command where it is built. Everything may be moved afterwards.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(lanesort_components library development)
install(TARGETS lanesort EXPORT lanesort-targets ARCHIVE COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lanesort_c EXPORT lanesort-c-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/include/ ${PROJECT_BINARY_DIR}/include/ TYPE INCLUDE COMPONENT development
        FILES_MATCHING PATTERN *.h PATTERN *.hpp PATTERN *.inc PATTERN *.cl)
# Not in a package, which would need an MPI: whoever installs a build that has it gets it.
if(lanesort_has_mpi)
  install(TARGETS lanesort_mpi EXPORT lanesort-mpi-targets ARCHIVE COMPONENT mpi
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS lanesort_mpi_c EXPORT lanesort-mpi-c-targets LIBRARY COMPONENT mpi NAMELINK_COMPONENT mpi
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/mpi/include/ TYPE INCLUDE COMPONENT mpi)
endif()
if(TARGET lanesort_command)
  list(APPEND lanesort_components command)
  install(TARGETS lanesort_command RUNTIME COMPONENT command)
  set(command_files ${PROJECT_BINARY_DIR}/tools/share)
  install(FILES ${command_files}/lanesort.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  set(shares ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${command_files}/lanesort DESTINATION ${shares}/bash-completion/completions COMPONENT command)
  install(FILES ${command_files}/_lanesort DESTINATION ${shares}/zsh/vendor-completions COMPONENT command)
  install(FILES ${command_files}/lanesort.fish DESTINATION ${shares}/fish/vendor_completions.d COMPONENT command)
endif()
# The names of the packages that they are in, which the licence goes with.
set(package_of_command lanesort)
set(package_of_library liblanesort-c${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(package_of_development liblanesort-dev)
foreach(component IN LISTS lanesort_components)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package_of_${component}}
          RENAME copyright COMPONENT ${component})
endforeach()

math(EXPR next_fmt "${fmt_VERSION_MAJOR} + 1")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lanesort)
install(EXPORT lanesort-targets NAMESPACE lanesort:: DESTINATION ${package_folder} COMPONENT development)
if(lanesort_has_mpi)
  install(EXPORT lanesort-mpi-targets NAMESPACE lanesort:: DESTINATION ${package_folder} COMPONENT mpi)
  install(EXPORT lanesort-mpi-c-targets NAMESPACE lanesort:: DESTINATION ${package_folder} COMPONENT mpi)
endif()
install(EXPORT lanesort-c-targets NAMESPACE lanesort:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/lanesort-config.cmake.in ${PROJECT_BINARY_DIR}/lanesort-config.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lanesort-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanesort-config.cmake ${PROJECT_BINARY_DIR}/lanesort-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE prefix_from_pc)
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
# The C++ library is named for programs that a C compiler links.
set(pc_system_libraries ${CMAKE_DL_LIBS} ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER pc_system_libraries INCLUDE REGEX "^(dl|stdc\\+\\+|c\\+\\+|m)$")
list(TRANSFORM pc_system_libraries PREPEND -l)
list(JOIN pc_system_libraries " " pc_system_libraries)
function(install_pc component)
  foreach(library IN LISTS ARGN)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            COMPONENT ${component})
  endforeach()
endfunction()
install_pc(development lanesort lanesort_c)
if(lanesort_has_mpi)
  install_pc(mpi lanesort_mpi lanesort_mpi_c)
endif()
