# Work that the compiler's front end does for Backstitch, in counts that repeat exactly, against a
# committed baseline: +10 % is refused.
#
#   cmake -DCOMPILER=<path> -DCOMPILER_ID=<GNU|Clang> -DCOMPILER_VERSION=<x.y.z> -DSCRATCH=<folder>
#         [-DUPDATE=ON] [-DPROGRAM=<name> -DINSTEAD=<file|flag|...>] -P front_end.cmake
#
# UPDATE writes the baseline. PROGRAM and INSTEAD compile something else in place of one program
# (the gate's own tests).
#
# What is counted, less what the standard headers cost alone:
#   g++      specializations (templates), and the megabytes that the front end allocates, which also
#            grow with constant evaluation
#   clang++  nodes of the syntax tree
# and on both the steps of the largest single constant evaluation, which is what a user's limit
# applies to. Compilers count differently from one major version to the next, so each has its own
# baseline; one without is reported and not judged.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/counts.cmake")

set(tolerance 10)  # per cent
set(baseline_file "${CMAKE_CURRENT_LIST_DIR}/baseline.json")
string(REGEX MATCH "^[0-9]+" major "${COMPILER_VERSION}")
set(key "${COMPILER_ID} ${major}")

set(plan "${CMAKE_CURRENT_LIST_DIR}/plan_and_engine.cpp")
backstitch_write_umbrella("${SCRATCH}/umbrella.cpp")
set(programs umbrella plan_4_8 plan_8_64 engine_8_64)
set(source_umbrella "${SCRATCH}/umbrella.cpp")
set(source_plan_4_8 "${plan}" -DSTAGES=4 -DMICRO_BATCHES=8)
set(source_plan_8_64 "${plan}" -DSTAGES=8 -DMICRO_BATCHES=64)
set(source_engine_8_64 ${source_plan_8_64} -DWITH_ENGINE)
# The engine adds no evaluation that is larger than the plan's.
set(with_largest_evaluation plan_4_8 plan_8_64)
if(PROGRAM)
  set(programs ${PROGRAM})
  string(REPLACE "|" ";" source_${PROGRAM} "${INSTEAD}")
endif()

file(READ "${baseline_file}" baseline)
string(JSON of_compiler ERROR_VARIABLE missing GET "${baseline}" "${key}")
if(UPDATE)
  set(of_compiler "{}")
  string(JSON baseline SET "${baseline}" "${key}" "{}")
elseif(missing)
  message("not judged: baseline.json has no counts of ${key}; the target compile_cost_baseline "
          "adds them")
  set(with_largest_evaluation "")  # the search for it takes long
endif()

set(refused "")
set(smaller "")
# backstitch_judge(<program> <count> <value>)
function(backstitch_judge program what value)
  if(UPDATE)
    string(JSON entry ERROR_VARIABLE none GET "${baseline}" "${key}" ${program})
    if(none)
      string(JSON baseline SET "${baseline}" "${key}" ${program} "{}")
    endif()
    string(JSON baseline SET "${baseline}" "${key}" ${program} ${what} ${value})
    set(baseline "${baseline}" PARENT_SCOPE)
    message("${program}: ${what} ${value}")
    return()
  endif()
  if(missing)
    message("${program}: ${what} ${value}")
    return()
  endif()
  string(JSON before ERROR_VARIABLE none GET "${of_compiler}" ${program} ${what})
  if(none)
    set(refused "${refused}\n  ${program}: ${what} ${value} has no baseline" PARENT_SCOPE)
    return()
  endif()
  math(EXPR percent "(${value} - ${before}) * 100 / ${before}")
  message("${program}: ${what} ${value}, baseline ${before} (${percent} %)")
  math(EXPR scaled "${value} * 100")
  math(EXPR most "${before} * (100 + ${tolerance})")
  math(EXPR least "${before} * (100 - ${tolerance})")
  if(scaled GREATER most)
    set(refused "${refused}\n  ${program}: ${what} grew from ${before} to ${value}" PARENT_SCOPE)
  elseif(scaled LESS least)
    set(smaller "${smaller} ${program}" PARENT_SCOPE)
  endif()
endfunction()

# The largest evaluation is known to be within the tolerance when the program compiles at one limit
# and not at another: two runs instead of a search.
function(backstitch_judge_evaluation program)
  if(UPDATE)
    backstitch_find_largest_evaluation(value ${source_${program}})
    backstitch_judge(${program} largest_evaluation ${value})
    set(baseline "${baseline}" PARENT_SCOPE)
    return()
  endif()
  string(JSON before GET "${of_compiler}" ${program} largest_evaluation)
  math(EXPR most "${before} * (100 + ${tolerance}) / 100")
  math(EXPR least "${before} * (100 - ${tolerance}) / 100")
  backstitch_evaluates_within(fits ${most} ${source_${program}})
  if(NOT fits)
    set(refused "${refused}\n  ${program}: largest_evaluation grew from ${before} to over ${most}"
        PARENT_SCOPE)
    return()
  endif()
  message("${program}: largest_evaluation at most ${most}, baseline ${before}")
  backstitch_evaluates_within(fits ${least} ${source_${program}})
  if(fits)
    set(smaller "${smaller} ${program}" PARENT_SCOPE)
  endif()
endfunction()

foreach(program IN LISTS programs)
  backstitch_count_front_end(counts ${source_${program}})
  foreach(count IN LISTS counts)
    string(REPLACE "=" ";" count "${count}")
    backstitch_judge(${program} ${count})
  endforeach()
  if(program IN_LIST with_largest_evaluation)
    backstitch_judge_evaluation(${program})
  endif()
endforeach()

if(UPDATE)
  string(REPLACE " \n" "\n" baseline "${baseline}")
  file(WRITE "${baseline_file}" "${baseline}\n")
  message("${baseline_file} has the counts of ${key}")
endif()
if(smaller)
  message("more than ${tolerance} % less than the baseline:${smaller}; "
          "record it with the target compile_cost_baseline")
endif()
if(refused)
  message("more than ${tolerance} % over the baseline:${refused}")
  message(FATAL_ERROR "Backstitch costs the compiler more than before. If that is worth it, record "
                      "it with the target compile_cost_baseline.")
endif()
