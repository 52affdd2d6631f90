#!/usr/bin/env python3
"""How time and memory of `verify`, and of the verdict in an ordinary run, grow with a program.

    tests/bench/verify_growth.py [--seconds 1] [--repeat 3] [--only NAME] [--binary build/release/bin/gmm-run]

Each program of tests/review/perf_*.tsr is doubled until it takes so many seconds, and then twice more. Prints a
row for each: processor seconds, of several runs the least, peak memory, and both beside the row before. An ordinary run leaves the verdict
to `verify` from 200,000 events on, so there the sizes are the last below that.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE = re.compile(r"((?:^    copy x -> h\n)+)", re.MULTILINE)

# Program, options, first n, events for each n.
PROGRAMS = [
    ("nested_ranges", [], 1000, 12),
    ("many_races", ["--cores", "2", "--profile", "v5p"], 100, 24),
    ("copies_in_flight", [], 1000, 12),
    ("count_range", ["--devices", "2"], 1000, 8),
    ("polls", ["--devices", "2"], 400, 4),
    ("iterations_that_send", ["--devices", "4"], 500, 60),
    ("iterations_one_signal", ["--devices", "2"], 500, 30),
    ("additions_in_flight", ["--devices", "4"], 500, 40),
]


def measure(command, repeat):
    # What else the machine does adds to a run and takes nothing off it.
    runs = [measure_once(command) for _ in range(repeat)]
    return min(seconds for seconds, _ in runs), min(memory for _, memory in runs)


def measure_once(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/gmm-run"))
    options = parser.parse_args()
    print("| program | command | n | seconds | MiB | seconds beside n/2 | MiB beside n/2 |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, words, first, events in PROGRAMS:
            if options.only not in name:
                continue
            text = (ROOT / f"tests/review/perf_{name}.tsr").read_text()

            def command(verb, n):
                path = pathlib.Path(folder) / f"{name}.tsr"
                repeated = LINE.sub("    copy x -> h\n" * n, text)
                path.write_text(repeated)
                sets = [] if repeated != text or LINE.search(text) else ["--set", f"n={n}"]
                return [options.binary, verb, str(path), *words, *sets, *(["--interpret"] if verb == "run" else [])]

            for verb in ("verify", "run"):
                n, rows = first, []
                while True:
                    if verb == "run" and n * 2 * events > 200_000:
                        rows = rows[-3:]
                        break
                    rows.append((n, *measure(command(verb, n), options.repeat)))
                    if verb == "verify" and len(rows) > 2 and rows[-3][1] >= options.seconds:
                        rows = rows[-3:]
                        break
                    n *= 2
                before = None
                for row in rows:
                    ratio = [f"{a / b:.2f}" if b else "" for a, b in zip(row[1:], before[1:])] if before else ["", ""]
                    print(f"| {name} | {verb} | {row[0]:,} | {row[1]:.2f} | {row[2]:.0f} | {' | '.join(ratio)} |", flush=True)
                    before = row


if __name__ == "__main__":
    main()
