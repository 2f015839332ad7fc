# The README's program is the one that is built and run: its C++ block stands in the example, word
# for word.
#
#   cmake -DREADME=<README.md> -DEXAMPLE=<main.cpp> -P readme.cmake
cmake_minimum_required(VERSION 3.25)

file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} has no C++ block")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 rest)
string(FIND "${rest}" "\n```" end)
string(SUBSTRING "${rest}" 0 ${end} block)
string(FIND "${example}" "${block}" at)
if(end LESS 200 OR at EQUAL -1)
  message(FATAL_ERROR "the C++ block of ${README} is not a part of ${EXAMPLE}:\n${block}")
endif()
