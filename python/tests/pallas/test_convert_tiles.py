"""Arithmetic and shapes of tiles mean what JAX means by them."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from converted import check, normal, shaped

# Eighths: sums and products of a few are exact, however XLA fuses them.
X, Y, ROW, COLUMN = (np.round(8 * normal(*shape, seed=seed)) / 8 for seed, shape in enumerate([(8, 128), (8, 128), (128,), (8, 1)]))
INTS, J = (np.arange(1024, dtype=np.int32).reshape(8, 128) % n + 1 for n in (17, 5))

FLOATS = {
    "add": (lambda x, y: x + y, 0),
    "sub": (lambda x, y: x - y, 0),
    "mul": (lambda x, y: x * y, 0),
    "div": (lambda x, y: x / (y * y + 1), 1e-6),
    "max": (jnp.maximum, 0),
    "min": (jnp.minimum, 0),
    "neg": (lambda x, y: -x - -y, 0),
    "abs": (lambda x, y: jnp.abs(x) + y, 0),
    "exp": (lambda x, y: jnp.exp(x) + y, 1e-6),
    "tanh": (lambda x, y: jnp.tanh(x * y), 1e-6),
    "rsqrt": (lambda x, y: jax.lax.rsqrt(x * x + 1.0) * y, 1e-6),
    "log": (lambda x, y: jnp.log(x * x + 1.0) - y, 1e-6),
    "logistic": (lambda x, y: jax.nn.sigmoid(x) * y, 1e-6),
    "silu": (lambda x, y: jax.nn.silu(x) + y, 1e-6),
    "square": (lambda x, y: x**2 + jnp.square(y), 0),
    "cube": (lambda x, y: x**3 + y, 1e-6),
    "where": (lambda x, y: jnp.where(x < y, x, 2 * y), 0),
    "masks": (lambda x, y: jnp.where((x < y) & (x > 0) | ~(y < 0.5), x, y), 0),
    "xor": (lambda x, y: jnp.where((x < y) ^ (x > 0), x, y), 0),
    "clip": (lambda x, y: jnp.clip(x, -0.5, 0.5) + y, 0),
    "constants": (lambda x, y: x * 0.1 - 3 + y / 7.0, 1e-6),
    "sign": (lambda x, y: jnp.sign(x) * y, 0),
    "integers": (lambda x, y: (x < y).astype(jnp.float32) * x, 0),
    "infinity": (lambda x, y: jnp.where(x < 0, -jnp.inf, y), 0),
    "nested": (lambda x, y: x - (y - (x - y)) / (x * (y / (x * x + 2.0))), 1e-5),
    "used twice": (lambda x, y: (lambda t: t * t + t)(x + y), 0),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name):
    fn, tolerance = FLOATS[name]

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = fn(x_ref[...], y_ref[...])

    check(kernel, shaped((8, 128)), X, Y, tolerance=tolerance)


SHAPES = {
    "row": lambda x, r, c: x + r,
    "column": lambda x, r, c: x * c,
    "row and column": lambda x, r, c: r[None, :] * c + x,
    "row_max": lambda x, r, c: x - jnp.max(x, axis=1, keepdims=True),
    "col_max": lambda x, r, c: x - jnp.max(x, axis=0),
    "row max as a vector": lambda x, r, c: x - jnp.max(x, axis=1)[:, None],
    "all": lambda x, r, c: x - jnp.max(x),
    "transpose": lambda x, r, c: (x.T + r[:, None]).T,
    "slice": lambda x, r, c: jnp.concatenate([x[4:], x[:4]], 0),
    "columns": lambda x, r, c: jnp.concatenate([x[:, 64:], x[:, :64] * c], 1),
    "iota": lambda x, r, c: jnp.where(
        jax.lax.broadcasted_iota(jnp.int32, (8, 128), 1) < jax.lax.broadcasted_iota(jnp.int32, (8, 128), 0) * 16, x, 0.0
    ),
    "reshape": lambda x, r, c: (x.reshape(8, 1, 128) + r).reshape(8, 128),
    "three": lambda x, r, c: (x.reshape(2, 4, 128) * 2).reshape(8, 128),
    "broadcast": lambda x, r, c: jnp.broadcast_to(c, (8, 128)) + x,
    "stack": lambda x, r, c: jnp.stack([x[0], x[3], r] + [x[i] for i in range(5)]),
    "split": lambda x, r, c: jnp.concatenate(jnp.split(x, 2, axis=0)[::-1], 0),
    "pad": lambda x, r, c: jnp.pad(x[:6], ((1, 1), (0, 0)), constant_values=2.0),
    "tile": lambda x, r, c: jnp.tile(x[:, :32], (1, 4)),
    "vector": lambda x, r, c: x + (r * 2 - jnp.max(r)),
    "dynamic": lambda x, r, c: jax.lax.dynamic_slice(jnp.concatenate([x, x], 0), (jnp.int32(3), 0), (8, 128)),
    "update": lambda x, r, c: jax.lax.dynamic_update_slice(x, x[:2] * 3, (5, 0)),
    "repeat": lambda x, r, c: jnp.repeat(c, 128, 1) - x,
    "squeeze": lambda x, r, c: x + jnp.squeeze(c, 1)[:, None] * r,
    "reshaped and repeated": lambda x, r, c: jnp.broadcast_to(x[:, :32].reshape(1, 8, 1, 32), (1, 8, 4, 32)).reshape(8, 128),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    def kernel(x_ref, r_ref, c_ref, o_ref):
        o_ref[...] = SHAPES[name](x_ref[...], r_ref[...], c_ref[...])

    check(kernel, shaped((8, 128)), X, ROW, COLUMN)


INTEGERS = {
    "sum": lambda i, j: i + j * 3 - 2,
    "floor": lambda i, j: (i - 9) // j,
    "rest": lambda i, j: (i - 9) % 4,
    "compare": lambda i, j: jnp.where(i >= j, i, -j),
    "product": lambda i, j: i * j,
    "of bools": lambda i, j: (i < j).astype(jnp.int32) + (i == j),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    def kernel(i_ref, j_ref, o_ref):
        o_ref[...] = INTEGERS[name](i_ref[...], j_ref[...])

    check(kernel, shaped((8, 128), np.int32), INTS, J)


@pytest.mark.parametrize("name", ["add", "mul", "where", "used twice", "max", "neg"])
def test_a_narrow_type_rounds_each_result(name):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = FLOATS[name][0](FLOATS[name][0](x_ref[...], y_ref[...]), y_ref[...])

    check(kernel, shaped((8, 128), ml_dtypes.bfloat16), X.astype(ml_dtypes.bfloat16), Y.astype(ml_dtypes.bfloat16))


PRODUCTS = {
    "plain": (lambda a, b: a @ b, (16, 32), (32, 24)),
    "rhs": (lambda a, b: a @ b.T, (16, 32), (24, 32)),
    "lhs": (lambda a, b: a.T @ b, (32, 16), (32, 24)),
    "both": (lambda a, b: a.T @ b.T, (32, 16), (24, 32)),
    "of sums": (lambda a, b: (a + 1) @ (b * 2) - 3, (16, 32), (32, 24)),
    "vector": (lambda a, b: (a[0] @ b)[None] + a[:, :1] * 0, (16, 32), (32, 24)),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_products(name, dtype):
    fn, a, b = PRODUCTS[name]

    def kernel(a_ref, b_ref, o_ref):
        o_ref[...] = fn(a_ref[...], b_ref[...]).astype(jnp.float32)

    check(kernel, shaped((16, 24)), normal(*a, dtype=dtype), normal(*b, seed=1, dtype=dtype), tolerance=1e-2 if dtype != np.float32 else 2e-5)


def test_a_product_that_accumulates_is_found_again():
    def kernel(a_ref, b_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += a_ref[...] @ b_ref[...]

    made = check(kernel, shaped((16, 24)), normal(16, 32), normal(32, 24, seed=1), tolerance=2e-5)
    assert "o_ref += a_ref . b_ref" in made.text


def test_a_reduction_counts_what_is_repeated():
    def kernel(x_ref, o_ref):
        most = jnp.max(x_ref[...], axis=1)
        o_ref[...] = x_ref[...] + jnp.sum(jnp.broadcast_to(jnp.max(most), (8,))) + jnp.sum(jnp.broadcast_to(most[:, None], (8, 128)), axis=1)[:, None]

    check(kernel, shaped((8, 128)), X)


def test_a_sum_that_begins_with_a_reshape_is_repeated():
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.broadcast_to(x_ref[0:1, :].reshape(4, 32).reshape(1, 128) + y_ref[0:1, :], (8, 128))

    check(kernel, shaped((8, 128)), X, Y)


def test_a_negated_literal_is_rounded_as_a_literal():
    def kernel(x_ref, o_ref):
        least = -jax.lax.convert_element_type(jnp.float32(0.1), jnp.bfloat16)
        o_ref[...] = x_ref[...].astype(jnp.bfloat16) + least

    check(kernel, shaped((8, 128), ml_dtypes.bfloat16), X)
