"""The sum of all rows on every device, with two slots and credits that say when the next one is free. The bad
twin gives its credits to the neighbour to which it sends itself."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, COLS, MESH, ROWS, f32, left, meet_neighbours, right, sharded, to

DMA = pltpu.SemaphoreType.DMA
DEVICES = 4


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, slots, local, sent, arrived, free, tile):
        step = pl.program_id(0)
        now = jax.lax.rem(step, 2)
        following = 1 - now

        def fetch(source, target):
            load = pltpu.make_async_copy(source, target, local)
            load.start()
            load.wait()

        @pl.when(step == 0)
        def _():
            meet_neighbours()
            fetch(x_ref, slots.at[0])
            fetch(x_ref, tile)
            o_ref[...] = tile[...]

        giver = right() if bad else left()  # MISTAKE: the rows come from the left
        pl.semaphore_signal(free, 1, device_id=(giver,), device_id_type=MESH)
        pl.semaphore_wait(free, 1)
        push = to(right(), slots.at[now], slots.at[following], sent, arrived)
        push.start()
        push.wait()
        fetch(slots.at[following], tile)
        o_ref[...] += tile[...]

    def call(x):
        return pl.pallas_call(kernel, grid=(DEVICES - 1,), out_shape=(f32(ROWS, COLS), f32(2, ROWS, COLS)), in_specs=[ANY],
                              out_specs=(pl.BlockSpec(memory_space=pltpu.VMEM), ANY),
                              scratch_shapes=[DMA, DMA, DMA, pltpu.SemaphoreType.REGULAR, pltpu.VMEM((ROWS, COLS), jnp.float32)],
                              compiler_params=pltpu.CompilerParams(collective_id=0))(x)[0]
    return sharded(call, DEVICES)
