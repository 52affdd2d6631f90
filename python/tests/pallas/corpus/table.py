"""All that `tessera.pallas` is tried on: a row has a kernel, its inputs, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus import collectives, grids, wheel

RUNS, PROTOCOL, REFUTED = "runs, same numbers", "protocol only, values unknown", "refuted"
UNCOMPARED = "proved, JAX has no numbers"


@dataclass(frozen=True)
class Row:
    """`build` gives the function and its arguments; `sites` has the column of each `pallas_call` that it reaches."""
    name: str
    group: str
    build: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
    sites: tuple[str, ...]
    devices: int = 1


def _normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def _ring(name: str, build: Callable[[int], Any], per_device: int, devices: int) -> Row:
    return Row(name, "docs/pallas/tpu", lambda: (build(devices), (_normal(0, *per_device_shape(per_device, devices)),)), (RUNS,), devices)


def per_device_shape(chunks: int, devices: int) -> tuple[int, ...]:
    """Of the whole array: rows of 128, or for a scatter a chunk for each device on each device."""
    return (8 * devices, 128) if chunks == 1 else (devices * devices, 8, 128)


def rings(devices: int) -> list[Row]:
    return [_ring("right_permute", collectives.right_permute, 1, devices), _ring("all_gather", collectives.all_gather, 1, devices),
            _ring("all_reduce", collectives.all_reduce, 1, devices),
            _ring("reduce_scatter", collectives.reduce_scatter, 2, devices),
            _ring("reduce_scatter with emit_pipeline", collectives.reduce_scatter_pipelined, 2, devices)]


def _grid(name: str, fn: Callable[..., Any], *args: Any) -> Row:
    return Row(name, "docs/pallas/tpu", lambda: (fn, args), (RUNS,))


def _sparse(rows: Any, cols: Any, blocks: Any, b: Any) -> Any:
    return grids.sparse_matmul(rows, cols, blocks, b, m=256)


def on_grids() -> list[Row]:
    a, b = _normal(0, 256, 256), _normal(1, 256, 256)
    at = (np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32))
    return [_grid("matmul", grids.matmul, a, b), _grid("matmul, rhs transposed, relu", grids.matmul_relu, a, b),
            _grid("pipelined add", grids.add, a, b), _grid("sum over the first axis", grids.sum_over, a.reshape(4, 64, 256)),
            _grid("emit_pipeline add", grids.add_pipelined, a, b), _grid("double buffered by hand", grids.double_buffered, a),
            _grid("block by scalar prefetch", grids.block_of, a, np.array([2, 1], np.int32)),
            _grid("block-sparse matmul", _sparse, *at, _normal(2, 3, 128, 128), b)]


def wheel_rows() -> list[Row]:
    """The 15 sites of jax 0.10.2."""
    # Both of JAX's interpreters fail at its stores under a mask.
    columns = {"all_gather.py": (REFUTED,), "ragged_paged_attention": (UNCOMPARED,)}
    return [Row(name, "jax/experimental/pallas/ops/tpu", build, columns.get(name, (RUNS,) * sites), 8 if name == "all_gather.py" else 1)
            for name, (build, sites) in wheel.DRIVERS.items()]


def column(site: Any) -> str:
    """The column of a verdict of one site."""
    if site.status == "proved":
        return RUNS if site.numbers.status == "same" else PROTOCOL if site.kernel.opaque else UNCOMPARED
    return site.status
