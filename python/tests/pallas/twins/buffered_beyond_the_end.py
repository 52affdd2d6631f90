"""Twice the rows of x: the next eight are fetched while these are computed. The bad twin
begins one row further down, and ends one row behind the last."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, f32

STEPS = 4


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, slots, fetched):
        def slot(i):
            return jax.lax.rem(i, 2)

        def fetch(i):
            first = i * 8 + (1 if bad else 0)  # MISTAKE: with 1 the last step reads a row that is not there
            return pltpu.make_async_copy(x_ref.at[pl.ds(first, 8)], slots.at[slot(i)], fetched.at[jax.lax.rem(i, 2)])

        def compute(i):
            o_ref[pl.ds(i * 8, 8), :] = slots[slot(i)] * 2

        def body(i, carry):
            @pl.when(i + 1 < STEPS)
            def _():
                fetch(i + 1).start()
            fetch(i).wait()
            compute(i)
            return carry

        fetch(0).start()
        jax.lax.fori_loop(0, STEPS, body, 0)

    def call(x):
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM), out_shape=f32(8 * STEPS, 128),
                              scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((2,))])(x)
    return call
