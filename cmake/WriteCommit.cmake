# SPDX-License-Identifier: MIT
# Run as a script: writes the commit of a source folder, "-dirty" if it was changed since, into a C++ header.
#   cmake -DOUTPUT=commit.hpp -DSOURCE=folder -DCOMMIT=name -P WriteCommit.cmake
# COMMIT, if not empty, is taken as it is, for sources that came without their repository.
if(NOT COMMIT)
  execute_process(
    COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made at build time.
inline constexpr const char* commit = \"${COMMIT}\";
")
