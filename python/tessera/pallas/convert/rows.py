"""Slices of refs with a stride: as columns of a reshaped view, and stores row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from jax._src.state.indexing import Slice

from tessera.pallas.convert import scalars, tiles
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.values import ATOM, Dim, Ref, Scalar, number


def apart(c: Conversion, ref: Ref, shape: tuple[int, ...], indices: Sequence[Any]) -> tuple[tuple[int, ...], list[Any]] | None:
    """Splits dimensions of a view so that a strided slice becomes a column.

    A dimension is split to (size / inner, inner). `inner` is the product of the last memory dimensions that it joins, if this divides
    the stride, else the stride. Returns the split shape and the indices in it. None if no dimension can be split.
    """
    split: list[int] = []
    taken_of: list[Any] = []
    for joined, size, index in zip(_joined(ref.shape, shape), shape, indices):
        stride = index.stride if type(index).__name__ == "Slice" else 1
        inner = next((n for n in (prod(joined[at:]) for at in range(1, len(joined))) if stride % n == 0), stride)
        if stride == 1 or size % inner or inner == 1 or not isinstance(index.size, int):
            split.append(size)
            taken_of.append(index)
            continue
        start = index.start if isinstance(index.start, Scalar) else number(int(index.start))
        split += [size // inner, inner]
        down, rest = (make(c, start, number(inner), "int32", down=True) for make in (scalars.divide, scalars.remainder))
        first: Any = down.known if down.known is not None else down  # JAX has no scalars of the text
        taken_of += [Slice(first, index.size, stride // inner), rest]
    return (tuple(split), taken_of) if len(split) > len(shape) else None


def _joined(have: Sequence[Any], shape: Sequence[int]) -> list[list[int]]:
    """Returns the memory's dimensions that each dimension of a view joins. All empty if they do not line up."""
    found: list[list[int]] = [[] for _ in shape]
    left = [n for n in have if n != 1]
    for at, size in enumerate(shape):
        group: list[int] = []
        while prod(group) < size and left and isinstance(left[0], int):
            group.append(left.pop(0))
        if prod(group) != size:
            return [[] for _ in shape]
        found[at] = group
    return found


def store(c: Conversion, ref: Ref, value: Any, stored: Callable[[Conversion, Ref, Any], None]) -> None:
    """Writes a store with a stride as a loop over rows. `stored` writes one row."""
    place = next(at for at, dim in enumerate(ref.dims) if dim.stride != 1)
    dim, before = ref.dims[place], sum(d.size is not None for d in ref.dims[:place])
    whole = tiles.full(c, value, tuple(n for n in ref.shape if isinstance(n, int)))
    whole = c.name(whole) if whole.ref is not None or not whole.simple else whole
    turn = c.names.new("i")
    c.writer.open(f"for {turn} in {dim.size}", c.place)
    assert dim.size is not None and not isinstance(dim.size, Scalar)  # a slice with a stride has a known size
    i = Scalar(turn, ATOM, 0, dim.size - 1)
    at = scalars.add(c, dim.start, scalars.multiply(c, i, number(dim.stride), "int32"), "int32")
    part = Ref(ref.name, ref.root, ref.space, ref.dtype, (*ref.dims[:place], Dim(at, None), *ref.dims[place + 1 :]), ref.extents, ref.held)
    items = [":"] * before + [turn] + [":"] * (len(whole.shape) - before - 1)
    shape = whole.shape[:before] + whole.shape[before + 1 :]
    row = whole.with_(text=f"{whole.at(ATOM)}[{', '.join(items)}]", level=ATOM, shape=shape, written=shape)
    stored(c, part, row)
    c.writer.close(c.place)
