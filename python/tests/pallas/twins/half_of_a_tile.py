"""The rows of x by a tile in vmem. The bad twin fetches half of the tile and adds all of it."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, f32


def build(bad: bool) -> Any:
    rows = 4 if bad else 8  # MISTAKE: the tile has 8

    def kernel(x_ref, o_ref, tile, fetched):
        load = pltpu.make_async_copy(x_ref.at[pl.ds(0, rows)], tile.at[pl.ds(0, rows)], fetched)
        load.start()
        load.wait()
        o_ref[...] = tile[...] + 1

    def call(x):
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM), out_shape=f32(8, 128),
                              scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA])(x)
    return call
