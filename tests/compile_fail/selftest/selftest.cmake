# Runs check.cmake on a case and wants the case's own `// COMPLAINT: <text>` and a failure, or
# success when the case has no such line.
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND "${CMAKE_COMMAND}"
    "-DCOMPILER=${COMPILER}" "-DSOURCE=${SOURCE}" "-DINCLUDE_DIR=${INCLUDE_DIR}"
    -P "${CMAKE_CURRENT_LIST_DIR}/../check.cmake"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)

file(READ "${SOURCE}" source)
set(complaint "")
if(source MATCHES "// COMPLAINT: ([^\n]+)")
  set(complaint "${CMAKE_MATCH_1}")
endif()

if(complaint STREQUAL "")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "a good case was refused:\n${output}")
  endif()
  return()
endif()
if(result EQUAL 0)
  message(FATAL_ERROR "a bad case was accepted; missing complaint: ${complaint}\n${output}")
endif()
string(FIND "${output}" "${complaint}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "another complaint instead of: ${complaint}\n${output}")
endif()
