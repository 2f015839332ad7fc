#!/usr/bin/env bash
# Prints a Markdown table: seconds (user time, best of 3) to compile a plan of 6 ops per stage with
# and without its host engine, and the size of the code.
#
#   CXX=g++ bash measure.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cxx=${CXX:-g++}
include=../../include
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# best_of_3 <command...>: sets `seconds`, user time.
best_of_3() {
  local TIMEFORMAT=%U s
  seconds=""
  for _ in 1 2 3; do
    s=$( { time "$@"; } 2>&1)
    if [[ -z $seconds ]] || awk "BEGIN { exit !($s < $seconds) }"; then
      seconds=$s
    fi
  done
}

text_size() { size "$1" | awk 'NR == 2 { print $1 }'; }

"$cxx" --version | head -n 1
echo
echo "| program | seconds | text bytes |"
echo "|---|---|---|"
: >"$scratch/empty.cpp"
best_of_3 "$cxx" -std=c++20 -fsyntax-only "$scratch/empty.cpp"
echo "| empty file, -fsyntax-only | $seconds | |"
echo '#include "backstitch/backstitch.hpp"' >"$scratch/umbrella.cpp"
best_of_3 "$cxx" -std=c++20 -I "$include" -fsyntax-only "$scratch/umbrella.cpp"
echo "| umbrella header, -fsyntax-only | $seconds | |"
for micro_batches in 16 64 512; do
  for engine in "" -DWITH_ENGINE; do
    best_of_3 "$cxx" -std=c++20 -O2 -pthread -I "$include" -DSTAGES=8 \
      -DMICRO_BATCHES=$micro_batches $engine -c plan_and_engine.cpp -o "$scratch/out.o"
    echo "| S=8, M=$micro_batches, plan${engine:+ and host engine}, -O2 | $seconds |" \
      "$(text_size "$scratch/out.o") |"
  done
done
