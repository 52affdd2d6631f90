"""The grid of a `pallas_call`: a pipeline over its points, with the refs of the kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jax.extend import core as jax_core

from tessera.pallas.convert.arguments import Arguments
from tessera.pallas.convert.arrays import Arrays
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.cores import Shared
from tessera.pallas.convert.names import dimension_name
from tessera.pallas.convert.scratch import scratch
from tessera.pallas.convert.values import ATOM, Scalar, number
from tessera.pallas.convert.windows import Windows


class Grid:
    """Opens the pipeline of a kernel, provides the kernel's refs, and closes the pipeline."""

    def __init__(self, c: Conversion, mapping: Any, jaxpr: Any, aliases: tuple, semantics: Any, shared: Shared):
        self.c, self.mapping, self.jaxpr = c, mapping, jaxpr
        self.semantics, self.shared = semantics, shared
        self.arguments = Arguments(c, mapping, jaxpr, aliases, shared)
        self.opened, self.indices = False, list[Scalar]()

    def open(self) -> list[Any]:
        """Declares operands, results and scratch, opens the pipeline, and returns the refs of the kernel in its order."""
        c, mapping, made = self.c, self.mapping, self.arguments
        count, blocks, invars = mapping.num_index_operands, mapping.block_mappings, self.jaxpr.invars
        bounds = [made.bound(i) for i in range(made.first)]
        prefetched = [made.prefetched(i) for i in range(count)]
        moved = bool(mapping.grid) and self.shared.indices is None
        self.indices = self.shared.indices or []
        self._check_index_maps(count)
        self.arrays = Arrays(c, made, [made.source(i, b) for i, b in enumerate(blocks)])
        self.shared.say_once(self.arrays.before)
        scratches = [scratch(c, v.aval, made.wanted(count + len(blocks) + i, "scratch")) for i, v in enumerate(invars[count + len(blocks) :])]
        arguments = [p.copy() if v in made.changed else p.ref for p, v in zip(prefetched, invars)]
        self.windows = Windows(c, made, self.arrays)
        if moved:
            self.windows.fetch_whole()
            self._pipeline(bounds)
        places = [*self.indices, *(p.ref for p in prefetched)]
        return [*arguments, *(self.windows.ref(i, b, places, self.opened) for i, b in enumerate(blocks)), *scratches]

    def _check_index_maps(self, count: int) -> None:
        """Refuses index maps that read operands to which the body stores: a TPU fetches blocks ahead of the body, except with one buffer."""
        for place, block in enumerate(self.mapping.block_mappings):
            if place < self.mapping.num_inputs and getattr(block.pipeline_mode, "buffer_count", None) == 1:
                continue
            jaxpr = block.index_map_jaxpr.jaxpr
            read = {v for eqn in jaxpr.eqns for v in eqn.invars if not isinstance(v, jax_core.Literal)}
            for at, var in enumerate(jaxpr.invars[len(jaxpr.invars) - count :] if count else ()):
                if var in read and self.jaxpr.invars[at] in self.arguments.changed:
                    raise self.c.refuse(
                        f"an index map reads {self.arguments.wanted(at, f'scalar_{at}')}, and the kernel stores to it: blocks are "
                        "fetched ahead, so the stores decide which blocks are fetched"
                    )

    def close(self) -> None:
        for text in self.windows.within:
            self.c.say(text)
        if self.opened:
            self.c.writer.close(self.c.place)
        for text in self.arrays.after:
            self.c.say(text)

    def _pipeline(self, bounds: list[Scalar]) -> None:
        c, dynamic, variables = self.c, iter(bounds), []
        parallel = True
        for at, size in enumerate(self.mapping.grid):
            static = isinstance(size, (int, np.integer))
            bound = number(int(size)) if static else next(dynamic)
            name = c.names.new(f"{'ijklmn'[at] if at < 6 else 'g'}", "g")
            c.loops[name] = dimension_name(self.mapping, at)
            parallel = parallel and self._is_parallel(at)
            is_shared = at == self.shared.dimension
            variables.append(f"{name} in {self.shared.range_of(at, bound)}{' parallel' if parallel and not is_shared else ''}")
            if getattr(self.mapping, "grid_names", None):
                c.named[self.mapping.grid_names[at]] = Scalar(name, ATOM, 0, max(bound.high - 1, 0))
            if at not in self.mapping.vmapped_dims:
                c.programs.append((Scalar(name, ATOM, 0, max(bound.high - 1, 0)), replace(bound, low=max(bound.low, 1))))
            self.indices.append(Scalar(name, ATOM, 0, max(bound.high - 1, 0)))
        c.writer.open(f"pipeline {', '.join(variables)}", c.place)
        self.opened = True

    def _is_parallel(self, at: int) -> bool:
        return bool(self.semantics) and at < len(self.semantics) and "parallel" in str(self.semantics[at]).lower()
