"""Blocks of `pl.Element(size, padding=(before, after))`: they lie in the array with room on both sides, which holds nothing."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.values import Dim, Ref, number, whole
from tessera.pallas.convert.walk import Conversion


def of_block(block: Any) -> tuple[tuple[int, int], ...]:
    """For each dimension the room before and after the array."""
    return tuple(tuple(getattr(kind, "padding", (0, 0))) for kind in block.block_shape)


def is_padded(block: Any) -> bool:
    return any(room != (0, 0) for room in of_block(block))


def with_room(c: Conversion, block: Any, array: Ref) -> tuple[Ref, Ref]:
    """New memory for the array with its room, and the part of it that the array takes."""
    room = of_block(block)
    extents = tuple(before + n + after for n, (before, after) in zip(array.extents, room))
    made = c.declare("hbm", f"{array.name}_padded", array.dtype, extents)
    dims = tuple(Dim(number(before), n, whole=n == extent) for n, extent, (before, _) in zip(array.extents, extents, room))
    return (whole(made.name, made.root, "hbm", array.dtype, extents),
            Ref(made.name, made.root, "hbm", array.dtype, dims, extents))
