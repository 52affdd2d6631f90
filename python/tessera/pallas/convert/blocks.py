"""Properties of the blocks of a `pallas_call`: memory space, array, type and size."""

from __future__ import annotations

from typing import Any

import numpy as np

from tessera.pallas.convert.conversion import Conversion

_SPACES = {
    "any": "hbm",
    "hbm": "hbm",
    "vmem": "vmem",
    "smem": "smem",
    "semaphore": "sem",
    "semaphore_mem": "sem",
    "default": "vmem",
    "none": "vmem",
    "index": "smem",
}


def space_of(c: Conversion, aval: Any) -> str:
    kind = str(getattr(aval.memory_space, "value", aval.memory_space)).lower()
    if kind not in _SPACES:
        raise c.refuse(f"memory of the kind {kind}")
    return _SPACES[kind]


def block_aval(block: Any) -> Any:
    """Returns the type of the kernel's ref. JAX 0.8 renamed the field."""
    found = getattr(block, "transformed_block_aval", None)
    return found if found is not None else block.block_aval


def array_aval(block: Any) -> Any:
    found = getattr(block, "array_aval", None)
    return found if found is not None else block.array_shape_dtype


def numpy_type(dtype: str) -> np.dtype:
    if dtype == "bool":
        return np.dtype(np.int32)
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, dtype, None) or dtype)


def covers(kind: Any, extent: int) -> bool:
    """True if a dimension of a block covers the whole dimension of the array, for any index map."""
    return extent == 1 if type(kind).__name__ == "Squeezed" else getattr(kind, "block_size", None) == extent
