"""Rules of data movement: broadcasts, reshapes, slices, concatenations, index tiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tessera.pallas.convert import scalars, tiles
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.expanded import strided
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.tiles import as_tile, cell, full, of_cell, store, untrailed
from tessera.pallas.convert.values import ATOM, TYPES, Dim, Ref, Scalar, Tile, dtype_name, is_float, number
from tessera.pallas.convert.wrapping import fits


def _placed(c: Conversion, tile: Tile, shape: Sequence[int], kept: Sequence[int]) -> Tile:
    """Stores the tile in a cell of this shape, with its dimensions at the positions `kept`; all others have size 1."""
    made = cell(c, tile.dtype, shape)
    dims = tuple(Dim(number(0), n, whole=True) if i in kept else Dim(number(0), None) for i, n in enumerate(shape))
    store(c, Ref(made.name, made.root, made.space, made.dtype, dims, made.extents), tile)
    return of_cell(made).with_(bounds=tile.bounds, opaque=tile.opaque)


@rule("broadcast_in_dim", "broadcast_to")
def _broadcast(c: Conversion, eqn: Any, x: Any, *_: Any) -> Any:
    shape = tuple(eqn.params["shape"])
    tile = as_tile(c, x).with_(ref=None, product=False, sum=None)
    rank = len(tile.shape)
    at = tuple(eqn.params.get("broadcast_dimensions", range(len(shape) - rank, len(shape))))
    if shape == () and isinstance(x, Scalar):
        return x
    if not rank or not tile.written:
        return tile.with_(shape=shape, trail=0)
    behind = len(shape) - 1 - at[-1]
    if at == tuple(range(at[0], at[0] + rank)) and tile.trail >= behind:
        if tile.shaped and not tile.trail:
            return tile.with_(text=f"broadcast({tile.text}, {', '.join(map(str, shape))})", shape=shape, written=shape)
        return tile.with_(shape=shape, trail=tile.trail - behind)
    inner = full(c, tile)
    sizes = [1] * len(shape)
    for dim, place in enumerate(at):
        sizes[place] = inner.shape[dim]
    return _placed(c, inner, sizes, at).with_(shape=shape)


def _ends(shape: Sequence[int]) -> tuple[int, tuple[int, ...], int]:
    """Returns the number of leading dimensions of size 1, the dimensions between, and the number of trailing ones."""
    front = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    if front == len(shape):
        return front, (), 0
    back = next(i for i, n in enumerate(reversed(shape)) if n != 1)
    return front, tuple(shape[front : len(shape) - back]), back


@rule("reshape", "squeeze", "expand_dims")
def _reshape(c: Conversion, eqn: Any, x: Any, *_: Any) -> Any:
    if eqn.params.get("dimensions") is not None and eqn.primitive.name == "reshape":
        raise c.refuse("a reshape that permutes")
    shape = tuple(eqn.outvars[0].aval.shape)
    if isinstance(x, Scalar):
        return x if not shape else as_tile(c, x).with_(shape=shape)
    return reshape(c, as_tile(c, x), shape)


def reshape(c: Conversion, tile: Tile, shape: tuple[int, ...]) -> Tile:
    if tile.shape == shape:
        return tile
    _, inner, back = _ends(tile.shape)
    _, wanted, behind = _ends(shape)
    plain = tile.with_(ref=None, product=False, sum=None)
    if not tile.written or (prod(tile.written) == 1 and prod(shape) == 1):
        return plain.with_(shape=shape, trail=0)
    if inner == wanted and tile.trail + back >= behind:
        return plain.with_(shape=shape, trail=tile.trail + back - behind)
    whole = full(c, tile)
    text = f"reshape({whole.text}, {', '.join(map(str, shape))})" if shape else whole.text
    return whole.with_(text=text, level=ATOM, shape=shape, written=shape, shaped=bool(shape))


def sliced(c: Conversion, value: Any, starts: Sequence[Scalar], sizes: Sequence[int]) -> Tile:
    """Returns the slice with `sizes` elements from `starts` on, per dimension."""
    tile = untrailed(c, as_tile(c, value))
    shape = tuple(sizes)
    if tile.shape == shape or not tile.written:
        return tile.with_(shape=shape, sum=None)
    if tile.ref is not None and all(not isinstance(d.size, Scalar) for d in tile.ref.dims):
        given = iter(zip(starts, sizes))
        dims = []
        for dim in tile.ref.dims:
            if dim.size is None:
                dims.append(dim)
                continue
            start, size = next(given)
            dims.append(dim if size == dim.size else Dim(scalars.add(c, dim.start, start, "int32"), size))
        ref = Ref(tile.ref.name, tile.ref.root, tile.ref.space, tile.ref.dtype, tuple(dims), tile.ref.extents)
        return tile.with_(text=ref.text, shape=shape, written=shape, reads=ref.reads, ref=ref)
    source = tiles.reusable(c, tile)
    extra = len(tile.written) - len(shape)
    if extra < 0:
        starts, written = starts[-extra:], tile.written
    else:
        written = tile.written[extra:]
    items, kept, reads = ["0"] * max(extra, 0), [], source.reads
    for start, have, size, whole in zip(starts, written, shape[len(shape) - len(written) :], tile.shape[-len(written) :]):
        items.append(":" if have == 1 or size == whole else f"{start.at(9)} +: {size}")
        kept.append(1 if have == 1 else size)
        reads |= start.reads
    return source.with_(text=f"{source.at(ATOM)}[{', '.join(items)}]", level=ATOM, shape=shape, written=tuple(kept), reads=reads)


@rule("slice")
def _slice(c: Conversion, eqn: Any, x: Any) -> Any:
    p = eqn.params
    if p["strides"] is not None and any(s != 1 for s in p["strides"]):
        return strided(c, eqn, x)
    sizes = [b - a for a, b in zip(p["start_indices"], p["limit_indices"])]
    return sliced(c, x, [number(a) for a in p["start_indices"]], sizes)


def _clamped(c: Conversion, start: Any, most: int) -> Scalar:
    start = scalar(c, start)
    return scalars.extreme(c, "min", scalars.extreme(c, "max", start, number(0), "int32"), number(most), "int32")


@rule("dynamic_slice")
def _dynamic_slice(c: Conversion, eqn: Any, x: Any, *starts: Any) -> Any:
    sizes = eqn.params["slice_sizes"]
    shape = eqn.invars[0].aval.shape
    return sliced(c, x, [_clamped(c, s, n - k) for s, n, k in zip(starts, shape, sizes)], sizes)


@rule("dynamic_update_slice")
def _update_slice(c: Conversion, eqn: Any, x: Any, update: Any, *starts: Any) -> Any:
    shape, sizes = eqn.invars[0].aval.shape, eqn.invars[1].aval.shape
    made = cell(c, dtype_name(eqn.outvars[0].aval.dtype), shape)
    store(c, made, x)
    dims = tuple(Dim(_clamped(c, s, n - k), k, whole=n == k) for s, n, k in zip(starts, shape, sizes))
    store(c, Ref(made.name, made.root, made.space, made.dtype, dims, made.extents), update)
    return of_cell(made)


@rule("concatenate")
def _concatenate(c: Conversion, eqn: Any, *parts: Any) -> Any:
    aval, along = eqn.outvars[0].aval, eqn.params["dimension"]
    made, start = cell(c, dtype_name(aval.dtype), aval.shape), 0
    for part, var in zip(parts, eqn.invars):
        size = var.aval.shape[along]
        dims = tuple(Dim(number(start), size) if d == along else Dim(number(0), n, whole=True) for d, n in enumerate(aval.shape))
        store(c, Ref(made.name, made.root, made.space, made.dtype, dims, made.extents), part)
        start += size
    return of_cell(made)


@rule("stack")
def _stack(c: Conversion, eqn: Any, *parts: Any) -> Any:
    aval, along = eqn.outvars[0].aval, eqn.params["axis"]
    made = cell(c, dtype_name(aval.dtype), aval.shape)
    for at, part in enumerate(parts):
        dims = tuple(Dim(number(at), None) if d == along else Dim(number(0), n, whole=True) for d, n in enumerate(aval.shape))
        store(c, Ref(made.name, made.root, made.space, made.dtype, dims, made.extents), part)
    return of_cell(made)


@rule("unstack")
def _unstack(c: Conversion, eqn: Any, x: Any) -> Any:
    shape, along, x = eqn.invars[0].aval.shape, eqn.params["axis"], tiles.reusable(c, x)
    sizes = [1 if d == along else n for d, n in enumerate(shape)]
    rest = tuple(n for d, n in enumerate(shape) if d != along)
    return [reshape(c, sliced(c, x, [number(at if d == along else 0) for d in range(len(shape))], sizes), rest) for at in range(shape[along])]


@rule("pad")
def _pad(c: Conversion, eqn: Any, x: Any, filling: Any) -> Any:
    config = eqn.params["padding_config"]
    if any(low < 0 or high < 0 or inner for low, high, inner in config):
        raise c.refuse("a pad that cuts off or spreads")
    aval = eqn.outvars[0].aval
    made = cell(c, dtype_name(aval.dtype), aval.shape)
    store(c, made, as_tile(c, filling).with_(shape=tuple(aval.shape)))
    dims = tuple(Dim(number(low), n, whole=n == m) for (low, _, _), n, m in zip(config, eqn.invars[0].aval.shape, aval.shape))
    store(c, Ref(made.name, made.root, made.space, made.dtype, dims, made.extents), x)
    return of_cell(made)


@rule("split")
def _split(c: Conversion, eqn: Any, x: Any) -> Any:
    shape, along, start, found = eqn.invars[0].aval.shape, eqn.params["axis"], 0, []
    x = tiles.reusable(c, x)
    for size in eqn.params["sizes"]:
        starts = [number(start if d == along else 0) for d in range(len(shape))]
        found.append(sliced(c, x, starts, [size if d == along else n for d, n in enumerate(shape)]))
        start += size
    return found


@rule("iota")
def _iota(c: Conversion, eqn: Any) -> Any:
    """An index tile, stored only along its dimension and repeated along the others."""
    p = eqn.params
    shape, along, dtype = tuple(p["shape"]), p["dimension"], dtype_name(p["dtype"])
    sizes = tuple(n if d == along else 1 for d, n in enumerate(shape))
    made = cell(c, dtype, sizes, "index")
    last = max(shape[along] - 1, 0)
    is_whole = is_float(dtype) or fits(0, last, dtype)
    if dtype == "int32":
        c.say(f"{made.name} = tile_iota({along})")
    elif is_whole:
        c.say(f"{made.name} = cast(tile_iota({along}))")
    else:
        wide = cell(c, "int32", sizes, "index")
        c.say(f"{wide.name} = tile_iota({along})")
        c.say(f"{made.name} = truncate({wide.name}, {c.type_of(dtype)})")
    return of_cell(made).with_(shape=shape, bounds=(0, last) if is_whole else None)


@rule("tile")
def _tile(c: Conversion, eqn: Any, x: Any) -> Any:
    repeats = eqn.params["reps"]
    tile = untrailed(c, as_tile(c, x))
    for along, count in enumerate(repeats):
        if count == 1:
            continue
        shape = tuple(n * count if d == along else n for d, n in enumerate(tile.shape))
        if tile.shape[along] == 1 or not tile.written:
            tile = tile.with_(shape=shape, ref=None, sum=None, product=False)
            continue
        source = tiles.reusable(c, full(c, tile))
        made, i, n = cell(c, tile.dtype, shape), c.names.new("i"), tile.shape[along]
        items = ", ".join(f"{i} * {n} +: {n}" if d == along else ":" for d in range(len(shape)))
        c.writer.open(f"for {i} in {count}", c.place)
        c.say(f"{made.name}[{items}] = " + (source.text if source.type == TYPES[tile.dtype] else f"cast({source.text})"))
        c.writer.close(c.place)
        tile = of_cell(made).with_(bounds=tile.bounds)
    return tile


@rule("transpose")
def _transpose(c: Conversion, eqn: Any, x: Any) -> Any:
    order = tuple(eqn.params["permutation"])
    if order == tuple(range(len(order))):
        return x
    tile = full(c, x)
    shape = tuple(tile.shape[d] for d in order)
    text = f"transpose({tile.text})" if order == (1, 0) else f"transpose({tile.text}, {', '.join(map(str, order))})"
    return tile.with_(text=text, level=ATOM, shape=shape, written=shape)
