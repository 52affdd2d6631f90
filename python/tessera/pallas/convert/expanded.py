"""Primitives that are written in others: JAX's own definition of them is traced and converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tessera.pallas.convert import tiles
from tessera.pallas.convert.bodies import run_body
from tessera.pallas.convert.walk import Conversion, rule


def traced(c: Conversion, eqn: Any, fn: Callable[..., Any], *operands: Any) -> Any:
    """Converts what fn does with values of the operands' types."""
    avals = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    closed = jax.make_jaxpr(fn)(*avals)
    return run_body(c, closed, operands)


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


@rule("roll")
def _roll(c: Conversion, eqn: Any, x: Any, shift: Any) -> Any:
    from tessera.pallas.convert.refs import scalar
    by, along = scalar(c, shift), eqn.params["axis"]
    if by.known is None or eqn.params.get("stride"):
        raise c.refuse("`roll` by a number that is not known")
    return traced(c, eqn, lambda v, _: jnp.roll(v, by.known, along), tiles.reusable(c, x), shift)


@rule("rev")
def _reverse(c: Conversion, eqn: Any, x: Any) -> Any:
    (*other, along) = eqn.params["dimensions"]
    size = eqn.invars[0].aval.shape[along]
    if other or size > 64:
        raise c.refuse(f"a reversal of {size} elements")
    return traced(c, eqn, lambda v: jnp.concatenate(jnp.split(v, size, along)[::-1], along), tiles.reusable(c, x))
