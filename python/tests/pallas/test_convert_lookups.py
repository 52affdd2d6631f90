"""Elements by index, first places of extremes, running sums and bits mean what JAX means by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl

from converted import check, normal, shaped

X = np.round(normal(8, 128) * 8) / 8
INTS = (np.arange(1024).reshape(8, 128) * 37 % 128).astype(np.int32)
HOLES = np.where(INTS % 11 == 0, np.nan, X).astype(np.float32)


LOOKUPS = {
    "lanes": lambda x, i: jnp.take_along_axis(x, i, 1),
    "neighbours": lambda x, i: jnp.take_along_axis(x, lax.broadcasted_iota(jnp.int32, x.shape, 1) ^ 1, 1),
    "rows": lambda x, i: jnp.take(x, i[0, :16] % 8, axis=0),
    "columns": lambda x, i: jnp.take(x, i[1, :16], axis=1),
    "outside": lambda x, i: x[i[0, :16] - 4],
    "clipped": lambda x, i: jnp.take(x, i[2, :16], axis=0, mode="clip"),
    "filled": lambda x, i: jnp.where(jnp.isnan(jnp.take(x, i[2, :16], axis=0, mode="fill")), 7.0, 1.0),
    "of integers": lambda x, i: jnp.take(i, i[3, :4] % 16, axis=0, mode="fill"),
    "between": lambda x, i: jnp.take(x.reshape(2, 4, 128), i[0, :6] % 4, axis=1),
    "along both": lambda x, i: x[i[0, :16] % 8, i[1, :16]],
    "along both, of many": lambda x, i: x[i % 8, i],
    "outside both": lambda x, i: x.at[i[0, :16] - 4, i[1, :16] + 4].get(mode="fill", fill_value=7.0),
    "clipped along both": lambda x, i: x.at[i[0, :16] - 4, i[1, :16] + 4].get(mode="clip"),
    "along the outer ones": lambda x, i: x.reshape(2, 4, 128)[i[0, :6] % 2, i[1, :6] % 4],
    "along the inner ones": lambda x, i: x.reshape(4, 2, 128)[:, i[0, :6] % 2, i[1, :6]],
    "along the first and the last": lambda x, i: x.reshape(4, 2, 128)[i[0, :6] % 4, :, i[1, :6]],
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_elements_by_index(name):
    def kernel(x_ref, i_ref, o_ref):
        o_ref[...] = LOOKUPS[name](x_ref[...], i_ref[...])

    check(kernel, jax.eval_shape(LOOKUPS[name], X, INTS), X, INTS)


EXTREMES = {
    "largest": lambda x: jnp.argmax(x, 1, keepdims=True),
    "least": lambda x: jnp.argmin(x, 0, keepdims=True),
    "of three": lambda x: jnp.argmax(x.reshape(2, 4, 128), 1),
    "any": lambda x: jnp.any(x > 3, 1, keepdims=True).astype(jnp.int32),
    "all": lambda x: jnp.all(x < 2.5, 0, keepdims=True).astype(jnp.int32),
    "any of all": lambda x: jnp.where(jnp.any(x > 3), x, 0.0),
    "running": lambda x: jnp.cumsum(x, 1),
    "down": lambda x: jnp.cumsum(
        x,
        0,
    ),
    "back": lambda x: lax.cumsum(x, 0, reverse=True),
    "running largest": lambda x: lax.cummax(x, 1),
    "nan": lambda x: jnp.where(jnp.isnan(jnp.where(x > 0, jnp.nan, x)), 1.0, x),
}


@pytest.mark.parametrize(("name", "x"), [*((name, X) for name in EXTREMES), ("largest", HOLES), ("least", HOLES), ("nan", HOLES)])
def test_places_of_extremes(name, x):
    def kernel(x_ref, o_ref):
        o_ref[...] = EXTREMES[name](x_ref[...])

    check(kernel, jax.eval_shape(EXTREMES[name], x), x)


def test_a_condition_of_all_elements_decides():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.when(jnp.any(x_ref[...] > 3))
        def _():
            o_ref[...] = x_ref[...] * 2

    check(kernel, shaped((8, 128)), X)
    check(kernel, shaped((8, 128)), X / 8)


@pytest.mark.parametrize("dtype", [np.int32, np.int16])
def test_a_logical_shift_of_what_has_a_sign(dtype):
    def kernel(i_ref, o_ref):
        o_ref[...] = lax.shift_right_logical(i_ref[...] - dtype(60), jnp.full(i_ref.shape, 3, dtype))

    check(kernel, shaped((8, 128), dtype), INTS.astype(dtype))


def test_an_approximate_reciprocal_is_that_of_jax():
    def kernel(x_ref, o_ref):
        o_ref[...] = pl.reciprocal(x_ref[...] * x_ref[...] + 1, approx=True)

    check(kernel, shaped((8, 128)), X, tolerance=1e-2)
