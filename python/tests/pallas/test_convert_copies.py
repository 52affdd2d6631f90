"""Copies, semaphores and devices mean what JAX means by them."""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

from converted import ANY, SMEM, call_of, check, converted, normal, shaped
from tessera import _engine
from tessera.pallas.convert import Refused, convert

X = normal(16, 128)
DMA = pltpu.SemaphoreType.DMA
INTERPRET = pltpu.InterpretParams()
copies_of_operands = pytest.mark.skipif(jax.__version_info__ < (0, 10), reason="JAX's interpreter copies no operands in vmem before 0.10")


def test_local_copies():
    def kernel(x_ref, o_ref, t_ref, sems):
        first = pltpu.make_async_copy(x_ref.at[0:8], t_ref.at[0], sems.at[0])
        second = pltpu.make_async_copy(x_ref.at[pl.ds(8, 8)], t_ref.at[1], sems.at[1])
        first.start()
        second.start()
        first.wait()
        second.wait()
        t_ref[...] = t_ref[...] * 2
        pltpu.sync_copy(t_ref.at[1], o_ref.at[0:8])
        pltpu.sync_copy(t_ref.at[0], o_ref.at[8:16])

    made = check(
        kernel,
        shaped((16, 128)),
        X,
        in_specs=[ANY],
        out_specs=ANY,
        interpret=INTERPRET,
        scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), DMA((2,))],
    )
    assert "start x_ref[0 +: 8, :] -> t_ref[0, :, :], sems[0]" in made.text
    assert "wait sems[1] for t_ref[1, :, :]" in made.text


@copies_of_operands
def test_a_copy_reads_an_input_that_is_one_block():
    def kernel(x_ref, y_ref, o_ref, t_ref, sem):
        copy = pltpu.make_async_copy(x_ref.at[0:8], t_ref, sem)
        copy.start()
        copy.wait()
        o_ref[...] = t_ref[...] + y_ref[...]

    check(
        kernel,
        shaped((16, 128)),
        X,
        X,
        grid=(2,),
        interpret=INTERPRET,
        in_specs=[pl.BlockSpec((16, 128), lambda i: (0, 0)), pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), DMA],
    )


def test_a_value_read_before_a_wait_is_kept():
    def kernel(x_ref, o_ref, t_ref, sem):
        t_ref[...] = jnp.ones_like(t_ref)
        before = t_ref[...]
        copy = pltpu.make_async_copy(x_ref, t_ref, sem)
        copy.start()
        copy.wait()
        o_ref[...] = before + t_ref[...]

    check(kernel, shaped((16, 128)), X, in_specs=[ANY], interpret=INTERPRET, scratch_shapes=[pltpu.VMEM((16, 128), jnp.float32), DMA])


@copies_of_operands
def test_sizes_that_are_data():
    def kernel(n_ref, x_ref, o_ref, sem):
        o_ref[...] = jnp.zeros_like(o_ref)
        rows = n_ref[0]
        copy = pltpu.make_async_copy(x_ref.at[pl.ds(n_ref[1], rows)], o_ref.at[pl.ds(0, rows)], sem)
        copy.start()
        copy.wait()

    check(kernel, shaped((16, 128)), np.array([5, 3], np.int32), X, in_specs=[SMEM, ANY], interpret=INTERPRET, scratch_shapes=[DMA])


def test_semaphores_that_count():
    def kernel(x_ref, o_ref, s):
        pl.semaphore_signal(s.at[1], 2)
        pl.semaphore_wait(s.at[1], 2)
        o_ref[...] = x_ref[...]

    made = check(kernel, shaped((16, 128)), X, interpret=INTERPRET, scratch_shapes=[pltpu.SemaphoreType.REGULAR((2,))])
    assert "sem s[2]: count" in made.text and "signal s[1], 2" in made.text and "wait s[1], 2" in made.text


def meshed(kernel, shape, axes, **how):
    """The call inside a mesh of these axes, and the mesh."""
    size = int(np.prod(shape))
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:size]).reshape(shape), axes)
    call = pl.pallas_call(kernel, out_shape=shaped((8, 128)), in_specs=[ANY], out_specs=ANY, scratch_shapes=[DMA, DMA], **how)
    fn = jax.shard_map(call, mesh=mesh, in_specs=P(axes, None), out_specs=P(axes, None), check_vma=False)
    return call_of(fn, shaped((8 * size, 128))), mesh


IDS = {
    "mesh": (lambda x, y: (x, lax.rem(y + 1, 2)), pl.DeviceIdType.MESH, lambda x, y: (x, (y + 1) % 2)),
    "logical": (lambda x, y: lax.rem(x * 2 + y + 3, 8), pl.DeviceIdType.LOGICAL, lambda x, y: divmod((x * 2 + y + 3) % 8, 2)),
    "of one axis": (lambda x, y: {"x": lax.rem(x + 1, 4)}, pl.DeviceIdType.MESH, lambda x, y: ((x + 1) % 4, y)),
    "of the other": (lambda x, y: {"y": 1 - y}, pl.DeviceIdType.MESH, lambda x, y: (x, 1 - y)),
    "of both": (
        lambda x, y: {("x", "y"): lax.rem(lax.axis_index(("x", "y")) + 5, 8)},
        pl.DeviceIdType.MESH,
        lambda x, y: divmod((x * 2 + y + 5) % 8, 2),
    ),
}


