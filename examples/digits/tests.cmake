# Each test is one run of digits, judged by expect.cmake: exit code, standard output, standard error.

function(digits_test name)
  cmake_parse_arguments(arg "" "EXIT;OUT;ERR" "RUN" ${ARGN})
  add_test(NAME digits.${name}
           COMMAND ${CMAKE_COMMAND} -D exit=${arg_EXIT} -D "out=${arg_OUT}" -D "err=${arg_ERR}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/expect.cmake" -- $<TARGET_FILE:digits> ${arg_RUN})
  set_tests_properties(digits.${name} PROPERTIES LABELS runtime TIMEOUT 300)
endfunction()

# Good runs end in two lines that say bit-identical; the full one must also read the digits.
set(same "bit-identical to the sequential loop\nfinal parameters bit-identical to")
digits_test(trains EXIT 0 OUT "final test accuracy 9[6-9][.].*${same} f_then_b\n$")
foreach(schedule f_then_b one_f_one_b_clamped)
  digits_test(${schedule} EXIT 0 OUT "epoch   2 .*${same} [a-z_]+\n$"
              RUN --epochs 2 --schedule ${schedule})
endforeach()
digits_test(help EXIT 0 OUT "--epochs.*--schedule.*--data" RUN --help)

# Refusals: exit code 2, nothing on standard output, one line on standard error.
function(digits_refuses name complaint)
  digits_test(refuses.${name} EXIT 2 ERR "^digits: ${complaint}[^\n]*\n$" RUN ${ARGN})
endfunction()

digits_refuses(option "[^\n]*--bogus" --bogus)
digits_refuses(argument "[^\n]*extra" extra)
digits_refuses(schedule "--schedule: gpipe not in {f_then_b," --schedule gpipe)
digits_refuses(no_value "--epochs: 1 required" --epochs)
foreach(epochs 0 -1 abc 1.5 10001 99999999999999999999)
  digits_refuses(epochs_${epochs} "--epochs: expected a whole number from 1 to 10000, found '${epochs}'"
                 --epochs ${epochs})
endforeach()

digits_refuses(missing_file "[^\n]*nowhere.csv: expected a file of at least 1797 rows, found No such"
               --data nowhere.csv)
digits_refuses(directory "[^\n]*: expected a file of at least 1797 rows, found a directory"
               --data "${CMAKE_CURRENT_SOURCE_DIR}")

# Copies of the data with one fault each.
file(READ "${digits_data}" good)
string(FIND "${good}" "\n" first_end)
math(EXPR second_begin "${first_end} + 1")
string(SUBSTRING "${good}" 0 ${second_begin} first_line)
string(SUBSTRING "${good}" ${second_begin} -1 rest)
string(SUBSTRING "${first_line}" 2 -1 short_line)  # without its "0,"
string(REGEX REPLACE "[0-9]+\n$" "" no_label "${first_line}")
string(LENGTH "${good}" length)
math(EXPR half "${length} / 2")

function(digits_file name)
  file(CONFIGURE OUTPUT "data/${name}.csv" CONTENT "${ARGN}" @ONLY)
endfunction()
function(digits_refuses_file name content complaint)
  digits_file(${name} "${content}")
  digits_refuses(${name} "[^\n]*${name}.csv:${complaint}"
                 --data "${CMAKE_CURRENT_BINARY_DIR}/data/${name}.csv")
endfunction()

string(SUBSTRING "${good}" 0 ${half} truncated)
digits_refuses_file(empty_file "" "1: expected a file of at least 1797 rows, found its end after 0")
digits_refuses_file(too_few_rows "${first_line}" "2: expected a file of .* found its end after 1")
digits_refuses_file(truncated_row "${truncated}" "[0-9]+: expected 65 numbers with commas")
digits_refuses_file(short_row "${first_line}${short_line}${rest}" "2: expected 65 numbers .* found 64")
digits_refuses_file(long_row "${first_line}9,${first_line}${rest}" "2: expected 65 numbers .* found 66")
digits_refuses_file(empty_line "${first_line}\n${rest}" "2: expected 65 numbers .* found an empty line")
digits_refuses_file(word "abc,${short_line}${rest}" "1: column 1: expected .* 0 to 16, found 'abc'")
digits_refuses_file(fraction "0.5,${short_line}${rest}" "1: column 1: expected .* found '0.5'")
digits_refuses_file(no_number ",${short_line}${rest}" "1: column 1: expected .* found ''")
digits_refuses_file(pixel_17 "17,${short_line}${rest}" "1: column 1: expected .* 0 to 16, found '17'")
digits_refuses_file(pixel_minus_1 "-1,${short_line}${rest}" "1: column 1: expected .* found '-1'")
digits_refuses_file(label_10 "${no_label}10\n${rest}" "1: column 65: expected .* 0 to 9, found '10'")

# Files from other systems are fine.
string(REPLACE "\n" "\r\n" crlf "${good}")
digits_file(crlf "${crlf}\r\n")
digits_test(crlf EXIT 0 OUT "${same} f_then_b\n$"
            RUN --epochs 1 --data "${CMAKE_CURRENT_BINARY_DIR}/data/crlf.csv")
