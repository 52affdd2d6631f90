"""ejkernel: losses, recurrences, products across devices, attention to compressed keys."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec as P

from trial.case import Built, between, bf16, case, i32, normal
from trial.shells import shell

PACKAGE = "ejkernel"


def kernels(module: str) -> Any:
    shell(PACKAGE)
    return importlib.import_module(f"{PACKAGE}.kernels._pallas.tpu.{module}")


@case(PACKAGE, "flash_attention/_pallas_impl_fwd.py")
def ej_flash_attention() -> Built:
    impl = kernels("flash_attention._pallas_impl_fwd")._flash_attention_impl
    return (
        lambda q, k, v: impl(q, k, v, None, None, True, True, 0.1, None, None, 1, 128, 128, 128),
        (normal(1, 2, 256, 128), normal(1, 2, 256, 128, seed=1), normal(1, 2, 256, 128, seed=2)),
    )


def _backward() -> tuple[np.ndarray, ...]:
    wide = [normal(1, 1, 256, 128, seed=i) for i in range(4)]
    sums, largest, inner = np.abs(normal(1, 1, 256, seed=5)) + 1, normal(1, 1, 256, seed=6), normal(1, 1, 256, seed=7)
    return (*wide[:3], sums, largest, wide[3], inner)


@case(PACKAGE, "flash_attention/_pallas_impl_bwd.py")
def ej_flash_attention_dkv() -> Built:
    dkv = kernels("flash_attention._pallas_impl_bwd")._flash_attention_bwd_dkv
    return (
        lambda q, k, v, sums, m, do, di: dkv(
            q,
            k,
            v,
            None,
            None,
            sums,
            m,
            do,
            di,
            block_q_major=128,
            block_q=128,
            block_k_major=128,
            block_k=128,
            softmax_scale=0.1,
            sliding_window=None,
            logits_soft_cap=None,
            causal=True,
        ),
        _backward(),
    )


@case(PACKAGE, "flash_attention/_pallas_impl_bwd.py")
def ej_flash_attention_dq() -> Built:
    dq = kernels("flash_attention._pallas_impl_bwd")._flash_attention_bwd_dq
    return (
        lambda q, k, v, sums, m, do, di: dq(
            q,
            k,
            v,
            None,
            None,
            sums,
            m,
            do,
            di,
            block_q_major=128,
            block_k_major=128,
            block_k=128,
            softmax_scale=0.1,
            sliding_window=None,
            logits_soft_cap=None,
            causal=True,
            mask_value=-1e30,
        ),
        _backward(),
    )


@case(PACKAGE, "fused_cross_entropy/_pallas_impl_fwd.py")
def ej_cross_entropy() -> Built:
    loss = kernels("fused_cross_entropy._pallas_impl_fwd")._ce_fwd_pallas
    return (
        partial(loss, ignore_index=-100, label_smoothing=0.0, z_loss=0.0, block_v=128, block_m=8),
        (normal(16, 256), between(0, 256, 16), np.ones(16, np.float32)),
    )


@case(PACKAGE, "fused_cross_entropy/_pallas_impl_bwd.py")
def ej_cross_entropy_gradient() -> Built:
    loss = kernels("fused_cross_entropy._pallas_impl_bwd")._ce_bwd_pallas
    return (
        partial(loss, ignore_index=-100, label_smoothing=0.0, z_loss=0.0, block_v=128, block_m=8),
        (normal(16, 256), normal(16, seed=1), between(0, 256, 16), np.ones(16, np.float32), normal(16, seed=2)),
    )


@case(PACKAGE, "fused_kl_divergence/_pallas_impl_fwd.py")
def ej_kl_divergence() -> Built:
    loss = kernels("fused_kl_divergence._pallas_impl_fwd")._kl_fwd_pallas
    return (
        partial(loss, direction="forward", temperature=1.0, block_v=128, block_m=8),
        (normal(16, 256), normal(16, 256, seed=1), np.ones(16, np.float32)),
    )


@case(PACKAGE, "gated_delta_rule/_pallas_impl_fwd.py")
def ej_gated_delta_rule() -> Built:
    q, k, v = (bf16(1, 2, 2, 64, 64, seed=i, scale=0.2) for i in range(3))
    return (
        kernels("gated_delta_rule._pallas_impl_fwd")._run_phase1,
        (q, k, v, np.abs(normal(1, 2, 2, 1, 64, seed=3)), -np.abs(normal(1, 2, 2, 1, 64, seed=4)) / 9),
    )


@case(PACKAGE, "gated_delta_rule/_pallas_impl_fwd.py")
def ej_gated_delta_step() -> Built:
    q, k, v = (bf16(2, 2, 1, 128, seed=i, scale=0.2) for i in range(3))
    return (
        kernels("gated_delta_rule._pallas_impl_fwd")._run_single_step_forward,
        (q, k, v, np.abs(normal(2, 2, 1, seed=3)), -np.abs(normal(2, 2, 1, seed=4)), normal(2, 2, 128, 128, seed=5)),
    )


@case(PACKAGE, "ragged_gated_delta_rule/_pallas_impl_fwd.py")
def ej_ragged_delta_decode() -> Built:
    return (
        kernels("ragged_gated_delta_rule._pallas_impl_fwd").run_ragged_gdr_decode_pallas,
        (
            normal(4, 2, 128),
            normal(4, 2, 128, seed=1),
            normal(4, 2, 128, seed=2),
            np.abs(normal(4, 2, seed=3)),
            -np.abs(normal(4, 2, seed=4)),
            normal(4, 2, 128, 128, seed=5),
        ),
    )


@case(PACKAGE, "grouped_matmul/_pallas_impl.py")
def ej_grouped_matmul() -> Built:
    return (
        partial(kernels("grouped_matmul._pallas_impl").grouped_matmul, tiling=(32, 128, 128)),
        (normal(64, 128), normal(3, 128, 128, seed=1), i32(20, 30, 14)),
    )


@case(PACKAGE, "grouped_matmulv3/_pallas_impl.py", "out_of_bounds")
def ej_grouped_matmul_v3() -> Built:
    module = kernels("grouped_matmulv3._pallas_impl")
    return (
        partial(module.grouped_matmulv3_pallas_impl, tile_info=module.TileSizes(tile_m=32, tile_k=128, tile_n=128), maybe_quantize_lhs=False),
        (bf16(64, 256), bf16(3, 256, 256, seed=1), i32(20, 30, 14)),
    )


def _on_four(fn: Any, *specs: Any, out: Any) -> Any:
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(fn, mesh=mesh, in_specs=specs, out_specs=out, check_vma=False)


@case(PACKAGE, "reduce_scatter_matmul/_pallas_impl.py")
def ej_reduce_scatter_matmul() -> Built:
    fn = partial(kernels("reduce_scatter_matmul._pallas_impl").reduce_scatter_matmul, axis_name="x", tp_size=4, bm=8, bn=128, bk=128)
    return _on_four(fn, P(None, "x"), P(None, "x"), out=P("x", None)), (normal(64, 512), normal(128, 512, seed=1))


@case(PACKAGE, "all_gather_matmul/_pallas_impl.py")
def ej_all_gather_matmul() -> Built:
    fn = partial(kernels("all_gather_matmul._pallas_impl").all_gather_matmul, axis_name="x", tp_size=4, bn=128, bk=128)
    return _on_four(fn, P("x", None), P(None, "x"), out=P(None, "x")), (bf16(128, 256), bf16(256, 512, seed=1))


@case(PACKAGE, "flash_mla/_pallas_impl_fwd.py")
def ej_flash_mla() -> Built:
    call = kernels("flash_mla._pallas_impl_fwd")._flash_mla_pallas_call
    return (
        lambda q, kv, kc, vc: call(
            q,
            kv,
            kc,
            vc,
            None,
            None,
            None,
            rope_mode=0,
            causal=True,
            softmax_scale=0.1,
            sliding_window=None,
            logits_soft_cap=None,
            block_b=1,
            block_q=128,
            block_k=128,
        ),
        (normal(1, 2, 256, 128), normal(1, 256, 128, seed=1), normal(1, 128, 128, seed=2, scale=0.1), normal(1, 128, 128, seed=3, scale=0.1)),
    )


@case(PACKAGE, "quantized_matmul/_pallas_impl_fwd.py")
def ej_packed_quantized_matmul() -> Built:
    call = kernels("quantized_matmul._pallas_impl_fwd")._pallas_qmm_transpose_false_packed
    return (
        lambda x, w, s, b: call(x, w, s, b, group_size=128, bits=8, mode="affine", block_m=32, block_n=128, block_k=128, use_bf16=True),
        (bf16(32, 128), between(0, 2**32, 128, 32, dtype=np.uint32), np.abs(normal(128, 1, seed=1)) / 100, normal(128, 1, seed=2)),
    )
