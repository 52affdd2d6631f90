"""Every kernel of a function is in its verdict: analysed to its end, or with the reason it was not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

import tessera.pallas
from corpus.ring import ANY, f32
from tessera.pallas import Accepted, kinds, tensorcores

X = np.ones((8, 128), np.float32)
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
needs_kernels = pytest.mark.skipif(jax.__version_info__ < (0, 10, 2), reason="pl.kernel is no mpmd_map before 0.10.2")


def twice(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    return pl.pallas_call(kernel, out_shape=f32(8, 128))(x)


def racy(x):
    def kernel(x_ref, o_ref, buf, sem):
        copy = pltpu.make_async_copy(x_ref, buf, sem)
        copy.start()
        o_ref[...] = buf[...] + 1
        copy.wait()

    return pl.pallas_call(kernel, out_shape=f32(8, 128), in_specs=[ANY], scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA])(
        x
    )


def racy_kernel(x, **how):
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)

    @pl.kernel(out_type=f32(8, 128), mesh=mesh, scratch_types=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA], **how)
    def kernel(x_ref, o_ref, buf, sem):
        copy = pltpu.make_async_copy(x_ref, buf, sem)
        copy.start()
        buf[...] = buf[...] + 1
        copy.wait()
        pltpu.sync_copy(buf, o_ref)

    return kernel(x)


@pytest.fixture(params=["converted", "of another mesh"])
def of_another_mesh(request, monkeypatch):
    """Whether kernels of `pl.kernel` are as on a mesh that is not converted, such as a GPU's."""
    if request.param != "converted":

        def no_call(*_):
            raise tensorcores.NoCall("another mesh")

        monkeypatch.setattr(tensorcores, "call_params", no_call)
    return request.param != "converted"


@needs_kernels
@pytest.mark.parametrize(
    "fn", [lambda x: racy_kernel(twice(x)), lambda x: twice(racy_kernel(x)), racy_kernel], ids=["after a call", "before a call", "alone"]
)
def test_a_kernel_that_is_no_pallas_call_is_never_passed_over(fn, of_another_mesh):
    verdict = tessera.pallas.verify(fn, X)
    assert not verdict.proved and not verdict.ok, verdict
    line = racy_kernel.__code__.co_firstlineno
    wanted = "refused" if of_another_mesh else "refuted"
    site = next(site for site in verdict if site.status == wanted)
    assert line < int(site.place.removeprefix("test_coverage.py:")) < line + 12, verdict
    assert not of_another_mesh or "`pl.kernel` on TensorCoreMesh (primitive mpmd_map) is not converted" in site.what, verdict


@needs_kernels
def test_a_mesh_of_the_chips_cores_is_no_error():
    def kernel(x):
        mesh = pltpu.create_tensorcore_mesh("core")

        @pl.kernel(out_type=f32(8, 128), mesh=mesh)
        def copied(x_ref, o_ref):
            pltpu.sync_copy(x_ref, o_ref)

        return copied(x)

    assert len(tessera.pallas.verify(kernel, X, numbers=False)) == 1


@needs_kernels
@pytest.mark.parametrize("how", [{}, {"interpret": True}], ids=["as on a TPU", "interpreted"])
def test_a_kernel_under_interpret_is_in_the_verdict(of_another_mesh, how):
    if of_another_mesh:
        how = {"interpret": pltpu.InterpretParams()} if how else {}
    with tessera.pallas.intercept.recorded(numbers=False) as session:
        np.asarray(jax.jit(lambda x: racy_kernel(twice(x), **how))(X))
    verdict = session.verdict
    assert not verdict.ok and not verdict.proved and len(verdict) == 2, verdict
    assert sorted(site.status for site in verdict) == ["proved", "refused" if of_another_mesh else "refuted"]


