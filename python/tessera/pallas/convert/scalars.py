"""Arithmetic of integers: program ids, devices, sizes, what smem holds. Between which numbers a value lies is kept, so
that a division towards zero can be written as the language's, which rounds down."""

from __future__ import annotations

from typing import Any

from tessera.pallas.convert import language
from tessera.pallas.convert.values import (AND, ATOM, COMPARE, INTEGERS, NOT, OR, PLUS, TIMES, Scalar, limits, number)
from tessera.pallas.convert.walk import Conversion


def _made(c: Conversion, text: str, level: int, low: int, high: int, dtype: str, *operands: Scalar) -> Scalar:
    reads = frozenset().union(*(o.reads for o in operands))
    smallest, largest = limits(dtype)
    if low < smallest or high > largest:
        if dtype.startswith("u"):
            bits = INTEGERS[dtype][0]
            inner = text if level <= TIMES else f"({text})"
            return Scalar(f"{inner} mod {1 << bits}", TIMES, 0, largest, dtype, reads)
        low, high = max(low, smallest), min(high, largest)      # jax's own integers wrap here; addresses never do
        if low > high:
            low, high = smallest, largest
    if low == high and not reads:
        return number(low, dtype)
    return Scalar(text, level, low, high, dtype, reads)


#: Sums of such a number and products by one may be meant to wrap, as those of hashes are. Others, of what counts and
#: addresses, are taken not to: the text has integers of 64 bits.
_LARGE = 1 << 16


def _cut_off(c: Conversion, text: str, low: int, high: int, dtype: str, *operands: Scalar) -> Scalar | None:
    """What 32 bits keep, where they may not be enough; None where they are."""
    smallest, largest = limits(dtype)
    if dtype != "int32" or smallest <= low and high <= largest or not language.INTEGERS:
        return None
    return _made(c, f"truncate({text}, i32)", ATOM, smallest, largest, dtype, *operands)


def add(c: Conversion, a: Scalar, b: Scalar, dtype: str, sign: int = 1) -> Scalar:
    """a + b, or a - b with sign -1; numbers are gathered: (x + 1) + 2 is x + 3."""
    if a.known is not None and b.known is not None:
        return _made(c, "", ATOM, a.low + sign * b.low, a.low + sign * b.low, dtype)
    if b.known is not None:
        start, shift = a.base or (a, 0)
        shift += sign * b.low
        low, high = a.low + sign * b.low, a.high + sign * b.low
        if shift == 0:
            return Scalar(start.text, start.level, low, high, dtype, a.reads)
        text = f"{start.at(PLUS)} {'+' if shift > 0 else '-'} {abs(shift)}"
        if abs(shift) >= _LARGE and (cut := _cut_off(c, text, low, high, dtype, a)) is not None:
            return cut
        made = _made(c, text, PLUS, low, high, dtype, a)
        return Scalar(made.text, made.level, made.low, made.high, dtype, made.reads,
                      (start, shift)) if made.level == PLUS else made
    if sign > 0 and a.known is not None:
        return add(c, b, a, dtype)
    if sign < 0:
        return _made(c, f"{a.at(PLUS)} - {b.at(TIMES)}", PLUS, a.low - b.high, a.high - b.low, dtype, a, b)
    return _made(c, f"{a.at(PLUS)} + {b.at(TIMES)}", PLUS, a.low + b.low, a.high + b.high, dtype, a, b)


