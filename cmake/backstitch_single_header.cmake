# Target single_header: every header in one file, <build>/single_header/backstitch/backstitch.hpp, for those who
# copy a file instead of installing a package; the same include line finds it. Made, never edited or committed.
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/single_header/backstitch/backstitch.hpp"
  DEPENDS ${backstitch_headers} "${PROJECT_SOURCE_DIR}/LICENSE"
          "${CMAKE_CURRENT_LIST_DIR}/amalgamate.cmake"
  COMMAND "${CMAKE_COMMAND}" "-DINCLUDE_DIR=${PROJECT_SOURCE_DIR}/include"
          "-DVERSION=${PROJECT_VERSION}" "-DOUTPUT=${PROJECT_BINARY_DIR}/single_header/backstitch/backstitch.hpp"
          -P "${CMAKE_CURRENT_LIST_DIR}/amalgamate.cmake"
  COMMENT "Writing single_header/backstitch/backstitch.hpp" VERBATIM)
add_custom_target(single_header ALL DEPENDS "${PROJECT_BINARY_DIR}/single_header/backstitch/backstitch.hpp")
