# Counts executed instructions; include()d by scripts.
find_program(VALGRIND valgrind)
if(NOT VALGRIND)
  message(FATAL_ERROR "valgrind is not installed; it counts the instructions (apt-get install valgrind)")
endif()

# backstitch_count(<variable> <command>...)
function(backstitch_count count)
  execute_process(
    COMMAND "${VALGRIND}" --tool=callgrind --callgrind-out-file=/dev/null ${ARGN}
    OUTPUT_QUIET ERROR_VARIABLE log RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT log MATCHES "Collected : ([0-9]+)")
    message(FATAL_ERROR "callgrind counted nothing:\n${log}")
  endif()
  set(${count} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# backstitch_instructions(<variable> <few> <many> <actions per step> <command>...)
# Instructions per 1000 actions of a command that takes the number of steps as its last argument.
# The difference of two step counts is free of start-up. The same build gives the same figure every
# time.
function(backstitch_instructions per_thousand_actions few many actions)
  backstitch_count(low ${ARGN} ${few})
  backstitch_count(high ${ARGN} ${many})
  math(EXPR result "(${high} - ${low}) * 1000 / ((${many} - ${few}) * ${actions})")
  if(result LESS 1000)
    message(FATAL_ERROR "${ARGN}: less than one instruction per action; it measures nothing")
  endif()
  set(${per_thousand_actions} ${result} PARENT_SCOPE)
endfunction()
