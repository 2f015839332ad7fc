# What `cmake --install` lays down: headers, the package for find_package, files for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# No file depends on the machine, hence share/ and not lib/.
set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/backstitch")
set(pkgconfig_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
# No FILE_SET, which breaks where the include folder is given as an absolute path.
target_include_directories(backstitch INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# One export per component, so that the core never asks for what an engine needs.
install(TARGETS backstitch EXPORT backstitch_targets)
install(EXPORT backstitch_targets NAMESPACE backstitch::
        FILE backstitch-targets.cmake DESTINATION "${package_dir}")
if(TARGET backstitch_host)
  install(TARGETS backstitch_host EXPORT backstitch_host_targets)
  install(EXPORT backstitch_host_targets NAMESPACE backstitch::
          FILE backstitch-host-targets.cmake DESTINATION "${package_dir}")
endif()

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/backstitch-config.cmake.in"
  "${PROJECT_BINARY_DIR}/backstitch-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Before 1.0 every minor version may break its users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/backstitch-config-version.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${PROJECT_BINARY_DIR}/backstitch-config.cmake"
  "${PROJECT_BINARY_DIR}/backstitch-config-version.cmake"
  DESTINATION "${package_dir}")

# Paths relative to the .pc file, so that the tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" OUTPUT_VARIABLE pc_include_dir)
foreach(name IN ITEMS backstitch backstitch-host)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()
