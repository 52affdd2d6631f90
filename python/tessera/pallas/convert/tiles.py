"""Tiles: elementwise operators, types, and conversion of a tile to the shape that an operator requires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tessera.pallas.convert import integer_bits
from tessera.pallas.convert.blocks import numpy_type
from tessera.pallas.convert.constants import nan, real
from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.values import ATOM, COMPARE, TYPES, UNARY, Ref, Scalar, Tile, dtype_name, is_float
from tessera.pallas.convert.wrapping import fits, wrapped
from tessera.pallas.elements import digits

# Largest numbers of types for which a cast of the language saturates.
_LARGEST = {"float8_e4m3fn": 448, "float8_e5m2": 57344}
_FLOAT_TYPES = {"f32", "bf16", "f16", "e4m3", "e5m2", "e8m0"}


def as_tile(c: Conversion, value: Any) -> Tile:
    if isinstance(value, Scalar):
        value = wrapped(value)
        return Tile(value.text, value.level, (), (), value.dtype, "number", reads=value.reads, bounds=(value.low, value.high))
    if not isinstance(value, Tile):
        raise c.refuse("expected numbers, found memory")
    return value


def reusable(c: Conversion, value: Any) -> Any:
    """Returns the value, named if necessary, so that it can be written several times without repeated computation."""
    if isinstance(value, Tile) and not value.simple and value.ref is None:
        return c.name(value)
    return value


def untrailed(c: Conversion, tile: Tile) -> Tile:
    """Returns the tile without the trailing dimensions of size 1 after its shape."""
    if not tile.trail:
        return tile
    kept = max(len(tile.written) - tile.trail, 0)
    cut = len(tile.written) - kept
    if not cut:
        return tile.with_(trail=0, ref=None, product=False, sum=None)
    items = ", ".join([":"] * kept + ["0"] * cut)
    return tile.with_(text=f"{tile.at(ATOM)}[{items}]", level=ATOM, written=tile.written[:kept], trail=0)


def operate(
    c: Conversion,
    eqn: Any,
    operands: Sequence[Any],
    write: Callable[..., tuple[str, int]],
    *,
    type: str | None = None,
    rounds: bool = True,
    wraps: bool = True,
) -> Tile:
    """Writes an elementwise operator.

    type: type of the result; by default value_type() of the operands.
    rounds: True if the result may need rounding, or wrapping, to its type. wraps: True if an integer result may exceed its type.
    """
    found = [as_tile(c, o) for o in operands]
    if len({t.trail for t in found if t.written}) > 1:
        found = [untrailed(c, t) for t in found]
    trail = max((t.trail for t in found if t.written), default=0)
    text, level = write(*found)
    aval = eqn.outvars[0].aval
    dtype, shape = dtype_name(aval.dtype), tuple(aval.shape)
    if type is None:
        type = value_type([t.type for t in found], dtype)
    if type == "number" and dtype in ("bfloat16", "float16") and any(t.reads for t in found):
        type = "f32"  # numbers from smem are computed in f32
    reads = frozenset().union(*(t.reads for t in found))
    made = Tile(text, level, shape, broadcast([t.written for t in found]), dtype, type, trail, reads, opaque=any(t.opaque for t in found))
    return settle_type(c, made, rounds, wraps)


def value_type(types: Sequence[str], dtype: str) -> str:
    """Returns the language's result type of an operator with operands of these types."""
    kinds = [t for t in types if t != "number"]
    if not kinds:
        return "number"
    if any(k in _FLOAT_TYPES for k in kinds) or is_float(dtype):
        return "f32"
    return "i64" if {"i64", "u32"} & set(kinds) else "i32"


def settle_type(c: Conversion, tile: Tile, rounds: bool, wraps: bool = True) -> Tile:
    """Rounds or wraps a result to its type, as JAX does after each operator; in the text it is f32, i32 or i64 until it is stored."""
    if tile.type == "number" or tile.dtype in ("float32", "bool", "int32", "int64"):
        return tile
    wanted = TYPES[tile.dtype]
    if is_float(tile.dtype):
        return tile.with_(text=f"cast({tile.text}, {wanted})", level=ATOM, type=wanted) if rounds else tile
    if not rounds:
        return tile.with_(type=wanted) if tile.dtype == "uint32" and tile.type == "i64" and not wraps else tile
    if not wraps:
        return tile.with_(type=wanted)
    return tile.with_(text=f"truncate({tile.text}, {wanted})", level=ATOM, type=wanted)


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    rank = max((len(s) for s in shapes), default=0)
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple(max(sizes) for sizes in zip(*padded))


