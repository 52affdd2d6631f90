"""What a verdict tells of a kernel that is right in every schedule and computes something else than was meant."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from corpus.ring import f32
from test_reports import line_of

pytest.importorskip("tessera.pallas.convert.program")


def product_kernel(x_ref, y_ref, o_ref, sums, *, cleared_along):
    @pl.when(pl.program_id(cleared_along) == 0)
    def _():
        sums[...] = jnp.zeros_like(sums)

    sums[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)  # adds to

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = sums[...]


def product(x, y, cleared_along):
    return pl.pallas_call(
        lambda *refs: product_kernel(*refs, cleared_along=cleared_along), out_shape=f32(64, 256), grid=(2, 2, 2),
        in_specs=[pl.BlockSpec((32, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((32, 128), lambda i, j, k: (i, j)), scratch_shapes=[pltpu.VMEM((32, 128), jnp.float32)])(x, y)


X = np.random.default_rng(0).standard_normal((64, 256), np.float32)
Y = np.random.default_rng(1).standard_normal((256, 256), np.float32)


def test_sums_that_are_cleared_along_the_wrong_dimension_are_stored_for_nothing():
    verdict, kept = (tessera.pallas.verify(lambda x, y: product(x, y, 1), X, Y) for _ in range(2))
    place = line_of(product_kernel, "# adds to").replace("test_reports.", "test_reports_of_values.")
    assert verdict.proved and verdict.compared      # the conversion is right, the kernel is not what was meant
    assert f"{place}: note: nothing reads what is stored here to sums[0:32, 0:128] before it is overwritten (2 of 8 times)" in str(verdict), verdict
    assert kept.sites[0].from_cache and str(kept) == str(verdict)
    assert tessera.pallas.verify(lambda x, y: product(x, y, 2), X, Y).sites[0].numbers.unused == ()


def test_a_run_takes_them_for_findings_where_that_is_asked():
    with pytest.raises(tessera.pallas.FindingError, match="dead_store: nothing reads what is stored here to sums"):
        tessera.pallas.run(lambda x, y: product(x, y, 1), X, Y, strict_values=True)
    np.testing.assert_allclose(tessera.pallas.run(lambda x, y: product(x, y, 2), X, Y, strict_values=True), X @ Y, 1e-3, 1e-3)
