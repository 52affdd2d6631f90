"""Rows of x in the order of a table of integers. The bad twin counts from one: the last number names a row behind the end."""

from __future__ import annotations

from typing import Any

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, f32


def build(bad: bool) -> Any:
    def kernel(order_ref, x_ref, o_ref, moved):
        def body(i, carry):
            row = order_ref[i] + (1 if bad else 0)  # MISTAKE: the table counts from 0
            move = pltpu.make_async_copy(x_ref.at[row], o_ref.at[i], moved)
            move.start()
            move.wait()
            return carry
        jax.lax.fori_loop(0, 4, body, 0)

    def call(order, x):
        return pl.pallas_call(kernel, in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), ANY], out_specs=ANY, out_shape=f32(4, 8, 128),
                              scratch_shapes=[pltpu.SemaphoreType.DMA])(order, x)
    return call
