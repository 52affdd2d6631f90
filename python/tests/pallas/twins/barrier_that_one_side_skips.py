"""Rows go to the right neighbour, into scratch memory that it clears first. In the bad twin the barrier counts one neighbour, so a
copy may come before the memory is cleared, and a count is left over."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, COLS, MESH, ROWS, f32, left, right, sharded, to


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, inbox, sent, arrived):
        inbox[...] = jnp.zeros_like(inbox)
        barrier = pltpu.get_barrier_semaphore()
        for neighbour in (left(), right()):
            pl.semaphore_signal(barrier, 1, device_id=(neighbour,), device_id_type=MESH)
        pl.semaphore_wait(barrier, 1 if bad else 2)  # MISTAKE: either neighbour will do
        push = to(right(), x_ref, inbox, sent, arrived)
        push.start()
        push.wait()
        o_ref[...] = inbox[...] + 1

    def call(x):
        return pl.pallas_call(kernel, out_shape=f32(ROWS, COLS), in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
                              scratch_shapes=[pltpu.VMEM((ROWS, COLS), jnp.float32), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
                              compiler_params=pltpu.CompilerParams(collective_id=0))(x)
    return sharded(call, 4)
