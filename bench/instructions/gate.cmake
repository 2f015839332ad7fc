# Instructions per action of a compiled plan against the loop written by hand.
#
#   cmake -DBY_HAND=<program> -DCOMPILED=<program> -DMAX_PERMILLE=1020 [-DMUST_FAIL=ON] -P gate.cmake
#
# Each program runs under callgrind with two step counts; the difference, per step and action, is
# free of start-up. The same build gives the same counts every time. MUST_FAIL: the gate has to
# refuse (its own test).
cmake_minimum_required(VERSION 3.25)

set(few 100)
set(many 1100)
set(actions_per_step 128)  # 64 micro-batches, forward and backward

find_program(VALGRIND valgrind)
if(NOT VALGRIND)
  message(FATAL_ERROR "valgrind is not installed; it counts the instructions (apt-get install valgrind)")
endif()

function(backstitch_run output program)
  execute_process(COMMAND "${program}" ${many} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR text STREQUAL "")
    message(FATAL_ERROR "${program} exited with ${code} and printed '${text}'")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(backstitch_count count program steps)
  execute_process(
    COMMAND "${VALGRIND}" --tool=callgrind --callgrind-out-file=/dev/null "${program}" ${steps}
    OUTPUT_QUIET ERROR_VARIABLE log RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT log MATCHES "Collected : ([0-9]+)")
    message(FATAL_ERROR "callgrind counted nothing:\n${log}")
  endif()
  set(${count} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

function(backstitch_instructions per_thousand_actions program)
  backstitch_count(low "${program}" ${few})
  backstitch_count(high "${program}" ${many})
  math(EXPR result "(${high} - ${low}) * 1000 / ((${many} - ${few}) * ${actions_per_step})")
  if(result LESS 1000)
    message(FATAL_ERROR "${program}: less than one instruction per action; it measures nothing")
  endif()
  set(${per_thousand_actions} ${result} PARENT_SCOPE)
endfunction()

backstitch_run(expected "${BY_HAND}")
backstitch_run(got "${COMPILED}")
if(NOT got STREQUAL expected)
  message(FATAL_ERROR "the programs disagree:\n  by hand   ${expected}  compiled  ${got}")
endif()

backstitch_instructions(by_hand "${BY_HAND}")
backstitch_instructions(compiled "${COMPILED}")
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
