"""Rows of views with a stride, several numbers of smem, and inputs that are written to mean what JAX means by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from converted import ANY, SMEM, VMEM, check, converted, normal, ran, shaped

PAIRS = np.round(normal(16, 4, 128) * 8) / 8


@pytest.mark.parametrize("first", range(4))
def test_every_fourth_row_of_a_view_is_a_column_of_what_it_shows(first):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref.reshape(64, 128)[pl.ds(first, 16, 4)]

    made = check(kernel, shaped((16, 128)), PAIRS)
    assert "step" not in made.text


def test_a_stride_of_a_view_begins_where_the_data_says():
    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref.reshape(64, 128)[pl.ds(n_ref[0], 8, 4)]

    for n in (0, 5, 17, 31):
        check(kernel, shaped((8, 128)), np.array([n], np.int32), PAIRS, in_specs=[SMEM, VMEM])


def test_views_of_views_with_a_stride():
    def kernel(x_ref, o_ref, p_ref):
        words = x_ref.bitcast(jnp.uint32)
        o_ref[...] = words.at[0].reshape(64, 128).reshape(64, 128)[pl.ds(3, 8, 8)]
        p_ref[...] = x_ref.at[1].reshape(16, 2, 2, 128).reshape(32, 256)[pl.ds(1, 16, 2), :128]

    check(kernel, (shaped((8, 128), np.uint32), shaped((16, 128))), np.stack([PAIRS, PAIRS + 1]))


def test_stores_with_a_stride():
    def kernel(x_ref, o_ref, p_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[pl.ds(1, 4, 2)] = x_ref[:4]
        p_ref[...] = jnp.zeros_like(p_ref)
        p_ref[pl.ds(0, 2, 2), pl.ds(0, 1, 3)] = x_ref[:2].reshape(2, 1, 128)

    check(kernel, (shaped((9, 128)), shaped((4, 2, 128))), PAIRS[:8, 0])


def test_a_store_to_every_second_row_of_a_view():
    """JAX's interpreter knows no stores to views: they are written out for it."""

    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref.reshape(8, 128)[pl.ds(1, 4, 2)] = x_ref[...]

    call, x = pl.pallas_call(kernel, out_shape=shaped((4, 2, 128))), PAIRS[:4, 0]
    np.testing.assert_array_equal(ran(converted(call, x), x)[0], np.stack([np.zeros_like(x), x], 1))
    verdict = tessera.pallas.verify(call, x)
    assert verdict.compared and "views written out" in verdict.sites[0].numbers.text


def test_views_that_are_written_out_are_those_of_jax():
    """Where JAX's interpreter knows reads of views, what is written out for it gives the same bits; stores are undone."""

    def kernel(n_ref, x_ref, old_ref, o_ref, p_ref, q_ref):
        q_ref[...] = old_ref[...]
        o_ref[...] = x_ref.at[1].reshape(64, 128)[pl.ds(n_ref[0], 8, 4)]
        p_ref[...] = x_ref.at[0].bitcast(jnp.int32).reshape(32, 256)[pl.ds(2, 4)]

        @pl.when(n_ref[0] > 2)
        def _():
            q_ref.bitcast(jnp.float32).at[pl.ds(0, 4)].reshape(16, 128)[pl.ds(n_ref[0], 3, 5)] = x_ref[0, :3, 0]

    out = (shaped((8, 128)), shaped((4, 256), np.int32), shaped((4, 4, 128), np.int32))
    call = pl.pallas_call(kernel, out_shape=out, in_specs=[SMEM, VMEM, VMEM])
    n, x, q = np.array([3], np.int32), np.stack([PAIRS, PAIRS + 1]), np.arange(2048, dtype=np.int32).reshape(4, 4, 128)
    verdict = tessera.pallas.verify(call, n, x, q)
    assert verdict.compared and "views written out" in verdict.sites[0].numbers.text, verdict
    wanted = q.view(np.float32).reshape(16, 128).copy()
    wanted[3::5][:3] = PAIRS[:3, 0]
    np.testing.assert_array_equal(tessera.pallas.run(call, n, x, q)[2].view(np.float32).reshape(16, 128), wanted)


