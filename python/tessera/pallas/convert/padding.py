"""Padding of arrays. Padding elements are undefined.

Blocks of `pl.Element(size, padding=(before, after))` are padded. Arrays of `emit_pipeline` are padded to whole tiles, as on a TPU,
because the pipeline copies the last blocks up to the end of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tessera.pallas.convert.blocks import numpy_type
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.places import is_users
from tessera.pallas.convert.values import Dim, Ref, number, whole

Room = tuple[tuple[int, int], ...]  # elements before and after the array, per dimension


def of_block(block: Any) -> Room:
    return tuple(tuple(getattr(kind, "padding", (0, 0))) for kind in block.block_shape)


def is_padded(room: Room) -> bool:
    return any(part != (0, 0) for part in room)


def to_tiles(array: Ref) -> Room:
    """Returns the padding to a multiple of a TPU's tile for an array of this shape (`infer_tiling` in JAX's tpu_info.py)."""
    packing = 4 // numpy_type(array.dtype).itemsize
    *leading, _ = array.extents
    tile = [1] * len(leading) + [128 * packing if not leading else 128]
    if leading:
        rows = packing
        while rows < min(leading[-1], 8):
            rows *= 2
        tile[-2] = rows
    return tuple((0, -n % size) for n, size in zip(array.extents, tile))


def is_of_pipeline(eqn: Any) -> bool:
    """True if JAX's `emit_pipeline` itself created the equation, and not the body that it calls."""
    traceback = eqn.source_info.traceback
    for code in traceback.raw_frames()[0] if traceback is not None else ():  # innermost first
        if code.co_filename.endswith("pallas/mosaic/pipeline.py"):
            return True
        if is_users(code.co_filename):
            return False
    return False


def with_room(c: Conversion, array: Ref, room: Sequence[tuple[int, int]]) -> tuple[Ref, Ref]:
    """Declares memory for the array with its padding. Returns this memory, and the part of it for the array."""
    extents = tuple(before + n + after for n, (before, after) in zip(array.extents, room))
    made = c.declare("hbm", f"{array.name}_padded", array.dtype, extents)
    dims = tuple(Dim(number(before), n, whole=n == extent) for n, extent, (before, _) in zip(array.extents, extents, room))
    return (whole(made.name, made.root, "hbm", array.dtype, extents), Ref(made.name, made.root, "hbm", array.dtype, dims, extents))
