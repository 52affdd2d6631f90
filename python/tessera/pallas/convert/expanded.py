"""Primitives that are written in others: JAX's own definition of them is traced and converted."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import tiles
from tessera.pallas.convert.bodies import run_body
from tessera.pallas.convert.values import dtype_name
from tessera.pallas.convert.walk import Conversion, rule


_TRACED: dict[Any, Any] = {}


def traced(c: Conversion, eqn: Any, fn: Callable[..., Any], *operands: Any, known: Any = None) -> Any:
    """Converts fn, traced with the types of the operands. `known`: values that fn depends on in addition to the equation's params."""
    avals = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    key = (eqn.primitive.name, known, str(sorted(eqn.params.items(), key=lambda one: one[0])), *((a.shape, a.dtype) for a in avals))
    if key not in _TRACED:
        _TRACED[key] = jax.make_jaxpr(fn)(*avals)
    return run_body(c, _TRACED[key], operands)


@rule("threefry2x32")
def _threefry(c: Conversion, eqn: Any, *operands: Any) -> Any:
    """The 20 rounds of the Threefry 2x32 generator (Salmon et al., 2011), as its published constants define it."""
    def rounds(key1, key2, x1, x2):
        keys = (key1, key2, key1 ^ key2 ^ jnp.uint32(0x1BD11BDA))
        x1, x2 = x1 + keys[0], x2 + keys[1]
        for group in range(5):
            for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                x1 = x1 + x2
                x2 = x1 ^ ((x2 << turn) | (x2 >> (32 - turn)))
            x1 = x1 + keys[(group + 1) % 3]
            x2 = x2 + keys[(group + 2) % 3] + jnp.uint32(group + 1)
        return x1, x2
    return traced(c, eqn, rounds, *operands)


@rule("tan", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "asin", "acos", "atan", "erf_inv")
def _function(c: Conversion, eqn: Any, x: Any) -> Any:
    """In functions of the language; each is exact enough where JAX's is."""
    written = {"tan": lambda v: jnp.sin(v) / jnp.cos(v), "sinh": _sinh,
               "cosh": lambda v: jnp.exp(v + _HALF) + jnp.exp(_HALF - v), "asinh": _asinh,
               "acosh": lambda v: jnp.where(v > 1e18, jnp.log(v) - _HALF, jnp.log(v + jnp.sqrt(v - 1) * jnp.sqrt(v + 1))), "atanh": lambda v: (jnp.log1p(v) - jnp.log1p(-v)) / 2,
               "cbrt": lambda v: jnp.sign(v) * jnp.exp(jnp.log(jnp.abs(v)) / 3),
               "asin": lambda v: 2 * _arctan(v / (1 + jnp.sqrt((1 - v) * (1 + v)))),
               "acos": lambda v: jnp.where(v == -1, jnp.pi, 2 * _arctan(jnp.sqrt((1 - v) * (1 + v)) / (1 + v))),
               "atan": _arctan, "erf_inv": _erf_inv}[eqn.primitive.name]

    def wide(v):
        return written(v.astype(jnp.float32)).astype(v.dtype)
    return traced(c, eqn, wide, tiles.reusable(c, x))


_HALF = -math.log(2)    # exp(v + _HALF) is exp(v) / 2, and does not overflow before that does


def _sinh(v: Any) -> Any:
    small = jnp.expm1(v)
    return jnp.where(jnp.abs(v) < 1, (small + small / (small + 1)) / 2, jnp.exp(v + _HALF) - jnp.exp(_HALF - v))


def _asinh(v: Any) -> Any:
    size = jnp.abs(v)
    found = jnp.where(size > 1e18, jnp.log(size) - _HALF, jnp.log1p(size + size * size / (1 + jnp.sqrt(size * size + 1))))
    return jnp.where(v < 0, -found, found)


def _polynomial(x: Any, factors: Sequence[float]) -> Any:
    """The factor of the highest power is the first."""
    return functools.reduce(lambda sum, factor: sum * x + factor, factors[1:], jnp.full_like(x, factors[0]))


def _arctan(v: Any) -> Any:
    """The polynomial of the Cephes library on [0, tan(pi / 8)], to which larger arguments are reduced."""
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
    near = _polynomial(w - 2.5, (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
                                 0.246640727, 1.50140941))
    far = _polynomial(jnp.sqrt(w) - 3, (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                                        0.00943887047, 1.00167406, 2.83297682))
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
    """-0 is."""
    return jax.lax.bitcast_convert_type(v, jnp.int32) < 0