@needs_kernels
def test_a_core_map_is_named_where_it_is(of_another_mesh):
    def copied(x):
        mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)

        def inner(refs):
            @pl.core_map(mesh)
            def kernel():
                pltpu.sync_copy(*refs)

        return pl.run_state(inner)((x, jnp.zeros_like(x)))[1]

    verdict = tessera.pallas.verify(lambda x: twice(copied(x)), X)
    assert verdict.ok != of_another_mesh and len(verdict) == 2, verdict
    assert not of_another_mesh or any("is not converted, so this kernel is not analysed" in site.what for site in verdict), verdict


def grid_of(params):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((2, 128), lambda i: (i, 0))],
        out_shape=f32(2, 128),
        out_specs=pl.BlockSpec((2, 128), lambda i: (0, 0)),
        compiler_params=params,
    )


def test_a_kernel_for_triton_is_refused():
    x = np.arange(1024, dtype=np.float32).reshape(8, 128)
    for parallel in (False, True):
        verdict = tessera.pallas.verify(grid_of(pltriton.CompilerParams(num_warps=4)), x, parallel=parallel)
        assert verdict.status == "refused" and not verdict.ok
        assert "GPU kernel, with the parameters of Triton" in verdict.sites[0].what
    assert tessera.pallas.verify(grid_of(pltpu.CompilerParams()), x).ok


def test_a_kernel_for_mosaic_gpu_is_refused():
    class CompilerParams:
        """JAX's needs absl, which is not a dependency."""

    CompilerParams.__module__ = "jax._src.pallas.mosaic_gpu.core"
    assert "Mosaic GPU" in kinds._gpu_compiler({"compiler_params": CompilerParams()})
    assert "Mosaic GPU" in kinds._gpu_compiler({"backend": "mosaic_gpu", "compiler_params": None})
    assert "Triton" in kinds._gpu_compiler({"compiler_params": {"triton": object()}})  # up to 0.8
    for tpu in ({}, {"compiler_params": None}, {"compiler_params": {"mosaic_tpu": object()}}, {"compiler_params": pltpu.CompilerParams()}):
        assert not kinds._gpu_compiler(tpu)
    pytest.importorskip("absl")
    from jax.experimental.pallas import mosaic_gpu as plgpu

    verdict = tessera.pallas.verify(grid_of(plgpu.CompilerParams()), np.ones((8, 128), np.float32))
    assert verdict.status == "refused" and "Mosaic GPU" in verdict.sites[0].what


def in_cond(x):
    return lax.cond(x[0, 0] > 5, racy, twice, x)


def in_switch(x):
    return lax.switch(jnp.int32(x[0, 0]), [twice, twice, racy], x)


def in_while(x):
    return twice(lax.while_loop(lambda state: state[0] < jnp.int32(0), lambda state: (state[0] + 1, racy(state[1])), (0, x))[1])


def in_scan(x):
    return twice(lax.scan(lambda carry, _: (racy(carry), None), x, None, length=0)[0])


@pytest.mark.parametrize("fn", [in_cond, in_switch, in_while, in_scan])
def test_a_kernel_that_is_not_reached_is_named_and_not_ok(fn):
    verdict = tessera.pallas.verify(fn, X)
    assert verdict.proved and verdict.compared and not verdict.ok, verdict
    (one,) = verdict.unreached
    line = racy.__code__.co_firstlineno
    assert line < int(one.place.removeprefix("test_coverage.py:")) < line + 9
    assert f"{one.place} kernel: not reached: the `{fn.__name__[3:].replace('switch', 'cond')}` at test_coverage.py:" in str(verdict)
    assert "covers 2 kernels: 1 proved, 1 not reached; 1 analysed to the end, 1 compared with JAX" in str(verdict)


def test_a_kernel_that_is_not_reached_may_be_accepted_with_a_reason():
    place = tessera.pallas.verify(in_cond, X).unreached[0].place
    known = Accepted("not_reached", place, "its own test reaches it")
    assert tessera.pallas.verify(in_cond, X, accept=[known]).ok
    reached = tessera.pallas.verify(in_cond, cases=[(X,), (10 * X,)], accept=[known])
    assert reached.status == "refuted" and not reached.unreached and reached.stale == (known,)
    assert "stale: it is reached now" in str(reached)


