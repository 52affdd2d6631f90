"""What a verdict tells of a kernel that is right in every schedule and computes something else than was meant."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import config
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
        lambda *refs: product_kernel(*refs, cleared_along=cleared_along),
        out_shape=f32(64, 256),
        grid=(2, 2, 2),
        in_specs=[pl.BlockSpec((32, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((32, 128), lambda i, j, k: (i, j)),
        scratch_shapes=[pltpu.VMEM((32, 128), jnp.float32)],
    )(x, y)


X = np.random.default_rng(0).standard_normal((64, 256), np.float32)
Y = np.random.default_rng(1).standard_normal((256, 256), np.float32)


def test_sums_that_are_cleared_along_the_wrong_dimension_are_stored_for_nothing():
    verdict, kept = (tessera.pallas.verify(lambda x, y: product(x, y, 1), X, Y) for _ in range(2))
    place = line_of(product_kernel, "# adds to").replace("test_reports.", "test_reports_of_values.")
    assert verdict.proved and verdict.compared  # the conversion is right, the kernel is not what was meant
    assert f"{place}: note: nothing reads the data that is stored here to sums[0 .. 32, 0 .. 128] before it is overwritten (2 of 8 times)" in str(
        verdict
    ), verdict
    assert kept.sites[0].from_cache and str(kept) == str(verdict)
    assert tessera.pallas.verify(lambda x, y: product(x, y, 2), X, Y).sites[0].numbers.unused == ()


def test_a_run_takes_them_for_findings_where_that_is_asked():
    with pytest.raises(tessera.pallas.FindingError, match="dead_store: nothing reads the data that is stored here to sums"):
        tessera.pallas.run(lambda x, y: product(x, y, 1), X, Y, strict_values=True)
    np.testing.assert_allclose(tessera.pallas.run(lambda x, y: product(x, y, 2), X, Y, strict_values=True), X @ Y, 1e-3, 1e-3)


def test_the_reason_for_an_undefined_block():
    """The block is opened again, read before it is stored, or stored in part."""

    def sums(axis):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(axis) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)

            o_ref[...] += x_ref[...]

        return kernel

    def halves(x_ref, o_ref):
        o_ref[0:4] = x_ref[0:4]

    x = np.ones((3, 16, 256), np.float32)
    again = pl.pallas_call(
        sums(0),
        out_shape=f32(16, 256),
        grid=(3, 2, 2),
        in_specs=[pl.BlockSpec((None, 8, 128), lambda g, i, j: (g, i, j))],
        out_specs=pl.BlockSpec((8, 128), lambda g, i, j: (i, j)),
    )
    first = pl.pallas_call(
        sums(0),
        out_shape=f32(16, 256),
        grid=(2, 2, 3),
        in_specs=[pl.BlockSpec((None, 8, 128), lambda i, j, g: (g, i, j))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j, g: (i, j)),
    )
    part = pl.pallas_call(
        halves,
        out_shape=f32(16, 128),
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    )
    for fn, argument, reason in (
        (
            again,
            x,
            "the block (0, 0) is left after program_id(0)=0 program_id(1)=0 program_id(2)=0 and opened again at "
            "program_id(0)=1 program_id(1)=0 program_id(2)=0, and nothing fetches its contents",
        ),
        (first, x, "the body reads the block before it stores it"),
        (part, x[0, :, :128], "the body does not store all of the block"),
    ):
        (finding,) = tessera.pallas.verify(fn, argument).findings
        assert f"undefined since here: {reason}" in [note.message for note in finding.notes], finding


def test_an_undefined_block_of_a_grid_whose_size_the_run_has():
    def fn(x, n):
        def kernel(x_ref, o_ref):
            o_ref[0:4] = x_ref[0:4]

        rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return pl.pallas_call(kernel, out_shape=f32(16, 128), grid=(n,), in_specs=[rows], out_specs=rows)(x)

    (finding,) = tessera.pallas.verify(fn, np.ones((16, 128), np.float32), np.int32(2)).findings
    assert "undefined since here" in [note.message for note in finding.notes], finding


def test_an_undefined_block_with_the_checks_of_jax():
    def kernel(n_ref, x_ref, o_ref):
        o_ref[0:4] = x_ref[0:4]

    rows = pl.BlockSpec((8, 128), lambda i, n_ref: (i, 0))
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(2,), in_specs=[rows], out_specs=rows)
    fn = pl.pallas_call(kernel, out_shape=f32(16, 128), grid_spec=spec)
    with config.enable_checks(True):
        (finding,) = tessera.pallas.verify(fn, np.zeros(1, np.int32), np.ones((16, 128), np.float32)).findings
    assert any("the body does not store all of the block" in note.message for note in finding.notes), finding
