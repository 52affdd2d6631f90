"""Float functions that the language does not have, expressed by functions that it has."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import tiles
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.expanded import traced
from tessera.pallas.convert.values import dtype_name


@rule("tan", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "asin", "acos", "atan", "erf_inv")
def _function(c: Conversion, eqn: Any, x: Any) -> Any:
    """Expresses the function by functions of the language, about as accurately as JAX."""
    written = {
        "tan": lambda v: jnp.sin(v) / jnp.cos(v),
        "sinh": _sinh,
        "cosh": lambda v: jnp.exp(v + _HALF) + jnp.exp(_HALF - v),
        "asinh": _asinh,
        "acosh": lambda v: jnp.where(v > 1e18, jnp.log(v) - _HALF, jnp.log(v + jnp.sqrt(v - 1) * jnp.sqrt(v + 1))),
        "atanh": lambda v: (jnp.log1p(v) - jnp.log1p(-v)) / 2,
        "cbrt": lambda v: jnp.sign(v) * jnp.exp(jnp.log(jnp.abs(v)) / 3),
        "asin": lambda v: 2 * _arctan(v / (1 + jnp.sqrt((1 - v) * (1 + v)))),
        "acos": lambda v: jnp.where(v == -1, jnp.pi, 2 * _arctan(jnp.sqrt((1 - v) * (1 + v)) / (1 + v))),
        "atan": _arctan,
        "erf_inv": _erf_inv,
    }[eqn.primitive.name]

    def wide(v):
        return written(v.astype(jnp.float32)).astype(v.dtype)

    return traced(c, eqn, wide, tiles.reusable(c, x))


_HALF = -math.log(2)  # exp(v + _HALF) is exp(v) / 2 without an early overflow


def _sinh(v: Any) -> Any:
    small = jnp.expm1(v)
    return jnp.where(jnp.abs(v) < 1, (small + small / (small + 1)) / 2, jnp.exp(v + _HALF) - jnp.exp(_HALF - v))


def _asinh(v: Any) -> Any:
    size = jnp.abs(v)
    found = jnp.where(size > 1e18, jnp.log(size) - _HALF, jnp.log1p(size + size * size / (1 + jnp.sqrt(size * size + 1))))
    return jnp.where(v < 0, -found, found)


def _polynomial(x: Any, factors: Sequence[float]) -> Any:
    """Evaluates a polynomial; the coefficient of the highest power is first."""
    return functools.reduce(lambda sum, factor: sum * x + factor, factors[1:], jnp.full_like(x, factors[0]))


def _arctan(v: Any) -> Any:
    """The polynomial of the Cephes library on [0, tan(pi / 8)]; larger arguments are reduced to this range."""
    size = jnp.abs(v)
    large, middle = size > 2.414213562373095, size > 0.4142135623730950
    begin = jnp.where(large, jnp.pi / 2, jnp.where(middle, jnp.pi / 4, 0.0))
    x = jnp.where(large, -1 / size, jnp.where(middle, (size - 1) / (size + 1), size))
    z = x * x
    found = begin + (_polynomial(z, (8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1)) * z * x + x)
    return jnp.where(v < 0, -found, found)


def _erf_inv(v: Any) -> Any:
    """Giles, Approximating the erfinv function (GPU Computing Gems, 2011), which XLA uses as well."""
    w = -jnp.log1p(-v * v)
    near = _polynomial(
        w - 2.5,
        (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
    )
    far = _polynomial(
        jnp.sqrt(w) - 3,
        (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
    )
    return jnp.where(jnp.abs(v) == 1, v * jnp.inf, jnp.where(w < 5, near, far) * v)


@rule("atan2")
def _angle(c: Conversion, eqn: Any, y: Any, x: Any) -> Any:
    def angle(v, w):
        a, b = (one.astype(jnp.float32) for one in jnp.broadcast_arrays(v, w))
        both = jnp.isinf(a) & jnp.isinf(b)
        zero = (a == 0) & (b == 0)
        ratio = jnp.where(both, 1, jnp.where(zero, 0, jnp.abs(a) / jnp.where(zero, 1, jnp.abs(b))))
        first = _arctan(ratio)
        size = jnp.where(_is_negative(b), jnp.pi - first, first)
        found = jnp.where(_is_negative(a), -size, size)
        return jnp.where((a != a) | (b != b), jnp.nan, found).astype(v.dtype)

    return traced(c, eqn, angle, tiles.reusable(c, y), tiles.reusable(c, x))


def _is_negative(v: Any) -> Any:
    """True for numbers with a sign bit, also for -0."""
    return jax.lax.bitcast_convert_type(v, jnp.int32) < 0


@rule("nextafter")
def _next(c: Conversion, eqn: Any, x: Any, towards: Any) -> Any:
    if dtype_name(eqn.outvars[0].aval.dtype) != "float32":
        raise c.refuse(f"`nextafter` of {eqn.outvars[0].aval.dtype}")

    def following(v, w):
        v, w = jnp.broadcast_arrays(v, w)
        bits = jax.lax.bitcast_convert_type(v, jnp.int32)
        inwards = (jnp.abs(v) > jnp.abs(w)) | (_is_negative(v) != _is_negative(w))
        smallest = jax.lax.bitcast_convert_type(jnp.where(_is_negative(w), jnp.int32(-(2**31) + 1), jnp.int32(1)), jnp.float32)
        moved = jax.lax.bitcast_convert_type(bits + jnp.where(inwards, -1, 1), jnp.float32)
        found = jnp.where(v == w, w, jnp.where(v == 0, smallest, moved))
        return jnp.where((v != v) | (w != w), jnp.nan, found)

    return traced(c, eqn, following, tiles.reusable(c, x), tiles.reusable(c, towards))


def float_remainder(c: Conversion, eqn: Any, x: Any, y: Any) -> Any:
    """The remainder, with the sign of x, by long division in base 2. All steps are exact."""
    steps = {"float32": 277, "bfloat16": 277, "float16": 40}.get(dtype_name(eqn.outvars[0].aval.dtype))
    if steps is None:
        raise c.refuse(f"a remainder of {eqn.outvars[0].aval.dtype}")

    def remainder(v, w):
        a, b = (one.astype(jnp.float32) for one in jnp.broadcast_arrays(v, w))
        size, by = jnp.abs(a), jnp.abs(b)

        def grown(_, at):
            return jnp.where(at + at <= size, at + at, at)

        def divided(_, state):
            left, at = state
            return jnp.where(at <= left, left - at, left), jnp.where(at > by, at / 2, at)

        left, _ = jax.lax.fori_loop(0, steps + 1, divided, (size, jax.lax.fori_loop(0, steps, grown, by)))
        wrong = (by == 0) | jnp.isinf(a) | (a != a) | (b != b)
        return jnp.where(wrong, jnp.nan, jnp.where(jnp.isinf(b), a, jnp.where(_is_negative(a), -left, left))).astype(v.dtype)

    return traced(c, eqn, remainder, tiles.reusable(c, x), tiles.reusable(c, y))


@rule("reduce_precision")
def _precision(c: Conversion, eqn: Any, x: Any) -> Any:
    """Rounds the mantissa of a float to fewer bits, ties to even."""
    dtype, kept = dtype_name(eqn.outvars[0].aval.dtype), eqn.params["mantissa_bits"]
    exponent, mantissa = {"float32": (8, 23), "bfloat16": (8, 7), "float16": (5, 10)}.get(dtype, (0, 0))
    if eqn.params["exponent_bits"] < exponent or not exponent:
        raise c.refuse(f"`reduce_precision` of {dtype} to {eqn.params['exponent_bits']} bits of the exponent")
    if kept >= mantissa:
        return x
    if dtype != "float32":
        raise c.refuse(f"`reduce_precision` of {dtype}")

    def rounded(v):
        bits, cut = jax.lax.bitcast_convert_type(v, jnp.int32), 23 - kept
        bits = (bits + ((bits >> cut) & 1) + ((1 << (cut - 1)) - 1)) & -(1 << cut)
        return jnp.where(v == v, jax.lax.bitcast_convert_type(bits, jnp.float32), v)

    return traced(c, eqn, rounded, tiles.reusable(c, x))


def rounded_away(c: Conversion, eqn: Any, x: Any) -> Any:
    """Rounds to the nearest integer, ties away from zero."""

    def rounded(v):
        size = jnp.abs(v.astype(jnp.float32))
        down = jnp.floor(size)
        up = jnp.where(size - down >= 0.5, down + 1, down)
        return jnp.where(v < 0, -up, up).astype(v.dtype)

    return traced(c, eqn, rounded, tiles.reusable(c, x))


def power(c: Conversion, eqn: Any, x: Any, exponent: int) -> Any:
    """An integer power by repeated squaring."""

    def raised(v):
        square, made, left = v, None, abs(exponent)
        while left:
            if left & 1:
                made = square if made is None else made * square
            left >>= 1
            square = square * square if left else square
        return made if exponent > 0 else 1 / made

    return traced(c, eqn, raised, x)
