"""Programs as they stand under `tessera.pallas.interpret`."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import config

import tessera.pallas
from corpus import collectives, grids
from tessera.pallas import intercept
from tessera.pallas.trace import on_chip
from test_verify import changed
from test_walk import X as ROWS
from test_walk import twice, with_gradient

pytest.importorskip("tessera.pallas.convert.program")
X = np.random.default_rng(0).standard_normal((32, 128), np.float32)


def test_every_call_goes_through_tessera_and_is_proved():
    permute = collectives.right_permute(4)
    with tessera.pallas.interpret() as session:
        y = np.asarray(jax.jit(lambda x: permute(permute(x)) + 1)(X))
    np.testing.assert_array_equal(y, np.roll(X, 16, 0) + 1)
    assert session.verdict.proved, session.verdict
    assert session.verdict.sites[0].place.startswith("collectives.py:")


def test_inside_custom_vjp_and_eagerly():
    with tessera.pallas.interpret(numbers=False) as session:
        gradient = np.asarray(jax.jit(jax.grad(lambda x: with_gradient(x).sum()))(ROWS))
        plain = np.asarray(twice(jnp.asarray(ROWS)))
    np.testing.assert_array_equal(gradient, np.full_like(ROWS, 2))
    np.testing.assert_array_equal(plain, 2 * ROWS)
    assert session.verdict.proved


def test_what_is_found_is_raised_and_kept():
    with pytest.raises(tessera.pallas.FindingError, match="deadlock"), tessera.pallas.interpret() as session:
        assert np.isnan(np.asarray(changed("all_reduce", "without pl.semaphore_signal(free")(X))).all()
    assert session.verdict.status == "refuted"


def test_outside_of_it_jax_is_as_before():
    with tessera.pallas.interpret(prove=False) as session:
        np.asarray(grids.add(X, X))
    assert session.verdict.sites == ()
    with pytest.raises(ValueError, match="Only interpret mode"):
        grids.add(X, X)


@pytest.mark.skipif(not hasattr(config, "use_emit_pipeline_primitive"), reason="this JAX has no primitive for emit_pipeline")
def test_emit_pipeline_as_a_primitive():
    """A flag of JAX makes `emit_pipeline` a primitive, which JAX's interpreter does not have."""
    with config.use_emit_pipeline_primitive(True):
        verdict = tessera.pallas.verify(grids.add_pipelined, X, X)
        assert verdict.proved and verdict.compared, verdict
        np.testing.assert_array_equal(tessera.pallas.run(grids.add_pipelined, X, X), 2 * X)
        with on_chip("v5e"), tessera.pallas.interpret() as session:
            found = jax.jit(grids.add_pipelined)(X, X)
    np.testing.assert_array_equal(found, 2 * X)
    assert session.verdict.proved and session.verdict.compared, session.verdict


def test_devices_wait_while_a_kernel_is_analysed(monkeypatch):
    """`limit` is for JAX's interpreter and for devices that do not come, not for the analysis."""

    def slow(*given, **options):
        time.sleep(1.5)
        return simulated(*given, **options)

    simulated = intercept.simulated
    monkeypatch.setattr(intercept, "simulated", slow)
    permute = collectives.right_permute(4)
    with tessera.pallas.interpret(limit=0.5, numbers=False) as session:
        y = np.asarray(jax.jit(lambda x: permute(permute(x)))(X))
    np.testing.assert_array_equal(y, np.roll(X, 16, 0))
    assert session.verdict.proved, session.verdict


def test_a_kernel_whose_arrays_jax_parts_is_refused_by_its_line():
    mesh = jax.make_mesh((2, 2), ("x", "y"), devices=jax.devices()[:4], axis_types=(jax.sharding.AxisType.Auto,) * 2)
    spec = jax.sharding.PartitionSpec("x")
    fn = jax.jit(jax.shard_map(lambda x: grids.add(x, x), mesh=mesh, in_specs=spec, out_specs=spec, axis_names={"x"}, check_vma=False))
    with intercept.recorded() as session, pytest.raises(tessera.pallas.Refused, match=r"grids.py:\d+: .*partitioned manually"):
        fn(X)
    assert session.verdict.status == "refused"


def test_a_kernel_that_is_exported_for_a_tpu_is_left_to_jax():
    with tessera.pallas.interpret() as session:
        exported = jax.export.export(jax.jit(grids.add), platforms=["tpu"])(X, X)
    assert "tpu_custom_call" in exported.mlir_module()
    assert not session.verdict.sites and "not reached" in str(session.verdict)