def convert(c: Conversion, x: Any, dtype: str) -> Any:
    """Converts to another element type, like `convert_element_type`."""
    if isinstance(x, Scalar):
        if not is_float(dtype):
            return integer_bits.convert(c, x, dtype)
        x = wrapped(x)
        if x.known is not None:
            return _rounded(c, Tile(f"{x.known}.0", ATOM if x.known >= 0 else UNARY, (), (), "float64", "number", known=float(x.known)), dtype)
        made = Tile(f"real({x.text})", ATOM, (), (), dtype, "number", reads=x.reads)
        return made if max(-x.low, x.high) <= 1 << digits(numpy_type(dtype)) else _rounded(c, made, dtype)
    tile = as_tile(c, x)
    c.type_of(dtype)
    if tile.dtype == dtype:
        return tile
    wanted = TYPES[dtype]
    if is_float(dtype):
        if tile.type == "number" and is_float(tile.dtype):
            return tile.with_(dtype=dtype) if dtype == "float32" else _rounded(c, tile, dtype)
        if is_float(tile.dtype) and (dtype == "float32" or tile.type == wanted):
            return tile.with_(dtype=dtype, sum=None)  # already exact in this type
        if dtype in _LARGEST and (is_float(tile.dtype) or max(-tile.range[0], tile.range[1]) > _LARGEST[dtype]):
            return _to_fp8(c, tile, dtype)
        return tile.with_(text=f"cast({tile.text}, {wanted})", level=ATOM, dtype=dtype, type=wanted)
    if dtype == "bool":
        return tile.with_(text=f"{tile.at(COMPARE - 1)} != 0", level=COMPARE, dtype=dtype, type="i32", bounds=None)
    if not is_float(tile.dtype) and fits(*tile.range, dtype):
        if dtype in ("int32", "int64") and tile.type in ("i32", "i64", "number"):
            return tile.with_(dtype=dtype, bounds=tile.range)
        return tile.with_(text=f"cast({tile.text}, {wanted})", level=ATOM, dtype=dtype, type=wanted, bounds=tile.range)
    return tile.with_(text=f"truncate({tile.text}, {wanted})", level=ATOM, dtype=dtype, type=wanted, bounds=None)


def _rounded(c: Conversion, tile: Tile, dtype: str) -> Tile:
    """Rounds a real number to a type. A literal is rounded by NumPy, other numbers by a cast in the text."""
    if tile.known is None:
        if dtype in _LARGEST:
            return _to_fp8(c, tile, dtype)
        wanted = TYPES[dtype]
        return c.name(tile.with_(text=f"cast({tile.text}, {wanted})", level=ATOM, dtype=dtype, type=wanted))
    one = float(numpy_type(dtype).type(tile.known))
    if one != one:
        return nan(c, dtype)
    return tile.with_(text=real(one), level=ATOM if one >= 0 else UNARY, dtype=dtype, known=one)


def _to_fp8(c: Conversion, tile: Tile, dtype: str) -> Tile:
    """A cast to FP8 as in JAX: overflow gives NaN (e4m3) or an infinity (e5m2). A cast of the language would saturate."""
    wanted = TYPES[dtype]
    if not tile.written:
        held = cell(c, "float32", (1,))
        store(c, held, tile.with_(shape=()))
        made = _to_fp8(c, of_cell(held), dtype)
        name = c.name(made)
        return name.with_(text=f"{name.text}[0]", shape=tile.shape, written=())
    x = reusable(c, full(c, tile if tile.type == "f32" else tile.with_(text=f"cast({tile.text}, f32)", level=ATOM, type="f32", bounds=None)))
    size = f"abs({x.text})"
    if dtype == "float8_e4m3fn":
        text = f"cast(select({size} > 464, sqrt(-{size}), {x.text}), {wanted})"
    else:
        bits = cell(c, "uint8", x.shape, "bits")
        c.say(f"{bits.name} = bitcast(cast({x.text}, {wanted}), u8)")
        c.say(f"{bits.name} = truncate(select(61440 <= {size}, select({x.text} < 0, 252, 124), {bits.name}), u8)")
        text = f"bitcast({bits.name}, {wanted})"
    return x.with_(text=text, level=ATOM, dtype=dtype, type=wanted, bounds=None, shaped=dtype == "float8_e5m2")


def cell(c: Conversion, dtype: str, shape: Sequence[int], wanted: str | None = None) -> Ref:
    """Declares a register buffer for a value that an operator needs in memory or as a whole."""
    return c.declare("tile", wanted or "t", dtype, shape)


def of_cell(ref: Ref) -> Tile:
    """Returns the value in a cell. The cell must be stored only where the value is computed."""
    shape = tuple(d.size for d in ref.dims if d.size is not None and not isinstance(d.size, Scalar))
    return Tile(ref.text, ATOM, shape, shape, ref.dtype, TYPES[ref.dtype])


def within(tile: Tile, rank: int) -> Tile:
    """Returns the tile without leading dimensions of size 1 that exceed `rank`."""
    extra = len(tile.written) - rank
    if extra <= 0:
        return tile
    text = f"{tile.at(ATOM)}[{', '.join(['0'] * extra + [':'] * rank)}]"
    return tile.with_(text=text, level=ATOM, written=tile.written[extra:])


def full(c: Conversion, value: Any, shape: Sequence[int] | None = None) -> Tile:
    """Returns the value with its whole shape written out, without implicit repetition."""
    tile = as_tile(c, value)
    shape = tuple(tile.shape if shape is None else shape)
    tile = within(untrailed(c, tile), len(shape))
    if tile.written == shape and tile.type != "number":
        return tile
    made = cell(c, tile.dtype, shape)
    store(c, made, tile)
    return of_cell(made).with_(bounds=tile.bounds, opaque=tile.opaque)


def store(c: Conversion, ref: Ref, value: Any) -> None:
    """Writes `ref = value`, cast to the type of the memory."""
    tile = within(untrailed(c, as_tile(c, value)), len(ref.shape))
    kept = TYPES[ref.dtype]
    if tile.type == "number" or tile.type == kept:
        c.say(f"{ref.text} = {tile.text}")
    else:
        c.say(f"{ref.text} = cast({tile.text})")
