"""Conversion of NumPy, JAX and PyTorch arrays to arrays of the engine, and of its results back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np

from . import _tessera
from .errors import BadInput, EnvironmentFailure

_NAMES = {
    "f32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e8m0": ml_dtypes.float8_e8m0fnu,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
}
_NUMPY = {name: np.dtype(_NAMES[name]) for name, _ in _tessera.dtypes()}
_OURS = {dtype: name for name, dtype in _NUMPY.items()}
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

# In a command line, operand arrays and results have names in angle brackets: "<lhs>". For several devices: "<lhs@{d}>", with the
# device number for "{d}".


def dtype_name(dtype: Any) -> str:
    """Returns the language's name ("bf16") for an element type of NumPy, ml_dtypes, JAX or PyTorch.

    Raises BadInput if the language does not have the type.
    """
    if isinstance(dtype, str) and dtype in _NUMPY:
        return dtype
    text = str(dtype)
    if text.startswith("torch."):
        dtype = _torch_twin(text.removeprefix("torch."))
    try:
        return _OURS[np.dtype(dtype)]
    except (KeyError, TypeError):
        raise BadInput(f"there is no element type for {text}; expected one of {', '.join(_NUMPY)}") from None


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Returns the NumPy type for an element type of the language ("bf16"). Raises KeyError if there is none."""
    return _NUMPY[name]


def _torch_twin(name: str) -> Any:
    return getattr(ml_dtypes, name, None) or getattr(np, name, name)


def _is_of(array: Any, module: str, cls: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(array, getattr(loaded, cls, ()))


def is_array(given: Any) -> bool:
    """True for an array of NumPy, JAX or PyTorch, and for any other object with an array interface or DLPack."""
    return isinstance(given, np.ndarray | np.generic) or any(hasattr(given, name) for name in ("__array_interface__", "__array__", "__dlpack__"))


def is_list_of_arrays(given: Any) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(is_array(part) for part in given)


def family_of(given: Sequence[Any]) -> str:
    """Returns the library of the arrays: "jax" if one of them is a JAX array, else "torch" if one is a tensor, else "numpy"."""
    parts = [part for one in given for part in (one if isinstance(one, list | tuple) else (one,))]
    if any(_is_of(part, "jax", "Array") for part in parts):
        return "jax"
    if any(_is_of(part, "torch", "Tensor") for part in parts):
        return "torch"
    return "numpy"


def family_called(like: str | None) -> str | None:
    """Checks the value of `like=` and returns it. May be None.

    Raises BadInput if the name is unknown, EnvironmentFailure if the library is not installed.
    """
    if like is None or like == "numpy":
        return like
    if like not in ("jax", "torch"):
        raise BadInput(f"like: expected 'numpy', 'jax' or 'torch', found {like!r}")
    if find_spec(like) is None:
        raise EnvironmentFailure(f"like={like!r}: {like} is not installed")
    return like


def handed_over(name: str, array: Any) -> tuple[Any, str]:
    """Returns the bits of the array as a NumPy array of unsigned integers, and the element type.

    Copies the array only if a stride is not a multiple of the element size.
    """
    if _is_of(array, "torch", "Tensor"):
        array, dtype = _torch_bits(name, array)
        return array, dtype
    array = _as_numpy(name, array)
    try:
        dtype = dtype_name(array.dtype)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    if not array.dtype.isnative:
        raise BadInput(f"{name}: bytes are in the other order; expected {array.dtype.newbyteorder('=')}")
    if any(stride % array.dtype.itemsize for stride in array.strides):
        array = np.array(array, order="C")  # a field of a packed record
    return array.view(_BITS[array.dtype.itemsize]), dtype


def _as_numpy(name: str, array: Any) -> Any:
    """Raises BadInput if the elements cannot be read: a traced or deleted JAX array, or a DLPack type that NumPy does not have."""
    if isinstance(array, np.ndarray):
        return array
    try:
        has_numbers = hasattr(array, "__array__") or hasattr(array, "__array_interface__")
        return np.asarray(array) if has_numbers else np.from_dlpack(array)
    except Exception as error:
        raise BadInput(f"{name}: its numbers cannot be read: {str(error).splitlines()[0]}") from error


def _torch_bits(name: str, tensor: Any) -> tuple[Any, str]:
    import torch  # already loaded if there is a tensor

    if tensor.device.type != "cpu":
        raise BadInput(f"{name}: is on {tensor.device}; expected memory of the CPU: {name}.cpu()")
    if tensor.layout != torch.strided:
        raise BadInput(f"{name}: has the layout {tensor.layout}; expected a dense one: {name}.to_dense()")
    try:
        dtype = dtype_name(tensor.dtype)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    array = tensor.detach().view(bits).numpy()
    return array.view(_BITS[array.dtype.itemsize]), dtype


def result(bits: Any, dtype: str, family: str) -> Any:
    """Returns a result of the engine as an array of the library `family`."""
    array = bits.view(_NUMPY[dtype])
    if family == "jax":
        import jax.numpy as jnp  # installed if this family was selected

        return jnp.asarray(array)
    if family == "torch":
        return _torch_result(bits, dtype)
    return array


@lru_cache
def _torch_types() -> dict[str, Any]:
    import torch

    found = {name: getattr(torch, str(dtype), None) for name, dtype in _NUMPY.items()}
    return {name: dtype for name, dtype in found.items() if dtype is not None}


def _torch_result(bits: Any, dtype: str) -> Any:
    import torch

    if dtype not in _torch_types():
        raise BadInput(f"PyTorch has no element type for {dtype}: ask for like='numpy'")
    signed = bits.view({1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}[bits.dtype.itemsize])
    return torch.from_numpy(signed).view(_torch_types()[dtype])
