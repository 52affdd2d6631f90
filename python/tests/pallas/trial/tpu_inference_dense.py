"""tpu-inference: products, transpositions, collectives and what works on single tokens."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from trial.case import Built, between, bf16, case, i32, normal
from trial.shells import logger, shell

PACKAGE = "tpu_inference"


def kernels(module: str) -> Any:
    """A module of the package's kernels, without the server around them."""
    shell(
        PACKAGE,
        {
            "logger": {"init_logger": logger},
            "envs": {"MLA_XPOSE_N_TILE_SIZE": 128, "MLA_XPOSE_M_TILE_SIZE": 128},
            "utils": {
                "get_device_name": lambda *_: "TPU v5e",
                "align_to": lambda x, a: -(-x // a) * a,
                "get_mesh_shape_product": lambda mesh, axes: mesh.shape.get(axes, 1),
                "TPU_HEAD_SIZE_ALIGNMENT": 128,
                "get_dtype_packing": lambda dtype: 32 // (8 * jnp.dtype(dtype).itemsize),
            },
        },
    )
    found = importlib.import_module(f"{PACKAGE}.kernels.{module}")
    if hasattr(found, "get_tpu_version"):
        found.get_tpu_version = lambda: 5
    return found


@case(PACKAGE, "gdn/triangle_solver.py")
def newton_schulz_inverse() -> Built:
    a = np.tril(normal(4, 16, 16, scale=0.2), -1) + np.eye(16, dtype=np.float32)
    return partial(kernels("gdn.triangle_solver").newton_schulz_inverse_pallas, block_size=2), (a,)


@case(PACKAGE, "gdn/triangle_solver.py")
def triangular_inverse() -> Built:
    a = np.tril(normal(2, 16, 16, scale=0.2), -1) + np.eye(16, dtype=np.float32)
    return partial(kernels("gdn.triangle_solver").decompose_triangular_matrix_inverse_pallas, n_block_size=2, block_size=8), (a,)


@case(PACKAGE, "mla/v2/transpose.py")
def xpose_full() -> Built:
    return partial(kernels("mla.v2.transpose").xpose_full, transpose_axes=(2, 0, 1)), (normal(16, 8, 128),)


@case(PACKAGE, "mla/v2/transpose.py")
def xpose_pipeline() -> Built:
    return partial(kernels("mla.v2.transpose").xpose_pipeline, transpose_axes=(1, 0), n_tile=128, m_tile=128), (normal(256, 256),)


@case(PACKAGE, "quantized_matmul/kernel.py")
def quantized_matmul() -> Built:
    module = kernels("quantized_matmul.kernel")
    tuned = kernels("quantized_matmul.tuned_block_sizes").TunedValue(64, 128, 128, 1)
    return (
        partial(module.quantized_matmul_kernel, x_q_dtype=jnp.int8, tuned_value=tuned),
        (bf16(64, 256), between(-127, 128, 256, 256, dtype=np.int8), np.abs(normal(256, seed=1)) / 100),
    )


@case(PACKAGE, "quantized_matmul/blockwise_kernel.py")
def blockwise_quantized_matmul() -> Built:
    module = kernels("quantized_matmul.blockwise_kernel")
    tuned = kernels("quantized_matmul.tuned_block_sizes").TunedValue(64, 256, 256, 1)
    return (
        partial(module.quantized_matmul_kernel, block_size=128, x_q_dtype=jnp.float8_e4m3fn, tuned_value=tuned),
        (bf16(64, 256), normal(256, 256, seed=1, dtype=ml_dtypes.float8_e4m3fn), np.abs(normal(2, 1, 256, seed=1)) / 100),
    )


@case(PACKAGE, "megablox/gmm.py")
def gmm() -> Built:
    return (partial(kernels("megablox.gmm").gmm, tiling=(32, 128, 128)), (normal(64, 128), normal(3, 128, 128, seed=1), i32(20, 30, 14)))


@case(PACKAGE, "collectives/all_gather_matmul.py")
def all_gather_matmul() -> Built:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    module = kernels("collectives.all_gather_matmul")
    return (lambda x, y: module.all_gather_matmul(x, y, mesh, "x", bk=128, bn=128), (bf16(128, 256), bf16(256, 512, seed=1)))


@case(PACKAGE, "structured_sparse_matmul/v1/spmm.py")
def structured_spmm() -> Built:
    module = kernels("structured_sparse_matmul.v1.spmm")
    rhs, key = normal(512, 128, seed=1) / 100, jax.random.PRNGKey(1)
    mask = module.gen_sparse_mask(key, rhs.shape, (1, 4), sparse_dim=0, stride=128)
    packed = module.Sparsifier(jnp.asarray(rhs), mask, sparsity=(1, 4), sparse_dim=0, stride=128)
    return (
        partial(module.structured_spmm, (1, 4), rhs_sparse=True, contract_sparse=True, stride=128, block_m=64, block_k=512, block_n=128),
        (np.asarray(packed.nonzeros), np.asarray(packed.metadata), normal(64, 512) / 100),
    )


@case(PACKAGE, "causal_conv1d/causal_conv1d.py")
def causal_conv1d() -> Built:
    return (
        partial(kernels("causal_conv1d.causal_conv1d").ragged_causal_conv1d, kernel_size=4, tile_size=8),
        (
            normal(24, 128),
            normal(3, 3, 128, seed=1),
            normal(128, 1, 4, seed=2),
            normal(128, seed=3),
            i32(0, 14, 24),
            i32(1, 2),
            i32(0, 0, 2),
            np.array([True, False]),
        ),
    )


def _streams(hidden: int) -> tuple[np.ndarray, ...]:
    return normal(24, 4 * hidden, seed=1) / 30, normal(3, seed=2), normal(24, seed=3)


@case(PACKAGE, "experimental/deepseek_v4/mhc/pre_kernel.py")
def mhc_pre() -> Built:
    module = kernels("experimental.deepseek_v4.mhc.pre_kernel")
    return (lambda x, fn, s, b: module.mhc_pre(x, fn, s, b, 1e-6, 1e-6, 1e-6, 2.0, 3), (bf16(16, 4, 256), *_streams(256)))


@case(PACKAGE, "experimental/deepseek_v4/mhc/post_kernel.py")
def mhc_post() -> Built:
    module = kernels("experimental.deepseek_v4.mhc.post_kernel")
    return module.mhc_post, (bf16(16, 256), bf16(16, 4, 256, seed=1), normal(16, 4, 1, seed=2), normal(16, 4, 4, seed=3))


@case(PACKAGE, "experimental/deepseek_v4/mhc/fused_post_pre_kernel.py")
def mhc_fused_post_pre() -> Built:
    module = kernels("experimental.deepseek_v4.mhc.fused_post_pre_kernel")
    return (
        lambda x, r, p, q, fn, s, b: module.mhc_fused_post_pre(x, r, p, q, fn, s, b, 1e-6, 1e-6, 1e-6, 2.0, 3),
        (bf16(16, 256), bf16(16, 4, 256, seed=1), normal(16, 4, 1, seed=2), normal(16, 4, 4, seed=3), *_streams(256)),
    )


@case(PACKAGE, "experimental/deepseek_v4/rope.py")
def rope() -> Built:
    angles = np.random.default_rng(0).uniform(0, 6, (64, 32)).astype(np.float32)
    return (
        kernels("experimental.deepseek_v4.rope").rope,
        (normal(16, 4, 512), between(0, 64, 16), np.concatenate([np.cos(angles), np.sin(angles)], -1)),
    )


@case(PACKAGE, "experimental/deepseek_v4/o_projection.py")
def o_projection() -> Built:
    module = kernels("experimental.deepseek_v4.o_projection")
    return (
        partial(module.wo_a_projection, tile_t=16, tile_r=128, quantize_activations=False),
        (bf16(16, 16, 128), normal(1024, 256, seed=1, dtype=ml_dtypes.float8_e4m3fn), np.abs(normal(256, seed=2)) + 0.5, normal(16, 256, seed=3)),
    )


@case(PACKAGE, "flash_attention/kernel.py")
def flash_attention() -> Built:
    module = kernels("flash_attention.kernel")
    sizes = module.BlockSizes(128, 128, 128, 1)
    return (
        partial(module.flash_attention, causal=True, sm_scale=0.1, block_sizes=sizes),
        (normal(1, 2, 256, 128), normal(1, 2, 256, 128, seed=1), normal(1, 2, 256, 128, seed=2)),
    )


@case(PACKAGE, "ragged_paged_attention/v2/ragged_kv_cache_update.py")
def kv_cache_update() -> Built:
    return _update(np.array([[9, 16, 30, 0], [0, 7, 15, 0], [7, 8, 1, 0]], np.int32))


@case(PACKAGE, "ragged_paged_attention/v2/ragged_kv_cache_update.py", "out_of_bounds")
def kv_cache_update_of_three() -> Built:
    return _update(np.array([[9, 16, 30], [0, 7, 15], [7, 8, 1]], np.int32))


def _update(slices: np.ndarray) -> Built:
    """Three pieces, two of them in a block: the array has room for whole blocks, or not."""
    return (
        partial(kernels("ragged_paged_attention.v2.ragged_kv_cache_update").kv_cache_update, page_size=8, num_slices_per_block=2),
        (bf16(16, 4, 128), slices, bf16(48, 4, 128, seed=1), i32(3)),
    )
