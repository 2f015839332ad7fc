# Joins all headers into one.
#
#   cmake -DINCLUDE_DIR=<include> -DVERSION=<x.y.z> -DOUTPUT=<file> -P amalgamate.cmake
#
# Each header once, behind those that it includes; the standard headers first. Lines are copied whole,
# so that the compiler's echo of a broken rule still holds the remedy.
cmake_minimum_required(VERSION 3.25)

set(standard "")
set(done "")
set(body "")

# CMake's lists split at semicolons and trip over brackets.
function(backstitch_disguise variable)
  string(REPLACE ";" "<semicolon>" text "${${variable}}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  string(REPLACE "\\" "<backslash>" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Appends a header to `body`, after what it includes.
function(backstitch_append header)
  if(header IN_LIST done)
    return()
  endif()
  list(APPEND done "${header}")
  file(READ "${INCLUDE_DIR}/${header}" text)
  backstitch_disguise(text)
  string(REPLACE "\n" ";" lines "${text}")
  set(own "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^#include [<\"](backstitch/[^>\"]+)[>\"]")
      backstitch_append("${CMAKE_MATCH_1}")
    elseif(line MATCHES "^#include <")
      list(APPEND standard "${line}")
    elseif(NOT line STREQUAL "#pragma once")
      string(APPEND own "${line}\n")
    endif()
  endforeach()
  string(REGEX REPLACE "\n\n\n+" "\n\n" own "${own}")
  string(REGEX REPLACE "\n+$" "\n" own "${own}")
  string(APPEND body "\n// ---- ${header}\n${own}")
  set(done "${done}" PARENT_SCOPE)
  set(standard "${standard}" PARENT_SCOPE)
  set(body "${body}" PARENT_SCOPE)
endfunction()

# The core and what needs only the standard library beside it.
file(GLOB headers RELATIVE "${INCLUDE_DIR}"
  "${INCLUDE_DIR}/backstitch/report/*.hpp" "${INCLUDE_DIR}/backstitch/host/*.hpp")
list(SORT headers)
backstitch_append("backstitch/backstitch.hpp")
foreach(header IN LISTS headers)
  backstitch_append("${header}")
endforeach()
list(REMOVE_DUPLICATES standard)
list(SORT standard)
list(JOIN standard "\n" standard)

set(text "// Backstitch ${VERSION} in one file, made of its headers. SPDX-License-Identifier: Apache-2.0\n")
string(APPEND text "#pragma once\n\n${standard}\n${body}")
string(REPLACE "<semicolon>" ";" text "${text}")
string(REPLACE "<open>" "[" text "${text}")
string(REPLACE "<close>" "]" text "${text}")
string(REPLACE "<backslash>" "\\" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
