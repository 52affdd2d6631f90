"""Twice the rows of x: the next eight are fetched while these are computed. The bad
twin waits for the next ones, not for these."""

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
            return pltpu.make_async_copy(x_ref.at[pl.ds(i * 8, 8)], slots.at[slot(i)], fetched.at[jax.lax.rem(i, 2)])

        def compute(i):
            o_ref[pl.ds(i * 8, 8), :] = slots[slot(i)] * 2

        def body(i, carry):
            @pl.when(i + 1 < STEPS)
            def _():
                fetch(i + 1).start()
            fetch(jnp.minimum(i + 1, STEPS - 1) if bad else i).wait()  # MISTAKE: those of step i are read
            compute(i)
            return carry

        fetch(0).start()
        jax.lax.fori_loop(0, STEPS, body, 0)

    def call(x):
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM), out_shape=f32(8 * STEPS, 128),
                              scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((2,))])(x)
    return call
