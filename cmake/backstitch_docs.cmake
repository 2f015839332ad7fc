# Target docs: the reference as HTML, <build>/docs/html/index.html, where Doxygen is installed. Every
# public name must be documented; a warning is an error.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/docs")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/README.md")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_EXCLUDE_SYMBOLS "backstitch::detail" "backstitch::*::detail" "backstitch::error::require*")
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_HIDE_FRIEND_COMPOUNDS YES)
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_SORT_MEMBER_DOCS NO)
# The headers are written with plain comments, as all code here; Doxygen sees them as its own.
set(DOXYGEN_FILTER_PATTERNS
  "\"*.hpp=sed -E -f ${CMAKE_CURRENT_LIST_DIR}/doxygen_comments.sed\"")
set(DOXYGEN_FILTER_SOURCE_FILES NO)

# The README and the pages that it links to.
set(pages README.md examples/README.md bench/README.md tests/compile_fail/README.md)
list(TRANSFORM pages PREPEND "${PROJECT_SOURCE_DIR}/")
doxygen_add_docs(docs "${PROJECT_SOURCE_DIR}/include" ${pages}
  COMMENT "Writing docs/html")
