"""Conversion of a `pallas_call` to a kernel: operands, results, scratch, the grid with its windows, and the body."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tessera.pallas.convert import (  # noqa: F401 (their rules)
    arithmetic,
    control,
    expanded,
    float_functions,
    loops,
    masked,
    reductions,
    refs,
    shapes,
    sync,
)
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.cores import Shared
from tessera.pallas.convert.grid import Grid
from tessera.pallas.convert.kernel import Kernel, Place
from tessera.pallas.convert.names import Names
from tessera.pallas.convert.parameters import clean
from tessera.pallas.convert.places import place_of
from tessera.pallas.convert.walk import walk
from tessera.pallas.convert.writer import NOWHERE, Writer
from tessera.pallas.versions import compiler_params


def convert_call(
    eqn_or_params: Any, *, mesh: Any = None, lines: bool = False, parallel: bool = False, cores: int = 1, padded: frozenset[str] = frozenset()
) -> Kernel:
    params = getattr(eqn_or_params, "params", eqn_or_params)
    jaxpr, grid_mapping = params["jaxpr"], params["grid_mapping"]
    axes = tuple(getattr(mesh, "shape", {}).items()) if mesh is not None else ()
    info = getattr(eqn_or_params, "source_info", None)
    start = place_of(info, NOWHERE) if info is not None else NOWHERE
    if not start.line:
        start = _start_of(jaxpr)
    c = Conversion(Writer(), Names(), axes, start, parallel=parallel, padded=padded)
    wanted = compiler_params(params)
    c.collective = getattr(wanted, "collective_id", None)
    c.learn(jaxpr)
    if getattr(jaxpr, "constvars", ()):
        raise c.refuse("a kernel that holds constant arrays")
    semantics = getattr(wanted, "dimension_semantics", None)
    shared = Shared(c, params.get("mesh"), grid_mapping.grid, semantics, cores)
    grid = Grid(c, grid_mapping, jaxpr, tuple(params.get("input_output_aliases", ())), semantics if parallel else None, shared)
    arguments = grid.open()
    walk(c, jaxpr, arguments)
    grid.close()
    if not c.leaving <= padded and not padded:
        return convert_call(eqn_or_params, mesh=mesh, lines=lines, parallel=parallel, cores=cores, padded=frozenset(c.leaving))
    made = grid.arguments
    name = _kernel_name(c, params, jaxpr)
    text, places = c.writer.text(name, lines)
    devices = int(np.prod([n for _, n in axes])) if axes else None
    return Kernel(
        text,
        tuple(made.operands),
        tuple(made.results),
        devices if c.names_device else None,
        frozenset(made.decides),
        tuple(c.opaque),
        places,
        c.loops,
        frozenset(c.windows),
        c.arrays,
        c.names.renamed,
        c.equations,
        name,
        prod(c.cores.values()),
        bool(padded),
        c.left_out(),
    )


def _start_of(jaxpr: Any) -> Place:
    """Returns the line of the kernel function, for a `pallas_call` that no line of the user created."""
    said = str(getattr(jaxpr.debug_info, "func_src_info", "") or "")
    _, _, where = said.rpartition(" at ")
    file, _, line = where.rpartition(":")
    return Place(file or said or "kernel", int(line) if line.isdigit() else 0)


def _kernel_name(c: Conversion, params: Any, jaxpr: Any) -> str:
    given = params.get("name") or str(getattr(jaxpr.debug_info, "func_src_info", "") or "").split(" ")[0]
    return c.names.new(clean(given), "kernel")
