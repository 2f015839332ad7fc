# Instructions per action of one executor against another's, between two bounds.
#
#   cmake -DRUN=<program> -DOF=<executor> -DTO=<executor> [-DMIN_PERMILLE=n] [-DMAX_PERMILLE=n]
#         -P gate.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../callgrind.cmake")

set(micro_batches 64)
math(EXPR actions_per_step "2 * 4 * ${micro_batches}")  # 4 stages, forward and backward

# The interpreter's steps are long.
foreach(side IN ITEMS OF TO)
  if(${side} STREQUAL "interpreter")
    set(steps 2 12)
  else()
    set(steps 10 210)
  endif()
  backstitch_instructions(count_${side} ${steps} ${actions_per_step}
    "${RUN}" ${${side}} ${micro_batches})
endforeach()
math(EXPR permille "${count_OF} * 1000 / ${count_TO}")
message("instructions per 1000 actions: ${OF} ${count_OF}, ${TO} ${count_TO}, "
        "ratio ${permille}/1000")
if(DEFINED MIN_PERMILLE AND permille LESS MIN_PERMILLE)
  message(FATAL_ERROR "the ratio is less than ${MIN_PERMILLE}/1000")
endif()
if(DEFINED MAX_PERMILLE AND permille GREATER MAX_PERMILLE)
  message(FATAL_ERROR "the ratio is more than ${MAX_PERMILLE}/1000")
endif()
