"""Drivers of the `pallas_call` sites in JAX's wheel, `jax/experimental/pallas/ops/tpu`: small inputs for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

Built = tuple[Callable[..., Any], tuple[Any, ...]]


def _normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def example() -> Built:
    from jax.experimental.pallas.ops.tpu import example_kernel
    return example_kernel.double, (_normal(0, 8, 128),)


def matmul() -> Built:
    from jax.experimental.pallas.ops.tpu import matmul as module
    return lambda x, y: module.matmul(x, y, block_shape=(128, 128), block_k=128), (_normal(0, 256, 256), _normal(1, 256, 128))


def all_gather(devices: int = 8, gather: Any = None) -> Built:
    """`gather` is another form of the function, as one with a mistake in it."""
    from jax.experimental.pallas.ops.tpu import all_gather as module
    mesh = jax.make_mesh((devices,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    x = jax.device_put(_normal(0, 8 * devices, 128), jax.NamedSharding(mesh, jax.sharding.PartitionSpec("x")))
    return lambda x: (gather or module.all_gather)(x, mesh=mesh, axis_name="x"), (x,)


def gmm() -> Built:
    from jax.experimental.pallas.ops.tpu.megablox import gmm as _  # noqa: F401  the function hides the module
    import sys
    module = sys.modules["jax.experimental.pallas.ops.tpu.megablox.gmm"]
    return module.gmm, (_normal(0, 384, 256), _normal(1, 3, 256, 128), np.array([100, 0, 284], np.int32))


def tgmm() -> Built:
    from jax.experimental.pallas.ops.tpu.megablox import gmm as _  # noqa: F401
    import sys
    module = sys.modules["jax.experimental.pallas.ops.tpu.megablox.gmm"]
    return module.tgmm, (_normal(0, 256, 384), _normal(1, 384, 128), np.array([100, 0, 284], np.int32))


def _attention_inputs(length: int = 256) -> tuple[np.ndarray, ...]:
    return tuple(_normal(seed, 1, 2, length, 128) for seed in range(3))


def flash() -> Built:
    """Forward and both backward kernels."""
    from jax.experimental.pallas.ops.tpu import flash_attention as module
    blocks = module.BlockSizes(**{name: 128 for name in module.BlockSizes.__dataclass_fields__ if name != "block_b"}, block_b=1)

    def loss(q: Any, k: Any, v: Any) -> Any:
        return module.flash_attention(q, k, v, causal=True, sm_scale=0.1, block_sizes=blocks).sum()
    return jax.grad(loss, argnums=(0, 1, 2)), _attention_inputs()


def splash(fused: bool = False) -> Built:
    """Forward and both backward kernels."""
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as module
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks
    mask = masks.MultiHeadMask([masks.CausalMask((256, 256)) for _ in range(2)])
    sizes = dict(block_q=128, block_kv=128, block_kv_compute=128, block_q_dkv=128, block_kv_dkv=128, block_kv_dkv_compute=128,
                 use_fused_bwd_kernel=fused)
    if not fused:
        sizes |= dict(block_q_dq=128, block_kv_dq=128)
    attend = module.make_splash_mha(mask, block_sizes=module.BlockSizes(**sizes), head_shards=1, q_seq_shards=1)
    return jax.grad(lambda q, k, v: attend(q, k, v).sum(), argnums=(0, 1, 2)), tuple(a[0] for a in _attention_inputs())


def paged_attention(attend: Any = None) -> Built:
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel as module
    pages = np.arange(16, dtype=np.int32).reshape(2, 8)
    return (lambda *a: (attend or module.paged_attention)(*a, pages_per_compute_block=2),
            (_normal(0, 2, 8, 128), _normal(1, 8, 16, 16, 128), _normal(2, 8, 16, 16, 128), np.array([40, 100], np.int32), pages))


def ragged_paged_attention() -> Built:
    from jax.experimental.pallas.ops.tpu.ragged_paged_attention import kernel as module
    pages = np.arange(16, dtype=np.int32).reshape(2, 8)
    return (lambda *a: module.ragged_paged_attention(*a, num_kv_pages_per_block=2, num_queries_per_block=8),
            (_normal(0, 24, 4, 128), _normal(1, 16, 16, 4, 128), np.array([40, 100], np.int32), pages,
             np.array([0, 8, 20], np.int32), np.array([2], np.int32)))


def threefry() -> Built:
    from jax.experimental.pallas.ops.tpu.random import threefry as module
    return lambda key: module.plthreefry_random_bits(key, 32, (256, 256)), (np.array([1, 2], np.uint32),)


def philox() -> Built:
    from jax.experimental.pallas.ops.tpu.random import philox as module
    return lambda key: module.philox_random_bits(key, 32, (256, 256)), (np.array([1, 2], np.uint32),)


# Each driver with the functions of the sites that it reaches: 15 in all.
DRIVERS: dict[str, tuple[Callable[[], Built], int]] = {
    "example_kernel.py": (example, 1), "matmul.py": (matmul, 1), "all_gather.py": (all_gather, 1),
    "megablox/gmm.py gmm": (gmm, 1), "megablox/gmm.py tgmm": (tgmm, 1), "flash_attention.py": (flash, 3),
    "splash_attention": (splash, 3), "paged_attention": (paged_attention, 1),
    "ragged_paged_attention": (ragged_paged_attention, 1), "random/threefry.py": (threefry, 1), "random/philox.py": (philox, 1),
}
