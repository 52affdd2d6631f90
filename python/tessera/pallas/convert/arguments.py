"""Operands and results of a kernel: bounds of the grid, prefetched scalars, and the arrays of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tessera.pallas.convert.blocks import array_aval, block_aval, numpy_type, space_of
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.cores import Shared
from tessera.pallas.convert.kernel import Operand, Result
from tessera.pallas.convert.parameters import clean, parameter_names
from tessera.pallas.convert.values import ATOM, Ref, Scalar, dtype_name, held, stored_type, whole
from tessera.pallas.versions import effect_target


class Prefetched:
    """A prefetched scalar operand. If the kernel stores to it, it is copied, because operands are read-only."""

    def __init__(self, c: Conversion, ref: Ref):
        self.c, self.ref = c, ref

    def copy(self) -> Ref:
        c = self.c
        made = c.declare("smem", f"{self.ref.name}_kept", self.ref.dtype, self.ref.extents)
        c.say(f"copy {self.ref.name} -> {made.name}")
        self.ref = Ref(made.name, made.root, "smem", made.dtype, self.ref.dims, made.extents)
        return self.ref


class Arguments:
    """Declares operands and results.

    aliases: input of each result that shares its memory with an input. changed: refs of the kernel that may be written.
    decides: inputs on which control flow depends.
    """

    def __init__(self, c: Conversion, mapping: Any, jaxpr: Any, aliases: tuple, shared: Shared):
        self.c, self.mapping, self.jaxpr, self.shared = c, mapping, jaxpr, shared
        self.aliases = {o: i for i, o in aliases}
        self.first = mapping.num_dynamic_grid_bounds
        self.operands: list[Operand] = []
        self.results: list[Result] = []
        self.decides: set[int] = set()
        self.given = parameter_names(jaxpr)
        self.changed = {effect_target(effect, jaxpr.invars) for effect in jaxpr.effects if type(effect).__name__ in ("WriteEffect", "AccumEffect")}

    def wanted(self, at: int, otherwise: str) -> str:
        return clean(self.given[at] if at < len(self.given) else None) or otherwise

    def block_name(self, at: int) -> str:
        output = at - self.mapping.num_inputs
        return self.wanted(self.mapping.num_index_operands + at, f"out_{output}" if output >= 0 else f"in_{at}")

    def bound(self, at: int) -> Scalar:
        ref = self._declare("in", f"grid_{at}", "int32", (1,), "smem")
        self._operand(ref, (1,), at)
        self.decides.add(at)
        return Scalar(f"{ref.name}[0]", ATOM, 0, (1 << 31) - 1)

    def prefetched(self, at: int) -> Prefetched:
        aval = self.mapping.index_map_avals[len(self.mapping.grid) + at]
        shape, dtype = tuple(aval.shape), dtype_name(aval.dtype)
        ref = self._declare("in", self.wanted(at, f"scalar_{at}"), dtype, shape or (1,), "smem")
        self._operand(ref, shape or (1,), self.first + at)
        self.decides.add(self.first + at)
        return Prefetched(self.c, held(ref.name, ref.root, "smem", dtype, shape))

    def source(self, at: int, block: Any) -> Ref:
        """Declares the operand or the result that contains a block."""
        c, mapping = self.c, self.mapping
        output = at - mapping.num_inputs
        array, dtype = tuple(array_aval(block).shape), str(array_aval(block).dtype)
        aval = block_aval(block)
        space = space_of(c, aval)
        base = self.block_name(at)
        wanted = base if space != "vmem" else f"{base.removesuffix('_ref')}_hbm"
        kept = "smem" if space == "smem" else "hbm"
        index = self.first + mapping.num_index_operands + at
        if output >= 0 and self.shared.count > 1 and space != "hbm" and self.shared.indices is not None:
            raise c.refuse(f"the result {base} in {space}: each of the {self.shared.count} cores has its own")
        shape = array or (1,)
        aliased = {i - mapping.num_index_operands: o for o, i in self.aliases.items()}
        if output < 0 and at in aliased:
            wanted += "_given"
        ref = self._declare("in" if output < 0 else "out", wanted, dtype, shape, kept)
        c.arrays.update({ref.name: base} if wanted != base else {})
        if output < 0:
            self._operand(ref, shape, index)
            if kept == "smem":
                self.decides.add(index)
        else:
            alias = self.aliases.get(output)
            self.results.append(
                Result(
                    ref.name,
                    numpy_type(stored_type(dtype, kept)),
                    shape,
                    np.dtype(array_aval(block).dtype),
                    array,
                    None if alias is None else self.first + alias,
                )
            )
        return ref

    def _declare(self, way: str, wanted: str, dtype: str, shape: tuple[int, ...], space: str) -> Ref:
        c = self.c
        name = c.names.new(wanted)
        extents = f"[{', '.join(map(str, shape))}]" if shape else ""
        c.writer.declare(f"{way} {name}: {c.type_of(stored_type(dtype, space))}{extents} {space}", c.place)
        return whole(name, name, space, dtype, shape)

    def _operand(self, ref: Ref, shape: tuple[int, ...], index: int) -> None:
        self.operands.append(Operand(ref.name, numpy_type(stored_type(ref.dtype, ref.space)), shape, index))