@rule("nextafter")
def _next(c: Conversion, eqn: Any, x: Any, towards: Any) -> Any:
    if dtype_name(eqn.outvars[0].aval.dtype) != "float32":
        raise c.refuse(f"`nextafter` of {eqn.outvars[0].aval.dtype}")

    def following(v, w):
        v, w = jnp.broadcast_arrays(v, w)
        bits = jax.lax.bitcast_convert_type(v, jnp.int32)
        inwards = (jnp.abs(v) > jnp.abs(w)) | (_is_negative(v) != _is_negative(w))
        smallest = jax.lax.bitcast_convert_type(jnp.where(_is_negative(w), jnp.int32(-2**31 + 1), jnp.int32(1)), jnp.float32)
        moved = jax.lax.bitcast_convert_type(bits + jnp.where(inwards, -1, 1), jnp.float32)
        found = jnp.where(v == w, w, jnp.where(v == 0, smallest, moved))
        return jnp.where((v != v) | (w != w), jnp.nan, found)
    return traced(c, eqn, following, tiles.reusable(c, x), tiles.reusable(c, towards))


def float_remainder(c: Conversion, eqn: Any, x: Any, y: Any) -> Any:
    """The remainder of long division in base 2, all steps of which are exact; it has the sign of x."""
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


@rule("population_count", "clz")
def _bits(c: Conversion, eqn: Any, x: Any) -> Any:
    """Bits that are 1, added up in ever larger groups; leading zeros are the bits above the highest 1."""
    dtype = dtype_name(eqn.outvars[0].aval.dtype)
    width = jnp.iinfo(dtype).bits

    def ones(v):
        v = v - ((v >> 1) & jnp.uint32(0x55555555))
        v = (v & jnp.uint32(0x33333333)) + ((v >> 2) & jnp.uint32(0x33333333))
        v = (v + (v >> 4)) & jnp.uint32(0x0F0F0F0F)
        v = v + (v >> 8)
        return (v + (v >> 16)) & jnp.uint32(63)

    def counted(v):
        v = v.astype(f"uint{width}").astype(jnp.uint32)
        if eqn.primitive.name == "population_count":
            return ones(v).astype(dtype)
        for places in (1, 2, 4, 8, 16):
            v = v | (v >> places)
        return (jnp.uint32(width) - ones(v)).astype(dtype)
    return traced(c, eqn, counted, tiles.reusable(c, x))


@rule("reduce_or", "reduce_and")
def _any_or_all(c: Conversion, eqn: Any, x: Any) -> Any:
    reduce = jax.lax.reduce_max_p if eqn.primitive.name == "reduce_or" else jax.lax.reduce_min_p
    if dtype_name(eqn.outvars[0].aval.dtype) != "bool":
        raise c.refuse(f"bits of a tile by `{eqn.primitive.name}`")
    extra = {"out_sharding": None} if "out_sharding" in eqn.params else {}
    return traced(c, eqn, lambda v: reduce.bind(v.astype(jnp.int32), axes=eqn.params["axes"], **extra) != 0, x)


@rule("argmax", "argmin")
def _where_extreme(c: Conversion, eqn: Any, x: Any) -> Any:
    """The first index of the extreme, or of a NaN where there is one."""
    (along,), dtype = eqn.params["axes"], eqn.params["index_dtype"]
    largest = eqn.primitive.name == "argmax"

    def index(v):
        extreme = (jnp.max if largest else jnp.min)(v, along, keepdims=True)
        hit = v == extreme
        if jnp.issubdtype(v.dtype, jnp.floating):
            none = v != v
            hit = jnp.where(jnp.max(none.astype(jnp.int32), along, keepdims=True) != 0, none, hit)
        at = jax.lax.broadcasted_iota(jnp.int32, v.shape, along)
        return jnp.min(jnp.where(hit, at, v.shape[along]), along).astype(dtype)
    return traced(c, eqn, index, tiles.reusable(c, x))


@rule("reduce_prod")
def _product(c: Conversion, eqn: Any, x: Any, *_: Any) -> Any:
    axes = eqn.params["axes"]

    def product(v):
        for along in sorted(axes, reverse=True):
            one = jnp.ones(v.shape[:along] + v.shape[along + 1:], v.dtype)
            v = jax.lax.fori_loop(0, v.shape[along], lambda i, made, v=v, along=along: made * jax.lax.dynamic_index_in_dim(
                v, i, along, keepdims=False), one)
        return v
    return traced(c, eqn, product, tiles.reusable(c, x))