def test_the_same_branch_twice_is_reached_at_once():
    assert tessera.pallas.verify(lambda x: lax.cond(x[0, 0] > 5, twice, twice, x), X, numbers=False).ok


def test_kernels_of_other_platforms_do_not_count():
    def chosen(x):
        return lax.platform_dependent(x, tpu=twice, cuda=racy, default=lambda x: x)

    verdict = tessera.pallas.verify(chosen, X)
    assert verdict.ok and len(verdict) == 1, verdict


def test_a_kernel_after_the_end_of_the_analysis_is_not_reached():
    def call(x):
        return twice(lax.cond(lax.axis_index("x") == 0, twice, lambda x: x, x))

    mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("x")
    verdict = tessera.pallas.verify(jax.shard_map(call, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False), np.ones((16, 128), np.float32))
    assert verdict.status == "refused" and not verdict.ok and len(verdict.unreached) == 2, verdict
    assert "the analysis of the function ended before it" in str(verdict)


def test_a_branch_under_interpret_that_does_not_run_is_named():
    with tessera.pallas.interpret(numbers=False) as session:
        np.asarray(jax.jit(in_cond)(X))
    assert session.verdict.proved and not session.verdict.ok
    assert "compiled, and did not run" in str(session.verdict), session.verdict
    with tessera.pallas.interpret(numbers=False) as session:
        np.asarray(jax.jit(jax.checkpoint(twice))(X))
    assert session.verdict.ok, session.verdict


def test_a_kernel_whose_analysis_fails_under_interpret_is_named(monkeypatch):
    def failing(*_, **__):
        raise RuntimeError("a defect")

    monkeypatch.setattr(tessera.pallas.intercept, "decide", failing)
    with tessera.pallas.intercept.recorded(numbers=False) as session, pytest.raises(Exception, match="a defect"):
        np.asarray(jax.jit(twice)(X))
    monkeypatch.undo()
    assert not session.verdict.ok and len(session.verdict.unreached) == 1, session.verdict
    with tessera.pallas.intercept.recorded(numbers=False) as session:  # JAX's runtime is as before
        np.asarray(jax.jit(twice)(X))
    assert session.verdict.ok


def test_a_semaphore_between_calls_is_refused_by_its_line_under_interpret():
    def start(x):
        def kernel(x_ref, o_ref, sem):
            pltpu.make_async_copy(x_ref, o_ref, sem).start()

        return pl.pallas_call(
            kernel, out_shape=(f32(8, 128), pltpu.SemaphoreType.DMA(())), in_specs=[ANY], out_specs=(ANY, pl.BlockSpec(memory_space=pltpu.SEMAPHORE))
        )(x)[0]

    refused = pytest.raises(tessera.pallas.Refused, match=r"test_coverage.py:\d+: an operand or a result of the type dma_sem")
    with tessera.pallas.intercept.recorded(numbers=False) as session, refused:
        jax.jit(start)(X)
    assert session.verdict.status == "refused" and not session.verdict.ok


def test_an_accepted_finding_that_ends_the_run_is_not_ok():
    def kernel(lens, x_ref, o_ref, buf, sem):
        n = lens[lens[0] - 2]  # reads lens[-1] ...
        used = jnp.where(lens[0] > 1, n, 0)  # ... and discards it
        copy = pltpu.make_async_copy(x_ref, buf, sem)
        copy.start()
        o_ref[...] = buf[...] + used.astype(jnp.float32)
        copy.wait()

    def call(lens, x):
        return pl.pallas_call(
            kernel,
            grid=(1,),
            out_shape=f32(8, 128),
            in_specs=[SMEM, ANY],
            scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        )(lens, x)

    lens = np.array([1, 7], np.int32)
    first = tessera.pallas.verify(call, lens, X)
    known = Accepted("out_of_bounds", first.findings[0].place, "the value is discarded")
    verdict = tessera.pallas.verify(call, lens, X, accept=[known])
    assert not verdict.ok, verdict
    # Either the run ended at the finding, and that is reported, or the race after it is found.
    race = [finding for finding in verdict.findings if finding.kind == "race"]
    assert race or ("not analysed to its end" in str(verdict) and not verdict.sites[0].analysed)


