"""Bits, cuts, reductions, products, views and loops mean what JAX means by them."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from converted import ANY, SMEM, VMEM, check, converted, normal, ran, shaped

INTS = (np.arange(1024, dtype=np.int64).reshape(8, 128) * 2654435761 % 2**32).astype(np.uint32).view(np.int32)
J = np.roll(INTS, 3, 1)
X, Y = np.round(normal(8, 128) * 8) / 8, np.round(normal(8, 128, seed=1) * 8) / 8
T = np.round(normal(4, 8, 128) * 8) / 8

BITS = {
    "and": lambda i, j: i & j,
    "or": lambda i, j: i | (j & 255),
    "xor": lambda i, j: i ^ j,
    "not": lambda i, j: ~i + (j & 1),
    "left": lambda i, j: i << 3,
    "right": lambda i, j: i >> 5,
    "by a tile": lambda i, j: i << (j & 7),
    "sum": lambda i, j: i + j,
    "product": lambda i, j: i * j,
    "quotient": lambda i, j: lax.div(i, (j & 15) + 1),
    "rest": lambda i, j: lax.rem(i, (j & 15) + 1),
    "floor": lambda i, j: i // 7,
    "modulo": lambda i, j: i % 7,
}


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_bits_of_tiles(name, dtype):
    def kernel(i_ref, j_ref, o_ref):
        o_ref[...] = BITS[name](i_ref[...], j_ref[...])

    check(kernel, shaped((8, 128), dtype), INTS.view(dtype), J.view(dtype))


@pytest.mark.parametrize("name", sorted(set(BITS) - {"by a tile", "product", "sum", "left"}))
def test_bits_of_scalars(name):
    def kernel(n_ref, o_ref):
        for at in range(3):
            o_ref[at] = BITS[name](n_ref[at], n_ref[at + 1])

    check(kernel, shaped((3,), np.int32), np.array([12, -7, 1 << 20, 5], np.int32), in_specs=[SMEM], out_specs=SMEM)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.uint8, np.int32, np.uint32])
def test_casts_cut_off(dtype):
    def kernel(x_ref, i_ref, a_ref, b_ref):
        a_ref[...] = (x_ref[...] * 20 + 60).astype(dtype)
        b_ref[...] = i_ref[...].astype(dtype)

    check(kernel, (shaped((8, 128), dtype), shaped((8, 128), dtype)), np.abs(X), INTS)


FUNCTIONS = {
    "sqrt": (lambda x: jnp.sqrt(x * x), 1e-6),
    "floor": (jnp.floor, 0),
    "ceil": (jnp.ceil, 0),
    "round": (jnp.round, 0),
    "sign": (jnp.sign, 0),
    "sin": (jnp.sin, 1e-6),
    "cos": (jnp.cos, 1e-6),
    "exp2": (jnp.exp2, 1e-6),
    "log1p": (lambda x: jnp.log1p(x * x), 1e-6),
    "expm1": (jnp.expm1, 1e-6),
    "logistic": (jax.nn.sigmoid, 1e-6),
    "gelu": (lambda x: jax.nn.gelu(x, approximate=True), 1e-5),
    "power": (lambda x: jnp.abs(x) ** 1.5, 1e-5),
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), 1e-6),
    "finite": (lambda x: jnp.isfinite(x / x).astype(jnp.float32), 0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    fn, tolerance = FUNCTIONS[name]

    def kernel(x_ref, o_ref):
        o_ref[...] = fn(x_ref[...])

    check(kernel, shaped((8, 128)), X, tolerance=tolerance)


SHAPES = {
    "first": lambda t: t.max(0),
    "middle": lambda t: t.max(1, keepdims=True)[:, 0, :][:, None] + t[:, :1],
    "last": lambda t: t.max(2)[:, :, None] - t,
    "least": lambda t: t.min(0),
    "two": lambda t: t.max((0, 1))[None],
    "sum": lambda t: t.sum(1),
    "vector": lambda t: t[0, 0].min() + t[0],
    "all": lambda t: t - t.min(),
    "merged": lambda t: t.reshape(32, 128) + 1,
    "split": lambda t: t.reshape(2, 2, 8, 128)[1],
    "regrouped": lambda t: t.reshape(8, 512),
    "permuted": lambda t: jnp.transpose(t, (1, 0, 2)),
    "swapped": lambda t: jnp.swapaxes(t, 1, 2),
    "rolled": lambda t: jnp.roll(t[0], 2, 0),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    def kernel(t_ref, o_ref):
        o_ref[...] = SHAPES[name](t_ref[...])

    check(kernel, jax.eval_shape(SHAPES[name], T), T)


def test_products_with_batches():
    def kernel(a_ref, b_ref, o_ref, p_ref):
        o_ref[...] = jnp.einsum("bij,bjk->bik", a_ref[...], b_ref[...])
        p_ref[...] = jnp.einsum("bij,bkj->bik", a_ref[...], a_ref[...])

    check(kernel, (shaped((4, 8, 16)), shaped((4, 8, 8))), T, np.round(normal(4, 128, 16) * 8) / 8, tolerance=1e-5)


def test_views_of_refs():
    def kernel(t_ref, o_ref, u_ref):
        flat = t_ref.reshape(32, 128)
        o_ref[...] = flat[8:16] + flat[16:24]
        u_ref[...] = t_ref.at[1].bitcast(jnp.int32)[...]

    check(kernel, (shaped((8, 128)), shaped((8, 128), np.int32)), T)


def test_bits_of_floats():
    def kernel(x_ref, o_ref):
        o_ref[...] = lax.bitcast_convert_type(x_ref[...], jnp.int32) >> 16

    check(kernel, shaped((8, 128), np.int32), X)


def test_loops_that_the_data_ends():
    def kernel(n_ref, o_ref):
        def turn(state):
            a, b, turns = state
            return b, a % b, turns + 1

        a, b, turns = lax.while_loop(lambda s: s[1] > 0, turn, (n_ref[0], n_ref[1], 0))
        o_ref[0], o_ref[1], o_ref[2] = a, b, turns
        o_ref[3] = lax.while_loop(lambda i: n_ref[i] != 7, lambda i: i + 1, jnp.int32(0))

    check(kernel, shaped((4,), np.int32), np.array([84, 36, 3, 7], np.int32), in_specs=[SMEM], out_specs=SMEM)


def test_what_no_rule_knows_is_left_open():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sort(x_ref[...] * 2, axis=0)

    made = converted(pl.pallas_call(kernel, out_shape=shaped((8, 128))), X)
    line = kernel.__code__.co_firstlineno + 1
    assert [(o.place.line, o.primitive) for o in made.opaque] == [(line, "sort")]
    assert "opaque sort_ from" in made.text or "opaque sort" in made.text
    ran_text = made.text
    assert "out o_hbm" in ran_text


def test_lines_are_told_to_the_engine():
    def kernel(x_ref, o_ref, t_ref):
        o_ref[...] = x_ref[...]
        o_ref[...] = t_ref[...]

    made = converted(pl.pallas_call(kernel, out_shape=shaped((8, 128)), scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)]), X, lines=True)
    from tessera import _engine

    report = _engine.run(made.text, {made.operands[0].name: X}, {}, options=["--uninitialised", "strict"])
    found = [f for f in report.findings if f["kind"].startswith("uninit")]
    assert found and found[0]["file"] == __file__ and found[0]["line"] == kernel.__code__.co_firstlineno + 2


__all__ = ["ANY", "VMEM", "ml_dtypes", "ran"]
