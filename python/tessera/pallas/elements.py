"""Elements of inputs and results: equality of bits, values that are not finite, denormals, and a second set of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np


def second_inputs(lanes: Sequence[Sequence[Any]], seed: int) -> list[list[np.ndarray]]:
    """Returns the inputs with each float array shuffled and scaled. Devices with equal inputs get equal inputs."""
    found = []
    for row in lanes:
        generator = np.random.default_rng(seed)
        found.append([_other(np.asarray(array), generator) for array in row])
    return found


def _other(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    if not is_float(array):
        return array
    flat = generator.permutation(array.reshape(-1))
    factor = generator.uniform(0.5, 1.5, flat.shape).astype(np.float32)
    largest = float(jnp.finfo(array.dtype).max)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = flat.astype(np.float32) * factor
        finite = np.clip(scaled, -largest, largest)  # a finite number stays finite
        return np.where(np.isinf(flat), scaled, finite).astype(array.dtype).reshape(array.shape)


def digits(dtype: Any) -> int:
    """Returns the bits of a float type's significand, including the leading 1. Integers of at most this many bits are exact."""
    return jnp.finfo(dtype).nmant + 1


def is_float(array: Any) -> bool:
    return bool(jnp.issubdtype(np.asarray(array).dtype, np.floating))


def same_bits(ours: np.ndarray, theirs: Any) -> bool:
    """True if all elements have the same bits. All NaNs are equal."""
    theirs = np.asarray(theirs)
    if ours.tobytes() == theirs.tobytes():
        return True
    apart = _bits(ours) != _bits(theirs)
    return is_float(ours) and bool(np.all(np.isnan(ours[apart]) & np.isnan(theirs[apart])))


def _bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def apart(ours: np.ndarray, theirs: Any) -> str:
    """Describes the first element that is NaN or infinite in one array and not the same in the other; empty if there is none.

    Example: `[5, 130] = 448, expected nan`.
    """
    theirs = np.asarray(theirs)
    if not is_float(ours):
        return ""
    with np.errstate(invalid="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs)) | (np.isfinite(ours) & np.isfinite(theirs))
    if same.all():
        return ""
    at = tuple(int(index) for index in np.argwhere(~same)[0])
    count = int((~same).sum())
    several = "elements are" if count > 1 else "element is"
    return f"[{', '.join(map(str, at))}] = {ours[at]}, expected {theirs[at]} ({count} {several} NaN or infinite in one only)"


def flushed(array: np.ndarray) -> np.ndarray:
    """Returns the array with 0 for elements that are denormal in f32; the array itself if there is none."""
    if not is_float(array):
        return array
    size = np.abs(array.astype(np.float32))
    denormal = (size < np.finfo(np.float32).tiny) & (size != 0)
    return np.where(denormal, np.zeros((), array.dtype), array) if denormal.any() else array
