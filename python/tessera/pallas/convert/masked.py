"""Rules of masked loads and stores. Elements outside the memory must be masked off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import scalars, tiles
from tessera.pallas.convert.bodies import run_body
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.refs import counted, exchange, leaves, loaded, taken
from tessera.pallas.convert.values import Dim, Ref, Scalar, Tile, number


@rule("masked_load")
def _load(c: Conversion, eqn: Any, *flat: Any) -> Any:
    ref, transforms, mask, other = eqn.params["args_tree"].unflatten(flat)
    where = taken(c, ref, transforms)
    value = loaded(c, where) if mask is None or not _leaves(where) else _Inside(c, where, mask).fetched()
    if mask is None or other is None or isinstance(value, Scalar):
        return value
    return _selected(c, eqn, mask, value, other)


@rule("masked_swap")
def _swap(c: Conversion, eqn: Any, *flat: Any) -> Any:
    ref, transforms, value, mask = eqn.params["args_tree"].unflatten(flat)
    where = taken(c, ref, transforms)
    if mask is None:
        return exchange(c, eqn, where, value)
    if not _leaves(where):
        return exchange(c, eqn, where, _selected(c, eqn, mask, value, loaded(c, where)))
    inside = _Inside(c, where, mask)
    before = inside.fetched()
    given = c.name(before) if c.is_used(eqn.outvars[0]) else None
    tiles.store(c, inside.held, _selected(c, eqn, mask, value, before))
    c.say(f"copy {inside.part_of_held.text} -> {inside.part.text}")
    return given


def _selected(c: Conversion, eqn: Any, mask: Any, value: Any, other: Any) -> Tile:
    return tiles.operate(c, eqn, [mask, value, other], lambda m, v, o: (f"select({m.text}, {v.text}, {o.text})", 1), rounds=False)


def _leaves(ref: Ref) -> bool:
    return ref.space == "vmem" and any(leaves(dim, extent) for dim, extent in zip(ref.dims, ref.extents))


class _Inside:
    """The part of a slice that is inside the memory.

    part: this part of the memory. part_of_held: the same part of new memory with the slice's shape.
    """

    def __init__(self, c: Conversion, where: Ref, mask: Any):
        shape = tuple(size for size in where.shape if isinstance(size, int))
        if len(shape) != len(where.shape) or any(dim.stride != 1 for dim in where.dims):
            raise c.refuse(f"a masked access to {where.name} whose size only the run has, or with a stride")
        self.c, self.held = c, c.declare("vmem", f"{where.name}_masked", where.dtype, shape)
        dims, dims_of_held, ends = [], [], []
        for dim, extent in zip(where.dims, where.extents):
            if not leaves(dim, extent) or dim.size is None:
                dims.append(dim)
                if isinstance(dim.size, int):
                    dims_of_held.append(Dim(number(0), dim.size, whole=True))
                    ends.append((number(0), number(dim.size)))
                continue
            begin = self._within(scalars.add(c, number(0), dim.start, "int64", -1), dim.size)
            end = self._within(scalars.add(c, number(extent), dim.start, "int64", -1), dim.size)
            count = c.name(scalars.extreme(c, "max", scalars.add(c, end, begin, "int64", -1), number(0), "int64"))
            dims.append(Dim(scalars.add(c, dim.start, begin, "int64"), count))
            dims_of_held.append(Dim(begin, count))
            ends.append((begin, end))
        self.part = Ref(where.name, where.root, where.space, where.dtype, tuple(dims), where.extents)
        self.part_of_held = Ref(self.held.name, self.held.root, "vmem", where.dtype, tuple(dims_of_held), shape)
        self._check(where, mask, ends)

    def _within(self, value: Scalar, size: Any) -> Scalar:
        c = self.c
        return c.name(scalars.extreme(c, "min", scalars.extreme(c, "max", value, number(0), "int64"), number(size), "int64"))

    def _check(self, where: Ref, mask: Any, ends: Sequence[tuple[Scalar, Scalar]]) -> None:
        """Writes a `bounds` check that fails if an element outside the memory is not masked off."""
        c, shape = self.c, self.held.extents

        def outside(mask, *ends):
            found = jnp.zeros(shape, bool)
            for axis in range(len(shape)):
                at = jax.lax.broadcasted_iota(jnp.int32, shape, axis)
                found = found | (at < ends[2 * axis]) | (at >= ends[2 * axis + 1])
            return jnp.max((found & mask).astype(jnp.int32))

        flat = [end for pair in ends for end in pair]
        traced = jax.make_jaxpr(outside)(jax.ShapeDtypeStruct(shape, bool), *[jnp.int32(0)] * len(flat))
        (found,) = run_body(c, traced, [mask, *flat])
        some = c.name(counted(c, found))
        for dim, extent in zip(where.dims, where.extents):
            if leaves(dim, extent) and dim.size is not None:
                c.say(f"bounds(select({some.text}, {dim.start.text}, 0), select({some.text}, {dim.size}, 0), {extent})")

    def fetched(self) -> Tile:
        """Returns the slice with the elements inside the memory; the others are undefined."""
        self.c.say(f"fresh {self.held.name}")
        self.c.say(f"copy {self.part.text} -> {self.part_of_held.text}")
        return tiles.of_cell(self.held).with_(ref=self.held, reads=frozenset({self.held.root}))
