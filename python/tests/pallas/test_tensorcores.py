"""`pl.kernel` and `core_map` on meshes of TensorCores, and grids that the cores of a device share."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from converted import shaped
from tessera.pallas.trace import on_chip

pytestmark = pytest.mark.skipif(jax.__version_info__ < (0, 10, 2), reason="pl.kernel is no mpmd_map before 0.10.2")
F32 = jnp.float32
X = np.arange(16 * 128, dtype=np.float32).reshape(16, 128)
DMA = pltpu.SemaphoreType.DMA


def mesh_of(cores):
    return pltpu.create_tensorcore_mesh("core", num_cores=cores)


def test_a_kernel_on_one_core():
    def double(x_ref, o_ref, buf_ref):
        pltpu.sync_copy(x_ref, buf_ref)
        buf_ref[...] *= 2
        pltpu.sync_copy(buf_ref, o_ref)

    fn = pl.kernel(double, out_type=shaped((16, 128)), mesh=mesh_of(1), scratch_types=[pltpu.VMEM((16, 128), F32)])
    verdict = tessera.pallas.verify(fn, X)
    assert verdict.proved and verdict.compared, verdict
    assert verdict.sites[0].place.startswith("test_tensorcores.py:") and verdict.sites[0].kernel.cores == 1
    np.testing.assert_array_equal(tessera.pallas.run(fn, X), 2 * X)


def test_a_race_of_a_kernel_beside_a_call():
    def ahead(x_ref, o_ref, buf_ref, sem):
        copy = pltpu.make_async_copy(x_ref, buf_ref, sem)
        copy.start()
        buf_ref[...] = buf_ref[...] + 1
        copy.wait()
        pltpu.sync_copy(buf_ref, o_ref)

    def right(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    call = pl.pallas_call(right, out_shape=shaped((16, 128)))
    kernel = pl.kernel(ahead, out_type=shaped((16, 128)), mesh=mesh_of(1), scratch_types=[pltpu.VMEM((16, 128), F32), DMA])
    for fn in (lambda x: kernel(call(x)), lambda x: call(kernel(x)), kernel):
        verdict = tessera.pallas.verify(fn, X)
        assert [one.kind for one in verdict.findings] == ["race"], verdict


def halves(cores, wait=True, by_name=False):
    """Each core adds its number to its rows, and then copies those of the next core."""

    def kernel(x_ref, o_ref, p_ref, buf_ref, sem):
        count, core = lax.axis_size("core"), lax.axis_index("core")
        size = 16 // count
        mine = pl.ds(core * size, size)
        pltpu.sync_copy(x_ref.at[mine], buf_ref)
        buf_ref[...] += core.astype(F32)
        pltpu.sync_copy(buf_ref, o_ref.at[mine])
        for other in range(count):
            if by_name:
                pl.semaphore_signal(sem, device_id={"core": other})
            else:
                pl.semaphore_signal(sem, core_index=other)
        if wait:
            pl.semaphore_wait(sem, count)
        theirs = pl.ds(lax.rem(core + 1, count) * size, size)
        pltpu.sync_copy(o_ref.at[theirs], p_ref.at[mine])
        if not wait:
            pl.semaphore_wait(sem, count)

    return pl.kernel(
        kernel,
        out_type=(shaped((16, 128)), shaped((16, 128))),
        mesh=mesh_of(cores),
        scratch_types=[pltpu.VMEM((16 // cores, 128), F32), pltpu.SemaphoreType.REGULAR],
    )


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("cores", [1, 2])
def test_cores_that_signal_each_other(cores, by_name):
    """Before 0.12 JAX's interpreter does not take the axis of cores as a device id."""
    fn = halves(cores, by_name=by_name)
    verdict = tessera.pallas.verify(fn, X)
    is_compared = not by_name or jax.__version_info__ >= (0, 12)
    assert verdict.proved and verdict.compared == is_compared and verdict.sites[0].kernel.cores == cores, verdict
    own = X + np.repeat(np.arange(cores), 16 // cores)[:, None]
    one, other = tessera.pallas.run(fn, X)
    np.testing.assert_array_equal(one, own)
    np.testing.assert_array_equal(other, np.roll(own, -16 // cores, 0))


def test_cores_that_do_not_wait():
    verdict = tessera.pallas.verify(halves(2, wait=False), X)
    assert {one.kind for one in verdict.findings} == {"race"} and "core1" in str(verdict), verdict


def test_a_core_that_is_not_signalled():
    def kernel(x_ref, o_ref, sem):
        @pl.when(lax.axis_index("core") == 0)
        def _():
            pl.semaphore_signal(sem, device_id={"core": 0})
            pltpu.sync_copy(x_ref, o_ref)

        pl.semaphore_wait(sem)

    fn = pl.kernel(kernel, out_type=shaped((16, 128)), mesh=mesh_of(2), scratch_types=[pltpu.SemaphoreType.REGULAR])
    assert "deadlock" in {one.kind for one in tessera.pallas.verify(fn, X).findings}


def copied(x, cores, twice=False):
    """x copied by `core_map` over refs; `twice`: with the second ref's rows below as they were."""

    def inner(refs):
        x_ref, y_ref = refs

        @pl.core_map(mesh_of(cores))
        def _():
            size = 8 // cores if twice else 16 // cores
            rows = pl.ds(lax.axis_index("core") * size, size)
            pltpu.sync_copy(x_ref.at[rows], y_ref.at[rows])

    return inner, (x, jnp.zeros_like(x))


@pytest.fixture
def sparse():
    """Meshes of SparseCores, which query the chip."""
    from jax.experimental.pallas import tpu_sc

    with on_chip("v5p"):
        yield {
            "scalar": lambda cores: tpu_sc.ScalarSubcoreMesh(axis_name="core", num_cores=cores),
            "vector": lambda cores: tpu_sc.VectorSubcoreMesh(core_axis_name="pair", subcore_axis_name="core", num_cores=1, num_subcores=cores),
        }


@pytest.mark.parametrize("kind", ["scalar", "vector"])
@pytest.mark.parametrize("cores", [1, 2])
def test_subcores_of_sparsecores(sparse, cores, kind):
    """Like TensorCores: each has its own memory and starts its own copies."""

    def kernel(x_ref, o_ref, buf_ref, sem, wait=True):
        rows = pl.ds(lax.axis_index("core") * (16 // cores), 16 // cores)
        copy = pltpu.make_async_copy(x_ref.at[rows], buf_ref, sem)
        copy.start()
        if wait:
            copy.wait()
        pltpu.sync_copy(buf_ref, o_ref.at[rows])
        if not wait:
            copy.wait()

    memory = pltpu.SMEM if kind == "scalar" else pltpu.VMEM
    scratch = [memory((16 // cores, 128), F32), DMA]
    for wait in (True, False):
        fn = pl.kernel(functools.partial(kernel, wait=wait), out_type=shaped((16, 128)), mesh=sparse[kind](cores), scratch_types=scratch)
        verdict = tessera.pallas.verify(fn, X, chip="v5p")
        assert verdict.proved == wait and {one.kind for one in verdict.findings} == (set() if wait else {"race"}), verdict
    assert tessera.pallas.verify(fn, X, chip="v5p").sites[0].kernel.cores == cores


def test_an_operation_of_sparsecores_is_refused(sparse):
    from jax.experimental.pallas import tpu_sc

    def kernel(x_ref, o_ref):
        tpu_sc.subcore_barrier()
        pltpu.sync_copy(x_ref, o_ref)

    fn = pl.kernel(kernel, out_type=shaped((16, 128)), mesh=sparse["vector"](1))
    verdict = tessera.pallas.verify(fn, X, chip="v5p")
    assert verdict.status == "refused" and "VectorSubcoreMesh" in str(verdict), verdict


@pytest.mark.parametrize("cores", [1, 2])
def test_core_map_over_refs(cores):
    def with_state(x):
        inner, refs = copied(x, cores, twice=True)
        return pl.run_state(inner)(refs)[1]

    @jax.jit
    def with_new_refs(x):
        inner, refs = copied(x, cores, twice=True)
        x_ref, y_ref = map(jax.new_ref, refs)
        inner((x_ref, y_ref))
        return jax.freeze(y_ref)

    right = np.concatenate([X[:8], np.zeros((8, 128), np.float32)])
    for fn in (with_state, with_new_refs):
        verdict = tessera.pallas.verify(fn, X)
        assert verdict.proved and verdict.compared and len(verdict) == 1, verdict
        np.testing.assert_array_equal(tessera.pallas.run(fn, X), right)


def test_a_call_over_refs():
    def inner(refs):
        def kernel(x_ref, y_ref):
            pltpu.sync_copy(x_ref, y_ref)

        pl.pallas_call(functools.partial(kernel, *refs), out_shape=[])()

    def fn(x):
        return pl.run_state(inner)((x, jnp.zeros_like(x)))[1]

    verdict = tessera.pallas.verify(fn, X)
    assert verdict.proved, verdict
    np.testing.assert_array_equal(tessera.pallas.run(fn, X), X)


def test_a_number_from_outside():
    def fn(x, i):
        @pl.kernel(out_type=shaped((1, 128)), mesh=mesh_of(1))
        def kernel(x_ref, o_ref):
            pltpu.sync_copy(x_ref.at[pl.ds(i, 1)], o_ref)

        return kernel(x)

    verdict = tessera.pallas.verify(fn, X, np.int32(5))
    assert verdict.proved, verdict
    np.testing.assert_array_equal(tessera.pallas.run(fn, X, np.int32(5)), X[5:6])


def test_it_runs_under_interpret():
    with tessera.pallas.interpret() as session:
        found = halves(2)(jnp.asarray(X))
    assert session.verdict.proved, session.verdict
    np.testing.assert_array_equal(found[0][8:], X[8:] + 1)


def test_kernels_that_neither_side_runs_are_refused_by_their_line():
    def start(x_ref, o_ref, sem):
        pltpu.make_async_copy(x_ref, o_ref, sem).start()

    def fn(x):
        any_memory = pl.BlockSpec(memory_space=pl.ANY)
        return pl.pallas_call(
            start, out_shape=(shaped((16, 128)), DMA(())), in_specs=[any_memory], out_specs=(any_memory, pl.BlockSpec(memory_space=pltpu.SEMAPHORE))
        )(x)[0]

    with (
        tessera.pallas.intercept.recorded() as session,
        pytest.raises(tessera.pallas.Refused, match=r"test_tensorcores.py:\d+: .* of the type dma_sem"),
    ):
        jax.jit(fn)(X)
    assert session.verdict.status == "refused" and "test_tensorcores.py" in session.verdict.sites[0].place


def test_a_named_dimension_of_a_grid():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + lax.axis_index("rows").astype(F32)

    fn = pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        grid=(("rows", 2),),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    )
    verdict = tessera.pallas.verify(fn, X)
    assert verdict.proved, verdict
    np.testing.assert_array_equal(tessera.pallas.run(fn, X), X + np.repeat([0, 1], 8)[:, None])


def flags(semantics, grid=2):
    """Each core clears a flag at its first row and counts its rows in it: right on two cores, and not in turn on one."""

    def kernel(x_ref, o_ref, n_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            n_ref[0] = 0

        n_ref[0] = n_ref[0] + 1
        o_ref[...] = x_ref[...] * n_ref[0].astype(F32) + pl.program_id(0).astype(F32)

    return pl.pallas_call(
        kernel,
        out_shape=shaped((16, 128)),
        grid=(grid, 16 // 8 // grid),
        scratch_shapes=[pltpu.SMEM((1,), jnp.int32)],
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i * (2 // grid) + j, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j: (i * (2 // grid) + j, 0)),
        compiler_params=pltpu.CompilerParams(dimension_semantics=semantics),
    )


def test_two_cores_share_a_parallel_dimension():
    fn = flags(("parallel", "arbitrary"))
    verdict = tessera.pallas.verify(fn, X, cores=2)
    assert verdict.proved and verdict.compared and not verdict.sites[0].conditions, verdict
    assert "i in core * 1 .. (core + 1) * 1" in verdict.sites[0].kernel.text
    np.testing.assert_array_equal(tessera.pallas.run(fn, X, cores=2), X + np.repeat([0, 1], 8)[:, None])
    assert tessera.pallas.verify(flags(("arbitrary", "arbitrary")), X, cores=2).sites[0].kernel.cores == 1


def test_cores_is_a_number():
    for cores in (0, True, "2"):
        with pytest.raises(tessera.BadInput, match="cores: expected a number from 1 on"):
            tessera.pallas.verify(flags(None), X, cores=cores)


@pytest.mark.parametrize("mode", ["batch", "kv_head"])
def test_paged_attention_for_a_megacore(mode):
    """Each core waits for copies that it has started: on one core that takes both parts in order the second part waits in vain."""
    from functools import partial

    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel as module

    from corpus import wheel

    fn, args = wheel.paged_attention(partial(module.paged_attention, megacore_mode=mode))
    verdict = tessera.pallas.verify(fn, *args, cores=2, limit=30)
    assert verdict.proved, verdict
    assert tessera.pallas.verify(fn, *args, numbers=False).status == "refuted"


def test_a_mesh_of_cores_under_shard_map():
    devices = jax.make_mesh((2,), ("x",), devices=jax.devices()[:2], axis_types=(jax.sharding.AxisType.Auto,))

    def body(x):
        x_ref, y_ref = jax.new_ref(x), jax.new_ref(jnp.zeros_like(x))

        @pl.core_map(pltpu.create_tensorcore_mesh("core"))
        def _():
            rows = pl.ds(lax.axis_index("core") * 8 // lax.axis_size("core"), 8 // lax.axis_size("core"))
            pltpu.sync_copy(x_ref.at[rows], y_ref.at[rows])

        return jax.freeze(y_ref)

    fn = jax.shard_map(body, mesh=devices, in_specs=jax.sharding.PartitionSpec("x"), out_specs=jax.sharding.PartitionSpec("x"), check_vma=False)
    for cores in (1, 2):
        verdict = tessera.pallas.verify(fn, X, cores=cores)
        assert verdict.proved and verdict.sites[0].kernel.cores == cores and verdict.sites[0].devices == 2, verdict
        np.testing.assert_array_equal(tessera.pallas.run(fn, X, cores=cores), X)
