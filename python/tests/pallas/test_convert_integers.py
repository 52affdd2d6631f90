"""Integers wrap in their type as JAX's do: scalars of every operator, carries of loops, values that become tiles, indices."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl

import tessera.pallas
from converted import SMEM, VMEM, check, converted, shaped

A, B = 1 << 30, -(1 << 31)
N = np.array([A, B, 0, -7, 5, 762601], np.int32)
i32 = jnp.int32

# What each gives of A = 2^30 and B = -2^31; the values are those of two's complement, by hand.
WRAPPED = {
    "a + b": (lambda a, b: a + b, -A),
    "a - b": (lambda a, b: a - b, -A),
    "a * b": (lambda a, b: a * b, 0),
    "-b": (lambda a, b: -b, B),
    "abs b": (lambda a, b: jnp.abs(b), B),
    "a << 4": (lambda a, b: a << 4, 0),
    "a * 3 // 5": (lambda a, b: (a * 3) // 5, -214748365),
    "a + a < 0": (lambda a, b: (a + a < 0).astype(i32), 1),
    "a * 65537": (lambda a, b: a * 65537, A),
    "hash": (lambda a, b: a * 1664525 + 1013904223, 2087646047),
    "b / -1": (lambda a, b: lax.div(b, i32(-1)), B),
    "rem": (lambda a, b: lax.rem(a * 3, i32(7)), -1),
    "a * 3 & 255": (lambda a, b: (a * 3) & 255, 0),
    "a * 3 >> 4": (lambda a, b: (a * 3) >> 4, -67108864),
    "max(a * 3, 0)": (lambda a, b: jnp.maximum(a * 3, 0), 0),
    "uint32": (lambda a, b: (a.astype(jnp.uint32) * jnp.uint32(3) >> jnp.uint32(1)).astype(i32), 1610612736),
    "int8": (lambda a, b: (a + 300).astype(jnp.int8).astype(i32), 44),
    "f32": (lambda a, b: (a * 3).astype(jnp.float32).astype(i32), -A),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_scalar_beyond_its_type(name):
    operation, right = WRAPPED[name]

    def kernel(n_ref, o_ref):
        o_ref[0] = operation(n_ref[0], n_ref[1])

    call = pl.pallas_call(kernel, out_shape=shaped((1,), np.int32), in_specs=[SMEM], out_specs=SMEM)
    assert int(tessera.pallas.run(call, N)[0]) == right
    check(kernel, shaped((1,), np.int32), N, in_specs=[SMEM], out_specs=SMEM)


NARROW = {
    "int8 sum": lambda a, b: a + b,
    "int8 product": lambda a, b: a * b,
    "negated": lambda a, b: -a,
    "shifted": lambda a, b: a << 1,
    "difference": lambda a, b: a - b,
    "quotient": lambda a, b: lax.div(a, b),
    "less": lambda a, b: jnp.where(a + a < b, a, b),
}


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint8", "uint16", "uint32"])
@pytest.mark.parametrize("name", NARROW)
def test_narrow_types(name, dtype):
    info = np.iinfo(dtype)
    pairs = np.array([info.max, 2, info.min, 1, 100, 100, info.max, info.max, info.min, info.max], dtype)

    def kernel(n_ref, o_ref):
        for at in range(5):
            o_ref[at] = NARROW[name](n_ref[2 * at], n_ref[2 * at + 1]).astype(i32)

    check(kernel, shaped((5,), np.int32), pairs, in_specs=[SMEM], out_specs=SMEM)


PAIRS = [(0, 1), (1, 3), (3, 2), (1, 2), (2, 2), (4, 3), (1, 4), (3, 4), (4, 0), (4, 1), (5, 4)]
BY_DATA = {
    "left": lambda a, b: a << b,
    "right": lambda a, b: a >> b,
    "logical": lambda a, b: lax.shift_right_logical(a, b),
    "quotient": lambda a, b: lax.div(a, b),
    "remainder": lambda a, b: lax.rem(a, b),
    "floor": lambda a, b: a // b,
    "modulo": lambda a, b: a % b,
}


@pytest.mark.parametrize("name", BY_DATA)
def test_the_second_operand_is_data(name):
    """Also a division by 0, and a shift by a number that is no place of the type."""

    def kernel(n_ref, o_ref):
        for at, (a, b) in enumerate(PAIRS):
            o_ref[at] = BY_DATA[name](n_ref[a], n_ref[b])

    check(kernel, shaped((len(PAIRS),), np.int32), N, in_specs=[SMEM], out_specs=SMEM)


def test_carries_of_loops():
    def kernel(n_ref, o_ref):
        o_ref[0] = lax.fori_loop(0, 3, lambda i, s: s + 1_000_000_000, i32(1_000_000_000))
        o_ref[1] = lax.fori_loop(0, n_ref[4], lambda i, s: s * 31 + i, n_ref[0])
        o_ref[2] = lax.fori_loop(n_ref[3], n_ref[4], lambda i, s: s + n_ref[0], i32(0))
        o_ref[3] = lax.while_loop(lambda s: s > 0, lambda s: s + 1_000_000_000, n_ref[4])
        total, last = lax.fori_loop(0, n_ref[4], lambda i, carry: (carry[0] + carry[1], carry[1] * 65537), (n_ref[0], n_ref[5]))
        o_ref[4], o_ref[5] = total, last

    check(kernel, shaped((6,), np.int32), N, in_specs=[SMEM], out_specs=SMEM)


def test_a_scalar_that_fills_a_tile():
    def kernel(n_ref, o_ref, p_ref):
        o_ref[...] = jnp.full((8, 128), n_ref[5] * 2816 + 2570)
        p_ref[...] = jnp.full((8, 128), 1.0) * (n_ref[0] * 3).astype(jnp.float32)

    made = check(kernel, (shaped((8, 128), np.int32), shaped((8, 128))), N, in_specs=[SMEM])
    assert "truncate" in made.text


def test_branches_keep_what_wraps():
    def kernel(n_ref, o_ref):
        o_ref[0] = lax.cond(n_ref[4] > 2, lambda: n_ref[0] * 3, lambda: n_ref[1] - 1) // 2
        o_ref[1] = jnp.where(n_ref[4] > 2, n_ref[0] * 3, n_ref[1] - 1) // 2
        o_ref[2] = lax.switch(n_ref[0] * 4 + 1, [lambda: i32(1), lambda: i32(2), lambda: i32(3)])

    check(kernel, shaped((3,), np.int32), N, in_specs=[SMEM], out_specs=SMEM)


def test_an_index_that_wraps():
    """The int32 remainder is -6: before the array, although the 64-bit one is row 2."""

    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(lax.rem(n_ref[5] * 2816 + 2570, 8), 1)]

    call = pl.pallas_call(kernel, out_shape=shaped((1, 128)), in_specs=[SMEM, VMEM])
    verdict = tessera.pallas.verify(call, N, np.zeros((8, 128), np.float32), numbers=False)
    assert [one.kind for one in verdict.findings] == ["out_of_bounds"] and "read of x_ref[-6 .. -5" in str(verdict), verdict

    def within(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(n_ref[0] * 4 + 2, 1)]

    check(within, shaped((1, 128)), N, np.arange(1024, dtype=np.float32).reshape(8, 128), in_specs=[SMEM, VMEM])


def test_what_cannot_wrap_is_written_plainly():
    def kernel(x_ref, o_ref):
        def turn(i, _):
            o_ref[i * 4 + pl.program_id(0)] = x_ref[i * 4 + pl.program_id(0)]
            return 0

        lax.fori_loop(0, 2, turn, 0)

    call = pl.pallas_call(
        kernel,
        grid=(4,),
        out_shape=shaped((8, 128)),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
    )
    assert "truncate" not in converted(call, np.zeros((8, 128), np.float32)).text


TILES = {"quotient": lambda t: lax.div(t, i32(3)), "remainder": lambda t: lax.rem(t, i32(7)), "floor": lambda t: t // 3}


@pytest.mark.parametrize("name", TILES)
def test_index_tiles_that_wrap(name):
    """They are negative, so a division towards zero is not one that rounds down."""

    def kernel(o_ref, p_ref):
        at = lax.broadcasted_iota(i32, (8, 128), 1)
        o_ref[...] = TILES[name](at * 33_554_431)
        p_ref[...] = TILES[name](at + 2_147_483_600)

    check(kernel, (shaped((8, 128), np.int32), shaped((8, 128), np.int32)))


@pytest.mark.parametrize("name", ["quotient", "remainder", "floor", "modulo"])
def test_tiles_that_are_divided_by_data(name):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = BY_DATA[name](x_ref[...], y_ref[...])

    x, y = np.array([[7, -7, 7, -7, 0, 5, 5, -5]], np.int32), np.array([[2, 2, -2, -2, 3, 0, -1, 0]], np.int32)
    check(kernel, shaped((1, 8), np.int32), x, y)


def test_types_of_the_same_width():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].astype(i32)

    check(kernel, shaped((1, 8), np.int32), np.array([[0, 1, 2**31, 2**32 - 1, 3 * 10**9, 5, 6, 7]], np.uint32))


def test_an_index_tile_of_a_narrow_type_wraps():
    def kernel(o_ref):
        o_ref[...] = lax.div(lax.broadcasted_iota(jnp.int8, (8, 256), 1), jnp.int8(3)).astype(i32)

    check(kernel, shaped((8, 256), i32))
