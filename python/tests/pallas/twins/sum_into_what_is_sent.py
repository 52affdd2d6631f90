"""Rows go to the right neighbour and one is added to them here. The bad twin adds where the copy may still read."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import COLS, ROWS, f32, meet_neighbours, right, sharded, to


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, outbox, inbox, sent, arrived):
        outbox[...] = x_ref[...]
        meet_neighbours()
        push = to(right(), outbox, inbox, sent, arrived)
        push.start()
        if not bad:
            push.wait()
        outbox[...] += 1  # MISTAKE: in the bad twin the copy is under way
        if bad:
            push.wait()
        o_ref[...] = inbox[...] + outbox[...]

    def call(x):
        whole = pl.BlockSpec(memory_space=pltpu.VMEM)
        return pl.pallas_call(kernel, out_shape=f32(ROWS, COLS), in_specs=[whole], out_specs=whole,
                              scratch_shapes=[pltpu.VMEM((ROWS, COLS), jnp.float32), pltpu.VMEM((ROWS, COLS), jnp.float32),
                                              pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
                              compiler_params=pltpu.CompilerParams(collective_id=0))(x)
    return sharded(call, 4)