@rule("cumprod")
def _running_product(c: Conversion, eqn: Any, x: Any) -> Any:
    along, reverse = eqn.params["axis"], eqn.params["reverse"]
    size = eqn.invars[0].aval.shape[along]

    def running(v):
        def turn(i, state):
            out, made = state
            at = size - 1 - i if reverse else i
            made = made * jax.lax.dynamic_index_in_dim(v, at, along)
            return jax.lax.dynamic_update_index_in_dim(out, made, at, along), made
        one = jnp.ones([1 if d == along else n for d, n in enumerate(v.shape)], v.dtype)
        return jax.lax.fori_loop(0, size, turn, (v, one))[0]
    return traced(c, eqn, running, tiles.reusable(c, x))


@rule("cumsum", "cummax", "cummin")
def _running(c: Conversion, eqn: Any, x: Any) -> Any:
    along, reverse = eqn.params["axis"], eqn.params["reverse"]
    reduce, none = {"cumsum": (jnp.sum, 0), "cummax": (jnp.max, None), "cummin": (jnp.min, None)}[eqn.primitive.name]

    def running(v):
        at = jax.lax.broadcasted_iota(jnp.int32, v.shape, along)

        def turn(i, out):
            row = jax.lax.dynamic_index_in_dim(v, i, along)
            until = jnp.where(at >= i if reverse else at <= i, v, v.dtype.type(0) if none == 0 else row)
            return jnp.where(at == i, reduce(until, along, keepdims=True, dtype=v.dtype) if none == 0 else reduce(until, along, keepdims=True), out)
        return jax.lax.fori_loop(0, v.shape[along], turn, v)
    return traced(c, eqn, running, tiles.reusable(c, x))


@rule("gather")
def _gather(c: Conversion, eqn: Any, x: Any, at: Any) -> Any:
    """Elements by an index along each of some dimensions: of each place of those in turn, where the indices are that place."""
    p, numbers = eqn.params, eqn.params["dimension_numbers"]
    shape, out = eqn.invars[0].aval.shape, eqn.outvars[0].aval
    along, batching = tuple(numbers.start_index_map), tuple(numbers.operand_batching_dims)
    rest = [d for d in range(len(shape)) if d not in along and d not in batching]
    if tuple(numbers.collapsed_slice_dims) != tuple(sorted(along)) or any(p["slice_sizes"][d] != shape[d] for d in rest):
        raise c.refuse("a gather of parts of rows")
    of_indices = [d for d in range(len(out.shape)) if d not in numbers.offset_dims]
    places = {d: of_indices[i] for d, i in zip(batching, numbers.start_indices_batching_dims)}
    places.update(zip(rest, numbers.offset_dims))
    kept = [d for d in range(len(shape)) if d not in along]
    order = sorted(kept, key=lambda d: places[d])
    mode = str(p["mode"]).upper()

    def pick(v, index):
        wanted = [index[..., i] for i in range(len(along))]
        if "FILL" not in mode:      # XLA takes the nearest element
            wanted = [jnp.clip(one, 0, shape[d] - 1) for one, d in zip(wanted, along)]
        wanted = [jax.lax.broadcast_in_dim(one, out.shape, of_indices) for one in wanted]

        def turns(v, chosen, found):
            """With the places of the first dimensions chosen, which `v` has no longer."""
            if len(chosen) == len(along):
                row = jnp.transpose(v, [kept.index(d) for d in order])
                row = jax.lax.broadcast_in_dim(row, out.shape, [places[d] for d in order])
                return jnp.where(functools.reduce(jnp.logical_and, [one == i for one, i in zip(wanted, chosen)]), row, found)
            d = along[len(chosen)]
            axis = sum(other < d for other in (*kept, *along[len(chosen):]))
            return jax.lax.fori_loop(0, shape[d], lambda i, found: turns(
                jax.lax.dynamic_index_in_dim(v, i, axis, keepdims=False), (*chosen, i), found), found)

        fill = p["fill_value"] if p["fill_value"] is not None else _filling(out.dtype)
        return turns(v, (), jnp.full(out.shape, fill if "FILL" in mode else 0, out.dtype))
    return traced(c, eqn, pick, tiles.reusable(c, x), tiles.reusable(c, at))


def _filling(dtype: Any) -> Any:
    """What JAX takes for an element outside where it fills."""
    if jnp.issubdtype(dtype, jnp.floating):
        return float("nan")
    info = jnp.iinfo(dtype)
    return info.min if info.min else info.max


