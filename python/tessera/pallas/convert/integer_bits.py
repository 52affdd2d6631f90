"""Bit operations on integers, shifts, and conversions between integer types."""

from __future__ import annotations

from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.scalars import add, compare, divide, made, multiply
from tessera.pallas.convert.values import AND, ATOM, COMPARE, INTEGERS, NOT, OR, Scalar, limits, number
from tessera.pallas.convert.wrapping import FAR, wrapped


def logical(c: Conversion, primitive: str, a: Scalar, b: Scalar | None, dtype: str) -> Scalar:
    """`and`, `or`, `xor` and `not` on conditions, or on bits."""
    if dtype != "bool":
        return bits(c, primitive, a, b, dtype)
    if primitive == "not":
        if a.known is not None:
            return number(1 - a.known, "bool")
        return made(f"not {a.at(NOT)}", NOT, 0, 1, "bool", a)
    assert b is not None
    for one, other in ((a, b), (b, a)):
        if one.known is not None and primitive in ("and", "or"):
            return other if one.known == (primitive == "and") else one
    if primitive == "xor":
        return made(f"{a.at(COMPARE - 1)} != {b.at(COMPARE - 1)}", COMPARE, 0, 1, "bool", a, b)
    level = AND if primitive == "and" else OR
    return made(f"{a.at(level)} {primitive} {b.at(level - 1)}", level, 0, 1, "bool", a, b)


def bits(c: Conversion, primitive: str, a: Scalar, b: Scalar | None, dtype: str) -> Scalar:
    if b is not None and a.known is not None and b.known is not None and a.low >= 0 and b.low >= 0:
        done = {"and": a.low & b.low, "or": a.low | b.low, "xor": a.low ^ b.low}.get(primitive)
        if done is not None:
            return number(done, dtype)
    operands = [a] if b is None else [a, b]
    masks = [o.known for o in operands if o.known is not None and o.known >= 0 and primitive == "and"]
    if not masks:
        operands = [wrapped(o) for o in operands]
    low, high = limits(dtype)
    if primitive == "not" and low == 0:
        return add(c, number(high), operands[0], dtype, -1)
    if primitive == "and" and any(o.low >= 0 for o in operands):
        low, high = 0, min(masks or [o.high for o in operands if o.low >= 0])
    return made(f"bit_{primitive}({', '.join(o.text for o in operands)})", ATOM, low, high, dtype, *operands)


def shift(c: Conversion, primitive: str, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    """Shifts by `b` bits: left, or right with the sign or with zeros. All bits are shifted out if `b` is not in [0, width)."""
    b, width = wrapped(b), INTEGERS[dtype][0]
    known = b.known if b.known is not None and 0 <= b.known < width else None
    if primitive == "shift_left":
        if known is not None:
            return multiply(c, a, number(1 << known), dtype)
        return made(f"shift_left({a.text}, {b.text})", ATOM, -2 * FAR, 2 * FAR, dtype, a, b)
    signed = INTEGERS[dtype][1]
    if primitive == "shift_right_logical" and signed and a.low < 0:
        a = made(f"bit_and({a.text}, {(1 << width) - 1})", ATOM, 0, (1 << width) - 1, "int64", a)
    if primitive == "shift_right_arithmetic" and not signed:
        a = wrapped(convert(c, a, dtype.removeprefix("u")))
    if known is not None:
        return divide(c, a, number(1 << known), dtype, down=True)
    return made(f"shift_right({a.text}, {b.text})", ATOM, min(a.low, 0), max(a.high, 0), dtype, a, b)


def convert(c: Conversion, a: Scalar, dtype: str) -> Scalar:
    """Converts to another integer type. A value that does not fit keeps its lowest bits."""
    if dtype == "bool":
        return a if a.dtype == "bool" else compare(c, "!=", wrapped(a), number(0))
    a = wrapped(a) if INTEGERS[dtype][0] > INTEGERS[a.dtype][0] else a
    return Scalar(a.text, a.level, a.low, a.high, dtype, a.reads, a.base)
