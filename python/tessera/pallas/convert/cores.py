"""Kernels on several cores of a device: the grid is a mesh of TensorCores, or the cores share its first parallel dimension."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tessera.pallas.convert import scalars
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.values import ATOM, Scalar, number


class Shared:
    """Distribution of a grid over the cores of a device.

    indices: grid indices of this core if the grid is a mesh of cores, else None. dimension: the shared dimension, or None.
    """

    def __init__(self, c: Conversion, mesh: Any, grid: Sequence[Any], semantics: Any, cores: int):
        self.c = c
        self.dimension: int | None = None
        self.indices: list[Scalar] | None = None
        if type(mesh).__name__ == "TensorCoreMesh":
            c.cores = dict(mesh.shape)
            self.indices = self._of_mesh()
        elif cores > 1:
            parallel = [at for at, (kind, size) in enumerate(zip(semantics or (), grid)) if "parallel" in str(kind).lower() and size != 1]
            self.dimension = parallel[0] if parallel else None
            c.cores = {"": cores} if parallel else {}
            c.named = {"": Scalar("core", ATOM, 0, cores - 1)} if parallel else {}

    @property
    def count(self) -> int:
        return prod(self.c.cores.values())

    def _of_mesh(self) -> list[Scalar]:
        """Returns the mesh indices of this core; cores are numbered row-major."""
        c, found = self.c, []
        for at, (axis, size) in enumerate(c.cores.items()):
            behind = prod(list(c.cores.values())[at + 1 :])
            core = Scalar("core", ATOM, 0, self.count - 1) if self.count > 1 else number(0)
            place = scalars.divide(c, core, number(behind), "int32", down=True)
            found.append(scalars.remainder(c, place, number(size), "int32", down=True))
            c.named[axis] = found[-1]
            c.programs.append((found[-1], number(size)))
        return found

    def range_of(self, at: int, bound: Scalar) -> str:
        """Returns this core's index range in a dimension: all indices, or its part of the shared dimension."""
        if at != self.dimension:
            return bound.text
        if bound.known is not None and bound.known % self.count == 0:
            part = bound.known // self.count
            return f"core * {part} .. (core + 1) * {part}"
        size = f"tiles({bound.text}, {self.count})"
        return f"min(core * {size}, {bound.text}) .. min((core + 1) * {size}, {bound.text})"

    def say_once(self, texts: Sequence[str]) -> None:
        """Writes copies of whole arrays before the kernel: core 0 executes them, and the other cores wait."""
        c = self.c
        if self.count == 1 or not texts:
            for text in texts:
                c.say(text)
            return
        ready = c.names.new("arrays_ready")
        c.writer.declare(f"sem {ready}: count", c.place)
        c.writer.open("if core == 0", c.place)
        for text in texts:
            c.say(text)
        for core in range(1, self.count):
            c.names_device = True
            c.say(f"signal {ready} on device core {core}, 1")
        c.writer.otherwise("else", c.place)
        c.say(f"wait {ready}, 1")
        c.writer.close(c.place)
