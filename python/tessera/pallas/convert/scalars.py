"""Arithmetic of scalar integers: program ids, devices, sizes, elements of smem.

Each value has a range. If a value is not negative, division towards zero is written as the language's division, which rounds down. A
value is wrapped only if it can exceed its type (wrapping.py). Operands of `divide`, `remainder`, `compare` and `extreme` must be wrapped.
"""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert.conversion import Conversion
from tessera.pallas.convert.values import ATOM, COMPARE, PLUS, TIMES, Scalar, number
from tessera.pallas.convert.wrapping import FAR, wrapped


def made(text: str, level: int, low: int, high: int, dtype: str, *operands: Scalar) -> Scalar:
    """Returns the result of an operator: a number if only one value is possible."""
    reads = frozenset().union(*(o.reads for o in operands))
    value = Scalar(text, level, low, high, dtype, reads)
    if low == high and not reads:
        return wrapped(number(low, dtype))
    return value if low >= -FAR and high <= FAR else wrapped(value)


def add(c: Conversion, a: Scalar, b: Scalar, dtype: str, sign: int = 1) -> Scalar:
    """a + b, or a - b if `sign` is -1. Constants are combined: (x + 1) + 2 is x + 3."""
    if a.known is not None and b.known is not None:
        return made("", ATOM, a.low + sign * b.low, a.low + sign * b.low, dtype)
    if b.known is not None:
        start, shift = a.base or (a, 0)
        shift += sign * b.low
        low, high = a.low + sign * b.low, a.high + sign * b.low
        if shift == 0:
            return Scalar(start.text, start.level, low, high, dtype, a.reads)
        sum = made(f"{start.at(PLUS)} {'+' if shift > 0 else '-'} {abs(shift)}", PLUS, low, high, dtype, a)
        return Scalar(sum.text, sum.level, sum.low, sum.high, dtype, sum.reads, (start, shift)) if sum.level == PLUS else sum
    if sign > 0 and a.known is not None:
        return add(c, b, a, dtype)
    if sign < 0:
        return made(f"{a.at(PLUS)} - {b.at(TIMES)}", PLUS, a.low - b.high, a.high - b.low, dtype, a, b)
    return made(f"{a.at(PLUS)} + {b.at(TIMES)}", PLUS, a.low + b.low, a.high + b.high, dtype, a, b)


def multiply(c: Conversion, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    if a.known == 1:
        return b
    if b.known == 1:
        return a
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return made(f"{a.at(TIMES)} * {b.at(TIMES - 1)}", TIMES, min(ends), max(ends), dtype, a, b)


def divide(c: Conversion, a: Scalar, b: Scalar, dtype: str, down: bool = False) -> Scalar:
    """a / b, rounded down (`down`; b must not be 0) or towards zero. Towards zero, all bits of a division by 0 are 1."""
    if b.known == 1:
        return a
    if b.low > 0 and (down or a.low >= 0):
        ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
        return made(f"{a.at(TIMES)} / {b.at(TIMES - 1)}", TIMES, min(ends), max(ends), dtype, a, b)
    bound = max(abs(a.low), abs(a.high))
    if down:
        return made(f"{a.at(TIMES)} / {b.at(TIMES - 1)}", TIMES, -bound, bound, dtype, a, b)
    return _but_at_zero(c, b, wrapped(number(-1, dtype)), _towards_zero("quotient", a, b, dtype, bound), dtype)


def remainder(c: Conversion, a: Scalar, b: Scalar, dtype: str, down: bool = False) -> Scalar:
    """The remainder of `divide`: with the sign of b (`down`), or with the sign of a (towards zero; a if b is 0)."""
    if b.low > 0 and (down or a.low >= 0):
        if a.known is not None and b.known is not None:
            return number(a.low % b.low, dtype)
        if a.low >= 0 and a.high < b.low:
            return a
        return made(f"{a.at(TIMES)} mod {b.at(TIMES - 1)}", TIMES, 0, b.high - 1, dtype, a, b)
    bound = max(abs(b.low), abs(b.high)) - 1
    if down:
        return made(f"{a.at(TIMES)} mod {b.at(TIMES - 1)}", TIMES, -bound, bound, dtype, a, b)
    if may_be_zero(b):
        a = a if a.simple else c.name(a)
    return _but_at_zero(c, b, a, _towards_zero("remainder", a, b, dtype, min(bound, max(abs(a.low), abs(a.high)))), dtype)


def may_be_zero(a: Scalar) -> bool:
    return a.low <= 0 <= a.high


def _but_at_zero(c: Conversion, b: Scalar, at_zero: Scalar, otherwise: Scalar, dtype: str) -> Scalar:
    return choose(c, compare(c, "==", b, number(0)), at_zero, otherwise, dtype) if may_be_zero(b) else otherwise


def _towards_zero(word: str, a: Scalar, b: Scalar, dtype: str, bound: int) -> Scalar:
    return made(f"{word}({a.text}, {b.text})", ATOM, -bound if a.low < 0 or b.low < 0 else 0, bound, dtype, a, b)


def compare(c: Conversion, operator: str, a: Scalar, b: Scalar) -> Scalar:
    decided = _decided(operator, a, b)
    if decided is not None:
        return number(decided, "bool")
    return made(f"{a.at(COMPARE - 1)} {operator} {b.at(COMPARE - 1)}", COMPARE, 0, 1, "bool", a, b)


def _decided(operator: str, a: Scalar, b: Scalar) -> int | None:
    if operator in (">", ">="):
        return _decided({">": "<", ">=": "<="}[operator], b, a)
    if operator == "<":
        return 1 if a.high < b.low else 0 if a.low >= b.high else None
    if operator == "<=":
        return 1 if a.high <= b.low else 0 if a.low > b.high else None
    apart = a.high < b.low or b.high < a.low
    same = a.known is not None and a.known == b.known
    if apart or same:
        return int(same) if operator == "==" else int(apart)
    return None


def choose(c: Conversion, condition: Scalar, yes: Scalar, no: Scalar, dtype: str) -> Scalar:
    if condition.known is not None:
        return yes if condition.known else no
    return made(f"select({condition.text}, {yes.text}, {no.text})", ATOM, min(yes.low, no.low), max(yes.high, no.high), dtype, condition, yes, no)


def extreme(c: Conversion, primitive: str, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    pick: Any = min if primitive == "min" else max
    if (primitive == "min" and a.high <= b.low) or (primitive == "max" and a.low >= b.high):
        return a
    if (primitive == "min" and b.high <= a.low) or (primitive == "max" and b.low >= a.high):
        return b
    return made(f"{primitive}({a.text}, {b.text})", ATOM, pick(a.low, b.low), pick(a.high, b.high), dtype, a, b)


def absolute(c: Conversion, a: Scalar, dtype: str) -> Scalar:
    if a.low >= 0:
        return a
    return made(f"max({a.text}, {negate(c, a, dtype).text})", ATOM, 0, max(-a.low, a.high), dtype, a)


def negate(c: Conversion, a: Scalar, dtype: str) -> Scalar:
    return add(c, number(0), a, dtype, -1)
