"""Which elements are accessed: known places outside, masked accesses over an end, index maps over memory that changes, blocks visited again."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from converted import ANY, SMEM, check, converted, shaped
from tessera.pallas.convert import Refused

F32 = jnp.float32
ONE = shaped((8, 128))
X = np.arange(1024, dtype=np.float32).reshape(8, 128)
DMA = pltpu.SemaphoreType.DMA


def rows_until(n):
    """Copies all 8 rows, then 8 more at row 8, which is outside, in iterations 1 to n - 1."""

    def kernel(n_ref, x_ref, o_ref, sem):
        def body(i, _):
            copy = pltpu.make_async_copy(x_ref, o_ref.at[pl.ds(i * 8, 8)], sem)
            copy.start()
            copy.wait()
            return 0

        body(0, 0)
        lax.fori_loop(1, jnp.minimum(n_ref[0], 2), body, 0)

    call = pl.pallas_call(kernel, out_shape=ONE, in_specs=[SMEM, ANY], out_specs=ANY, scratch_shapes=[DMA])
    return tessera.pallas.verify(call, np.array([n], np.int32), X)


def test_a_known_place_outside_is_found_where_a_run_reaches_it():
    assert rows_until(1).proved
    assert [one.kind for one in rows_until(2).findings] == ["out_of_bounds"]


def test_a_known_index_outside():
    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.when(n_ref[0] == 1)
        def _():
            o_ref[0] = x_ref[8]

    call = pl.pallas_call(kernel, out_shape=ONE, in_specs=[SMEM, pl.BlockSpec()])
    assert tessera.pallas.verify(call, np.array([0], np.int32), X).proved
    verdict = tessera.pallas.verify(call, np.array([1], np.int32), X)
    assert [one.kind for one in verdict.findings] == ["out_of_bounds"] and "x_ref[8" in str(verdict), verdict


def masked(kind, place, mask):
    def kernel(at_ref, x_ref, m_ref, o_ref):
        o_ref[...] = jnp.zeros(o_ref.shape, F32)
        if kind == "store":
            pltpu.store(o_ref.at[pl.ds(pl.multiple_of(at_ref[0], 8), 16)], x_ref[...], mask=m_ref[...] != 0)
        else:
            rows = pltpu.load(x_ref.at[pl.ds(pl.multiple_of(at_ref[0], 8), 16)], mask=m_ref[...] != 0)
            o_ref[...] = jnp.where(m_ref[...] != 0, rows, 7.0)

    call = pl.pallas_call(kernel, out_shape=shaped((16, 128)), grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1))
    x = np.arange(2048, dtype=np.float32).reshape(16, 128)
    return call, (np.array([place], np.int32), x, mask), x


def rows(*which):
    mask = np.zeros((16, 128), np.int32)
    mask[list(which)] = 1
    return mask


with_masks = pytest.mark.skipif(not hasattr(pltpu, "store"), reason="JAX has masked accesses elsewhere")


@with_masks
@pytest.mark.parametrize(("place", "inside"), [(8, range(8)), (0, range(16)), (-8, range(8, 16)), (16, ()), (8, (0, 3))])
def test_a_masked_access_over_an_end(place, inside):
    mask = rows(*inside)
    for kind in ("store", "load"):
        call, args, x = masked(kind, place, mask)
        verdict = tessera.pallas.verify(call, *args, numbers=False)
        assert verdict.proved, verdict
        right = np.zeros((16, 128), np.float32) if kind == "store" else np.full((16, 128), 7, np.float32)
        for row in inside:
            right[row + place if kind == "store" else row] = x[row if kind == "store" else row + place]
        np.testing.assert_array_equal(tessera.pallas.run(call, *args), right)


@with_masks
@pytest.mark.parametrize("kind", ["store", "load"])
@pytest.mark.parametrize(("place", "which"), [(8, 8), (8, 15), (-8, 7), (16, 0)])
def test_an_element_outside_that_is_not_masked_off(kind, place, which):
    call, args, _ = masked(kind, place, rows(which))
    verdict = tessera.pallas.verify(call, *args, numbers=False)
    assert [one.kind for one in verdict.findings] == ["out_of_bounds"] and "read of" not in str(verdict), verdict


def of_table(buffers):
    def kernel(ids_ref, x_ref, o_ref):
        for i in range(1, 6):
            ids_ref[i] = 3
        o_ref[...] = x_ref[...]

    mode = {} if buffers is None else {"pipeline_mode": pl.Buffered(buffers)}
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(6,),
        in_specs=[pl.BlockSpec((None, 8, 128), lambda i, ids: (ids[i], 0, 0), **mode)],
        out_specs=pl.BlockSpec((None, 8, 128), lambda i, ids: (i, 0, 0)),
    )
    x = np.broadcast_to(np.arange(6, dtype=np.float32)[:, None, None], (6, 8, 128)).copy()
    return pl.pallas_call(kernel, out_shape=shaped((6, 8, 128)), grid_spec=spec), (np.array([0, 1, 2, 4, 5, 0], np.int32), x)


@pytest.mark.parametrize("buffers", [None, 2, 3])
def test_an_index_map_over_what_the_body_stores_to(buffers):
    """JAX's TPU interpreter fetches the blocks 0 1 3 3 3 3, the plain one 0 1 2 4 5 0."""
    call, args = of_table(buffers)
    with pytest.raises(Refused, match=r"test_convert_places.py:\d+: an index map reads ids_ref, and the kernel stores to it"):
        converted(call, *args)
    assert tessera.pallas.verify(call, *args, numbers=False).status == "refused"


