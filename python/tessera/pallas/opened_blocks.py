"""The reason that a result block is undefined: it is revisited, or the body reads it before storing it or stores only a part."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from jax._src import config, core

from tessera.pallas.convert import Kernel
from tessera.pallas.convert.names import dimension_name
from tessera.pallas.engine import Finding

_MOST_POINTS = 10_000


def explained(kernel: Kernel, eqn: core.JaxprEqn, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Returns the findings, with the reason added to the note that a block is undefined since the `pallas_call`."""
    return tuple(_explained(kernel, eqn, one) for one in findings)


def _explained(kernel: Kernel, eqn: core.JaxprEqn, finding: Finding) -> Finding:
    if finding.kind != "uninitialised_read" or not finding.into:
        return finding
    names = [kernel.arrays.get(one.name, one.name) for one in kernel.results]
    if finding.into not in names:
        return finding
    mapping = eqn.params["grid_mapping"]
    reason = _reason(mapping, mapping.block_mappings[mapping.num_inputs + names.index(finding.into)])
    if reason is None:
        brought = any(note.role == "moved_by" for note in finding.notes)
        reason = "the body reads the block before it stores it" if brought else "the body does not store all of the block"
    notes = [
        replace(note, message=f"{note.message}: {reason}") if reason and note.role == "undefined_since" and note.buffer == finding.buffer else note
        for note in finding.notes
    ]
    return replace(finding, notes=tuple(notes))


def _reason(mapping: Any, block: Any) -> str | None:
    """Describes the first block that is opened again after it was left. None if there is none; empty if this is unknown."""
    jaxpr = block.index_map_jaxpr
    if not all(isinstance(size, (int, np.integer)) for size in mapping.grid):
        return ""
    if not 1 < prod(mapping.grid) <= _MOST_POINTS:
        return None if prod(mapping.grid) == 1 else ""
    if any(eqn.primitive.name == "get" for eqn in jaxpr.jaxpr.eqns):
        return ""
    left: dict[tuple[int, ...], tuple[int, ...]] = {}  # last grid point of each block
    before: tuple[int, ...] | None = None
    unused = [None] * (len(jaxpr.jaxpr.invars) - len(mapping.grid))
    for point in itertools.product(*map(range, mapping.grid)):
        with config.enable_checks(False):  # they reject None
            place = tuple(int(one) for one in core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *map(np.int32, point), *unused))
        if place != before and place in left:
            return (
                f"the block {_listed(place)} is left after {_named(mapping, left[place])} and opened again at {_named(mapping, point)}, "
                "and nothing fetches its contents"
            )
        left[place], before = point, place
    return None


def _listed(place: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, place))})"


def _named(mapping: Any, point: tuple[int, ...]) -> str:
    return " ".join(f"{dimension_name(mapping, at)}={one}" for at, one in enumerate(point))
