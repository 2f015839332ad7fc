# Checks one program that must not compile, and its twin that must.
#
#   cmake -DCOMPILER=<c++> -DSOURCE=<case.cpp> -DINCLUDE_DIR=<include> -P check.cmake
#
# A case is one source:
#
#   // EXPECT: <regular expression, in CMake's dialect, for the first error line>
#   // LINES: <most lines that the compiler may print; 12 when left out>
#   #ifdef BACKSTITCH_FAULT
#   ... the fault ...
#   #else
#   ... the twin: the same code without it ...
#   #endif
#
# Without the macro the compiler must accept the source and print nothing. With it the compiler must
# refuse it, with exactly one error line, which matches EXPECT, and within LINES lines in all.
# "Refused" alone would also be true of a typing error, hence the twin and the expectation.
cmake_minimum_required(VERSION 3.25)

# Plain quotes and English, whatever the caller's locale.
set(ENV{LC_ALL} C)

function(backstitch_compile result_variable output_variable)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -I "${INCLUDE_DIR}" ${ARGN} "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${result_variable} "${result}" PARENT_SCOPE)
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

function(backstitch_complain complaint output)
  # Not message(): it would wrap and indent what the compiler said.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${SOURCE}: ${complaint}\n${output}")
  message(FATAL_ERROR "expectation not met")
endfunction()

file(READ "${SOURCE}" source)
if(NOT source MATCHES "// EXPECT: ([^\n]+)")
  backstitch_complain("no EXPECT line" "")
endif()
set(expect "${CMAKE_MATCH_1}")
set(line_budget 12)
if(source MATCHES "// LINES: ([0-9]+)")
  set(line_budget "${CMAKE_MATCH_1}")
endif()

backstitch_compile(result output)
if(NOT result EQUAL 0)
  backstitch_complain("the twin without BACKSTITCH_FAULT does not compile" "${output}")
endif()
if(NOT output STREQUAL "")
  backstitch_complain("the twin without BACKSTITCH_FAULT compiles, but not silently" "${output}")
endif()

backstitch_compile(result output -DBACKSTITCH_FAULT)
if(result EQUAL 0)
  backstitch_complain("the fault compiles" "${output}")
endif()

# The blanks tell an error line from one that only names backstitch::error::.
set(error_mark ": (fatal )?error: ")
string(REGEX MATCHALL "${error_mark}" error_marks "${output}")
list(LENGTH error_marks error_count)
string(REGEX MATCH "[^\n]*${error_mark}[^\n]*" first_error "${output}")
if(NOT first_error MATCHES "${expect}")
  backstitch_complain("the first error line does not match EXPECT: ${expect}" "${output}")
endif()
if(NOT error_count EQUAL 1)
  backstitch_complain("${error_count} error lines instead of one" "${output}")
endif()

string(REGEX REPLACE "[^\n]" "" newlines "${output}")
string(LENGTH "${newlines}" line_count)
if(line_count GREATER line_budget)
  backstitch_complain("${line_count} lines of output, more than LINES: ${line_budget}" "${output}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${line_count} lines; ${first_error}")
