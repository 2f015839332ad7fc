#!/usr/bin/env python3
"""Joins the measured figures to one JSON file and writes them as tables into bench/README.md.

A table stands between `<!-- begin NAME -->` and `<!-- end NAME -->`, where NAME says what was
measured and with which compiler; tables of other compilers stay as they are.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compile_cost"))
import measure as compile_cost  # noqa: E402


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine():
    return {"cpu": cpu_model(), "cores": os.cpu_count(),
            "system": platform.freedesktop_os_release()["PRETTY_NAME"],
            "date": datetime.date.today().isoformat()}


def executors_table(rows):
    micro_batches = sorted({row["micro_batches"] for row in rows})
    at = {(row["executor"], row["micro_batches"]): row for row in rows}
    middle = micro_batches[len(micro_batches) // 2]
    lines = ["| executor | " + " | ".join(f"M = {m}" for m in micro_batches) +
             f" | against `compiled`, M = {middle} |",
             "|---" * (len(micro_batches) + 2) + "|"]
    # The run itself is in random order.
    executors = {row["executor"] for row in rows}
    for executor in sorted(executors, key=lambda e: at[e, middle]["instructions_per_action"]):
        cells = []
        for m in micro_batches:
            row = at[executor, m]
            cells.append(f"{row['ns_per_action']:,.2f} / {row['instructions_per_action']:,.1f}")
        own, base = at[executor, middle], at["compiled", middle]
        ratios = [own[what] / base[what] for what in ("ns_per_action", "instructions_per_action")]
        cells.append(" / ".join(f"{ratio:,.2f}x" for ratio in ratios))
        lines.append(f"| `{executor}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def replace_table(readme, name, text):
    marked = re.compile(rf"(<!-- begin {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)",
                        re.DOTALL)
    if len(marked.findall(readme)) != 1:
        sys.exit(f"the README needs one pair of markers '{name}'")
    return marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", readme)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executors", type=pathlib.Path, required=True)
    parser.add_argument("--compile-cost", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--readme", type=pathlib.Path, required=True)
    args = parser.parse_args()

    host = machine()
    measured = json.loads(args.executors.read_text())
    compilers = json.loads(args.compile_cost.read_text())["compilers"]
    args.json.write_text(json.dumps({"machine": host, **measured, "compile_cost": compilers},
                                    indent=1) + "\n")

    where = f"{host['cpu']}, {host['cores']} cores, {host['system']}, {host['date']}"
    readme = args.readme.read_text()
    # The first compiler built the executors.
    built_with = compilers[0]
    readme = replace_table(readme, f"executors {built_with['id']}",
                           f"{built_with['version']}; {where}\n\n{executors_table(measured['executors'])}")
    for compiler in compilers:
        readme = replace_table(readme, f"compile cost {compiler['id']}",
                               f"{compiler['version']}; {where}\n\n{compile_cost.to_markdown(compiler)}")
    args.readme.write_text(readme)
    print(f"{args.json}\n{args.readme}")


if __name__ == "__main__":
    main()
