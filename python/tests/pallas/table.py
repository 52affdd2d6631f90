"""Prints what becomes of the corpus, beside what JAX's own interpreter takes: `python table.py [--no-jax] [NAME ...]`.

A row has the column of each `pallas_call`, the lines of `.tsr`, equations, the milliseconds of conversion (of the processor), run and
proof, and of JAX's interpreter warm, without and with `detect_races`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))

from calls import Call, each_call
from tessera.pallas import engine, host_devices, jaxpr_tools, options
from tessera.pallas.compare import compare
from tessera.pallas.decide import converted, decide
from tessera.pallas.reference import NoReference, mode_of, reference

HEAD = ("kernel", "call at", "equations", ".tsr lines", "verdict, numbers", "convert ms", "run ms", "verify ms", "JAX ms", "+ detect_races ms")


def timed(work: Callable[[], Any], times: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    """Least milliseconds."""
    found = []
    for _ in range(times):
        begun = clock()
        work()
        found.append(1000 * (clock() - begun))
    return min(found)


def by_jax(eqn: Any, world: Any, lanes: Any, mode: str, times: int, limit: float) -> str:
    """Warm milliseconds, and whether races were found."""
    try:
        answer = reference(eqn, world.shape, [lanes], mode=mode, times=times, limit=limit)
    except NoReference as error:
        return f"over {limit:g} s" if "did not end" in str(error) else "fails"
    return f"{1000 * answer['warm']:.0f}" + (", races" if answer["races"] else "")


def row(site: Any, eqn: Any, world: Any, lanes: Any, with_jax: bool, times: int, limit: float) -> list[str]:
    from corpus.table import column

    equations = sum(1 for _ in jaxpr_tools.primitives(eqn.params["jaxpr"]))
    cells = [site.place, str(equations)]
    if site.kernel is None:
        cells += ["", site.what, "", "", ""]
    else:
        what = column(site)
        if site.status == "refuted":
            numbers = compare(site.kernel, eqn, world.shape, lanes, seed=1, options=options.command_line({}, "run"), limit=limit)
            kinds = sorted({finding.kind for finding in site.findings})
            what = f"refuted ({', '.join(kinds)}; {site.promises or 'whatever copies do'}); numbers: {numbers.status}"
        cells += [str(site.kernel.text.count("\n")), what, f"{timed(lambda: converted(eqn, world), clock=time.process_time):.1f}"]
        cells += [
            f"{timed(lambda: engine.run(site.kernel, lanes, options.command_line({}, 'run'))):.0f}",
            f"{timed(lambda: engine.verify(site.kernel, lanes, options.command_line({}, 'verify'))):.0f}",
        ]
    modes = [mode_of(eqn), "races"] if with_jax else []
    return cells + ([by_jax(eqn, world, lanes, mode, times, limit) for mode in modes] or ["", ""])


def rows(name: str, fn: Any, args: Sequence[Any], with_jax: bool, times: int = 3, limit: float = 60) -> list[list[str]]:
    """A row for each call; JAX's interpreter gets `limit` seconds for `times` calls, of which the first compiles."""
    found: list[list[str]] = []

    def add(call: Call) -> None:
        eqn, world, lanes = call
        site = decide(eqn, world, lanes, {})
        found.append([f"{name}, {jaxpr_tools.kernel_name(eqn)}", *row(site, eqn, world, lanes, with_jax, times, limit)])

    def without_inputs(eqn: Any, why: str) -> None:
        found.append([f"{name}, {jaxpr_tools.kernel_name(eqn)}", jaxpr_tools.place(eqn), "", "", f"not tried: {why}", "", "", "", "", ""])

    each_call(fn, args, add, without_inputs)
    return found


def main(words: Sequence[str]) -> None:
    from corpus import table

    host_devices(8)
    with_jax = "--no-jax" not in words
    names = [word for word in words if not word.startswith("--")]
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for one in [*table.rings(8), *table.on_grids(), *table.wheel_rows()]:
        if names and not any(name in one.name for name in names):
            continue
        fn, args = one.build()
        for cells in rows(one.name, fn, args, with_jax):
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
