"""JAX's grouped matmuls on the operands of torch: XLA's own, Pallas on Triton, Pallas on Mosaic GPU.

Operands and results cross by DLPack, whose hand-over makes torch's stream wait for the result: the events around a
call contain JAX's dispatch (some 50 to 100 us). Megablox's gmm is a kernel for TPUs and has no arm here.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import torch
from arm import Arm, Skipped, fastest

CONTRACTIONS = {"nn": ((1,), (1,)), "nt": ((1,), (2,)), "tgmm": ((0,), (0,))}


def of_torch(function, *operands):
    compiled = jax.jit(function).lower(*operands).compile()
    return lambda: torch.from_dlpack(compiled(*operands))


def ragged_dot(kind, lhs, rhs, counts):
    numbers = jax.lax.RaggedDotDimensionNumbers(
        dot_dimension_numbers=(CONTRACTIONS[kind], ((), ())), lhs_ragged_dimensions=[0], rhs_group_dimensions=[] if kind == "tgmm" else [0]
    )
    function = functools.partial(jax.lax.ragged_dot_general, ragged_dot_dimension_numbers=numbers)
    return of_torch(function, lhs, rhs, counts)


def xla(kind, lhs, rhs, counts):
    return Arm(ragged_dot(kind, lhs, rhs, counts), own_stream=True, note="lax.ragged_dot, with its dispatch")


def pallas_triton(kind, lhs, rhs, counts):
    flag = "jax_ragged_dot_use_gpu_pallas_triton_lowering"
    jax.config.update(flag, True)
    try:
        run = ragged_dot(kind, lhs, rhs, counts)
    finally:
        jax.config.update(flag, False)
    return Arm(run, own_stream=True, note="lax.ragged_dot by Pallas on Triton, with its dispatch")


def mosaic_gpu(kind, lhs, rhs, counts, block_m, block_n, steps, grid_block_n):
    blocks = {"block_m": block_m, "block_n": block_n, "block_k": 64, "max_concurrent_steps": steps, "grid_block_n": grid_block_n}
    if kind == "tgmm":
        from jax.experimental.pallas.ops.gpu.transposed_ragged_dot_mgpu import transposed_ragged_dot

        def function(x, y, sizes):
            with jax.numpy_dtype_promotion("standard"):
                return transposed_ragged_dot(x, y, group_sizes=sizes, **blocks)
    else:
        from jax.experimental.pallas.ops.gpu.ragged_dot_mgpu import ragged_dot as kernel

        more = {"transpose_rhs": True} if kind == "nt" else {}  # older versions have no such parameter, and are skipped

        def function(x, y, sizes):
            return kernel(x, y, group_sizes=sizes, **blocks, **more)

    text = ", ".join(f"{name} {value}" for name, value in blocks.items())
    return Arm(of_torch(function, lhs, rhs, counts), own_stream=True, note=f"{text}, with its dispatch")


def arms(kind, a, b, sizes, _):
    lhs, rhs = jax.dlpack.from_dlpack(a), jax.dlpack.from_dlpack(b)
    call = (kind, lhs, rhs, jnp.asarray(sizes, dtype=jnp.int32))
    made = {"jax_pallas_triton": fastest(torch, {"default": lambda: pallas_triton(*call)}, rounds=1)}
    if len(sizes) <= 8:
        made["jax_xla"] = fastest(torch, {"default": lambda: xla(*call)}, rounds=1)
    else:
        made["jax_xla"] = Skipped(f"multiplies all rows by all {len(sizes)} groups; asked for 8 at most")
    if len(sizes) <= 64:
        n = b.shape[1] if kind != "nn" else b.shape[2]
        sweep = itertools.product((64, 128), (64, 128), (1, 2, 4) if kind == "tgmm" else (4, 6), (1, 4, 16))
        made["jax_mosaic_gpu"] = fastest(torch, {str(c): functools.partial(mosaic_gpu, *call, *c) for c in sweep if n % (c[1] * c[3]) == 0})
    else:
        made["jax_mosaic_gpu"] = Skipped(f"unrolls its search over all {len(sizes)} groups; asked for 64 at most")
    return made
