# Configures, builds and runs one consumer project, and compares what it prints.
#
#   cmake -DPROJECT=<folder> -DSCRATCH=<folder> -DCOMPILER=<c++> -DGENERATOR=<name> -DOUTPUT=<text>
#         [-DREFUSED=<regular expression>] -P run.cmake [-- <argument for cmake>...]
#
# REFUSED: configuring must fail and say so.
cmake_minimum_required(VERSION 3.25)

set(arguments "")
set(after_dashes OFF)
foreach(i RANGE ${CMAKE_ARGC})
  if(after_dashes)
    list(APPEND arguments "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes ON)
  endif()
endforeach()

file(REMOVE_RECURSE "${SCRATCH}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${PROJECT}" -B "${SCRATCH}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" --no-warn-unused-cli ${arguments}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(DEFINED REFUSED)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(result EQUAL 0 OR NOT output MATCHES "${REFUSED}")
    message(FATAL_ERROR "configuring must fail with: ${REFUSED}\n${output}")
  endif()
  return()
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "does not configure:\n${output}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "does not build:\n${output}")
endif()
execute_process(COMMAND "${SCRATCH}/consumer" RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output STREQUAL "${OUTPUT}\n")
  message(FATAL_ERROR "exits with ${result} and prints '${output}' instead of '${OUTPUT}'")
endif()
