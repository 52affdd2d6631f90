"""Primitives that are expressed by other primitives: a definition in JAX is traced and converted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import tiles
from tessera.pallas.convert.bodies import run_body
from tessera.pallas.convert.conversion import Conversion, rule
from tessera.pallas.convert.refs import scalar
from tessera.pallas.convert.values import dtype_name

_TRACED: dict[Any, Any] = {}


def traced(c: Conversion, eqn: Any, fn: Callable[..., Any], *operands: Any, known: Any = None) -> Any:
    """Converts fn, traced with the types of the operands. known: values on which fn depends in addition to the equation's params."""
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


@rule("population_count", "clz")
def _bits(c: Conversion, eqn: Any, x: Any) -> Any:
    """Counts bits that are 1 by adding groups of doubling size. Leading zeros are the bits above the highest 1."""
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
    """The first index of the extreme, or of a NaN if there is one."""
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
            one = jnp.ones(v.shape[:along] + v.shape[along + 1 :], v.dtype)
            v = jax.lax.fori_loop(
                0, v.shape[along], lambda i, made, v=v, along=along: made * jax.lax.dynamic_index_in_dim(v, i, along, keepdims=False), one
            )
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
    """Gather by an index in each of several dimensions: loops over their positions and selects the elements with that index."""
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
        if "FILL" not in mode:  # XLA clamps the index
            wanted = [jnp.clip(one, 0, shape[d] - 1) for one, d in zip(wanted, along)]
        wanted = [jax.lax.broadcast_in_dim(one, out.shape, of_indices) for one in wanted]

        def turns(v, chosen, found):
            """Loops over the remaining dimensions. chosen: positions in the first ones, which `v` no longer has."""
            if len(chosen) == len(along):
                row = jnp.transpose(v, [kept.index(d) for d in order])
                row = jax.lax.broadcast_in_dim(row, out.shape, [places[d] for d in order])
                return jnp.where(functools.reduce(jnp.logical_and, [one == i for one, i in zip(wanted, chosen)]), row, found)
            d = along[len(chosen)]
            axis = sum(other < d for other in (*kept, *along[len(chosen) :]))
            return jax.lax.fori_loop(
                0, shape[d], lambda i, found: turns(jax.lax.dynamic_index_in_dim(v, i, axis, keepdims=False), (*chosen, i), found), found
            )

        fill = p["fill_value"] if p["fill_value"] is not None else _filling(out.dtype)
        return turns(v, (), jnp.full(out.shape, fill if "FILL" in mode else 0, out.dtype))

    return traced(c, eqn, pick, tiles.reusable(c, x), tiles.reusable(c, at))


def _filling(dtype: Any) -> Any:
    """Returns JAX's default fill value for elements that are out of bounds."""
    if jnp.issubdtype(dtype, jnp.floating):
        return float("nan")
    info = jnp.iinfo(dtype)
    return info.min if info.min else info.max


@rule("roll")
def _roll(c: Conversion, eqn: Any, x: Any, shift: Any) -> Any:
    """A roll. With a stride, each row of `stride_axis` is moved by `stride` more than the previous row."""
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
    known = by.known
    if known is not None:
        return traced(c, eqn, lambda v, _: jnp.roll(v, known, along), tiles.reusable(c, x), by, known=known)
    return traced(c, eqn, moved, tiles.reusable(c, x), by)


@rule("call_hi_primitive")
def _high(c: Conversion, eqn: Any, *operands: Any) -> Any:
    """A high-level primitive of JAX, which has its own definition."""
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
    """A slice with strides: a loop over the positions of each strided dimension."""
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


def one_of(c: Conversion, eqn: Any, which: Any, *cases: Any) -> Any:
    """Selects one of more than two cases by an integer, which is clamped to their range."""

    def picked(which, *cases):
        made = cases[-1]
        for at in range(len(cases) - 2, -1, -1):
            made = jnp.where(which <= at, cases[at], made)
        return made

    return traced(c, eqn, picked, *(tiles.reusable(c, one) for one in (which, *cases)))
