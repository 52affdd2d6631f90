#!/usr/bin/env python3
"""Peak resident memory of gmm runs less that of --help, beside the bytes of their operands and results.

    tests/bench/peak_memory.py [--size 1024 2048] [--binary build/release/bin/gmm-run]

Every run is without the reference (--check none); "unchecked" is the interpreter without its checks.
Prints one JSON object a line; the limit is operands + results, plus 1 byte for 4 of them for the checks
(a kernel's scratch, at most 1 MiB here, comes on top).
"""

import argparse
import json
import os
import pathlib
import subprocess

GROUPS = 8
MIB = 2**20


def peak(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_maxrss * 1024


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, nargs="+", default=[1024, 2048], help="m = k = n")
    parser.add_argument("--binary", default=str(root / "build/release/bin/gmm-run"))
    options = parser.parse_args()
    idle = peak([options.binary, "--help"])
    for dtype, width in (("f32", 4), ("bf16", 2)):
        for size in options.size:
            operands = (1 + GROUPS) * size * size * width + size * size * 4
            command = [
                options.binary,
                "gmm",
                "--interpret",
                "--check",
                "none",
                "--m",
                str(size),
                "--k",
                str(size),
                "--n",
                str(size),
                "--groups",
                str(GROUPS),
                "--group-sizes",
                "uniform",
                "--dtype",
                dtype,
            ]
            row = {"dtype": dtype, "size": size, "operands_and_results_mib": operands / MIB, "limit_mib": operands * 1.25 / MIB}
            for name, more in (("checked", []), ("unchecked", ["--unchecked"])):
                row[name + "_mib"] = round((peak(command + more) - idle) / MIB, 1)
            print(json.dumps(row))


if __name__ == "__main__":
    main()
