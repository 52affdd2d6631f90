"""Prints what becomes of the mutants of each converted kernel of the corpus: `python mutants_table.py [NAME ...]`.

`gmm-run verify --mutants` changes each synchronising op of the text in turn (tests/bench/results/mutants.md). A row has how many there are
and their fates; rows of values, which are changed by one, follow.
"""

from __future__ import annotations

import collections
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))

from calls import Call, each_call
from tessera.pallas import engine, host_devices, jaxpr_tools, options
from tessera.pallas.convert import Refused
from tessera.pallas.decide import converted

FATES = ("deadlock", "leftover", "race, other end", "race, same end", "finding", "value", "equivalent", "unreached", "undecided")
VALUES = ("finding", "different", "other results", "other schedule", "equal", "unreached")
# Under which the kernel is right: mutants of a kernel that is refuted tell nothing.
PROMISES: dict[str, dict[str, Any]] = {"all_gather.py": {"dma_order": "fifo"}}


def fates(call: Call, promises: dict[str, Any]) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """How many mutants of synchronisation and of values have each fate; raises `Refused`."""
    eqn, world, lanes = call
    kernel = converted(eqn, world)
    report = engine.verify(kernel, lanes, options.command_line({**promises, "mutants": True}, "verify"))
    if "mutants" not in report.object:
        raise Refused(jaxpr_tools.place(eqn), (report.object.get("error") or report.text.strip()).splitlines()[0])
    return tuple(collections.Counter(one["fate"] for one in report.object[name]) for name in ("mutants", "value_mutants"))  # type: ignore[return-value]


def cells(counts: collections.Counter[str], names: Sequence[str]) -> str:
    unknown = set(counts) - set(names)
    assert not unknown, f"fates without a column: {unknown}"
    return " | ".join(str(number) for number in (sum(counts.values()), *(counts[name] for name in names)))


def main(words: Sequence[str]) -> None:
    from corpus import table

    host_devices(8)
    of_values = []
    print(f"| kernel | mutants | {' | '.join(FATES)} | s |\n|---|" + "---:|" * (len(FATES) + 2))
    for row in [*table.rings(4), *table.on_grids(), *table.wheel_rows()]:
        if words and not any(word in row.name for word in words):
            continue

        def say(call: Call) -> None:
            name = f"{row.name}, {jaxpr_tools.kernel_name(call[0])}"
            begun = time.perf_counter()
            try:
                ops, values = fates(call, PROMISES.get(row.name, {}))
            except Refused as refused:
                print(f"| {name} | {refused} |", flush=True)
                return
            print(f"| {name} | {cells(ops, FATES)} | {time.perf_counter() - begun:.1f} |", flush=True)
            of_values.append(f"| {name} | {cells(values, VALUES)} |")

        each_call(*row.build(), say)
    print(f"\n| values one on | changed | {' | '.join(VALUES)} |\n|---|" + "---:|" * (len(VALUES) + 1))
    print("\n".join(of_values))


if __name__ == "__main__":
    main(sys.argv[1:])
