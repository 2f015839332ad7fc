# Checks what the headers include and how long they are.
#
#   cmake -DINCLUDE_DIR=<include> -P include_graph.cmake
#
# A folder may include only folders of a lower floor; two folders of one floor do not know each
# other. A header directly in backstitch/ counts as a folder of its own name.
cmake_minimum_required(VERSION 3.25)

set(floor_version 0)
set(floor_error 1)
set(floor_model 2)
set(floor_schedule 2)
set(floor_analysis 3)
set(floor_program 4)
# The umbrella stands among the leaves: it brings in none of them, and none of them includes it.
set(floor_backstitch 5)
set(floor_host 5)
set(floor_report 5)

# Standard headers that a folder may include; `any` lifts the restriction.
set(std_core array bit compare concepts cstddef cstdint cstring exception iterator limits new span
    string_view tuple type_traits utility)
# Run-time errors need text; the umbrella does not bring them in.
set(std_program ${std_core} stdexcept string vector)
set(std_report ${std_core} string ostream)
set(std_host any)

set(max_lines 400)

set(complaints "")
macro(backstitch_complain complaint)
  string(APPEND complaints "  ${complaint}\n")
endmacro()

# "backstitch/model/role.hpp" -> "model", "backstitch/error.hpp" -> "error"
function(backstitch_folder_of folder_variable header)
  string(REGEX REPLACE "^backstitch/([^/.]+).*$" "\\1" folder "${header}")
  set(${folder_variable} "${folder}" PARENT_SCOPE)
endfunction()

cmake_path(ABSOLUTE_PATH INCLUDE_DIR)
file(GLOB_RECURSE headers RELATIVE "${INCLUDE_DIR}" "${INCLUDE_DIR}/backstitch/*")
if(headers STREQUAL "")
  message(FATAL_ERROR "no header under ${INCLUDE_DIR}/backstitch")
endif()

set(line_counts "")
foreach(header IN LISTS headers)
  backstitch_folder_of(folder "${header}")
  if(NOT header MATCHES "\\.hpp$")
    backstitch_complain("${header}: not a .hpp file")
  endif()
  if(NOT DEFINED floor_${folder})
    backstitch_complain("${header}: folder ${folder} has no floor in include_graph.cmake")
    continue()
  endif()

  file(READ "${INCLUDE_DIR}/${header}" text)
  string(REGEX REPLACE "[^\n]" "" newlines "${text}")
  string(LENGTH "${newlines}" lines)
  list(APPEND line_counts ${lines})
  if(lines GREATER max_lines)
    backstitch_complain("${header}: ${lines} lines, more than ${max_lines}")
  endif()

  set(allowed_std ${std_core})
  if(DEFINED std_${folder})
    set(allowed_std ${std_${folder}})
  endif()

  set(includes_of_${header} "")
  file(STRINGS "${INCLUDE_DIR}/${header}" include_lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS include_lines)
    if(NOT line MATCHES "include[ \t]*[<\"]([^>\"]+)[>\"]")
      backstitch_complain("${header}: cannot read: ${line}")
      continue()
    endif()
    set(included "${CMAKE_MATCH_1}")

    if(included MATCHES "^backstitch/")
      if(NOT EXISTS "${INCLUDE_DIR}/${included}")
        backstitch_complain("${header}: includes ${included}, which does not exist")
        continue()
      endif()
      list(APPEND includes_of_${header} "${included}")
      backstitch_folder_of(included_folder "${included}")
      if(NOT included_folder STREQUAL folder
         AND NOT floor_${included_folder} LESS floor_${folder})
        backstitch_complain("${header}: ${folder} may not include ${included_folder} (${included})")
      endif()
    elseif(included MATCHES "[/.]" AND line MATCHES "\"")
      backstitch_complain("${header}: write own headers as backstitch/...: ${included}")
    elseif(NOT allowed_std STREQUAL "any" AND NOT included IN_LIST allowed_std)
      backstitch_complain("${header}: ${folder} may not include <${included}>")
    endif()
  endforeach()
endforeach()

# Takes away every header that includes none of those left; what stays is on a circle or above one.
set(left "${headers}")
while(TRUE)
  set(still_left "")
  foreach(header IN LISTS left)
    foreach(included IN LISTS includes_of_${header})
      if(included IN_LIST left)
        list(APPEND still_left "${header}")
        break()
      endif()
    endforeach()
  endforeach()
  if("${still_left}" STREQUAL "${left}")
    break()
  endif()
  set(left "${still_left}")
endwhile()
if(left)
  list(JOIN left " " left)
  backstitch_complain("circle of includes among: ${left}")
endif()

if(complaints)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${complaints}")
  message(FATAL_ERROR "the include graph breaks a rule")
endif()

list(SORT line_counts COMPARE NATURAL)
list(LENGTH line_counts count)
math(EXPR middle "${count} / 2")
list(GET line_counts ${middle} median)
list(GET line_counts -1 maximum)
message(STATUS "${count} headers, median ${median} lines, maximum ${maximum}")