def test_more_races_than_are_listed_are_not_ok(monkeypatch):
    verdict = tessera.pallas.verify(racy, X)
    known = [Accepted(finding.kind, finding.place, "a reason") for finding in verdict.findings if not finding.consequence]
    assert tessera.pallas.verify(racy, X, accept=known).ok
    from tessera.pallas import engine

    right = engine.verify

    def longer(*args):
        report = right(*args)
        report.object["more_races"] = 1
        return report

    monkeypatch.setattr(engine, "verify", longer)
    assert not tessera.pallas.verify(racy, 2 * X, accept=known).ok


@needs_kernels
def test_a_refuted_kernel_with_a_broken_condition_may_have_other_findings():
    """Core 1 copies to o only if it reads the count late; accepting the race on the scratch memory must not accept this one."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)

    def kernel(x_ref, o_ref, scratch, buf, sem):
        core = lax.axis_index("core")
        buf[...] = jnp.ones((8, 128), jnp.float32)

        @pl.when(core == 0)
        def _():
            pl.semaphore_signal(sem, 1, core_index=1)
            pltpu.sync_copy(buf, scratch)
            pltpu.sync_copy(buf, o_ref)

        @pl.when(core == 1)
        def _():
            count = pl.semaphore_read(sem)
            pltpu.sync_copy(buf, scratch)

            @pl.when(count > 0)
            def _():
                pltpu.sync_copy(buf, o_ref)

            pl.semaphore_wait(sem, 1)

    def f(x):
        return pl.kernel(
            kernel,
            out_type=f32(8, 128),
            mesh=mesh,
            scratch_types=[pltpu.HBM((8, 128), jnp.float32), pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.REGULAR],
        )(x)

    verdict = tessera.pallas.verify(f, X)
    assert verdict.status == "refuted" and verdict.sites[0].conditions and not verdict.sites[0].complete, verdict
    accepted = [Accepted(*one, "known") for one in {(finding.kind, finding.place) for finding in verdict.findings}]
    assert not tessera.pallas.verify(f, X, accept=accepted).ok


def test_a_kernel_after_an_accepted_finding_runs_on_its_own_inputs():
    """`interpret()` continues with JAX's results: the second kernel leaks because the first one computed 1."""

    def first(x):
        def kernel(x_ref, o_ref, buf, sem):
            copy = pltpu.make_async_copy(x_ref, buf, sem)
            copy.start()
            o_ref[...] = (buf[...] == buf[...]).astype(jnp.int32)
            copy.wait()

        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32),
            in_specs=[ANY],
            scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        )(x)

    def second(n, x):
        def kernel(n_ref, x_ref, o_ref, sem):
            o_ref[...] = x_ref[...]

            @pl.when(n_ref[0] == 1)
            def _():
                pl.semaphore_signal(sem, 1)

        return pl.pallas_call(kernel, out_shape=f32(8, 128), in_specs=[SMEM, pl.BlockSpec()], scratch_shapes=[pltpu.SemaphoreType.REGULAR])(n, x)

    def f(x):
        return second(first(x)[0, :1] * 0 + 1, x)

    (race,) = tessera.pallas.verify(first, X).findings
    with pytest.raises(tessera.pallas.FindingError), tessera.pallas.interpret(accept=[Accepted(race.kind, race.place, "known")]) as session:
        jax.block_until_ready(f(X))
    assert not session.verdict.ok
    assert [one.kind for one in session.verdict.findings if one.kind == "semaphore_leak"], session.verdict