def test_with_one_buffer_a_block_is_fetched_behind_the_body():
    call, args = of_table(1)
    assert tessera.pallas.run(call, *args)[:, 0, 0].tolist() == [0, 3, 3, 3, 3, 3]


@pytest.mark.skipif(not hasattr(pl, "RevisitMode"), reason="JAX has no RevisitMode")
def test_a_block_of_a_result_that_is_visited_again():
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]

    def sums(**mode):
        return pl.pallas_call(
            kernel,
            out_shape=shaped((8, 256)),
            grid=(2, 2),
            in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))],
            out_specs=pl.BlockSpec((8, 128), lambda i, j: (0, j), **mode),
        )

    x = np.arange(4096, dtype=np.float32).reshape(16, 256)
    again = sums(pipeline_mode=pl.Buffered(1, revisit=pl.RevisitMode.ANY))
    assert tessera.pallas.verify(again, x, numbers=False).proved
    np.testing.assert_array_equal(tessera.pallas.run(again, x), x[:8] + x[8:])
    assert tessera.pallas.verify(sums(), x).status == "refuted"


def test_memory_of_no_dimensions():
    def kernel(x_ref, o_ref, p_ref, s_ref, v_ref):
        s_ref[...] = x_ref[...] + 1
        v_ref[...] = s_ref[...] * 2
        o_ref[...] = lax.broadcast_in_dim(x_ref[...], (2,), ())
        p_ref[...] = jnp.full((8, 128), v_ref[...])

    check(
        kernel,
        (shaped((2,), np.int32), shaped((8, 128), np.int32)),
        np.array(3, np.int32),
        in_specs=[SMEM],
        scratch_shapes=[pltpu.SMEM((), jnp.int32), pltpu.VMEM((), jnp.int32)],
    )


@pytest.mark.parametrize(("shift", "stride"), [(0, 1), (3, 1), (5, 2), (120, 7), (None, None), (None, 3)])
def test_rolls(shift, stride):
    """By a number that is known or is read, and with a stride."""
    more = {} if stride is None else {"stride": stride, "stride_axis": 0}

    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = pltpu.roll(x_ref[...], n_ref[0] if shift is None else shift, 1, **more)

    check(kernel, ONE, np.array([37], np.int32), X, in_specs=[SMEM, pl.BlockSpec()])


def test_two_rolls_of_one_shape():
    def kernel(x_ref, o_ref):
        o_ref[...] = pltpu.roll(x_ref[...], 3, 1) + 2 * pltpu.roll(x_ref[...], 5, 1)

    check(kernel, ONE, X)


def test_signs_of_integers():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sign(x_ref[...])

    check(kernel, shaped((1, 8), np.int32), np.arange(-4, 4, dtype=np.int32).reshape(1, 8))


@pytest.mark.skipif(not hasattr(pl, "select_ref"), reason="JAX has no select_ref")
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_copy_of_a_ref_that_is_selected(which):
    def kernel(n_ref, a_ref, b_ref, c_ref, o_ref, sem):
        copy = pltpu.make_async_copy(pl.select_ref(n_ref[0], a_ref.at[pl.ds(0, 4)], b_ref.at[pl.ds(4, 4)], c_ref.at[pl.ds(2, 4)]), o_ref, sem)
        copy.start()
        copy.wait()

    call = pl.pallas_call(kernel, out_shape=shaped((4, 128)), in_specs=[SMEM, ANY, ANY, ANY], out_specs=ANY, scratch_shapes=[DMA])
    args = np.array([which], np.int32), X, X + 1, X + 2
    assert tessera.pallas.verify(call, *args, numbers=False).proved
    np.testing.assert_array_equal(tessera.pallas.run(call, *args), [X[0:4], X[4:8] + 1, X[2:6] + 2][which])


@pytest.mark.skipif(not hasattr(pl, "select_ref"), reason="JAX has no select_ref")
def test_a_selected_ref_of_selected_refs():
    """JAX 0.10 does not print such a kernel."""

    def kernel(n_ref, a_ref, b_ref, o_ref, sem):
        halves = (pl.select_ref(n_ref[1], one.at[pl.ds(0, 4)], one.at[pl.ds(4, 4)]) for one in (a_ref, b_ref))
        pltpu.async_copy(pl.select_ref(n_ref[0], *halves).reshape(4, 128), o_ref, sem).wait()

    call = pl.pallas_call(kernel, out_shape=shaped((4, 128)), in_specs=[SMEM, ANY, ANY], out_specs=ANY, scratch_shapes=[DMA])
    args = np.array([1, 1], np.int32), X, X + 1
    verdict = tessera.pallas.verify(call, *args, numbers=False)
    assert verdict.proved, verdict
    with tessera.pallas.interpret(numbers=False) as session:
        found = jax.jit(call)(*args)
    np.testing.assert_array_equal(found, X[4:8] + 1)
    assert session.verdict.proved, session.verdict
