"""What the kernels on rings share: neighbours, the barrier, and how a kernel becomes a function of sharded arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

ROWS, COLS = 8, 128
ANY = pl.BlockSpec(memory_space=pl.ANY)
MESH = pl.DeviceIdType.MESH


def me() -> jax.Array:
    return jax.lax.axis_index("x")


def count() -> int:
    return jax.lax.axis_size("x")


def right() -> jax.Array:
    return jax.lax.rem(me() + 1, count())


def left() -> jax.Array:
    return jax.lax.rem(me() + count() - 1, count())


def meet_neighbours() -> None:
    """Nobody writes to a neighbour before it has begun."""
    barrier = pltpu.get_barrier_semaphore()
    for neighbour in (left(), right()):
        pl.semaphore_signal(barrier, 1, device_id=(neighbour,), device_id_type=MESH)
    pl.semaphore_wait(barrier, 2)


def to(neighbour: Any, source: Any, target: Any, sent: Any, arrived: Any) -> Any:
    """A copy to the same memory of a neighbour."""
    return pltpu.make_async_remote_copy(source, target, sent, arrived, device_id=(neighbour,), device_id_type=MESH)


def sharded(call: Callable[..., Any], devices: int, out_specs: Any = P("x")) -> Callable[..., Any]:
    """The function of a global array, whose rows the devices of a ring share."""
    mesh = jax.make_mesh((devices,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=out_specs, check_vma=False))


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)
