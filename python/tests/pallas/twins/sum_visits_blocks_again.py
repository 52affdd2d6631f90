"""The sum over the first axis, in blocks of eight rows. The bad twin goes over the blocks in the inner dimension of the grid: it
leaves each and comes back to what is not fetched."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl

from corpus.ring import f32


def build(bad: bool) -> Any:
    summed = 0 if bad else 1  # MISTAKE: the summed dimension is not the last

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(summed) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += x_ref[...]

    def call(x):
        return pl.pallas_call(kernel, grid=(4, 2) if bad else (2, 4), out_shape=f32(16, 128),
                              in_specs=[pl.BlockSpec((pl.squeezed, 8, 128), lambda i, j: (i, j, 0) if bad else (j, i, 0))],
                              out_specs=pl.BlockSpec((8, 128), lambda i, j: (j, 0) if bad else (i, 0)))(x)
    return call
