"""Prints what becomes of the kernels of the trial: `python trial_table.py [--no-jax] [NAME | PACKAGE ...]`.

The packages are those of `trial/`, as far as they are installed: `pip install --no-deps` is enough, or a clone's folder in
PYTHONPATH. A row is one `pallas_call`; its columns are those of `table.py`. Behind the table stand the totals of kernels.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))
warnings.filterwarnings("ignore")

import jax  # noqa: E402

import tessera  # noqa: E402
from table import HEAD, rows  # noqa: E402
from tessera.pallas import host_devices  # noqa: E402
from trial import CASES, NotThere  # noqa: E402

RUNS, PROTOCOL, NO_NUMBERS, REFUTED, REFUSED = ("runs, same numbers", "protocol only", "proved, JAX has no numbers", "refuted", "refused")


def column(words: Sequence[str]) -> str:
    """What is said of a kernel by what is said of its calls: the worst of them."""
    kinds = [next((kind for kind in (REFUTED, PROTOCOL, NO_NUMBERS, RUNS) if word.startswith(kind)), REFUSED) for word in words]
    return next(kind for kind in (REFUTED, REFUSED, PROTOCOL, NO_NUMBERS, RUNS) if kind in kinds)


def main(words: Sequence[str]) -> None:
    host_devices(8)
    names = [word for word in words if not word.startswith("--")]
    print(f"jax {jax.__version__}, Python {platform.python_version()}, tessera {tessera.__version__}, {os.cpu_count()} cores\n")
    print("| package | " + " | ".join(HEAD) + " |\n|" + "---|" * (len(HEAD) + 1))
    total: Counter[str] = Counter()
    for one in CASES:
        if names and not any(name in (one.name, one.package) for name in names):
            continue
        try:
            fn, args = one.build()
            found = rows(one.name, fn, args, "--no-jax" not in words, times=2, limit=30)
        except (NotThere, ModuleNotFoundError) as missing:
            print(f"| {one.package} | {one.name} | {one.file} | | | not tried: {missing} |" + " |" * 5, flush=True)
            total["not tried"] += 1
            continue
        except Exception as error:  # of the kernel's own Python
            found = [[one.name, one.file, "", "", f"refused: {type(error).__name__}: {str(error).splitlines()[0]}", "", "", "", "", ""]]
        for cells in found:
            print(f"| {one.package} | " + " | ".join(cells) + " |", flush=True)
        total[column([cells[4] for cells in found])] += 1
    print("\n" + "; ".join(f"{what}: {count}" for what, count in sorted(total.items())) + f"; of {sum(total.values())} kernels")


if __name__ == "__main__":
    main(sys.argv[1:])
