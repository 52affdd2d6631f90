"""What is asked of `tessera.pallas` wrongly is said at once, and what it was given is told where it matters."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera
import tessera.pallas
from corpus import grids
from corpus.ring import f32

pytest.importorskip("tessera.pallas.convert.program")
X = np.random.default_rng(0).standard_normal((32, 128), np.float32)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"dma_order": "sideways"}, "dma_order: expected one of unordered, fifo, found 'sideways'"),
        ({"profile": "v99"}, "no profile v99"),
        ({"chip": "v99"}, "chip: expected one of v4"),
        ({"strict_values": True}, "strict_values is for run and interpret"),
        ({"schedule": "rndom"}, "schedule `rndom` is none of"),
    ],
)
def test_a_value_that_an_option_has_not_is_bad_input(how, said):
    with pytest.raises(tessera.BadInput, match=said):
        tessera.pallas.verify(grids.add, X, X, **how)


def test_an_unknown_option_is_named_with_the_nearest_one():
    with pytest.raises(TypeError, match="unknown option 'al'; did you mean 'all'"):
        tessera.pallas.verify(grids.add, X, X, al=True)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"cases": []}, "cases: expected tuples of arguments"),
        ({"cases": [X]}, "cases: expected tuples"),
        ({"seeds": 1}, "seeds: expected some"),
        ({"seeds": ()}, "seeds: expected some"),
        ({"accept": ["race"], "cases": [(X, X)]}, "expected a list of tessera.pallas.Accepted"),
    ],
)
def test_cases_seeds_and_accepted_findings_are_lists(how, said):
    with pytest.raises(TypeError, match=said):
        tessera.pallas.verify(grids.add, **how)


def rows_of(waits, x):
    def kernel(waits_ref, x_ref, o_ref, sem):
        for i in range(4):
            pltpu.make_async_copy(x_ref.at[i], o_ref.at[i], sem).start()

        @pl.loop(0, waits_ref[0])
        def _(i):
            pltpu.make_async_copy(x_ref.at[i], o_ref.at[i], sem).wait()

    smem, hbm = pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pl.ANY)
    return pl.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), in_specs=[smem, hbm], out_specs=hbm, scratch_shapes=[pltpu.SemaphoreType.DMA]
    )(waits, x)


def test_of_several_cases_each_has_its_shapes_and_integers():
    x = np.ones((4, 8, 128), np.float32)
    verdict = tessera.pallas.verify(rows_of, cases=[(np.array([waits], np.int32), x) for waits in (4, 3)], numbers=False)
    assert [site.status for site in verdict] == ["proved", "refuted"], verdict
    assert "given: int32[1] [4], float32[4, 8, 128]" in str(verdict) and "given: int32[1] [3], float32" in str(verdict)
    alike = tessera.pallas.verify(rows_of, cases=[(np.array([3, other], np.int32), x) for other in (0, 1)], numbers=False)
    assert len(alike) == 1 and alike.sites[0].calls == 2 and "given: int32[2] [3, 1]" in str(alike)
    assert "given:" not in str(tessera.pallas.verify(rows_of, np.array([4], np.int32), x, numbers=False))


def test_integers_are_compared_bit_for_bit():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 3

    verdict = tessera.pallas.verify(lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x), X.astype(np.int32))
    assert verdict.compared and "a second seed, bit for bit, 8192 elements" in str(verdict), verdict


def test_one_except_catches_what_is_found_and_what_is_refused():
    assert issubclass(tessera.pallas.FindingError, tessera.FindingError) and issubclass(tessera.pallas.Refused, tessera.Unsupported)


def test_values_that_a_conversion_leaves_unknown_are_those_of_jax():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sort(x_ref[...], axis=0)

    def call(x):
        return pl.pallas_call(kernel, out_shape=f32(32, 128))(x)

    with tessera.pallas.interpret() as session:
        y = np.asarray(jax.jit(lambda x: call(x) * 2)(X))
    np.testing.assert_array_equal(y, np.sort(X, 0) * 2)
    assert session.verdict.proved and "values are unknown from sort" in str(session.verdict)
    with pytest.raises(tessera.pallas.Refused, match="the value of sort is unknown"):
        tessera.pallas.run(call, X)


def test_the_axes_of_a_mesh_stand_beside_its_devices():
    mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    spec = jax.sharding.PartitionSpec("x", "y")
    call = jax.shard_map(lambda x: grids.add(x, x), mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    verdict = tessera.pallas.verify(call, np.ones((64, 512), np.float32), numbers=False)
    assert ", 4 devices (x=2, y=2): proved" in str(verdict), verdict


@pytest.mark.parametrize(("chip", "status"), [(None, "proved"), ("v5p", "proved"), ("v5e", "refuted")])
def test_only_a_v5e_has_a_limit_of_routes(chip, status):
    """Three devices on of eight is no power of two."""
    mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    shape, any_memory = jax.ShapeDtypeStruct((8, 128), np.float32), pl.BlockSpec(memory_space=pl.ANY)

    def kernel(x_ref, o_ref, sent, arrived):
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=((jax.lax.axis_index("x") + 3) % 8,))
        copy.start()
        copy.wait()

    call = pl.pallas_call(kernel, out_shape=shape, in_specs=[any_memory], out_specs=any_memory, scratch_shapes=[pltpu.SemaphoreType.DMA] * 2)
    fn = jax.shard_map(call, mesh=mesh, in_specs=jax.sharding.PartitionSpec("x"), out_specs=jax.sharding.PartitionSpec("x"), check_vma=False)
    verdict = tessera.pallas.verify(fn, np.ones((64, 128), np.float32), numbers=False, chip=chip)
    assert verdict.status == status, verdict