@pytest.mark.parametrize("name", IDS)
def test_device_ids(name):
    to, kind, expected = IDS[name]

    def kernel(x_ref, o_ref, sent, arrived):
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=to(lax.axis_index("x"), lax.axis_index("y")), device_id_type=kind)
        copy.start()
        copy.wait()

    eqn, mesh = meshed(kernel, (4, 2), ("x", "y"))
    made = convert(eqn, mesh=mesh)
    assert made.devices == 8
    given = [normal(8, 128, seed=d) for d in range(8)]
    report = _engine.run(
        made.text, {made.operands[0].name: given}, {made.results[0].name: np.dtype(np.float32)}, devices=8, options=["--profile", "v6e"]
    )
    assert report.exit_code == 0, report.text + made.text
    for device in range(8):
        x, y = expected(*divmod(device, 2))
        np.testing.assert_array_equal(report.results[made.results[0].name][x * 2 + y], given[device])


def test_a_barrier_has_the_collective_id():
    def kernel(x_ref, o_ref, sent, arrived):
        barrier = pltpu.get_barrier_semaphore()
        for by in (1, 3):
            pl.semaphore_signal(barrier, 1, device_id=(lax.rem(lax.axis_index("x") + by, 4),))
        pl.semaphore_wait(barrier, 2)
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=(lax.rem(lax.axis_index("x") + 1, 4),))
        copy.start()
        copy.wait()

    eqn, mesh = meshed(kernel, (4,), ("x",), compiler_params=pltpu.CompilerParams(collective_id=3))
    text = convert(eqn, mesh=mesh).text
    assert "sem barrier_sem: barrier(3)" in text and "signal barrier_sem on (device + 3) mod 4, 1" in text
    eqn, mesh = meshed(kernel, (4,), ("x",))
    with pytest.raises(Refused, match="a barrier semaphore of a kernel without a collective_id"):
        convert(eqn, mesh=mesh)


def test_an_axis_that_no_mesh_has():
    def kernel(x_ref, o_ref, sent, arrived):
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=(lax.axis_index("x"),))
        copy.start()
        copy.wait()

    eqn, _ = meshed(kernel, (4,), ("x",))
    with pytest.raises(Refused, match="the mesh has no axis 'x'"):
        convert(eqn)


def test_scratch_semaphores_of_a_scope_live_as_long_as_the_kernel():
    def kernel(x_ref, o_ref):
        def scope(sem, t_ref):
            pltpu.async_copy(x_ref, t_ref, sem).wait()
            o_ref[...] = t_ref[...] + 1

        pl.run_scoped(scope, DMA, pltpu.VMEM((16, 128), jnp.float32))

    made = check(kernel, shaped((16, 128)), X, in_specs=[ANY], interpret=INTERPRET)
    assert "  sem sem_: bytes" in made.text and "alloc t_ref" in made.text


def test_memory_in_hbm_is_not_read_by_arithmetic():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    with pytest.raises(Refused, match="x_ref is in hbm, which arithmetic does not reach"):
        converted(pl.pallas_call(kernel, out_shape=shaped((16, 128)), in_specs=[ANY]), X)


@copies_of_operands
def test_blocks_of_a_result_to_which_only_copies_write():
    def kernel(x_ref, o_ref, sem):
        pltpu.async_copy(x_ref, o_ref, sem).wait()

    check(
        kernel,
        shaped((16, 128)),
        X,
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (1 - i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        interpret=INTERPRET,
        scratch_shapes=[DMA],
    )


def test_a_float_of_smem_does_not_move_past_a_store():
    def kernel(w_ref, o_ref, s_ref):
        s_ref[0] = w_ref[0]
        kept = s_ref[0]
        s_ref[0] = w_ref[1]
        o_ref[...] = jnp.zeros_like(o_ref) + kept * 4 + s_ref[0]

    check(kernel, shaped((8, 128)), np.array([0.5, 3], np.float32), in_specs=[SMEM], scratch_shapes=[pltpu.SMEM((1,), jnp.float32)])


def test_a_signal_names_a_core():
    """Of which a device has one."""

    def signals(core):
        def kernel(o_ref, sem):
            pl.semaphore_signal(sem, 1, core_index=core)
            pl.semaphore_wait(sem, 1)
            o_ref[...] = jnp.ones_like(o_ref)

        return dict(kernel=kernel, out=shaped((8, 128)), interpret=INTERPRET, scratch_shapes=[pltpu.SemaphoreType.REGULAR])

    check(**signals(0))
    for core, how in ((1, {}), (0, {"parallel": True})):
        with pytest.raises(Refused, match="a signal to another core: a kernel is taken to run on one of each device, core 0"):
            given = signals(core)
            converted(pl.pallas_call(given["kernel"], out_shape=given["out"], scratch_shapes=given["scratch_shapes"]), **how)
