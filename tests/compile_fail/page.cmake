# Writes the page of all compile errors: from error.hpp the rules with cause and remedy, from the
# cases here what breaks and what mends each of them. With CHECK it compares instead of writing.
#
#   cmake -DERRORS=<error.hpp> -DCASES=<folder> -DPAGE=<README.md> [-DCHECK=ON] -P page.cmake
#
# A rule without a case, and a case without a rule, are errors.
cmake_minimum_required(VERSION 3.25)

# Lists split at semicolons and trip over brackets, so both travel in disguise.
function(backstitch_read_lines variable file)
  file(READ "${file}" text)
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  string(REPLACE "\\" "<backslash>" text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
function(backstitch_reveal variable)
  set(text "${${variable}}")
  string(REPLACE "<semicolon>" ";" text "${text}")
  string(REPLACE "<open>" "[" text "${text}")
  string(REPLACE "<close>" "]" text "${text}")
  string(REPLACE "<backslash>" "\\" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# -- the cases: by rule, what stands on the page

file(GLOB files "${CASES}/*.cpp")
list(SORT files)
set(rules_with_cases "")
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME file_name)
  backstitch_read_lines(lines "${file}")
  set(expect "")
  set(fault "")
  set(twin "")
  set(part "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^// EXPECT: (.+)$")
      set(expect "${CMAKE_MATCH_1}")
    elseif(line STREQUAL "#ifdef BACKSTITCH_FAULT")
      set(part fault)
    elseif(line STREQUAL "#else" AND part STREQUAL "fault")
      set(part twin)
    elseif(line STREQUAL "#endif")
      set(part "")
    elseif(NOT part STREQUAL "")
      string(APPEND ${part} "${line}\n")
    endif()
  endforeach()
  if(NOT expect MATCHES "^([a-z_]+)<")
    message(FATAL_ERROR "${file_name}: no EXPECT line with a rule")
  endif()
  set(rule "${CMAKE_MATCH_1}")
  list(APPEND rules_with_cases "${rule}")
  backstitch_reveal(expect)
  backstitch_reveal(fault)
  backstitch_reveal(twin)
  string(APPEND example_of_${rule}
    "\n[${file_name}](${file_name}) expects `${expect}` of\n\n```cpp\n${fault}```\n")
  if(NOT twin STREQUAL "")
    string(APPEND example_of_${rule} "\nand accepts\n\n```cpp\n${twin}```\n")
  endif()
endforeach()
list(REMOVE_DUPLICATES rules_with_cases)

# -- the rules, in the order of error.hpp

set(page [=[
# Every compile error

Made of [error.hpp](../../include/backstitch/error.hpp) and of the cases in this folder, by
`cmake --build <folder> --target error_page`. Each case is compiled by g++, clang and nvcc: the faulty form must
give exactly one error, whose first line names the rule with these facts; the other form must compile.

How to read one, for example `too_few_micro_batches<one_f_one_b, needed<4>, got<3>, try_instead<one_f_one_b_clamped>>`:
the rule, what it is about, the numbers. The source line that the compiler shows below it ends in the remedy.
@INDEX@
]=])
backstitch_read_lines(lines "${ERRORS}")
set(rules "")
set(index "")
set(cause "")
foreach(line IN LISTS lines)
  if(line MATCHES "^// -- (.+)$")
    string(APPEND page "\n## Errors about ${CMAKE_MATCH_1}\n")
    string(APPEND index "\n\n**${CMAKE_MATCH_1}**")
  elseif(line MATCHES "^/// (.+)$")
    set(cause "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^template <([^>]*)> struct ([a-z_]+) {}<semicolon>$" AND NOT cause STREQUAL "")
    set(parameters "${CMAKE_MATCH_1}")
    set(rule "${CMAKE_MATCH_2}")
    string(REPLACE "class " "" parameters "${parameters}")
    list(APPEND rules "${rule}")
  elseif(line MATCHES "struct require<([a-z_]+)<.* cure = \"(.+)\"")
    set(cure "${CMAKE_MATCH_2}")
    if(NOT CMAKE_MATCH_1 STREQUAL rule OR cause STREQUAL "")
      message(FATAL_ERROR "error.hpp: ${CMAKE_MATCH_1} needs a comment '/// cause' and its type above it")
    endif()
    backstitch_reveal(cause)
    backstitch_reveal(cure)
    string(REPLACE "<" "&lt;" cure "${cure}")
    string(APPEND page "\n### ${rule}\n\n`${rule}<${parameters}>`: ${cause}\n\nRemedy: ${cure}.\n")
    string(APPEND index "\n`${rule}`")
    if(rule IN_LIST rules_with_cases)
      string(APPEND page "${example_of_${rule}}")
    elseif(NOT cause MATCHES "^A fault of the library")
      message(FATAL_ERROR "no case in ${CASES} breaks ${rule}")
    endif()
    set(cause "")
  endif()
endforeach()

string(REPLACE "@INDEX@" "${index}" page "${page}")

list(LENGTH rules count)
if(count LESS 30)
  message(FATAL_ERROR "error.hpp: only ${count} rules were found; its form has changed")
endif()
foreach(rule IN LISTS rules_with_cases)
  if(NOT rule IN_LIST rules)
    message(FATAL_ERROR "a case expects ${rule}, which error.hpp does not have")
  endif()
endforeach()

if(CHECK)
  file(READ "${PAGE}" committed)
  if(NOT committed STREQUAL page)
    message(FATAL_ERROR "${PAGE} is out of date: cmake --build <folder> --target error_page")
  endif()
else()
  file(WRITE "${PAGE}" "${page}")
endif()
list(LENGTH files case_count)
message("${count} rules, ${case_count} cases")
