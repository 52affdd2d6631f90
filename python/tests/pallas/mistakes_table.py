"""Prints what becomes of seeded mistakes: `python mistakes_table.py [--jax N] [--limit SECONDS] [--devices N]`.

Each collective is changed in one place at a time. `--jax 60` lets JAX's interpreter look for races in 60 of them,
spread evenly, each in a process that is ended after the limit.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402

from tessera.pallas import host_devices  # noqa: E402
from tessera.pallas.decide import decide  # noqa: E402
from tessera.pallas.program import _rows  # noqa: E402
from tessera.pallas.reference import NoReference, end_worker, reference  # noqa: E402
from tessera.pallas.trace import trace  # noqa: E402
from tessera.pallas.walk import Later, walk  # noqa: E402

KERNELS = ("right_permute", "all_gather", "all_reduce", "reduce_scatter")


class _Found(Exception):
    pass


def call_of(fn: Any, x: Any) -> tuple[Any, Any, Any]:
    """The first `pallas_call` of a function, its world and its inputs."""
    found: list[Any] = []

    def on_call(eqn: Any, inputs: Any, world: Any) -> list[Later]:
        found.append((eqn, world, _rows(inputs, world)))
        raise _Found

    traced = trace(fn, (x,), {}, seed=0, chip="v5e")
    try:
        walk(traced.jaxpr.jaxpr, traced.jaxpr.consts, [Later.of([value]) for value in traced.values], on_call)
    except _Found:
        pass
    return found[0]


def by_jax(eqn: Any, world: Any, lanes: Any, right: Any, limit: float) -> str:
    """What JAX's interpreter shows of a mistake: races, other numbers, NaN, nothing; or that it does not end."""
    try:
        answer = reference(eqn, world.shape, [lanes], mode="races", limit=limit)
    except NoReference as error:
        return f"not ended in {limit:g} s" if "did not end" in str(error) else "fails"
    if answer["races"]:
        return "races"
    have = [np.asarray(row[0]) for row in answer["results"][0]]
    if any(np.isnan(one).any() for one in have):
        return "nothing said, NaN"
    return "nothing said" if all(np.array_equal(a, b) for a, b in zip(have, right)) else "nothing said, other numbers"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jax", type=int, default=0)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--devices", type=int, default=4)
    given = parser.parse_args()
    host_devices(8)
    from corpus import collectives, mistakes, table
    changed = [(name, what, build) for name in KERNELS for what, build in mistakes.mutants(collectives, name)]
    sample = {round(i * (len(changed) - 1) / max(given.jax - 1, 1)) for i in range(given.jax)}
    counts: collections.Counter[Any] = collections.Counter()
    right: dict[str, Any] = {}
    for number, (name, what, build) in enumerate(changed):
        shape = table.per_device_shape(2 if name == "reduce_scatter" else 1, given.devices)
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        try:
            eqn, world, lanes = call_of(build(given.devices), x)
        except Exception as error:  # the changed Python is no program
            print(f"{name} | {what} | not traced: {type(error).__name__} |")
            continue
        site = decide(eqn, world, lanes, {}, check_numbers=False)
        said = f"{site.status}: {', '.join(sorted({finding.kind for finding in site.findings}))}" if site.findings else site.status
        jax_says = ""
        if number in sample:
            if name not in right:
                whole, place, rows = call_of(getattr(collectives, name)(given.devices), x)
                right[name] = [np.asarray(row[0]) for row in reference(whole, place.shape, [rows], limit=10 * given.limit)["results"][0]]
            jax_says = by_jax(eqn, world, lanes, right[name], given.limit)
            end_worker()
        counts[site.status, jax_says] += 1
        print(f"{name} | {what} | {said}{': ' + site.what if site.what else ''} | {jax_says}", flush=True)
    for (status, jax_says), count in sorted(counts.items()):
        print(f"{count:4} {status}" + (f", JAX: {jax_says}" if jax_says else ""))


if __name__ == "__main__":
    main()
