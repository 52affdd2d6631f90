"""Rows go to the right neighbour. The bad twin ends while its own copy may still be under way."""

from __future__ import annotations

from typing import Any

from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, COLS, ROWS, f32, right, sharded, to

DMA = pltpu.SemaphoreType.DMA


def build(bad: bool) -> Any:
    def kernel(x_ref, o_ref, sent, arrived):
        push = to(right(), x_ref, o_ref, sent, arrived)
        push.start()
        push.wait_recv()
        if not bad:  # MISTAKE: without it nobody knows when x_ref has been read
            push.wait_send()

    return sharded(lambda x: pl.pallas_call(kernel, out_shape=f32(ROWS, COLS), in_specs=[ANY], out_specs=ANY,
                                            scratch_shapes=[DMA, DMA])(x), 4)
