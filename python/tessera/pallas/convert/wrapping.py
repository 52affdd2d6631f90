"""Integers of JAX wrap in their type; the integers of the text have 64 bits.

Sums, products and some other operators have the right low bits whatever the operands' high bits are. Their results are
wrapped only before an operator that depends on the high bits, and only if the range exceeds the type.
"""

from __future__ import annotations

from tessera.pallas.convert.values import ATOM, INTEGERS, TYPES, Scalar, limits, number

# Values with ranges beyond it are wrapped immediately: the range of a further product would exceed 64 bits.
FAR = 1 << 62


def fits(low: int, high: int, dtype: str) -> bool:
    smallest, largest = limits(dtype)
    return smallest <= low and high <= largest


def wrapped(a: Scalar) -> Scalar:
    """The value that JAX has: the text is truncated to the type if the range exceeds it."""
    if fits(a.low, a.high, a.dtype):
        return a
    smallest, largest = limits(a.dtype)
    bits = INTEGERS[a.dtype][0]
    if a.known is not None and not a.reads:
        return number((a.low - smallest) % (1 << bits) + smallest, a.dtype)
    if bits == 64:
        return Scalar(a.text, a.level, smallest, largest, a.dtype, a.reads)
    return Scalar(f"truncate({a.text}, {TYPES[a.dtype]})", ATOM, smallest, largest, a.dtype, a.reads)
