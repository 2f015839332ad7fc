include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/backstitch")

install(TARGETS backstitch backstitch_host EXPORT backstitch_targets FILE_SET HEADERS)
install(EXPORT backstitch_targets NAMESPACE backstitch::
        FILE backstitch-targets.cmake DESTINATION "${package_dir}")

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
