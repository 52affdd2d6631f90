"""Bodies of branches, loops and calls: their results, and the cells in which results are passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tessera.pallas.convert import tiles
from tessera.pallas.convert.constants import constant
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.values import ATOM, Scalar, Tile, dtype_name, limits
from tessera.pallas.convert.walk import walk


class Cell:
    """Storage for a result of a branch or for a value that a loop carries: integers in smem, others in registers."""

    def __init__(self, c: Conversion, aval: Any, wanted: str | None):
        self.dtype, self.shape = dtype_name(aval.dtype), tuple(aval.shape)
        self.integer = self.shape == () and not tiles.is_float(self.dtype)
        space, extents = ("smem", (1,)) if self.integer else ("tile", self.shape or (1,))
        kept = "int64" if self.integer else self.dtype
        self.ref = c.declare(space, wanted or "carried", kept, extents)

    def put(self, c: Conversion, value: Any) -> None:
        if self.integer:
            c.say(f"{self.ref.name}[0] = {scalar(c, value).text}")
        else:
            tiles.store(c, self.ref, value)

    def get(self, low: int | None = None, high: int | None = None) -> Any:
        reads = frozenset({self.ref.root})
        if self.integer:
            smallest, largest = limits(self.dtype)
            return Scalar(f"{self.ref.name}[0]", ATOM, smallest if low is None else low, largest if high is None else high, self.dtype, reads)
        if self.shape == ():
            return Tile(f"{self.ref.name}[0]", ATOM, (), (), self.dtype, tiles.TYPES[self.dtype], reads=reads)
        return tiles.of_cell(self.ref).with_(reads=reads, ref=self.ref)


def run_body(c: Conversion, closed: Any, operands: Sequence[Any]) -> list[Any]:
    """Converts a body in the current scope and returns its results."""
    c.learn(closed.jaxpr)
    return walk(c, closed.jaxpr, operands, [constant(c, v, v) for v in map(np.asarray, closed.consts)])
