"""The operations as functions, against NumPy."""

from __future__ import annotations

import inspect
import time

import ml_dtypes
import numpy as np
import pytest

import tessera


def normal(generator, *shape):
    return generator.normal(size=shape).astype(np.float32)


def grouped(lhs, rhs, sizes):
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    return np.concatenate([lhs[a:b] @ w for a, b, w in zip(bounds[:-1], bounds[1:], rhs, strict=True)])


def test_gmm(generator):
    lhs, rhs, sizes = normal(generator, 30, 16), normal(generator, 3, 16, 8), np.array([10, 0, 20], np.int32)
    out = tessera.gmm(lhs, rhs, sizes)
    np.testing.assert_allclose(out, grouped(lhs, rhs, sizes), atol=1e-5)
    np.testing.assert_allclose(tessera.gmm(lhs, rhs.swapaxes(1, 2), [10, 0, 20], transpose_rhs=True), out, atol=1e-5)
    np.testing.assert_allclose(tessera.gmm(lhs, rhs, sizes, existing=np.ones((30, 8), np.float32)), out + 1, atol=1e-5)
    report = tessera.gmm.run(lhs, rhs, sizes, check="full", tiling=(8, 16, 8))
    assert report.object["max_error_over_bound"] < 1 and report.results["out"][0].shape == (30, 8)
    assert tessera.gmm.verify(lhs, rhs, sizes).proved


def test_threads_give_the_bits_of_the_interpreter(generator):
    lhs, rhs = normal(generator, 30, 16), normal(generator, 3, 16, 8)
    same = {"tiling": (8, 16, 8), "math": "exact"}
    out = tessera.gmm(lhs, rhs, [10, 0, 20], device="threads", threads=2, **same)
    np.testing.assert_array_equal(out, tessera.gmm(lhs, rhs, [10, 0, 20], device="interpreter", **same))


def test_tgmm_and_ragged_dot(generator):
    lhs, rhs, sizes = normal(generator, 12, 30), normal(generator, 30, 8), np.array([10, 20])
    out = tessera.tgmm(lhs, rhs, sizes)
    np.testing.assert_allclose(out, np.stack([lhs[:, :10] @ rhs[:10], lhs[:, 10:] @ rhs[10:]]), atol=1e-4)
    x, w = normal(generator, 30, 16), normal(generator, 2, 16, 8)
    np.testing.assert_allclose(tessera.ragged_dot(x, w, [10, 20]), grouped(x, w, [10, 20]), atol=1e-4)


def test_grouped_gemm(generator):
    lhs, rhs, bias = normal(generator, 30, 16), normal(generator, 2, 16, 8), normal(generator, 2, 8)
    out = tessera.grouped_gemm(lhs, rhs.swapaxes(1, 2), [10, 20], bias=bias, alpha=0.5)
    expected = 0.5 * grouped(lhs, rhs, [10, 20]) + np.repeat(bias, [10, 20], 0)
    np.testing.assert_allclose(out, expected, atol=1e-4)


def test_collectives(generator):
    lhs = [normal(generator, 8, 128) for _ in range(4)]
    for out in tessera.all_reduce(lhs):
        np.testing.assert_allclose(out, sum(lhs), atol=1e-5)
    for out in tessera.all_gather(np.stack(lhs), schedule="random:2"):
        np.testing.assert_array_equal(out, np.concatenate(lhs))
    np.testing.assert_array_equal(tessera.right_permute(lhs)[1], lhs[0])
    blocks = tessera.reduce_scatter(lhs)
    np.testing.assert_allclose(np.concatenate(blocks), sum(lhs), atol=1e-5)


def test_collective_products(generator):
    k, rows, n = 64, 16, 16
    lhs = [normal(generator, rows, k // 4).astype(ml_dtypes.bfloat16) for _ in range(4)]
    rhs = [normal(generator, k, n).astype(ml_dtypes.bfloat16) for _ in range(4)]
    for out, w in zip(tessera.ag_matmul(lhs, rhs, tiling=(16, 16, 16)), rhs, strict=True):
        np.testing.assert_allclose(out, np.concatenate(lhs, 1).astype(np.float32) @ w.astype(np.float32), atol=1e-4)


def test_results_are_those_of_the_command_for_jax_arrays(generator):
    jnp = pytest.importorskip("jax.numpy")
    out = tessera.gmm(jnp.ones((4, 8)), jnp.ones((2, 8, 4)), jnp.array([1, 3]))
    assert isinstance(out, jnp.ndarray) and (out == 8).all()


def test_help_says_shapes_and_errors():
    for name in tessera.operations.__all__:
        text = inspect.getdoc(getattr(tessera, name))
        assert ("[" in text and "eturns" in text) or name == "ragged_dot", name
        assert getattr(tessera, name).options()


def test_a_wrong_operand_is_told():
    with pytest.raises(tessera.BadInput, match="k"):
        tessera.gmm(np.ones((4, 8), np.float32), np.ones((2, 9, 4), np.float32), [1, 3])
    with pytest.raises(tessera.BadInput, match=r"no argument tilin; did you mean 'tiling'\?"):
        tessera.gmm(None, None, [1, 3], k=8, n=4, tilin=(8, 8, 8))


def test_a_call_that_comes_again_is_ready(generator):
    """Its kernel is not made anew: against calls of other shapes, so that other work of the machine does not count."""

    def seconds(rows):
        lhs, rhs, sizes = normal(generator, rows, 8), normal(generator, 2, 8, 8), np.array([4, rows - 4], np.int32)
        begin = time.process_time()
        tessera.gmm(lhs, rhs, sizes, no_verify=True)
        return time.process_time() - begin

    new = min(seconds(rows) for rows in range(10, 40))
    assert min(seconds(9) for _ in range(60)) < 0.8 * new


def test_help_has_shapes_and_errors():
    assert "lhs [m, k], rhs [groups, k, n]" in tessera.gmm.__doc__ and "Raises FindingError" in tessera.gmm.__doc__
