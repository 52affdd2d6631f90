"""How reports of forgotten waits read: what is alike is counted, and a kernel that JAX alone calls has no caller."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from corpus import ring
from corpus.ring import f32
from test_reports import ANY, line_of

pytest.importorskip("tessera.pallas.convert.program")


def blocks_kernel(x_ref, o_ref, box, out, loads, stores):
    def load(i):
        return pltpu.make_async_copy(x_ref.at[i], box.at[i % 2], loads.at[i % 2])

    def store(i):
        return pltpu.make_async_copy(out.at[i % 2], o_ref.at[i], stores.at[i % 2])

    for i in range(4):
        load(i).start()
        load(i).wait()
        out[i % 2] = box[i % 2] * 2  # while the store of two turns ago may read it
        store(i).start()
    for i in range(2):
        store(i).wait()


def blocks(x):
    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32)] * 2 + [pltpu.SemaphoreType.DMA((2,))] * 2
    return pl.pallas_call(blocks_kernel, out_shape=f32(4, 8, 128), in_specs=[ANY], out_specs=ANY, scratch_shapes=scratch)(x)


def test_what_is_alike_on_one_device_is_not_on_several():
    verdict = tessera.pallas.verify(blocks, np.ones((4, 8, 128), np.float32))
    leak = next(finding for finding in verdict.findings if finding.kind == "semaphore_leak")
    assert (leak.count, leak.devices) == (2, 1) and "(2 alike)" in str(verdict) and "devices)" not in str(verdict), verdict


def test_what_the_orders_of_a_race_end_with_is_told():
    verdict = tessera.pallas.verify(blocks, np.ones((4, 8, 128), np.float32))
    race = next(finding for finding in verdict.findings if finding.kind == "race")
    assert any(note.message.startswith("both orders were run: ") for note in race.notes), verdict


def exchange_kernel(x_ref, o_ref, sent, arrived):
    copies = [ring.to(jax.lax.rem(ring.me() + i, 4), x_ref.at[i], o_ref.at[i], sent.at[i], arrived) for i in range(1, 4)]
    for copy in copies:
        copy.start()
    for copy in copies:
        copy.wait_send()
    for copy in copies[1:]:
        copy.wait_recv()  # one is forgotten


def test_waits_of_a_loop_that_jax_unrolls_are_one_note():
    call = pl.pallas_call(
        exchange_kernel,
        out_shape=f32(4, 8, 128),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[pltpu.SemaphoreType.DMA((4,)), pltpu.SemaphoreType.DMA],
    )
    verdict = tessera.pallas.verify(ring.sharded(call, 4), np.ones((16, 8, 128), np.float32))
    (leak,) = (finding for finding in verdict.findings if finding.kind == "semaphore_leak")
    assert (leak.count, leak.devices) == (4, 4) and "(on 4 devices)" in str(verdict), verdict
    waits = [
        note for note in leak.notes if note.place == line_of(exchange_kernel, "copy.wait_recv").replace("test_reports.", "test_reports_of_waits.")
    ]
    assert [note.message for note in waits] == ["waited for 4096 here by dev0.core0 (2 times)"], verdict
    assert "called at" not in str(verdict), verdict  # nobody but JAX calls it


def test_parallel_dimensions_that_came_in_turn_are_a_condition():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))

    def doubled(x, semantics):
        return pl.pallas_call(
            kernel,
            out_shape=f32(16, 128),
            grid=(2,),
            in_specs=[spec],
            out_specs=spec,
            compiler_params=pltpu.CompilerParams(dimension_semantics=(semantics,)),
        )(x)

    x = np.ones((16, 128), np.float32)
    said = "the points of the grid's parallel dimensions come in turn, as on one core; parallel=True decides any order, cores=2 two cores"
    assert tessera.pallas.verify(lambda x: doubled(x, "parallel"), x).sites[0].conditions == (said,)
    for how in ({"parallel": True}, {"semantics": "arbitrary"}):
        wanted = how.pop("semantics", "parallel")
        assert tessera.pallas.verify(lambda x: doubled(x, wanted), x, **how).sites[0].conditions == ()
