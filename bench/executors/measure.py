#!/usr/bin/env python3
"""Nanoseconds and instructions per action of every executor, as JSON.

    measure.py --time bench_executors --run executors_run --json FILE

Nanoseconds come from Google Benchmark, all executors interleaved at random in one run; the median
of the repetitions counts. Instructions are counted by callgrind and repeat exactly.
"""

import argparse
import json
import pathlib
import re
import subprocess

STAGES = 4
REPETITIONS = 5


def actions_per_step(micro_batches):
    return 2 * STAGES * micro_batches


def measure_time(program, min_time):
    """{(executor, micro-batches): {"ns": median, "cv": ...}} and the whole report."""
    command = [program, f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_min_time={min_time}",
               "--benchmark_enable_random_interleaving=true", "--benchmark_format=json",
               "--benchmark_report_aggregates_only=true"]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    for private in ("host_name", "executable"):
        report["context"].pop(private, None)
    figures = {}
    for row in report["benchmarks"]:
        executor, micro_batches = row["run_name"].split("/")
        entry = figures.setdefault((executor, int(micro_batches)), {})
        if row["aggregate_name"] == "median":
            entry["ns"] = row["real_time"] / actions_per_step(int(micro_batches))
        elif row["aggregate_name"] == "cv":
            entry["cv"] = row["real_time"]
    return figures, report


def count(command):
    log = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                         check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", log).group(1))


def count_instructions(program, executor, micro_batches):
    """Per action. The difference of two numbers of steps is free of start-up."""
    interpreted = executor == "interpreter"
    few = 2
    many = few + max(2, (640 if interpreted else 12800) // micro_batches)
    difference = (count([program, executor, str(micro_batches), str(many)]) -
                  count([program, executor, str(micro_batches), str(few)]))
    return difference / ((many - few) * actions_per_step(micro_batches))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", required=True, help="the program bench_executors")
    parser.add_argument("--run", required=True, help="the program executors_run")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--min-time", type=float, default=0.5, help="seconds per repetition")
    args = parser.parse_args()

    times, report = measure_time(args.time, args.min_time)
    rows = [{"executor": executor, "micro_batches": micro_batches,
             "ns_per_action": entry["ns"], "coefficient_of_variation": entry["cv"],
             "instructions_per_action": count_instructions(args.run, executor, micro_batches)}
            for (executor, micro_batches), entry in times.items()]
    args.json.write_text(json.dumps({"executors": rows, "google_benchmark": report}, indent=1) + "\n")


if __name__ == "__main__":
    main()
