"""Collectives on a ring, after the descriptions in JAX's guide to distributed Pallas kernels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, COLS, ROWS, count, f32, left, me, meet_neighbours, right, sharded, to

DMA = pltpu.SemaphoreType.DMA
COLLECTIVE = pltpu.CompilerParams(collective_id=0)


def right_permute(devices: int) -> Any:
    """Every device's rows go to the one on its right."""
    def kernel(x_ref, o_ref, sent, arrived):
        push = to(right(), x_ref, o_ref, sent, arrived)
        push.start()
        push.wait()

    return sharded(lambda x: pl.pallas_call(kernel, out_shape=f32(ROWS, COLS), in_specs=[ANY], out_specs=ANY,
                                            scratch_shapes=[DMA, DMA])(x), devices)


def all_gather(devices: int) -> Any:
    """Every device gets the rows of all: those that came last go on to the right."""
    def kernel(x_ref, o_ref, local, sent, arrived):
        step = pl.program_id(0)
        slot = jax.lax.rem(me() - step + count(), count())

        @pl.when(step == 0)
        def _():
            meet_neighbours()
            own = pltpu.make_async_copy(x_ref, o_ref.at[me()], local)
            own.start()
            own.wait()

        push = to(right(), o_ref.at[slot], o_ref.at[slot], sent, arrived.at[step])
        push.start()
        push.wait()

    def call(x):
        return pl.pallas_call(kernel, grid=(devices - 1,), out_shape=f32(devices, ROWS, COLS), in_specs=[ANY], out_specs=ANY,
                              scratch_shapes=[DMA, DMA, DMA((devices - 1,))], compiler_params=COLLECTIVE)(x)
    return sharded(call, devices)


def all_reduce(devices: int) -> Any:
    """The sum of all rows on every device: two slots, and credits that say when the next one is free."""
    def kernel(x_ref, o_ref, slots, local, sent, arrived, free, tile):
        step = pl.program_id(0)
        now = jax.lax.rem(step, 2)
        following = 1 - now

        @pl.when(step == 0)
        def _():
            meet_neighbours()
            own = pltpu.make_async_copy(x_ref, slots.at[0], local)
            own.start()
            own.wait()
            load = pltpu.make_async_copy(x_ref, tile, local)
            load.start()
            load.wait()
            o_ref[...] = tile[...]

        pl.semaphore_signal(free, 1, device_id=(left(),), device_id_type=pl.DeviceIdType.MESH)
        pl.semaphore_wait(free, 1)
        push = to(right(), slots.at[now], slots.at[following], sent, arrived)
        push.start()
        push.wait()
        load = pltpu.make_async_copy(slots.at[following], tile, local)
        load.start()
        load.wait()
        o_ref[...] += tile[...]

    def call(x):
        return pl.pallas_call(kernel, grid=(devices - 1,), out_shape=(f32(ROWS, COLS), f32(2, ROWS, COLS)), in_specs=[ANY],
                              out_specs=(pl.BlockSpec(memory_space=pltpu.VMEM), ANY),
                              scratch_shapes=[DMA, DMA, DMA, pltpu.SemaphoreType.REGULAR, pltpu.VMEM((ROWS, COLS), jnp.float32)],
                              compiler_params=COLLECTIVE)(x)[0]
    return sharded(call, devices)


def reduce_scatter(devices: int, *, pipelined: bool = False) -> Any:
    """Each device gets the sum of its chunk. One half of a chunk travels to the right, the other to the left."""
    half = ROWS // 2

    def add(slot, own, target, tiles, local):
        """target = slot + own, through vmem; `pipelined` by a pipeline of its own."""
        if pipelined:
            def inner(a_ref, b_ref, c_ref):
                c_ref[...] = a_ref[...] + b_ref[...]
            block = pl.BlockSpec((half, COLS // 2), lambda j: (0, j))
            pltpu.emit_pipeline(inner, grid=(2,), in_specs=[block, block], out_specs=[block])(slot, own, target)
            return
        for source, tile in ((slot, tiles.at[0]), (own, tiles.at[1])):
            load = pltpu.make_async_copy(source, tile, local)
            load.start()
            load.wait()
        tiles[0] = tiles[0] + tiles[1]
        store = pltpu.make_async_copy(tiles.at[0], target, local)
        store.start()
        store.wait()

    def kernel(x_ref, o_ref, slots, local, sent, arrived, free, tiles):
        step = pl.program_id(0)
        now = jax.lax.rem(step, 2)
        following = 1 - now
        turns = ((right(), left(), -1), (left(), right(), 1))

        @pl.when(step == 0)
        def _():
            meet_neighbours()
            for way, (_, _, sign) in enumerate(turns):
                chunk = jax.lax.rem(me() + sign + count(), count())
                first = pltpu.make_async_copy(x_ref.at[chunk, pl.ds(way * half, half)], slots.at[way, 0], local)
                first.start()
                first.wait()

        for way, (_, source, _) in enumerate(turns):
            pl.semaphore_signal(free.at[way], 1, device_id=(source,), device_id_type=pl.DeviceIdType.MESH)
        pushes = []
        for way, (target, _, _) in enumerate(turns):
            pl.semaphore_wait(free.at[way], 1)
            pushes.append(to(target, slots.at[way, now], slots.at[way, following], sent.at[way], arrived.at[way]))
            pushes[-1].start()
        for way, (_, _, sign) in enumerate(turns):
            pushes[way].wait()
            chunk = jax.lax.rem(me() + sign * (step + 2) + 2 * count(), count())
            own = x_ref.at[chunk, pl.ds(way * half, half)]

            @pl.when(step < devices - 2)
            def _(way=way, own=own):
                add(slots.at[way, following], own, slots.at[way, following], tiles, local)

            @pl.when(step == devices - 2)
            def _(way=way, own=own):
                add(slots.at[way, following], own, o_ref.at[pl.ds(way * half, half)], tiles, local)

    def call(x):
        return pl.pallas_call(kernel, grid=(devices - 1,), out_shape=(f32(ROWS, COLS), f32(2, 2, half, COLS)), in_specs=[ANY],
                              out_specs=(ANY, ANY),
                              scratch_shapes=[DMA, DMA((2,)), DMA((2,)), pltpu.SemaphoreType.REGULAR((2,)),
                                              pltpu.VMEM((2, half, COLS), jnp.float32)],
                              compiler_params=COLLECTIVE)(x)[0]
    return sharded(call, devices)


def reduce_scatter_pipelined(devices: int) -> Any:
    """The same with the sums in a pipeline inside the kernel."""
    return reduce_scatter(devices, pipelined=True)
