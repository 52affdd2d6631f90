"""The sum over the first axis: the output block stays while the grid goes on. The bad twin adds to what nobody has set."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl

from corpus.ring import f32


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref):
        @pl.when((pl.program_id(1) == 0) & (not bad))  # MISTAKE: never in the bad twin
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += x_ref[...]

    def call(x):
        return pl.pallas_call(kernel, grid=(2, 4), out_shape=f32(16, 128),
                              in_specs=[pl.BlockSpec((pl.squeezed, 8, 128), lambda i, j: (j, i, 0))],
                              out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, 0)))(x)
    return call
