"""Functions, bits and products that are written in others mean what JAX means by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from converted import SMEM, check, normal, shaped

X = np.abs(normal(8, 128)) % 0.9 + 0.05
FUNCTIONS = {
    "tan": jnp.tan,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "asinh": jnp.arcsinh,
    "acosh": lambda v: jnp.arccosh(v + 1),
    "atanh": jnp.arctanh,
    "cbrt": jnp.cbrt,
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": lambda v: jnp.arctan(3 * v),
    "erf_inv": lax.erf_inv,
    "atan2": lambda v: jnp.arctan2(v, v - 0.5),
    "remainder": lambda v: lax.rem(v, v * 0 + np.float32(0.3)),
    "modulo": lambda v: -v % np.float32(0.07),
    "nextafter": lambda v: jnp.nextafter(v, 1 - v),
    "rounded away from zero": lambda v: lax.round(v * 4),
    "precision": lambda v: lax.reduce_precision(v, 8, 5),
    "to the power 0": lambda v: v**0,
    "to the power 7": lambda v: v**7,
    "to the power -5": lambda v: v**-5,
    "bits": lambda v: lax.bitcast_convert_type(lax.bitcast_convert_type(v, jnp.int32) + 1, jnp.float32),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    """Of tiles and of numbers."""

    def kernel(n_ref, x_ref, o_ref, p_ref):
        o_ref[...] = FUNCTIONS[name](x_ref[...])
        p_ref[0] = FUNCTIONS[name](n_ref[1])

    out, numbers = (shaped((8, 128)), shaped((1,))), np.array([0.1, 0.7], np.float32)
    specs = {"in_specs": [SMEM, pl.BlockSpec()], "out_specs": (pl.BlockSpec(), SMEM)}
    check(kernel, out, numbers, X, tolerance=2e-6, **specs)
    found = tessera.pallas.run(pl.pallas_call(kernel, out_shape=out, **specs), numbers, X)
    np.testing.assert_allclose(found[1], FUNCTIONS[name](numbers[1:]), 2e-6)


SPECIAL = np.array(
    [
        0,
        -0.0,
        1,
        -1,
        np.inf,
        -np.inf,
        np.nan,
        3,
        -3,
        0.5,
        -0.5,
        1e-30,
        -1e30,
        3.4e38,
        1.2e-38,
        2.5,
        -3.5,
        0.49999997,
        8388609,
        7.3,
        -100.1,
        0.1,
        0.99999994,
        -0.99999994,
    ],
    np.float32,
)
ODD = {
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": jnp.arctan,
    "erf_inv": lax.erf_inv,
    "asinh": jnp.arcsinh,
    "acosh": jnp.arccosh,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "round": lax.round,
    "precision": lambda v: lax.reduce_precision(v, 8, 5),
}
ODD_PAIRS = {"remainder": lax.rem, "modulo": jnp.remainder, "atan2": jnp.arctan2, "nextafter": jnp.nextafter}


@pytest.mark.parametrize("name", [*ODD, *ODD_PAIRS])
def test_functions_of_special_numbers(name):
    x, y = np.meshgrid(SPECIAL, SPECIAL)

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = ODD[name](x_ref[...]) if name in ODD else ODD_PAIRS[name](x_ref[...], y_ref[...])

    verdict = tessera.pallas.verify(pl.pallas_call(kernel, out_shape=shaped(x.shape)), x, y)
    assert verdict.proved and verdict.compared, verdict


MOVED = {
    "rows apart": lambda v: v[1:7:3, 5:120:7],
    "both reversed": lambda v: lax.rev(v, (0, 1)),
    "the last reversed": lambda v: v[:, ::-1],
    "products": lambda v: jnp.prod(v, 0),
    "running products": lambda v: lax.cumprod(v, 1),
    "from the end": lambda v: lax.cumprod(v, 0, reverse=True),
}


@pytest.mark.parametrize("name", MOVED)
def test_slices_with_strides_and_products(name):
    def kernel(x_ref, o_ref):
        o_ref[...] = MOVED[name](x_ref[...])

    x = np.abs(normal(8, 128)) + 0.5
    check(kernel, jax.eval_shape(MOVED[name], x), x, tolerance=1e-5)


BITS = np.array([[0, 1, -1, 5, -128, 127, 64, 3]], np.int8)


@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.uint32, np.uint16])
@pytest.mark.parametrize("name", ["population_count", "clz"])
def test_counts_of_bits(name, dtype):
    count = getattr(lax, name)

    def kernel(n_ref, x_ref, o_ref, p_ref):
        o_ref[...] = count(x_ref[...]).astype(jnp.int32)
        for at in range(8):
            p_ref[at] = count(n_ref[at]).astype(jnp.int32)

    x = BITS.astype(dtype)
    check(kernel, (shaped((1, 8), np.int32), shaped((8,), np.int32)), x[0], x, in_specs=[SMEM, pl.BlockSpec()], out_specs=(pl.BlockSpec(), SMEM))


PRODUCTS = {
    "free dimensions": ((2, 3, 8), (8, 16), (((2,), (0,)), ((), ()))),
    "of three and of two": ((16, 8), (1, 8, 128), (((1,), (1,)), ((), ()))),
    "two contracted": ((4, 3, 8), (3, 8, 16), (((1, 2), (0, 1)), ((), ()))),
    "two batches": ((2, 3, 4, 8), (2, 3, 8, 16), (((3,), (2,)), ((0, 1), (0, 1)))),
    "a batch behind": ((4, 8, 2), (8, 16, 2), (((1,), (0,)), ((2,), (2,)))),
    "of vectors": ((8,), (8,), (((0,), (0,)), ((), ()))),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_more_dimensions(name):
    left, right, numbers = PRODUCTS[name]
    x, y = np.round(4 * normal(*left)), np.round(4 * normal(*right, seed=1))

    def kernel(x_ref, y_ref, o_ref):
        found = lax.dot_general(x_ref[...], y_ref[...], numbers)
        o_ref[...] = found if found.shape else jnp.full((1, 1), found)

    out = jax.eval_shape(lambda a, b: lax.dot_general(a, b, numbers), x, y)
    check(kernel, shaped(out.shape or (1, 1)), x, y)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_halves_in_smem(dtype):
    """They are rounded after each operator; smem of the text has floats of 32 bits."""

    def kernel(x_ref, o_ref, p_ref, t_ref):
        t_ref[1] = x_ref[1] * x_ref[2]
        o_ref[0] = x_ref[0] + t_ref[1]
        o_ref[1] = x_ref[3] * x_ref[3]
        p_ref[...] = x_ref[...] * jnp.full((4,), x_ref[1])

    x = np.array([1.5, 3.001, 1.7, 1.01], dtype)
    check(
        kernel,
        (shaped((2,), dtype), shaped((4,), dtype)),
        x,
        in_specs=[SMEM],
        out_specs=(SMEM, pl.BlockSpec()),
        scratch_shapes=[pltpu.SMEM((2,), dtype)],
    )


@pytest.mark.skipif(not hasattr(jnp, "unstack"), reason="JAX has no unstack")
def test_unstacked_rows():
    def kernel(x_ref, o_ref):
        rows = jnp.unstack(x_ref[...], axis=0)
        o_ref[...] = jnp.stack(rows[::-1])

    check(kernel, shaped((8, 128)), normal(8, 128))


@pytest.mark.skipif(not hasattr(pltpu, "einshape"), reason="JAX has no einshape")
@pytest.mark.parametrize(("equation", "sizes"), [("(ab)c->abc", {"a": 2}), ("ab->ba", {}), ("(ab)c->bac", {"b": 4}), ("ab(cd)->a(bc)d", {"c": 2})])
def test_einshape(equation, sizes):
    x = normal(*((2, 4, 256) if "(cd)" in equation else (8, 128)))

    def kernel(x_ref, o_ref):
        o_ref[...] = pltpu.einshape(equation, x_ref[...], **sizes)

    check(kernel, jax.eval_shape(lambda v: pltpu.einshape(equation, v, **sizes), x), x)


@pytest.mark.skipif(not hasattr(jax, "empty_ref"), reason="JAX has no empty_ref")
def test_memory_that_a_kernel_makes():
    def kernel(x_ref, o_ref):
        twice, sums = jax.empty_ref(jax.typeof(x_ref[...])), jax.new_ref(x_ref[...] * 3)
        twice[...] = x_ref[...] * 2
        sums[...] += twice[...]
        o_ref[...] = sums[...]

    x = normal(8, 128)
    call = pl.pallas_call(kernel, out_shape=shaped((8, 128)))
    np.testing.assert_allclose(tessera.pallas.run(call, x), 5 * x, 1e-6)


@pytest.mark.parametrize("cases", [1, 2, 4])
def test_one_of_several_cases(cases):
    """By an integer of a tile; one that is too small or too large takes the first or the last."""
    x, which = normal(8, 128), np.arange(1024, dtype=np.int32).reshape(8, 128) % (cases + 2) - 1
    which = np.clip(which, 0, cases - 1) if cases <= 2 else which

    def kernel(w_ref, x_ref, o_ref):
        w = w_ref[...] != 0 if cases == 2 else w_ref[...]
        o_ref[...] = lax.select_n(w, *(x_ref[...] + at for at in range(cases)))

    check(kernel, shaped((8, 128)), which, x)
