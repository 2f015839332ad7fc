# Gives include_graph.cmake small trees of headers, each with one fault, and wants that complaint.
#
#   cmake -DSCRATCH_DIR=<folder to write in> -P include_graph_selftest.cmake
cmake_minimum_required(VERSION 3.25)

# backstitch_want(<name> <complaint, or "" for a good tree> [<header> <its text>]...)
function(backstitch_want name complaint)
  set(tree "${SCRATCH_DIR}/${name}")
  file(REMOVE_RECURSE "${tree}")
  set(index 2)
  while(index LESS ARGC)
    set(header "${ARGV${index}}")
    math(EXPR index "${index} + 1")
    file(WRITE "${tree}/backstitch/${header}" "${ARGV${index}}")
    math(EXPR index "${index} + 1")
  endwhile()

  execute_process(
    COMMAND "${CMAKE_COMMAND}" "-DINCLUDE_DIR=${tree}"
      -P "${CMAKE_CURRENT_LIST_DIR}/include_graph.cmake"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(FIND "${output}" "${complaint}" position)
  if(complaint STREQUAL "" AND NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: a good tree was refused:\n${output}")
  elseif(NOT complaint STREQUAL "" AND result EQUAL 0)
    message(FATAL_ERROR "${name}: accepted; missing complaint: ${complaint}\n${output}")
  elseif(position EQUAL -1)
    message(FATAL_ERROR "${name}: another complaint instead of: ${complaint}\n${output}")
  endif()
endfunction()

set(role "#include <array>\n")
string(REPEAT "\n" 400 lines_400)
string(REPEAT "\n" 401 lines_401)
string(REPEAT "\n" 121 lines_121)
string(REPEAT "#define BACKSTITCH_A\n" 10 macros_10)
string(REPEAT "  #  ifdef BACKSTITCH_A\n#endif\n" 10 conditionals_10)

backstitch_want(good ""
  version.hpp ""
  error.hpp "#include <backstitch/version.hpp>\n"
  model/role.hpp "${role}#include \"backstitch/error.hpp\"\n"
  model/op.hpp "  #  include <backstitch/model/role.hpp>  // within a folder\n"
  schedule/policies/gpipe.hpp "${lines_400}"
  analysis/prove.hpp "#include <backstitch/schedule/policies/gpipe.hpp>\n"
  program/plan.hpp "#include <backstitch/model/op.hpp>\n#include <backstitch/analysis/prove.hpp>\n"
  host/engine.hpp "#include <thread>\n#include <backstitch/program/plan.hpp>\n"
  report/grid.hpp "#include <string>\n#include <backstitch/program/plan.hpp>\n"
  backstitch.hpp "#include <backstitch/program/plan.hpp>\n")

backstitch_want(upwards "model may not include program (backstitch/program/plan.hpp)"
  program/plan.hpp ""
  model/role.hpp "#include <backstitch/program/plan.hpp>\n")
backstitch_want(beside "schedule may not include model (backstitch/model/role.hpp)"
  model/role.hpp "${role}"
  schedule/action.hpp "#include <backstitch/model/role.hpp>\n")
backstitch_want(leaf_to_leaf "report may not include host (backstitch/host/engine.hpp)"
  host/engine.hpp ""
  report/grid.hpp "#include <backstitch/host/engine.hpp>\n")
backstitch_want(umbrella_with_leaf "backstitch may not include host (backstitch/host/engine.hpp)"
  host/engine.hpp ""
  backstitch.hpp "#include <backstitch/host/engine.hpp>\n")
backstitch_want(umbrella_included "program may not include backstitch (backstitch/backstitch.hpp)"
  backstitch.hpp ""
  program/plan.hpp "#include <backstitch/backstitch.hpp>\n")
backstitch_want(circle
  "circle of includes among: backstitch/model/a.hpp backstitch/model/b.hpp"
  model/a.hpp "#include <backstitch/model/b.hpp>\n"
  model/b.hpp "#include <backstitch/model/a.hpp>\n"
  model/c.hpp "")
backstitch_want(itself "circle of includes among: backstitch/model/a.hpp"
  model/a.hpp "#include <backstitch/model/a.hpp>\n")
backstitch_want(std_in_core "model may not include <iostream>"
  model/role.hpp "#include <iostream>\n")
backstitch_want(std_in_report "report may not include <thread>"
  report/grid.hpp "#include <thread>\n")
backstitch_want(third_party "program may not include <Eigen/Dense>"
  program/plan.hpp "#include <Eigen/Dense>\n")
backstitch_want(relative "write own headers as backstitch/...: ../error.hpp"
  error.hpp ""
  model/role.hpp "#include \"../error.hpp\"\n")
backstitch_want(missing "includes backstitch/model/none.hpp, which does not exist"
  model/role.hpp "#include <backstitch/model/none.hpp>\n")
backstitch_want(computed "cannot read: #include HEADER"
  model/role.hpp "#include HEADER\n")
backstitch_want(unknown_folder "folder detail has no floor"
  detail/a.hpp "")
backstitch_want(other_extension "backstitch/model/role.h: not a .hpp file"
  model/role.h "")
backstitch_want(too_long "backstitch/model/role.hpp: 401 lines, more than 400"
  model/role.hpp "${lines_401}")
backstitch_want(preprocessor ""
  model/role.hpp "${macros_10}${conditionals_10}")
backstitch_want(macros "11 macros, more than 10"
  model/role.hpp "${macros_10}"
  model/op.hpp " # define BACKSTITCH_B\n")
backstitch_want(conditionals "11 #if and #elif, more than 10"
  model/role.hpp "${conditionals_10}"
  model/op.hpp "#if 1\n#endif\n")
backstitch_want(elif "11 #if and #elif, more than 10"
  model/role.hpp "${conditionals_10}"
  model/op.hpp "#elif 1\n")
backstitch_want(foreign_macro "model/role.hpp: a macro must begin with BACKSTITCH_: #define ROLE"
  model/role.hpp "#define ROLE\n")
backstitch_want(median "the median header has 121 lines, more than 120"
  model/role.hpp "${lines_121}")
backstitch_want(no_headers "no header under")
