"""The sum over the first axis. The bad twin calls the summed dimension parallel: on a chip of two cores both add to one block."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import f32


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += x_ref[...]

    def call(x):
        semantics = ("parallel", "parallel" if bad else "arbitrary")  # MISTAKE: the steps of a sum are not independent
        return pl.pallas_call(kernel, grid=(2, 4), out_shape=f32(16, 128), out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, 0)),
                              in_specs=[pl.BlockSpec((pl.squeezed, 8, 128), lambda i, j: (j, i, 0))],
                              compiler_params=pltpu.CompilerParams(dimension_semantics=semantics))(x)
    return call
