# Compares the text sizes of two objects: fails when LARGE is more than MAX_RATIO times SMALL.
#
#   cmake -DSIZE=<size> -DSMALL=<object> -DLARGE=<object> -DMAX_RATIO=<decimal> -P text_size.cmake
cmake_minimum_required(VERSION 3.25)

function(backstitch_text_bytes bytes_variable object)
  execute_process(COMMAND "${SIZE}" --format=berkeley "${object}"
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "\n *([0-9]+)")
    message(FATAL_ERROR "no text size in the output of ${SIZE}:\n${output}")
  endif()
  set(${bytes_variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

backstitch_text_bytes(small "${SMALL}")
backstitch_text_bytes(large "${LARGE}")

# CMake computes with integers: 1.02 becomes 102 hundredths.
if(NOT MAX_RATIO MATCHES "^([0-9]+)\\.([0-9][0-9])$")
  message(FATAL_ERROR "MAX_RATIO must have two decimals: ${MAX_RATIO}")
endif()
math(EXPR allowed "${small} * ${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
math(EXPR scaled "${large} * 100")
if(scaled GREATER allowed)
  message(FATAL_ERROR "text grows from ${small} to ${large} bytes, more than ${MAX_RATIO}x")
endif()
message(STATUS "text: ${small} and ${large} bytes, allowed ${MAX_RATIO}x")
