# Compiles, links and runs a consumer by the compiler alone.
#
#   cmake -DCOMPILER=<c++> "-DSOURCES=<file>|..." -DSCRATCH=<folder> -DOUTPUT=<text>
#         [-DINCLUDE_DIR=<folder>] [-DPKG_CONFIG=<program> -DPC_DIR=<folder> -DPC_NAME=<name>] -P compile.cmake
cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" SOURCES "${SOURCES}")
set(flags "")
if(DEFINED PKG_CONFIG)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=PKG_CONFIG_LIBDIR "PKG_CONFIG_PATH=${PC_DIR}"
      "${PKG_CONFIG}" --cflags --libs ${PC_NAME}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${text}")
else()
  set(flags "-I${INCLUDE_DIR}" -pthread)
endif()

file(MAKE_DIRECTORY "${SCRATCH}")
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -Wall -Wextra -Werror ${SOURCES} ${flags} -o "${SCRATCH}/consumer"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "does not compile:\n${output}")
endif()
execute_process(COMMAND "${SCRATCH}/consumer" RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output STREQUAL "${OUTPUT}\n")
  message(FATAL_ERROR "exits with ${result} and prints '${output}' instead of '${OUTPUT}'")
endif()
