"""Branches, loops, scopes and scalars mean what JAX means by them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from converted import SMEM, VMEM, check, converted, normal, shaped
from tessera.pallas.convert import Refused

X = np.round(8 * normal(8, 128)) / 8
N = np.array([3, 5, 0, -7], np.int32)


def test_a_read_does_not_move_past_a_store():
    def kernel(x_ref, o_ref):
        before = x_ref[0:4] * 2
        o_ref[...] = x_ref[...]
        kept = o_ref[0:4]
        o_ref[0:4] = o_ref[4:8]
        o_ref[4:8] = kept + before

    check(kernel, shaped((8, 128)), X)


def test_a_read_does_not_move_past_a_store_of_a_branch_or_a_loop():
    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]
        kept, first = o_ref[...], o_ref[0, :]

        @pl.when(n_ref[0] == 3)
        def _():
            o_ref[0:2] = jnp.zeros((2, 128))

        def turn(i, _):
            o_ref[i] = o_ref[i] + kept[i] * first
            return 0

        lax.fori_loop(0, 8, turn, 0)

    check(kernel, shaped((8, 128)), N, X, in_specs=[SMEM, VMEM])


def test_a_scalar_does_not_move_past_a_store():
    def kernel(n_ref, o_ref, t_ref):
        t_ref[0] = n_ref[0]
        kept = t_ref[0]
        t_ref[0] = kept + 1
        o_ref[0] = kept * 10 + t_ref[0]
        o_ref[1] = kept

    check(kernel, shaped((2,), np.int32), N, in_specs=[SMEM], out_specs=SMEM, scratch_shapes=[pltpu.SMEM((1,), jnp.int32)])


SCALARS = {
    "floor": lambda a, b: a // b,
    "rest": lambda a, b: a % b,
    "div": lambda a, b: lax.div(a, b),
    "rem": lambda a, b: lax.rem(a, b),
    "clip": lambda a, b: jnp.clip(a, -2, b),
    "where": lambda a, b: jnp.where(a > b, a, -b),
    "and": lambda a, b: jnp.where((a > 0) & (b > 4) | ~(a < b), 1, 2),
    "max": lambda a, b: jnp.maximum(a, b) - jnp.minimum(a, 2),
    "shift": lambda a, b: (a << 3) + (a >> 1),
    "abs": lambda a, b: jnp.abs(a) * jnp.sign(a),
    "square": lambda a, b: a * a - b**2,
    "chain": lambda a, b: (a + 1) + 2 - (b - 3),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
    def kernel(n_ref, o_ref):
        for at, (a, b) in enumerate([(0, 1), (3, 1), (2, 1), (1, 0), (0, 3)]):
            o_ref[at] = SCALARS[name](n_ref[a], n_ref[b])

    check(kernel, shaped((5,), np.int32), N, in_specs=[SMEM], out_specs=SMEM)


def test_branches_with_results():
    def kernel(n_ref, x_ref, o_ref, m_ref):
        value, count = lax.cond(n_ref[0] > 2, lambda: (x_ref[...] * 2, n_ref[1]), lambda: (x_ref[...] - 1, jnp.int32(7)))
        which = lax.switch(n_ref[0] - 2, [lambda: jnp.int32(10), lambda: n_ref[1] + 20, lambda: jnp.int32(30)])
        o_ref[...] = value
        m_ref[0], m_ref[1] = count, which

    check(kernel, (shaped((8, 128)), shaped((2,), np.int32)), N, X, in_specs=[SMEM, VMEM], out_specs=(VMEM, SMEM))


def test_a_branch_that_does_nothing_otherwise():
    def kernel(n_ref, o_ref):
        o_ref[...] = jnp.ones_like(o_ref)
        lax.cond(n_ref[0] == 3, lambda: None, lambda: o_ref.__setitem__(0, jnp.zeros(128)))
        lax.cond(n_ref[1] == 3, lambda: None, lambda: o_ref.__setitem__(1, jnp.zeros(128)))

    made = check(kernel, shaped((8, 128)), N, in_specs=[SMEM])
    assert "else" not in made.text


def test_loops_that_carry():
    def kernel(n_ref, x_ref, o_ref, m_ref):
        def turn(i, carry):
            total, even, last = carry
            return total + x_ref[i], last, even + i

        total, even, last = lax.fori_loop(0, 8, turn, (jnp.zeros(128), jnp.int32(1), jnp.int32(2)))
        o_ref[...] = total[None] + jnp.zeros((8, 1))
        m_ref[0], m_ref[1] = even, last
        m_ref[2] = lax.fori_loop(n_ref[0], n_ref[1] + 2, lambda i, s: s * 2 + i, n_ref[1])
        m_ref[3] = lax.fori_loop(n_ref[1], n_ref[0], lambda i, s: s * 2 + i, n_ref[1])

    check(kernel, (shaped((8, 128)), shaped((4,), np.int32)), N, X, in_specs=[SMEM, VMEM], out_specs=(VMEM, SMEM))


def test_nested_loops_over_memory():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        def outer(i, _):
            def inner(j, _):
                o_ref[i] = o_ref[i] + x_ref[j] * (i + j).astype(jnp.float32)
                return _

            return lax.fori_loop(i, 8, inner, 0)

        lax.fori_loop(0, 8, outer, 0)

    check(kernel, shaped((8, 128)), X)


def test_a_scope_has_memory_of_its_own():
    def kernel(x_ref, o_ref):
        def body(t_ref, n_ref):
            n_ref[0] = 3
            t_ref[...] = x_ref[...] * 2
            o_ref[...] = t_ref[...] + n_ref[0].astype(jnp.float32)
            return t_ref[0:2]

        kept = pl.run_scoped(body, pltpu.VMEM((8, 128), jnp.float32), pltpu.SMEM((1,), jnp.int32))
        o_ref[0:2] = kept

    made = check(kernel, shaped((8, 128)), X)
    assert "scoped vmem t_ref: f32[8, 128]" in made.text


def test_grids_windows_and_prefetched_scalars():
    def kernel(at_ref, x_ref, o_ref, t_ref):
        i, j = pl.program_id(0), pl.program_id(1)

        @pl.when(j == 0)
        def _():
            t_ref[...] = jnp.zeros_like(t_ref)

        t_ref[...] += x_ref[...] * (i + 1).astype(jnp.float32)

        @pl.when(j == pl.num_programs(1) - 1)
        def _():
            o_ref[...] = t_ref[...]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2, 3),
        in_specs=[pl.BlockSpec((None, 8, 128), lambda i, j, at: (at[j], i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j, at: (i, 0)),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
    )
    made = check(kernel, shaped((16, 128)), np.array([2, 0, 2], np.int32), np.round(normal(4, 16, 128) * 8) / 8, grid_spec=spec)
    assert made.control == {0}


def test_scalar_operands_that_are_stored_to_are_copied():
    def kernel(n_ref, x_ref, o_ref):
        n_ref[0] = n_ref[0] + pl.program_id(0)
        o_ref[...] = x_ref[...] * n_ref[0].astype(jnp.float32)

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[pl.BlockSpec((4, 128), lambda i, n: (i, 0))],
        out_specs=pl.BlockSpec((4, 128), lambda i, n: (i, 0)),
    )
    check(kernel, shaped((8, 128)), N, X, grid_spec=spec)


def test_aliased_operands_are_one_memory():
    def kernel(x_ref, o_ref):
        o_ref[0:4] = x_ref[0:4] + 1

        def copies(t_ref, s):
            pltpu.async_copy(x_ref.at[0:4], t_ref, s).wait()

        del copies

    check(lambda x, o: o.__setitem__(..., x[...] + 1), shaped((8, 128)), X, input_output_aliases={0: 0})


def test_refusals_name_the_line():
    def kernel(x_ref, o_ref):
        o_ref[...] = jax.lax.reduce_precision(x_ref[...], 5, 10)

    with pytest.raises(Refused) as refused:
        converted(pl.pallas_call(kernel, out_shape=shaped((8, 128))), X)
    line = kernel.__code__.co_firstlineno + 1
    assert refused.value.place == f"test_convert_control.py:{line}"
    assert str(refused.value) == f"test_convert_control.py:{line}: {refused.value.what}"


def test_every_line_has_its_place():
    def kernel(x_ref, o_ref):
        doubled = x_ref[...] * 2 + jnp.exp(x_ref[...])
        o_ref[...] = doubled * doubled

    def call(x):
        return pl.pallas_call(kernel, out_shape=shaped((8, 128)))(x)

    made = converted(call, X)
    lines = made.text.splitlines()
    at = next(i for i, text in enumerate(lines, 1) if text.startswith("  doubled = "))
    assert made.places[at].line == kernel.__code__.co_firstlineno + 1
    assert (__file__, call.__code__.co_firstlineno + 1) in [frame[:2] for frame in made.places[at].stack]
    directives = converted(call, X, lines=True).text
    assert f'# line {made.places[at].line} "{__file__}" from' in directives


def test_a_float_decides_through_smem():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.when(jnp.max(x_ref[...]) > 0.5)
        def _():
            o_ref[0] = jnp.zeros(128)

    check(kernel, shaped((8, 128)), X)


def test_a_float_of_smem():
    def kernel(w_ref, x_ref, o_ref, s_ref):
        s_ref[0] = w_ref[1] * 2
        o_ref[...] = x_ref[...] * w_ref[0] + s_ref[0]

    check(kernel, shaped((8, 128)), np.array([0.5, 3], np.float32), X, in_specs=[SMEM, VMEM], scratch_shapes=[pltpu.SMEM((1,), jnp.float32)])


def test_a_scan_over_rows():
    def kernel(x_ref, o_ref):
        rows = x_ref[...]
        total, seen = jax.lax.scan(lambda s, row: (s + row, s), jnp.zeros(128), rows)
        o_ref[...] = seen + total

    check(kernel, shaped((8, 128)), X)
