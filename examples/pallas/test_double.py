"""Doubles an array by a Pallas kernel that copies its operand itself, and verifies the kernel under every schedule."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def double(x):
    def kernel(x_hbm, o_ref, buffer, landed):
        copy = pltpu.make_async_copy(x_hbm, buffer, landed)
        copy.start()
        copy.wait()
        o_ref[...] = buffer[...] * 2

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM(x.shape, x.dtype), pltpu.SemaphoreType.DMA],
    )(x)


@pytest.mark.tessera
def test_double():
    x = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128)
    np.testing.assert_array_equal(double(x), 2 * x)