@pytest.mark.parametrize("specs", [{}, {"in_specs": [ANY], "out_specs": ANY}])
def test_copies_of_views_are_written_out(specs):
    """JAX's interpreter copies no views: each copy becomes a read and a store."""

    def kernel(x_ref, o_ref, buf_ref, sem):
        view = buf_ref.reshape(32, 128)
        pltpu.async_copy(x_ref, view, sem).wait()
        for half in range(2):
            pltpu.make_async_copy(view.at[pl.ds(16 * half, 16)], o_ref.at[pl.ds(16 - 16 * half, 16)], sem).start()
        for _ in range(2):
            pltpu.make_async_copy(view.at[pl.ds(0, 16)], o_ref.at[pl.ds(0, 16)], sem).wait()

    call = pl.pallas_call(
        kernel, out_shape=shaped((32, 128)), scratch_shapes=[pltpu.VMEM((4, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA], **specs
    )
    x = normal(32, 128)
    verdict = tessera.pallas.verify(call, x)
    assert verdict.proved and verdict.compared and "views written out" in verdict.sites[0].numbers.text, verdict
    np.testing.assert_array_equal(tessera.pallas.run(call, x), np.roll(x, 16, 0))


def test_a_row_repeated_by_a_stride_of_0():
    def kernel(x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[pl.ds(1, 3, 0), pl.ds(0, 8), pl.ds(0, 128)]
        p_ref[...] = x_ref[pl.ds(0, 3), pl.ds(5, 8, 0), pl.ds(0, 128)]

    call, x = pl.pallas_call(kernel, out_shape=(shaped((3, 8, 128)),) * 2), normal(3, 8, 128)
    verdict = tessera.pallas.verify(call, x)
    assert verdict.proved and verdict.compared, verdict
    one, other = tessera.pallas.run(call, x)
    np.testing.assert_array_equal(one, np.broadcast_to(x[1], x.shape))
    np.testing.assert_array_equal(other, np.broadcast_to(x[:, 5:6], x.shape))

    def stores(x_ref, o_ref):
        o_ref[pl.ds(1, 3, 0), pl.ds(0, 8), pl.ds(0, 128)] = x_ref[...]

    verdict = tessera.pallas.verify(pl.pallas_call(stores, out_shape=shaped((3, 8, 128))), x)
    assert verdict.status == "refused" and "a stride of 0" in str(verdict), verdict


def test_several_numbers_of_smem():
    def kernel(n_ref, o_ref, p_ref):
        p_ref[...] = n_ref[...] * 2
        o_ref[0] = p_ref[1] + n_ref[pl.ds(1, 2)][1]
        o_ref[pl.ds(1, 2)] = n_ref[pl.ds(0, 2)] - 1

    check(kernel, (shaped((3,), np.int32), shaped((4,), np.int32)), np.array([5, -7, 3, 9], np.int32), in_specs=[SMEM], out_specs=(SMEM, SMEM))


def test_a_loop_of_as_many_turns_as_an_array_of_one_number_says():
    def kernel(n_ref, o_ref):
        o_ref[0] = 0
        count = n_ref[...]

        @pl.loop(0, count[0])
        def _(i):
            o_ref[0] += i

    check(kernel, shaped((1,), np.int32), np.array([7], np.int32), in_specs=[SMEM], out_specs=SMEM)


def test_an_input_in_hbm_may_be_written_to():
    """Kernels take memory for their own use as inputs; that of the caller stays as it is."""

    def kernel(x_ref, room_ref, o_ref, v_ref, sem):
        pltpu.sync_copy(x_ref, room_ref.at[1])
        pltpu.sync_copy(room_ref.at[1], v_ref)
        v_ref[...] = v_ref[...] + 1
        pltpu.sync_copy(v_ref, o_ref)

    given = {"in_specs": [ANY, ANY], "out_specs": ANY, "scratch_shapes": [pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA]}
    call = pl.pallas_call(kernel, out_shape=shaped((8, 128)), **given)
    x, room = PAIRS[:8, 0], np.zeros((2, 8, 128), np.float32)
    made = converted(call, x, room)
    np.testing.assert_array_equal(ran(made, x, room)[0], x + 1)
    assert tessera.pallas.verify(call, x, room).compared


def test_a_wait_may_leave_its_semaphore_as_it_is():
    """JAX's interpreter knows no such waits: proved, and refuted where nobody signals enough."""

    def waits(signalled):
        def kernel(x_ref, o_ref, sem):
            pl.semaphore_signal(sem, signalled)
            pl.semaphore_wait(sem, 2, decrement=False)
            o_ref[...] = x_ref[...] + 1
            pl.semaphore_wait(sem, 2)

        return pl.pallas_call(kernel, out_shape=shaped((8, 128)), scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    x = PAIRS[:8, 0]
    assert tessera.pallas.verify(waits(2), x).proved
    assert {finding.kind for finding in tessera.pallas.verify(waits(1), x).findings} == {"deadlock"}
    np.testing.assert_array_equal(ran(converted(waits(2), x), x)[0], x + 1)


def test_what_a_kernel_prints_stays_and_changes_nothing():
    def kernel(x_ref, o_ref):
        pl.debug_print('row {} of "{}"', pl.program_id(0), 8)
        pl.debug_print("twice {}", x_ref[0] * 2)
        o_ref[...] = x_ref[...]

    blocks = pl.BlockSpec((8, 128), lambda i: (i, 0))
    made = check(kernel, shaped((16, 128)), PAIRS[:16, 0], grid=(2,), in_specs=[blocks], out_specs=blocks)
    assert 'print "row {} of \\"{}\\"", i, 8' in made.text and 'print "twice {}", shown' in made.text


def test_products_and_large_sums_of_integers_wrap_as_those_of_jax():
    def kernel(n_ref, o_ref):
        seed = n_ref[0]
        for at in range(4):
            seed = seed * 1664525 + 1013904223
            o_ref[at] = jax.lax.rem(seed, jnp.int32(7)) + (seed >> 5)

    check(kernel, shaped((4,), np.int32), np.array([123456789], np.int32), in_specs=[SMEM], out_specs=SMEM)
