# What `cmake --install` installs: the static library, the shared one of the C interface, the headers, the files by
# which CMake and pkg-config find them, and the command where it is built. Everything may be moved afterwards.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS lanesort EXPORT lanesort-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lanesort_c EXPORT lanesort-c-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/include/ ${PROJECT_BINARY_DIR}/include/ TYPE INCLUDE
        FILES_MATCHING PATTERN *.h PATTERN *.hpp PATTERN *.inc)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC RENAME copyright)
if(TARGET lanesort_command)
  install(TARGETS lanesort_command)
endif()

math(EXPR next_fmt "${fmt_VERSION_MAJOR} + 1")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lanesort)
install(EXPORT lanesort-targets NAMESPACE lanesort:: DESTINATION ${package_folder})
install(EXPORT lanesort-c-targets NAMESPACE lanesort:: DESTINATION ${package_folder})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/lanesort-config.cmake.in ${PROJECT_BINARY_DIR}/lanesort-config.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lanesort-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanesort-config.cmake ${PROJECT_BINARY_DIR}/lanesort-config-version.cmake
        DESTINATION ${package_folder})

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE prefix_from_pc)
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
# The C++ library is named for programs that a C compiler links.
set(pc_system_libraries ${CMAKE_DL_LIBS} ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER pc_system_libraries INCLUDE REGEX "^(dl|stdc\\+\\+|c\\+\\+|m)$")
list(TRANSFORM pc_system_libraries PREPEND -l)
list(JOIN pc_system_libraries " " pc_system_libraries)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lanesort.pc.in ${PROJECT_BINARY_DIR}/lanesort.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lanesort.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
