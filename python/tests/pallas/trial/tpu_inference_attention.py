"""tpu-inference: attention over pages, recurrences, and mixtures of experts."""

from __future__ import annotations

import types
from functools import partial
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

from trial.case import Built, between, bf16, case, i32, normal
from trial.shells import NotThere
from trial.tpu_inference_dense import PACKAGE, kernels

LENGTHS = i32(14, 20)  # of the keys of two sequences, of which 6 and 10 are queries
QUERIES = i32(0, 6, 16)
PAGES = i32(0, 1, 2, 3, 4, 5)


@case(PACKAGE, "ragged_paged_attention/v2/kernel.py")
def ragged_paged_attention_v2() -> Built:
    return (
        partial(kernels("ragged_paged_attention.v2.kernel").ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=8),
        (normal(16, 2, 128), normal(6, 8, 4, 128, seed=1), LENGTHS, PAGES.reshape(2, 3), QUERIES, i32(2)),
    )


def _rpa(dtype: Any = np.float32) -> tuple[Any, ...]:
    packing = 4 // np.dtype(dtype).itemsize
    return (
        normal(16, 4, 128, dtype=dtype),
        normal(16, 2, 128, seed=1, dtype=dtype),
        normal(16, 2, 128, seed=2, dtype=dtype),
        normal(6, 8, 4 // packing, packing, 128, seed=3, dtype=dtype),
        LENGTHS,
        PAGES,
        QUERIES,
        i32(0, 0, 2),
    )


@case(PACKAGE, "ragged_paged_attention/v3/kernel.py")
def ragged_paged_attention_v3() -> Built:
    return (partial(kernels("ragged_paged_attention.v3.kernel").ragged_paged_attention, sm_scale=0.1, m_block_sizes=(8, 16, 8, 16)), _rpa())


@case(PACKAGE, "ragged_paged_attention/v3/kernel_hd64.py")
def ragged_paged_attention_hd64() -> Built:
    q, k, v, _, *rest = _rpa()
    return (
        partial(
            kernels("ragged_paged_attention.v3.kernel_hd64").ragged_paged_attention_hd64,
            sm_scale=0.1,
            num_kv_pages_per_block=2,
            num_queries_per_block=8,
        ),
        (q[..., :64], k[..., :64], v[..., :64], normal(6, 8, 2, 1, 128, seed=3), *rest),
    )


@case(PACKAGE, "experimental/rpa_v3_cp/kernel.py")
def ragged_paged_attention_cp() -> Built:
    return (partial(kernels("experimental.rpa_v3_cp.kernel").ragged_paged_attention, sm_scale=0.1, m_block_sizes=(8, 16, 8, 16)), _rpa())


def _mla(dtype: Any) -> tuple[Any, ...]:
    packing = 4 // np.dtype(dtype).itemsize
    return (
        bf16(16, 8, 128),
        bf16(16, 8, 64, seed=1),
        normal(16, 128, seed=2, dtype=dtype),
        normal(16, 64, seed=3, dtype=dtype),
        normal(6, 8 // packing, packing, 256, seed=4, dtype=dtype),
        LENGTHS,
        PAGES,
        QUERIES,
        i32(0, 0, 2),
    )


@case(PACKAGE, "mla/v1/kernel.py")
def mla_v1() -> Built:
    return (
        partial(kernels("mla.v1.kernel").mla_ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=8),
        _mla(ml_dtypes.bfloat16),
    )


@case(PACKAGE, "mla/v2/kernel.py", "out_of_bounds")
def mla_v2() -> Built:
    given = _mla(ml_dtypes.float8_e4m3fn)
    return (
        partial(kernels("mla.v2.kernel").mla_ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=(2, 2, 2), num_queries_per_block=(8, 8, 8)),
        (np.swapaxes(given[0], 0, 1), *given[1:]),
    )


def _gdn(tokens: int, states: int) -> tuple[Any, ...]:
    return (
        bf16(tokens, 2, 128),
        bf16(tokens, 2, 128, seed=1),
        bf16(tokens, 4, 128, seed=2),
        bf16(tokens, 4, 128, seed=3),
        normal(states, 4, 128, 128, seed=4, scale=0.1),
        np.arange(states, dtype=np.int32),
    )


@case(PACKAGE, "gdn/v1/fused_gdn_decode_kernel.py", "race")
def gdn_decode_v1() -> Built:
    return _decode("v1.fused_gdn_decode_kernel")


@case(PACKAGE, "gdn/v2/gdn_decode_kernel.py", "race")
def gdn_decode_v2() -> Built:
    return _decode("v2.gdn_decode_kernel")


def _decode(module: str) -> Built:
    fused = kernels(f"gdn.{module}").fused_decoding_gdn
    return (
        lambda q, k, v, g, h, at, n, b, a: fused(q, k, v, g, h, at, n, b, scale=0.1, use_qk_l2norm_in_kernel=True, use_gate_in_kernel=True, A_log=a),
        (*_gdn(4, 4), i32(4, 4), bf16(4, 4, 128, seed=5), normal(4, 128, seed=6)),
    )


@case(PACKAGE, "gdn/v1/fused_gdn_recurrent_kernel.py")
def gdn_recurrent_v1() -> Built:
    fused = kernels("gdn.v1.fused_gdn_recurrent_kernel").fused_recurrent_gdn
    q, k, v, g, h, at = _gdn(16, 2)
    return (
        lambda q, k, v, ends, g, h, at, b, old, n, a: fused(
            q, k, v, ends, g, h, at, b, old, scale=0.1, use_qk_l2norm=True, use_gate_in_kernel=True, A_log=a, distribution=n
        ),
        (q, k, v, QUERIES, g, h, at, bf16(16, 4, 128, seed=5), np.array([True, True]), i32(0, 2), normal(4, 128, seed=6)),
    )


@case(PACKAGE, "gdn/v2/recurrent_scan_v2.py", "race", "uninitialised_read")
def gdn_recurrent_v2() -> Built:
    scan = kernels("gdn.v2.recurrent_scan_v2").recurrent_scan
    return (
        partial(scan, n_kq=2, n_v=4, d_k=128, d_v=128, chunk_size=16, BT=16),
        (
            bf16(48, 1024),
            bf16(48, 4, seed=1),
            bf16(48, 4, seed=2),
            normal(4, 4, 128, 128, seed=3, scale=0.1),
            bf16(4, seed=4),
            bf16(4, seed=5),
            i32(0, 1, 14, 32, 32),
            i32(1, 2, 3, 0),
            i32(1, 3, 3),
        ),
    )


def _moe(module: Any, devices: int, experts: int, block: int = 8, blocks: int = 1) -> Built:
    """So many experts on all devices, of which each token has two; so many blocks of tokens on each device."""
    mesh = jax.make_mesh((1, devices), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2, devices=jax.devices()[:devices])
    tokens = block * blocks * devices
    return (
        lambda t, w1, w2, g: module.fused_ep_moe(mesh, t, w1, w2, g, 2, bt=block, bf=128, bd1=256, bd2=256, btc=8, bfc=128, bd1c=256, bd2c=256),
        (
            bf16(tokens, 256),
            bf16(experts, 2, 256, 128, seed=1, scale=0.1),
            bf16(experts, 128, 256, seed=2, scale=0.1),
            bf16(tokens, experts, seed=3),
        ),
    )


@case(PACKAGE, "fused_moe/v1/kernel.py")
def fused_moe() -> Built:
    return _moe(kernels("fused_moe.v1.kernel"), 4, 8)


@case(PACKAGE, "fused_moe/v1/kernel.py", "race", "out_of_bounds")
def fused_moe_of_three() -> Built:
    """With three experts on a device a buffer is filled again that copies may still read."""
    return _moe(kernels("fused_moe.v1.kernel"), 2, 6)


# Old and new text: no index before the array, one copy for all parts, and semaphores of their own for what is sent back.
_REPAIRS = (
    (
        "    def wait_a2a_gather_send(bt_id, e_sem_id, local_e_id):\n        my_e_id = my_id * local_num_experts + local_e_id\n",
        "    def wait_a2a_gather_send(bt_id, e_sem_id, local_e_id):\n        my_e_id = my_id * local_num_experts + jnp.maximum(local_e_id, 0)\n",
    ),
    (
        "            local_sz = lax.select(is_local, sz, 0)\n            remote_sz = lax.select(is_local, 0, sz)\n"
        "            pltpu.make_async_copy(\n                src_ref=a2a_s_acc",
        "            local_sz = 0 * sz\n            remote_sz = sz\n            pltpu.make_async_copy(\n                src_ref=a2a_s_acc",
    ),
    ("        remote_sz = sz - local_sz\n        is_valid", "        remote_sz = sz\n        is_valid"),
    (
        "send_sem=send_sems.at[e_sem_id],\n                recv_sem=a2a_gather_sem",
        "send_sem=gather_send_sems.at[e_sem_id],\n                recv_sem=a2a_gather_sem",
    ),
    (
        "            sem=send_sems.at[e_sem_id],\n        ).wait()\n\n    def wait_a2a_gather_recv_all",
        "            sem=gather_send_sems.at[e_sem_id],\n        ).wait()\n\n    def wait_a2a_gather_recv_all",
    ),
    ("        a2a_gather_sem,\n", "        a2a_gather_sem,\n        gather_send_sems,\n"),
    (
        "                # a2a_gather_sem\n                pltpu.SemaphoreType.DMA,\n",
        "                # a2a_gather_sem\n                pltpu.SemaphoreType.DMA,\n                pltpu.SemaphoreType.DMA((2, )),\n",
    ),
)


def fused_moe_repaired() -> Built:
    """The same with the two races of 0.32.0 repaired in the text of the module."""
    module = kernels("fused_moe.v1.kernel")
    text = Path(module.__file__).read_text(encoding="utf-8")
    for old, new in _REPAIRS:
        if text.count(old) != 1:
            raise NotThere(f"{PACKAGE} 0.32.0, whose text of fused_moe/v1/kernel.py is repaired, is not installed")
        text = text.replace(old, new)
    repaired = types.ModuleType(module.__name__)
    exec(compile(text, module.__file__, "exec"), repaired.__dict__)
    return _moe(repaired, 2, 6)


@case(PACKAGE, "experimental/deepseek_v4/core_attention/mla_swa.py", "uninitialised_read")
def mla_sliding_window() -> Built:
    module = kernels("experimental.deepseek_v4.core_attention.mla_swa")
    return (
        partial(
            module.mla_sliding_window_ragged_paged_attention,
            sm_scale=0.1,
            sliding_window=8,
            logical_page_size=8,
            num_kv_pages_per_block=2,
            num_queries_per_block=8,
        ),
        (
            bf16(16, 2, 128),
            bf16(16, 128, seed=1),
            between(0, 256, 6, 16, 1, 128, dtype=np.uint8),
            LENGTHS,
            PAGES,
            QUERIES,
            i32(0, 0, 2),
            normal(2, seed=2),
        ),
    )


@case(PACKAGE, "experimental/deepseek_v4/core_attention/mla.py", "out_of_bounds")
def mla_compressed() -> Built:
    module = kernels("experimental.deepseek_v4.core_attention.mla")
    return (
        partial(module.mla_ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=8),
        (
            bf16(16, 2, 512),
            between(0, 256, 6, 16, 4, 128, dtype=np.uint8),
            LENGTHS,
            between(1, 12, 16),
            PAGES,
            QUERIES,
            i32(0, 0, 2),
            normal(2, seed=2),
            bf16(16, 2, 512, seed=3),
            np.abs(normal(16, 2, seed=4)) + 1,
            normal(16, 2, seed=5),
        ),
    )


@case(PACKAGE, "experimental/deepseek_v4/indexer/streamindex_topk.py")
def streamindex_topk() -> Built:
    module = kernels("experimental.deepseek_v4.indexer.streamindex_topk")
    return (
        partial(module.streamindex_topk, k=8, compression_ratio=1, num_kv_pages_per_block=16, num_queries_per_block=8),
        (
            bf16(16, 2, 128),
            normal(16, 2, seed=1),
            between(0, 256, 32, 2, 4, 256, dtype=np.uint8),
            LENGTHS,
            np.arange(32, dtype=np.int32),
            QUERIES,
            i32(0, 0, 2),
        ),
    )
