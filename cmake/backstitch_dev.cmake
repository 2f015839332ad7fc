# What the project's own tests, examples and benchmarks are built with; never exported.
set(BACKSTITCH_SANITIZE "" CACHE STRING
    "Value for -fsanitize=; when set, only the run-time tests are built")

add_library(backstitch_dev INTERFACE)
target_compile_options(backstitch_dev INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wpedantic)
if(BACKSTITCH_SANITIZE)
  # No -Werror here: instrumentation makes g++ warn about code that is fine without it.
  set(sanitize_flags -fsanitize=${BACKSTITCH_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(backstitch_dev INTERFACE ${sanitize_flags} -fno-omit-frame-pointer)
  target_link_options(backstitch_dev INTERFACE ${sanitize_flags})
else()
  target_compile_options(backstitch_dev INTERFACE -Werror)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
