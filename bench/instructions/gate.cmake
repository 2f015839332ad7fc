# Instructions per action of a compiled plan against the loop written by hand.
#
#   cmake -DBY_HAND=<program> -DCOMPILED=<program> -DMAX_PERMILLE=1020 [-DMUST_FAIL=ON] -P gate.cmake
#
# MUST_FAIL: the gate has to refuse (its own test).
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../callgrind.cmake")

set(few 100)
set(many 1100)
set(actions_per_step 128)  # 64 micro-batches, forward and backward

function(backstitch_run output program)
  execute_process(COMMAND "${program}" ${many} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR text STREQUAL "")
    message(FATAL_ERROR "${program} exited with ${code} and printed '${text}'")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

backstitch_run(expected "${BY_HAND}")
backstitch_run(got "${COMPILED}")
if(NOT got STREQUAL expected)
  message(FATAL_ERROR "the programs disagree:\n  by hand   ${expected}  compiled  ${got}")
endif()

backstitch_instructions(by_hand ${few} ${many} ${actions_per_step} "${BY_HAND}")
backstitch_instructions(compiled ${few} ${many} ${actions_per_step} "${COMPILED}")
math(EXPR permille "${compiled} * 1000 / ${by_hand}")
message("instructions per 1000 actions: by hand ${by_hand}, compiled ${compiled}, "
        "ratio ${permille}/1000 (at most ${MAX_PERMILLE}/1000)")

if(permille GREATER MAX_PERMILLE)
  set(refused ON)
else()
  set(refused OFF)
endif()
if(MUST_FAIL)
  if(NOT refused)
    message(FATAL_ERROR "one instruction more per action went unseen")
  endif()
elseif(refused)
  message(FATAL_ERROR "the compiled plan needs too many instructions")
endif()