def multiply(c: Conversion, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    if a.known == 1:
        return b
    if b.known == 1:
        return a
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    text = f"{a.at(TIMES)} * {b.at(TIMES - 1)}"
    if max(map(abs, ends)) >= _LARGE << 31 and (cut := _cut_off(c, text, min(ends), max(ends), dtype, a, b)) is not None:
        return cut
    return _made(c, text, TIMES, min(ends), max(ends), dtype, a, b)


def divide(c: Conversion, a: Scalar, b: Scalar, dtype: str, down: bool = False) -> Scalar:
    """a / b: rounded down, or towards zero."""
    if b.known == 1:
        return a
    if b.low <= 0:
        if a.low >= 0 and b.low >= 0:
            return _made(c, f"{a.at(TIMES)} / {b.at(TIMES - 1)}", TIMES, 0, a.high, dtype, a, b)
        if down:
            bound = max(abs(a.low), abs(a.high))
            return _made(c, f"{a.at(TIMES)} / {b.at(TIMES - 1)}", TIMES, -bound, bound, dtype, a, b)
        return _towards_zero(c, "quotient", a, b, dtype)
    if down or a.low >= 0:
        ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
        return _made(c, f"{a.at(TIMES)} / {b.at(TIMES - 1)}", TIMES, min(ends), max(ends), dtype, a, b)
    if language.INTEGERS:
        return _towards_zero(c, "quotient", a, b, dtype)
    text = f"select({a.text} < 0, -(-{a.at(ATOM)} / {b.at(TIMES - 1)}), {a.at(TIMES)} / {b.at(TIMES - 1)})"
    bound = max(abs(a.low), abs(a.high)) // max(b.low, 1)
    return _made(c, text, ATOM, -bound, bound, dtype, a, b)


def remainder(c: Conversion, a: Scalar, b: Scalar, dtype: str, down: bool = False) -> Scalar:
    """What divide leaves: with the sign of b, or (towards zero) of a."""
    if b.low > 0 and (down or a.low >= 0):
        if a.known is not None and b.known is not None:
            return number(a.low % b.low, dtype)
        if 0 <= a.low and a.high < b.low:
            return a
        return _made(c, f"{a.at(TIMES)} mod {b.at(TIMES - 1)}", TIMES, 0, b.high - 1, dtype, a, b)
    if down:
        bound = max(abs(b.low), abs(b.high))
        return _made(c, f"{a.at(TIMES)} mod {b.at(TIMES - 1)}", TIMES, -bound, bound, dtype, a, b)
    if language.INTEGERS:
        return _towards_zero(c, "remainder", a, b, dtype)
    whole = divide(c, a, b, dtype)
    text = f"{a.at(PLUS)} - {whole.at(TIMES)} * {b.at(TIMES - 1)}"
    bound = max(abs(b.low), abs(b.high)) - 1
    return _made(c, text, PLUS, -bound if a.low < 0 else 0, bound, dtype, a, b)


def _towards_zero(c: Conversion, word: str, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    if not language.INTEGERS:
        raise c.refuse(f"a {word} towards zero by what may be negative")
    bound = max(abs(a.low), abs(a.high))
    return _made(c, f"{word}({a.text}, {b.text})", ATOM, -bound, bound, dtype, a, b)


def compare(c: Conversion, operator: str, a: Scalar, b: Scalar) -> Scalar:
    decided = _decided(operator, a, b)
    if decided is not None:
        return number(decided, "bool")
    return _made(c, f"{a.at(COMPARE - 1)} {operator} {b.at(COMPARE - 1)}", COMPARE, 0, 1, "bool", a, b)


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
    return _made(c, f"select({condition.text}, {yes.text}, {no.text})", ATOM, min(yes.low, no.low),
                 max(yes.high, no.high), dtype, condition, yes, no)


def logical(c: Conversion, primitive: str, a: Scalar, b: Scalar | None, dtype: str) -> Scalar:
    """and, or, xor, not: of conditions, or bit by bit."""
    if dtype != "bool":
        return bits(c, primitive, a, b, dtype)
    if primitive == "not":
        if a.known is not None:
            return number(1 - a.known, "bool")
        return _made(c, f"not {a.at(NOT)}", NOT, 0, 1, "bool", a)
    assert b is not None
    for one, other in ((a, b), (b, a)):
        if one.known is not None and primitive in ("and", "or"):
            return other if one.known == (primitive == "and") else one
    if primitive == "xor":
        return _made(c, f"{a.at(COMPARE - 1)} != {b.at(COMPARE - 1)}", COMPARE, 0, 1, "bool", a, b)
    level = AND if primitive == "and" else OR
    return _made(c, f"{a.at(level)} {primitive} {b.at(level - 1)}", level, 0, 1, "bool", a, b)


def bits(c: Conversion, primitive: str, a: Scalar, b: Scalar | None, dtype: str) -> Scalar:
    if b is not None and a.known is not None and b.known is not None and a.low >= 0 and b.low >= 0:
        done = {"and": a.low & b.low, "or": a.low | b.low, "xor": a.low ^ b.low}.get(primitive)
        if done is not None:
            return number(done, dtype)
    if not language.INTEGERS:
        raise c.refuse(f"bits of an integer by `{primitive}`")
    operands = [a] if b is None else [a, b]
    low, high = limits(dtype)
    if primitive == "not" and low == 0:
        return add(c, number(high), a, dtype, -1)
    if primitive == "and" and b is not None and (a.low >= 0 or b.low >= 0):
        low, high = 0, min(o.high for o in (a, b) if o.low >= 0)
    text = f"bit_{primitive}({', '.join(o.text for o in operands)})"
    return _made(c, text, ATOM, low, high, dtype, *operands)


def shift(c: Conversion, primitive: str, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    """By a known number of places; a logical shift of what is not negative."""
    if b.known is None or not 0 <= b.known < INTEGERS[dtype][0]:
        raise c.refuse("a shift by a number that is not known")
    if primitive == "shift_left":
        return multiply(c, a, number(1 << b.known), dtype)
    if primitive == "shift_right_logical" and a.low < 0:
        raise c.refuse("a logical shift of what may be negative")
    return divide(c, a, number(1 << b.known), dtype, down=True)


def extreme(c: Conversion, primitive: str, a: Scalar, b: Scalar, dtype: str) -> Scalar:
    pick: Any = min if primitive == "min" else max
    if primitive == "min" and a.high <= b.low or primitive == "max" and a.low >= b.high:
        return a
    if primitive == "min" and b.high <= a.low or primitive == "max" and b.low >= a.high:
        return b
    return _made(c, f"{primitive}({a.text}, {b.text})", ATOM, pick(a.low, b.low), pick(a.high, b.high), dtype, a, b)


def negate(c: Conversion, a: Scalar, dtype: str) -> Scalar:
    return add(c, number(0), a, dtype, -1) if a.known is None else _made(c, "", ATOM, -a.low, -a.low, dtype)


def convert(c: Conversion, a: Scalar, dtype: str) -> Scalar:
    """To another integer type; a value that does not fit keeps its lowest bits."""
    low, high = limits(dtype)
    if dtype == "bool":
        return a if a.low >= 0 and a.high <= 1 else compare(c, "!=", a, number(0))
    if low <= a.low and a.high <= high:
        return Scalar(a.text, a.level, a.low, a.high, dtype, a.reads, a.base)
    if dtype.startswith("u"):
        return _made(c, a.text, a.level, a.low, a.high, dtype, a)
    half = 1 << (INTEGERS[dtype][0] - 1)
    shifted = f"({a.at(PLUS)} + {half}) mod {2 * half} - {half}"
    return Scalar(shifted, PLUS, low, high, dtype, a.reads)
