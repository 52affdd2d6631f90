"""Rules of reductions along dimensions and of matrix products."""

from __future__ import annotations

from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import tiles
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.expanded import traced
from tessera.pallas.convert.shapes import reshape
from tessera.pallas.convert.tiles import as_tile, full, settle_type, untrailed
from tessera.pallas.convert.values import ATOM, PRODUCT, Tile, dtype_name

_KINDS = {"reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min"}


@rule(*_KINDS)
def _reduce(c: Conversion, eqn: Any, x: Any, *_: Any) -> Any:
    kind = _KINDS[eqn.primitive.name]
    tile, axes = as_tile(c, x), tuple(eqn.params["axes"])
    shape = tuple(eqn.outvars[0].aval.shape)
    column = len(tile.shape) == 1 and tile.trail == 1 and tile.written == (*tile.shape, 1)
    if not column:
        tile = full(c, untrailed(c, tile))
    written = list(tile.written)
    text, last = tile.text, tile
    for axis in axes:
        text = _along(kind, text, len(written), axis)
        written[axis] = 1
    made = Tile(
        text,
        ATOM,
        shape,
        tuple(written),
        tile.dtype,
        tile.type if tiles.value_type([tile.type], tile.dtype) != "f32" else "f32",
        0,
        last.reads,
        opaque=tile.opaque,
    )
    made = _dropped(c, made, shape, axes)
    return settle_type(c, made, kind == "sum")


def _along(kind: str, text: str, rank: int, axis: int) -> str:
    if rank == 2 and kind != "min":
        return f"{'row' if axis == 1 else 'col'}_{kind}({text})"
    return f"reduce_{kind}({text}, {axis})"


def _dropped(c: Conversion, tile: Tile, shape: tuple[int, ...], axes: tuple[int, ...]) -> Tile:
    """Drops reduced dimensions, which have size 1, between the others. Trailing ones are kept as `trail`, leading ones are implicit."""
    rank = len(tile.written)
    kept = [d for d in range(rank) if d not in axes]
    if not kept:
        return tile.with_(trail=0)
    behind = rank - 1 - kept[-1]
    between = [d for d in axes if kept[0] < d < kept[-1]]
    if between:
        items = ", ".join("0" if d in between else ":" for d in range(rank))
        written = tuple(n for d, n in enumerate(tile.written) if d not in between)
        tile = tile.with_(text=f"{tile.text}[{items}]", written=written)
    return tile.with_(trail=behind)


@rule("dot_general")
def _dot(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    (left, right), (left_batch, right_batch) = eqn.params["dimension_numbers"]
    x, y = full(c, a), full(c, b)
    aval = eqn.outvars[0].aval
    if left_batch or right_batch:
        return _batched(c, eqn, x, y)
    if len(left) != 1 or len(x.shape) > 2 or len(y.shape) > 2:
        return _of_matrices(c, eqn, x, y)
    rows, columns = len(x.shape) == 2, len(y.shape) == 2
    if not rows:
        x, left = full(c, reshape(c, x, (1, *x.shape))), (1,)
    if not columns:
        y, right = full(c, reshape(c, y, (1, *y.shape))), (1,)
    one = x.at(PRODUCT) if left[0] == 1 else f"transpose({x.text})"
    two = y.at(PRODUCT - 1) if right[0] == 0 else f"transpose({y.text})"
    written = (x.shape[1 - left[0]], y.shape[1 - right[0]])
    made = _product(c, eqn, f"{one} . {two}", written, x, y)
    if rows and columns:
        return made
    return reshape(c, made.with_(shape=written), tuple(aval.shape))


def _product(c: Conversion, eqn: Any, text: str, written: tuple[int, ...], x: Tile, y: Tile) -> Tile:
    aval = eqn.outvars[0].aval
    type = tiles.value_type([x.type, y.type], dtype_name(aval.dtype))
    made = Tile(
        text, PRODUCT, tuple(aval.shape), written, dtype_name(aval.dtype), type, reads=x.reads | y.reads, product=True, opaque=x.opaque or y.opaque
    )
    rounded = settle_type(c, made, True)
    return rounded if rounded is made else rounded.with_(product=False)


def _batched(c: Conversion, eqn: Any, x: Tile, y: Tile) -> Tile:
    (left, right), (left_batch, right_batch) = eqn.params["dimension_numbers"]
    plain = tuple(left_batch) == tuple(right_batch) == (0,) and len(x.shape) == len(y.shape) == 3 and len(left) == 1
    if not plain:
        return _of_matrices(c, eqn, x, y)
    one = x.at(PRODUCT) if left[0] == 2 else f"transpose({x.text}, 0, 2, 1)"
    two = y.at(PRODUCT - 1) if right[0] == 1 else f"transpose({y.text}, 0, 2, 1)"
    return _product(c, eqn, f"{one} . {two}", tuple(eqn.outvars[0].aval.shape), x, y)


def _of_matrices(c: Conversion, eqn: Any, x: Tile, y: Tile) -> Any:
    """A product with more dimensions, as one product of two matrices per batch: dimensions of one kind are merged."""
    (left, right), batches = eqn.params["dimension_numbers"]
    (a, b), out = (v.aval.shape for v in eqn.invars), eqn.outvars[0].aval

    def product(v, w):
        free = [[d for d in range(one.ndim) if d not in (*along, *batch)] for one, along, batch in ((v, left, batches[0]), (w, right, batches[1]))]
        v = jnp.transpose(v, (*batches[0], *free[0], *left)).reshape(prod(a[d] for d in batches[0]), prod(a[d] for d in free[0]), -1)
        w = jnp.transpose(w, (*batches[1], *free[1], *right)).reshape(prod(b[d] for d in batches[1]), prod(b[d] for d in free[1]), -1)
        numbers = (((2,), (2,)), ((0,), (0,)))
        if v.shape[0] == 1:
            v, w, numbers = v[0], w[0], (((1,), (1,)), ((), ()))
        return jax.lax.dot_general(v, w, numbers, preferred_element_type=out.dtype).reshape(out.shape)

    return traced(c, eqn, product, tiles.reusable(c, x), tiles.reusable(c, y))
