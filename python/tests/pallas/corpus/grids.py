"""Kernels with grids, after the descriptions in JAX's guides to matmul, pipelining and sparsity on TPUs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from corpus.ring import ANY, f32


def add(x: Any, y: Any) -> Any:
    """Sum of two matrices, eight rows at a time."""
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    rows = pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(kernel, grid=(x.shape[0] // 8,), in_specs=[rows, rows], out_specs=rows, out_shape=f32(*x.shape))(x, y)


def sum_over(x: Any) -> Any:
    """The sum over the first axis: the output block stays while the grid goes on."""
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[...] += x_ref[...]

    return pl.pallas_call(kernel, grid=(x.shape[1] // 8, x.shape[0]), out_shape=f32(*x.shape[1:]),
                          in_specs=[pl.BlockSpec((pl.squeezed, 8, x.shape[2]), lambda i, j: (j, i, 0))],
                          out_specs=pl.BlockSpec((8, x.shape[2]), lambda i, j: (i, 0)))(x)


def matmul(a: Any, b: Any, *, activation: Any = None, transposed: bool = False) -> Any:
    """a . b in blocks of 128, summed in f32 and rounded once."""
    (m, k), n, t = a.shape, b.shape[0 if transposed else 1], 128

    def kernel(a_ref, b_ref, o_ref, acc):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc[...] = jnp.zeros_like(acc)
        dims = (((1,), (1 if transposed else 0,)), ((), ()))
        acc[...] += jax.lax.dot_general(a_ref[...], b_ref[...], dims, preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == k // t - 1)
        def _():
            value = acc[...] if activation is None else activation(acc[...])
            o_ref[...] = value.astype(o_ref.dtype)

    of_b = (lambda i, j, s: (j, s)) if transposed else (lambda i, j, s: (s, j))
    return pl.pallas_call(kernel, grid=(m // t, n // t, k // t), out_shape=jax.ShapeDtypeStruct((m, n), a.dtype),
                          in_specs=[pl.BlockSpec((t, t), lambda i, j, s: (i, s)), pl.BlockSpec((t, t), of_b)],
                          out_specs=pl.BlockSpec((t, t), lambda i, j, s: (i, j)),
                          scratch_shapes=[pltpu.VMEM((t, t), jnp.float32)],
                          compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")))(a, b)


def matmul_relu(a: Any, b: Any) -> Any:
    return matmul(a, b, activation=lambda x: jnp.maximum(x, 0), transposed=True)


def block_of(x: Any, where: Any) -> Any:
    """The block of x that two numbers name."""
    def kernel(where_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(1,), out_specs=pl.BlockSpec((8, 128), lambda i, where_ref: (0, 0)),
        in_specs=[pl.BlockSpec((8, 128), lambda i, where_ref: (where_ref[0], where_ref[1]))])
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=f32(8, 128))(where, x)


def sparse_matmul(rows: Any, cols: Any, blocks: Any, b: Any, *, m: int) -> Any:
    """A matrix of which some blocks are there, times b: the block with number i stands at (rows[i], cols[i]), rows in order."""
    count, t, n = blocks.shape[0], blocks.shape[1], b.shape[1]

    def kernel(rows_ref, cols_ref, a_ref, b_ref, o_ref, acc):
        i = pl.program_id(1)
        before = rows_ref[jnp.maximum(i - 1, 0)]
        after = rows_ref[jnp.minimum(i + 1, count - 1)]

        @pl.when((i == 0) | (before != rows_ref[i]))
        def _():
            acc[...] = jnp.zeros_like(acc)
        acc[...] += jnp.dot(a_ref[0], b_ref[...], preferred_element_type=jnp.float32)

        @pl.when((i == count - 1) | (after != rows_ref[i]))
        def _():
            o_ref[...] = acc[...]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=2, grid=(n // t, count), scratch_shapes=[pltpu.VMEM((t, t), jnp.float32)],
        in_specs=[pl.BlockSpec((1, t, t), lambda j, i, rows_ref, cols_ref: (i, 0, 0)),
                  pl.BlockSpec((t, t), lambda j, i, rows_ref, cols_ref: (cols_ref[i], j))],
        out_specs=pl.BlockSpec((t, t), lambda j, i, rows_ref, cols_ref: (rows_ref[i], j)))
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=f32(m, n))(rows, cols, blocks, b)


def add_pipelined(x: Any, y: Any) -> Any:
    """A pipeline inside the kernel, from hbm to hbm."""
    def kernel(x_ref, y_ref, o_ref):
        def inner(x_tile, y_tile, o_tile):
            o_tile[...] = x_tile[...] + y_tile[...]
        rows = pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))
        pltpu.emit_pipeline(inner, grid=(x.shape[0] // 8,), in_specs=[rows, rows], out_specs=[rows])(x_ref, y_ref, o_ref)

    return pl.pallas_call(kernel, in_specs=[ANY, ANY], out_specs=ANY, out_shape=f32(*x.shape))(x, y)


def double_buffered(x: Any) -> Any:
    """Twice x: the next rows are fetched while these are computed."""
    steps = x.shape[0] // 8

    def kernel(x_ref, o_ref, slots, fetched):
        def fetch(i):
            return pltpu.make_async_copy(x_ref.at[pl.ds(i * 8, 8)], slots.at[jax.lax.rem(i, 2)], fetched.at[jax.lax.rem(i, 2)])

        fetch(0).start()

        def body(i, carry):
            @pl.when(i + 1 < steps)
            def _():
                fetch(i + 1).start()
            fetch(i).wait()
            o_ref[pl.ds(i * 8, 8), :] = slots[jax.lax.rem(i, 2)] * 2
            return carry
        jax.lax.fori_loop(0, steps, body, 0)

    return pl.pallas_call(kernel, in_specs=[ANY], out_specs=pl.BlockSpec(memory_space=pltpu.VMEM), out_shape=f32(*x.shape),
                          scratch_shapes=[pltpu.VMEM((2, 8, x.shape[1]), jnp.float32), pltpu.SemaphoreType.DMA((2,))])(x)
