"""Rows go to the right neighbour in one copy. The bad twin waits for the bytes of half of them, and adds all."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, COLS, ROWS, f32, meet_neighbours, right, sharded, to


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, inbox, sent, arrived):
        meet_neighbours()
        push = to(right(), x_ref, inbox, sent, arrived)
        push.start()
        rows = pl.ds(0, ROWS // 2 if bad else ROWS)  # MISTAKE: half of the bytes
        to(right(), x_ref.at[rows], inbox.at[rows], sent, arrived).wait_recv()
        o_ref[...] = inbox[...] + 1
        if bad:
            to(right(), x_ref.at[rows], inbox.at[rows], sent, arrived).wait_recv()
        push.wait_send()

    def call(x):
        return pl.pallas_call(kernel, out_shape=f32(ROWS, COLS), in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
                              scratch_shapes=[pltpu.VMEM((ROWS, COLS), jnp.float32), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
                              compiler_params=pltpu.CompilerParams(collective_id=0))(x)
    return sharded(call, 4)