@rule("roll")
def _roll(c: Conversion, eqn: Any, x: Any, shift: Any) -> Any:
    """With a stride each row of `stride_axis` is moved by a stride more than the one before it."""
    from tessera.pallas.convert.refs import scalar
    by, along, stride, rows = scalar(c, shift), *(eqn.params[name] for name in ("axis", "stride", "stride_axis"))
    size = eqn.invars[0].aval.shape[along]

    def moved(v, places):
        return jax.lax.dynamic_slice_in_dim(jnp.concatenate([v, v], along), (size - places % size) % size, size, along)

    def strided(v, places):
        def turn(i, out):
            row = jax.lax.dynamic_index_in_dim(v, i, rows)
            return jax.lax.dynamic_update_index_in_dim(out, moved(row, places + i * stride), i, rows)
        return jax.lax.fori_loop(0, v.shape[rows], turn, v)

    if stride:
        return traced(c, eqn, strided, tiles.reusable(c, x), by)
    if by.known is not None:
        return traced(c, eqn, lambda v, _: jnp.roll(v, by.known, along), tiles.reusable(c, x), by, known=by.known)
    return traced(c, eqn, moved, tiles.reusable(c, x), by)


@rule("call_hi_primitive")
def _high(c: Conversion, eqn: Any, *operands: Any) -> Any:
    """A primitive of JAX's high level, which has its definition."""
    return traced(c, eqn, eqn.params["_prim"].expand, *(tiles.reusable(c, one) for one in operands), known=eqn.params["_prim"])


@rule("einshape_lo")
def _einshape(c: Conversion, eqn: Any, x: Any) -> Any:
    from jax._src.pallas.einshape import _einshape as written
    return traced(c, eqn, lambda v: written(eqn.params["equation"], v, **dict(eqn.params["sizes"])), tiles.reusable(c, x))


@rule("rev")
def _reverse(c: Conversion, eqn: Any, x: Any) -> Any:
    shape = eqn.invars[0].aval.shape

    def backwards(v):
        for along in eqn.params["dimensions"]:
            def turn(i, out, v=v, along=along):
                return jax.lax.dynamic_update_index_in_dim(out, jax.lax.dynamic_index_in_dim(v, shape[along] - 1 - i, along), i, along)
            v = jax.lax.fori_loop(0, shape[along], turn, v)
        return v
    return traced(c, eqn, backwards, tiles.reusable(c, x))


def strided(c: Conversion, eqn: Any, x: Any) -> Any:
    """A slice with strides, one place of a strided dimension after the other."""
    p = eqn.params

    def taken(v):
        for along, (start, limit, stride) in enumerate(zip(p["start_indices"], p["limit_indices"], p["strides"])):
            count = max(-(-(limit - start) // stride), 0)
            if stride == 1:
                v = jax.lax.slice_in_dim(v, start, limit, 1, along)
                continue
            first = jax.lax.slice_in_dim(v, 0, count, 1, along)

            def turn(i, out, v=v, along=along, start=start, stride=stride):
                return jax.lax.dynamic_update_index_in_dim(out, jax.lax.dynamic_index_in_dim(v, start + i * stride, along), i, along)
            v = jax.lax.fori_loop(0, count, turn, first)
        return v
    return traced(c, eqn, taken, tiles.reusable(c, x))


@rule("reduce_precision")
def _precision(c: Conversion, eqn: Any, x: Any) -> Any:
    """Fewer bits of a float's mantissa, rounded to even."""
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
    """To the nearest integer, halves away from zero."""
    def rounded(v):
        size = jnp.abs(v.astype(jnp.float32))
        down = jnp.floor(size)
        up = jnp.where(size - down >= 0.5, down + 1, down)
        return jnp.where(v < 0, -up, up).astype(v.dtype)
    return traced(c, eqn, rounded, tiles.reusable(c, x))


def power(c: Conversion, eqn: Any, x: Any, exponent: int) -> Any:
    """By repeated squares."""
    def raised(v):
        square, made, left = v, None, abs(exponent)
        while left:
            if left & 1:
                made = square if made is None else made * square
            left >>= 1
            square = square * square if left else square
        return made if exponent > 0 else 1 / made
    return traced(c, eqn, raised, x)


def one_of(c: Conversion, eqn: Any, which: Any, *cases: Any) -> Any:
    """By an integer, one of more than two cases; it is brought into their range."""
    def picked(which, *cases):
        made = cases[-1]
        for at in range(len(cases) - 2, -1, -1):
            made = jnp.where(which <= at, cases[at], made)
        return made
    return traced(c, eqn, picked, *(tiles.reusable(c, one) for one in (which, *cases)))
