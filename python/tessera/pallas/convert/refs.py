"""Refs: their slices of memory, and rules of reads and stores through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from jax import tree_util

from tessera.pallas.convert import rows, scalars, tiles
from tessera.pallas.convert.blocks import numpy_type
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.values import ATOM, TYPES, Dim, Ref, Scalar, Tile, dtype_name, is_float, limits, number, stored_type
from tessera.pallas.convert.wrapping import wrapped

_RENAMED = {"RefReshaper": "ReshapeTransform", "RefBitcaster": "BitcastTransform"}  # names up to 0.8


def taken(c: Conversion, ref: Any, transforms: Sequence[Any]) -> Ref:
    """Returns the part of a ref that the transforms select. Indices of indexers are converted values."""
    if not isinstance(ref, Ref):
        raise c.refuse("expected memory, found a value")
    kinds = [_RENAMED.get(kind, kind) for kind in (type(transform).__name__ for transform in transforms)]
    skip = False
    for at, (kind, transform) in enumerate(zip(kinds, transforms)):
        behind = kinds[at + 1 : at + 2]
        if skip:
            skip = False
        elif kind == "ReshapeTransform" and behind == [kind]:
            continue  # the next reshape determines the shape
        elif kind == "NDIndexer":
            ref = _indexed(c, ref, transform.indices)
        elif kind == "ReshapeTransform":
            shape = tuple(transform.shape)
            apart = behind == ["NDIndexer"] and rows.apart(c, ref, shape, transforms[at + 1].indices)
            skip = bool(apart)
            ref = _indexed(c, reshaped(c, ref, apart[0]), apart[1]) if apart else reshaped(c, ref, shape)
        elif kind == "BitcastTransform":
            ref = _retyped(c, ref, dtype_name(transform.dtype))
        else:
            raise c.refuse(f"`{kind}` of a ref")
    return _found_by_runs(c, ref)


def leaves(dim: Dim, extent: int) -> bool:
    """True if a dimension of a ref can exceed an end of the memory."""
    size = dim.size if dim.size is not None else 1
    length = size.high if isinstance(size, Scalar) else (size - 1) * dim.stride + 1
    return dim.start.low < 0 or dim.start.high + length > extent


def _found_by_runs(c: Conversion, ref: Ref) -> Ref:
    """Loads constant indices outside the memory from smem, so that the text is valid and only a run that reaches them fails."""
    dims = []
    for dim, extent in zip(ref.dims, ref.extents):
        if dim.start.known is not None and not isinstance(dim.size, Scalar) and leaves(dim, extent):
            place = c.declare("smem", "outside", "int64", (1,))
            c.say(f"{place.name}[0] = {dim.start.text}")
            dim = replace(dim, start=Scalar(f"{place.name}[0]", ATOM, *limits("int32"), reads=frozenset({place.root})), whole=False)
        dims.append(dim)
    return replace(ref, dims=tuple(dims))


def _indexed(c: Conversion, ref: Ref, indices: Sequence[Any]) -> Ref:
    dims, given = [], iter(indices)
    for dim in ref.dims:
        if dim.size is None:
            dims.append(dim)
            continue
        index = next(given)
        if type(index).__name__ == "Slice":
            size = index.size if isinstance(index.size, int) else scalar(c, index.size)
            start = scalar(c, index.start)
            if index.stride != 1:
                if not isinstance(size, int) or dim.stride != 1:
                    raise c.refuse(f"a slice of {ref.name} with a stride of {index.stride}")
                dims.append(Dim(_plus(c, dim.start, start), size, stride=index.stride))
                continue
            if dim.stride != 1 and (start.known != 0 or size != dim.size):
                raise c.refuse(f"a slice of a strided slice of {ref.name}")
            dims.append(dim if dim.stride != 1 else _sliced(c, dim, start, size))
        else:
            dims.append(Dim(_plus(c, dim.start, scalar(c, index)), None))
    return Ref(ref.name, ref.root, ref.space, ref.dtype, tuple(dims), ref.extents, ref.held)


def _sliced(c: Conversion, dim: Dim, start: Scalar, size: int | Scalar) -> Dim:
    if isinstance(size, Scalar) and size.known is not None:
        size = size.known
    if start.known == 0 and size == dim.size:
        return dim
    return Dim(_plus(c, dim.start, start), size)


def _plus(c: Conversion, a: Scalar, b: Scalar) -> Scalar:
    return scalars.add(c, a, b, "int32")


def scalar(c: Conversion, value: Any) -> Scalar:
    """Returns a value as an integer for control: an index, a size, a condition."""
    if isinstance(value, Scalar):
        return wrapped(value)
    if isinstance(value, Tile):
        return counted(c, value)
    if hasattr(value, "shape") and getattr(value, "shape", ()) != ():
        raise c.refuse("indices by an array")
    return number(int(value))


def counted(c: Conversion, tile: Tile) -> Scalar:
    """Returns the single element of an integer tile as a scalar. The element is copied from vmem to smem, where scalar code reads it."""
    if prod(tile.shape) != 1 or is_float(tile.dtype):
        raise c.refuse("indices by an array" if prod(tile.shape) != 1 else f"a {tile.dtype} decides what is done")
    if tile.opaque:
        raise c.refuse("a value that is unknown decides what is done")
    low, high = tile.range
    where = c.declare("smem", "n", tile.dtype, (1,))
    if tile.shape:
        tile = tiles.untrailed(c, tile)
        tile = tiles.full(c, tile).with_(shape=(), ref=None)
        tile = tile.with_(text=f"{tile.at(ATOM)}[{', '.join('0' for _ in tile.written)}]", written=())
    if tile.ref is not None and tile.ref.space in ("vmem", "tile"):
        dims = tuple(Dim(d.start, 1) if i == len(tile.ref.dims) - 1 else d for i, d in enumerate(tile.ref.dims))
        element = Ref(tile.ref.name, tile.ref.root, tile.ref.space, tile.ref.dtype, dims, tile.ref.extents)
        if tile.ref.space == "vmem":
            c.say(f"copy {element.text} -> {where.text}")
            return Scalar(f"{where.name}[0]", ATOM, low, high, tile.dtype, frozenset({where.root}))
    held = c.declare("vmem", "n", tile.dtype, (1,))
    tiles.store(c, held, tile)
    c.say(f"copy {held.text} -> {where.text}")
    return Scalar(f"{where.name}[0]", ATOM, low, high, tile.dtype, frozenset({where.root}))


def reshaped(c: Conversion, ref: Ref, shape: tuple[int, ...]) -> Ref:
    """Returns the ref with another shape: dimensions of size 1 are dropped, other reshapes are a view of the memory."""
    if tuple(ref.shape) == shape:
        return ref
    if tuple(s for s in ref.shape if s != 1) == tuple(s for s in shape if s != 1) and len(shape) < len(ref.shape):
        wanted, dims = list(shape), []
        for dim in ref.dims:
            if dim.size == 1 and (not wanted or wanted[0] != 1):
                dims.append(Dim(dim.start, None))
                continue
            if dim.size is not None:
                wanted.pop(0)
            dims.append(dim)
        return Ref(ref.name, ref.root, ref.space, ref.dtype, tuple(dims), ref.extents, ref.held)
    return viewed(c, ref, ref.dtype, shape)


def _retyped(c: Conversion, ref: Ref, dtype: str) -> Ref:
    """Returns a view of the bits as another type. If the width differs, rows (the last dimension but one) are packed or unpacked."""
    had, has = numpy_type(ref.dtype).itemsize, numpy_type(dtype).itemsize
    shape = [n for n in ref.shape if not isinstance(n, Scalar)]
    if len(shape) != len(ref.shape):
        raise c.refuse(f"a view of {ref.name}, whose size only the run knows, as {dtype}")
    if had != has:
        if len(shape) < 2:
            raise c.refuse(f"a view of {ref.name}, which has {len(shape)} dimensions, as {dtype}")
        shape[-2] = shape[-2] * had // has
    return viewed(c, ref, dtype, tuple(shape))


def viewed(c: Conversion, ref: Ref, dtype: str, shape: tuple[int, ...]) -> Ref:
    name = c.names.new(ref.name)
    c.say(f"{name} = view({ref.text}) as {TYPES[dtype]}[{', '.join(map(str, shape))}]")
    return Ref(name, ref.root, ref.space, dtype, tuple(Dim(number(0), n, whole=True) for n in shape), shape, ref.held)


def loaded(c: Conversion, ref: Ref) -> Any:
    """Returns the value of a slice of memory. The memory is read at the place in the text where the value is used."""
    if ref.space == "hbm":
        raise c.refuse(f"{ref.name} is in hbm, which arithmetic does not reach")
    if ref.space == "sem":
        raise c.refuse("a semaphore is read by `semaphore_read` only")
    if any(isinstance(s, Scalar) for s in ref.shape):
        raise c.refuse(f"a value of {ref.name} whose size only the run knows")
    shape = tuple(n for n in ref.shape if not isinstance(n, Scalar))
    if any(d.stride == 0 for d in ref.dims):
        once = replace(ref, dims=tuple(Dim(d.start, 1) if d.stride == 0 else d for d in ref.dims))
        value = loaded(c, once)
        return value.with_(shape=shape, ref=None)
    if any(d.stride != 1 for d in ref.dims):
        return Tile(ref.text, ATOM, shape, shape, ref.dtype, TYPES[ref.dtype], reads=ref.reads)
    if ref.space == "smem":
        if shape != ():
            return _copied(c, ref, shape)
        if is_float(ref.dtype):
            return Tile(ref.text, ATOM, (), (), ref.dtype, "number", reads=ref.reads)
        low, high = limits(ref.dtype)
        return Scalar(ref.text, ATOM, low, high, ref.dtype, ref.reads)
    return Tile(ref.text, ATOM, shape, shape, ref.dtype, TYPES[ref.dtype], reads=ref.reads, ref=ref)


def _copied(c: Conversion, ref: Ref, shape: tuple[int, ...]) -> Tile:
    """Copies several numbers from smem to vmem, for arithmetic on tiles."""
    held = c.declare("vmem", ref.name, stored_type(ref.dtype, "smem"), shape)
    c.say(f"copy {ref.text} -> {held.text}")
    return tiles.of_cell(held).with_(dtype=ref.dtype)


def stored(c: Conversion, ref: Ref, value: Any) -> None:
    if any(d.stride == 0 for d in ref.dims):
        raise c.refuse(f"a store to a slice of {ref.name} with a stride of 0")
    if any(d.stride != 1 for d in ref.dims):
        return rows.store(c, ref, value, stored)
    if ref.space == "hbm":
        raise c.refuse(f"{ref.name} is in hbm, which arithmetic does not reach")
    if ref.space != "smem":
        tiles.store(c, ref, value)
    elif ref.shape != ():
        held = c.declare("vmem", ref.name, stored_type(ref.dtype, "smem"), tuple(n for n in ref.shape if isinstance(n, int)))
        tiles.store(c, held, value)
        c.say(f"copy {held.text} -> {ref.text}")
    elif isinstance(value, Scalar):
        c.say(f"{ref.text} = {wrapped(value).text}")
    elif is_float(ref.dtype):
        held = c.declare("vmem", "r", "float32", (1,))
        tiles.store(c, held, value)
        last = len(ref.dims) - 1
        dims = tuple(Dim(d.start, 1) if i == last else d for i, d in enumerate(ref.dims))
        c.say(f"copy {held.text} -> {Ref(ref.name, ref.root, ref.space, ref.dtype, dims, ref.extents).text}")
    else:
        c.say(f"{ref.text} = {counted(c, value).text}")


@rule("get")
def _get(c: Conversion, eqn: Any, ref: Any, *indices: Any) -> Any:
    return loaded(c, taken(c, ref, tree_util.tree_unflatten(eqn.params["tree"], indices)))


@rule("swap")
def _swap(c: Conversion, eqn: Any, ref: Any, value: Any, *indices: Any) -> Any:
    where = taken(c, ref, tree_util.tree_unflatten(eqn.params["tree"], indices))
    return exchange(c, eqn, where, value)


def exchange(c: Conversion, eqn: Any, where: Ref, value: Any) -> Any:
    """Stores the value; returns the previous value if it is used."""
    before = None
    if c.is_used(eqn.outvars[0]):
        before = c.name(loaded(c, where))
    if isinstance(value, Tile) and value.sum is not None and where.space in ("vmem", "tile"):
        left, right = value.sum
        for there, product in ((left, right), (right, left)):
            same = there.ref is not None and there.ref.text == where.text and TYPES[where.dtype] in ("f32", "i32")
            if same and product.product:
                c.say(f"{where.text} += {product.text}")
                return before
    stored(c, where, value)
    return before


@rule("addupdate")
def _add_update(c: Conversion, eqn: Any, ref: Any, value: Any, *indices: Any) -> Any:
    where = taken(c, ref, tree_util.tree_unflatten(eqn.params["tree"], indices))
    if where.space == "smem":
        old = loaded(c, where)
        stored(c, where, scalars.add(c, old, scalar(c, value), where.dtype))
    elif TYPES[where.dtype] in ("f32", "i32"):
        c.say(f"{where.text} += {tiles.untrailed(c, tiles.as_tile(c, value)).text}")
    else:
        tile = tiles.untrailed(c, tiles.as_tile(c, value))
        c.say(f"{where.text} = cast({where.text} + {tile.at(4)})")
    return []
