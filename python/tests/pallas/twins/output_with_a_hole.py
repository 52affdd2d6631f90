"""Twice the rows of x. The bad twin leaves out the last block, and returns what was in its memory."""

from __future__ import annotations

from typing import Any

from jax.experimental import pallas as pl

from corpus.ring import f32

STEPS = 4


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) < (STEPS - 1 if bad else STEPS))  # MISTAKE: one step less
        def _():
            o_ref[...] = x_ref[...] * 2

    def call(x):
        rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return pl.pallas_call(kernel, grid=(STEPS,), out_shape=f32(8 * STEPS, 128), in_specs=[rows], out_specs=rows)(x)
    return call
