"""The comparison with JAX: bits where bits are claimed, and what JAX on a CPU does to denormals and exp2."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tessera.pallas
from tessera.pallas import compare, elements, engine, jaxpr_pickle

TINY = np.float32(1e-40)  # a denormal
ZERO = np.zeros((8, 128), np.float32)


def each(function, dtype=jnp.float32):
    def kernel(x_ref, o_ref):
        o_ref[...] = function(x_ref[...])

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), dtype))


def with_first(value, dtype=np.float32):
    x = np.linspace(0.5, 2, 1024, dtype=np.float32).reshape(8, 128).astype(dtype)
    x[0, 0] = value
    return x


def numbers_of(function, x, dtype=jnp.float32):
    return tessera.pallas.verify(each(function, dtype), x).sites[0].numbers


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize("given", [np.float32, jnp.bfloat16, np.int32])
def test_a_cast_to_fp8_that_overflows_is_jaxs(dtype, given):
    """A cast of the language saturates."""
    values = [1, -1, 448, 449, 464, 465, -465, 57344, 61439, 61440, -61440, 10**9] + (
        [np.inf, -np.inf, np.nan, 464.1, -0.0, 1e-3, 1e-9] if given != np.int32 else []
    )
    numbers = numbers_of(lambda x: x.astype(dtype), np.resize(np.array(values), (8, 128)).astype(given), dtype)
    assert "bit for bit" in numbers.text, numbers


@pytest.mark.parametrize("value", [0.1, 1e6, np.inf, 464.0])
@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float8_e5m2, jnp.float8_e4m3fn])
def test_numbers_of_smem_are_rounded(dtype, value):
    def kernel(x_ref, n_ref, o_ref, p_ref):
        o_ref[...] = jnp.full((8, 128), x_ref[0].astype(dtype).astype(jnp.float32) + jnp.float32(0.1).astype(dtype).astype(jnp.float32))
        p_ref[...] = jnp.full((8, 128), n_ref[0].astype(dtype).astype(jnp.float32) + n_ref[0].astype(jnp.float32))

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    call = pl.pallas_call(kernel, out_shape=(jax.ShapeDtypeStruct((8, 128), jnp.float32),) * 2, in_specs=[smem, smem])
    verdict = tessera.pallas.verify(call, np.array([value], np.float32), np.array([16777217], np.int32))
    assert verdict.compared and "bit for bit" in str(verdict), verdict


def test_bits_are_bits():
    same = elements.same_bits
    assert same(np.float32([0, np.nan, -np.inf]), np.float32([0, -np.nan, -np.inf]))
    assert not same(np.float32([0.0]), np.float32([-0.0]))
    assert not same(np.float32([np.inf]), np.float32([-np.inf]))
    e5m2 = ml_dtypes.float8_e5m2
    assert not same(np.array([57344], e5m2), np.array([np.inf], e5m2)) and same(np.array([np.nan], e5m2), np.array([-np.nan], e5m2))
    assert not same(np.int32([1]), np.int32([2]))


@pytest.mark.parametrize("ours, theirs", [(57344, np.inf), (np.inf, -np.inf), (np.nan, 1), (1, np.nan), (-np.inf, np.nan)])
def test_an_element_that_is_infinite_or_no_number_in_one_only_is_named(ours, theirs):
    a, b = with_first(0), with_first(0)
    a[5, 3], b[5, 3] = ours, theirs
    assert elements.apart(a, b).startswith(f"[5, 3] = {np.float32(ours)}, expected {np.float32(theirs)} (1 element is NaN or infinite")
    assert elements.apart(a, a) == "" and elements.apart(b, b) == ""


@pytest.mark.parametrize(
    "function, x",
    [(lambda x: -x, 0.0), (lambda x: jnp.maximum(x, -0.0), 0.0), (lambda x: jnp.minimum(x, 0.0), -0.0), (lambda x: jnp.maximum(0.0, x), -0.0)],
    ids=["negation", "maximum", "minimum", "maximum of -0"],
)
def test_bit_for_bit_is_claimed_of_equal_bits_alone(function, x):
    numbers = numbers_of(function, with_first(x))
    kernel = each(function)
    ours = tessera.pallas.run(kernel, with_first(x))
    theirs = np.asarray(
        pl.pallas_call(
            lambda x_ref, o_ref: o_ref.__setitem__(..., function(x_ref[...])), interpret=True, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32)
        )(with_first(x))
    )
    assert numbers.status == "same"
    same = ours.tobytes() == theirs.tobytes()
    assert ("bit for bit" in numbers.text) <= same and ("the sign of" in str(numbers)) == (not same), numbers


@pytest.mark.parametrize(
    "function",
    [
        jnp.exp,
        lambda x: x + 0,
        lambda x: jnp.maximum(x, -1),
        lambda x: x * x * 1e-38,
        jnp.sqrt,
        lambda x: jnp.where(x > 0, 1.0, 2.0),
        lambda x: x - x * jnp.float32(1 - 1e-7),
    ],
    ids=["exp", "add", "maximum", "product", "sqrt", "comparison", "difference"],
)
@pytest.mark.parametrize("value", [-100.0, 1e-40, -1e-40, 3e-38], ids=str)
def test_denormals_that_jax_flushes_are_no_wrong_import(function, value):
    if function is jnp.sqrt:
        value = abs(value)
    numbers = numbers_of(function, with_first(value))
    assert numbers.status == "same", numbers
    assert "flushes denormals" not in str(numbers) or "not compared bit for bit" in str(numbers)


def test_a_flushed_denormal_is_reported_as_such():
    verdict = tessera.pallas.verify(each(jnp.exp), with_first(-100.0))
    assert verdict.proved and verdict.compared, verdict
    assert "because JAX on CPUs flushes denormals to 0" in str(verdict) and "bit for bit on" not in str(verdict)
    assert "exp2" not in str(verdict)


@pytest.mark.parametrize("value", [-20.3, -32.0, 100.0, 1.5])
def test_the_exp2_of_jax_is_imprecise_on_cpus(value):
    numbers = numbers_of(jnp.exp2, with_first(value))
    assert numbers.status == "same", numbers
    if "flushes" in str(numbers):
        assert "computes exp2(x) as exp(x * ln 2)" in str(numbers)


def test_integers_decided_by_denormals():
    numbers = numbers_of(lambda x: (x > 0).astype(jnp.int32), with_first(TINY), jnp.int32)
    assert numbers.status == "same" and "flushes denormals" in str(numbers), numbers


@pytest.mark.parametrize(
    "function, wrong",
    [(jnp.exp2, "exp2(x_ref) + 1e-30"), (lambda x: x + 1, "x_ref + 2"), (jnp.exp, "exp(x_ref) + 1e-37")],
    ids=["exp2", "add", "exp"],
)
def test_a_wrong_import_is_still_found(monkeypatch, function, wrong):
    """The allowance for JAX on CPUs is for denormals and exp2 alone."""
    right = engine.compared

    def changed(kernel, lanes, expected, *rest):
        expected = [[np.asarray(array) + np.float32(1e-37 if function is jnp.exp else 1e-5) for array in row] for row in expected]
        return right(kernel, lanes, expected, *rest)

    monkeypatch.setattr(engine, "compared", changed)
    verdict = tessera.pallas.verify(each(function), with_first(-90.0 if function is jnp.exp else 1.25))
    assert verdict.status == "mismatch", (verdict, wrong)


def test_a_mismatch_has_its_line_if_nothing_bounds_the_error(monkeypatch):
    """A quotient by a number that may be 0 has no bound."""
    right = compare._Comparison._expected

    def changed(wrong):
        def expected(comparison, sets):
            results = right(comparison, sets)
            for lanes in results:
                for row in lanes:
                    row[0] = np.array(row[0])
                    row[0][0, 0] = wrong
            return results

        return expected

    for limit, wrong in ((60, np.inf), (61, 1000.0)):  # another limit is another key of the cache
        monkeypatch.setattr(compare._Comparison, "_expected", changed(wrong))
        x = with_first(np.float32(0.3) + np.float32(3e-8))
        numbers = tessera.pallas.verify(each(lambda x: 1 / (x * 1.1 - 0.33)), x, limit=limit).sites[0].numbers
        assert numbers.status == "differ" and "running error bound" not in numbers.text, numbers
        assert "[0, 0] = " in numbers.text and f"expected {wrong:g}" in numbers.text and "test_compare.py:" in numbers.text, numbers


def test_masks_stay_finite_in_the_second_inputs():
    for dtype in (np.float32, np.float16, jnp.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        info = jnp.finfo(dtype)
        x = np.array([float(info.min), float(info.max), 0.0] * 40).astype(dtype)
        with np.errstate(all="raise"):
            ((other,),) = elements.second_inputs([[x]], 1)
        assert other.dtype == x.dtype and np.isfinite(other.astype(np.float32)).all()
    x = np.float32([np.inf, -np.inf, np.nan, 1])
    ((other,),) = elements.second_inputs([[x]], 1)
    assert sorted(map(str, other[~np.isfinite(other)])) == ["-inf", "inf", "nan"]
    ints = np.int32([1, 2])
    assert elements.second_inputs([[ints]], 1)[0][0] is ints


def test_each_of_jaxs_interpreters_is_tried():
    """As a loop over its grid a kernel has no `program_id` in a `jit`, and neither interpreter has a `delay`; a `check` has no bytes."""

    def kernel(x_ref, o_ref):
        pl.delay(5)
        pl.debug_check(x_ref[0, 0] > 5, "only with checks")
        o_ref[...] = jax.jit(lambda v: v * pl.program_id(0).astype(jnp.float32))(x_ref[...])

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    call = pl.pallas_call(kernel, grid=(2,), in_specs=[rows], out_specs=rows, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32))
    verdict = tessera.pallas.verify(call, np.ones((16, 128), np.float32))
    assert verdict.compared and "(InterpretParams())" in verdict.sites[0].numbers.text, verdict


def test_a_function_with_a_rule_for_its_gradient_goes_to_jaxs_process():
    @jax.custom_vjp
    def twice(x):
        return x * 2

    twice.defvjp(lambda x: (twice(x), ()), lambda _, g: (g * 2,))
    numbers = numbers_of(twice, with_first(1))
    assert "bit for bit" in numbers.text, numbers


def test_places_in_the_python_do_not_go_to_jaxs_process():
    traceback = jax.make_jaxpr(lambda x: x + 1)(1.0).eqns[0].source_info.traceback
    assert jaxpr_pickle.loads(jaxpr_pickle.dumps([traceback, 3])) == [None, 3]
