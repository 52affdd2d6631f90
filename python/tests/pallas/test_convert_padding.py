"""Blocks that begin anywhere, with room before and after their array, mean what JAX means by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from converted import ANY, SMEM, check, converted, normal, shaped
from tessera.pallas.convert import Refused

X = np.round(8 * normal(16, 128)) / 8
WHOLE = pl.Element(128)


def rows(x_ref, o_ref):
    """The sum of each row and its two neighbours, where there are some."""
    at = pl.program_id(0) * 8 + jnp.arange(8)[:, None]
    above, here, below = (x_ref[k : k + 8] for k in range(3))
    o_ref[...] = here + jnp.where(at > 0, above, 0) + jnp.where(at < 15, below, 0)


def test_a_block_with_room_on_both_sides():
    made = check(
        rows,
        shaped((16, 128)),
        X,
        grid=(2,),
        in_specs=[pl.BlockSpec((pl.Element(10, padding=(1, 1)), WHOLE), lambda i: (i * 8, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    )
    assert "hbm x_hbm_padded: f32[18, 128]" in made.text


def test_a_result_goes_back_without_its_room():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    check(
        kernel,
        shaped((13, 128)),
        X,
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((pl.Element(8, padding=(1, 2)), WHOLE), lambda i: (i * 8, 0)),
    )


def test_what_lies_in_the_room_is_nothing():
    """It reaches the result here, which JAX shows as NaN."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    import tessera.pallas

    call = pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        grid=(2,),
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        in_specs=[pl.BlockSpec((pl.Element(8, padding=(1, 0)), WHOLE), lambda i: (i * 8, 0))],
    )
    verdict = tessera.pallas.verify(call, X)
    assert [finding.kind for finding in verdict.findings] == ["uninitialised_read"], verdict


def test_room_around_memory_that_is_shared():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    call = pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        grid=(2,),
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        in_specs=[pl.BlockSpec((pl.Element(8, padding=(0, 8)), WHOLE), lambda i: (i * 8, 0))],
        input_output_aliases={0: 0},
    )
    with pytest.raises(Refused, match="a padded block where results share the memory of inputs"):
        converted(call, X)


def test_a_bounded_slice_is_for_pipelines_inside():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    call = pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        grid=(2,),
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        in_specs=[pl.BlockSpec((pl.BoundedSlice(8), 128), lambda i: (pl.ds(i * 8, 8), 0))],
    )
    with pytest.raises(Refused, match=r"a block dimension BoundedSlice\(8\), which is for emit_pipeline"):
        converted(call, X)


def doubled_by_pipeline(shape, block, index=lambda i: (0, i), steps=2):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    def kernel(x_ref, o_ref):
        spec = pl.BlockSpec(block, index)
        pltpu.emit_pipeline(body, grid=(steps,), in_specs=[spec], out_specs=[spec])(x_ref, o_ref)

    return pl.pallas_call(kernel, out_shape=shaped(shape), in_specs=[ANY], out_specs=ANY)


@pytest.mark.parametrize(("shape", "block", "index"), [((8, 200), (8, 128), lambda i: (0, i)), ((12, 128), (8, 128), lambda i: (i, 0))])
def test_a_pipeline_reaches_to_the_end_of_a_tile(shape, block, index):
    """On a TPU arrays are padded to whole tiles."""
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    fn = doubled_by_pipeline(shape, block, index)
    verdict = tessera.pallas.verify(fn, x)
    assert verdict.proved and verdict.compared, verdict
    np.testing.assert_array_equal(tessera.pallas.run(fn, x), 2 * x)


def test_a_pipeline_does_not_reach_over_a_tile():
    fn = doubled_by_pipeline((8, 256), (8, 128), steps=3)
    verdict = tessera.pallas.verify(fn, np.ones((8, 256), np.float32))
    assert {one.kind for one in verdict.findings} == {"out_of_bounds"}, verdict


def test_other_copies_do_not_reach_over_the_array():
    def kernel(at_ref, x_ref, o_ref):
        pltpu.sync_copy(x_ref.at[:, pl.ds(pl.multiple_of(at_ref[0], 128), 128)], o_ref)

    fn = pl.pallas_call(kernel, out_shape=shaped((8, 128)), in_specs=[SMEM, ANY], out_specs=ANY)
    verdict = tessera.pallas.verify(fn, np.array([128], np.int32), np.ones((8, 200), np.float32))
    assert [one.kind for one in verdict.findings] == ["out_of_bounds"], verdict


PIPELINED = [pl.BlockSpec((8, 128), lambda i: (i, 0))]
needs_bounds = pytest.mark.skipif(jax.__version_info__ < (0, 10, 2), reason="no padded bounds before 0.10.2")


@needs_bounds
def test_a_copy_in_the_body_of_a_pipeline_is_not_the_pipelines():
    """The body copies rows 8 to 16 of 12."""

    def kernel(x_ref, y_ref, o_ref, buf, sem):
        def body(x, o):
            copy = pltpu.make_async_copy(y_ref.at[pl.ds(pl.program_id(0) * 8, 8)], buf, sem)
            copy.start()
            copy.wait()
            o[...] = x[...] + buf[0:1]

        pltpu.emit_pipeline(body, grid=(2,), in_specs=PIPELINED, out_specs=PIPELINED)(x_ref, o_ref)

    call = pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        in_specs=[ANY, ANY],
        out_specs=ANY,
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
    )
    (finding,) = tessera.pallas.verify(call, X, X[:12]).findings
    assert finding.message.startswith("read of y_ref[8 .. 16, 0 .. 128] leaves y_ref[12, 128]"), finding


@needs_bounds
def test_a_copy_that_can_leave_a_padded_array_is_refused():
    """The pipeline pads o; rows 8 to 16 of 12 are no part of it."""

    def kernel(n_ref, x_ref, o_ref, buf, sem):
        def body(x, o):
            o[...] = x[...] + 1

        buf[...] = jnp.ones((8, 128), jnp.float32)
        pltpu.emit_pipeline(body, grid=(2,), in_specs=PIPELINED, out_specs=PIPELINED)(x_ref, o_ref)
        copy = pltpu.make_async_copy(buf, o_ref.at[pl.ds(n_ref[0] * 8, 8)], sem)
        copy.start()
        copy.wait()

    call = pl.pallas_call(
        kernel,
        out_shape=shaped((12, 128)),
        in_specs=[SMEM, ANY],
        out_specs=ANY,
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
    )
    verdict = tessera.pallas.verify(call, np.array([1], np.int32), X[:12])
    assert verdict.status == "refused" and "a copy that can leave an array which `emit_pipeline` pads" in str(verdict)


def test_a_padded_result_of_several_cores_is_refused():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    call = pl.pallas_call(
        kernel,
        grid=(2,),
        out_shape=shaped((14, 128)),
        in_specs=PIPELINED,
        out_specs=pl.BlockSpec((pl.Element(8, (0, 2)), 128), lambda i: (i * 8, 0)),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    )
    assert tessera.pallas.verify(call, X).proved
    assert "a padded result of several cores" in str(tessera.pallas.verify(call, X, cores=2))
