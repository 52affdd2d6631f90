"""Wrapping of integers. Integers of JAX wrap at the width of their type; integers of the text have 64 bits.

The low bits of sums, products and some other operators do not depend on the operands' high bits. Their results are wrapped only
before an operator that depends on the high bits, and only if the range exceeds the type.
"""

from __future__ import annotations

from tessera.pallas.convert.values import ATOM, INTEGERS, TYPES, Scalar, limits, number

# Values that can exceed it are wrapped immediately, because the range of a further product would exceed 64 bits.
FAR = 1 << 62


def fits(low: int, high: int, dtype: str) -> bool:
    smallest, largest = limits(dtype)
    return smallest <= low and high <= largest


def wrapped(a: Scalar) -> Scalar:
    """Returns JAX's value: the text is truncated to the type if the range exceeds the type."""
    if fits(a.low, a.high, a.dtype):
        return a
    smallest, largest = limits(a.dtype)
    bits = INTEGERS[a.dtype][0]
    if a.known is not None and not a.reads:
        return number((a.low - smallest) % (1 << bits) + smallest, a.dtype)
    if bits == 64:
        return Scalar(a.text, a.level, smallest, largest, a.dtype, a.reads)
    return Scalar(f"truncate({a.text}, {TYPES[a.dtype]})", ATOM, smallest, largest, a.dtype, a.reads)
