# Checks one program that must not compile, and its twin that must.
#
#   cmake -DCOMPILER=<g++, clang++ or nvcc> -DSOURCE=<case.cpp> -DINCLUDE_DIR=<include> -P check.cmake
#
# A case is one source:
#
#   // EXPECT: <the rule with its facts, as in: too_few_micro_batches<one_f_one_b, needed<4>, got<3>>>
#   #ifdef BACKSTITCH_FAULT
#   ... the fault ...
#   #else
#   ... the twin: the same code without it ...
#   #endif
#
# Without the macro the compiler must accept the source and print nothing. With it the compiler must
# refuse it with exactly one error line, which names just this rule and these facts, show the
# remedy, and print no more than 12 lines (nvcc: 14) in all. "Refused" alone would also be true of a
# typing error, hence the twin and the expectation.
cmake_minimum_required(VERSION 3.25)

# Plain quotes and English, whatever the caller's locale.
set(ENV{LC_ALL} C)

cmake_path(GET COMPILER STEM compiler_name)
if(compiler_name STREQUAL "nvcc")
  set(line_budget 14)
  set(syntax_only -x cu -cuda -o /dev/null -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow)
else()
  set(line_budget 12)
  set(syntax_only -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Wpedantic)
endif()

function(backstitch_compile result_variable output_variable)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 ${syntax_only} -I "${INCLUDE_DIR}" ${ARGN} "${SOURCE}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${result_variable} "${result}" PARENT_SCOPE)
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

function(backstitch_complain complaint output)
  # Not message(): it would wrap and indent what the compiler said.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${SOURCE}: ${complaint}\n${output}")
  message(FATAL_ERROR "expectation not met")
endfunction()

# One spelling for three compilers: without our namespaces, without nvcc's default arguments, with
# blanks behind commas only.
function(backstitch_normalize variable)
  set(text "${${variable}}")
  string(REGEX REPLACE "backstitch::(error::)?" "" text "${text}")
  string(REPLACE ", void>" ">" text "${text}")
  string(REGEX REPLACE "<([0-9]+), 0>" "<\\1>" text "${text}")
  string(REGEX REPLACE " *([][<>,&*()]) *" "\\1" text "${text}")
  string(REPLACE "," ", " text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${SOURCE}" source)
if(NOT source MATCHES "// EXPECT: ([^\n]+)")
  backstitch_complain("no EXPECT line" "")
endif()
set(expect "${CMAKE_MATCH_1}")
backstitch_normalize(expect)

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

set(rule "")
if(first_error MATCHES "no type named 'accepted' in '(struct )?([^']*)'")
  set(rule "${CMAKE_MATCH_2}")
elseif(first_error MATCHES "class \"([^\"]*)\" has no member \"accepted\"")
  set(rule "${CMAKE_MATCH_1}")
endif()
backstitch_normalize(rule)
if(NOT rule STREQUAL expect)
  backstitch_complain("the first error line names '${rule}', EXPECT says '${expect}'" "${output}")
endif()
if(NOT error_count EQUAL 1)
  backstitch_complain("${error_count} error lines instead of one" "${output}")
endif()
if(NOT output MATCHES "cure = \"[^\"\n]+\"")
  backstitch_complain("no line shows the remedy" "${output}")
endif()

string(REGEX REPLACE "[^\n]" "" newlines "${output}")
string(LENGTH "${newlines}" line_count)
if(line_count GREATER line_budget)
  backstitch_complain("${line_count} lines of output, more than ${line_budget}" "${output}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${line_count} lines; ${first_error}")
