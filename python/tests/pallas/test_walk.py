"""Every `pallas_call` is found with the values that it meets, wherever it stands."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P

import tessera.pallas
from corpus.ring import f32

pytest.importorskip("tessera.pallas.convert.program")
X = np.arange(1024, dtype=np.float32).reshape(8, 128)


def twice(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    return pl.pallas_call(kernel, out_shape=f32(*x.shape))(x)


@jax.custom_vjp
def with_gradient(x):
    return twice(x)


with_gradient.defvjp(lambda x: (twice(x), None), lambda _, g: (twice(g),))


@jax.custom_jvp
def with_tangent(x):
    return twice(x)


with_tangent.defjvp(lambda x, t: (twice(*x), twice(*t)))


def branch(x):
    return jax.lax.cond(x[0, 0] > 5, lambda x: x, lambda x: twice(x) + 1, x)


def turns(x):
    return jax.lax.while_loop(lambda state: state[0] < 2, lambda state: (state[0] + 1, twice(state[1])), (0, x))[1]


def steps(x):
    return jax.lax.scan(lambda carry, row: (twice(carry) + row, carry[0]), x, jnp.arange(3, dtype=jnp.float32), reverse=True)


def sharded(x):
    mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    def call(part):
        place = jax.lax.axis_index("x") * 10 + jax.lax.axis_index("y")
        return jax.lax.psum(twice(part + place), "x")

    return jax.shard_map(call, mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y"), check_vma=False)(x)


FUNCTIONS = {
    "jit": jax.jit(twice),
    "forward": with_gradient,
    "custom_vjp": jax.grad(lambda x: with_gradient(x).sum()),
    "custom_jvp": with_tangent,
    "cond": branch,
    "while": turns,
    "scan": steps,
    "vmap": jax.vmap(twice),
    "remat": jax.checkpoint(twice),
}
EXPECTED = {
    "jit": lambda x: 2 * x,
    "forward": lambda x: 2 * x,
    "custom_vjp": lambda x: np.full_like(x, 2),
    "custom_jvp": lambda x: 2 * x,
    "cond": lambda x: 2 * x + 1,
    "while": lambda x: 4 * x,
    "vmap": lambda x: 2 * x,
    "remat": lambda x: 2 * x,
    "scan": lambda x: (8 * x + 8 + 2 + 0, np.stack([(4 * x + 5)[0], (2 * x + 2)[0], x[0]])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_inside(name):
    x = X.reshape(2, 4, 128) if name == "vmap" else X
    have, want = tessera.pallas.run(FUNCTIONS[name], x), EXPECTED[name](x)
    jax.tree_util.tree_map(np.testing.assert_array_equal, have, want)
    verdict = tessera.pallas.verify(FUNCTIONS[name], x, numbers=False)
    assert verdict.proved and verdict.ok, verdict


def test_devices_of_a_mesh_hold_their_parts_and_meet_in_collectives():
    have = tessera.pallas.run(sharded, X)
    assert have.shape == (4, 128)
    want = 2 * (X[:4] + X[4:]) + 20 + np.repeat([0, 4], 64)
    np.testing.assert_array_equal(have, want)


def test_a_function_without_calls_is_not_proved():
    verdict = tessera.pallas.verify(jnp.sin, X)
    assert not verdict.proved and "no pallas_call and no other kernel was found" in str(verdict)


def test_branches_that_devices_decide_differently_are_refused():
    def call(x):
        return jax.lax.cond(jax.lax.axis_index("x") == 0, twice, lambda x: x, x)

    mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    verdict = tessera.pallas.verify(jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False), X)
    assert verdict.status == "refused" and "the devices decide differently" in str(verdict)
