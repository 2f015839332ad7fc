# `cpack` makes a .deb and a .tar.gz of what is installed: cpack --config <folder>/CPackConfig.cmake
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME libbackstitch-dev)
set(CPACK_PACKAGE_VENDOR "Backstitch developers")
set(CPACK_PACKAGE_CONTACT "Backstitch developers <backstitch@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "header-only C++20 library of static pipeline schedules")
set(CPACK_PACKAGE_DESCRIPTION
  "A model of op types with roles, cut into stages, and a schedule policy become
one static forward/backward/update loop per rank. Order, deadlock and memory
are proved by the compiler.")
set(CPACK_PACKAGE_FILE_NAME "libbackstitch-dev_${PROJECT_VERSION}_all")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++ (>= 12) | clang (>= 14), cmake (>= 3.25)")
set(CPACK_STRIP_FILES OFF)

set(doc_dir "${CMAKE_INSTALL_DATADIR}/doc/libbackstitch-dev")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc_dir}" RENAME copyright)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${doc_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/tests/compile_fail/README.md"
        DESTINATION "${doc_dir}" RENAME compile_errors.md)
include(CPack)
