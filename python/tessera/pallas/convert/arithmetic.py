"""Rules of arithmetic: scalar integers are converted by scalars.py, everything else is tiles."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert import integer_bits, scalars, tiles
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.expanded import one_of
from tessera.pallas.convert.float_functions import float_remainder, power, rounded_away
from tessera.pallas.convert.values import COMPARE, PLUS, TIMES, Scalar, Tile, dtype_name, is_float, limits, number
from tessera.pallas.convert.wrapping import fits

_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _dtype(eqn: Any) -> str:
    return dtype_name(eqn.outvars[0].aval.dtype)


def _scalars(*operands: Any) -> bool:
    return all(isinstance(o, Scalar) for o in operands)


@rule("add", "sub", "mul", "add_any", modular=True)
def _linear(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    kind, dtype = eqn.primitive.name.removesuffix("_any"), _dtype(eqn)
    if _scalars(a, b):
        if kind == "mul":
            return scalars.multiply(c, a, b, dtype)
        return scalars.add(c, a, b, dtype, 1 if kind == "add" else -1)
    if not is_float(dtype):
        for one, other in ((a, b), (b, a)) if kind != "sub" else ((b, a),):
            if isinstance(one, Scalar) and one.known == (1 if kind == "mul" else 0) and isinstance(other, Tile):
                return other.with_(shape=tuple(eqn.outvars[0].aval.shape)) if not other.written else other
    symbol, level, right = {"add": ("+", PLUS, TIMES), "sub": ("-", PLUS, TIMES), "mul": ("*", TIMES, TIMES - 1)}[kind]
    made = tiles.operate(c, eqn, [a, b], lambda x, y: (f"{x.at(level)} {symbol} {y.at(right)}", level))
    if kind == "add":
        x, y = tiles.as_tile(c, a), tiles.as_tile(c, b)
        if (made.type == "f32" and dtype_name(eqn.outvars[0].aval.dtype) == "float32") or made.type == "i32":
            made = made.with_(sum=(x, y))
    return made if is_float(dtype) else made.with_(bounds=_bounds(kind, tiles.as_tile(c, a).range, tiles.as_tile(c, b).range, dtype))


def _bounds(kind: str, x: tuple[int, int], y: tuple[int, int], dtype: str) -> tuple[int, int] | None:
    """Returns the range of a sum, a difference or a product of tiles. None if it can wrap."""
    ends = [{"add": i + j, "sub": i - j, "mul": i * j}[kind] for i in x for j in y]
    return (min(ends), max(ends)) if fits(min(ends), max(ends), dtype) else None


@rule("div")
def _divide(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    if _scalars(a, b):
        return scalars.divide(c, a, b, _dtype(eqn))
    if isinstance(b, Scalar) and b.known == 1:
        return a
    if not is_float(_dtype(eqn)):
        return _towards_zero(c, eqn, a, b, "quotient")
    return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{x.at(TIMES)} / {y.at(TIMES - 1)}", TIMES))


@rule("rem")
def _remainder(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    if _scalars(a, b):
        return scalars.remainder(c, a, b, _dtype(eqn))
    if is_float(_dtype(eqn)):
        return float_remainder(c, eqn, a, b)
    return _towards_zero(c, eqn, a, b, "remainder")


def _towards_zero(c: Conversion, eqn: Any, a: Any, b: Any, what: str) -> Tile:
    x, y = tiles.as_tile(c, a), tiles.as_tile(c, b)
    if x.range[0] < 0 or y.range[0] <= 0:
        if y.range[0] <= 0 <= y.range[1]:
            return _but_at_zero(c, eqn, a, b, what)
        return tiles.operate(c, eqn, [a, b], lambda v, w: (f"{what}({v.text}, {w.text})", 1))
    return floor_tiles(c, eqn, a, b, what)


def _but_at_zero(c: Conversion, eqn: Any, a: Any, b: Any, what: str) -> Tile:
    """Division that may be by 0: all bits of the quotient are then 1, and the remainder is the dividend."""
    a, b, dtype = tiles.reusable(c, a), tiles.reusable(c, b), _dtype(eqn)
    ones = limits(dtype)[1] if dtype.startswith("u") else -1
    return tiles.operate(
        c, eqn, [b, a], lambda w, v: (f"select({w.at(COMPARE - 1)} == 0, {ones if what == 'quotient' else v.text}, {what}({v.text}, {w.text}))", 1)
    )


def floor_tiles(c: Conversion, eqn: Any, a: Any, b: Any, what: str) -> Tile:
    """Floor division of integer tiles: the quotient, rounded down, or its remainder."""
    if what == "quotient" and isinstance(b, Scalar) and b.known == 1:
        return a
    (low, high), (least, most) = tiles.as_tile(c, a).range, tiles.as_tile(c, b).range
    if what == "quotient":
        bounds = (low // most, high // least) if low >= 0 and least > 0 else None
        return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{x.at(TIMES)} / {y.at(TIMES - 1)}", TIMES)).with_(bounds=bounds)
    bounds = (0, most - 1) if least > 0 else None
    return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{x.at(TIMES)} mod {y.at(TIMES - 1)}", TIMES)).with_(bounds=bounds)


@rule(*_COMPARISONS)
def _compare(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    symbol = _COMPARISONS[eqn.primitive.name]
    if _scalars(a, b):
        return scalars.compare(c, symbol, a, b)
    return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{x.at(COMPARE - 1)} {symbol} {y.at(COMPARE - 1)}", COMPARE), type="i32")


@rule("max", "min")
def _extreme(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    kind = eqn.primitive.name
    if _scalars(a, b):
        return scalars.extreme(c, kind, a, b, _dtype(eqn))
    return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{kind}({x.text}, {y.text})", 1), rounds=False)


@rule("clamp")
def _clamp(c: Conversion, eqn: Any, low: Any, x: Any, high: Any) -> Any:
    if _scalars(low, x, high):
        return scalars.extreme(c, "min", scalars.extreme(c, "max", x, low, _dtype(eqn)), high, _dtype(eqn))
    return tiles.operate(c, eqn, [low, x, high], lambda lo, v, hi: (f"clamp({v.text}, {lo.text}, {hi.text})", 1), rounds=False)


@rule("select_n", modular=True)
def _select(c: Conversion, eqn: Any, which: Any, *cases: Any) -> Any:
    if len(cases) == 1:
        return cases[0]
    if len(cases) > 2:
        return one_of(c, eqn, which, *cases)
    no, yes = cases
    if isinstance(which, Scalar) and which.known is not None:
        return yes if which.known else no
    if _scalars(which, no, yes):
        return scalars.choose(c, which, yes, no, _dtype(eqn))
    return tiles.operate(c, eqn, [which, yes, no], lambda p, y, n: (f"select({p.text}, {y.text}, {n.text})", 1), rounds=False)


@rule("and", "or", "xor", "not", modular=True)
def _logical(c: Conversion, eqn: Any, a: Any, b: Any = None) -> Any:
    kind = eqn.primitive.name
    if _scalars(a) and (b is None or _scalars(b)):
        return integer_bits.logical(c, kind, a, b, _dtype(eqn))
    operands = [a] if b is None else [a, b]
    if _dtype(eqn) != "bool":
        return tiles.operate(c, eqn, operands, lambda *o: (f"bit_{kind}({', '.join(x.text for x in o)})", 1), wraps=False)
    if kind == "not":
        return tiles.operate(c, eqn, operands, lambda x: (f"1 - {x.at(TIMES)}", PLUS))
    if kind == "and":
        return tiles.operate(c, eqn, operands, lambda x, y: (f"{x.at(TIMES)} * {y.at(TIMES - 1)}", TIMES))
    if kind == "or":
        return tiles.operate(c, eqn, operands, lambda x, y: (f"max({x.text}, {y.text})", 1))
    return tiles.operate(c, eqn, operands, lambda x, y: (f"{x.at(COMPARE - 1)} != {y.at(COMPARE - 1)}", COMPARE))


@rule("shift_right_arithmetic", "shift_right_logical")
@rule("shift_left", modular=True)
def _shift(c: Conversion, eqn: Any, a: Any, b: Any) -> Any:
    kind, dtype = eqn.primitive.name, _dtype(eqn)
    if _scalars(a, b):
        return integer_bits.shift(c, kind, a, b, dtype)
    if kind == "shift_right_logical" and not dtype.startswith("u"):
        return _logical_shift(c, eqn, a, b, dtype)
    word = "shift_left" if kind == "shift_left" else "shift_right"
    return tiles.operate(c, eqn, [a, b], lambda x, y: (f"{word}({x.text}, {y.text})", 1), wraps=False)


def _logical_shift(c: Conversion, eqn: Any, a: Any, b: Any, dtype: str) -> Tile:
    """Logical right shift of a signed tile: the bits are shifted as an unsigned number."""
    signed, unsigned = tiles.TYPES[dtype], tiles.TYPES[f"u{dtype}"]
    whole = tiles.full(c, tiles.as_tile(c, a), eqn.outvars[0].aval.shape)
    made = tiles.operate(
        c, eqn, [whole, b], lambda x, y: (f"bitcast(shift_right(bitcast({x.text}, {unsigned}), {y.text}), {signed})", 1), wraps=False
    )
    return made.with_(type=signed, shaped=True)


@rule("neg", modular=True)
def _negate(c: Conversion, eqn: Any, a: Any) -> Any:
    if _scalars(a):
        return scalars.negate(c, a, _dtype(eqn))
    made = tiles.operate(c, eqn, [a], lambda x: (f"-{x.at(1)}", 2))
    return made.with_(known=-a.known) if isinstance(a, Tile) and a.known is not None and a.level == 1 else made


@rule("sign")
def _sign(c: Conversion, eqn: Any, a: Any) -> Any:
    if _scalars(a):
        return scalars.add(c, scalars.compare(c, ">", a, number(0)), scalars.compare(c, "<", a, number(0)), _dtype(eqn), -1)
    if is_float(_dtype(eqn)):
        return tiles.operate(c, eqn, [a], lambda x: (f"sign({x.text})", 1))
    a = tiles.reusable(c, a)
    return tiles.operate(c, eqn, [a], lambda x: (f"(0 < {x.at(PLUS)}) - ({x.at(PLUS)} < 0)", PLUS))


@rule("exp", "log", "tanh", "erf", "rsqrt", "abs", "sqrt", "floor", "ceil", "sin", "cos", "exp2", "log1p", "expm1", "logistic", "erfc")
def _function(c: Conversion, eqn: Any, x: Any) -> Any:
    kind = eqn.primitive.name
    if kind == "abs" and _scalars(x):
        return scalars.absolute(c, x, _dtype(eqn))
    return tiles.operate(c, eqn, [x], lambda v: (f"{kind}({v.text})", 1))


@rule("pow")
def _pow(c: Conversion, eqn: Any, x: Any, y: Any) -> Any:
    return tiles.operate(c, eqn, [x, y], lambda v, w: (f"pow({v.text}, {w.text})", 1))


@rule("round")
def _round(c: Conversion, eqn: Any, x: Any) -> Any:
    if int(eqn.params.get("rounding_method", 1)) != 1:
        return rounded_away(c, eqn, x)
    return tiles.operate(c, eqn, [x], lambda v: (f"round({v.text})", 1))


@rule("bitcast_convert_type", "bitcast")
def _bitcast(c: Conversion, eqn: Any, x: Any) -> Any:
    """The bits of a tile as another type. If the width differs, rows are packed as on a TPU."""
    dtype = _dtype(eqn)
    if isinstance(x, Scalar) and not is_float(dtype):
        return integer_bits.convert(c, x, dtype)
    tile = tiles.as_tile(c, x)
    if not eqn.outvars[0].aval.shape and not tile.shape:
        return _bits_of_number(c, tile, dtype)
    wanted = c.type_of(dtype)
    packs = tuple(eqn.outvars[0].aval.shape) != tile.shape
    if packs and eqn.primitive.name != "bitcast":
        raise c.refuse("the bits of a tile as another type")
    whole = tiles.full(c, tile)
    shape = tuple(eqn.outvars[0].aval.shape)
    text = whole.text if whole.type == tiles.TYPES[tile.dtype] else f"cast({whole.text}, {tiles.TYPES[tile.dtype]})"
    return whole.with_(text=f"bitcast({text}, {wanted})", level=1, shape=shape, written=shape, dtype=dtype, type=wanted, bounds=None, shaped=True)


def _bits_of_number(c: Conversion, tile: Tile, dtype: str) -> Tile:
    held, wanted = tiles.cell(c, tile.dtype, (1,), "bits"), c.type_of(dtype)
    tiles.store(c, held, tile)
    name = c.names.new("bits")
    c.say(f"{name} = bitcast({held.name}, {wanted})")
    return Tile(f"{name}[0]", 1, (), (), dtype, wanted, opaque=tile.opaque)


@rule("integer_pow", "square")
def _power(c: Conversion, eqn: Any, x: Any) -> Any:
    exponent = eqn.params.get("y", 2)
    if _scalars(x):
        made = number(1)
        for _ in range(exponent):
            made = scalars.multiply(c, made, x, _dtype(eqn))
        return made
    if exponent == 0:
        return Tile("1.0", 1, tuple(eqn.outvars[0].aval.shape), (), _dtype(eqn), "number", known=1.0)
    x = tiles.reusable(c, x)
    count = abs(exponent)
    if count > 4:
        return power(c, eqn, x, exponent)

    def text(v: Tile) -> tuple[str, int]:
        product = " * ".join([v.at(2)] * count)
        return (product, TIMES) if exponent > 0 else (f"1 / ({product})", TIMES)

    return tiles.operate(c, eqn, [x], text)


@rule("reciprocal")
def _reciprocal(c: Conversion, eqn: Any, x: Any) -> Any:
    return tiles.operate(c, eqn, [x], lambda v: (f"1 / {v.at(2)}", TIMES))


@rule("is_finite")
def _finite(c: Conversion, eqn: Any, x: Any) -> Any:
    return tiles.operate(c, eqn, [x], lambda v: (f"abs({v.text}) < inf", COMPARE), type="i32")


@rule(
    "copy",
    "copy_p",
    "stop_gradient",
    "multiple_of",
    "optimization_barrier",
    "pvary",
    "with_memory_space_constraint",
    "mutable_array_copy",
    "assume_multiple",
    "add_dependency",
    "name",
    "sharding_constraint",
)
def _same(c: Conversion, eqn: Any, x: Any, *_: Any) -> Any:
    return x


@rule("convert_element_type", modular=True)
def _convert(c: Conversion, eqn: Any, x: Any) -> Any:
    return tiles.convert(c, x, _dtype(eqn))
