# Makes the .deb and the .tar.gz and unpacks both.
#
#   cmake -DBUILD=<folder> -DSCRATCH=<folder> -DVERSION=<x.y.z> -DDPKG_DEB=<program> -P pack.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/deb")
cmake_path(GET CMAKE_COMMAND PARENT_PATH bin)
execute_process(COMMAND "${bin}/cpack" --config "${BUILD}/CPackConfig.cmake" -B "${SCRATCH}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(package "${SCRATCH}/libbackstitch-dev_${VERSION}_all")

execute_process(COMMAND "${DPKG_DEB}" --field "${package}.deb" Package Version Architecture Section Depends
  OUTPUT_VARIABLE fields COMMAND_ERROR_IS_FATAL ANY)
set(expected "Package: libbackstitch-dev\nVersion: ${VERSION}\nArchitecture: all\nSection: libdevel\n")
if(NOT fields STREQUAL expected)
  message(FATAL_ERROR "the package says of itself:\n${fields}\nexpected:\n${expected}")
endif()

execute_process(COMMAND "${DPKG_DEB}" --extract "${package}.deb" "${SCRATCH}/deb"
  COMMAND_ERROR_IS_FATAL ANY)
file(ARCHIVE_EXTRACT INPUT "${package}.tar.gz" DESTINATION "${SCRATCH}/tar")
