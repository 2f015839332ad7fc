#!/usr/bin/env python3
"""Seconds, peak memory and code size that a plan of 6 ops per stage costs the compiler.

For each number of stages S and micro-batches M, with and without the host engine, optimized. Prints
a Markdown table per compiler; --json FILE also writes the figures. Seconds are user + system time,
the least of some runs; they depend on the machine, so they are no test (front_end.cmake is).

    measure.py --compiler g++ --compiler clang++ [--stages 2,4] [--micro-batches 8,64]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
MAX_ACTIONS = 16384  # what the library proves at most: 2 S M
ENOUGH_SECONDS = 10  # no further run of a program that has taken so long


def run_measured(command):
    """Runs a command; its user + system seconds and the peak memory of its largest process."""
    with tempfile.TemporaryFile() as log:
        pid = subprocess.Popen(command, stdout=log, stderr=log).pid
        _, status, usage = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            log.seek(0)
            sys.exit(f"{' '.join(command)}\n{log.read().decode(errors='replace')[:2000]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(command, repeat):
    seconds, peaks = [], []
    while len(seconds) < repeat and sum(seconds) < ENOUGH_SECONDS:
        s, mib = run_measured(command)
        seconds.append(s)
        peaks.append(mib)
    return {"seconds": min(seconds), "peak_mib": max(peaks), "runs": len(seconds)}


def text_bytes(path):
    sizes = subprocess.run(["size", path], check=True, capture_output=True, text=True).stdout
    return int(sizes.splitlines()[1].split()[0])


class Compiler:
    def __init__(self, path):
        self.path = path
        version = subprocess.run([path, "--version"], check=True, capture_output=True, text=True)
        lines = [line for line in version.stdout.splitlines() if line]
        self.is_nvcc = "NVIDIA" in version.stdout
        self.is_clang = "clang" in version.stdout
        # nvcc names its release near the end, the others at once.
        self.version = next(l for l in lines if "release" in l) if self.is_nvcc else lines[0]
        self.id = "NVIDIA" if self.is_nvcc else "Clang" if self.is_clang else "GNU"

    def compile(self, source, output, flags):
        # No GPU architecture is named: there is no kernel.
        kind = ["-x", "cu"] if self.is_nvcc else ["-pthread"]
        return [self.path, "-std=c++20", "-O2", *kind, f"-I{INCLUDE}", *flags, "-c", str(source),
                "-o", str(output)]


def measure_compiler(compiler, stages, micro_batches, repeat, scratch):
    rows = []

    def add(program, source, flags, **facts):
        output = scratch / "out.o"
        row = {"program": program, **facts, **measure(compiler.compile(source, output, flags), repeat)}
        row["text_bytes"] = text_bytes(output)
        rows.append(row)
        print(f"  {compiler.id} {program} {facts}: {row['seconds']:.2f} s", file=sys.stderr)

    (scratch / "empty.cpp").write_text("")
    (scratch / "umbrella.cpp").write_text('#include "backstitch/backstitch.hpp"\n')
    add("empty file", scratch / "empty.cpp", [])
    add("umbrella header", scratch / "umbrella.cpp", [])
    for s in stages:
        for m in micro_batches:
            if m < s or 2 * s * m > MAX_ACTIONS:  # 1F1B needs M >= S
                continue
            sizes = [f"-DSTAGES={s}", f"-DMICRO_BATCHES={m}"]
            source = HERE / "plan_and_engine.cpp"
            add("plan", source, sizes, stages=s, micro_batches=m)
            add("plan and engine", source, [*sizes, "-DWITH_ENGINE"], stages=s, micro_batches=m)
    return {"id": compiler.id, "version": compiler.version, "flags": "-std=c++20 -O2", "rows": rows}


def to_markdown(compiler):
    lines = ["| S | M | plan | plan and host engine | code of both |", "|---|---|---|---|---|"]
    cost = lambda row: f"{row['seconds']:.2f} s, {row['peak_mib']:.0f} MiB"
    for row in compiler["rows"]:
        if "stages" not in row:
            lines.append(f"| {row['program']} | | {cost(row)} | | |")
    pairs = [row for row in compiler["rows"] if "stages" in row]
    for plan, engine in zip(pairs[::2], pairs[1::2]):
        lines.append(f"| {plan['stages']} | {plan['micro_batches']} | {cost(plan)} | {cost(engine)} "
                     f"| {engine['text_bytes']:,} B |")
    return "\n".join(lines)


def main():
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", required=True, help="may be given again")
    parser.add_argument("--stages", type=numbers, default=[2, 4, 8, 16])
    parser.add_argument("--micro-batches", type=numbers, default=[8, 64, 512])
    parser.add_argument("--repeat", type=int, default=3, help="most runs of one program")
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures here")
    args = parser.parse_args()

    compilers = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in args.compiler:
            compilers.append(measure_compiler(Compiler(path), args.stages, args.micro_batches,
                                              args.repeat, pathlib.Path(scratch)))
    if args.json:
        args.json.write_text(json.dumps({"compilers": compilers}, indent=1) + "\n")
    for compiler in compilers:
        print(f"\n{compiler['version']}\n\n{to_markdown(compiler)}")


if __name__ == "__main__":
    main()
