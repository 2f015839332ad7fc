# Installs into an empty folder, and wants there just the headers of the source tree and the files of
# the packages.
#
#   cmake -DBUILD=<folder> -DPREFIX=<folder> -DINCLUDE_DIR=<include> -P install.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE ours RELATIVE "${INCLUDE_DIR}" "${INCLUDE_DIR}/*")
file(GLOB_RECURSE theirs RELATIVE "${PREFIX}/include" "${PREFIX}/include/*")
if(NOT ours STREQUAL theirs)
  message(FATAL_ERROR "the installed headers are not those of the source tree:\n${ours}\n${theirs}")
endif()
foreach(header IN LISTS ours)
  file(SHA256 "${INCLUDE_DIR}/${header}" our_sum)
  file(SHA256 "${PREFIX}/include/${header}" their_sum)
  if(NOT our_sum STREQUAL their_sum)
    message(FATAL_ERROR "${header} is installed with other contents")
  endif()
endforeach()

file(GLOB_RECURSE others RELATIVE "${PREFIX}" "${PREFIX}/*")
list(FILTER others EXCLUDE REGEX "^include/backstitch/")
set(expected
  share/cmake/backstitch/backstitch-config-version.cmake
  share/cmake/backstitch/backstitch-config.cmake
  share/cmake/backstitch/backstitch-host-targets.cmake
  share/cmake/backstitch/backstitch-targets.cmake
  share/doc/libbackstitch-dev/CHANGELOG.md
  share/doc/libbackstitch-dev/README.md
  share/doc/libbackstitch-dev/compile_errors.md
  share/doc/libbackstitch-dev/copyright
  share/pkgconfig/backstitch-host.pc
  share/pkgconfig/backstitch.pc)
if(NOT others STREQUAL expected)
  message(FATAL_ERROR "what is installed beside the headers:\n${others}\nexpected:\n${expected}")
endif()

# Nothing installed may know where it was built.
foreach(file IN LISTS others)
  file(READ "${PREFIX}/${file}" text)
  string(FIND "${text}" "${BUILD}" in_build)
  string(FIND "${text}" "${PREFIX}" in_prefix)
  if(NOT in_build EQUAL -1 OR NOT in_prefix EQUAL -1)
    message(FATAL_ERROR "${file} holds a path of this machine")
  endif()
endforeach()
