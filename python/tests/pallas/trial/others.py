"""tokamax, maxtext, torch_xla, levanter, sgl_jax, recurrentgemma and gdn2-pallas."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from trial.case import Built, between, bf16, case, i32, normal
from trial.shells import shell
from trial.tpu_inference_attention import LENGTHS, PAGES, QUERIES

STUBS = {"maxtext": {"common.common_types": {"DEFAULT_MASK_VALUE": -0.7 * float(np.finfo(np.float32).max)}}}


def module(package: str, name: str) -> Any:
    shell(package, STUBS.get(package))
    return importlib.import_module(f"{package}.{name}")


GDN2 = "atomic_ops"


def _chunks() -> tuple[Any, ...]:
    config = module(GDN2, "configs").KernelConfig()
    wide = [normal(1, 2 * config.bt, 1, 64, seed=i, scale=0.2) for i in range(6)]
    wide[5] = -np.abs(wide[5]) / 10
    return config, wide, normal(1, 1, 2, config.bt, config.bt, seed=9, scale=0.1)


@case(GDN2, "gdn2_fwd.py")
def gdn2_chunk_scores() -> Built:
    _, (q, k, _, _, b, g), _ = _chunks()
    return (lambda *xs: module(GDN2, "gdn2_fwd").build_chunk_scores_pallas(*xs, 0.1), (q, k, b, g))


@case(GDN2, "gdn2_fwd.py")
def gdn2_wy_solve() -> Built:
    return module(GDN2, "gdn2_fwd").wy_solve_pallas, (np.tril(_chunks()[2], -1),)


@case(GDN2, "gdn2_fwd.py")
def gdn2_recompute_wy() -> Built:
    _, wide, a = _chunks()
    return module(GDN2, "gdn2_fwd").recompute_wy_pallas, (*wide, a)


@case(GDN2, "gdn2_bwd.py")
def gdn2_intra_backward() -> Built:
    _, (q, k, _, _, b, g), a = _chunks()
    return (lambda *xs: module(GDN2, "gdn2_bwd").intra_backward_pallas(*xs, 0.1), (a, a / 2, q, k, b, g))


TOKAMAX = "tokamax"


def _loss() -> tuple[Any, ...]:
    return normal(128, 128), between(0, 256, 128), normal(128, 256, seed=1, scale=0.1)


@case(TOKAMAX, "linear_softmax_cross_entropy_loss/pallas_mosaic_tpu_kernel.py")
def linear_softmax_loss() -> Built:
    found = module(TOKAMAX, "_src.ops.linear_softmax_cross_entropy_loss.pallas_mosaic_tpu_kernel")
    return (partial(found.linear_softmax_cross_entropy_loss_fwd_pallas_mosaic_tpu, b_block_size=128, h_block_size=128, v_block_size=128), _loss())


@case(TOKAMAX, "linear_softmax_cross_entropy_loss/pallas_mosaic_tpu_kernel.py")
def linear_softmax_loss_gradient() -> Built:
    found = module(TOKAMAX, "_src.ops.linear_softmax_cross_entropy_loss.pallas_mosaic_tpu_kernel")
    return (
        partial(found.linear_softmax_cross_entropy_loss_bwd_pallas_mosaic_tpu, b_block_size=128, h_block_size=128, v_block_size=128),
        (np.float32(1.0), normal(128, seed=2), *_loss()),
    )


@case(TOKAMAX, "experimental/tpu/splash_attention/splash_attention_kernel.py")
def tokamax_splash() -> Built:
    base = "_src.ops.experimental.tpu.splash_attention."
    splash, masks = module(TOKAMAX, base + "splash_attention_kernel"), module(TOKAMAX, base + "splash_attention_mask")
    config = splash.SplashConfig(block_q=128, block_kv=128, block_kv_compute=128)
    made = splash.make_splash_mha_single_device(masks.CausalMask((256, 256)), config=config)
    return made, (normal(2, 256, 128), normal(2, 256, 128, seed=1), normal(2, 256, 128, seed=2))


MAXTEXT = "maxtext"


@case(MAXTEXT, "kernels/attention/splash_attention_kernel.py")
def maxtext_splash() -> Built:
    splash, masks = (
        module(MAXTEXT, "kernels.attention.splash_attention_kernel"),
        importlib.import_module("jax.experimental.pallas.ops.tpu.splash_attention.splash_attention_mask"),
    )
    sizes = splash.BlockSizes(block_q=128, block_kv=128, block_kv_compute=128)
    made = splash.make_splash_mha(masks.MultiHeadMask([masks.CausalMask((256, 256))] * 2), block_sizes=sizes, head_shards=1, q_seq_shards=1)
    return made, (normal(2, 256, 128), normal(2, 256, 128, seed=1), normal(2, 256, 128, seed=2))


@case(MAXTEXT, "kernels/megablox/pallas_mosaic_tpu_v2_gmm_kernel.py", "out_of_bounds")
def gmm_v2() -> Built:
    found = module(MAXTEXT, "kernels.megablox.pallas_mosaic_tpu_v2_gmm_kernel")
    return (
        partial(found.gmm_v2, tile_info=found.TileSizes(tile_m=32, tile_k=128, tile_n=128), maybe_quantize_lhs=False),
        (bf16(64, 256), bf16(3, 256, 256, seed=1), i32(20, 30, 14)),
    )


@case(MAXTEXT, "kernels/megablox/pallas_mosaic_tpu_v2_tgmm_kernel.py")
def tgmm_v2() -> Built:
    found, sizes = (
        module(MAXTEXT, "kernels.megablox.pallas_mosaic_tpu_v2_tgmm_kernel"),
        module(MAXTEXT, "kernels.megablox.pallas_mosaic_tpu_v2_gmm_kernel"),
    )
    return (
        lambda a, b, n: found.tgmm_v2(a, b, n, 3, tile_info=sizes.TileSizes(tile_m=32, tile_k=128, tile_n=128), preferred_element_type=jnp.float32),
        (bf16(64, 256), bf16(64, 256, seed=1), i32(20, 30, 14)),
    )


@case(MAXTEXT, "kernels/attention/ragged_attention.py")
def ragged_mqa() -> Built:
    found = module(MAXTEXT, "kernels.attention.ragged_attention")
    return (partial(found.ragged_mqa, block_size=128), (normal(2, 8, 128), normal(2, 256, 128, seed=1), normal(2, 256, 128, seed=2), i32(100, 256)))


XLA = "torch_xla"


@case(XLA, "experimental/pallas_kernels/quantized_matmul_kernel.py")
def xla_quantized_matmul() -> Built:
    found = module(XLA, "experimental.pallas_kernels.quantized_matmul_kernel")
    return (
        partial(found.quantized_matmul_int8, quantize_activation=True, batch_block_size=128, out_block_size=128, in_block_size=128),
        (bf16(128, 256), between(-127, 128, 256, 256, dtype=np.int8), np.abs(normal(256, seed=1)) / 100),
    )


@case(XLA, "experimental/pallas_kernels/multi_queries_paged_attention_kernel.py", "out_of_bounds", "race")
def xla_paged_attention() -> Built:
    found = module(XLA, "experimental.pallas_kernels.multi_queries_paged_attention_kernel")
    return (
        partial(found.paged_attention, num_kv_pages_per_compute_block=2, num_queries_per_compute_block=4),
        (
            normal(2, 4, 2, 128),
            normal(2, 8, 64, 128, seed=1),
            normal(2, 8, 64, 128, seed=2),
            i32(20, 230),
            np.arange(8, dtype=np.int32).reshape(2, 4),
            i32(4, 4),
        ),
    )


@case(XLA, "experimental/pallas_kernels/ragged_paged_attention_v2.py")
def xla_ragged_paged_attention() -> Built:
    found = module(XLA, "experimental.pallas_kernels.ragged_paged_attention_v2")
    return (
        partial(found.ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=8),
        (normal(16, 2, 128), normal(6, 8, 4, 128, seed=1), LENGTHS, PAGES.reshape(2, 3), QUERIES, i32(2)),
    )


@case("levanter", "kernels/pallas/fused_cross_entropy_loss/pallas_tpu.py")
def linear_softmax_lse() -> Built:
    base = "kernels.pallas.fused_cross_entropy_loss."
    found, config = module("levanter", base + "pallas_tpu"), module("levanter", base + "config")
    return (
        partial(
            found._linear_softmax_lse_forward_fori,
            block_sizes=config.BlockSizes(128, 128, 128),
            dtype=jnp.float32,
            logit_soft_cap=None,
            precision=None,
            v_outer_mult=1,
        ),
        (normal(128, 128), normal(128, 256, seed=1, scale=0.1)),
    )


@case("sgl_jax", "srt/layers/attention/flash_attn_kernel/flash_attention.py")
def sgl_ragged_paged_attention() -> Built:
    found = module("sgl_jax", "srt.layers.attention.flash_attn_kernel.flash_attention")
    return (
        partial(found.ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=8),
        (normal(16, 2, 128), normal(6, 8, 2, 128, seed=1), normal(6, 8, 2, 128, seed=2), PAGES, QUERIES, i32(0, 16, 40), i32(2), LENGTHS),
    )
